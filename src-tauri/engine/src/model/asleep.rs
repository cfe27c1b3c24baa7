//! Notices that the machine was asleep: what was on its way from a server then mostly never comes, and waiting for it as
//! long as for a slow server would be waiting for nothing. Only looks at clocks.

use std::time::Duration;

/// Less is the clocks' own unevenness.
const SLEEP: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long the machine has been asleep since it was started: the clock that counts sleep, less the one that does not.
pub(super) fn in_all() -> Duration {
    let measured = measured();
    #[cfg(test)]
    let measured = measured + tests::PRETENDED.get();
    measured
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn measured() -> Duration {
    use rustix::time::{ClockId, Timespec, clock_gettime};
    let duration = |time: Timespec| {
        let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
        Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
    };
    let awake = duration(clock_gettime(ClockId::Monotonic));
    duration(clock_gettime(ClockId::Boottime)).saturating_sub(awake)
}

/// Where there is no such pair of clocks a lost answer is noticed by its silence.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn measured() -> Duration {
    Duration::ZERO
}

/// Returns once the machine has slept since it had slept so long in all.
pub(super) async fn again(before: Duration) {
    while in_all().saturating_sub(before) < SLEEP {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Sleep that this thread's tests pretend.
        pub(in crate::model) static PRETENDED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    #[test]
    fn a_machine_that_is_awake_does_not_sleep() {
        let before = in_all();
        std::thread::sleep(Duration::from_millis(50));
        assert!(in_all().saturating_sub(before) < Duration::from_millis(20));
    }
}
