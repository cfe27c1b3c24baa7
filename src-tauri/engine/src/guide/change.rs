//! How a table says that the command is to be changed, and the conditions on it that a table can name. All of it is
//! data: what needs computing is a function of `repair`.

use serde::Deserialize;

use super::case::{Case, Run, text};
use super::rule::Pattern;
use super::template::Findings;

/// One change of the command; exactly one kind is set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Change {
    /// The program that is to be another, `with`.
    program: Option<String>,
    /// The word that is to be another, `with`.
    word: Option<String>,
    with: Option<String>,
    /// The whole new command.
    command: Option<String>,
    /// Put right behind the program's name.
    option: Option<String>,
    /// Put right behind the sub-command.
    sub_option: Option<String>,
    /// Put at the very end.
    append: Option<String>,
    /// Put before the program: a variable, or a program that runs it.
    prefix: Option<String>,
    /// Words to leave out.
    drop: Vec<String>,
    /// A pattern on the text of the command, of which the first place becomes `with`, `$1` being its first group.
    rewrite: Option<Pattern>,
}

impl Change {
    /// The changed command. `run`: the run of the rule's program, or the sole one.
    pub(super) fn apply(&self, case: &Case<'_>, run: Option<Run<'_>>, found: &Findings) -> Option<String> {
        let with = || found.shell(self.with.as_ref()?);
        if let Some(program) = &self.program {
            return case.replace_program(&found.sentence(program)?, &with()?);
        }
        if let Some(word) = &self.word {
            return case.replace_word(&found.sentence(word)?, &with()?);
        }
        if let Some(command) = &self.command {
            return found.shell(command);
        }
        if let Some(pattern) = &self.rewrite {
            let asked = case.failure.command.as_str();
            let new = pattern.regex()?.replace(asked.as_bytes(), with()?.as_bytes()).into_owned();
            return String::from_utf8(new).ok().filter(|new| new != asked);
        }
        let run = run?;
        if let Some(option) = &self.option {
            return case.insert_after(run.head(), &format!(" {}", found.shell(option)?));
        }
        if let Some(option) = &self.sub_option {
            return case.insert_after(run.subcommand()?, &format!(" {}", found.shell(option)?));
        }
        if let Some(added) = &self.append {
            return case.insert_after(run.last_word(), &format!(" {}", found.shell(added)?));
        }
        if let Some(added) = &self.prefix {
            return case.insert_before(run.command.words.first()?, &format!("{} ", found.shell(added)?));
        }
        let words: Vec<_> = run
            .args()
            .iter()
            .filter(|word| text(word).is_some_and(|word| self.drop.iter().any(|drop| drop == word)))
            .collect();
        (!words.is_empty()).then(|| case.without(&words)).flatten()
    }

    pub(super) fn pattern(&self) -> Option<&Pattern> {
        self.rewrite.as_ref()
    }
}

/// What must be so, besides the message.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Conditions {
    /// The text of the command; its named groups become findings.
    pub(super) asked: Option<Pattern>,
    /// A look-alike of the command that must not be.
    pub(super) not_asked: Option<Pattern>,
    /// Programs that are here, and that are not.
    pub(super) has: Vec<String>,
    pub(super) lacks: Vec<String>,
    /// Paths that are there, which has to be seen.
    pub(super) there: Vec<String>,
    /// Paths that are not there, as far as can be seen.
    pub(super) gone: Vec<String>,
    /// A file and a pattern in it, which has to be seen.
    pub(super) holds: Option<Holds>,
    /// Nothing but this one command, so that skipping it skips nothing else.
    pub(super) sole: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Holds {
    path: String,
    text: Pattern,
}

impl Conditions {
    /// Adds findings; `None` where something is not so.
    pub(super) fn hold(&self, case: &Case<'_>, found: &mut Findings) -> Option<()> {
        if let Some(asked) = &self.asked {
            found.take(asked.regex()?, case.failure.command.as_bytes())?;
        }
        let unasked = |pattern: &Pattern| Some(!pattern.regex()?.is_match(case.failure.command.as_bytes()));
        let filled = |path: &String| found.sentence(path);
        let is = self.not_asked.as_ref().is_none_or(|pattern| unasked(pattern) == Some(true))
            && self.has.iter().all(|name| filled(name).is_some_and(|name| case.has_program(&name)))
            && self.lacks.iter().all(|name| filled(name).is_some_and(|name| !case.has_program(&name)))
            && self.there.iter().all(|path| filled(path).is_some_and(|path| case.exists(&path)))
            && self.gone.iter().all(|path| filled(path).is_some_and(|path| !case.exists(&path)))
            && (!self.sole || case.sole_run().is_some());
        if !is {
            return None;
        }
        let Some(holds) = &self.holds else { return Some(()) };
        let text = case.read(&found.sentence(&holds.path)?)?;
        found.take(holds.text.regex()?, text.as_bytes())
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let holds = self.holds.as_ref().map(|holds| &holds.text);
        self.asked.iter().chain(&self.not_asked).chain(holds)
    }
}
