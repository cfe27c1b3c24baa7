//! The bundled examples against the field guide: each page fails for real reasons in an empty folder, and the guide alone
//! mends it to the end. Whatever deletes stays recognisable, so that the engine can ask first.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use planwright_engine::guide::{Failure, ThisMachine, diagnose};
use planwright_engine::protocol::{AgentCorrection, CorrectionAction};

/// Commands of a page in order, with the output that the page shows.
fn commands(page: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(open) = rest.find("\n```sh\n") {
        let block = &rest[open + 7..];
        let Some(close) = block.find("\n```") else { break };
        let text = &block[..close];
        match text.strip_prefix("$ ") {
            Some(shown) => {
                let (command, output) = shown.split_once('\n').unwrap_or((shown, ""));
                found.push((command.to_owned(), Some(output.to_owned())));
            }
            None => found.push((text.to_owned(), None)),
        }
        rest = &block[close + 4..];
    }
    found
}

struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("site")).unwrap();
        Self { folder }
    }

    fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// Runs one command in bash; exported variables carry over as in a terminal. No settings of the user's git count.
    fn run(&self, command: &str) -> (Failure, String) {
        let state = self.folder.path().join("state.sh");
        let script =
            format!("[ -f '{0}' ] && . '{0}'; trap 'export -p > {0}' EXIT\n{command}\n", state.display());
        let ran = Command::new("bash")
            .args(["--noprofile", "--norc", "+O", "extglob", "-c", &script])
            .current_dir(self.site())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
        let failure = Failure {
            command: command.to_owned(),
            exit_code: ran.status.code(),
            stdout: stdout.clone(),
            stderr: String::from_utf8_lossy(&ran.stderr).into_owned(),
            cwd: Some(self.site()),
        };
        (failure, stdout)
    }
}

/// Runs a page to its end, mending each failed step at most three times. Gives the ids of the rules that helped.
fn mend(name: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    let page = fs::read_to_string(page).unwrap();
    let scratch = Scratch::new();
    let machine = ThisMachine::new(std::env::var("PATH").unwrap());
    let mut used = Vec::new();
    let steps = commands(&page);
    assert!(steps.len() >= 8, "{name}: {} steps", steps.len());
    for (original, shown) in steps {
        let mut command = original.clone();
        for attempt in 0.. {
            let (failure, stdout) = scratch.run(&command);
            if failure.exit_code == Some(0) {
                if let Some(shown) = &shown {
                    assert_eq!(stdout.trim_end(), shown.trim_end(), "{name}: {command}");
                }
                break;
            }
            assert!(attempt < 3, "{name}: {command} is never mended: {}", failure.stderr);
            let correction =
                diagnose(&failure, &planwright_shell::read(&command, planwright_shell::MAX_TEXT), &machine)
                    .unwrap_or_else(|| panic!("{name}: nothing known of `{command}`: {}", failure.stderr));
            used.push(correction.source.clone());
            command = apply(&scratch, &correction).unwrap_or(command);
        }
    }
    used
}

fn apply(scratch: &Scratch, correction: &AgentCorrection) -> Option<String> {
    match correction.action {
        CorrectionAction::Modify => correction.modified_command.clone(),
        CorrectionAction::InsertSteps => {
            for step in correction.new_steps.iter().flatten() {
                let (failure, _) = scratch.run(&step.command);
                assert_eq!(failure.exit_code, Some(0), "{}: {}", step.command, failure.stderr);
                if let Some(verify) = &step.verify {
                    assert_eq!(scratch.run(verify).0.exit_code, Some(0), "{verify}");
                }
            }
            None
        }
        CorrectionAction::Retry => None,
        CorrectionAction::Skip | CorrectionAction::Abort => panic!("{} gave up", correction.source),
    }
}

#[test]
fn photo_notes_is_mended() {
    assert_eq!(mend("photo-notes.md"), ["guide:redirect-missing-directory", "guide:python-source-path"]);
}

#[test]
fn first_repository_is_mended() {
    let rules = mend("first-repository.md");
    assert_eq!(rules, ["guide:git-not-a-repository", "guide:git-branch-exists", "guide:git-no-upstream"]);
}

#[test]
fn recipe_site_is_mended() {
    let rules = mend("recipe-site.md");
    assert_eq!(
        rules,
        [
            "guide:command-near-name",
            "guide:not-executable",
            "guide:programs-own-advice",
            "guide:missing-directory"
        ]
    );
}

#[test]
fn spring_cleaning_needs_two_deletions() {
    assert_eq!(mend("spring-cleaning.md"), ["guide:command-near-name", "guide:programs-own-advice"]);
}
