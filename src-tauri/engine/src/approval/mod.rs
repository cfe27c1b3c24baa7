//! The gate: the only place where a [`Permit`] is made. It asks [`crate::policy`] and either lets an action through,
//! turns it into a question for the user, or refuses it. What was asked is bound to the exact action, folder,
//! environment and revision; a changed one is a new question.

mod permit;
mod place;

pub use permit::Permit;
pub use place::Place;

use crate::policy::{self, PolicyFile, Question, TerminalOffer, Verdict, WouldRun};
use crate::protocol::{
    Action, AllowedBy, Approval, ApprovalAnswer, ApprovalId, Assessment, FileDiff, GrantId, GrantLifetime,
    GrantRule, Proposer, Risk, ShellState, StepChange, StepId, Time,
};

/// An action on its way to the machine.
#[derive(Debug, Clone)]
pub(crate) struct Request<'a> {
    pub(crate) step_id: &'a StepId,
    pub(crate) action: &'a Action,
    /// The step's check afterwards; it is part of what is assessed and asked.
    pub(crate) verify: Option<&'a Action>,
    pub(crate) place: Place<'a>,
    pub(crate) revision: u32,
    pub(crate) user: &'a str,
    pub(crate) previous_command: Option<&'a str>,
    /// What the action would change, where it is known exactly.
    pub(crate) diffs: &'a [FileDiff],
}

