use super::{Question, grant, prefix};
use crate::knowledge::{self, Takes};
use crate::protocol::{Action, ActionType, Assessment, Effects, Grant, GrantRule, Risk, ToolName};
use crate::risk::Run;

/// Everything that a yes would run, which rules are held against. Empty for a tool's call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WouldRun {
    /// Every command of the action, at any depth.
    pub action: Vec<Run>,
    /// Those of the step's check, where it does more than read.
    pub check: Vec<Run>,
}

/// Whether an allowing grant covers the question.
pub(super) fn covers(grant: &Grant, question: &Question<'_>) -> bool {
    grant::in_force(grant, question) && matches_all(&grant.rule, question.action, question.would_run)
}

/// Whether a refusing grant touches the question: one matching command is enough.
pub(super) fn touches(grant: &Grant, question: &Question<'_>) -> bool {
    grant::in_force(grant, question)
        && match &grant.rule {
            GrantRule::Exact { command } => is_exactly(question.action, command),
            GrantRule::Program { words } => {
                let WouldRun { action, check } = question.would_run;
                is_shell(question.action)
                    && !words.is_empty()
                    && action.iter().chain(check).any(|run| names(run, words))
            }
            GrantRule::Tool { tool } => tool == tool_of(question.action),
        }
}

/// Whether a rule covers **every** command that would run, the check's included.
pub fn matches_all(rule: &GrantRule, action: &Action, would_run: &WouldRun) -> bool {
    match rule {
        GrantRule::Exact { command } => is_exactly(action, command) && would_run.check.is_empty(),
        GrantRule::Program { words } => {
            is_shell(action)
                && !words.is_empty()
                && !would_run.action.is_empty()
                && would_run.action.iter().chain(&would_run.check).all(|run| is_of(run, words))
        }
        GrantRule::Tool { tool } => tool == tool_of(action) && would_run.check.is_empty(),
    }
}

/// The rule for this one action: of a command its text, of a tool's call its name and canonical input, for the words
/// that people read do not tell one edit from another.
pub fn exact(action: &Action) -> GrantRule {
    let command = match action {
        Action::Shell { command } => command.trim().to_owned(),
        Action::Tool { tool, input, command: _ } => format!("{tool} {input}"),
        Action::Manual { instruction } => instruction.clone(),
    };
    GrantRule::Exact { command }
}

/// Whether it asks another model, which costs money and sends words away.
pub(super) fn consults(action: &Action) -> bool {
    match action {
        Action::Shell { .. } | Action::Manual { .. } => false,
        Action::Tool { tool, .. } => tool == ActionType::AiConsult.as_str(),
    }
}

/// Whether a tool's call may change files: only a tool known to read is known not to.
pub(super) fn changes_files(action: &Action) -> bool {
    match action {
        Action::Shell { .. } | Action::Manual { .. } => false,
        Action::Tool { tool, .. } => !ToolName::parse(tool).is_some_and(ToolName::only_reads),
    }
}

fn is_exactly(action: &Action, wanted: &str) -> bool {
    exact(action) == GrantRule::Exact { command: wanted.trim().to_owned() }
}

fn is_shell(action: &Action) -> bool {
    match action {
        Action::Shell { .. } => true,
        Action::Tool { .. } | Action::Manual { .. } => false,
    }
}

/// Empty for what no tool does.
fn tool_of(action: &Action) -> &str {
    match action {
        Action::Shell { .. } => ToolName::Shell.as_str(),
        Action::Tool { tool, .. } => tool,
        Action::Manual { .. } => "",
    }
}

/// The rules that may be offered for an action, the narrowest first. A command: the exact text, and where one command
/// runs alone, its program with its sub-command. A tool that changes files: that tool. None for anything dangerous.
pub fn offers(action: &Action, would_run: &WouldRun, assessment: &Assessment) -> Vec<GrantRule> {
    match assessment.risk {
        Risk::Safe | Risk::Caution => {}
        Risk::Dangerous | Risk::Blocked => return Vec::new(),
    }
    match action {
        // What was not seen as a whole is answered once, not for ever.
        Action::Shell { command } if !can_be_shown_whole(command) => return Vec::new(),
        Action::Shell { .. } => {}
        Action::Tool { tool, .. } if changes_files(action) => {
            return vec![GrantRule::Tool { tool: tool.clone() }];
        }
        Action::Tool { .. } | Action::Manual { .. } => return Vec::new(),
    }
    let exactly = would_run.check.is_empty().then(|| exact(action));
    let program = program(would_run).filter(|_| is_confined(&assessment.effects));
    exactly.into_iter().chain(program).collect()
}

/// Whether a dialog can show a command at once, without scrolling, every character of it.
fn can_be_shown_whole(command: &str) -> bool {
    const LINES: usize = 8;
    const CHARACTERS: usize = 600;
    command.lines().count() <= LINES
        && command.chars().count() <= CHARACTERS
        && !command.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
}

/// Deleting, raising privileges and reaching out of the folder are never allowed by the name of a program.
fn is_confined(effects: &Effects) -> bool {
    !effects.deletes
        && !effects.raises_privilege
        && !effects.changes_tree_ownership
        && !effects.writes_outside
}

fn program(would_run: &WouldRun) -> Option<GrantRule> {
    let [only] = would_run.action.as_slice() else { return None };
    if only.assigned || only.redirected {
        return None;
    }
    let words: Vec<&str> = only.words.iter().map_while(|word| word.as_deref()).collect();
    let words: Vec<String> = prefix::prefix(&words)?.into_iter().map(str::to_owned).collect();
    let covered = would_run.check.iter().all(|run| is_of(run, &words));
    covered.then_some(GrantRule::Program { words })
}

/// Redirections and assignments are no part of an allowing rule.
fn is_of(run: &Run, words: &[String]) -> bool {
    !run.assigned && !run.redirected && begins(run, words)
}

fn begins(run: &Run, words: &[String]) -> bool {
    run.words.len() >= words.len()
        && run.words.iter().zip(words).all(|(word, wanted)| word.as_deref() == Some(wanted))
}

/// Whether a run is of the program and sub-command that a refusal names, however it is called: by its path, with flags
/// of the program between them. A word that is only known when it runs may be the one that is refused.
fn names(run: &Run, words: &[String]) -> bool {
    let (Some((Some(program), args)), Some((wanted, rest))) = (run.words.split_first(), words.split_first())
    else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    if program != wanted && name != wanted {
        return false;
    }
    let entry = knowledge::program(name);
    let mut args = args.iter();
    for wanted in rest {
        loop {
            match args.next() {
                Some(None) => break,
                Some(Some(word)) if word == wanted => break,
                Some(Some(flag)) if flag.starts_with('-') => {
                    let takes = entry.and_then(|entry| entry.flags.get(flag)).map(|flag| flag.value);
                    if matches!(takes, Some(Takes::Value(_))) {
                        args.next();
                    }
                }
                Some(Some(_)) | None => return false,
            }
        }
    }
    true
}
