//! What is hidden, what is not, and that it makes no difference how the bytes were cut.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;

use super::*;

/// A password with all that encodings change.
const SECRET: &str = "p4ss \"w/rd\" & 50% ü€+'x\\y";

fn knowing(values: &[&str]) -> Redactor {
    let redactor = Redactor::default();
    values.iter().for_each(|value| redactor.know(value));
    redactor
}

fn in_pieces(redactor: &Redactor, bytes: &[u8], cuts: &[usize]) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut at = 0;
    for cut in cuts {
        out.extend(stream.push(&bytes[at..cut]));
        at = cut;
    }
    out.extend(stream.push(&bytes[at..]));
    out.extend(stream.finish());
    out
}

fn each_byte(redactor: &Redactor, bytes: &[u8]) -> Vec<u8> {
    in_pieces(redactor, bytes, &(0..bytes.len()).collect::<Vec<_>>())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_known_value_is_hidden_in_every_form() {
    let redactor = knowing(&[SECRET]);
    let form: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let mut address = url::Url::parse("https://example.org/").unwrap();
    address.set_query(Some(&format!("k={form}")));
    address.set_password(Some(SECRET)).unwrap();
    let user_info = address.password().unwrap().to_owned();
    let json = serde_json::to_string(SECRET).unwrap();
    for (form, shown) in [
        (SECRET.to_owned(), "[secret hidden]"),
        (json.clone(), "\"[secret hidden]\""),
        (serde_json::to_string(&json).unwrap(), r#""\"[secret hidden]\"""#),
        (json.replace('ü', "\\u00fc").replace('€', "\\u20ac"), "\"[secret hidden]\""),
        (form, "[secret hidden]"),
        (hex(SECRET.as_bytes()), "[secret hidden]"),
        (hex(SECRET.as_bytes()).to_uppercase(), "[secret hidden]"),
        (SECRET.replace('&', "&amp;").replace('"', "&quot;"), "[secret hidden]"),
    ] {
        assert_eq!(redactor.text(&format!("a {form} z")), format!("a {shown} z"), "{form}");
    }
    assert_eq!(redactor.text(&user_info), HIDDEN);
}

#[test]
fn base64_is_hidden_wherever_in_it_the_value_stands() {
    let redactor = knowing(&[SECRET]);
    for before in 0..7 {
        for after in 0..4 {
            let text = format!("{}{SECRET}{}", "u".repeat(before), "v".repeat(after));
            for (encoded, engine) in
                [(STANDARD.encode(&text), &STANDARD), (URL_SAFE.encode(&text), &URL_SAFE)]
            {
                let shown = redactor.text(&encoded);
                assert!(shown.contains(HIDDEN), "{before} {after}: {shown}");
                // What is left holds at most the bits beside the value.
                let left = shown.replace(HIDDEN, "");
                assert!(
                    left.trim_end_matches('=').len()
                        <= (before * 8).div_ceil(6) + (after * 8).div_ceil(6) + 2,
                    "{left}"
                );
                assert!(engine.decode(&encoded).is_ok());
            }
        }
    }
}

#[test]
fn what_looks_like_a_key_is_hidden() {
    let key = "0123456789abcdefABCDEF0123456789abcdefgh";
    let block = format!(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----",
        "c2VjcmV0\n".repeat(40)
    );
    for (text, shown) in [
        (format!("token ghp_{key} ok"), "token [secret hidden] ok"),
        (format!("\u{1b}[32mghp_{key}\u{1b}[0m"), "\u{1b}[32m[secret hidden]\u{1b}[0m"),
        ("id AKIAIOSFODNN7EXAMPLE.".to_owned(), "id [secret hidden]."),
        (format!("key=sk-{key}"), "key=[secret hidden]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!".to_owned(), "[secret hidden]!"),
        (format!("a\n{block}\nb"), "a\n[secret hidden]\nb"),
        (format!("{block}{block}."), "[secret hidden]."),
        (format!("{block}{}.", &block[5..]), "[secret hidden]."),
        (
            r#"-H "Authorization: Bearer abc.def-ghi" url"#.to_owned(),
            r#"-H "Authorization: Bearer [secret hidden]" url"#,
        ),
        ("authorization: Basic dXNlcjpwYXNz\r\n".to_owned(), "authorization: Basic [secret hidden]\r\n"),
        (
            r#"{"Authorization": "Token 0123456789"}"#.to_owned(),
            r#"{"Authorization": "Token [secret hidden]"}"#,
        ),
        ("Authorization: abcdefghijklmnopq".to_owned(), "Authorization: [secret hidden]"),
        ("postgres://me:hunter2@db/one".to_owned(), "postgres://me:[secret hidden]@db/one"),
        ("DB_PASSWORD=\"hunter2!\"\nX=1".to_owned(), "DB_PASSWORD=\"[secret hidden]\"\nX=1"),
        (format!("aws_secret_access_key = {key}"), "aws_secret_access_key = [secret hidden]"),
    ] {
        let redactor = Redactor::default();
        assert_eq!(redactor.text(&text), shown);
        assert_eq!(String::from_utf8(each_byte(&redactor, text.as_bytes())).unwrap(), shown);
    }
}

#[test]
fn everyday_words_are_left_as_they_are() {
    let redactor = knowing(&["x", "abc"]);
    for text in [
        "task-runner-for-everything-that-we-want-to-run-here",
        "disk-0123456789abcdef0123456789abcdef",
        "http://localhost:8080/path@x",
        "ssh://git@example.org:22/repo",
        "https://me:$PASSWORD@example.org",
        "Authorization: Bearer $TOKEN",
        "Authorization is needed: log in first",
        "API_KEY=$(cat key)",
        "PASSWORD=",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "ghp_short AKIA sk- eyJ eyJhbGciOiJIUzI1NiJ9 ://",
        "abc x",
        "",
    ] {
        assert_eq!(redactor.text(text), text);
        assert_eq!(each_byte(&redactor, text.as_bytes()), text.as_bytes());
    }
}

#[test]
fn a_short_value_is_hidden_as_a_word_and_never_inside_of_one() {
    let redactor = knowing(&["k", "abcde", "ollama", "hunter2", "letmein", "correcthorsebatterystaple"]);
    for (text, shown) in [
        ("tokens of ollama, abcde k", "tokens of ollama, abcde k"),
        ("hunter2 (hunter2), x=hunter2;", "[secret hidden] ([secret hidden]), x=[secret hidden];"),
        ("hunter25 ahunter2 hunter2_x éhunter2", "hunter25 ahunter2 hunter2_x éhunter2"),
        ("a\\nhunter2\\n %20hunter2%20", "a\\n[secret hidden]\\n %20[secret hidden]%20"),
        ("\u{1b}[0;32mletmein\u{1b}[0m mletmein", "\u{1b}[0;32m[secret hidden]\u{1b}[0m mletmein"),
        ("correcthorsebatterystaples", "correcthorsebatterystaples"),
    ] {
        assert_eq!(redactor.text(text), shown);
        assert_eq!(String::from_utf8(each_byte(&redactor, text.as_bytes())).unwrap(), shown);
    }
}

#[test]
fn what_was_hidden_in_a_command_comes_back_into_what_is_made_of_it() {
    let shown = "curl -u ada:pw1 -H 'X-Api-Key: k1' http://h/x";
    let (one, two) = ("curl -u ada:pw1 http://h/x", "curl -L -u ada:[secret hidden] http://h/x");
    assert_eq!(put_back(one, two).as_deref(), Some("curl -L -u ada:pw1 http://h/x"));
    let both = "curl -L -u ada:[secret hidden] -H 'X-Api-Key: [secret hidden]' http://h/x";
    assert_eq!(put_back(shown, both).as_deref(), Some("curl -L -u ada:pw1 -H 'X-Api-Key: k1' http://h/x"));
    assert_eq!(put_back(shown, two), None, "which of the two it is cannot be told");
    assert_eq!(put_back("ls", two), None);
    assert_eq!(put_back("ls", "ls -l").as_deref(), Some("ls -l"));
}

#[test]
fn what_any_key_begins_with_need_not_be_held_where_something_else_comes_next() {
    let redactor = knowing(&["glass-of-water-1"]);
    let mut stream = redactor.stream();
    let mut out = stream.push(b"waiting");
    assert_eq!(out, b"waitin");
    out.extend(stream.let_go());
    assert_eq!(out, b"waiting");
    assert_eq!(stream.let_go(), b"");
    out.extend(stream.push(b"hp_0123456789abcdefABCDEF0123456789abcdefgh, gla"));
    assert_eq!(String::from_utf8_lossy(&out), "waiting[secret hidden], ");
    assert_eq!(stream.let_go(), b"gla", "three letters of it tell nothing");
    out.extend(stream.push(b"ss"));
    assert_eq!(stream.let_go(), b"");
    out.extend(stream.push(b"-of-water-1."));
    out.extend(stream.finish());
    assert_eq!(String::from_utf8_lossy(&out), "waiting[secret hidden], [secret hidden].");
}

#[test]
fn a_long_value_and_its_lines_are_hidden_whole() {
    let value: String = (0..60).map(|line| format!("line {line} of a long secret value\n")).collect();
    let redactor = knowing(&[&value]);
    assert_eq!(redactor.text(&format!("<{}>", value.trim())), "<[secret hidden]>");
    assert_eq!(redactor.text("  line 7 of a long secret value,"), "  [secret hidden],");
    assert_eq!(redactor.text(&format!("<{}>", hex(value.trim().as_bytes()))), "<[secret hidden]>");
}

#[test]
fn a_secret_without_end_is_hidden_without_being_held() {
    let redactor = Redactor::default();
    let mut stream = redactor.stream();
    let mut out = stream.push(b"ghp_");
    for _ in 0..1000 {
        out.extend(stream.push(&[b'a'; 1000]));
        assert!(stream.held.len() < 64, "{}", stream.held.len());
    }
    out.extend(stream.push(b" end"));
    out.extend(stream.finish());
    assert_eq!(String::from_utf8(out).unwrap(), "[secret hidden] end");
}

#[test]
fn a_block_without_end_hides_only_so_much() {
    let text = format!("-----BEGIN RSA PRIVATE KEY-----{}", "x".repeat(40_000));
    let shown = Redactor::default().text(&text);
    assert_eq!(shown.len(), HIDDEN.len() + 40_000 - 32 * 1024 - 1);
}

#[test]
fn what_is_learned_while_a_stream_runs_is_hidden_from_then_on() {
    let redactor = Redactor::default();
    let mut stream = redactor.stream();
    let mut out = stream.push(b"hunter2hunter ");
    redactor.know("hunter2hunter\n");
    out.extend(stream.push(b"hunter2hunter "));
    out.extend(stream.finish());
    assert_eq!(String::from_utf8(out).unwrap(), "hunter2hunter [secret hidden] ");
}

#[test]
fn variables_with_secret_names_are_known() {
    let redactor = Redactor::default();
    let pairs = [("GH_TOKEN", "t0ken-value"), ("HOME", "/home/somebody"), ("DB_PASSWORD", "password")];
    redactor.know_environment(pairs.iter().map(|(name, value)| (OsStr::new(*name), OsStr::new(*value))));
    redactor.know_assignments(
        "export A=plainvalue API_TOKEN='from a command' MY_SECRET=unquoted1; echo \"$API_TOKEN\"",
    );
    assert_eq!(
        redactor.text("t0ken-value /home/somebody password plainvalue from a command unquoted1"),
        "[secret hidden] /home/somebody password plainvalue [secret hidden] [secret hidden]"
    );
    assert!(!format!("{redactor:?}").contains("t0ken"));
}

/// Values that overlap themselves and each other.
const VALUES: [&str; 4] = ["abc1abc1abc1abc1", "bc1abc1abc1abc1d", "ghp_aabb.1122.3344", SECRET];
/// One that counts only as a word of its own.
const WORD: &str = "abcabcab";

fn text() -> impl Strategy<Value = Vec<u8>> {
    let parts = prop_oneof![
        4 => prop::sample::select(VALUES.to_vec()).prop_map(|value| value.as_bytes().to_vec()),
        2 => prop::sample::select(VALUES.to_vec()).prop_map(|value| STANDARD.encode(value).into_bytes()),
        2 => prop::sample::select(VALUES.to_vec()).prop_map(|value| hex(value.as_bytes()).into_bytes()),
        2 => (prop::sample::select(VALUES.to_vec()), 0usize..9).prop_map(|(value, cut)| value.as_bytes()[..cut.min(value.len())].to_vec()),
        3 => Just(WORD.as_bytes().to_vec()),
        4 => (0..ANCHOR_COUNT).prop_map(|at| shapes::ANCHORS[at].0.as_bytes().to_vec()),
        2 => prop::sample::select(vec![": ", "Bearer ", "user:pw@", ".eyJ", "-----END KEY-----", "\n", "\"", "@", ":"]).prop_map(|text| text.as_bytes().to_vec()),
        2 => (1usize..80).prop_map(|length| vec![b'A'; length]),
        2 => (1usize..80).prop_map(|length| vec![b'7'; length]),
        3 => prop::collection::vec(any::<u8>(), 0..12),
        3 => "[abcghp_ ]{0,12}".prop_map(String::into_bytes),
    ];
    prop::collection::vec(parts, 0..14).prop_map(|parts| parts.concat())
}

const ANCHOR_COUNT: usize = shapes::ANCHORS.len();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_split_gives_the_same_and_no_secret_comes_out(
        text in text(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let redactor = knowing(&VALUES);
        redactor.know(WORD);
        let whole = in_pieces(&redactor, &text, &[]);
        let cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        prop_assert_eq!(&in_pieces(&redactor, &text, &cuts), &whole);
        prop_assert_eq!(&each_byte(&redactor, &text), &whole);
        // Between two marks: what was cut out may leave an end and a beginning side by side.
        for part in String::from_utf8_lossy(&whole).split(HIDDEN) {
            for value in VALUES {
                prop_assert!(!part.contains(value), "{part}");
                prop_assert!(!part.contains(&hex(value.as_bytes())), "{part}");
            }
        }
    }
}
