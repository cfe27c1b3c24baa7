//! Whose output is worked on now. As many at once as there are processors: more would not be faster, and each that is
//! taken off its processor in the middle of it would hold its buffers meanwhile. The others' output waits in their pipes.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(super) struct Turns {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// Dropping it gives it back.
#[derive(Debug)]
pub(super) struct Turn<'a>(&'a Turns);

impl Default for Turns {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { free: Mutex::new(processors), given_back: Condvar::new() }
    }
}

impl Turns {
    /// Waits for a turn. Whoever has one waits for nothing that another run does.
    pub(super) fn wait(&self) -> Turn<'_> {
        let free = self.given_back.wait_while(self.free(), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn(self)
    }

    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free() += 1;
        self.0.given_back.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_than_the_processors_work_at_once_and_each_gets_its_turn() {
        let turns = Turns::default();
        let most = *turns.free();
        let (now, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..most * 4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _turn = turns.wait();
                        assert!(now.fetch_add(1, Ordering::SeqCst) < most);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!((done.into_inner(), *turns.free()), (most * 400, most));
    }
}
