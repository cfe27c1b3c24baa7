//! A flood beyond what is kept of it: only its end is looked at, the rest is counted. Every byte of a flood takes its time
//! on the way through hiding, text and view, and of the middle nobody will see any.

use memchr::memchr_iter;

use super::file::TAIL_BYTES;
use super::tail::Tail;

/// Bytes before the end that is kept which tell what of it is secret: a key block is no longer, and no value that is known.
const BEFORE: usize = 40 * 1024;

/// One stream from where its file is full.
#[derive(Debug)]
pub(super) struct Beyond {
    end: Tail,
    left_out: Count,
}

/// What is not kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) bytes: u64,
    pub(super) lines: usize,
}

impl Count {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.lines += memchr_iter(b'\n', bytes).count();
    }
}

impl Default for Beyond {
    fn default() -> Self {
        Self { end: Tail::new(BEFORE + TAIL_BYTES), left_out: Count::default() }
    }
}

impl Beyond {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let left_out = &mut self.left_out;
        self.end.push(bytes, |gone| left_out.add(gone));
    }

    /// What came last, with its secrets hidden by `hide`, and what is left out before it.
    pub(super) fn finish(self, hide: impl FnOnce(&[u8]) -> Vec<u8>) -> (Vec<u8>, Count) {
        let Self { end, mut left_out } = self;
        let (front, back) = end.as_slices();
        let mut shown = hide(&[front, back].concat());
        if left_out.bytes > 0 {
            let before = shown.len().saturating_sub(TAIL_BYTES);
            left_out.add(&shown[..before]);
            shown.drain(..before);
        }
        (shown, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_the_rest_is_counted() {
        for lines in [0, 1, 1000, 40_000, 100_000] {
            let text = "one\n".repeat(lines);
            for size in [1, 1000, 32 * 1024, 1 << 20] {
                let mut beyond = Beyond::default();
                text.as_bytes().chunks(size.max(7)).for_each(|part| beyond.push(part));
                let (end, left_out) = beyond.finish(<[u8]>::to_vec);
                assert_eq!(left_out.bytes + end.len() as u64, text.len() as u64);
                assert_eq!(left_out.lines + memchr_iter(b'\n', &end).count(), lines);
                assert!(text.as_bytes().ends_with(&end) && end.len() >= text.len().min(TAIL_BYTES));
            }
        }
    }
}
