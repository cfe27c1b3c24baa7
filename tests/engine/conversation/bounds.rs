//! Every loop of requests ends: what does not fit is cut, condensed, or said; what is refused is not asked for without end.

use std::fmt::Write as _;

use planwright_engine::engine::Attendance;
use planwright_engine::model::ProviderKind;
use planwright_engine::protocol::{CallOutcome, Event, TurnEnd};
use planwright_tests::chat_server::Say;
use serde_json::{Value, json};

use super::Talk;

/// 8 k tokens.
const SMALL: u32 = 8192;

/// 40 KB of lines that differ.
fn large() -> String {
    let mut text = String::new();
    for line in 0..1000 {
        writeln!(text, "line {line} of a file that is larger than the window").unwrap();
    }
    text
}

fn failed(end: &TurnEnd) -> (&str, &str) {
    match end {
        TurnEnd::Failed { code, message } => (code, message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn files_larger_than_the_window_are_cut_with_a_note_and_the_turn_ends() {
    for together in [true, false] {
        let mut talk = Talk::in_room(SMALL, move |number, body: &Value| {
            let read = |name: &str| json!({ "path": name });
            match (number, together) {
                _ if body["messages"][0]["content"]
                    .as_str()
                    .unwrap_or_default()
                    .starts_with("You condense") =>
                {
                    Say::text("They read a file.")
                }
                (0, true) => Say::call("read_file", read("a.txt")).and_call("read_file", read("b.txt")),
                (0, false) => Say::call("read_file", read("a.txt")),
                (1, false) => Say::call("read_file", read("b.txt")),
                _ => Say::text("Both are long."),
            }
            .counting(0)
        })
        .await;
        std::fs::write(talk.folder().join("a.txt"), large()).unwrap();
        std::fs::write(talk.folder().join("b.txt"), large()).unwrap();
        assert_eq!(talk.turn("compare a.txt and b.txt").await, TurnEnd::Done);
        assert!(talk.server.bodies().len() <= 6, "{} requests", talk.server.bodies().len());
        assert!(
            talk.told().iter().any(|told| told.contains("no room for more at once")),
            "{:?}",
            talk.told()
        );
        for body in talk.server.bodies() {
            let bytes = body["messages"].to_string().len() + body["tools"].to_string().len();
            assert!(bytes / 4 < SMALL as usize, "{bytes} bytes");
        }
        // The record has all that was read.
        assert!(talk.results().iter().all(|result| result.content.len() > 40_000));
    }
}

/// A model that reads without end, in a window that nothing fits into for long.
#[tokio::test]
async fn a_model_that_only_reads_in_a_small_window_ends_at_a_bound() {
    let mut talk = Talk::in_room(SMALL, |_, _| {
        Say::call("read_file", json!({ "path": "a.txt" }))
            .and_call("read_file", json!({ "path": "b.txt" }))
            .counting(0)
    })
    .await;
    std::fs::write(talk.folder().join("a.txt"), large()).unwrap();
    std::fs::write(talk.folder().join("b.txt"), large()).unwrap();
    assert_eq!(talk.turn("read on").await, TurnEnd::Rounds { allowed: 25 });
    assert!(talk.server.bodies().len() <= 25 * 5, "{} requests", talk.server.bodies().len());
}

#[tokio::test]
async fn a_message_that_does_not_fit_is_told_and_nothing_is_asked() {
    let mut talk = Talk::in_room(SMALL, |_, _| Say::text("Read.")).await;
    let end = talk.turn(&large()).await;
    let (code, message) = failed(&end);
    assert_eq!(code, "context-overflow");
    assert!(message.contains("8192 tokens") && message.contains("of your message"), "{message}");
    assert_eq!(talk.server.bodies().len(), 0);
    // The next one goes on without it when it is rewritten; said on top of it, it is condensed away.
    assert_eq!(talk.turn("hello").await, TurnEnd::Done);
}

/// A server that finds everything too long is believed after a few tries.
#[tokio::test]
async fn a_server_that_refuses_every_length_is_not_asked_without_end() {
    let mut talk = Talk::new(|_, _| Say::refusal(400, "prompt is too long for the context window")).await;
    let end = talk.turn("hello").await;
    assert_eq!(failed(&end).0, "context-overflow");
    assert!(talk.server.bodies().len() <= 4, "{} requests", talk.server.bodies().len());
}

#[tokio::test]
async fn the_same_refused_call_three_times_ends_the_turn() {
    let mut talk = Talk::unattended("", |_, _| {
        Say::call("shell", json!({ "command": "rm -rf ~/everything" })).counting(0)
    })
    .await;
    let end = talk.turn("clean up").await;
    let (code, message) = failed(&end);
    assert_eq!(code, "refused-again");
    assert!(message.contains("rm -rf ~/everything"), "{message}");
    assert_eq!(talk.server.bodies().len(), 3);
    assert!(talk.results().iter().all(|result| result.outcome == CallOutcome::Declined));
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_call_that_cannot_be_read_is_not_heard_for_25_rounds() {
    let mut talk = Talk::new(|_, _| Say::call("fly", json!({ "to": "the moon" }))).await;
    assert_eq!(failed(&talk.turn("go").await).0, "refused-again");
    assert_eq!(talk.server.bodies().len(), 3);
}

#[tokio::test]
async fn an_answer_with_nothing_in_it_is_an_error_that_says_so() {
    let mut talk = Talk::new(|_, _| Say::default()).await;
    let end = talk.turn("hello").await;
    let (code, message) = failed(&end);
    assert_eq!(code, "empty-answer");
    assert!(message.contains("empty"), "{message}");
}

/// What is sent first, whole: instructions, tools and a word.
#[tokio::test]
async fn the_first_prompt_of_a_conversation_is_small() {
    for kind in [ProviderKind::Local, ProviderKind::Anthropic, ProviderKind::OpenAi] {
        for attendance in
            [Attendance::User, Attendance::Nobody(planwright_engine::policy::PolicyFile::default())]
        {
            let mut talk = Talk::with(kind, attendance, |_, _| Say::text("hello")).await;
            assert_eq!(talk.turn("hello").await, TurnEnd::Done);
            let body = talk.server.bodies().remove(0).to_string();
            assert!(body.len() <= 4000, "{kind:?}: {} bytes: {body}", body.len());
        }
    }
}

/// Condensing says what it condensed once for each time, and not without end.
#[tokio::test]
async fn a_summary_that_frees_nothing_is_not_made_again() {
    let mut talk = Talk::in_room(SMALL, |_, body: &Value| {
        match body["messages"][0]["content"].as_str().unwrap_or_default().starts_with("You condense") {
            // As long as what it stands for.
            true => Say::text("They talked about sheep. ".repeat(2000)),
            false => Say::text("Sheep are woolly. ".repeat(400)),
        }
        .counting(0)
    })
    .await;
    for nth in 0..8 {
        assert_eq!(talk.turn(&format!("question {nth}")).await, TurnEnd::Done);
    }
    let summaries =
        talk.seen.iter().filter(|record| matches!(record.event, Event::ContextSummarized { .. })).count();
    assert!((1..=16).contains(&summaries), "{summaries}");
}
