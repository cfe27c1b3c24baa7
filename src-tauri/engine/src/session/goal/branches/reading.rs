//! The actions of a sub-goal. It only reads: a script, a file, and a command that the assessment calls safe. The gate judges
//! each as it judges every action; what it does not let through without a question is refused, never asked about.

use super::jobs::{Done, Job, stopped};
use crate::approval::Place;
use crate::brain::text::clip;
use crate::goal::eval::{self, Limits};
use crate::keyboard;
use crate::protocol::{
    Action, ActionType, Assessment, CallOutcome, EngineError, Event, ExitStatus, GoalAction, ModelRole,
    Proposer, Risk, StepLimits, Time, ToolResult,
};
use crate::session::Session;
use crate::session::attempt::OutputWanted;
use crate::session::classifier::Assessed;
use crate::session::conversation::calls::{Asked, result_of_command};
use crate::session::conversation::gate::Wanted;
use crate::session::ended::verdict;
use crate::session::goal::action::{call_of, given};
use crate::tools::{self, Call, Prepared, ToolFailure};

/// Longest reason and script that the record quotes, in characters.
const REASON: usize = 400;

impl Session {
    /// The first job of an action; `None`: it is over already.
    pub(super) async fn begin_action(
        &mut self,
        number: u32,
        action: GoalAction,
    ) -> Result<Option<Job>, EngineError> {
        let call = call_of(&action);
        match action.action.kind {
            ActionType::Shell => {
                let (classifier, shell, root) =
                    (self.shared.classifier.clone(), self.state.shell.clone(), self.state.cwd.clone());
                Ok(Some(Box::pin(async move {
                    let assessed = classifier.assess_for_model(&action.action.content, &shell, &root).await;
                    (number, Done::Judged(Box::new(action), Box::new(assessed)))
                })))
            }
            ActionType::FileRead => match tools::read(&call.tool, &call.input) {
                Ok(Call::File(file)) => {
                    let looking = self.looking(file);
                    let mut stop = self.control.stop.subscribe();
                    Ok(Some(Box::pin(async move {
                        let done = tokio::select! {
                            prepared = looking => Done::Looked(Box::new(action), Box::new(prepared)),
                            () = stopped(&mut stop) => Done::Stopped,
                        };
                        (number, done)
                    })))
                }
                Ok(Call::Shell { .. } | Call::AskUser { .. } | Call::CreatePlan { .. }) => {
                    self.refuse_reading(&call, "A sub-goal only reads.").await
                }
                Err(error) => self.finish_reading(call.error(error.to_string())).await,
            },
            ActionType::Eval => self.begin_script(number, &call, action.action.content).await,
            // Its signals cannot ask for these; a record that does is not believed.
            ActionType::AiConsult | ActionType::UserInput => {
                self.refuse_reading(&call, "A sub-goal asks nobody.").await
            }
        }
    }

    /// A command runs only when it is known to do nothing but read, and would run without a question.
    pub(super) async fn begin_command(
        &mut self,
        number: u32,
        action: GoalAction,
        assessed: Assessed,
    ) -> Result<Option<Job>, EngineError> {
        if self.control.interrupts() {
            return Ok(None);
        }
        let call = call_of(&action);
        let assessment = &assessed.assessment;
        if let Some(why) = changes(assessment) {
            return self.refuse_reading(&call, &why).await;
        }
        let shell = self.state.shell.clone();
        let proposer = self.reader(&action)?;
        let place = Place::Shell(&shell);
        let wanted = Wanted { id: &call.id, tool: &call.tool, proposer: &proposer, diffs: &[], place };
        let run = Action::shell(&action.action.content);
        let Some(permit) = self.would_pass(&wanted, &run, &assessed).await? else {
            return self
                .refuse_reading(&call, "It would have to be asked about, and a sub-goal asks nobody.")
                .await;
        };
        self.call_started(&call, &run, &permit, assessment.risk).await?;
        let limits = StepLimits::default();
        let running = self.running(&call.id, limits, permit, run, &shell, 0, 0, OutputWanted::InOrder);
        let need = assessed.assessment.keyboard;
        let (classifier, command) = (self.shared.classifier.clone(), action.action.content.clone());
        Ok(Some(Box::pin(async move {
            let outcome = running.await;
            let result = if outcome.exit_status == ExitStatus::Cancelled {
                interrupted(&call)
            } else {
                let verdict = verdict(&classifier, &command, &[0], &outcome).await;
                Box::new(result_of_command(&call, outcome, verdict, need.as_ref(), false).0)
            };
            (number, Done::Result(result))
        })))
    }

