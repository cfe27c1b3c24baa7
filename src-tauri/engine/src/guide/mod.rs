//! The field guide: common failures and their repairs, as data with a reason and tests for each rule. No model.
//! It prefers saying nothing to saying something wrong. It reads the machine, and runs nothing.
//!
//! The rules are the TOML tables in `rules/`; what a table cannot say (near names, a package for a module, a changed
//! word of the command) is computed by the small named functions in `repair/`. Users' own tables stand beside them: `own`.

mod advice;
mod case;
mod catalogues;
mod change;
mod experience;
mod machine;
mod near;
mod own;
mod parts;
mod plain;
mod repair;
mod rule;
mod template;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use planwright_shell::Facts;

use crate::protocol::{AgentCorrection, GuideRule, ModelWarning, Risk};

use experience::Standing;
pub use experience::{Experience, Record};
pub use machine::{SketchedMachine, ThisMachine};
pub use own::{OwnRules, RuleProblem};

/// In the data folder: the user's own rules.
const RULES: &str = "rules";
/// In the data folder: what came of the rules.
const EXPERIENCE: &str = "guide.json";

/// One failed attempt, as the guide sees it.
#[derive(Debug, Clone)]
pub struct Failure {
    pub command: String,
    /// `None` when a signal or a limit ended it.
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// `None` when not known: then no rule looks at the disk.
    pub cwd: Option<PathBuf>,
}

/// What rules may look at; a test gives its own.
pub trait Machine: std::fmt::Debug + Send + Sync {
    fn exists(&self, path: &Path) -> bool;
    fn is_dir(&self, path: &Path) -> bool;
    /// The text of a small file (64 KiB at most), if it can be read.
    fn read(&self, path: &Path) -> Option<String>;
    /// Names in a folder.
    fn list(&self, path: &Path) -> Vec<String>;
    /// Every program name on `PATH`.
    fn programs(&self) -> Vec<String>;
    /// Whether the engine runs as root.
    fn is_root(&self) -> bool;
    /// A catalogue of messages, if it can be read: bytes, and longer than the text of a file may be.
    fn catalogue(&self, path: &Path) -> Option<Vec<u8>>;
    /// The options and commands that the machine's own manual names on the page `name`: `git`, `git-commit`.
    fn manual(&self, name: &str) -> Vec<String>;
    /// Whose a file is and what this user may do with it; `None` where it is not there or cannot be seen.
    fn rights(&self, path: &Path) -> Option<Rights>;
    /// The user's home.
    fn home(&self) -> Option<PathBuf>;
}

/// Whose a file is, and what this user may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    pub mine: bool,
    pub root: bool,
    pub read: bool,
    pub write: bool,
    /// For a folder: go through it. For a file: run it.
    pub enter: bool,
}

/// What this machine adds to the guide.
#[derive(Debug, Default)]
pub struct Local {
    /// The user's own rules.
    pub rules: OwnRules,
    /// What came of all rules here.
    pub experience: Experience,
}

impl Local {
    /// `home`: the data folder.
    pub fn of(home: &Path) -> Self {
        Self {
            rules: OwnRules::in_folder(home.join(RULES)),
            experience: Experience::in_file(home.join(EXPERIENCE)),
        }
    }

    /// Every rule with its record, the user's own first.
    pub fn list(&self) -> Vec<GuideRule> {
        let entry = |id: &str, title: &str, own| {
            let Record { helped, failed } = self.experience.of(id);
            GuideRule { id: id.to_owned(), title: title.to_owned(), own, helped, failed }
        };
        let own = self.rules.current();
        let own = own.rules.iter().map(|rule| entry(&rule.id, &rule.title, true));
        own.chain(titles().map(|(id, title)| entry(id, title, false))).collect()
    }
}

/// The id of the rule that made a correction; `None` where a model or nobody did.
pub fn rule_of(source: &str) -> Option<&str> {
    source.strip_prefix("guide:")
}

/// The correction for a failure, if exactly one rule knows it well, or else what the program itself advises.
///
/// The most specific rule wins. Two rules of equal rank that propose different things mean silence, unless one of them
/// alone has helped here.
pub fn diagnose(failure: &Failure, facts: &Facts, machine: &dyn Machine) -> Option<AgentCorrection> {
    diagnose_with(failure, facts, machine, &Local::default())
}

/// As [`diagnose`]; the user's own rules come first: whoever wrote one for this machine knows it better.
pub fn diagnose_with(
    failure: &Failure,
    facts: &Facts,
    machine: &dyn Machine,
    local: &Local,
) -> Option<AgentCorrection> {
    if failure.exit_code == Some(0) {
        return None;
    }
    let case = case::Case::new(failure, facts, machine);
    let said = || advice::read(&case).or_else(|| parts::read(&case, local));
    let mut correction = known(&case, local).unwrap_or_else(said)?;
    local.experience.order(&failure.command, &mut correction);
    if correction.warning.is_none() {
        correction.warning = warning(failure, &correction);
    }
    Some(correction)
}

/// What the user's rules say, else the built-in ones: `None` where none applies, nothing where they contradict each other.
fn known(case: &case::Case<'_>, local: &Local) -> Option<Option<AgentCorrection>> {
    let own = local.rules.current();
    [&own.rules, rule::all()].into_iter().find_map(|rules| best(rules, case, &local.experience))
}

/// A misspelt word has done nothing yet; mended, it may take something away.
fn warning(failure: &Failure, correction: &AgentCorrection) -> Option<ModelWarning> {
    let asked: Vec<&str> = failure.command.split_whitespace().collect();
    let mut words = correction.modified_command.as_deref()?.split_whitespace();
    let word = words.find(|word| !asked.contains(word) && advice::takes_away(word))?;
    Some(ModelWarning {
        risk: Risk::Dangerous,
        text: format!(
            "{word} takes something away or passes over a check; misspelt, it has done nothing so far"
        ),
        source: correction.source.clone(),
    })
}

/// What the most specific rules say, and of those the ones that did best here: `None` where none applies, nothing where they
/// contradict each other. A rule that only ever failed here comes behind all others.
fn best(
    rules: &[rule::Rule],
    case: &case::Case<'_>,
    experience: &Experience,
) -> Option<Option<AgentCorrection>> {
    let mut first = (0, Standing::GivenUp);
    let mut best: Vec<AgentCorrection> = Vec::new();
    for rule in rules {
        let standing = experience.standing(&rule.id);
        let place = (if standing == Standing::GivenUp { 0 } else { rule.rank }, standing);
        if place < first {
            continue;
        }
        let Some(correction) = rule.apply(case) else { continue };
        if place > first {
            best.clear();
        }
        first = place;
        best.push(correction);
    }
    let first = best.pop()?;
    Some(best.iter().all(|other| same_effect(other, &first)).then_some(first))
}

/// Every built-in rule's id and title.
pub fn titles() -> impl Iterator<Item = (&'static str, &'static str)> {
    let advice = std::iter::once((advice::ID, advice::TITLE));
    rule::all().iter().map(|rule| (rule.id.as_str(), rule.title.as_str())).chain(advice)
}

fn same_effect(left: &AgentCorrection, right: &AgentCorrection) -> bool {
    let commands = |correction: &AgentCorrection| {
        let steps = correction.new_steps.iter().flatten().map(|step| step.command.clone());
        steps.collect::<Vec<_>>()
    };
    left.action == right.action
        && left.modified_command == right.modified_command
        && commands(left) == commands(right)
}
