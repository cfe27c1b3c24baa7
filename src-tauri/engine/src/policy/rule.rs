use planwright_shell::{SimpleCommand, Value};

use super::Question;
use crate::protocol::{Assessment, Grant, GrantLifetime, GrantRule, Risk};

/// The run, session and folder that a question belongs to; a grant bound to another one does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings {
    pub run: String,
    pub session: String,
    pub folder: String,
}

impl Bindings {
    /// What a grant of this lifetime is bound to.
    pub fn for_lifetime(&self, lifetime: GrantLifetime) -> String {
        match lifetime {
            GrantLifetime::Run => self.run.clone(),
            GrantLifetime::Session => self.session.clone(),
            GrantLifetime::Folder => self.folder.clone(),
            GrantLifetime::Always => String::new(),
        }
    }
}

/// Whether an allowing grant covers the question: its rule must match **every** simple command of the line.
pub fn covers(grant: &Grant, question: &Question<'_>) -> bool {
    in_force(grant, question)
        && match &grant.rule {
            GrantRule::Exact { command } => command.trim() == question.command.trim(),
            GrantRule::Program { words } => {
                question.facts.doubts.is_empty()
                    && !words.is_empty()
                    && !question.facts.commands.is_empty()
                    && question.facts.commands.iter().all(|command| starts_with(command, words))
            }
            GrantRule::Tool { tool } => tool == "shell",
        }
}

/// Whether a refusing grant touches the question: one matching command is enough.
pub(super) fn touches(grant: &Grant, question: &Question<'_>) -> bool {
    in_force(grant, question)
        && match &grant.rule {
            GrantRule::Exact { command } => command.trim() == question.command.trim(),
            GrantRule::Program { words } => {
                !words.is_empty() && question.facts.commands.iter().any(|command| begins(command, words))
            }
            GrantRule::Tool { tool } => tool == "shell",
        }
}

fn in_force(grant: &Grant, question: &Question<'_>) -> bool {
    let bound_to = question.bindings.for_lifetime(grant.lifetime);
    match grant.lifetime {
        GrantLifetime::Always => true,
        GrantLifetime::Run | GrantLifetime::Session | GrantLifetime::Folder => {
            !bound_to.is_empty() && grant.bound_to == bound_to
        }
    }
}

/// The rules that may be offered for a command: the exact text, and its program with its sub-command where every
/// command of the line has the same. None for anything dangerous.
pub fn offers(command: &str, facts: &planwright_shell::Facts, assessment: &Assessment) -> Vec<GrantRule> {
    match assessment.risk {
        Risk::Safe | Risk::Caution => {}
        Risk::Dangerous | Risk::Blocked => return Vec::new(),
    }
    let mut rules = vec![GrantRule::Exact { command: command.trim().to_owned() }];
    if let [only] = facts.commands.as_slice()
        && facts.doubts.is_empty()
        && only.assignments.is_empty()
        && only.redirects.is_empty()
        && let Some(program) = only.words.first().and_then(known)
    {
        let sub_command = only.words.get(1).and_then(known).filter(|word| is_sub_command(word));
        let words = std::iter::once(program).chain(sub_command).map(str::to_owned).collect();
        rules.push(GrantRule::Program { words });
    }
    rules
}

/// Redirections and assignments in front of a command are no part of an allowing rule.
fn starts_with(command: &SimpleCommand, words: &[String]) -> bool {
    command.assignments.is_empty() && command.redirects.is_empty() && begins(command, words)
}

fn begins(command: &SimpleCommand, words: &[String]) -> bool {
    command.words.len() >= words.len()
        && command.words.iter().zip(words).all(|(word, wanted)| known(word) == Some(wanted.as_str()))
}

fn known(word: &planwright_shell::Word) -> Option<&str> {
    match &word.value {
        Value::Known { text, tilde: false } => Some(text),
        Value::Known { tilde: true, .. }
        | Value::Several { .. }
        | Value::Glob { .. }
        | Value::Unknown { .. } => None,
    }
}

fn is_sub_command(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
}
