//! The functions that the texts at hand define, and which of them may come back to themselves. Judges nothing.

use planwright_shell::{Facts, SimpleCommand, Value, Word};

/// In the order in which they were found; a name may stand there several times.
#[derive(Debug, Clone, Default)]
pub(super) struct Functions(Vec<Function>);

#[derive(Debug, Clone)]
struct Function {
    name: String,
    /// Whether it may come back to itself, as far as the texts tell.
    returns: bool,
}

impl Functions {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut functions = Self::default();
        functions.add(facts);
        functions
    }

    /// Those of one more text.
    pub(super) fn add(&mut self, facts: &Facts) {
        // Taken away one after the other: what calls none that is left comes to an end.
        let mut left: Vec<_> = facts.functions.iter().collect();
        loop {
            let names: Vec<&str> = left.iter().map(|function| function.name.as_str()).collect();
            let before = left.len();
            left.retain(|function| {
                let body = function.body.start as usize..function.body.end as usize;
                let commands = facts.commands.get(body).unwrap_or_default();
                commands.iter().any(|command| {
                    let calls = |name: &str| mentions(command, name);
                    is_open(command) || names.iter().any(|name| calls(name)) || self.any_returning(calls)
                })
            });
            if left.len() == before {
                break;
            }
        }
        let returning: Vec<&str> = left.iter().map(|function| function.name.as_str()).collect();
        self.0.extend(facts.functions.iter().map(|function| Function {
            name: function.name.clone(),
            returns: returning.contains(&function.name.as_str()),
        }));
    }

    pub(super) fn defines(&self, name: &str) -> bool {
        self.0.iter().any(|function| function.name == name)
    }

    pub(super) fn returns(&self, name: &str) -> bool {
        self.0.iter().any(|function| function.name == name && function.returns)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    fn any_returning(&self, holds: impl Fn(&str) -> bool) -> bool {
        self.0.iter().any(|function| function.returns && holds(&function.name))
    }
}

/// Whether the command could run anything at all.
fn is_open(command: &SimpleCommand) -> bool {
    command.words.first().is_some_and(|program| known(program).is_none())
}

/// Whether the command may call the function: its name stands somewhere in it, be it inside another word. What is only
/// printed for people to read calls nothing, and behind `command` and `builtin` stands no function.
fn mentions(command: &SimpleCommand, name: &str) -> bool {
    let program = command.words.first().and_then(known);
    let prints = matches!(program, Some("echo" | "printf")) && !command.context.piped_into;
    let beside = matches!(program, Some("command" | "builtin"));
    let words = if prints { command.words.get(..1).unwrap_or_default() } else { command.words.as_slice() };
    let mut words = words.iter().enumerate().filter(|(at, _)| !beside || *at != 1).map(|(_, word)| word);
    words.any(|word| word.raw.contains(name) || known(word).is_some_and(|text| text.contains(name)))
        || command.redirects.iter().any(|redirect| redirect.target.raw.contains(name))
        || command.assignments.iter().any(|assignment| assignment.value.raw.contains(name))
}

fn known(word: &Word) -> Option<&str> {
    match &word.value {
        Value::Known { text, .. } => Some(text),
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::read;
    use super::*;

    #[test]
    fn what_comes_back_to_itself_is_told_from_what_ends() {
        let returning = |text: &str| {
            let functions = Functions::of(&read(text));
            let mut names: Vec<String> = functions.0.iter().map(|own| own.name.clone()).collect();
            names.retain(|name| functions.returns(name));
            names.join(" ")
        };
        for (text, expected) in [
            ("log() { echo \"log $1\"; }; build() { log x; make; }; build", ""),
            ("a() { b; }; b() { c; }; c() { ls; }", ""),
            ("cd() { builtin cd \"$@\" && ls; }", ""),
            ("f() { f; }", "f"),
            (":() { :|:& }; :", ":"),
            ("a() { b; }; b() { a; }; c() { ls; }", "a b"),
            ("a() { sh -c 'a &'; }", "a"),
            ("a() { \\a; }", "a"),
            ("a() { 'a'; }", "a"),
            ("a() { $'\\x61'; }", "a"),
            ("a() { x=a; $x; }", "a"),
            ("a() { echo a | sh; }", "a"),
            ("a() { echo \"$(a)\"; }", "a"),
            ("a() { \"$@\"; }", "a"),
            ("a() { sh <<< a; }", "a"),
        ] {
            assert_eq!(returning(text), expected, "{text}");
        }
    }
}
