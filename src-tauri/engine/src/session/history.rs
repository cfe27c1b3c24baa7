//! What recovery remembers of a run (A2): a fold over the same events as the state, so that budgets and progress
//! survive a restart.

use std::collections::BTreeMap;

use crate::guide;
use crate::keyboard;
use crate::protocol::{
    AgentCorrection, Correction, CorrectionAction, CorrectionOf, Event, EventRecord, KeyboardNeed, StepId,
};

#[derive(Debug, Default)]
pub(super) struct History {
    /// Starts of each step, interrupted ones too.
    started: BTreeMap<StepId, u32>,
    /// Failures of each step, in order: what ran and how it failed, normalised.
    failures: BTreeMap<StepId, Vec<Failed>>,
    tried: BTreeMap<StepId, Vec<AgentCorrection>>,
    /// Of each step whose last attempt asked and got no answer: what ran, and that it asks.
    asked: BTreeMap<StepId, (String, KeyboardNeed)>,
    /// Steps that completed so far: between two failures it tells whether anything was done about the first.
    completed: u32,
    /// The step that the brain was asked about, while nothing came of it.
    unanswered: Option<StepId>,
    /// The latest correction of a step that has neither helped nor failed yet.
    open: BTreeMap<StepId, u32>,
    /// Of each step for which one of several commands was to be chosen: what had failed, and the commands.
    offered: BTreeMap<StepId, (String, Vec<String>)>,
    /// The step of a service that is wanted again, while the run is for nothing else.
    alone: Option<StepId>,
    /// Refused in a row.
    refused: u32,
    /// Corrections proposed so far, refused ones too.
    corrections: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Failed {
    command: String,
    error: String,
    /// Steps of the run that had completed before it.
    completed: u32,
}

impl History {
    pub(super) fn of(records: &[EventRecord]) -> Self {
        let mut history = Self::default();
        for record in records {
            history.apply(&record.event);
        }
        history
    }

    /// The step that the run is for, when it is for one alone.
    pub(super) fn alone(&self) -> Option<&StepId> {
        self.alone.as_ref()
    }

    fn note_alone(&mut self, event: &Event) {
        match event {
            Event::ServiceWanted { step_id, .. } => self.alone = Some(step_id.clone()),
            Event::PlanStarted { .. }
            | Event::PlanPaused { .. }
            | Event::AgentStuck { .. }
            | Event::PlanCompleted { .. }
            | Event::PlanFailed { .. }
            | Event::PlanCancelled { .. } => self.alone = None,
            _ => {}
        }
    }

