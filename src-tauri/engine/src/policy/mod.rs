//! Whether an assessed command may run, must be asked about, or may not run at all. Pure; the one place where the
//! order of precedence (R2) is written down. An unclear case is a question, never a yes.

mod file;
mod grant;
mod prefix;
mod rule;
mod warning;

pub use file::{Manual, PolicyError, PolicyFile};
pub use grant::{Bindings, new_grant, used};
pub use rule::{WouldRun, exact, matches_all, offers};
pub use warning::{claimed, heed};

use crate::protocol::{
    Action, AllowedBy, Assessment, Effects, Grant, GrantId, Proposer, Risk, RiskReason, Time,
};

/// One action before the gate.
#[derive(Debug)]
pub struct Question<'a> {
    pub action: &'a Action,
    pub would_run: &'a WouldRun,
    pub assessment: &'a Assessment,
    pub proposer: &'a Proposer,
    /// The user ticked exactly this step when confirming the plan, and it has not changed since.
    pub in_confirmed_plan: bool,
    pub grants: &'a [Grant],
    pub bindings: &'a Bindings,
    pub now: Time,
    /// Actions of this risk and above are asked about.
    pub ask_from: Risk,
    /// Every change of a file by a tool is asked about.
    pub ask_edits: bool,
    pub terminal: TerminalOffer,
}

/// Whether the user may have the action run in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalOffer {
    /// Nobody can be shown one, or it is nothing that could run in one.
    No,
    /// It is an answer where something is asked anyway.
    Possible,
    /// It is asked about for its sake: without a terminal it could not work, or did not.
    Needed,
}

/// Ordered as `Allow < Ask < Deny`.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Allow(AllowedBy),
    /// `remember`: an answer may be remembered as a rule.
    Ask {
        why: String,
        remember: bool,
    },
    /// The user once said never.
    Never {
        by: GrantId,
    },
    /// On the blocked floor: no answer allows it.
    Blocked {
        why: String,
    },
}

/// R2: blocked floor → the user's *never* → plan contents the user approved → grants → mode default.
pub fn decide(question: &Question<'_>) -> Verdict {
    let risk = question.assessment.risk;
    if risk == Risk::Blocked {
        return Verdict::Blocked { why: first_reason(question.assessment) };
    }
    if let Some(never) = question.grants.iter().find(|grant| !grant.allow && rule::touches(grant, question)) {
        return Verdict::Never { by: never.id };
    }
    // Nothing below may let a repair through that does more than the user could expect from the plan.
    if let Some(why) = unexpected_repair(question.proposer, &question.assessment.effects) {
        return Verdict::Ask { why, remember: false };
    }
    if let (TerminalOffer::Needed, Some(need)) = (question.terminal, &question.assessment.keyboard) {
        let why = format!("`{}` {}. It can do that in a terminal here.", need.fragment, need.wants);
        return Verdict::Ask { why, remember: false };
    }
    if risk >= question.ask_from && question.in_confirmed_plan {
        return Verdict::Allow(AllowedBy::Plan);
    }
    let remarkable = remarkable(question);
    if risk < question.ask_from && risk < Risk::Dangerous && remarkable.is_none() {
        return Verdict::Allow(AllowedBy::Mode);
    }
    match risk {
        Risk::Safe | Risk::Caution => {
            match question.grants.iter().find(|grant| grant.allow && rule::covers(grant, question)) {
                Some(grant) => Verdict::Allow(AllowedBy::Grant { id: grant.id }),
                None => Verdict::Ask {
                    why: remarkable.unwrap_or_else(|| first_reason(question.assessment)),
                    remember: true,
                },
            }
        }
        Risk::Dangerous | Risk::Blocked => {
            Verdict::Ask { why: first_reason(question.assessment), remember: false }
        }
    }
}

/// Section 4, rule 5: what an agent added or changed is always asked about when it deletes, changes owners or modes
/// over a tree, raises privileges or writes outside the workspace, whatever its assessed risk.
fn unexpected_repair(proposer: &Proposer, effects: &Effects) -> Option<String> {
    match proposer {
        // What a model asks for in conversation is `remarkable`: a grant may cover it.
        Proposer::Plan | Proposer::User | Proposer::Chat { .. } => None,
        Proposer::Agent { .. } => far_reaching(effects)
            .map(|what| format!("This repair {what}, which the plan you confirmed did not do here.")),
    }
}

/// What is asked about below the threshold too. An answer may be remembered, so that a conversation does not ask the
/// same thing over and over.
fn remarkable(question: &Question<'_>) -> Option<String> {
    match question.proposer {
        Proposer::Chat { .. } => {
            if let Some(what) = far_reaching(&question.assessment.effects) {
                return Some(format!("The model asks for something that {what}."));
            }
        }
        Proposer::Plan | Proposer::User | Proposer::Agent { .. } => {}
    }
    if rule::consults(question.action) {
        return Some(first_reason(question.assessment));
    }
    (question.ask_edits && rule::changes_files(question.action))
        .then(|| "You asked to see each change of a file before it is made.".to_owned())
}

/// What nobody expects of a command that they did not write.
fn far_reaching(effects: &Effects) -> Option<&'static str> {
    if effects.raises_privilege {
        Some("raises privileges")
    } else if effects.deletes {
        Some("deletes something")
    } else if effects.changes_tree_ownership {
        Some("changes owners or modes of a whole tree")
    } else if effects.writes_outside {
        Some("writes outside the session's folder")
    } else {
        None
    }
}

fn first_reason(assessment: &Assessment) -> String {
    match assessment.reasons.first() {
        Some(RiskReason { source: Some(model), text, .. }) => format!("{model} warns: {text}."),
        Some(reason) if reason.fragment.is_empty() => format!("It {}.", reason.text),
        Some(reason) => format!("`{}` {}.", reason.fragment, reason.text),
        None => "Commands of this risk are asked about.".to_owned(),
    }
}

#[cfg(test)]
mod tests;
