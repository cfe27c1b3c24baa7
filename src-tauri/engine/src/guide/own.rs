//! Users' own rules: every `*.toml` of one folder, in the form of the tables in `rules/`, read again when a file has changed.
//! They are tried exactly as built-in ones are: a rule proposes, and the gate judges what it proposes. A file with a
//! mistake is left out whole, and its mistake named with its line.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::rule::{self, Rule};

/// Longest file that is read, in bytes.
const MAX_FILE: u64 = 256 * 1024;
/// Most files that are read.
const MAX_FILES: usize = 100;

/// What is wrong with a file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProblem {
    pub file: PathBuf,
    /// From 1; `None` when it is about the whole file.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

/// The rules of one folder. Without a folder there are none.
#[derive(Debug, Default)]
pub struct OwnRules {
    folder: Option<PathBuf>,
    read: Mutex<Arc<Rules>>,
}

/// Rules as they were read, and of which files.
#[derive(Debug, Default)]
pub(super) struct Rules {
    files: Vec<Seen>,
    pub(super) rules: Vec<Rule>,
    problems: Vec<RuleProblem>,
}

/// A file as it was when it was read.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    path: PathBuf,
    changed: Option<SystemTime>,
    length: u64,
}

impl OwnRules {
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), read: Mutex::default() }
    }

    /// What is wrong with the files as they are now.
    pub fn problems(&self) -> Vec<RuleProblem> {
        self.current().problems.clone()
    }

    pub(super) fn current(&self) -> Arc<Rules> {
        let files = self.folder.as_deref().map(files_in).unwrap_or_default();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.files != files {
            *read = Arc::new(Rules::of(files));
            for problem in &read.problems {
                tracing::warn!(%problem, "a file of own rules is left out");
            }
        }
        Arc::clone(&read)
    }
}

fn files_in(folder: &Path) -> Vec<Seen> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<Seen> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|path| {
            let about = path.metadata().ok().filter(|about| about.is_file())?;
            Some(Seen { changed: about.modified().ok(), length: about.len(), path })
        })
        .collect();
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files.truncate(MAX_FILES);
    files
}

impl Rules {
    fn of(files: Vec<Seen>) -> Self {
        let mut known: BTreeSet<String> = rule::all().iter().map(|rule| rule.id.clone()).collect();
        let (mut rules, mut problems) = (Vec::new(), Vec::new());
        for file in &files {
            match read(file, &known) {
                Ok(found) => {
                    known.extend(found.iter().map(|rule| rule.id.clone()));
                    rules.extend(found);
                }
                Err((line, message)) => {
                    problems.push(RuleProblem { file: file.path.clone(), line, message });
                }
            }
        }
        Self { files, rules, problems }
    }
}

fn read(file: &Seen, known: &BTreeSet<String>) -> Result<Vec<Rule>, (Option<usize>, String)> {
    if file.length > MAX_FILE {
        return Err((None, format!("The file is longer than {} KiB.", MAX_FILE / 1024)));
    }
    let mut text = String::new();
    File::open(&file.path)
        .and_then(|open| open.take(MAX_FILE).read_to_string(&mut text))
        .map_err(|error| (None, format!("The file cannot be read: {error}.")))?;
    let rules = rule::parse(&text).map_err(|error| {
        let line = error.span().map(|span| line_at(&text, span.start));
        (line, error.message().to_owned())
    })?;
    let mut known = known.clone();
    for rule in &rules {
        let taken = || format!("there is a rule `{}` already; give this one another id", rule.id);
        let fault = match known.insert(rule.id.clone()) {
            true => rule.fault(),
            false => Some(taken()),
        };
        if let Some(fault) = fault {
            return Err((line_of(&text, &rule.id), format!("rule `{}`: {fault}", rule.id)));
        }
    }
    Ok(rules)
}

fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

