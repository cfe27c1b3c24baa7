//! A step before the gate: assessed in the shell state that it would run in, allowed, asked about, or refused.

use super::assess::Assessed;
use super::control::repairs_of;
use super::{Attendance, Session, not_now};
use crate::approval::{self, Admission, Pending, Request, Settled, StepPermit};
use crate::policy::{Bindings, Question};
use crate::protocol::{
    Action, AllowedBy, ApprovalAnswer, EngineError, Event, Grant, GrantId, GrantLifetime, GrantRule, Mode,
    PauseReason, Risk, Step, StepId, StepResult, StepState, Time, Update,
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
        let mut step = step.clone();
        // The risk of what the user was last asked about; what they write instead may be as risky and no more.
        let mut asked: Option<Risk> = None;
        loop {
            let assessed = Box::new(self.assess(&step).await?);
            // What the user did while it was read counts: a step that is another one now is looked at again.
            if self.control.interrupts() || !self.is_still(&step)? {
                return Ok(Admitted::Changed);
            }
            let gate = self.gate(&step, &assessed, asked).await?;
            let pending = match gate {
                Admission::Permitted(permit) => return Ok(Admitted::Run(permit, assessed)),
                Admission::Blocked { why } => {
                    self.block(&step, why).await?;
                    return Ok(Admitted::Refused);
                }
                Admission::Never(pending) => {
                    self.publish_question(&pending).await?;
                    return self.declined(*pending, ApprovalAnswer::Never).await;
                }
                Admission::Asked(pending) => pending,
            };
            self.publish_question(&pending).await?;
            let id = pending.approval().id;
            if let Attendance::Nobody(policy) = &self.shared.attendance {
                let policy = policy.clone();
                let refusal = approval_record(&pending);
                return match pending.settle_by_policy(&policy, &assessed.facts) {
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
            let foretelling = self.foretell(pending.approval(), &assessed.facts, self.shell_for(&step.id));
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
                    step =
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

    async fn assess(&mut self, step: &Step) -> Result<Assessed, EngineError> {
        let assessor = self.shared.assessor.clone();
        let (shell, root, step) = (self.shell_for(&step.id).clone(), self.state.cwd.clone(), step.clone());
        self.attend(Box::pin(async move { assessor.assess_step(&step, &shell, &root).await })).await
    }

    /// The gate's word on a step; a question that was open before a restart is the same question still.
    async fn gate(
        &self,
        step: &Step,
        assessed: &Assessed,
        asked: Option<Risk>,
    ) -> Result<Admission, EngineError> {
        let plan = self.plan()?;
        let verify = step.verify.as_deref().map(Action::shell);
        let request = Request {
            step_id: &step.id,
            action: &step.action,
            verify: verify.as_ref(),
            cwd: &self.shell_for(&step.id).cwd,
            revision: plan.revision,
            user: self.shared.assessor.user(),
            previous_command: step.changed.as_ref().map(|change| change.before.as_str()),
            diffs: &[],
        };
        let proposer = approval::proposer(plan, step);
        let grants = self.shared.journal.grants().await?.value;
        let bindings = self.bindings();
        let settings = self.shared.settings();
        let question = Question {
            action: &step.action,
            facts: &assessed.facts,
            assessment: &assessed.assessment,
            proposer: &proposer,
            in_confirmed_plan: self.consented(step),
            grants: &grants,
            bindings: &bindings,
            ask_from: settings.ask_from,
            ask_edits: settings.ask_edits,
        };
        let admission = match asked {
            Some(risk) => approval::admit_edited(&request, &question, risk),
            None => approval::admit(&request, &question),
        };
        if let Admission::Asked(_) = &admission
            && let Some(open) = self.state.approvals.iter().find(|open| open.step_id == step.id)
            && let Some(pending) = Pending::restore(open, &request, &assessed.assessment)
        {
            return Ok(Admission::Asked(Box::new(pending)));
        }
        if let Admission::Permitted(permit) = &admission
            && let AllowedBy::Grant { id } = permit.action.allowed_by()
        {
            self.shared.journal.touch_grant(*id, Time::now()).await?;
        }
        Ok(admission)
    }

    /// The user ticked exactly this command when confirming the plan.
    fn consented(&self, step: &Step) -> bool {
        self.consents.get(&step.id).is_some_and(|command| command == step.action.command())
    }

    /// The run that a rule may be bound to is the plan's; in a conversation it is the turn.
    pub(super) fn bindings(&self) -> Bindings {
        let turn = self.state.conversation.turn.as_ref().map(|turn| turn.message_id.to_string());
        let run = turn.or_else(|| self.state.plan.as_ref().map(|plan| plan.id.to_string()));
        Bindings {
            run: run.unwrap_or_default(),
            session: self.state.id.to_string(),
            folder: self.state.cwd.clone(),
        }
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
        record: &(crate::protocol::ApprovalId, StepId),
        answer: ApprovalAnswer,
        allowed_by: Option<AllowedBy>,
    ) -> Result<(), EngineError> {
        let (approval_id, step_id) = record.clone();
        self.emit(vec![Event::ApprovalResolved { approval_id, step_id, answer, allowed_by }]).await
    }

    async fn declined(&mut self, pending: Pending, answer: ApprovalAnswer) -> Result<Admitted, EngineError> {
        let record = approval_record(&pending);
        drop(pending);
        self.refuse(&record, answer).await
    }

    async fn refuse(
        &mut self,
        record: &(crate::protocol::ApprovalId, StepId),
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
        record: &(crate::protocol::ApprovalId, StepId),
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

    pub(super) async fn remember(
        &mut self,
        allow: bool,
        rule: GrantRule,
        lifetime: GrantLifetime,
    ) -> Result<(), EngineError> {
        let bound_to = self.bindings().for_lifetime(lifetime);
        let grant = Grant {
            id: GrantId::new(),
            allow,
            rule,
            lifetime,
            bound_to,
            created_at: Time::now(),
            last_used_at: None,
            uses: 0,
            expires_at: None,
        };
        self.shared.journal.put_grant(grant).await?;
        let grants = self.shared.journal.grants().await?.value;
        self.shared.hub.publish(Update::Grants { grants });
        Ok(())
    }

    /// A command on the blocked floor fails without having started, and ends the run in every mode.
    async fn block(&mut self, step: &Step, why: String) -> Result<(), EngineError> {
        let message = format!("This command is never allowed to run. {why}");
        let cwd = &self.shell_for(&step.id).cwd;
        let result = StepResult::not_started(step, self.history.attempts(&step.id), cwd, message.as_str());
        let mut events = Vec::new();
        if matches!(step.state, StepState::AwaitingApproval { .. }) {
            events.push(Event::StepReset { step_id: step.id.clone() });
        }
        events.push(Event::StepFailed { result, reason: message });
        events
            .push(Event::PlanFailed { reason: format!("\"{}\" is never allowed to run. {why}", step.title) });
        self.emit(events).await
    }
}

fn approval_record(pending: &Pending) -> (crate::protocol::ApprovalId, StepId) {
    (pending.approval().id, pending.approval().step_id.clone())
}
