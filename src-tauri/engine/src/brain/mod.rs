//! What the agent proposes after a failure. First the field guide, then a model where one is connected. It never
//! fails: whatever goes wrong becomes `abort` with the reason. It proposes only; nothing here runs, approves or
//! lowers a risk.

mod answer;
mod cache;
pub mod context;
pub mod instructions;
pub(crate) mod json;
pub mod planning;
mod prompt;
pub mod sorting;
pub mod surroundings;
pub(crate) mod text;

use std::sync::Arc;

use planwright_shell::Facts;

use crate::guide::{self, Failure, Local, Machine};
use crate::model::{self, Meter, ModelEvent, ModelProvider, Models, Notes};
use crate::protocol::{
    AgentCorrection, CorrectionAction, Plan, Purpose, QuestionEstimate, ShellState, Step, StepResult,
};
pub use cache::Answers;
use context::AgentContext;
use prompt::Question;

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
    /// What happened in the run before.
    pub context: AgentContext,
    /// The user's words.
    pub guidance: Option<String>,
    /// What the project says, as it is told to a model.
    pub instructions: Option<String>,
    /// Why no model may be asked, where that is so.
    pub withheld: Option<String>,
}

/// Field guide first, model second, honest refusal last.
#[derive(Debug, Clone)]
pub struct AgentBrain {
    machine: Arc<dyn Machine>,
    models: Models,
    guide: Arc<Local>,
}

impl AgentBrain {
    /// `guide`: what this machine adds to it.
    pub fn new(machine: Arc<dyn Machine>, models: Models, guide: Local) -> Self {
        Self { machine, models, guide: Arc::new(guide) }
    }

    /// What this machine adds to the field guide.
    pub fn guide(&self) -> Arc<Local> {
        Arc::clone(&self.guide)
    }

    /// Who would be asked, for the window: "field guide", or the guide and a model.
    pub fn asking(&self) -> String {
        match self.models.main() {
            Some(model) => format!("field guide, then {}", model.name()),
            None => "field guide".to_owned(),
        }
    }

    /// Who is asked what no rule knows.
    pub fn model(&self) -> Option<Arc<dyn ModelProvider>> {
        self.models.main()
    }

    /// Diagnoses a failure. Total: an error is an `abort` that says why. What a model's work costs is told to `notes`. A question that `answers` knows is not asked again.
    pub async fn analyze_failure(
        &self,
        case: &FailureCase,
        answers: &Answers,
        notes: &Notes,
    ) -> AgentCorrection {
        // Words from the user mean that the rules' answer was not what they wanted.
        if case.guidance.is_none()
            && let Some(correction) = self.ask_guide(case).await
        {
            return correction;
        }
        if let Some(why) = &case.withheld {
            return abort(NOBODY, why.clone());
        }
        match (self.models.main(), &case.guidance) {
            (Some(model), _) => ask_model(model.as_ref(), case, answers, notes).await,
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
            stdout: case.result.stdout.to_string(),
            stderr: case.result.stderr.to_string(),
            cwd: Some(case.result.cwd.clone().into()),
        };
        let facts = case.facts.clone();
        let (machine, local) = (Arc::clone(&self.machine), Arc::clone(&self.guide));
        let diagnose = move || guide::diagnose_with(&failure, &facts, machine.as_ref(), &local);
        let found = tokio::task::spawn_blocking(diagnose).await;
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
        E::Detached => "The service still runs".to_owned(),
        E::NotStarted { message } => format!("The command could not be started: {message}"),
    };
    let is_service = case.step.service.is_some();
    let what = if is_service && case.result.verify.is_some() {
        "The service ran, but it was not ready or its check failed".to_owned()
    } else if case.result.verify.is_some() {
        "The command ran, but its check failed".to_owned()
    } else {
        what
    };
    format!("{what}, and no rule of the field guide knows this failure. No model is connected to ask.")
}

impl FailureCase {
    fn question(&self) -> Question<'_> {
        Question {
            plan: &self.plan,
            step: &self.step,
            result: &self.result,
            context: &self.context,
            guidance: self.guidance.as_deref(),
        }
    }
}

/// What it would cost to ask `model` about this failure: the question's length, and an answer of a usual length.
pub fn estimate(
    model: &dyn ModelProvider,
    plan: &Plan,
    step: &Step,
    result: &StepResult,
    context: &AgentContext,
) -> QuestionEstimate {
    let text = Question { plan, step, result, context, guidance: None }.text();
    question_estimate(model, prompt::SYSTEM, &text, USUAL_ANSWER)
}

/// What it would cost to ask `model` something that it answers in `output_tokens`.
pub(crate) fn question_estimate(
    model: &dyn ModelProvider,
    system: &str,
    text: &str,
    output_tokens: u32,
) -> QuestionEstimate {
    let letters = system.chars().count() + text.chars().count();
    let input_tokens = u32::try_from(letters.div_ceil(LETTERS_IN_A_TOKEN)).unwrap_or(u32::MAX);
    let info = model.info();
    let tokens = model::Usage { input_tokens, output_tokens, ..model::Usage::default() };
    let cost_micros = info.price.map(|_| model::usage(&info, &tokens).cost_micros);
    QuestionEstimate { model: model.name(), input_tokens, output_tokens, cost_micros }
}

const LETTERS_IN_A_TOKEN: usize = 4;
/// Tokens of a correction, a long one.
pub(crate) const USUAL_ANSWER: u32 = 600;

/// Asks one model and nobody else: once, and once more with what was wrong with the answer. Total, as
/// [`AgentBrain::analyze_failure`] is.
pub async fn ask_model(
    model: &dyn ModelProvider,
    case: &FailureCase,
    answers: &Answers,
    notes: &Notes,
) -> AgentCorrection {
    let name = model.name();
    let schema = answer::schema();
    let system = match &case.instructions {
        Some(instructions) => format!("{}\n\n{instructions}", prompt::SYSTEM),
        None => prompt::SYSTEM.to_owned(),
    };
    let mut messages = vec![case.question().text()];
    if let Some(known) = answers.find(&name, &system, &messages) {
        return known;
    }
    let mut complaint = String::new();
    for _ in 0..2 {
        let meter = Meter::new(Purpose::Recovery, model, notes.clone());
        let heard = |event: &ModelEvent| meter.hear(event);
        let text = match model.call_raw(&system, &messages, Some(&schema), &heard).await {
            Ok(text) => text,
            Err(error) => {
                let message = format!("{name} could not answer: {error}");
                return abort(&name, message);
            }
        };
        match answer::parse(&text, &name)
            .and_then(|found| answer::with_secrets(found, case.step.action.command()))
        {
            Ok(correction) => {
                answers.keep(&name, &system, &messages[..1], &correction);
                return correction;
            }
            Err(error) => {
                complaint = error.to_string();
                messages.push(text::clip(&text, UNUSABLE));
                messages.push(prompt::complaint(&complaint));
            }
        }
    }
    let message =
        format!("{name} twice gave an answer that cannot be used: {}", text::line(&complaint, UNUSABLE));
    abort(&name, message)
}

/// Longest unusable answer that is shown to the model again, in characters.
const UNUSABLE: usize = 4000;

fn abort(source: &str, reasoning: String) -> AgentCorrection {
    AgentCorrection {
        action: CorrectionAction::Abort,
        reasoning,
        source: source.to_owned(),
        confidence: 1.0,
        modified_command: None,
        new_steps: None,
        alternatives: None,
        candidates: Vec::new(),
        wait_seconds: None,
        warning: None,
    }
}

#[cfg(test)]
mod tests;
