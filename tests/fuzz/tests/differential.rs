//! What bash runs, the reader has seen or doubts. Bash gets the text itself, but nothing in it can be reached: the `PATH`
//! is empty, every program is a name that is not there, and a handler writes down which were asked for.

#![allow(clippy::expect_used, reason = "a test that cannot set its stage has failed")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use fastrand::Rng;
use planwright_fuzz::grammar::{self, Vocabulary};
use planwright_fuzz::mutate;
use planwright_shell::{DoubtKind, Facts, MAX_TEXT, Value, read};

const NAMES: Vocabulary = Vocabulary {
    programs: &["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"],
    arguments: &[
        "c8", "c9", "$x", "\"$x\"", "${x:-c8}", "'c9'", "{c8,c9}", "$((1+2))", "*", "-c", "[", "]", "!", "}",
    ],
    variables: &["x", "y", "x[0]"],
    functions: &["f", "g"],
    files: &["c8", "c9", "&1", "&-", "$x"],
};
/// Signs with which no path, no name of a program that is there, and no variable of bash's own can be made.
const UNSAFE: [&str; 7] = ["/", "_", "~", ".", "@", "^", "eval"];

#[test]
fn bash_runs_nothing_that_the_reader_has_not_seen() {
    let runs = std::env::var("PLANWRIGHT_FUZZ_BASH").ok().and_then(|runs| runs.parse().ok()).unwrap_or(150);
    let seed = std::env::var("PLANWRIGHT_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(3);
    let mut rng = Rng::with_seed(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let (mut whole, mut ran, mut caught, mut missed) = (0, 0, 0, Vec::new());
    for run in 0..runs {
        let text = text(&mut rng);
        let facts = read(&text, MAX_TEXT);
        let second_only = !facts.doubts.is_empty()
            && facts.doubts.iter().all(|doubt| doubt.kind == DoubtKind::Disagreement);
        if !facts.doubts.is_empty() && !second_only {
            continue;
        }
        whole += 1;
        let started = started(&text, folder.path(), run);
        ran += started.len();
        let unseen: Vec<&String> = started.iter().filter(|name| !has(&facts, name)).collect();
        match (unseen.is_empty(), second_only) {
            (false, false) => missed.push(format!("{unseen:?} in {text:?}")),
            (false, true) => {
                caught += 1;
                println!("only the second reader: {unseen:?} in {text:?}");
            }
            (true, true) => println!("a needless doubt: {text:?} {}", facts.doubts[0].text),
            (true, false) => {}
        }
    }
    println!(
        "{runs} texts, {whole} read whole, {ran} programs started, {caught} told by the second reader alone"
    );
    assert!(whole * 5 > runs, "only {whole} of {runs} were read whole");
    assert_eq!(missed, Vec::<String>::new());
}

fn text(rng: &mut Rng) -> String {
    loop {
        let depth = rng.u32(1..4);
        let mut text = grammar::script(rng, &NAMES, depth);
        let other = grammar::script(rng, &NAMES, 1);
        for _ in 0..rng.usize(..4) {
            text = mutate::mild(rng, &text, &other);
        }
        if text.len() < 400 && !text.contains('\0') && !UNSAFE.iter().any(|sign| text.contains(sign)) {
            return text;
        }
    }
}

/// Names of the programs that bash tried to start.
fn started(text: &str, folder: &Path, run: usize) -> BTreeSet<String> {
    // A log of its own: what a text left in the background may still write when the next one runs.
    let log = folder.join(format!("log{run}"));
    let work = folder.join("work");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work).expect("a folder to work in");
    std::fs::write(&log, "").expect("a log");
    let status = Command::new("/bin/bash")
        .args(["--noprofile", "--norc", "+O", "extglob", "-c", &format!("ulimit -t 1 -f 64\n{text}")])
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("FUNCNEST", "4")
        .env("LOG", &log)
        .env("BASH_FUNC_command_not_found_handle%%", HANDLER)
        .current_dir(&work)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok(), "bash could not be started");
    std::fs::read_to_string(&log).expect("the log").lines().map(str::to_owned).collect()
}

/// Even names succeed, odd ones fail, so that both branches of a condition run.
const HANDLER: &str = r#"() { echo "$1" >> "$LOG"; case $1 in *[02468]) return 0;; *) return 1;; esac; }"#;

/// Whether a command of that name was found, or one whose name is only known when it runs.
fn has(facts: &Facts, name: &str) -> bool {
    let found = |facts: &Facts| {
        facts.commands.iter().filter_map(|command| command.words.first()).any(|word| match &word.value {
            Value::Known { text, .. } => text == name,
            Value::Several { texts } => texts.iter().any(|text| text == name),
            Value::Glob { .. } | Value::Unknown { .. } => true,
        })
    };
    found(facts) || facts.inner.iter().any(|inner| found(&inner.facts))
}
