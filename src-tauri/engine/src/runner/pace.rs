//! How hard a flood of output may work this process. A command that writes as fast as it can would keep a processor busy
//! for as long as it runs, and on a small machine the window could not draw meanwhile. What waits, waits in the pipe.

use std::time::{Duration, Instant};

/// Work that is done at once, whatever the output: what a file of output takes, and more. Beyond it as much rest is taken as work was done.
const AT_ONCE: Duration = Duration::from_millis(300);
/// The longest rest, where a piece of work took long because the machine was busy.
const LONGEST: Duration = Duration::from_millis(20);

/// Of one command's output.
#[derive(Debug)]
pub(super) struct Pace {
    /// Work that no rest has made up for.
    owed: Duration,
    until: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { owed: Duration::ZERO, until: now }
    }

    /// How long to rest after work that was done from `begun` to `ended`.
    pub(super) fn rest_after(&mut self, begun: Instant, ended: Instant) -> Duration {
        let idle = begun.saturating_duration_since(self.until);
        self.owed = self.owed.saturating_sub(idle) + ended.saturating_duration_since(begun);
        self.until = ended;
        let rest = self.owed.saturating_sub(AT_ONCE).min(LONGEST);
        // What is too long to be rested off is let go.
        self.owed = self.owed.min(AT_ONCE + LONGEST);
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: Duration = Duration::from_millis(1);

    /// Works in pieces that follow each other with `between` of waiting; returns how long it worked and rested.
    fn worked(pieces: u32, between: Duration) -> (Duration, Duration) {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        let mut rested = Duration::ZERO;
        for _ in 0..pieces {
            let begun = now;
            now += PIECE;
            let rest = pace.rest_after(begun, now);
            rested += rest;
            now += rest + between;
        }
        (PIECE * pieces, rested)
    }

    #[test]
    fn a_flood_rests_as_long_as_it_works_and_not_at_its_beginning() {
        assert_eq!(worked(300, Duration::ZERO).1, Duration::ZERO);
        let (work, rested) = worked(1_300, Duration::ZERO);
        assert_eq!(rested, work - AT_ONCE);
    }

    #[test]
    fn output_that_comes_no_faster_than_it_is_worked_on_never_waits() {
        assert_eq!(worked(10_000, PIECE).1, Duration::ZERO);
    }

    #[test]
    fn no_rest_is_long() {
        let begun = Instant::now();
        let mut pace = Pace::new(begun);
        assert_eq!(pace.rest_after(begun, begun + Duration::from_secs(9)), LONGEST);
    }
}
