//! How the user has answered questions so far: a fold over the session's events. After the same yes to the same kind of
//! question three times in a row the next one points out the rule that would spare it (R4). It never makes one.

use std::collections::{BTreeMap, HashMap};

use crate::protocol::{AllowedBy, ApprovalAnswer, ApprovalId, Event, EventRecord, GrantRule};

/// Times in a row that make a habit.
const HABIT: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Habits {
    /// Questions that wait for their answer, by the rule that makes their kind.
    open: BTreeMap<ApprovalId, GrantRule>,
    /// A plain yes, so often in a row.
    yes: HashMap<GrantRule, u32>,
}

impl Habits {
    pub(super) fn of(records: &[EventRecord]) -> Self {
        let mut habits = Self::default();
        records.iter().for_each(|record| habits.apply(&record.event));
        habits
    }

    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::ApprovalNeeded { approval } => {
                if let Some(kind) = kind(&approval.offers) {
                    self.open.insert(approval.id, kind.clone());
                }
            }
            Event::ApprovalResolved { approval_id, answer, allowed_by, .. } => {
                let Some(kind) = self.open.remove(approval_id) else { return };
                match (answer, allowed_by) {
                    // No user said that.
                    (_, Some(AllowedBy::Policy)) => {}
                    (ApprovalAnswer::AllowOnce { .. }, Some(AllowedBy::User)) => {
                        *self.yes.entry(kind).or_default() += 1;
                    }
                    (
                        ApprovalAnswer::AllowOnce { .. }
                        | ApprovalAnswer::InTerminal
                        | ApprovalAnswer::AllowAlways { .. }
                        | ApprovalAnswer::Instead { .. }
                        | ApprovalAnswer::Never
                        | ApprovalAnswer::NotNow,
                        _,
                    ) => {
                        self.yes.remove(&kind);
                    }
                }
            }
            _ => {}
        }
    }

    /// The rule that would have spared the last three questions of this kind.
    pub(super) fn suggestion(&self, offers: &[GrantRule]) -> Option<GrantRule> {
        kind(offers).filter(|kind| self.yes.get(kind).is_some_and(|times| *times >= HABIT)).cloned()
    }
}

/// Questions are of one kind when the widest rule that they offer is the same.
fn kind(offers: &[GrantRule]) -> Option<&GrantRule> {
    offers.last()
}
