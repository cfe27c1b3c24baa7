//! Scripts that a command starts with its own input: what they read, nobody types.

use planwright_shell::{Facts, SimpleCommand};

use super::{Part, SHELLS, is_fed, need};
use crate::protocol::{KeyboardEffect, KeyboardNeed};

/// How a line of another language waits for a typed one.
const READS: [(&str, &[&str]); 4] = [
    ("perl", &["<STDIN>"]),
    ("ruby", &["STDIN.gets", "$stdin.gets", "= gets", "gets.chomp"]),
    ("php", &["readline(", "fgets(STDIN"]),
    ("node", &["readline.createInterface", "prompt("]),
];

/// A script that a command starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// As the command names it.
    pub(crate) path: String,
    /// `None`: the first line of the file says it.
    interpreter: Option<String>,
    fragment: String,
}

impl Script {
    /// Whether the shell's reader has to read the text.
    pub(crate) fn is_shell(&self, text: &str) -> bool {
        self.interpreter(text).is_some_and(|name| SHELLS.contains(&name))
    }

    fn interpreter<'a>(&'a self, text: &'a str) -> Option<&'a str> {
        self.interpreter.as_deref().or_else(|| {
            let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
            let program = words.next()?;
            let name = |path: &'a str| path.rsplit('/').next();
            if name(program) == Some("env") {
                name(words.find(|word| !word.starts_with('-'))?)
            } else {
                name(program)
            }
        })
    }
}

/// The scripts that `command` starts and gives its own input to.
pub(crate) fn scripts(command: &str, facts: &Facts) -> Vec<Script> {
    let unclear = command.contains(['<', '|']);
    let fed = |part: &&SimpleCommand| !is_fed(part, unclear);
    let script = |simple: &SimpleCommand| {
        let part = Part::of(simple)?;
        let known = SHELLS.contains(&part.program) || READS.iter().any(|(name, _)| *name == part.program);
        let (path, interpreter) = if known {
            let (flags, operands) = part.split(&[], None);
            // A text of code in place of a file, or a script from its input.
            let is_file = part.program != "eval" && !flags.iter().any(|flag| flag.contains(['c', 'e', 's']));
            (operands.first().filter(|_| is_file)?.to_string(), Some(part.program.to_owned()))
        } else {
            (Some(part.path()).filter(|path| path.contains('/'))?.to_owned(), None)
        };
        Some(Script { path, interpreter, fragment: super::fragment(command, simple) })
    };
    facts.commands.iter().filter(fed).filter_map(script).collect()
}

/// What a script wants of a keyboard whatever happens: a line in one of its branches may never be reached. `facts` are those of
/// a shell's script.
pub(crate) fn need_of_script(script: &Script, text: &str, facts: Option<&Facts>) -> Option<KeyboardNeed> {
    let need = match facts {
        Some(facts) => {
            let surely = Facts {
                commands: facts.commands.iter().filter(|part| !part.context.conditional).cloned().collect(),
                ..facts.clone()
            };
            need(text, &surely, &|_| false)?
        }
        None => {
            let name = script.interpreter(text)?;
            let (_, reads) = READS.iter().find(|(known, _)| *known == name)?;
            let is_read = |line: &str| {
                let line = line.trim_start();
                !line.starts_with(['#', '/', '*']) && reads.iter().any(|read| line.contains(read))
            };
            text.lines().any(is_read).then(|| KeyboardNeed {
                // Whether it is reached shows in what it says.
                effect: KeyboardEffect::AnswersNo,
                fragment: String::new(),
                wants: "waits for a line that somebody types".to_owned(),
                instead: "Give it the answer from a file or a pipe, or run it in a terminal.".to_owned(),
            })?
        }
    };
    Some(KeyboardNeed { fragment: script.fragment.clone(), ..need })
}
