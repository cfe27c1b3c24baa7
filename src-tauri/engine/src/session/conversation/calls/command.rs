//! A command that the model asks for: judged, asked about, run in the session's shell.

use super::{Asked, Worked};
use crate::approval::{Permit, Place};
use crate::context;
use crate::exit_status::Verdict;
use crate::keyboard;
use crate::policy;
use crate::protocol::{
    Action, Assessment, CallOutcome, EngineError, ExitStatus, KeyboardEffect, KeyboardNeed, ModelWarning,
    Proposer, Risk, ShellState, StepLimits, ToolResult,
};
use crate::runner::RunOutcome;
use crate::session::Session;
use crate::session::attempt::OutputWanted;
use crate::session::conversation::gate::{Passed, Wanted};
use crate::session::undo::at_work;

/// Longest output of a command that the model is told, in characters.
const OUTPUT: usize = 16_000;

impl Session {
    pub(in crate::session) async fn run_command(
        &mut self,
        call: &Asked,
        command: String,
        warning: Option<ModelWarning>,
        proposer: &Proposer,
    ) -> Result<Worked, EngineError> {
        let mut command = command;
        let mut asked: Option<Risk> = None;
        loop {
            let (classifier, shell, root) =
                (self.shared.classifier.clone(), self.state.shell.clone(), self.state.cwd.clone());
            let judged = command.clone();
            let mut assessed = self
                .attend(Box::pin(async move { classifier.assess_for_model(&judged, &shell, &root).await }))
                .await?;
            if self.control.interrupts() {
                return Ok(Worked::Stopped { ran: false, instead: None });
            }
            // It was about the model's command, not about what the user wrote instead.
            if let (Some(warning), None) = (&warning, asked) {
                policy::heed(&mut assessed.assessment, warning);
            }
            let shell = self.state.shell.clone();
            let place = Place::Shell(&shell);
            let wanted = Wanted { id: &call.id, tool: &call.tool, proposer, diffs: &[], place };
            match self.pass(&wanted, Action::shell(&command), assessed, asked).await? {
                Passed::Run(permit, action, assessed) => {
                    return self.run_permitted(call, permit, action, &assessed.assessment).await;
                }
                Passed::Refused(result) => return Ok(Worked::Result(result, None)),
                Passed::Stopped(instead) => return Ok(Worked::Stopped { ran: false, instead }),
                Passed::Edited(edited, risk) => (command, asked) = (edited, Some(risk)),
            }
        }
    }

    async fn run_permitted(
        &mut self,
        call: &Asked,
        permit: Permit,
        action: Action,
        assessment: &Assessment,
    ) -> Result<Worked, EngineError> {
        let in_terminal = permit.is_for_terminal();
        if let Some(need) =
            assessment.keyboard.as_ref().filter(|need| need.effect == KeyboardEffect::NotStarted)
            && !in_terminal
        {
            return Ok(Worked::Result(call.error(keyboard::refusal(need)), None));
        }
        let checkpoint = match self.keep_for_call(&call.id, assessment).await? {
            Ok(checkpoint) => checkpoint,
            Err(error) => {
                return Ok(Worked::Result(call.error(error.message), None));
            }
        };
        self.call_started(call, &action, &permit, assessment.risk).await?;
        let shell = self.state.shell.clone();
        let limits = StepLimits::default();
        let wanted = if in_terminal { OutputWanted::InTerminal } else { OutputWanted::InOrder };
        let command = action.command().to_owned();
        let outcome = self.execute(&call.id, limits, permit, action, &shell, 0, 0, wanted).await?;
        let changed = self.settle(checkpoint, at_work(&outcome)).await?;
        if outcome.exit_status == ExitStatus::Cancelled {
            return Ok(Worked::Stopped { ran: true, instead: None });
        }
        let verdict = self.verdict(&command, &[0], &outcome).await?;
        let (result, shell) =
            result_of_command(call, outcome, verdict, assessment.keyboard.as_ref(), in_terminal);
        let (files_changed, more_files_changed) = (changed.files, changed.more);
        let result = ToolResult { files_changed, more_files_changed, ..result };
        Ok(Worked::Result(Box::new(result), shell.map(Box::new)))
    }
}

/// What a command that came to its end gave, and the shell that it left. One that failed leaves the shell as it was.
pub(in crate::session) fn result_of_command(
    call: &Asked,
    outcome: RunOutcome,
    verdict: Verdict,
    need: Option<&KeyboardNeed>,
    in_terminal: bool,
) -> (ToolResult, Option<ShellState>) {
    let plain = context::plain_text(&outcome.output);
    let status = status_in_words(&outcome.exit_status);
    let (ended_well, status) = match verdict {
        Verdict::Done => (true, status),
        Verdict::Answer(says) => (true, format!("{status}: {says}")),
        // "It ended with status 1." is said already.
        Verdict::Failed(reason) if outcome.exit_status.code() == Some(0) || reason.contains("timeout") => {
            (false, format!("{status}, but it failed: {reason}"))
        }
        Verdict::Failed(_) => (false, status),
    };
    let unanswered = if ended_well && !in_terminal { keyboard::unanswered(need, &plain) } else { None };
    let succeeded = ended_well && unanswered.is_none();
    let status = unanswered.unwrap_or(status);
    let who = if in_terminal { ", with the user at its terminal" } else { "" };
    let running = still_running(&outcome);
    let content = format!("{status}{who}{running}\n{}", context::bounded(&plain, OUTPUT));
    let result = ToolResult {
        outcome: if succeeded { CallOutcome::Success } else { CallOutcome::Error },
        content: content.trim_end().to_owned(),
        output: Some(outcome.output.into()),
        omitted_lines: outcome.omitted_lines,
        exit_status: Some(outcome.exit_status),
        started_at: outcome.started_at,
        ended_at: outcome.ended_at,
        ..*call.success("")
    };
    (result, outcome.shell.filter(|_| succeeded))
}

/// What a model has to know of what is left running, for the next call's sake.
fn still_running(outcome: &RunOutcome) -> String {
    let jobs = outcome.jobs.iter().flatten();
    let mut told: String = jobs
        .map(|job| match &job.command {
            Some(command) => format!("; process {} runs on: {command}", job.pid),
            None => format!("; process {} runs on", job.pid),
        })
        .collect();
    if outcome.leftovers > 0 {
        told += &format!("; {} of its processes were ended with it", outcome.leftovers);
    }
    told
}

fn status_in_words(status: &ExitStatus) -> String {
    match status {
        ExitStatus::Code { code } => format!("exit status {code}"),
        ExitStatus::Signal { name, .. } => format!("ended by {name}"),
        ExitStatus::TimedOut { seconds } => format!("ended after its limit of {seconds} s"),
        ExitStatus::Silent { seconds } => format!("ended after {seconds} s without output"),
        ExitStatus::Detached => "still runs".to_owned(),
        ExitStatus::Cancelled => "cancelled".to_owned(),
        ExitStatus::NotStarted { message } => format!("not started: {message}"),
    }
}
