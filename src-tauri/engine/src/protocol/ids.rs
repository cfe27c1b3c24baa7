use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "specta", derive(specta::Type))]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new, time-ordered (version 7) id.
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// One conversation with its plans, approvals and results.
    SessionId
);
uuid_id!(PlanId);
uuid_id!(ApprovalId);
uuid_id!(GrantId);
uuid_id!(CheckpointId);
uuid_id!(UndoId);
uuid_id!(ServiceId);
uuid_id!(
    /// A question of a running program that only the user can answer.
    SecretRequestId
);
uuid_id!(
    /// One pursuit of a goal within its session.
    GoalId
);
uuid_id!(GoalQuestionId);
uuid_id!(
    /// A message of the user's, and the turn that works on it.
    MessageId
);

impl MessageId {
    /// The id of the account at the turn's end (C7).
    pub fn synthesis_id(self) -> String {
        format!("synthesis_{self}")
    }
}

/// Names one thing that runs: a step within its plan, or a tool call of the conversation, which is a step that nobody
/// planned. Unique there, and stable over every revision. Plans written by people may use
/// their own words ("install-deps"); steps made here get a version 7 UUID.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(transparent)]
pub struct StepId(pub String);

impl StepId {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }
}

impl From<&str> for StepId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A moment, RFC 3339 in UTC on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(transparent)]
pub struct Time(#[cfg_attr(feature = "specta", specta(type = String))] pub jiff::Timestamp);

impl Time {
    pub fn now() -> Self {
        Self(jiff::Timestamp::now())
    }

    /// The moment so long after this one: what a duration measured by the monotonic clock makes of a start, so that
    /// start and end tell how long something took whatever was done to the clock meanwhile.
    #[must_use]
    pub fn after(self, duration: std::time::Duration) -> Self {
        let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        self.0.checked_add(jiff::SignedDuration::from_nanos(nanos)).map_or(self, Self)
    }

    /// Milliseconds from `earlier` to `self`; 0 when the clock went backwards.
    pub fn millis_since(self, earlier: Time) -> u32 {
        let millis = self.0.as_millisecond().saturating_sub(earlier.0.as_millisecond());
        u32::try_from(millis.max(0)).unwrap_or(u32::MAX)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Time;

    #[test]
    fn an_end_is_its_start_and_what_was_measured() {
        let start = Time::now();
        let end = start.after(Duration::from_millis(1500));
        assert_eq!((end.millis_since(start), start.millis_since(end)), (1500, 0));
    }
}
