//! A step before the gate: assessed in the shell state that it would run in, allowed, asked about, or refused.

use super::classifier::Assessed;
use super::control::repairs_of;
use super::gate::Case;
use super::{Attendance, Session, not_now};
use crate::approval::{self, Admission, Pending, Place, Request, Settled, StepPermit};
use crate::protocol::{
    Action, AllowedBy, ApprovalAnswer, ApprovalId, EngineError, Event, GrantLifetime, Mode, PauseReason,
    Risk, Step, StepId, StepResult, StepState, StuckReason,
};

/// What became of a step at the gate.
#[derive(Debug)]
pub(super) enum Admitted {
    Run(StepPermit, Box<Assessed>),
    /// The plan is another one now (edited, skipped, guided): look again.
    Changed,
    /// It does not run, and the run has ended or paused; the events say why.
    Refused,
}

impl Session {
    /// Takes one step through the gate, waiting for the user where they are asked.
    pub(super) async fn admit(&mut self, step: &Step) -> Result<Admitted, EngineError> {
        let mut planned = step.clone();
        // The risk of what the user was last asked about; what they write instead may be as risky and no more.
        let mut asked: Option<Risk> = None;
        loop {
            let (step, assessed) = self.assess(&planned).await?;
            let assessed = Box::new(assessed);
            // What the user did while it was read counts: a step that is another one now is looked at again.
            if self.control.interrupts() || !self.is_still(&planned)? {
                return Ok(Admitted::Changed);
            }
            let gate = self.gate(&step, &assessed, asked).await?;
            let pending = match gate {
                Admission::Permitted(permit) => return Ok(Admitted::Run(permit, assessed)),
                Admission::Blocked { why } => {
                    self.block(&step, why).await?;
                    return Ok(Admitted::Refused);
                }
                Admission::Never(pending, _) => return self.refused_by_rule(*pending).await,
                Admission::Asked(pending) => pending,
            };
            self.publish_question(&pending).await?;
            let id = pending.approval().id;
            if let Attendance::Nobody(policy) = &self.shared.attendance {
                let policy = policy.clone();
                let refusal = approval_record(&pending);
                return match pending.settle_by_policy(&policy, &assessed.would_run) {
                    Some(permit) => {
                        let once = ApprovalAnswer::AllowOnce { edited_command: None };
                        self.resolve(&refusal, once, Some(AllowedBy::Policy)).await?;
                        Ok(Admitted::Run(permit, assessed))
                    }
                    None => {
                        self.resolve(&refusal, ApprovalAnswer::NotNow, None).await?;
                        let reason = PauseReason::Declined { step_id: step.id.clone() };
                        self.emit(vec![Event::PlanPaused { reason }]).await?;
                        Ok(Admitted::Refused)
                    }
                };
            }
            let foretelling =
                self.foretell(pending.approval(), &assessed.would_run.action, &self.shell_for(&step.id));
            let answer = self.wait_for_answer(id).await?;
            drop(foretelling);
            let Some(answer) = answer else {
                return Ok(Admitted::Changed);
            };
            let record = approval_record(&pending);
            let risk = pending.approval().assessment.risk;
            match pending.settle(&answer) {
                Settled::Permitted(permit) => {
                    self.resolve(&record, answer, Some(AllowedBy::User)).await?;
                    return Ok(Admitted::Run(permit, assessed));
                }
                Settled::Remember(permit, rule, lifetime) => {
                    self.remember(true, rule, lifetime).await?;
                    self.resolve(&record, answer, Some(AllowedBy::User)).await?;
                    return Ok(Admitted::Run(permit, assessed));
                }
                Settled::Edited(command) => {
                    self.resolve(&record, answer, None).await?;
                    self.edit(&step.id, &command).await?;
                    asked = Some(risk);
                    planned =
                        self.plan()?.step(&step.id).cloned().ok_or_else(|| not_now("The step is gone."))?;
                }
                Settled::Never => {
                    let rule = crate::policy::exact(&step.action);
                    self.remember(false, rule, GrantLifetime::Always).await?;
                    return self.refuse(&record, answer).await;
                }
                Settled::Instead(guidance) => return self.instead(&step, &record, answer, guidance).await,
                Settled::Declined => return self.refuse(&record, ApprovalAnswer::NotNow).await,
            }
        }
    }

    /// The step is in the plan as it was, and nobody has settled it meanwhile.
    fn is_still(&self, step: &Step) -> Result<bool, EngineError> {
        let now = self.plan()?.step(&step.id);
        Ok(now.is_some_and(|now| now.action == step.action && super::run::is_runnable(now)))
    }

    /// The step as it would run, and what is to be thought of it.
    async fn assess(&mut self, step: &Step) -> Result<(Step, Assessed), EngineError> {
        let classifier = self.shared.classifier.clone();
        let (shell, root, step) = (self.shell_for(&step.id), self.state.cwd.clone(), step.clone());
        let reading = Box::pin(async move {
            let step = classifier.as_it_runs(&step, &shell).await;
            let assessed = classifier.assess_step(&step, &shell, &root).await;
            (step, assessed)
        });
        let (step, mut assessed) = self.attend(reading).await?;
        let seen = self.history.asked_in_vain(&step.id, step.action.command()).cloned();
        let need = assessed.assessment.keyboard.take();
        assessed.assessment.keyboard = need.or(seen);
        Ok((step, assessed))
    }

