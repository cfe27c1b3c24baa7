//! A run as a person reads it while it goes: each step under its number, what it prints under a rule of its own, and in
//! plain words what went wrong and what is tried. Decides nothing; what commands print never steers the terminal.

mod conversation;
mod goal;
mod output;
mod secret;

use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Instant;

use anstream::adapter::StripStr;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use planwright_engine::plan::{changes, describe};
use planwright_engine::protocol::{
    Action, AgentCorrection, Approval, Correction, CorrectionAction, CorrectionOf, Event, EventRecord, Job,
    Mode, PauseReason, Plan, Risk, ServiceId, ServiceState, SessionState, StepId, StepOrigin, Stream,
};

use crate::words;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const ASKS: Style = AnsiColor::Yellow.on_default();
const MENDS: Style = AnsiColor::Magenta.on_default();
/// Where everything below a step's title begins.
const INDENT: &str = "     ";
const WIDTH: usize = 92;

/// What is on the screen so far, as far as the next line depends on it. Colours only on a terminal, and not with
/// `NO_COLOR`.
#[derive(Debug)]
pub(crate) struct Screen {
    out: AutoStream<io::Stdout>,
    plan: Option<Plan>,
    /// The step and the command that stand last under a title, so that a question and the start share one.
    under: Option<(StepId, String)>,
    /// Whether the last output ended its line.
    at_line_start: bool,
    strip: StripStr,
    /// The line of output that has not ended, where only whole lines are shown.
    line: String,
    /// A carriage return came last: what comes next, if it is no line's end, stands in the line's place.
    returned: bool,
    /// So many characters before the line's end what comes next is written.
    back: usize,
    /// A sequence that has not come to its end.
    begun: String,
    /// Lines above that are drawn over.
    block: Option<output::Block>,
    /// Whose text stands on the line that has not ended.
    line_of: Option<Stream>,
    /// Lines can be drawn over.
    redraws: bool,
    /// What the calls of a conversation are, by the ids that their questions name.
    calls: HashMap<StepId, String>,
    /// What stands before each line of output.
    rule: String,
    corrections: u32,
    began: Option<Instant>,
    /// Titles of those that run.
    services: HashMap<ServiceId, String>,
    /// What commands have left running, as last told.
    jobs: Vec<Job>,
    /// Actions of sub-goals that go on, with the numbers of those.
    branches: HashMap<StepId, (u32, String)>,
    /// Somebody sits at the terminal and is asked.
    attended: bool,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let out = anstream::stdout();
        let rule = match out.current_choice() {
            ColorChoice::Never => format!("{INDENT}│ "),
            ColorChoice::Auto | ColorChoice::AlwaysAnsi | ColorChoice::Always => {
                format!("{INDENT}{DIM}│{DIM:#} ")
            }
        };
        Self {
            out,
            plan: None,
            under: None,
            at_line_start: true,
            strip: StripStr::new(),
            line: String::new(),
            returned: false,
            back: 0,
            begun: String::new(),
            block: None,
            line_of: None,
            redraws: io::stdout().is_terminal(),
            calls: HashMap::new(),
            rule,
            corrections: 0,
            began: None,
            branches: HashMap::new(),
            services: HashMap::new(),
            jobs: Vec::new(),
            attended: false,
        }
    }

    pub(crate) fn attended(self, attended: bool) -> Self {
        Self { attended, ..self }
    }

    pub(crate) fn begin(&mut self, state: &SessionState) -> io::Result<()> {
        self.plan.clone_from(&state.plan);
        let Some(plan) = &state.plan else { return Ok(()) };
        let title = words::one_line(&plan.title);
        writeln!(self.out, "{BOLD}{title}{BOLD:#}")?;
        writeln!(
            self.out,
            "{DIM}{} in {}{DIM:#}",
            words::steps(plan.steps.len()),
            words::one_line(&state.cwd)
        )?;
        for service in &state.services {
            let title = words::one_line(&service.title);
            match &service.state {
                ServiceState::Starting | ServiceState::Ready { .. } => {
                    self.services.insert(service.id, title);
                }
                ServiceState::Ended { end, .. } => {
                    self.note(ASKS, "service", &format!("\"{title}\" {}", words::service_end(end)))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn event(&mut self, record: &EventRecord) -> io::Result<()> {
        self.fresh_line()?;
        if self.goal_event(&record.event)? {
            return self.out.flush();
        }
        match &record.event {
            Event::PlanRevised { revision, original_steps, changes, .. } => {
                if let Some(plan) = &mut self.plan {
                    // One that does not fit is told by the engine.
                    let _ = changes::revise(plan, *revision, *original_steps, changes);
                }
            }
            Event::PlanStarted { mode, .. } | Event::PlanResumed { mode } => {
                self.began = Some(Instant::now());
                writeln!(self.out, "{DIM}{}{DIM:#}", mode_in_words(*mode))?;
            }
            Event::StepStarted { step_id, attempt, command, .. } => {
                self.heading(step_id, command, *attempt)?
            }
            Event::StepCompleted { result, .. } => {
                let took = words::duration(result.ended_at.millis_since(result.started_at));
                writeln!(self.out, "{INDENT}{GOOD}done{GOOD:#}{DIM}{took:>10}{DIM:#}")?;
                self.under = None;
            }
            Event::StepFailed { result, reason } => {
                // A command on the blocked floor fails without having started.
                self.heading(&result.step_id, &result.command, result.attempt_index)?;
                self.note(BAD, "failed", reason)?;
                self.under = None;
            }
            Event::StepSkipped { step_id, reason } => {
                self.title(step_id, 0)?;
                self.note(DIM, "skipped", reason)?;
            }
            Event::StepCancelled { .. } => writeln!(self.out, "{INDENT}{ASKS}cancelled{ASKS:#}")?,
            Event::StepAwaitingRun { step_id } => {
                let command = self.command(step_id);
                self.heading(step_id, &command, 0)?;
                if self.attended {
                    return self.out.flush();
                }
                let way_out = "for Run, and nobody is here to press it. Use another --mode, or the window.";
                self.note(ASKS, "waits", way_out)?;
            }
            Event::ApprovalNeeded { approval } => self.question(approval)?,
            Event::ApprovalResolved { allowed_by: Some(_), .. } => {
                self.note(GOOD, "allowed", if self.attended { "by you" } else { "by the policy" })?
            }
            Event::ApprovalResolved { allowed_by: None, .. } => self.note(BAD, "not allowed", "")?,
            // The field guide answers at once; only a model is worth telling about before it does.
            Event::AgentThinking { asking, .. } if asking != "field guide" => {
                self.note(MENDS, "asking", &format!("{asking} …"))?;
            }
            Event::AgentError { message, .. } => self.note(BAD, "agent", message)?,
            Event::CorrectionAttempt { correction: Correction::Step(correction), .. } => {
                self.correction(correction)?
            }
            Event::CorrectionAttempt { correction: Correction::Call(correction), .. } => {
                self.self_correcting(&correction.suggested_approach)?;
            }
            Event::CorrectionFailed { reason, of: CorrectionOf::Step, .. } => {
                self.note(BAD, "no help", reason)?
            }
            Event::CorrectionSuccess { of: CorrectionOf::Step, .. } => self.corrections += 1,
            Event::RetryAttempt { wait_seconds, attempt, allowed, .. } if *wait_seconds > 0 => {
                let words = format!("{wait_seconds} s before it is tried again ({attempt} of {allowed})");
                self.note(DIM, "waiting", &words)?;
            }
            Event::BudgetWarning { corrections, allowed } => {
                self.note(ASKS, "budget", &format!("{corrections} of {allowed} corrections are used"))?;
            }
            Event::AgentStuck { alternatives, candidates, .. } => {
                for candidate in candidates {
                    self.note(MENDS, "perhaps", &format!("`{}`: {}", candidate.command, candidate.does))?;
                }
                for other in alternatives {
                    self.note(MENDS, "or", other)?;
                }
            }
            Event::PlanCompleted { steps, repairs, skipped } => {
                let text = self.summary(*steps, *repairs, *skipped);
                writeln!(self.out, "\n{GOOD}Done{GOOD:#} {text}")?;
            }
            Event::PlanFailed { code, reason } => {
                writeln!(self.out, "\n{BAD}Failed.{BAD:#} {}", words::one_line(reason))?;
                self.explained(code)?;
            }
            Event::PlanCancelled { .. } => writeln!(self.out, "\n{ASKS}Cancelled.{ASKS:#}")?,
            Event::ModelRetrying { attempt, allowed, wait_millis, reason, sub_goal, .. } => {
                let wait = f64::from(*wait_millis) / 1000.0;
                let words = format!("{reason} Asking again in {wait:.1} s ({attempt}/{allowed}).");
                match sub_goal {
                    Some(number) => self.of_branch(*number, ASKS, &words::one_line(&words))?,
                    None => self.note(ASKS, "model", &words)?,
                }
            }
            Event::PlanPaused { reason: reason @ PauseReason::NoRoom { folder } } => {
                let folder = words::one_line(folder);
                writeln!(
                    self.out,
                    "\n{ASKS}Paused.{ASKS:#} There is no room on the disk that holds {folder}. Nothing is lost: free some, then \
                     go on with `resume`."
                )?;
                self.explained(&reason.code())?;
            }
            Event::PlanPaused { reason: PauseReason::Manual { step_id } } => {
                let instruction = self.command(step_id);
                self.heading(step_id, &instruction, 0)?;
                self.note(ASKS, "by hand", "do this yourself, then go on with `resume`")?;
            }
            Event::Undone { undo } => {
                let back = undo.restored + undo.recreated + undo.trashed;
                let files = if back == 1 { "1 file was".to_owned() } else { format!("{back} files were") };
                self.note(MENDS, "undone", &format!("{files} put back as before"))?;
            }
            Event::SecretNeeded { request } => self.secret_needed(request)?,
            Event::SecretResolved { outcome, .. } => self.secret_resolved(*outcome)?,
            Event::ServiceStarted { service } => {
                let title = words::one_line(&service.title);
                self.note(
                    MENDS,
                    "service",
                    &format!("\"{title}\" is starting; ready when {}", service.ready),
                )?;
                self.services.insert(service.id, title);
            }
            Event::ServiceWanted { service_id, .. } => {
                let title = self.services.get(service_id).cloned().unwrap_or_default();
                self.note(MENDS, "service", &format!("\"{title}\" is started again"))?;
            }
            Event::ServiceReady { service_id } => {
                let title = self.services.get(service_id).cloned().unwrap_or_default();
                self.note(MENDS, "service", &format!("\"{title}\" is ready and runs on"))?;
            }
            Event::ServiceEnded { service_id, end } => {
                let title = self.services.remove(service_id).unwrap_or_default();
                self.note(ASKS, "service", &format!("\"{title}\" {}", words::service_end(end)))?;
            }
            Event::JobsChanged { jobs } => self.jobs_changed(jobs)?,
            Event::PlanGenerated { plan } => self.plan = Some(plan.clone()),
            Event::CallStarted { action, .. } => self.call_started(action)?,
            Event::CallFinished { result, .. } => self.call_finished(result)?,

            Event::TurnEnded { end, synthesis, .. } => self.turn_ended(end, synthesis.as_ref())?,
            Event::InstructionsFound { found } => self.instructions(found)?,
            Event::CapWarning { cap, used, allowed } => self.cap_near(*cap, *used, *allowed)?,
            Event::AssistantMessage { parts, .. } => self.questions(parts)?,
            // `goal_event` has told them.
            Event::GoalStarted { .. }
            | Event::GoalSignalReceived { .. }
            | Event::GoalSignalRejected { .. }
            | Event::TodosChanged { .. }
            | Event::GoalActionProposed { .. }
            | Event::GoalActionTakenOver { .. }
            | Event::GoalActionHandedBack { .. }
            | Event::GoalQuestionAsked { .. }
            | Event::GoalQuestionAnswered { .. }
            | Event::GoalGuidance { .. }
            | Event::GoalLoopNoticed { .. }
            | Event::SubGoalStarted { .. }
            | Event::SubGoalSignalReceived { .. }
            | Event::SubGoalSignalRejected { .. }
            | Event::SubGoalActionProposed { .. }
            | Event::SubGoalLoopNoticed { .. }
            | Event::SubGoalEnded { .. }
            | Event::GoalSentBack { .. }
            | Event::GoalPaused { .. }
            | Event::GoalResumed { .. }
            | Event::GoalEnded { .. }
            | Event::UserMessage { .. }
            | Event::InstructionsAnswered { .. }
            | Event::CorrectionSuccess { of: CorrectionOf::Call, .. }
            | Event::CorrectionFailed { of: CorrectionOf::Call, .. }
            | Event::ModelUsed { .. }
            | Event::ContextSummarized { .. }
            | Event::AgentContextSummarized { .. }
            | Event::CheckpointCreated { .. }
            | Event::SessionCreated { .. }
            | Event::SessionRenamed { .. }
            | Event::InputsForgotten { .. }
            | Event::PlanConfirmed { .. }
            | Event::PlanRejected { .. }
            | Event::ModeChanged { .. }
            | Event::StepInterrupted { .. }
            | Event::StepReset { .. }
            | Event::AgentThinking { .. }
            | Event::RolledBack { .. }
            | Event::PageMended { .. }
            | Event::RetryAttempt { .. }
            | Event::GuidanceGiven { .. }
            | Event::BudgetRaised
            | Event::PlanPaused { .. } => {}
        }
        self.out.flush()
    }

    /// What a command has left running, and what of that is over.
    fn jobs_changed(&mut self, jobs: &[Job]) -> io::Result<()> {
        let before = std::mem::replace(&mut self.jobs, jobs.to_vec());
        for job in jobs.iter().filter(|job| !before.contains(job)) {
            let command = words::one_line(&job.command);
            self.note(MENDS, "job", &format!("`{command}` runs on (process {})", job.pid))?;
        }
        for job in before.iter().filter(|job| !jobs.contains(job)) {
            let command = words::one_line(&job.command);
            self.note(MENDS, "job", &format!("`{command}` has ended"))?;
        }
        Ok(())
    }

    /// The title of a step and its command, unless they stand there already.
    fn heading(&mut self, id: &StepId, command: &str, attempt: u32) -> io::Result<()> {
        let here = (id.clone(), command.to_owned());
        if self.under.as_ref() == Some(&here) {
            return Ok(());
        }
        self.title(id, attempt)?;
        let step = self.plan.as_ref().and_then(|plan| plan.step(id));
        let by_hand = step.is_some_and(|step| step.action.is_manual());
        for (nth, line) in command.lines().enumerate() {
            let prompt = match (by_hand, nth) {
                (true, _) => "",
                (false, 0) => "$ ",
                (false, _) => "> ",
            };
            writeln!(self.out, "{INDENT}{DIM}{prompt}{}{DIM:#}", words::harmless(line))?;
        }
        self.under = Some(here);
        Ok(())
    }

    fn title(&mut self, id: &StepId, attempt: u32) -> io::Result<()> {
        let step = self.plan.as_ref().and_then(|plan| plan.step(id));
        let repair = step.is_some_and(|step| matches!(step.origin, StepOrigin::Repair { .. }));
        match step {
            Some(step) => {
                let title = words::one_line(&step.title);
                write!(self.out, "\n{:>3}  {BOLD}{title}{BOLD:#}", step.index + 1)?;
            }
            // A call of a conversation or a goal.
            None => {
                let title = self.calls.get(id).map_or("Call", String::as_str);
                write!(self.out, "\n{INDENT}{BOLD}{title}{BOLD:#}")?;
            }
        }
        match (repair, attempt) {
            (true, 0) => writeln!(self.out, "  {MENDS}repair{MENDS:#}"),
            (false, 0) => writeln!(self.out),
            (_, again) => writeln!(self.out, "  {DIM}attempt {}{DIM:#}", again + 1),
        }
    }

    fn question(&mut self, approval: &Approval) -> io::Result<()> {
        let again = self.plan.as_ref().and_then(|plan| plan.step(&approval.step_id));
        if again.is_none() {
            self.calls.insert(approval.step_id.clone(), call_title(&approval.action));
        }
        let attempt = u32::from(again.is_some_and(|step| step.changed.is_some()));
        self.heading(&approval.step_id, approval.action.command(), attempt)?;
        self.resolved(approval)?;
        let label = format!("asks ({})", words::risk(approval.assessment.risk));
        self.note(ASKS, &label, &approval.warning_message)?;
        for reason in &approval.assessment.reasons {
            match reason.risk {
                // The question may have said so already.
                Risk::Dangerous | Risk::Blocked if approval.warning_message.contains(&reason.text) => {}
                Risk::Dangerous | Risk::Blocked => {
                    let fragment = words::one_line(&reason.fragment);
                    self.note(ASKS, "because", &format!("{fragment} {}", reason.text))?;
                }
                Risk::Safe | Risk::Caution => {}
            }
        }
        Ok(())
    }

    /// What a command's variables and patterns stand for, where that is known: `"$HOME"` tells nobody what goes.
    fn resolved(&mut self, approval: &Approval) -> io::Result<()> {
        const MOST: usize = 4;
        let command = approval.action.command();
        let touches = &approval.assessment.effects.touches;
        if !command.contains(['$', '*', '?', '~', '`']) || touches.is_empty() {
            return Ok(());
        }
        let unsaid = touches.iter().filter(|path| !command.contains(path.as_str()));
        let mut named: Vec<String> = unsaid.map(|path| words::one_line(path)).collect();
        let more = named.len().saturating_sub(MOST);
        named.truncate(MOST);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        if named.is_empty() { Ok(()) } else { self.note(ASKS, "touches", &named.join(", ")) }
    }

    fn correction(&mut self, correction: &AgentCorrection) -> io::Result<()> {
        let who = if correction.source.starts_with("guide:") { "field guide" } else { &correction.source };
        self.note(MENDS, who, &correction.reasoning)?;
        match correction.action {
            CorrectionAction::InsertSteps => {
                for step in correction.new_steps.iter().flatten() {
                    self.note(MENDS, "adds", &step.title)?;
                }
            }
            CorrectionAction::Retry | CorrectionAction::Modify => match &correction.modified_command {
                Some(command) => self.note(MENDS, "tries", command)?,
                None => self.note(MENDS, "tries", "the same again")?,
            },
            CorrectionAction::Skip => self.note(MENDS, "skips", "this step")?,
            CorrectionAction::Abort => {}
        }
        Ok(())
    }

    /// A labelled remark below a step, wrapped.
    fn note(&mut self, style: Style, label: &str, text: &str) -> io::Result<()> {
        let label_width = label.chars().count();
        let gap = if label.is_empty() || text.is_empty() { "" } else { "  " };
        let indent = INDENT.len() + label_width + gap.len();
        let lines = words::wrap(&words::one_line(text), WIDTH.saturating_sub(indent).max(40));
        write!(self.out, "{INDENT}{style}{label}{style:#}{gap}")?;
        for (nth, line) in lines.iter().enumerate() {
            let margin = if nth == 0 { 0 } else { indent };
            if nth > 0 {
                writeln!(self.out)?;
            }
            write!(self.out, "{:margin$}{line}", "")?;
        }
        writeln!(self.out)
    }

    fn command(&self, id: &StepId) -> String {
        let step = self.plan.as_ref().and_then(|plan| plan.step(id));
        step.map(|step| step.action.command().to_owned()).unwrap_or_default()
    }

    fn summary(&self, steps: u32, repairs: u32, skipped: u32) -> String {
        let mut text = String::new();
        if let Some(began) = self.began {
            text.push_str(&format!(
                "in {}: ",
                words::duration(u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX))
            ));
        }
        text.push_str(&words::steps(steps as usize));
        for (count, one, many) in [
            (self.corrections, "correction", "corrections"),
            (repairs, "repair step", "repair steps"),
            (skipped, "skipped", "skipped"),
        ] {
            if count > 0 {
                text.push_str(&format!(", {count} {}", if count == 1 { one } else { many }));
            }
        }
        text + "."
    }
}

/// What a call of a model's is, for people.
fn call_title(action: &Action) -> String {
    match action {
        Action::Shell { command } => {
            format!("The model wants to run: {}", words::one_line(&describe(command).0))
        }
        Action::Tool { tool, .. } => format!("The model wants to use {}", words::one_line(tool)),
        Action::Manual { instruction } => words::one_line(instruction),
    }
}

fn mode_in_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Teacher => "Teacher: each step waits for Run",
        Mode::Planner => "Planner: stops at the first failure",
        Mode::Agentic => "Agentic: mends what fails",
    }
}
