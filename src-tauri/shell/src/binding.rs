//! What makes no sense apart from what follows it, and what asks for what came before.

use std::collections::HashSet;

use crate::{Facts, SimpleCommand, Span, Value, Word};

/// Options of `set` that are carried from step to step, by letter and by name.
const CARRIED_LETTERS: &str = "aeufxCETP";
const CARRIED_NAMES: [&str; 10] = [
    "allexport",
    "errexit",
    "errtrace",
    "functrace",
    "noclobber",
    "noglob",
    "nounset",
    "physical",
    "pipefail",
    "xtrace",
];
/// On in every shell, so that switching one on changes nothing and off does.
const ON_LETTERS: &str = "Bh";
const ON_NAMES: [&str; 3] = ["braceexpand", "hashall", "interactive-comments"];
/// The same of `shopt`: carried, and on in every shell.
const CARRIED_SHELL_OPTIONS: [&str; 19] = [
    "array_expand_once",
    "assoc_expand_once",
    "cdable_vars",
    "checkhash",
    "dotglob",
    "execfail",
    "extglob",
    "failglob",
    "globstar",
    "inherit_errexit",
    "lastpipe",
    "localvar_inherit",
    "localvar_unset",
    "nocaseglob",
    "nocasematch",
    "nullglob",
    "shift_verbose",
    "varredir_close",
    "xpg_echo",
];
const ON_SHELL_OPTIONS: [&str; 8] = [
    "extquote",
    "force_fignore",
    "globasciiranges",
    "globskipdots",
    "interactive_comments",
    "patsub_replacement",
    "promptvars",
    "sourcepath",
];
/// Shells that a page starts anew to have its start-up files read; what follows is typed there.
const SHELLS: [&str; 6] = ["bash", "zsh", "sh", "fish", "$SHELL", "${SHELL}"];

/// A script with what is known of it.
#[derive(Debug)]
pub struct Script<'a> {
    facts: &'a Facts,
    /// All commands by where they begin, outer before inner.
    by_start: Vec<&'a SimpleCommand>,
    /// Functions that do when called what ends with the shell.
    binding: HashSet<&'a str>,
}

impl<'a> Script<'a> {
    pub fn of(facts: &'a Facts) -> Self {
        let mut by_start: Vec<&SimpleCommand> = facts.commands.iter().collect();
        by_start.sort_by_key(|command| command.span.start);
        let mut script = Self { facts, by_start, binding: HashSet::new() };
        loop {
            let more: HashSet<&str> = facts
                .functions
                .iter()
                .filter(|function| !script.binding.contains(function.name.as_str()))
                .filter(|function| {
                    let body = function.body.start as usize..function.body.end as usize;
                    let body = facts.commands.get(body).unwrap_or_default();
                    body.iter().any(|command| script.is_binding(command))
                })
                .map(|function| function.name.as_str())
                .collect();
            if more.is_empty() {
                return script;
            }
            script.binding.extend(more);
        }
    }

    fn commands_in(&self, span: Span) -> impl Iterator<Item = &'a SimpleCommand> {
        let from = self.by_start.partition_point(|command| command.span.start < span.start);
        let begun = self.by_start.iter().skip(from).take_while(move |command| command.span.start < span.end);
        begun.filter(move |command| command.span.end <= span.end).copied()
    }

    /// Whether what follows the text of this span makes no sense apart from it: it leaves something running, ends its shell or
    /// puts another program in its place, or gives another meaning to the text that follows.
    pub fn binds(&self, span: Span) -> bool {
        let mut run = self.commands_in(span).filter(|command| !command.context.in_function);
        run.any(|command| self.is_binding(command))
    }

    fn is_binding(&self, command: &SimpleCommand) -> bool {
        let context = command.context;
        if context.in_substitution {
            return false;
        }
        if context.background {
            return true;
        }
        if context.in_subshell && !context.piped_from && !context.piped_into {
            return false;
        }
        if command.words.is_empty() {
            return command.assignments.iter().any(|assignment| is_not_carried(&assignment.name));
        }
        let mut words = command.words.iter().map(said).peekable();
        while words.next_if(|word| matches!(*word, "builtin" | "command")).is_some() {}
        let Some(program) = words.next() else { return false };
        let arguments: Vec<&str> = words.collect();
        let first = arguments.first().copied();
        match program {
            "set" => changes_unseen(&arguments),
            "shopt" => changes_patterns(&arguments),
            // `trap -p` shows, `trap - EXIT` takes away.
            "trap" => first.is_some_and(|first| !first.starts_with('-') || first == "--"),
            "exec" => match first {
                // What it opens stays open; another input or output is another one in a new shell.
                None => command.redirects.iter().any(|redirect| redirect.fd < 3),
                Some(name) if names_descriptor(name) => false,
                // What follows another program never runs; what follows a new shell is typed there.
                Some(first) => !is_shell(first) || arguments.iter().skip(1).any(|one| !one.starts_with('-')),
            },
            // With another status it has failed, and nothing follows anyway.
            "exit" => first.is_none_or(|first| first == "0" || first.contains('$')),
            "export" | "readonly" => {
                arguments.iter().any(|word| word.starts_with('-') && word.contains('f'))
                    || names_uncarried(&arguments)
            }
            "declare" | "typeset" | "local" => {
                let of_functions = |word: &&str| {
                    word.starts_with('-') && word.contains('f') && word.contains(['x', 'r', 't'])
                };
                arguments.iter().any(of_functions) || names_uncarried(&arguments)
            }
            "enable" | "complete" | "bind" | "compopt" => !arguments.is_empty(),
            "hash" => arguments.iter().any(|word| !word.starts_with('-')),
            "history" | "fc" => true,
            _ => self.binding.contains(program),
        }
    }

    /// Whether its status tells something else than that it went wrong: a sum that is nothing, a line without an end, a question
    /// before `&&`. Bash goes on behind it, so what follows is to go with it. `text` is that of the span.
    pub fn answers(&self, span: Span, text: &str) -> bool {
        let text = text.trim();
        if is_meant_to_fail(text) || (text.starts_with("((") && !text.contains("||")) {
            return true;
        }
        let Some(first) = self.commands_in(span).next() else { return false };
        let Some(program) = first.words.first().map(said) else { return false };
        if first.span.start != span.start {
            return false;
        }
        let alone = matches!(program, "let" | "read" | "getopts") && !text.contains("||");
        let is_function = || self.facts.functions.iter().any(|function| function.name == program);
        alone || (text.contains("&&") && !text.contains("||") && (ANSWER.contains(&program) || is_function()))
    }

    /// Whether what begins with this span's first command reads the status of the one before, its last word, or its process.
    /// `text` gives the text of a span.
    pub fn asks_of_the_last(&self, span: Span, text: impl Fn(Span) -> String) -> bool {
        let mut inside = self.commands_in(span).peekable();
        let has_commands = inside.peek().is_some();
        let first = inside.find(|command| !command.context.in_function);
        if first.is_none() && has_commands {
            return false;
        }
        let end = first.map_or(span.end, |first| first.span.end).max(span.start);
        asks_of_the_last(&text(Span { start: span.start, end }))
    }
}

