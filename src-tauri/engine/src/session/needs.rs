//! Which steps need which (E1, E3): what a plan states; and of a page, whose order alone says little, what its shell
//! carries. A step that changes folder, variables or the like is needed by all behind it: run without that, they would
//! mean something else. Reads commands only where a step has not come to its end.

use planwright_shell::{Facts, SimpleCommand, Value};

use super::Session;
use crate::protocol::{EngineError, OnFailure, Plan, PlanOrigin, Step, StepState};

/// What changes the shell itself, or may.
const CHANGES_THE_SHELL: [&str; 26] = [
    ".",
    "alias",
    "builtin",
    "cd",
    "declare",
    "enable",
    "eval",
    "exec",
    "export",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "set",
    "shift",
    "shopt",
    "source",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "let",
];

impl Session {
    /// Why a step cannot run: something it needs failed, or was itself skipped for that reason. A step that the user
    /// or a correction chose to skip holds nobody up.
    pub(super) async fn unmet_need(&mut self, step: &Step) -> Result<Option<String>, EngineError> {
        let plan = self.plan()?;
        let Some(reason) = unmet_dependency(plan, step) else { return Ok(None) };
        if !is_order_alone(plan) {
            return Ok(Some(reason));
        }
        let earlier: Vec<Step> =
            plan.steps.iter().take(step.index as usize).map(|step| (**step).clone()).collect();
        for step in earlier.into_iter().filter(ended_badly) {
            let (assessor, command) = (self.shared.assessor.clone(), step.action.command().to_owned());
            let facts = self.attend(Box::pin(async move { assessor.read(&command).await })).await?;
            if changes_the_shell(&facts) {
                return Ok(Some(in_words(&step)));
            }
        }
        Ok(None)
    }
}

/// The same of what the plan states, and of a page as if its order were all need.
pub(super) fn unmet_dependency(plan: &Plan, step: &Step) -> Option<String> {
    let mut stated = step.depends_on.iter().filter_map(|id| plan.step(id));
    stated.find(|needed| did_not_complete(plan, needed, 0)).map(in_words)
}

fn in_words(culprit: &Step) -> String {
    format!("It needs \"{}\", which did not complete.", culprit.title)
}

/// A page gives each step the one before it to stand behind, and goes on past failures where that is wanted.
fn is_order_alone(plan: &Plan) -> bool {
    let previous = std::iter::once(None).chain(plan.steps.iter().map(|step| Some(&step.id)));
    plan.on_failure == OnFailure::Continue
        && matches!(plan.origin, PlanOrigin::Runbook { .. })
        && plan.steps.iter().zip(previous).all(|(step, previous)| step.depends_on.iter().eq(previous))
}

fn ended_badly(step: &Step) -> bool {
    match step.state {
        StepState::Failed { .. } | StepState::Cancelled | StepState::Interrupted { .. } => true,
        StepState::Skipped { .. }
        | StepState::Pending
        | StepState::AwaitingRun
        | StepState::AwaitingApproval { .. }
        | StepState::Running { .. }
        | StepState::Recovering { .. }
        | StepState::Completed { .. } => false,
    }
}

fn did_not_complete(plan: &Plan, step: &Step, depth: usize) -> bool {
    let needed = || step.depends_on.iter().filter_map(|id| plan.step(id));
    ended_badly(step)
        || (matches!(step.state, StepState::Skipped { .. })
            && depth <= plan.steps.len()
            && needed().any(|needed| did_not_complete(plan, needed, depth + 1)))
}

/// Whether running the text may leave the shell other than it was.
fn changes_the_shell(facts: &Facts) -> bool {
    let stays = |command: &SimpleCommand| command.context.in_subshell || command.context.in_substitution;
    let changes = |command: &SimpleCommand| match command.words.first().map(|word| &word.value) {
        None => !command.assignments.is_empty() || !command.redirects.is_empty(),
        // It prints, but for `-v name`.
        Some(Value::Known { text, .. }) if text == "printf" => {
            command.words.get(1).is_some_and(|word| word.raw.starts_with("-v"))
        }
        Some(Value::Known { text, .. }) => CHANGES_THE_SHELL.contains(&text.as_str()),
        Some(Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. }) => true,
    };
    !facts.doubts.is_empty()
        || !facts.functions.is_empty()
        || facts.commands.iter().any(|command| !stays(command) && changes(command))
}

#[cfg(test)]
mod tests {
    use planwright_shell::{MAX_TEXT, read};

    use super::*;

    #[test]
    fn what_later_steps_need_is_what_their_shell_carries() {
        let changes = |command: &str| changes_the_shell(&read(command, MAX_TEXT));
        for command in [
            "cd app",
            "mkdir a && cd a",
            "export A=1",
            "A=1",
            ". venv/bin/activate",
            "f() { ls; }",
            "printf -v a b",
            "$x",
            // It leaves its variable behind.
            "for f in *; do wc $f; done",
        ] {
            assert!(changes(command), "{command}");
        }
        for command in ["false", "mkdir -p \"$HOME/a\"", "(cd app && make)", "A=1 make"] {
            assert!(!changes(command), "{command}");
        }
    }
}
