use serde::{Deserialize, Serialize};

use super::{Time, Usage};

/// Figures of what was done with this program, counted from its own record (S5). They never leave the machine by
/// themselves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// What happened before is not counted; `None`: all is.
    pub since: Option<Time>,
    pub sessions: u32,
    /// Plans that were started, each by how its last run ended.
    pub plans: Outcomes,
    /// Conversations, each by how its last turn ended.
    pub conversations: Outcomes,
    pub goals: Outcomes,
    pub corrections: CorrectionFigures,
    pub approvals: ApprovalFigures,
    /// Plans and goals that the user ended.
    pub cancels: u32,
    /// Turns that the user broke off, and what this program's sudden end cut off.
    pub interrupts: u32,
    /// Both, by the hour of the day (local time) that they came in: 24 of them.
    pub stops_by_hour: Vec<u32>,
    pub turns: u32,
    /// Answers that models gave in those turns.
    pub rounds: u32,
    pub most_rounds: u32,
    /// Seconds that commands and tools ran.
    pub work_seconds: u32,
    pub usage: Usage,
    /// The days on which something happened, oldest first.
    pub days: Vec<DayFigures>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Outcomes {
    pub completed: u32,
    pub failed: u32,
    pub cancelled: u32,
    /// Not ended.
    pub open: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct CorrectionFigures {
    pub tried: u32,
    /// The step succeeded after it.
    pub helped: u32,
    /// Plans in which at least one was tried.
    pub plans: u32,
    /// By rule of the field guide (`guide:…`) or model, the most tried first.
    pub by_source: Vec<SourceFigures>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SourceFigures {
    pub source: String,
    pub tried: u32,
    pub helped: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalFigures {
    /// Questions that were settled by the user or, headless, by the policy.
    pub answered: u32,
    pub allowed_once: u32,
    pub allowed_always: u32,
    pub not_now: u32,
    pub never: u32,
    /// Answered with what to do instead.
    pub instead: u32,
    /// What was not allowed, by the program or tool that was to run, the most refused first.
    pub denials: Vec<KindCount>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct KindCount {
    pub kind: String,
    pub count: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct DayFigures {
    /// In local time: `2026-05-31`.
    pub day: String,
    /// Plans, goals and turns that were completed.
    pub completed: u32,
    /// Those that failed.
    pub failed: u32,
    pub corrections: u32,
    pub denials: u32,
    pub stops: u32,
    pub work_seconds: u32,
    pub tokens: u32,
    pub cost_micros: u32,
}

impl Outcomes {
    pub fn ended(&self) -> u32 {
        self.completed + self.failed + self.cancelled
    }

    /// Of a hundred that ended, so many were completed; `None` where none has ended.
    pub fn completion_rate(&self) -> Option<u32> {
        (self.completed * 100).checked_div(self.ended())
    }
}
