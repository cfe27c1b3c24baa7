//! The session's caps on tokens and money (M6): a warning at 80 %, a stop at 100 %.

use crate::protocol::{Cap, EngineError, ErrorCode, Event, Settings, Usage};

/// Why no model is asked any more, with the way out.
pub(in crate::session) const REACHED: &str = "This session has used up its cap on tokens or money, so no model is asked. \
Raise the cap in Settings, or start a new session.";

/// A cap with what is used of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Level {
    cap: Cap,
    used: u32,
    allowed: u32,
}

impl Level {
    fn is_near(self) -> bool {
        u64::from(self.used) * 10 >= u64::from(self.allowed) * 8
    }

    fn is_reached(self) -> bool {
        self.used >= self.allowed
    }
}

fn levels(usage: &Usage, settings: &Settings) -> impl Iterator<Item = Level> {
    let tokens = settings.token_cap.map(|allowed| Level {
        cap: Cap::Tokens,
        used: usage.input_tokens.saturating_add(usage.output_tokens),
        allowed,
    });
    let cost = settings.cost_cap_cents.map(|cents| Level {
        cap: Cap::Cost,
        used: usage.cost_micros,
        allowed: cents.saturating_mul(10_000),
    });
    tokens.into_iter().chain(cost)
}

/// The cap that is reached, so that no model may be asked any more in this session.
pub(in crate::session) fn reached(usage: &Usage, settings: &Settings) -> Option<Cap> {
    levels(usage, settings).find(|level| level.is_reached()).map(|level| level.cap)
}

/// Whether no model may be asked any more in this session.
pub(in crate::session) fn is_reached(usage: &Usage, settings: &Settings) -> bool {
    reached(usage, settings).is_some()
}

pub(in crate::session) fn refuse_over_cap(usage: &Usage, settings: &Settings) -> Result<(), EngineError> {
    if !is_reached(usage, settings) {
        return Ok(());
    }
    Err(EngineError::new(ErrorCode::CapReached, REACHED))
}

/// The warnings that are due now and were not before.
pub(in crate::session) fn warnings(before: &Usage, after: &Usage, settings: &Settings) -> Vec<Event> {
    levels(before, settings)
        .zip(levels(after, settings))
        .filter(|(before, after)| !before.is_near() && after.is_near())
        .map(|(_, Level { cap, used, allowed })| Event::CapWarning { cap, used, allowed })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(tokens: u32, micros: u32) -> Usage {
        Usage { input_tokens: tokens, cost_micros: micros, ..Usage::default() }
    }

    #[test]
    fn a_cap_warns_once_at_four_fifths_and_stops_at_the_whole() {
        let settings = Settings { token_cap: Some(1000), ..Settings::default() };
        let warning = |used| Event::CapWarning { cap: Cap::Tokens, used, allowed: 1000 };
        assert_eq!(warnings(&used(0, 0), &used(799, 0), &settings), []);
        assert_eq!(warnings(&used(799, 0), &used(800, 0), &settings), [warning(800)]);
        assert_eq!(warnings(&used(800, 0), &used(999, 0), &settings), []);
        assert_eq!(warnings(&used(10, 0), &used(2000, 0), &settings), [warning(2000)]);
        assert!(!is_reached(&used(999, 0), &settings));
        assert!(is_reached(&used(1000, 0), &settings));
    }

    #[test]
    fn money_is_counted_in_cents_and_nothing_is_capped_without_a_cap() {
        let settings = Settings { cost_cap_cents: Some(5), ..Settings::default() };
        assert!(!is_reached(&used(u32::MAX, 49_999), &settings));
        assert!(is_reached(&used(0, 50_000), &settings));
        assert_eq!(refuse_over_cap(&used(0, 50_000), &settings).unwrap_err().code, ErrorCode::CapReached);
        assert!(!is_reached(&used(u32::MAX, u32::MAX), &Settings::default()));
    }
}
