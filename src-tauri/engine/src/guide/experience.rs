//! What came of corrections on this machine: which rules helped, and which of several commands the user chose. It lives in
//! one small file of the data folder, can be forgotten, and decides nothing but the order of what is proposed.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::protocol::{AgentCorrection, CorrectionAction};

/// Longest file that is read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
/// Most choices that are kept; the oldest go first.
const MAX_CHOICES: usize = 200;
/// Longest word of a choice that is kept, in bytes: what is longer is no name.
const MAX_WORD: usize = 60;
/// Failures without a single success after which a rule comes last.
const GIVEN_UP: u32 = 3;

/// Cheap to ask: the file is read once.
#[derive(Debug, Default)]
pub struct Experience {
    file: Option<PathBuf>,
    kept: Mutex<Option<Kept>>,
}

/// How often a rule's correction was followed by success, and how often by another failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub helped: u32,
    pub failed: u32,
}

/// Where a rule stands among those of its rank; the greatest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    GivenUp,
    Failed,
    Untried,
    Helped,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// By rule id.
    rules: BTreeMap<String, Record>,
    /// Oldest first.
    choices: Vec<Choice>,
}

/// The user took `right` where a command had said `wrong`, and it worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Choice {
    program: String,
    wrong: String,
    right: String,
}

impl Experience {
    pub fn in_file(file: impl Into<PathBuf>) -> Self {
        Self { file: Some(file.into()), kept: Mutex::default() }
    }

    pub fn of(&self, rule: &str) -> Record {
        self.kept().as_ref().and_then(|kept| kept.rules.get(rule).copied()).unwrap_or_default()
    }

    pub(super) fn standing(&self, rule: &str) -> Standing {
        match self.of(rule) {
            Record { helped: 0, failed } if failed >= GIVEN_UP => Standing::GivenUp,
            Record { helped, failed } if helped > failed => Standing::Helped,
            Record { helped, failed } if failed > helped => Standing::Failed,
            Record { .. } => Standing::Untried,
        }
    }

    /// Puts the command that the user chose here before to the front.
    pub(super) fn order(&self, asked: &str, correction: &mut AgentCorrection) {
        let kept = self.kept();
        let Some(kept) = kept.as_ref() else { return };
        let candidates = &mut correction.candidates;
        let chosen = candidates.iter().rposition(|candidate| {
            Choice::between(asked, candidate).is_some_and(|choice| kept.choices.contains(&choice))
        });
        if let Some(chosen) = chosen {
            candidates[..=chosen].rotate_right(1);
            if correction.action == CorrectionAction::Modify {
                correction.modified_command = candidates.first().cloned();
            }
        }
    }

    /// A correction of this rule was tried: the step went through then, or failed again.
    ///
    /// # Errors
    /// When the file cannot be written; it is remembered all the same until the program ends.
    pub fn tried(&self, rule: &str, helped: bool) -> io::Result<()> {
        self.change(|kept| {
            let record = kept.rules.entry(rule.to_owned()).or_default();
            match helped {
                true => record.helped = record.helped.saturating_add(1),
                false => record.failed = record.failed.saturating_add(1),
            }
        })
    }

    /// The user chose `command` in the place of `failed`, and it worked. Only the changed word is kept.
    ///
    /// # Errors
    /// As [`tried`](Self::tried).
    pub fn chosen(&self, failed: &str, command: &str) -> io::Result<()> {
        let Some(choice) = Choice::between(failed, command) else { return Ok(()) };
        self.change(|kept| {
            kept.choices.retain(|old| (&old.program, &old.wrong) != (&choice.program, &choice.wrong));
            kept.choices.push(choice);
            let spare = kept.choices.len().saturating_sub(MAX_CHOICES);
            kept.choices.drain(..spare);
        })
    }

    /// Forgets what came of one rule, or of all with every choice.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget(&self, rule: Option<&str>) -> io::Result<()> {
        self.change(|kept| match rule {
            Some(rule) => drop(kept.rules.remove(rule)),
            None => *kept = Kept::default(),
        })
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            *kept = Some(self.file.as_deref().map(read).unwrap_or_default());
        }
        kept
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) -> io::Result<()> {
        let mut kept = self.kept();
        let kept = kept.get_or_insert_default();
        change(kept);
        match &self.file {
            Some(file) => write(file, kept),
            None => Ok(()),
        }
    }
}

