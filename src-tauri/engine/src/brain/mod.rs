//! What the agent proposes after a failure. First the field guide, then a model where one is connected. It never
//! fails: whatever goes wrong becomes `abort` with the reason. It proposes only; nothing here runs, approves or
//! lowers a risk.

mod answer;
mod prompt;

use std::sync::Arc;

use planwright_shell::Facts;

use crate::guide::{self, Failure, Machine};
use crate::model::{Meter, ModelEvent, ModelProvider, Models, Notes};
use crate::protocol::{AgentCorrection, CorrectionAction, Plan, Purpose, ShellState, Step, StepResult};

/// The `source` of a correction that no rule and no model made.
pub const NOBODY: &str = "planwright";

/// One failed attempt with all that may help to understand it.
#[derive(Debug, Clone)]
pub struct FailureCase {
    pub plan: Plan,
    pub step: Step,
    pub result: StepResult,
    /// What the shell reader found in the command.
    pub facts: Facts,
    /// The shell state that the command started from.
    pub shell: ShellState,
    /// Earlier attempts of this step, oldest first.
    pub earlier: Vec<StepResult>,
    /// Corrections already tried for this step that did not help, or were refused.
    pub tried: Vec<AgentCorrection>,
    /// The user's words.
    pub guidance: Option<String>,
}

/// Field guide first, model second, honest refusal last.
#[derive(Debug, Clone)]
pub struct AgentBrain {
    machine: Arc<dyn Machine>,
    models: Models,
}

impl AgentBrain {
    pub fn new(machine: Arc<dyn Machine>, models: Models) -> Self {
        Self { machine, models }
    }

    /// Who would be asked, for the window: "field guide", or the guide and a model.
    pub fn asking(&self) -> String {
        match self.models.main() {
            Some(model) => format!("field guide, then {}", model.name()),
            None => "field guide".to_owned(),
        }
    }

    /// Diagnoses a failure. Total: an error is an `abort` that says why.
    pub async fn analyze_failure(&self, case: &FailureCase, notes: &Notes) -> AgentCorrection {
        // Words from the user mean that the rules' answer was not what they wanted.
        if case.guidance.is_none()
            && let Some(correction) = self.ask_guide(case).await
        {
            return correction;
        }
        match (self.models.main(), &case.guidance) {
            (Some(model), _) => ask_model(model.as_ref(), case, notes).await,
            (None, Some(_)) => abort(
                NOBODY,
                "No model is connected, so words cannot be turned into a command. Edit the step, or take over in Teacher."
                    .to_owned(),
            ),
            (None, None) => abort(NOBODY, nobody_knows(case)),
        }
    }

    /// The rules may look at the disk, so they do not run on the caller's task.
    async fn ask_guide(&self, case: &FailureCase) -> Option<AgentCorrection> {
        let failure = Failure {
            command: case.result.command.clone(),
            exit_code: case.result.exit_status.code(),
            stdout: case.result.stdout.clone(),
            stderr: case.result.stderr.clone(),
            cwd: Some(case.result.cwd.clone().into()),
        };
        let facts = case.facts.clone();
        let machine = Arc::clone(&self.machine);
        let found =
            tokio::task::spawn_blocking(move || guide::diagnose(&failure, &facts, machine.as_ref())).await;
        match found {
            Ok(correction) => correction,
            Err(error) => {
                tracing::error!(%error, "the field guide broke off");
                None
            }
        }
    }
}

fn nobody_knows(case: &FailureCase) -> String {
    use crate::protocol::ExitStatus as E;
    let what = match &case.result.exit_status {
        E::Code { code } => format!("The command ended with status {code}"),
        E::Signal { name, .. } => format!("The command was ended by {name}"),
        E::TimedOut { seconds } => format!("The command ran longer than {seconds} s"),
        E::Silent { seconds } => format!("The command wrote nothing for {seconds} s"),
        E::Cancelled => "The command was cancelled".to_owned(),
        E::NotStarted { message } => format!("The command could not be started: {message}"),
    };
    let what =
        if case.result.verify.is_some() { "The command ran, but its check failed".to_owned() } else { what };
    format!("{what}, and no rule of the field guide knows this failure. No model is connected to ask.")
}

/// Asks once, and once more with what was wrong with the answer.
async fn ask_model(model: &dyn ModelProvider, case: &FailureCase, notes: &Notes) -> AgentCorrection {
    let name = model.name();
    let schema = answer::schema();
    let mut messages = vec![prompt::question(case)];
    let mut complaint = String::new();
    for _ in 0..2 {
        let meter = Meter::new(Purpose::Recovery, model, notes.clone());
        let heard = |event: &ModelEvent| meter.hear(event);
        let text = match model.call_raw(prompt::SYSTEM, &messages, Some(&schema), &heard).await {
            Ok(text) => text,
            Err(error) => return abort(&name, format!("{name} could not answer: {error}")),
        };
        match answer::parse(&text, &name) {
            Ok(correction) => return correction,
            Err(error) => {
                complaint = error.to_string();
                messages.push(text);
                messages.push(prompt::complaint(&complaint));
            }
        }
    }
    abort(&name, format!("{name} twice gave an answer that cannot be used: {complaint}"))
}

fn abort(source: &str, reasoning: String) -> AgentCorrection {
    AgentCorrection {
        action: CorrectionAction::Abort,
        reasoning,
        source: source.to_owned(),
        confidence: 1.0,
        modified_command: None,
        new_steps: None,
        alternatives: None,
        wait_seconds: None,
    }
}

#[cfg(test)]
mod tests;
