//! One failure made ready for the rules: its messages cleaned, the words of its command at hand, its folder resolved.
//! All changes to the user's command are made here, word by word, so that the rest stays exactly as it was.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Component, Path, PathBuf};

use planwright_shell::{Facts, RedirectKind, SimpleCommand, Span, Value, Word};

use super::template::quote;
use super::{Failure, Machine, catalogues, plain};

/// Programs that print what others have written: their own complaints go to stderr, and what they print on stdout may
/// be a log, a note or a page that quotes any message at all.
const VIEWERS: [&str; 28] = [
    "cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk", "sed",
    "tee", "echo", "printf", "cut", "sort", "uniq", "wc", "tac", "nl", "bat", "test", "[", "true", "false",
    "exit",
];

/// Programs that only run the program named after them.
const WRAPPERS: [&str; 6] = ["sudo", "time", "nohup", "command", "exec", "nice"];

#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) failure: &'a Failure,
    pub(super) machine: &'a dyn Machine,
    /// stderr, or stdout where stderr is empty; no colours, straight quotes.
    pub(super) message: String,
    /// stderr and stdout, cleaned alike.
    pub(super) everything: String,
    /// The folder the command started in, if it is known and there.
    pub(super) folder: Option<PathBuf>,
    facts: Cow<'a, Facts>,
    /// Names on `PATH`, read once: a rule may ask many times.
    programs: OnceCell<Vec<String>>,
}

/// A simple command with its wrappers looked through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) command: &'a SimpleCommand,
    /// Index of the program among the words.
    at: usize,
}

impl<'a> Run<'a> {
    /// The program's word.
    pub(super) fn head(&self) -> &'a Word {
        &self.command.words[self.at]
    }

    /// The program's name without its folder.
    pub(super) fn program(&self) -> &'a str {
        text(self.head()).map(|name| name.rsplit('/').next().unwrap_or(name)).unwrap_or_default()
    }

    pub(super) fn args(&self) -> &'a [Word] {
        &self.command.words[self.at + 1..]
    }

    /// Arguments as texts; `None` when one of them is not known for certain.
    pub(super) fn known_args(&self) -> Option<Vec<&'a str>> {
        self.args().iter().map(text).collect()
    }

    /// The first argument that is no option.
    pub(super) fn subcommand(&self) -> Option<&'a Word> {
        self.args().iter().find(|word| text(word).is_some_and(|text| !text.starts_with('-')))
    }

    pub(super) fn is_sub(&self, name: &str) -> bool {
        self.subcommand().and_then(text) == Some(name)
    }

    pub(super) fn has_arg(&self, names: &[&str]) -> bool {
        self.args().iter().filter_map(text).any(|arg| names.contains(&arg))
    }

    pub(super) fn wrapped_in(&self, wrapper: &str) -> bool {
        self.command.words[..self.at].iter().any(|word| text(word) == Some(wrapper))
    }

    pub(super) fn last_word(&self) -> &'a Word {
        self.command.words.last().unwrap_or(self.head())
    }
}

/// The exact text of a word, where it is certain. A `~` word is not: only bash knows what it becomes.
pub(super) fn text(word: &Word) -> Option<&str> {
    match &word.value {
        Value::Known { text, tilde: false } => Some(text),
        Value::Known { tilde: true, .. }
        | Value::Several { .. }
        | Value::Glob { .. }
        | Value::Unknown { .. } => None,
    }
}

impl<'a> Case<'a> {
    pub(super) fn new(failure: &'a Failure, facts: &'a Facts, machine: &'a dyn Machine) -> Self {
        let facts = if facts.commands.is_empty() {
            Cow::Owned(plain::read(&failure.command).unwrap_or_default())
        } else if facts.doubts.is_empty() {
            Cow::Borrowed(facts)
        } else {
            Cow::Owned(Facts::default())
        };
        let programs: Vec<&str> =
            facts.commands.iter().flat_map(|command| command.words.iter().take(3)).filter_map(text).collect();
        let english = |said: &str| match catalogues::turned_back(said, &programs, machine) {
            Some(english) => clean(&english),
            None => clean(said),
        };
        let stderr = english(&failure.stderr);
        let views = |command: &SimpleCommand| {
            command.words.first().and_then(text).is_some_and(|name| VIEWERS.contains(&name))
        };
        let only_views = !facts.commands.is_empty() && facts.commands.iter().all(views);
        let stdout = if only_views { String::new() } else { english(&failure.stdout) };
        let everything = format!("{stderr}\n{stdout}");
        let message = if stderr.trim().is_empty() { stdout } else { stderr };
        let folder = failure.cwd.clone().filter(|folder| folder.is_absolute() && machine.is_dir(folder));
        Self { failure, machine, message, everything, folder, facts, programs: OnceCell::new() }
    }

