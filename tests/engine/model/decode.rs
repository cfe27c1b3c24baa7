use std::path::{Path, PathBuf};

use planwright_engine::model::decode::{Decoded, Dialect, Recording};
use proptest::prelude::*;
use serde_json::Value;

/// A recorded stream and what it says, side by side in the fixtures.
struct Fixture {
    name: String,
    dialect: Dialect,
    bytes: Vec<u8>,
    says: Value,
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/fixtures/streams");
    let mut found = Vec::new();
    for (folder, dialect) in [("anthropic", Dialect::Anthropic), ("openai", Dialect::OpenAi)] {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == "sse"));
        paths.sort();
        for path in paths {
            let says = std::fs::read(path.with_extension("json")).unwrap();
            found.push(Fixture {
                name: format!("{folder}/{}", path.file_stem().unwrap().display()),
                dialect,
                bytes: std::fs::read(&path).unwrap(),
                says: serde_json::from_slice(&says).unwrap(),
            });
        }
    }
    assert!(found.len() >= 80, "the fixtures are missing");
    found
}

fn decode<'a>(dialect: Dialect, pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut recording = Recording::new(dialect);
    for piece in pieces {
        recording.feed(piece);
    }
    recording.finish()
}

#[test]
fn every_stream_says_what_it_should() {
    for fixture in fixtures() {
        let decoded = decode(fixture.dialect, [fixture.bytes.as_slice()]);
        assert_eq!(serde_json::to_value(decoded).unwrap(), fixture.says, "{}", fixture.name);
    }
}

#[test]
fn every_split_in_two_and_into_single_bytes_says_the_same() {
    for Fixture { name, dialect, bytes, .. } in fixtures() {
        let whole = decode(dialect, [bytes.as_slice()]);
        assert_eq!(decode(dialect, bytes.chunks(1)), whole, "{name} byte by byte");
        for at in 0..bytes.len() {
            let (left, right) = bytes.split_at(at);
            assert_eq!(decode(dialect, [left, right]), whole, "{name} split at {at}");
        }
    }
}

/// Cut anywhere, a stream either is whole all the same or says that it broke off; what it says is the beginning.
#[test]
fn a_cut_stream_loses_nothing_and_admits_the_cut() {
    for Fixture { name, dialect, bytes, says } in fixtures() {
        if !says["error"].is_null() {
            continue;
        }
        let full = says["text"].as_str().unwrap();
        for at in 0..bytes.len() {
            let cut = decode(dialect, [&bytes[..at]]);
            // Cut before the mark that says what it was, a thought is still taken for words.
            let thought = says["reasoning"].as_str().unwrap_or_default();
            let words = cut.text.split("</").next().unwrap_or_default();
            let is_begun = full.starts_with(&cut.text) || thought.starts_with(words);
            assert!(is_begun, "{name} cut at {at}: {:?}", cut.text);
            match &cut.error {
                // Of nothing but an event that nobody knows it is not said what it was: it may have been a report of trouble.
                Some(error) if cut.text.is_empty() && error.code == "server-error" => {}
                Some(error) => assert_eq!(error.code, "ended-early", "{name} cut at {at}"),
                None => {
                    assert_eq!(cut.text, full, "{name} cut at {at}");
                    assert_eq!(
                        serde_json::to_value(&cut.tool_calls).unwrap(),
                        says["toolCalls"],
                        "{name} cut at {at}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_kind_of_event_is_in_the_fixtures() {
    let all: String =
        fixtures().iter().map(|fixture| String::from_utf8_lossy(&fixture.bytes).into_owned()).collect();
    for word in [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
        "\"error\"",
        "text_delta",
        "input_json_delta",
        "thinking_delta",
        "signature_delta",
        "citations_delta",
        "redacted_thinking",
        "server_tool_use",
        "web_search_tool_result",
        "end_turn",
        "max_tokens",
        "stop_sequence",
        "refusal",
        "pause_turn",
        "\"stop\"",
        "\"length\"",
        "\"tool_calls\"",
        "\"function_call\"",
        "content_filter",
        "reasoning_content",
        "[DONE]",
        "prompt_tokens_details",
    ] {
        assert!(all.contains(word), "no fixture has {word}");
    }
}

#[test]
fn an_answer_without_an_end_is_cut_off_in_bounded_memory() {
    let mut recording = Recording::new(Dialect::OpenAi);
    let text = "x".repeat(1 << 20);
    let chunk = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    for _ in 0..40 {
        recording.feed(chunk.as_bytes());
    }
    let decoded = recording.finish();
    assert_eq!(decoded.error.unwrap().code, "too-large");
    assert!(decoded.text.len() <= 18 << 20, "{}", decoded.text.len());

    let mut one_line = Recording::new(Dialect::Anthropic);
    one_line.feed(b"data: ");
    for _ in 0..40 {
        one_line.feed(text.as_bytes());
    }
    assert_eq!(one_line.finish().error.unwrap().code, "too-large");
}

#[test]
fn two_megabytes_come_through_whole() {
    let text = "word ".repeat(400_000);
    let mut bytes = Vec::new();
    for piece in text.as_bytes().chunks(4001) {
        let piece = std::str::from_utf8(piece).unwrap();
        bytes.extend(
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}}}}]}}\n\n")
                .into_bytes(),
        );
    }
    bytes.extend(
        b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    );
    let decoded = decode(Dialect::OpenAi, bytes.chunks(1400));
    assert_eq!(decoded.error, None);
    assert!(decoded.text == text);
}