/// Whether a command's text reads how the command before it went.
pub fn asks_of_the_last(first: &str) -> bool {
    ["$?", "${?", "PIPESTATUS", "$!", "${!}"].iter().any(|name| first.contains(name))
        || names_last_word(first)
}

fn names_descriptor(word: &str) -> bool {
    word.len() > 2 && word.starts_with('{') && word.ends_with('}')
}

fn names_uncarried(arguments: &[&str]) -> bool {
    arguments.iter().any(|word| is_not_carried(word.split(['=', '+']).next().unwrap_or_default()))
}

/// `$_` or `${_}`, and not `$_name`.
fn names_last_word(text: &str) -> bool {
    text.contains("${_}")
        || text.match_indices("$_").any(|(at, found)| {
            !text[at + found.len()..].starts_with(|sign: char| sign.is_ascii_alphanumeric() || sign == '_')
        })
}

/// A word as it is written, or as it is known.
fn said(word: &Word) -> &str {
    match &word.value {
        Value::Known { text, tilde: false } => text,
        _ => word.raw.trim_matches('"'),
    }
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    SHELLS.contains(&name) || name == "-l"
}

/// Variables that change what bash runs or how it reads; none of them goes from shell to shell.
fn is_not_carried(name: &str) -> bool {
    matches!(name, "ENV" | "POSIXLY_CORRECT" | "PS4")
        || ["BASH_", "LD_", "DYLD_"].iter().any(|start| name.starts_with(start))
}

/// `set` with an option that no other shell has on or off for it.
fn changes_unseen(arguments: &[&str]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let (on, letters) = match (word.strip_prefix('-'), word.strip_prefix('+')) {
            (Some("" | "-"), _) => return false,
            (Some(letters), _) => (true, letters),
            (None, Some(letters)) => (false, letters),
            (None, None) => return false,
        };
        for letter in letters.chars() {
            let changes = match letter {
                'o' => match words.next() {
                    Some(name) => !CARRIED_NAMES.contains(name) && ON_NAMES.contains(name) != on,
                    None => false,
                },
                letter if CARRIED_LETTERS.contains(letter) => false,
                letter => ON_LETTERS.contains(letter) != on,
            };
            if changes {
                return true;
            }
        }
    }
    false
}

/// `shopt` with an option that no other shell has on or off for it.
fn changes_patterns(arguments: &[&str]) -> bool {
    let options: Vec<&str> = arguments.iter().filter_map(|word| word.strip_prefix('-')).collect();
    let sets = |letter: char| options.iter().any(|option| option.contains(letter));
    let names = arguments.iter().filter(|word| !word.starts_with('-'));
    let mut names = names.take_while(|word| !word.starts_with(['>', '<', '|']));
    if sets('o') {
        return (sets('s') && names.any(|name| !CARRIED_NAMES.contains(name) && !ON_NAMES.contains(name)))
            || (sets('u') && names.any(|name| ON_NAMES.contains(name)));
    }
    (sets('s') && names.any(|name| !CARRIED_SHELL_OPTIONS.contains(name) && !ON_SHELL_OPTIONS.contains(name)))
        || (sets('u') && names.any(|name| ON_SHELL_OPTIONS.contains(name)))
}

/// Programs of bash's own that answer by their status, so that `A && B` says nothing is wrong where A does not go well.
/// A test is known as such where a step's end is judged.
const ANSWER: [&str; 7] = ["command", "declare", "false", "getopts", "kill", "read", "shopt"];

/// A status that its writer wants to see: `false`, `! grep …`, `(exit 3)`.
fn is_meant_to_fail(text: &str) -> bool {
    let exits = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).is_some_and(|inner| {
        let last = inner.rsplit([';', '\n']).next().unwrap_or(inner).trim();
        last.strip_prefix("exit ").is_some_and(|status| status.trim().parse() != Ok(0))
    });
    text == "false"
        || text.starts_with("! ")
        || text.ends_with("| false")
        || text.ends_with("&& false")
        || exits
}