    pub(super) fn commands(&self) -> &[SimpleCommand] {
        &self.facts.commands
    }

    /// Every simple command whose program is certain, wrappers looked through.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        self.facts.commands.iter().filter_map(|command| {
            let is_wrapper = |word: &Word| text(word).is_some_and(|name| WRAPPERS.contains(&name));
            let at = command.words.iter().position(|word| !is_wrapper(word))?;
            // `sudo -u name program`: which word is the program depends on the option.
            text(&command.words[at]).filter(|name| !name.starts_with('-'))?;
            Some(Run { command, at })
        })
    }

    /// The one command that runs `program`; `None` when there is none or more than one.
    pub(super) fn only_run(&self, programs: &[&str]) -> Option<Run<'_>> {
        one(self.runs().filter(|run| programs.contains(&run.program())))
    }

    /// The command when it is all there is: no list, no pipe, nothing around it.
    pub(super) fn sole_run(&self) -> Option<Run<'_>> {
        match self.facts.commands.len() {
            1 => self.runs().next().filter(|run| !run.command.context.background),
            _ => None,
        }
    }

    pub(super) fn redirect_targets(&self) -> impl Iterator<Item = (&Word, bool)> {
        self.facts.commands.iter().flat_map(|command| &command.redirects).filter_map(
            |redirect| match redirect.kind {
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::ReadWrite
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth => Some((&redirect.target, true)),
                RedirectKind::Read => Some((&redirect.target, false)),
                RedirectKind::Duplicate | RedirectKind::HereDocument | RedirectKind::HereString => None,
            },
        )
    }

    // ---- the command, changed ----

    /// The command with the only word that reads `old` replaced.
    pub(super) fn replace_word(&self, old: &str, new: &str) -> Option<String> {
        let words = self.facts.commands.iter().flat_map(|command| &command.words);
        let targets = self.redirect_targets().map(|(target, _)| target);
        let word = one(words.chain(targets).filter(|word| text(word) == Some(old)))?;
        self.splice(&[(word.span, new)])
    }

    /// The command with the program `old` replaced everywhere it is run.
    pub(super) fn replace_program(&self, old: &str, new: &str) -> Option<String> {
        let heads = self.runs().map(|run| run.head()).filter(|word| text(word) == Some(old));
        let changes: Vec<(Span, &str)> = heads.map(|word| (word.span, new)).collect();
        self.splice(&changes)
    }

    /// Puts `added` right behind a word.
    pub(super) fn insert_after(&self, word: &Word, added: &str) -> Option<String> {
        self.splice(&[(Span { start: word.span.end, end: word.span.end }, added)])
    }

    /// Puts `added` right before a word.
    pub(super) fn insert_before(&self, word: &Word, added: &str) -> Option<String> {
        self.splice(&[(Span { start: word.span.start, end: word.span.start }, added)])
    }

    /// The command without these words and the blanks before them.
    pub(super) fn without(&self, words: &[&Word]) -> Option<String> {
        let chars: Vec<char> = self.failure.command.chars().collect();
        let spans = words.iter().map(|word| {
            let mut start = word.span.start as usize;
            while start > 0 && matches!(chars.get(start - 1), Some(' ' | '\t')) {
                start -= 1;
            }
            (Span { start: start as u32, end: word.span.end }, "")
        });
        self.splice(&spans.collect::<Vec<_>>())
    }

    /// The command with these places replaced; `None` when they are none, overlap, or change nothing.
    pub(super) fn splice(&self, changes: &[(Span, &str)]) -> Option<String> {
        let chars: Vec<char> = self.failure.command.chars().collect();
        let mut changes = changes.to_vec();
        changes.sort_by_key(|(span, _)| span.start);
        let mut changed = String::new();
        let mut at = 0;
        for (span, new) in changes {
            let (start, end) = (span.start as usize, span.end as usize);
            changed.extend(chars.get(at..start)?);
            changed.push_str(new);
            at = end;
        }
        changed.extend(chars.get(at..)?);
        (changed != self.failure.command).then_some(changed)
    }

    // ---- paths ----

    /// Where a path of the command's text is on the disk. `None` when the folder is not known for certain.
    pub(super) fn on_disk(&self, path: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(flatten(&folder.join(self.path_at_start(path)?)))
    }

    /// The path as an inserted step must write it: that step runs where the command *starts*, before any `cd` in it.
    pub(super) fn path_at_start(&self, path: &str) -> Option<String> {
        if path.starts_with('/') {
            return Some(path.to_owned());
        }
        let moves = |run: &Run<'_>| matches!(run.program(), "cd" | "pushd" | "popd");
        let mut movers = self.runs().filter(moves);
        let Some(mover) = movers.next() else {
            // Without any words there may be a `cd` that nobody saw.
            return (!self.facts.commands.is_empty()).then(|| path.to_owned());
        };
        let first = self.facts.commands.first()?;
        let leads = std::ptr::eq(first, mover.command) && !first.context.in_subshell;
        match (movers.next(), mover.args()) {
            (None, [target]) if leads && mover.program() == "cd" => {
                Some(format!("{}/{path}", text(target)?.trim_end_matches('/')))
            }
            _ => None,
        }
    }

    /// `command` as an inserted step must write it to run in the folder where the failing part ran. In a subshell: the
    /// step that failed starts where it did before.
    pub(super) fn in_its_folder(&self, command: &str) -> Option<String> {
        let place = self.path_at_start(".")?;
        let place = place.strip_suffix("/.").unwrap_or("");
        Some(match place {
            "" => command.to_owned(),
            place => format!("(cd {} && {command})", quote(place)),
        })
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.on_disk(path).is_some_and(|path| self.machine.exists(&path))
    }

    pub(super) fn is_dir(&self, path: &str) -> bool {
        self.on_disk(path).is_some_and(|path| self.machine.is_dir(&path))
    }

    pub(super) fn read(&self, path: &str) -> Option<String> {
        self.machine.read(&self.on_disk(path)?)
    }

    pub(super) fn list(&self, path: &str) -> Option<Vec<String>> {
        let folder = self.on_disk(path)?;
        self.machine.is_dir(&folder).then(|| self.machine.list(&folder))
    }

    pub(super) fn programs(&self) -> &[String] {
        self.programs.get_or_init(|| self.machine.programs())
    }

    pub(super) fn has_program(&self, name: &str) -> bool {
        self.programs().iter().any(|program| program == name)
    }

    /// `sudo ` for an ordinary user, nothing for root; `None` when an ordinary user has no sudo.
    pub(super) fn sudo(&self) -> Option<&'static str> {
        match (self.machine.is_root(), self.has_program("sudo")) {
            (true, _) => Some(""),
            (false, true) => Some("sudo "),
            (false, false) => None,
        }
    }
}

/// The only item; `None` for none and for many.
pub(super) fn one<T>(items: impl IntoIterator<Item = T>) -> Option<T> {
    let mut items = items.into_iter();
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Takes `.` and `..` out by name alone; links are not followed.
fn flatten(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => flat.push(part),
        }
    }
    flat
}

/// Colours off, carriage returns off, typographic quotes straight: the same message in every terminal.
fn clean(output: &str) -> String {
    let mut cleaned = String::with_capacity(output.len());
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            '\r' if matches!(chars.peek(), Some('\n') | None) => {}
            '‘' | '’' => cleaned.push('\''),
            '“' | '”' => cleaned.push('"'),
            other => cleaned.push(other),
        }
    }
    cleaned
}
