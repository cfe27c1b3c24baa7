//! When a command was at work: the moments in which one of its processes used a processor. A file that was written while none of
//! them did was written by somebody else. Knows nothing of files, and claims no rest that it did not see.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::tree::Tree;

/// Between two looks.
const EVERY: Duration = Duration::from_millis(50);
/// Spans that are kept apart; what comes after counts as one.
const MOST: usize = 512;

/// In milliseconds since 1970, as file systems stamp what is written.
pub(super) type Span = (u64, u64);

#[derive(Debug)]
pub(super) struct Work {
    /// What the processors had done for it by the last look; `None`: nobody looked, or it cannot be told.
    done: Option<u64>,
    since: u64,
    due: Instant,
    spans: Vec<Span>,
}

impl Work {
    pub(super) fn begun(now: Instant) -> Self {
        Self { done: None, since: moment(), due: now + EVERY, spans: Vec::new() }
    }

    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// Looks, when it is time to.
    pub(super) fn look(&mut self, tree: &Tree, now: Instant) {
        if now >= self.due {
            self.take(done_for(tree));
            self.due = now + EVERY;
        }
    }

    /// The rest counts as work: what has ended is not asked any more.
    pub(super) fn ended(mut self) -> Vec<Span> {
        self.take(None);
        self.spans
    }

    fn take(&mut self, done: Option<u64>) {
        let (since, now) = (self.since, moment());
        let rested = done.is_some() && done == self.done;
        (self.done, self.since) = (done, now);
        if rested {
            return;
        }
        let full = self.spans.len() == MOST;
        match self.spans.last_mut() {
            Some((_, end)) if *end == since || full => *end = now,
            Some(_) | None => self.spans.push((since, now)),
        }
    }
}

fn moment() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A number that is another one as soon as a process of the tree has done anything.
fn done_for(tree: &Tree) -> Option<u64> {
    match tree.group_path() {
        Some(group) => {
            let told = fs::read_to_string(group.join("cpu.stat")).ok()?;
            told.lines().find_map(|line| line.strip_prefix("usage_usec ")?.parse().ok())
        }
        None => {
            let mut done = DefaultHasher::new();
            add_children(&mut done, std::process::id(), 0)?;
            Some(done.finish())
        }
    }
}

/// All threads of all that a process has started, and how long each ran. `None`: the kernel does not tell.
fn add_children(done: &mut DefaultHasher, pid: u32, depth: u8) -> Option<()> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    for task in tasks.flatten() {
        if depth > 0 {
            // One that has ended meanwhile did something.
            done.write(&fs::read(task.path().join("schedstat")).ok()?);
        }
        let children = fs::read_to_string(task.path().join("children")).ok()?;
        for child in children.split_ascii_whitespace() {
            let child = child.parse().ok()?;
            done.write_u32(child);
            add_children(done, child, depth.checked_add(1)?)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(spans: &[Span], moment: u64) -> bool {
        spans.iter().any(|(from, to)| (*from..=*to).contains(&moment))
    }

    #[test]
    fn a_rest_is_told_from_work_and_the_unknown_is_work() {
        let mut work = Work::begun(Instant::now());
        let mut moments = Vec::new();
        // Worked, rested, rested, not told, not told, worked.
        for done in [Some(1), Some(1), Some(1), None, None, Some(1)] {
            std::thread::sleep(Duration::from_millis(4));
            moments.push(moment());
            std::thread::sleep(Duration::from_millis(4));
            work.take(done);
        }
        let spans = work.ended();
        let told: Vec<bool> = moments.iter().map(|moment| at(&spans, *moment)).collect();
        assert_eq!(told, [true, false, false, true, true, true], "{spans:?}");
    }

    #[test]
    fn more_spans_than_are_kept_leave_no_work_out() {
        let mut work = Work::begun(Instant::now());
        let mut done = 0;
        for _ in 0..MOST + 20 {
            // Work, then a rest.
            done += 1;
            work.take(Some(done));
            std::thread::sleep(Duration::from_millis(1));
            work.take(Some(done));
            std::thread::sleep(Duration::from_millis(1));
        }
        let worked = moment();
        work.take(Some(done + 1));
        let spans = work.ended();
        assert!(spans.len() <= MOST && at(&spans, worked), "{} spans", spans.len());
    }
}
