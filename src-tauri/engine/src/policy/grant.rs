//! Which remembered answers are in force: what they belong to, and until when.

use super::Question;
use crate::protocol::{Grant, GrantId, GrantLifetime, GrantRule, Time};

const DAY: i64 = 24 * 60 * 60;

/// The run, session and folder that a question belongs to; a grant bound to another one does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings {
    pub run: String,
    pub session: String,
    pub folder: String,
}

impl Bindings {
    /// What a grant of this lifetime is bound to.
    pub fn for_lifetime(&self, lifetime: GrantLifetime) -> String {
        match lifetime {
            GrantLifetime::Run => self.run.clone(),
            GrantLifetime::Session => self.session.clone(),
            GrantLifetime::Folder => self.folder.clone(),
            GrantLifetime::Always => String::new(),
        }
    }
}

/// A new grant, never used yet. `days` without use end one that allows; 0 for never.
pub fn new_grant(
    allow: bool,
    rule: GrantRule,
    lifetime: GrantLifetime,
    bindings: &Bindings,
    now: Time,
    days: u32,
) -> Grant {
    Grant {
        id: GrantId::new(),
        allow,
        rule,
        lifetime,
        bound_to: bindings.for_lifetime(lifetime),
        created_at: now,
        last_used_at: None,
        uses: 0,
        expires_at: expiry(allow, lifetime, now, days),
    }
}

/// The same grant after it decided once more.
pub fn used(grant: Grant, now: Time, days: u32) -> Grant {
    Grant {
        last_used_at: Some(now),
        uses: grant.uses.saturating_add(1),
        expires_at: expiry(grant.allow, grant.lifetime, now, days),
        ..grant
    }
}

/// A permission that nobody uses ends; a refusal stays, and what belongs to a run or session ends with it.
fn expiry(allow: bool, lifetime: GrantLifetime, now: Time, days: u32) -> Option<Time> {
    match lifetime {
        GrantLifetime::Run | GrantLifetime::Session => None,
        GrantLifetime::Folder | GrantLifetime::Always if !allow || days == 0 => None,
        GrantLifetime::Folder | GrantLifetime::Always => {
            let span = jiff::SignedDuration::from_secs(i64::from(days) * DAY);
            now.0.checked_add(span).ok().map(Time)
        }
    }
}

pub(super) fn in_force(grant: &Grant, question: &Question<'_>) -> bool {
    grant.expires_at.is_none_or(|end| question.now < end)
        && match grant.lifetime {
            GrantLifetime::Always => true,
            GrantLifetime::Run | GrantLifetime::Session | GrantLifetime::Folder => {
                let bound_to = question.bindings.for_lifetime(grant.lifetime);
                !bound_to.is_empty() && grant.bound_to == bound_to
            }
        }
}
