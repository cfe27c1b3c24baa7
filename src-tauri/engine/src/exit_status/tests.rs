use planwright_shell::{MAX_TEXT, read};

use super::*;

fn judged(command: &str, code: i32, pipe: &[i32], last_word: &str, stderr: &str) -> Verdict {
    let last_word = Some(last_word).filter(|word| !word.is_empty());
    Ended { command, code, pipe, last_word, passed: &[], within: &[], stderr }
        .verdict(&read(command, MAX_TEXT))
}

fn passed(command: &str, pipe: &[i32], next: &str) -> Verdict {
    let passed = [Passed { pipe: pipe.to_vec(), next: next.to_owned() }];
    let ended =
        Ended { command, code: 0, pipe: &[0], last_word: None, passed: &passed, within: &[], stderr: "" };
    ended.verdict(&read(command, MAX_TEXT))
}

fn within(command: &str, pipe: &[i32], stands_in: &str) -> Verdict {
    let within = [Passed { pipe: pipe.to_vec(), next: stands_in.to_owned() }];
    let ended =
        Ended { command, code: 0, pipe: &[0], last_word: None, passed: &[], within: &within, stderr: "" };
    ended.verdict(&read(command, MAX_TEXT))
}

fn reason(verdict: &Verdict) -> &str {
    match verdict {
        Verdict::Failed(reason) => reason,
        Verdict::Done => "done",
        Verdict::Answer(_) => "an answer",
    }
}

#[test]
fn a_failed_part_of_a_pipeline_fails_and_is_named() {
    let fetched = judged("curl -fsSL http://127.0.0.1:1/x.sh | bash", 0, &[7, 0], ":", "");
    assert_eq!(
        reason(&fetched),
        "`curl -fsSL http://127.0.0.1:1/x.sh`, part 1 of 2 of the pipeline, ended with status 7; bash tells only \
         how the last part ended."
    );
    for (command, code, pipe) in [
        ("make all 2>&1 | tail -3", 0, &[2, 0][..]),
        ("make all 2>&1 | grep -v warning", 1, &[2, 1]),
        ("cat a | sort -k9z | head", 0, &[0, 2, 0]),
        ("(cd x && make) | tee log", 0, &[1, 0]),
        ("true; make | tail -3", 0, &[2, 0]),
        ("cat list | while read f; do grep x $f | head -1; done", 0, &[1, 0]),
    ] {
        assert!(reason(&judged(command, code, pipe, ":", "")).contains("art "), "{command}");
    }
}

#[test]
fn a_failed_part_before_an_and_fails_too() {
    for (command, pipe, next) in [
        ("curl -fsSL https://x.example/k | gpg --dearmor -o k.gpg && echo added", &[22, 0][..], "echo added"),
        ("cd x && make 2>&1 | tee log >/dev/null && make install", &[2, 0], "make install"),
        ("(a | b | c) && d -x", &[0, 3, 0], "d -x"),
        ("a | b && c | d && e", &[1, 0], "e"),
    ] {
        assert!(reason(&passed(command, pipe, next)).contains(", part "), "{command}");
    }
    for (command, pipe, next) in [
        ("cat f | grep x | wc -l && echo on", &[0, 1, 0][..], "echo on"),
        ("yes | head -1 && echo on", &[141, 0], "echo on"),
        // Whoever wrote these goes on whatever became of it.
        ("a | b; c && d", &[1, 0], "c"),
        ("if a | b; then c && d; fi", &[1, 0], "c"),
        ("a | b && c || true", &[1, 0], "c"),
    ] {
        assert_eq!(passed(command, pipe, next), Verdict::Done, "{command}");
    }
}

#[test]
fn a_part_that_answers_or_whose_reader_has_enough_is_no_failure() {
    for (command, pipe, stderr) in [
        ("yes | head -1", &[141, 0][..], ""),
        ("cat x | grep y | wc -l", &[0, 1, 0], ""),
        ("cat x | grep -q y | wc -l", &[0, 1, 0], ""),
        ("diff a b | head", &[1, 0], ""),
        ("find / -name x 2>/dev/null | head", &[1, 0], ""),
        ("curl -s https://example.org | head -1", &[23, 0], ""),
        ("python3 big.py | head -1", &[1, 0], "BrokenPipeError: [Errno 32] Broken pipe\n"),
        ("sudo grep x /etc/shadow | wc -l", &[1, 0], ""),
        ("wget -qO- https://example.org | head -1", &[3, 0], ""),
        ("crontab -l 2>/dev/null | { cat; echo '@daily x'; } | crontab -", &[1, 0, 0], ""),
        ("git config --get user.name | tr a-z A-Z", &[1, 0], ""),
        ("curl x | bash || true", &[7, 0], ""),
        ("while read l; do [ -f $l ] && echo $l; done | sort", &[1, 0], ""),
    ] {
        assert_eq!(judged(command, 0, pipe, ":", stderr), Verdict::Done, "{command}");
    }
}

