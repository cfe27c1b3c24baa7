//! A tool call before the gate: the same policy, questions and permits as a plan's steps.

use crate::approval::{Admission, Permit, Place, Request, Settled};
use crate::policy;
use crate::protocol::{
    Action, AllowedBy, ApprovalAnswer, ApprovalId, CallOutcome, EngineError, Event, FileDiff, GrantLifetime,
    Proposer, Risk, StepId, Time, ToolResult,
};
use crate::session::classifier::Assessed;
use crate::session::gate::Case;
use crate::session::{Attendance, Session};

/// A call that is to pass.
#[derive(Debug)]
pub(in crate::session) struct Wanted<'a> {
    pub(in crate::session) id: &'a StepId,
    pub(in crate::session) tool: &'a str,
    pub(in crate::session) proposer: &'a Proposer,
    pub(in crate::session) diffs: &'a [FileDiff],
    pub(in crate::session) place: Place<'a>,
}

/// What the gate makes of a call.
#[derive(Debug)]
pub(in crate::session) enum Passed {
    Run(Permit, Action, Box<Assessed>),
    /// It does not run; the turn goes on with this result.
    Refused(Box<ToolResult>),
    /// It does not run, and the turn stops. The words are what the user wants instead.
    Stopped(Option<String>),
    /// The user wrote another command, which is to be judged; no riskier one than this runs without a question.
    Edited(String, Risk),
}

impl Session {
    /// Takes a call through the gate, waiting for the user where they are asked. `asked`: the risk that the user was
    /// asked about before they changed the command.
    pub(in crate::session) async fn pass(
        &mut self,
        wanted: &Wanted<'_>,
        action: Action,
        assessed: Assessed,
        asked: Option<Risk>,
    ) -> Result<Passed, EngineError> {
        let assessed = Box::new(assessed);
        let admission = self.decide(wanted, &action, &assessed, asked).await?;
        let pending = match admission {
            Admission::Permitted(permit) => return Ok(Passed::Run(permit.action, action, assessed)),
            Admission::Blocked { why } => {
                let words = format!("This is never allowed to run, whoever asks. {why}");
                return Ok(self.refused(wanted, words));
            }
            Admission::Never(..) => {
                return Ok(self.refused(wanted, "The user said never to run this. Do without it."));
            }
            Admission::Asked(pending) => pending,
        };
        let approval = pending.approval().clone();
        let (id, risk) = (approval.id, approval.assessment.risk);
        // A question that stayed open over a pause or a restart is known.
        if !self.state.approvals.iter().any(|open| open.id == id) {
            self.emit(vec![Event::ApprovalNeeded { approval }]).await?;
        }
        if let Attendance::Nobody(policy) = &self.shared.attendance {
            let policy = policy.clone();
            return match pending.settle_by_policy(&policy, &assessed.would_run) {
                Some(permit) => {
                    let once = ApprovalAnswer::AllowOnce { edited_command: None };
                    self.settle_call(wanted, id, once, Some(AllowedBy::Policy)).await?;
                    Ok(Passed::Run(permit.action, action, assessed))
                }
                None => {
                    self.settle_call(wanted, id, ApprovalAnswer::NotNow, None).await?;
                    Ok(self.refused(
                        wanted,
                        "Nobody is here to allow this, and the policy does not. Do without it.",
                    ))
                }
            };
        }
        let foretelling = self.foretell(pending.approval(), &assessed.would_run.action, &self.state.shell);
        let answer = self.wait_for_answer(id).await?;
        drop(foretelling);
        let Some(answer) = answer else {
            return Ok(Passed::Stopped(None));
        };
        match pending.settle(&answer) {
            Settled::Permitted(permit) => {
                self.settle_call(wanted, id, answer, Some(AllowedBy::User)).await?;
                Ok(Passed::Run(permit.action, action, assessed))
            }
            Settled::Remember(permit, rule, lifetime) => {
                self.remember(true, rule, lifetime).await?;
                self.settle_call(wanted, id, answer, Some(AllowedBy::User)).await?;
                Ok(Passed::Run(permit.action, action, assessed))
            }
            Settled::Edited(command) => {
                self.settle_call(wanted, id, answer, None).await?;
                Ok(Passed::Edited(command, risk))
            }
            Settled::Never => {
                self.remember(false, policy::exact(&action), GrantLifetime::Always).await?;
                self.settle_call(wanted, id, answer, None).await?;
                Ok(self.refused(wanted, "The user does not allow this, now or later. Do without it."))
            }
            Settled::Instead(words) => {
                self.settle_call(wanted, id, answer, None).await?;
                Ok(Passed::Stopped(Some(words)))
            }
            Settled::Declined => {
                self.settle_call(wanted, id, ApprovalAnswer::NotNow, None).await?;
                Ok(Passed::Stopped(None))
            }
        }
    }

    /// Whether the gate lets the call through as it stands, with no question.
    pub(in crate::session) async fn would_pass(
        &self,
        wanted: &Wanted<'_>,
        action: &Action,
        assessed: &Assessed,
    ) -> Result<Option<Permit>, EngineError> {
        match self.decide(wanted, action, assessed, None).await? {
            Admission::Permitted(permit) => Ok(Some(permit.action)),
            Admission::Asked(_) | Admission::Never(..) | Admission::Blocked { .. } => Ok(None),
        }
    }

    pub(in crate::session) async fn decide(
        &self,
        wanted: &Wanted<'_>,
        action: &Action,
        assessed: &Assessed,
        asked: Option<Risk>,
    ) -> Result<Admission, EngineError> {
        let request = Request {
            step_id: wanted.id,
            action,
            verify: None,
            place: wanted.place,
            revision: 0,
            user: self.shared.classifier.user(),
            previous_command: None,
            diffs: wanted.diffs,
        };
        // What the user wrote is theirs.
        let proposer = if asked.is_some() { &Proposer::User } else { wanted.proposer };
        let terminal = matches!(action, Action::Shell { .. });
        let case =
            Case { request, assessed, proposer, in_confirmed_plan: false, asked, terminal, again: false };
        self.put_before_gate(&case).await
    }

    async fn settle_call(
        &mut self,
        wanted: &Wanted<'_>,
        approval_id: ApprovalId,
        answer: ApprovalAnswer,
        allowed_by: Option<AllowedBy>,
    ) -> Result<(), EngineError> {
        let step_id = wanted.id.clone();
        self.emit(vec![Event::ApprovalResolved { approval_id, step_id, answer, allowed_by }]).await
    }

    fn refused(&self, wanted: &Wanted<'_>, words: impl Into<String>) -> Passed {
        let now = Time::now();
        let told = ToolResult::told(wanted.id.clone(), wanted.tool, CallOutcome::Declined, words, now);
        Passed::Refused(Box::new(told))
    }
}