    pub(super) fn apply(&mut self, event: &Event) {
        self.note_answer(event);
        self.note_alone(event);
        match event {
            Event::PlanGenerated { .. } => *self = Self::default(),
            Event::StepStarted { step_id, .. } => *self.started.entry(step_id.clone()).or_default() += 1,
            Event::StepFailed { result, reason } => {
                match keyboard::seen_to_ask(&result.command, reason) {
                    Some(need) => self.asked.insert(result.step_id.clone(), (result.command.clone(), need)),
                    None => self.asked.remove(&result.step_id),
                };
                let text = if result.stderr.trim().is_empty() { &result.stdout } else { &result.stderr };
                let check = result.verify.as_ref().map_or("", |verify| verify.output.as_str());
                let error = normalise(&format!("{:?} {text} {check}", result.exit_status));
                let command = result.command.trim().to_owned();
                let failed = Failed { command, error, completed: self.completed };
                self.failures.entry(result.step_id.clone()).or_default().push(failed);
            }
            Event::CorrectionAttempt { step_id, number, correction: Correction::Step(correction) } => {
                self.corrections = self.corrections.max(*number);
                self.tried.entry(step_id.clone()).or_default().push(correction.clone());
                self.open.insert(step_id.clone(), *number);
            }
            Event::CorrectionSuccess { step_id, of: CorrectionOf::Step, .. } => {
                self.open.remove(step_id);
            }
            Event::CorrectionFailed { step_id, reason, of: CorrectionOf::Step, .. } => {
                self.open.remove(step_id);
                if reason.starts_with(REFUSED) {
                    self.refused += 1;
                }
            }
            Event::AgentStuck { step_id, candidates, .. } => {
                let failed = self.failures.get(step_id).and_then(|failures| failures.last());
                if let Some(failed) = failed.filter(|_| !candidates.is_empty()) {
                    let commands = candidates.iter().map(|candidate| candidate.command.clone()).collect();
                    self.offered.insert(step_id.clone(), (failed.command.clone(), commands));
                }
            }
            Event::StepCompleted { .. } => self.completed += 1,
            // A correction was applied, or the user's words or hands change what may help.
            Event::RetryAttempt { .. }
            | Event::PlanRevised { .. }
            | Event::StepSkipped { .. }
            | Event::GuidanceGiven { .. }
            | Event::BudgetRaised
            | Event::StepReset { .. } => self.refused = 0,
            // Ways round in a conversation are no corrections of a plan.
            Event::CorrectionAttempt { correction: Correction::Call(_), .. }
            | Event::CorrectionSuccess { of: CorrectionOf::Call, .. }
            | Event::CorrectionFailed { of: CorrectionOf::Call, .. }
            | Event::SessionCreated { .. }
            | Event::SessionRenamed { .. }
            | Event::InputsForgotten { .. }
            | Event::PlanConfirmed { .. }
            | Event::PlanRejected { .. }
            | Event::PlanStarted { .. }
            | Event::ModeChanged { .. }
            | Event::StepAwaitingRun { .. }
            | Event::StepCancelled { .. }
            | Event::StepInterrupted { .. }
            | Event::ApprovalNeeded { .. }
            | Event::ApprovalResolved { .. }
            | Event::AgentThinking { .. }
            | Event::AgentError { .. }
            | Event::RolledBack { .. }
            | Event::BudgetWarning { .. }
            | Event::PlanPaused { .. }
            | Event::PlanResumed { .. }
            | Event::PlanCompleted { .. }
            | Event::PlanFailed { .. }
            | Event::PlanCancelled { .. }
            | Event::UserMessage { .. }
            | Event::AssistantMessage { .. }
            | Event::CallStarted { .. }
            | Event::CallFinished { .. }
            | Event::TurnEnded { .. }
            | Event::ModelRetrying { .. }
            | Event::ModelUsed { .. }
            | Event::CapWarning { .. }
            | Event::InstructionsFound { .. }
            | Event::InstructionsAnswered { .. }
            | Event::ContextSummarized { .. }
            | Event::CheckpointCreated { .. }
            | Event::Undone { .. }
            | Event::PageMended { .. }
            | Event::SecretNeeded { .. }
            | Event::SecretResolved { .. }
            | Event::ServiceStarted { .. }
            | Event::ServiceReady { .. }
            | Event::ServiceEnded { .. }
            | Event::GoalStarted { .. }
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
            | Event::ServiceWanted { .. }
            | Event::JobsChanged { .. }
            | Event::AgentContextSummarized { .. } => {}
        }
    }

    /// Attempts of a step so far.
    pub(super) fn attempts(&self, id: &StepId) -> u32 {
        self.started.get(id).copied().unwrap_or(0)
    }

    /// What a step asked in vain when this command of it ran last.
    pub(super) fn asked_in_vain(&self, id: &StepId, command: &str) -> Option<&KeyboardNeed> {
        self.asked.get(id).filter(|(asked, _)| asked == command).map(|(_, need)| need)
    }

    pub(super) fn open_correction(&self, id: &StepId) -> Option<u32> {
        self.open.get(id).copied()
    }

    /// The rule of the guide behind the correction that has neither helped nor failed yet.
    pub(super) fn open_rule(&self, id: &StepId) -> Option<&str> {
        self.open.get(id)?;
        guide::rule_of(&self.tried.get(id)?.last()?.source)
    }

    /// What had failed, where `command` is one of those that were offered in its place.
    pub(super) fn chosen_for(&self, id: &StepId, command: &str) -> Option<&str> {
        let (failed, offered) = self.offered.get(id)?;
        offered.iter().any(|one| one == command.trim()).then_some(failed)
    }