    async fn gate(
        &self,
        step: &Step,
        assessed: &Assessed,
        asked: Option<Risk>,
    ) -> Result<Admission, EngineError> {
        let plan = self.plan()?;
        let verify = step.verify.as_deref().map(Action::shell);
        let shell = self.shell_for(&step.id);
        let request = Request {
            step_id: &step.id,
            action: &step.action,
            verify: verify.as_ref(),
            place: Place::Shell(&shell),
            revision: plan.revision,
            user: self.shared.classifier.user(),
            previous_command: step.changed.as_ref().map(|change| change.before.as_str()),
            diffs: &[],
        };
        let proposer = approval::proposer(plan, step);
        let in_confirmed_plan = self.consents.cover(plan, step, assessed.assessment.risk);
        let case = Case {
            request,
            assessed,
            proposer: &proposer,
            in_confirmed_plan,
            asked,
            // A service goes on while nobody sits there.
            terminal: step.service.is_none(),
            again: self.history.attempts(&step.id) > 0,
        };
        self.put_before_gate(&case).await
    }

    async fn publish_question(&mut self, pending: &Pending) -> Result<(), EngineError> {
        let approval = pending.approval().clone();
        if self.state.approvals.iter().any(|open| open.id == approval.id) {
            return Ok(());
        }
        self.emit(vec![Event::ApprovalNeeded { approval }]).await
    }

    async fn resolve(
        &mut self,
        record: &(ApprovalId, StepId),
        answer: ApprovalAnswer,
        allowed_by: Option<AllowedBy>,
    ) -> Result<(), EngineError> {
        let (approval_id, step_id) = record.clone();
        self.emit(vec![Event::ApprovalResolved { approval_id, step_id, answer, allowed_by }]).await
    }

    /// The record says what the rule refused, as a question with its answer. They are written at once, so that at no
    /// moment the session waits for one.
    async fn refused_by_rule(&mut self, pending: Pending) -> Result<Admitted, EngineError> {
        let approval = pending.approval().clone();
        let (approval_id, step_id) = (approval.id, approval.step_id.clone());
        let mut events = Vec::new();
        if !self.state.approvals.iter().any(|open| open.id == approval_id) {
            events.push(Event::ApprovalNeeded { approval });
        }
        let (answer, reason) = (ApprovalAnswer::Never, PauseReason::Declined { step_id: step_id.clone() });
        events.push(Event::ApprovalResolved { approval_id, step_id, answer, allowed_by: None });
        events.push(Event::PlanPaused { reason });
        self.emit(events).await?;
        Ok(Admitted::Refused)
    }

    async fn refuse(
        &mut self,
        record: &(ApprovalId, StepId),
        answer: ApprovalAnswer,
    ) -> Result<Admitted, EngineError> {
        self.resolve(record, answer, None).await?;
        let reason = PauseReason::Declined { step_id: record.1.clone() };
        self.emit(vec![Event::PlanPaused { reason }]).await?;
        Ok(Admitted::Refused)
    }

    /// "Not this; do it so": the words go to the brain, for the step that the question was about mending.
    async fn instead(
        &mut self,
        step: &Step,
        record: &(ApprovalId, StepId),
        answer: ApprovalAnswer,
        guidance: String,
    ) -> Result<Admitted, EngineError> {
        if self.plan()?.mode != Mode::Agentic {
            return self.refuse(record, answer).await;
        }
        self.resolve(record, answer, None).await?;
        let failed = match &step.origin {
            crate::protocol::StepOrigin::Repair { for_step, .. } => for_step.clone(),
            crate::protocol::StepOrigin::Original => step.id.clone(),
        };
        let mut events = vec![Event::GuidanceGiven { step_id: failed.clone(), text: guidance.clone() }];
        // Repairs that are still to come were of the same idea.
        events.extend(repairs_of(self.plan()?, &failed).into_iter().map(|repair| Event::StepSkipped {
            step_id: repair.id.clone(),
            reason: "You asked for something else.".to_owned(),
        }));
        self.emit(events).await?;
        self.control.guidance = Some(guidance);
        self.control.reconsider = Some(failed);
        Ok(Admitted::Changed)
    }

    /// A command on the blocked floor fails without having started, and ends the run in every mode.
    async fn block(&mut self, step: &Step, why: String) -> Result<(), EngineError> {
        let message = format!("This command is never allowed to run. {why}");
        let cwd = self.shell_for(&step.id).cwd;
        let result = StepResult::not_started(step, self.history.attempts(&step.id), &cwd, message.as_str());
        let mut events = Vec::new();
        if matches!(step.state, StepState::AwaitingApproval { .. }) {
            events.push(Event::StepReset { step_id: step.id.clone() });
        }
        events.push(Event::StepFailed { result, reason: message });
        let code = StuckReason::Blocked { reason: String::new() }.code();
        let reason = format!("\"{}\" is never allowed to run. {why}", step.title);
        events.push(Event::PlanFailed { code, reason });
        self.emit(events).await
    }
}

fn approval_record(pending: &Pending) -> (ApprovalId, StepId) {
    (pending.approval().id, pending.approval().step_id.clone())
}
