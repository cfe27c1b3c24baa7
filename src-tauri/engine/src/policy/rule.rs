use planwright_shell::{SimpleCommand, Value};

use super::Question;
use crate::protocol::{Action, Assessment, Grant, GrantLifetime, GrantRule, Risk, ToolName};

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
            GrantRule::Exact { command } => is_exactly(question.action, command),
            GrantRule::Program { words } => {
                is_shell(question.action)
                    && question.facts.doubts.is_empty()
                    && !words.is_empty()
                    && !question.facts.commands.is_empty()
                    && question.facts.commands.iter().all(|command| starts_with(command, words))
            }
            GrantRule::Tool { tool } => tool == tool_of(question.action),
        }
}

/// Whether a refusing grant touches the question: one matching command is enough.
pub(super) fn touches(grant: &Grant, question: &Question<'_>) -> bool {
    in_force(grant, question)
        && match &grant.rule {
            GrantRule::Exact { command } => is_exactly(question.action, command),
            GrantRule::Program { words } => {
                is_shell(question.action)
                    && !words.is_empty()
                    && question.facts.commands.iter().any(|command| begins(command, words))
            }
            GrantRule::Tool { tool } => tool == tool_of(question.action),
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

/// The rule for this one action: of a command its text, of a tool's call its name and canonical input, for the words
/// that people read do not tell one edit from another.
pub fn exact(action: &Action) -> GrantRule {
    let command = match action {
        Action::Shell { command } => command.trim().to_owned(),
        Action::Tool { tool, input, command: _ } => format!("{tool} {input}"),
    };
    GrantRule::Exact { command }
}

/// Whether a tool's call may change files: only a tool known to read is known not to.
pub(super) fn changes_files(action: &Action) -> bool {
    match action {
        Action::Shell { .. } => false,
        Action::Tool { tool, .. } => !ToolName::parse(tool).is_some_and(ToolName::only_reads),
    }
}

fn is_exactly(action: &Action, wanted: &str) -> bool {
    exact(action) == GrantRule::Exact { command: wanted.trim().to_owned() }
}

fn is_shell(action: &Action) -> bool {
    match action {
        Action::Shell { .. } => true,
        Action::Tool { .. } => false,
    }
}

fn tool_of(action: &Action) -> &str {
    match action {
        Action::Shell { .. } => ToolName::Shell.as_str(),
        Action::Tool { tool, .. } => tool,
    }
}

/// The rules that may be offered for an action. A command: the exact text, and its program with its sub-command where
/// every command of the line has the same. A tool that changes files: that tool. None for anything dangerous.
pub fn offers(action: &Action, facts: &planwright_shell::Facts, assessment: &Assessment) -> Vec<GrantRule> {
    match assessment.risk {
        Risk::Safe | Risk::Caution => {}
        Risk::Dangerous | Risk::Blocked => return Vec::new(),
    }
    match action {
        Action::Shell { .. } => {}
        Action::Tool { tool, .. } if changes_files(action) => {
            return vec![GrantRule::Tool { tool: tool.clone() }];
        }
        Action::Tool { .. } => return Vec::new(),
    }
    let mut rules = vec![exact(action)];
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