    /// Corrections refused one after the other, without one that was applied between them.
    pub(super) fn refused_in_a_row(&self) -> u32 {
        self.refused
    }

    pub(super) fn next_number(&self) -> u32 {
        self.corrections + 1
    }

    /// Waits of this step for something that passes by itself.
    pub(super) fn waits(&self, id: &StepId) -> u32 {
        let tried = self.tried.get(id).map_or(&[][..], Vec::as_slice);
        tried.iter().filter(|correction| correction.wait_seconds.is_some()).count() as u32
    }

    /// The step whose failure the brain was asked about when the program ended or the run was stopped, before anything
    /// came of it.
    pub(super) fn unanswered(&self) -> Option<&StepId> {
        self.unanswered.as_ref()
    }

    fn note_answer(&mut self, event: &Event) {
        match event {
            Event::AgentThinking { step_id, .. } => self.unanswered = Some(step_id.clone()),
            Event::RetryAttempt { .. }
            | Event::PlanRevised { .. }
            | Event::StepSkipped { .. }
            | Event::StepStarted { .. }
            | Event::StepReset { .. }
            | Event::AgentStuck { .. } => self.unanswered = None,
            _ => {}
        }
    }

    /// Why a correction would lead nowhere; `None` when it may be tried. `command` is the step's present one.
    pub(super) fn no_progress(
        &self,
        id: &StepId,
        command: &str,
        correction: &AgentCorrection,
    ) -> Option<String> {
        // What passes by itself may be tried again as it is.
        if correction.wait_seconds.is_some() {
            return None;
        }
        let tried = self.tried.get(id).map_or(&[][..], Vec::as_slice);
        let is_plain_retry =
            correction.action == CorrectionAction::Retry && correction.modified_command.is_none();
        if !is_plain_retry && tried.iter().any(|earlier| is_same(earlier, correction)) {
            return Some(format!("{REFUSED} the same correction was tried before."));
        }
        let next = match correction.action {
            CorrectionAction::Retry | CorrectionAction::Modify => {
                correction.modified_command.as_deref().unwrap_or(command)
            }
            CorrectionAction::InsertSteps | CorrectionAction::Skip | CorrectionAction::Abort => return None,
        };
        self.would_fail_again(id, next.trim())
            .then(|| format!("{REFUSED} the same command would fail with the same error."))
    }

    /// The command failed before and nothing was done since, or it failed in the same way before and after something
    /// was.
    fn would_fail_again(&self, id: &StepId, command: &str) -> bool {
        let failures = self.failures.get(id).map_or(&[][..], Vec::as_slice);
        let mut of_it = failures.iter().rev().filter(|failed| failed.command == command);
        let Some(last) = of_it.next() else { return false };
        last.completed == self.completed || of_it.any(|earlier| earlier.error == last.error)
    }
}

/// Begins the reason of every refused correction.
pub(super) const REFUSED: &str = "Refused:";

fn is_same(a: &AgentCorrection, b: &AgentCorrection) -> bool {
    let commands = |c: &AgentCorrection| -> Vec<String> {
        c.new_steps.iter().flatten().map(|step| step.command.trim().to_owned()).collect()
    };
    a.action == b.action && a.modified_command == b.modified_command && commands(a) == commands(b)
}

/// An error without what differs from run to run: colours, numbers, hexadecimal ids, temporary names, times.
pub(super) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            // An escape sequence: `[`, parameters, one final letter.
            if chars.next_if_eq(&'[').is_some() {
                while chars.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
                chars.next();
            }
        } else if c.is_ascii_digit() {
            while chars.next_if(char::is_ascii_hexdigit).is_some() {}
            if !out.ends_with('#') {
                out.push('#');
            }
        } else if c.is_whitespace() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(c);
        }
        if out.len() >= 4096 {
            break;
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        let first = normalise("\u{1b}[31merror\u{1b}[0m: pid 4711 at 12:30:01,  /tmp/x8f3a");
        let second = normalise("error: pid 12 at 09:00:59, /tmp/x77b1\n");
        assert_eq!(first, second);
        assert_ne!(first, normalise("error: no such file"));
    }
}