impl Choice {
    /// The one word in which two commands differ; `None` where it is not one, or none that is a name.
    fn between(failed: &str, command: &str) -> Option<Self> {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (failed.split_whitespace().collect(), command.split_whitespace().collect());
        let same = before.len() == after.len();
        let mut changed = before.iter().zip(&after).filter(|(wrong, right)| wrong != right);
        let (wrong, right) = changed.next().filter(|_| same)?;
        if changed.next().is_some() || wrong.len().max(right.len()) > MAX_WORD {
            return None;
        }
        let program = (*before.first()?).to_owned();
        Some(Self { program, wrong: (*wrong).to_owned(), right: (*right).to_owned() })
    }
}

/// A file that cannot be read is as good as none: what is in it is never needed.
fn read(file: &Path) -> Kept {
    let is_small = file.metadata().is_ok_and(|about| about.len() <= MAX_FILE);
    let text = is_small.then(|| std::fs::read(file).ok()).flatten();
    let kept = text.map(|text| serde_json::from_slice(&text));
    match kept {
        Some(Ok(kept)) => kept,
        Some(Err(error)) => {
            tracing::warn!(%error, "what came of the guide's rules cannot be read and is forgotten");
            Kept::default()
        }
        None => Kept::default(),
    }
}

/// For this user alone, whole or not at all.
fn write(file: &Path, kept: &Kept) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(&serde_json::to_vec_pretty(kept)?)?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correction(candidates: &[&str]) -> AgentCorrection {
        serde_json::from_value(serde_json::json!({
            "action": "modify", "reasoning": "", "source": "guide:x", "confidence": 0.5,
            "modifiedCommand": candidates[0], "candidates": candidates
        }))
        .unwrap()
    }

    #[test]
    fn a_record_outlives_the_program_is_private_and_can_be_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("guide.json");
        let experience = Experience::in_file(&file);
        experience.tried("a", true).unwrap();
        experience.tried("a", false).unwrap();
        experience.tried("b", true).unwrap();
        let again = Experience::in_file(&file);
        assert_eq!(again.of("a"), Record { helped: 1, failed: 1 });
        assert_eq!(again.of("never"), Record::default());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        again.forget(Some("a")).unwrap();
        assert_eq!((again.of("a"), again.of("b").helped), (Record::default(), 1));
        again.forget(None).unwrap();
        assert_eq!(Experience::in_file(&file).of("b"), Record::default());
    }

    #[test]
    fn a_broken_file_is_as_good_as_none_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("guide.json");
        std::fs::write(&file, "{ not json").unwrap();
        let experience = Experience::in_file(&file);
        assert_eq!(experience.of("a"), Record::default());
        experience.tried("a", true).unwrap();
        assert_eq!(Experience::in_file(&file).of("a").helped, 1);
    }

    #[test]
    fn standings_go_by_what_came_of_a_rule() {
        let experience = Experience::default();
        assert_eq!(experience.standing("a"), Standing::Untried);
        experience.tried("a", true).unwrap();
        assert_eq!(experience.standing("a"), Standing::Helped);
        for _ in 0..2 {
            experience.tried("b", false).unwrap();
        }
        assert_eq!(experience.standing("b"), Standing::Failed);
        experience.tried("b", false).unwrap();
        assert_eq!(experience.standing("b"), Standing::GivenUp);
        experience.tried("b", true).unwrap();
        assert_eq!(experience.standing("b"), Standing::Failed);
        assert!(Standing::Helped > Standing::Untried && Standing::Untried > Standing::Failed);
    }

    #[test]
    fn what_was_chosen_here_comes_first() {
        let experience = Experience::default();
        experience.chosen("git chek -v", "git cherry -v").unwrap();
        let mut next = correction(&["git check-attr x", "git cherry x", "git checkout x"]);
        experience.order("git chek x", &mut next);
        assert_eq!(next.candidates, ["git cherry x", "git check-attr x", "git checkout x"]);
        assert_eq!(next.modified_command.as_deref(), Some("git cherry x"));
        let mut other = correction(&["hg check x", "hg cherry x"]);
        experience.order("hg chek x", &mut other);
        assert_eq!(other.candidates[0], "hg check x");
    }

    #[test]
    fn only_one_changed_word_that_is_a_name_is_kept() {
        let long = "x".repeat(MAX_WORD + 1);
        for (failed, command) in
            [("a b", "a b c"), ("a b c", "a x y"), ("a b", "a b"), ("a b", &format!("a {long}"))]
        {
            assert_eq!(Choice::between(failed, command), None, "{failed} → {command}");
        }
    }
}
