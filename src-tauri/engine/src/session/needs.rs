//! Which steps need which (E1, E3): what a plan states; and of a page, whose order alone says little, what its shell
//! carries. A step that changes folder, environment or the like is needed by all behind it, one that sets a variable of
//! the shell alone by those that name it: run without that, they would mean something else. Reads commands only where a
//! step has not come to its end.

use planwright_shell::{Assignment, Facts, SimpleCommand, Value, Word};

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
        let later = step.action.command();
        let earlier: Vec<Step> =
            plan.steps.iter().take(step.index as usize).map(|step| (**step).clone()).collect();
        for step in earlier.into_iter().filter(ended_badly) {
            let (classifier, command) = (self.shared.classifier.clone(), step.action.command().to_owned());
            let facts = self.attend(Box::pin(async move { classifier.read(&command).await })).await?;
            if left_behind(&facts).is_needed_by(later) {
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

/// How running a text may leave the shell.
#[derive(Debug, PartialEq, Eq)]
enum Left<'f> {
    /// With these variables set, and no more: none, and it is as it was.
    Variables(Vec<&'f str>),
    Changed,
}

impl Left<'_> {
    fn is_needed_by(&self, later: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let names = |variable: &str| later.split(|c: char| !is_part(c)).any(|word| word == variable);
        match self {
            Self::Variables(variables) => variables.iter().any(|variable| names(variable)),
            Self::Changed => true,
        }
    }
}

fn left_behind(facts: &Facts) -> Left<'_> {
    if !facts.doubts.is_empty() || !facts.functions.is_empty() {
        return Left::Changed;
    }
    let mut variables = Vec::new();
    for command in &facts.commands {
        if command.context.in_subshell || command.context.in_substitution {
            continue;
        }
        match command.words.first() {
            // Also the variable of a loop. One in capitals may be of the environment, and is for every program.
            None if command.redirects.is_empty() && command.assignments.iter().all(is_own) => {
                variables.extend(command.assignments.iter().map(|set| set.name.as_str()));
            }
            Some(program) if !changes_the_shell(program, command) => {}
            None | Some(_) => return Left::Changed,
        }
    }
    Left::Variables(variables)
}

/// A variable that is not exported is for those who name it. What a shell has from its surroundings, or obeys itself, is
/// everybody's.
fn is_own(set: &Assignment) -> bool {
    const SHARED: [&str; 29] = [
        "BASH_ENV",
        "CDPATH",
        "DISPLAY",
        "EDITOR",
        "ENV",
        "EXECIGNORE",
        "GLOBIGNORE",
        "HISTFILE",
        "HOME",
        "HOSTNAME",
        "IFS",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "MAIL",
        "MANPATH",
        "OLDPWD",
        "OPTIND",
        "PAGER",
        "PATH",
        "POSIXLY_CORRECT",
        "PROMPT_COMMAND",
        "PWD",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "VISUAL",
    ];
    const KINDS: [&str; 4] = ["LC_", "LD_", "PS", "XDG_"];
    !SHARED.contains(&set.name.as_str()) && !KINDS.iter().any(|kind| set.name.starts_with(kind))
}

fn changes_the_shell(program: &Word, command: &SimpleCommand) -> bool {
    match &program.value {
        // It prints, but for `-v name`.
        Value::Known { text, .. } if text == "printf" => {
            command.words.get(1).is_some_and(|word| word.raw.starts_with("-v"))
        }
        Value::Known { text, .. } => CHANGES_THE_SHELL.contains(&text.as_str()),
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use planwright_shell::{MAX_TEXT, read};

    use super::*;

    #[test]
    fn what_later_steps_need_is_what_their_shell_carries() {
        let is_needed = |command: &str, later: &str| {
            let facts = read(command, MAX_TEXT);
            left_behind(&facts).is_needed_by(later)
        };
        for command in [
            "cd app",
            "mkdir a && cd a",
            "export A=1",
            "PATH=/opt/bin:$PATH",
            "LC_ALL=C",
            "exec > log",
            "> log",
            ". venv/bin/activate",
            "f() { ls; }",
            "printf -v a b",
            "$x",
        ] {
            assert!(is_needed(command, "make"), "{command}");
        }
        for command in ["false", "mkdir -p \"$HOME/a\"", "(cd app && make)", "A=1 make", "a=1"] {
            assert!(!is_needed(command, "make"), "{command}");
        }
        // Their variables stay behind, for those who name them.
        for (later, wanted) in [("echo free", false), ("echo \"$X\"", true)] {
            assert_eq!(is_needed("X=$(cat nofile)", later), wanted, "{later}");
        }
        for (later, wanted) in
            [("make", false), ("wc -l *", false), ("wc $f", true), ("echo ${f%.c}.o", true)]
        {
            assert_eq!(is_needed("for f in *; do wc $f; done", later), wanted, "{later}");
        }
    }
}
