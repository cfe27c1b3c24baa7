//! The one place where something is put before the gate: with the rules as they are at this moment, the settings, and
//! what the user is used to answering. What becomes of the gate's word is its callers' business.

use super::classifier::Assessed;
use super::{Attendance, Session};
use crate::approval::{self, Admission, Pending, Request};
use crate::policy::{self, Bindings, Question, TerminalOffer};
use crate::protocol::{
    AllowedBy, EngineError, GrantId, GrantLifetime, GrantRule, KeyboardEffect, Proposer, Risk, Time, Update,
};

/// What the gate has to know beside the request.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) request: Request<'a>,
    pub(super) assessed: &'a Assessed,
    pub(super) proposer: &'a Proposer,
    /// The user ticked exactly this when confirming the plan.
    pub(super) in_confirmed_plan: bool,
    /// The risk that the user was asked about before they wrote another command.
    pub(super) asked: Option<Risk>,
    /// It is a command that could run in a terminal.
    pub(super) terminal: bool,
    /// It was tried before.
    pub(super) again: bool,
}

impl Session {
    /// The gate's word. A question that was open before a restart is the same question still.
    pub(super) async fn put_before_gate(&self, case: &Case<'_>) -> Result<Admission, EngineError> {
        let Case { request, assessed, proposer, in_confirmed_plan, asked, .. } = case;
        let settings = self.shared.settings();
        let bindings = self.bindings();
        let now = Time::now();
        // Held until the use is noted: what is revoked meanwhile is revoked for the next.
        let mut grants = self.shared.grants.hold().await;
        let question = Question {
            action: request.action,
            would_run: &assessed.would_run,
            assessment: &assessed.assessment,
            proposer,
            in_confirmed_plan: *in_confirmed_plan,
            grants: grants.all(),
            bindings: &bindings,
            now,
            ask_from: settings.ask_from,
            ask_edits: settings.ask_edits,
            terminal: self.terminal_offer(case),
        };
        let admission = match asked {
            Some(risk) => approval::admit_edited(request, &question, *risk),
            None => approval::admit(request, &question),
        };
        let deciding = decided_by(&admission);
        if let Some(grant) = grants.all().iter().find(|grant| Some(grant.id) == deciding) {
            let used = policy::used(grant.clone(), now, settings.grant_days);
            grants.put(used).await?;
            self.shared.hub.publish(Update::Grants { grants: grants.all().to_vec() });
        }
        drop(grants);
        Ok(match admission {
            Admission::Asked(pending) => Admission::Asked(Box::new(self.as_it_stands(*pending, case))),
            other @ (Admission::Permitted(_) | Admission::Never(..) | Admission::Blocked { .. }) => other,
        })
    }

    /// A command that cannot work without a keyboard is offered one, and so is one that asked in vain before.
    fn terminal_offer(&self, case: &Case<'_>) -> TerminalOffer {
        let shown = matches!(self.shared.attendance, Attendance::AtTerminal);
        let need = case.assessed.assessment.keyboard.as_ref().filter(|_| shown && case.terminal);
        match need.map(|need| need.effect) {
            None => TerminalOffer::No,
            Some(KeyboardEffect::AnswersNo) if !case.again => TerminalOffer::Possible,
            Some(KeyboardEffect::AnswersNo | KeyboardEffect::NotStarted) => TerminalOffer::Needed,
        }
    }

    /// The question that is open about this already, or a new one with what the user is used to.
    fn as_it_stands(&self, pending: Pending, case: &Case<'_>) -> Pending {
        let open = self.state.approvals.iter().find(|open| open.step_id == *case.request.step_id);
        let restored = open.and_then(|open| Pending::restore(open, &case.request, &case.assessed.assessment));
        restored.unwrap_or_else(|| {
            let suggestion = self.habits.suggestion(&pending.approval().offers);
            pending.suggesting(suggestion)
        })
    }

    /// The run that a rule may be bound to is the plan's; in a conversation it is the turn, and towards a goal the goal.
    pub(super) fn bindings(&self) -> Bindings {
        let turn = self.state.conversation.turn.as_ref().map(|turn| turn.message_id.to_string());
        let goal = self.state.goal.as_ref().filter(|goal| !goal.has_ended()).map(|goal| goal.id.to_string());
        let run = turn.or(goal).or_else(|| self.state.plan.as_ref().map(|plan| plan.id.to_string()));
        Bindings {
            run: run.unwrap_or_default(),
            session: self.state.id.to_string(),
            folder: self.state.cwd.clone(),
        }
    }

    pub(super) async fn remember(
        &mut self,
        allow: bool,
        rule: GrantRule,
        lifetime: GrantLifetime,
    ) -> Result<(), EngineError> {
        let days = self.shared.settings().grant_days;
        if lifetime == GrantLifetime::Run {
            self.runs.insert(self.bindings().run);
        }
        let grant = policy::new_grant(allow, rule, lifetime, &self.bindings(), Time::now(), days);
        let mut grants = self.shared.grants.hold().await;
        grants.put(grant).await?;
        self.shared.hub.publish(Update::Grants { grants: grants.all().to_vec() });
        Ok(())
    }

    /// Permissions for a run of this session end with it.
    pub(super) async fn end_run_grants(&self) -> Result<(), EngineError> {
        if self.runs.is_empty() {
            return Ok(());
        }
        let present = self.bindings().run;
        let going_on = self.state.conversation.turn.is_some() || self.has_open_goal() || !self.is_over();
        let mut grants = self.shared.grants.hold().await;
        let over = |run: &str| self.runs.contains(run) && !(going_on && run == present);
        let ended = grants.end(|grant| grant.lifetime == GrantLifetime::Run && over(&grant.bound_to)).await?;
        if ended {
            self.shared.hub.publish(Update::Grants { grants: grants.all().to_vec() });
        }
        Ok(())
    }
}

/// The remembered answer that decided.
fn decided_by(admission: &Admission) -> Option<GrantId> {
    match admission {
        Admission::Permitted(permit) => match permit.action.allowed_by() {
            AllowedBy::Grant { id } => Some(*id),
            AllowedBy::Mode | AllowedBy::Plan | AllowedBy::User | AllowedBy::Policy => None,
        },
        Admission::Never(_, by) => Some(*by),
        Admission::Asked(_) | Admission::Blocked { .. } => None,
    }
}