impl Request<'_> {
    /// What an answer is bound to; a step's check is part of it.
    fn binding(&self) -> String {
        let digest = permit::digest(self.action, self.verify, self.place, self.revision);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The right to run one step once: its action, and its check afterwards.
#[derive(Debug)]
pub(crate) struct StepPermit {
    pub(crate) action: Permit,
    pub(crate) verify: Option<Permit>,
}

/// What the gate says to a request.
#[derive(Debug)]
pub(crate) enum Admission {
    Permitted(StepPermit),
    Asked(Box<Pending>),
    /// The user once said never; this rule remembers it.
    Never(Box<Pending>, GrantId),
    /// On the blocked floor.
    Blocked {
        why: String,
    },
}

/// An open question. Not `Clone`: it is answered once, and dropping it is a no.
#[derive(Debug)]
pub(crate) struct Pending {
    approval: Approval,
    verify: Option<Action>,
    /// Exactly the shell that a yes is for; none for a tool.
    shell: Option<ShellState>,
}

/// What an answer comes to.
#[derive(Debug)]
pub(crate) enum Settled {
    Permitted(StepPermit),
    /// Permitted, and a rule to remember.
    Remember(StepPermit, GrantRule, GrantLifetime),
    /// The user wrote another command: a new action, to be assessed and bound anew.
    Edited(String),
    Declined,
    Never,
    Instead(String),
}

/// Decides about a request.
pub(crate) fn admit(request: &Request<'_>, question: &Question<'_>) -> Admission {
    match policy::decide(question) {
        Verdict::Allow(by) => {
            Admission::Permitted(permits(request.action, request.verify, request.place, request.revision, by))
        }
        Verdict::Ask { why, remember } => {
            Admission::Asked(Box::new(pending(request, question, why, remember)))
        }
        Verdict::Never { by } => {
            let why = "You said never to run this.".to_owned();
            Admission::Never(Box::new(pending(request, question, why, false)), by)
        }
        Verdict::Blocked { why } => Admission::Blocked { why },
    }
}

fn pending(request: &Request<'_>, question: &Question<'_>, why: String, remember: bool) -> Pending {
    let offers = if remember {
        policy::offers(question.action, question.would_run, question.assessment)
    } else {
        Vec::new()
    };
    let warning_message = match request.verify {
        Some(verify) => format!("{why} Afterwards it is checked with `{}`.", verify.command()),
        None => why,
    };
    Pending {
        approval: Approval {
            id: ApprovalId::new(),
            step_id: request.step_id.clone(),
            revision: request.revision,
            action: request.action.clone(),
            cwd: request.place.cwd().to_owned(),
            user: request.user.to_owned(),
            assessment: question.assessment.clone(),
            warning_message,
            proposer: question.proposer.clone(),
            previous_command: request.previous_command.map(str::to_owned),
            offers,
            asked_at: Time::now(),
            diffs: request.diffs.to_vec(),
            environment: request.place.changes(),
            suggested: None,
            binding: request.binding(),
            terminal: question.terminal != TerminalOffer::No && question.assessment.keyboard.is_some(),
        },
        verify: request.verify.cloned(),
        shell: request.place.shell().cloned(),
    }
}

impl Pending {
    /// A question from the journal, to be asked again as it stood. `None` when the request is not the one that was
    /// asked about any more, or is now judged more severely.
    pub(crate) fn restore(
        approval: &Approval,
        request: &Request<'_>,
        assessment: &Assessment,
    ) -> Option<Self> {
        let same = approval.binding == request.binding()
            && approval.assessment.risk == assessment.risk
            // A yes to an edit is a yes to what was shown.
            && approval.diffs == request.diffs;
        same.then(|| Self {
            approval: approval.clone(),
            verify: request.verify.cloned(),
            shell: request.place.shell().cloned(),
        })
    }

    pub(crate) fn approval(&self) -> &Approval {
        &self.approval
    }

    /// Points out one of the rules that are offered; any other is left out.
    #[must_use]
    pub(crate) fn suggesting(mut self, rule: Option<GrantRule>) -> Self {
        self.approval.suggested = rule.filter(|rule| self.approval.offers.contains(rule));
        self
    }

    /// Settles the question. An "always" with a rule that was not offered is a no: fail closed.
    pub(crate) fn settle(self, answer: &ApprovalAnswer) -> Settled {
        match answer {
            ApprovalAnswer::AllowOnce { edited_command: Some(command) }
                if command.trim() != self.approval.action.command().trim() =>
            {
                match &self.approval.action {
                    Action::Shell { .. } => Settled::Edited(command.clone()),
                    // The words of a tool's call are for reading; another text of them is no other call.
                    Action::Tool { .. } | Action::Manual { .. } => Settled::Declined,
                }
            }
            ApprovalAnswer::AllowOnce { .. } => Settled::Permitted(self.into_permits(AllowedBy::User)),
            ApprovalAnswer::InTerminal if !self.approval.terminal => Settled::Declined,
            ApprovalAnswer::InTerminal => {
                let StepPermit { action, verify } = self.into_permits(AllowedBy::User);
                // Its check is no program that somebody sits at.
                Settled::Permitted(StepPermit { action: action.for_terminal(), verify })
            }
            ApprovalAnswer::AllowAlways { rule, lifetime } => {
                if self.approval.offers.contains(rule) {
                    Settled::Remember(self.into_permits(AllowedBy::User), rule.clone(), *lifetime)
                } else {
                    Settled::Declined
                }
            }
            ApprovalAnswer::Instead { guidance } => Settled::Instead(guidance.clone()),
            ApprovalAnswer::Never => Settled::Never,
            ApprovalAnswer::NotNow => Settled::Declined,
        }
    }

    /// Settles the question from a policy file. `None` is a no.
    pub(crate) fn settle_by_policy(self, policy: &PolicyFile, would_run: &WouldRun) -> Option<StepPermit> {
        let by = policy.answer(&self.approval, would_run)?;
        Some(self.into_permits(by))
    }

    fn into_permits(self, by: AllowedBy) -> StepPermit {
        let place = self.shell.as_ref().map_or(Place::Folder(&self.approval.cwd), Place::Shell);
        permits(&self.approval.action, self.verify.as_ref(), place, self.approval.revision, by)
    }
}

/// A command that the user wrote in the dialog runs without a second question only when it is no riskier than what
/// was asked about and not blocked.
pub(crate) fn admit_edited(request: &Request<'_>, question: &Question<'_>, asked: Risk) -> Admission {
    match admit(request, question) {
        Admission::Asked(_)
            if question.assessment.risk <= asked
                && question.assessment.risk != Risk::Blocked
                && question.terminal != TerminalOffer::Needed =>
        {
            Admission::Permitted(permits(
                request.action,
                request.verify,
                request.place,
                request.revision,
                AllowedBy::User,
            ))
        }
        other @ (Admission::Permitted(_)
        | Admission::Asked(_)
        | Admission::Never(..)
        | Admission::Blocked { .. }) => other,
    }
}

fn permits(
    action: &Action,
    verify: Option<&Action>,
    place: Place<'_>,
    revision: u32,
    by: AllowedBy,
) -> StepPermit {
    // The shell that a check finds is the one that its step leaves.
    let after = Place::Folder(place.cwd());
    StepPermit {
        action: Permit::new(action, place, revision, by.clone()),
        verify: verify.map(|verify| Permit::new(verify, after, revision, by)),
    }
}

/// The proposer that a question names, from where the step's present command came.
pub(crate) fn proposer(plan: &crate::protocol::Plan, step: &crate::protocol::Step) -> Proposer {
    use crate::protocol::StepOrigin;
    if let Some(change) = &step.changed {
        if change.source == StepChange::BY_USER {
            return Proposer::User;
        }
        return Proposer::Agent {
            source: change.source.clone(),
            reason: change.reason.clone(),
            for_step: step.id.clone(),
            for_title: step.title.clone(),
        };
    }
    match &step.origin {
        StepOrigin::Original => Proposer::Plan,
        StepOrigin::Repair { for_step, source, reason, .. } => Proposer::Agent {
            source: source.clone(),
            reason: reason.clone(),
            for_step: for_step.clone(),
            for_title: plan.step(for_step).map(|step| step.title.clone()).unwrap_or_default(),
        },
    }
}

#[cfg(test)]
mod tests;
