//! Whose a change is. Between two lists of a folder not only the step may have written there: what the text of the command names
//! is the step's, what was written while none of its processes was at work is not, and what cannot be told is not taken for the
//! step's. Pure.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::entry::Moment;
use super::manifest::{Change, Manifest};
use super::scan::Scope;

/// When the processes of a step were at work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum AtWork {
    #[default]
    Unknown,
    /// From and to, in milliseconds since 1970.
    During(Vec<(u64, u64)>),
}

/// Why a change may not be the step's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Doubt {
    /// Nothing of the step was at work then.
    Other,
    /// Nobody saw who it was.
    Unknown,
}

impl Doubt {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Other => "It was changed while nothing of the step was at work, so not by the step.",
            Self::Unknown => "It is not known whether the step or something else changed it.",
        }
    }
}

/// A file system's clock may be behind by a tick.
const TICK_MILLIS: u64 = 20;
/// Who works this long in all may well have written at the same moment as somebody else.
const LONG_MILLIS: u64 = 5_000;

impl AtWork {
    /// Of two things that were run one after the other.
    pub(crate) fn and(self, later: Self) -> Self {
        match (self, later) {
            (Self::During(first), Self::During(second)) => Self::During([first, second].concat()),
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
        }
    }

    fn doubt(&self, moment: Moment) -> Option<Doubt> {
        let Self::During(spans) = self else { return Some(Doubt::Unknown) };
        let millis = u64::try_from(moment.0).unwrap_or(0) * 1000 + u64::from(moment.1) / 1_000_000;
        let at = |(from, to): &(u64, u64)| {
            (from.saturating_sub(TICK_MILLIS)..=to.saturating_add(TICK_MILLIS)).contains(&millis)
        };
        if !spans.iter().any(at) {
            return Some(Doubt::Other);
        }
        let long = spans.iter().map(|(from, to)| to.saturating_sub(*from)).sum::<u64>() > LONG_MILLIS;
        long.then_some(Doubt::Unknown)
    }
}

/// Notes the doubt with each change that has one.
pub(super) fn tell_apart(changes: &mut [Change], scope: &Scope, after: &Manifest, work: &AtWork) {
    for change in changes {
        let named = scope.targets.iter().any(|target| change.path.starts_with(target));
        change.doubt = if named { None } else { work.doubt(when(change, after)) };
    }
}

/// When it was changed last. Of what is gone the folder tells, which may have been changed since.
fn when(change: &Change, after: &Manifest) -> Moment {
    match &change.after {
        Some(entry) => entry.stamp.changed,
        None => {
            let above = change.path.ancestors().skip(1);
            let there = above.map(Path::to_path_buf).find_map(|folder| after.entries.get(&folder));
            there.map(|folder| folder.stamp.changed).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_in_a_rest_is_somebody_elses() {
        let work = AtWork::During(vec![(1_000, 1_100), (4_000, 4_050)]);
        let at = |millis: i64| Moment(millis / 1000, u32::try_from(millis % 1000).unwrap() * 1_000_000);
        let doubts =
            [900, 990, 1_050, 1_110, 2_500, 3_995, 4_060, 5_000].map(|millis| work.doubt(at(millis)));
        let other = Some(Doubt::Other);
        assert_eq!(doubts, [other, None, None, None, other, None, None, other]);
        let long = AtWork::During(vec![(1_000, 7_000)]);
        assert_eq!([long.doubt(at(3_000)), long.doubt(at(9_000))], [Some(Doubt::Unknown), other]);
        assert_eq!(AtWork::Unknown.doubt(at(3_000)), Some(Doubt::Unknown));
        assert_eq!(work.clone().and(AtWork::Unknown), AtWork::Unknown);
        let both = work.and(AtWork::During(vec![(6_000, 6_010)]));
        assert_eq!([both.doubt(at(6_005)), both.doubt(at(5_500))], [None, other]);
    }
}