/// The last line that gives a rule this id.
fn line_of(text: &str, id: &str) -> Option<usize> {
    let names = |line: &str| {
        let value = line.trim_start().strip_prefix("id").and_then(|rest| rest.trim_start().strip_prefix('='));
        value.is_some_and(|value| value.trim().trim_matches(['"', '\'']) == id)
    };
    text.lines().collect::<Vec<_>>().iter().rposition(|line| names(line)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Local, SketchedMachine, diagnose_with};
    use super::*;

    const OURS: &str = r#"
[[rule]]
id = "our-login"
title = "The session of the tool has ended"
programs = ["shipit"]
message = '''(?m)^shipit: session expired for (?P<place>\S+)$'''
reason = "The session at {place} has ended. Renewing it lets the command go on."
confidence = 0.9
[rule.repair]
action = "insert_steps"
steps = [{ title = "Renew the session", command = "shipit renew {place}", why = "The next step needs it." }]
"#;

    fn in_folder(folder: &Path) -> Local {
        Local { rules: OwnRules::in_folder(folder), ..Local::default() }
    }

    fn answer(local: &Local, command: &str, said: &str) -> Option<String> {
        let failure = Failure {
            command: command.to_owned(),
            exit_code: Some(1),
            stdout: String::new(),
            stderr: said.to_owned(),
            cwd: None,
        };
        let facts = planwright_shell::read(command, planwright_shell::MAX_TEXT);
        let correction = diagnose_with(&failure, &facts, &SketchedMachine::default(), local)?;
        let step = correction.new_steps.iter().flatten().next().map(|step| step.command.clone());
        correction.modified_command.or(step).map(|command| format!("{} {command}", correction.source))
    }

    #[test]
    fn own_rules_are_tried_and_read_again_when_they_change() {
        let folder = tempfile::tempdir().unwrap();
        let local = in_folder(folder.path());
        let said = "shipit: session expired for a;b\n";
        assert_eq!(answer(&local, "shipit up", said), None);
        std::fs::write(folder.path().join("ours.toml"), OURS).unwrap();
        let renewed = "guide:our-login shipit renew 'a;b'";
        assert_eq!(answer(&local, "shipit up", said).as_deref(), Some(renewed), "what is found is quoted");
        assert_eq!(answer(&local, "other up", said), None, "only of its program");
        std::fs::write(folder.path().join("ours.toml"), OURS.replace("renew {place}", "login")).unwrap();
        assert_eq!(answer(&local, "shipit up", said).as_deref(), Some("guide:our-login shipit login"));
        std::fs::remove_file(folder.path().join("ours.toml")).unwrap();
        assert_eq!(answer(&local, "shipit up", said), None);
    }

    #[test]
    fn an_own_rule_comes_before_a_built_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let said =
            "git: 'brnch' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tbranch\n";
        let local = in_folder(folder.path());
        assert_eq!(
            answer(&local, "git brnch", said).as_deref(),
            Some("guide:git-similar-command git branch")
        );
        let mine = "[[rule]]\nid = 'mine'\ntitle = 't'\nmessage = \"'brnch' is not\"\nreason = 'r.'\nconfidence = 0.9\n\
                    repair = { action = 'modify', word = 'brnch', with = 'status' }\n";
        std::fs::write(folder.path().join("a.toml"), mine).unwrap();
        assert_eq!(answer(&local, "git brnch", said).as_deref(), Some("guide:mine git status"));
    }

    #[test]
    fn of_rules_of_one_rank_the_one_that_helped_here_is_taken_and_one_that_only_failed_comes_last() {
        let folder = tempfile::tempdir().unwrap();
        let other = OURS.replace("our-login", "our-reset").replace("shipit renew {place}", "shipit reset");
        std::fs::write(folder.path().join("ours.toml"), format!("{OURS}{other}")).unwrap();
        let local = in_folder(folder.path());
        let said = "shipit: session expired for a\n";
        let (login, reset) = ("guide:our-login shipit renew a", "guide:our-reset shipit reset");
        assert_eq!(answer(&local, "shipit up", said), None, "they contradict each other");
        local.experience.tried("our-reset", true).unwrap();
        assert_eq!(answer(&local, "shipit up", said).as_deref(), Some(reset));
        local.experience.forget(None).unwrap();
        for _ in 0..3 {
            local.experience.tried("our-reset", false).unwrap();
        }
        assert_eq!(answer(&local, "shipit up", said).as_deref(), Some(login));
    }

    #[test]
    fn mistakes_are_named_with_their_file_and_line_and_leave_other_files_alone() {
        let cases = [
            (OURS.replacen("title =", "titel =", 1), Some(4), "unknown field `titel`"),
            (OURS.replace("confidence = 0.9", "confidence = "), Some(8), ""),
            (OURS.replace("(?m)^", "(?m"), Some(3), "pattern"),
            (OURS.replace("confidence = 0.9", "confidence = 9"), Some(3), "from 0 to 1"),
            (OURS.replace("our-login", "missing-directory"), Some(3), "another id"),
            (OURS.replace("our-login", "Our Login"), Some(3), "small letters"),
            (OURS.replace("reason =", "find = [\"no_such\"]\nreason ="), Some(3), "no_such"),
            (format!("{OURS}{OURS}"), Some(14), "another id"),
            (OURS.replace("steps = [", "steps = [] # ["), Some(3), "step"),
        ];
        for (text, line, word) in cases {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("bad.toml"), &text).unwrap();
            std::fs::write(folder.path().join("good.toml"), OURS.replace("our-login", "other")).unwrap();
            let rules = OwnRules::in_folder(folder.path());
            let problems = rules.problems();
            let [problem] = problems.as_slice() else { panic!("{problems:?} of {text}") };
            assert_eq!(problem.line, line, "{problem}");
            assert!(problem.message.contains(word) && problem.to_string().contains("bad.toml:"), "{problem}");
            assert_eq!(rules.current().rules.len(), 1);
        }
    }
}