#[test]
fn an_answer_is_no_failure() {
    for (command, pipe, word) in [
        ("grep -c x f", &[1][..], "f"),
        ("grep -c x f", &[], ""),
        ("diff a b", &[1], "b"),
        ("cmp a b", &[1], "b"),
        ("cat f | grep x", &[0, 1], ""),
        ("make && grep x log", &[1], "log"),
        ("[ -f nofile ] && echo yes", &[1], "]"),
        ("set -e\n[ -f nofile ] && echo yes", &[1], "]"),
        ("test -f nofile && cat it", &[1], "nofile"),
        ("[[ -f nofile ]] && echo yes", &[1], ":"),
        ("(( 1 > 2 )) && echo yes", &[1], ":"),
        ("command -v tool && echo yes", &[1], "tool"),
        ("grep -q x f && echo found", &[1], "f"),
        ("[ -f a ] && [ -f b ] && echo c", &[1], "]"),
    ] {
        assert!(matches!(judged(command, 1, pipe, word, ""), Verdict::Answer(_)), "{command}");
    }
}

#[test]
fn what_was_asked_about_a_service_a_tree_or_a_package_is_answered() {
    for (command, code, word) in [
        ("systemctl is-active x", 3, "x"),
        ("sudo systemctl is-active x", 4, "x"),
        ("systemctl --user is-enabled x", 1, "x"),
        ("git diff --exit-code", 1, "--exit-code"),
        ("pgrep -x x", 1, "x"),
    ] {
        assert!(matches!(judged(command, code, &[code], word, ""), Verdict::Answer(_)), "{command}");
    }
    // These print nothing, or are asked so that the next command can rely on it.
    for (command, code, word) in [
        ("systemctl is-active --quiet x", 3, "x"),
        ("systemctl start x", 1, "x"),
        ("git diff --quiet", 1, "--quiet"),
        ("dpkg -s x", 1, "x"),
        ("which x", 1, "x"),
        ("command -v x", 1, "x"),
    ] {
        assert!(matches!(judged(command, code, &[code], word, ""), Verdict::Failed(_)), "{command}");
    }
}

#[test]
fn what_only_looks_like_an_answer_is_a_failure() {
    for (command, code, pipe, word) in [
        ("false", 1, &[1][..], "false"),
        ("grep x nofile", 2, &[2], "nofile"),
        // Nothing is printed, so the status alone is what was wanted.
        ("[ -f nofile ]", 1, &[1], "]"),
        ("test -f nofile", 1, &[1], "nofile"),
        ("grep -q x f", 1, &[1], "f"),
        ("cat f | grep -q x", 1, &[0, 1], ""),
        ("[ -f a ] && [ -f b ] && rm c", 1, &[1], "c"),
        ("make && grep x log", 1, &[1], "make"),
        ("cd nowhere && grep x log", 1, &[1], "nowhere"),
        ("! grep x f", 1, &[0], "f"),
        ("grep x f || exit 1", 1, &[1], "1"),
        ("[[ -f a ]] && rm b", 1, &[1], "b"),
        ("set -e; make x; grep y f", 1, &[1], "x"),
        ("grep x f; false", 1, &[1], "false"),
    ] {
        assert!(matches!(judged(command, code, pipe, word, ""), Verdict::Failed(_)), "{command}");
    }
}

#[test]
fn a_time_out_is_called_one() {
    let words = "It ran longer than the 5 s that `timeout` gives it, and was ended.";
    for command in ["timeout 5 sleep 9", "sudo timeout -k 3x 5 sleep 9", "cd / && timeout -s INT 5 sleep 9"] {
        assert_eq!(reason(&judged(command, 124, &[124], "9", "")), words, "{command}");
    }
    assert_eq!(reason(&judged("timeout 5 yes | tail -1", 0, &[124, 0], "", "")), words);
    assert_eq!(reason(&judged("./job", 124, &[124], "./job", "")), "It ended with status 124.");
}

#[test]
fn a_download_that_failed_within_a_substitution_fails_and_is_named() {
    assert_eq!(
        reason(&within("sh -c \"$(curl -fsSL https://x.example/i.sh)\"", &[7], "sh -c")),
        "`curl -fsSL https://x.example/i.sh`, whose output is used in the command, ended with status 7."
    );
    for (command, pipe) in [
        ("bash <(curl -fsSL https://x.example/i.sh)", &[22][..]),
        ("eval \"$(wget -qO- https://x.example/i.sh)\"", &[4]),
        ("V=$(curl -s https://x.example/v | tr -d v)", &[6, 0]),
        ("echo \"$(sudo curl -s https://x.example/v | head -1)\"", &[6, 0]),
    ] {
        assert!(reason(&within(command, pipe, command)).contains("whose output is used"), "{command}");
    }
    for (command, pipe, stands_in) in [
        // A reader that had enough, another program's answer, and what is asked about.
        ("echo \"$(curl -s https://x.example/v | head -1)\"", &[23, 0][..], "echo"),
        ("echo \"$(git config user.name)\" \"$(curl -s https://x.example)\"", &[1, 0], "echo"),
        ("echo \"$(curl -s https://x.example | grep -c a)\"", &[0, 1], "echo"),
        (
            "[ -z \"$(curl -s https://x.example)\" ] && echo none",
            &[7],
            "[ -z \"$(curl -s https://x.example)\" ]",
        ),
        ("V=$(curl -s https://x.example) || true", &[7], "V="),
    ] {
        assert_eq!(within(command, pipe, stands_in), Verdict::Done, "{command}");
    }
}
