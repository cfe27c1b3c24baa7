//! Whose words a message is made of. What a program says of how it was called is advice; what the user's own code
//! prints, and what a test or a linter reports about it, is what the user is working on: data, however it is worded.

use std::sync::LazyLock;

use regex::Regex;

use super::super::case::{Case, text};
use super::pattern;
use crate::knowledge;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// The program that was called.
    Program,
    /// Code of the user's that the program runs: of its words only a slip in what was typed can be mended.
    Application,
    /// What tests, linters and compilers found in somebody's code: nothing of it is about the command.
    Report,
}

/// Programs that run the code they are given.
const INTERPRETERS: [&str; 19] = [
    "python", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "tclsh", "Rscript", "julia",
    "java", "bash", "sh", "dash", "zsh", "fish", "ksh",
];

/// Findings with the place of each in a file, and the marks of tests that failed.
static REPORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?m)(?:^\s*\S*\.[A-Za-z][\w+]{0,5}:\d+:\d+\b|^\s*\S+:\d+: (?:fatal )?(?:error|warning|note)\b|^\S+\(\d+,\d+\): |^\s*--> \S+:\d+:\d+$",
        r"|^\s*(?:FAIL|FAILED|FAILURES)\b|^\W*--- FAIL|^\s*not ok \d|\btest result: FAILED|\bFailures: [1-9]|^[#ℹ] fail [1-9]|\b[1-9]\d* (?:tests? |examples?, \d+ )?(?:failed|failing|failures?)\b)",
    ))
});

/// The marks of a program that broke off in its own code, and of a runner whose job failed: what is said before it, the job
/// has said.
static BROKE_OFF: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?m)(?:^Traceback \(most recent call last\)|^\s+at \S.*:\d+\)?$|^Exception in thread |^panic: |^thread '.*' panicked|^\S+\.rb:\d+:in |^PHP Fatal error",
        r"|^make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+|^> \S+@\S+ \S+$|^\s*Running `|^exit status \d+$|^error: Recipe `|^rake aborted!|^error Command failed with exit code|^Execution failed for task)",
    ))
});

pub(super) fn of(case: &Case<'_>) -> Voice {
    let holds = |pattern: &Option<Regex>| pattern.as_ref().is_some_and(|it| it.is_match(&case.everything));
    if holds(&REPORT) {
        Voice::Report
    } else if holds(&BROKE_OFF) || runs_users_code(case) {
        Voice::Application
    } else {
        Voice::Program
    }
}

fn runs_users_code(case: &Case<'_>) -> bool {
    case.runs().any(|run| {
        let words = std::iter::once(run.head()).chain(run.args());
        is_users_code(case, &words.map(|word| text(word).unwrap_or_default()).collect::<Vec<_>>())
    })
}

/// A script run by its path, or given to an interpreter, or what a program's `run` starts; also behind a program that
/// only runs another. What stands in a folder for programs is one.
fn is_users_code(case: &Case<'_>, words: &[&str]) -> bool {
    let Some((head, args)) = words.split_first() else { return false };
    if let Some((folder, _)) = head.rsplit_once('/') {
        let folder = folder.rsplit('/').next().unwrap_or(folder);
        return !matches!(folder, "bin" | "sbin" | ".bin");
    }
    let name = head.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if INTERPRETERS.contains(&name) {
        // A module is the user's own when it lies here.
        if let Some(module) = args.iter().position(|arg| *arg == "-m").and_then(|at| args.get(at + 1)) {
            let place = module.replace('.', "/");
            return case.exists(&format!("{place}.py")) || case.is_dir(&place);
        }
        return args.iter().any(|arg| !arg.starts_with('-') || matches!(*arg, "-c" | "-e" | "--eval" | "-r"));
    }
    if args.iter().find(|arg| !arg.starts_with('-')) == Some(&"run") {
        return true;
    }
    let inner = match knowledge::program(head).is_some_and(|entry| entry.wraps.is_some()) {
        true => args.iter().position(|arg| {
            arg.contains('/') || INTERPRETERS.contains(arg) || knowledge::program(arg).is_some()
        }),
        false => args.iter().position(|arg| matches!(*arg, "-exec" | "-execdir")).map(|at| at + 1),
    };
    inner.and_then(|at| args.get(at..)).is_some_and(|inner| is_users_code(case, inner))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Failure, SketchedMachine};
    use super::*;

    fn voice(command: &str, said: &str) -> Voice {
        let failure = Failure {
            command: command.to_owned(),
            exit_code: Some(1),
            stdout: String::new(),
            stderr: said.to_owned(),
            cwd: None,
        };
        let facts = planwright_shell::read(command, planwright_shell::MAX_TEXT);
        of(&Case::new(&failure, &facts, &SketchedMachine::default()))
    }

    #[test]
    fn scripts_speak_for_themselves_and_so_do_runners_whose_job_failed() {
        for command in [
            "./deploy.sh",
            "python3 app.py",
            "bash -c 'make'",
            "sudo tools/run",
            "node -e 'x'",
            "env X=1 ./ship",
            "timeout 9 sh ship.sh",
            "xargs -n 1 sh x",
            "find . -exec sh x {} +",
            "go run .",
            "java -jar a.jar",
        ] {
            assert_eq!(voice(command, "run git pull first"), Voice::Application, "{command}");
        }
        for (command, said) in [
            ("make deploy", "run make login first\nmake: *** [Makefile:2: deploy] Error 1"),
            ("npm start", "> w@1.0.0 start\n> node app.js\n\nrun npm run migrate first"),
            ("cargo run", "     Running `target/debug/w`\nrun w init first"),
            ("flask run", "Traceback (most recent call last):\n  File \"a.py\", line 1\nrun x first"),
        ] {
            assert_eq!(voice(command, said), Voice::Application, "{command}");
        }
        for command in [
            "git psuh",
            "timeout 9 git psuh -o a/b",
            "find . -nmae x",
            "docker rnu x",
            "python3 -m pip instal x",
            "/usr/bin/pip x",
            "node_modules/.bin/tsc",
            "node --verison",
            "make tset",
        ] {
            assert_eq!(voice(command, "2026-01-01T10:20:30: did you mean x?"), Voice::Program, "{command}");
        }
    }

    #[test]
    fn reports_are_known_by_their_marks() {
        for said in [
            "FAILED test_a.py::test_x - did you mean x",
            "--- FAIL: TestA (0.00s)",
            "not ok 1 - x",
            "test result: FAILED. 0 passed; 1 failed",
            "  3 passing\n  1 failing",
            "a.c:1:5: error: did you mean printf",
            "a.ts(1,5): error TS2322",
            "b.py:1: note: Hint: \"pip install types-x\"",
            "2 runs, 1 assertions, 1 failures, 0 errors",
        ] {
            assert_eq!(voice("tool check", said), Voice::Report, "{said}");
        }
        for said in
            ["FAILURE: Build failed", "0 failed", "bash: line 1: x: not found", "x: 10.0.0.1:80:80 in use"]
        {
            assert_eq!(voice("tool check", said), Voice::Program, "{said}");
        }
    }
}
