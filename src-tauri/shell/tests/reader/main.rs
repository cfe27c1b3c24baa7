//! The reader through its public surface: what it finds, how it names it, and what it refuses to be sure of.

mod agreement;
mod contexts;
mod doubts;
mod found;
mod pieces;
mod spans;
mod words;

use planwright_shell::{DoubtKind, Facts, MAX_TEXT, Part, SimpleCommand, Value, read};

fn facts(text: &str) -> Facts {
    read(text, MAX_TEXT)
}

/// Facts of a text that must be read whole.
fn sure(text: &str) -> Facts {
    let facts = facts(text);
    assert_eq!(facts.doubts, [], "{text}");
    facts
}

fn kinds(text: &str) -> Vec<DoubtKind> {
    facts(text).doubts.iter().map(|doubt| doubt.kind).collect()
}

fn program(command: &SimpleCommand) -> String {
    command.words.first().map_or(String::new(), |word| shown(&word.value))
}

/// Programs in order; "" for assignments or redirections alone.
fn programs(text: &str) -> Vec<String> {
    sure(text).commands.iter().map(program).collect()
}

/// One command by its program.
fn command(text: &str, name: &str) -> SimpleCommand {
    let facts = sure(text);
    let found = facts.commands.iter().find(|command| program(command) == name);
    found.cloned().unwrap_or_else(|| panic!("no {name} in {text}: {facts:?}"))
}

/// A short form for comparing: `rm`, `~/x` as tilde(~/x), `*` as glob(*), `$x` as ?[$x].
fn shown(value: &Value) -> String {
    match value {
        Value::Known { text, tilde: false } => text.clone(),
        Value::Known { text, tilde: true } => format!("tilde({text})"),
        Value::Several { texts } => format!("several({})", texts.join(" ")),
        Value::Glob { pattern, tilde: false } => format!("glob({pattern})"),
        Value::Glob { pattern, tilde: true } => format!("tilde-glob({pattern})"),
        Value::Unknown { parts } => format!("?[{}]", parts.iter().map(part).collect::<Vec<_>>().join(" ")),
    }
}

fn part(part: &Part) -> String {
    match part {
        Part::Text { text } => text.clone(),
        Part::Variable { name, quoted: true } => format!("\"{name}\""),
        Part::Variable { name, quoted: false } => format!("${name}"),
        Part::Substitution => "()".into(),
        Part::Other { raw } => format!("other({raw})"),
    }
}

/// The second word of `echo WORD`.
fn word(text: &str) -> String {
    let facts = sure(&format!("echo {text}"));
    let words = &facts.commands[0].words;
    assert_eq!(words.len(), 2, "{text}: {words:?}");
    shown(&words[1].value)
}