    pub(super) async fn begin_reading(
        &mut self,
        number: u32,
        action: GoalAction,
        prepared: Result<Prepared, ToolFailure>,
    ) -> Result<Option<Job>, EngineError> {
        if self.control.interrupts() {
            return Ok(None);
        }
        let call = call_of(&action);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                return self.finish_reading(call.error(failure.to_string())).await;
            }
        };
        let assessed = self.of_tool(&prepared);
        if !prepared.only_reads() {
            return self.refuse_reading(&call, "A sub-goal only reads.").await;
        }
        if let Some(why) = changes(&assessed.assessment) {
            return self.refuse_reading(&call, &why).await;
        }
        let cwd = self.state.shell.cwd.clone();
        let proposer = self.reader(&action)?;
        let place = Place::Folder(&cwd);
        let wanted = Wanted { id: &call.id, tool: &call.tool, proposer: &proposer, diffs: &[], place };
        let Some(permit) = self.would_pass(&wanted, prepared.action(), &assessed).await? else {
            return self
                .refuse_reading(&call, "It would have to be asked about, and a sub-goal asks nobody.")
                .await;
        };
        self.call_started(&call, prepared.action(), &permit, assessed.assessment.risk).await?;
        let started_at = Time::now();
        let task = self.spawn_tool(permit, prepared);
        let redactor = self.shared.redactor.clone();
        Ok(Some(Box::pin(async move {
            let result = match task.join().await {
                Some(Ok(done)) => call.success(redactor.text(&done.content)),
                Some(Err(failure)) => call.error(redactor.text(&failure.to_string())),
                None => interrupted(&call),
            };
            (number, Done::Result(Box::new(ToolResult { started_at, ..*result })))
        })))
    }

    async fn begin_script(
        &mut self,
        number: u32,
        call: &Asked,
        script: String,
    ) -> Result<Option<Job>, EngineError> {
        let given = given(&self.branch(number)?.actions);
        self.script_started(call, &script).await?;
        let (call, redactor, started_at) = (call.clone(), self.shared.redactor.clone(), Time::now());
        let mut stop = self.control.stop.subscribe();
        Ok(Some(Box::pin(async move {
            let work = tokio::task::spawn_blocking(move || eval::eval(&script, &given, Limits::default()));
            // A script that is given up has three seconds at most, and can touch nothing.
            let result = tokio::select! {
                done = work => match done {
                    Ok(Ok(answer)) => call.success(redactor.text(&answer)),
                    Ok(Err(error)) => call.error(error.to_string()),
                    Err(error) => call.error(format!("The script broke off: {error}.")),
                },
                () = stopped(&mut stop) => interrupted(&call),
            };
            (number, Done::Result(Box::new(ToolResult { started_at, ..*result })))
        })))
    }

    fn reader(&self, action: &GoalAction) -> Result<Proposer, EngineError> {
        let role = self.goal()?.request.model_backend.unwrap_or(ModelRole::Main);
        let model = self.shared.models.get(role).map(|model| model.name()).unwrap_or_default();
        Ok(Proposer::Chat { model, reason: clip(&action.action.rationale, REASON) })
    }

    async fn refuse_reading(&mut self, call: &Asked, why: &str) -> Result<Option<Job>, EngineError> {
        let words = format!("Refused, it was not run: {why} Do without it.");
        self.finish_reading(call.told(CallOutcome::Declined, words)).await
    }

    async fn finish_reading(&mut self, result: Box<ToolResult>) -> Result<Option<Job>, EngineError> {
        self.emit(vec![Event::CallFinished { result: *result, shell: None }]).await?;
        Ok(None)
    }
}

/// Why it is not for a sub-goal. Only what is safe only reads; nobody is at a keyboard.
fn changes(assessment: &Assessment) -> Option<String> {
    if assessment.risk != Risk::Safe {
        let reason = assessment.reasons.iter().find(|reason| reason.risk == assessment.risk);
        let reason = reason.map(|reason| format!(" It {}.", reason.text)).unwrap_or_default();
        return Some(format!("A sub-goal only reads, and this is not known to do nothing else.{reason}"));
    }
    // An address may carry what was read.
    if assessment.effects.uses_network {
        return Some("A sub-goal only reads on this machine, and this uses the network.".to_owned());
    }
    assessment.keyboard.as_ref().map(keyboard::refusal)
}

fn interrupted(call: &Asked) -> Box<ToolResult> {
    let words = "It was stopped while it read. It changed nothing, and may be done again.";
    call.told(CallOutcome::Interrupted, words)
}