/// Whoever reads to the end of a piece must not find more wrong with an answer than one who stops at its end.
#[test]
fn what_comes_behind_the_end_of_an_answer_says_nothing() {
    for end in ["\n\n", "\r\n\r\n", "\r\r"] {
        for (dialect, last) in [
            (Dialect::Anthropic, "event: message_stop\ndata: {\"type\":\"message_stop\"}"),
            (Dialect::OpenAi, "data: [DONE]"),
        ] {
            let start = match dialect {
                Dialect::Anthropic => ANTHROPIC_START,
                Dialect::OpenAi => OPENAI_START,
            };
            for behind in [&b"data: x\xff\n\n"[..], b"\xff", b"", b": more\n"] {
                let bytes = [start.as_bytes(), last.as_bytes(), end.as_bytes(), b"\n", behind].concat();
                let whole = decode(dialect, [bytes.as_slice()]);
                assert_eq!((whole.text.as_str(), &whole.error), ("ok", &None), "{end:?} {behind:?}");
                assert_eq!(decode(dialect, bytes.chunks(1)), whole);
            }
        }
    }
}

const ANTHROPIC_START: &str = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"ok\"}}\n\n\
data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n";
const OPENAI_START: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"}}]}\n\n\
data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_split_of_any_stream_says_the_same(pick in any::<prop::sample::Index>(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
        let fixtures = fixtures();
        let Fixture { name, dialect, bytes, .. } = pick.get(&fixtures);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(decode(*dialect, pieces), decode(*dialect, [bytes.as_slice()]), "{}", name);
    }

    /// Bytes nobody wrote: no panic, the same for any split, and never a claim that all is well with nothing said.
    #[test]
    fn noise_is_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400), at in any::<prop::sample::Index>()) {
        for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
            let whole = decode(dialect, [bytes.as_slice()]);
            let (left, right) = bytes.split_at(at.index(bytes.len() + 1));
            prop_assert_eq!(&decode(dialect, [left, right]), &whole);
            prop_assert!(whole.error.is_some());
        }
    }

    /// A fixture with some bytes changed: no panic, and the same for any split.
    #[test]
    fn damage_is_split_proof(pick in any::<prop::sample::Index>(), hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let fixtures = fixtures();
        let fixture = pick.get(&fixtures);
        let mut bytes = fixture.bytes.clone();
        prop_assume!(!bytes.is_empty());
        for (at, byte) in hits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        prop_assert_eq!(decode(fixture.dialect, bytes.chunks(1)), decode(fixture.dialect, [bytes.as_slice()]));
    }
}
