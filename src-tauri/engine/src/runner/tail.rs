//! The last bytes of something long, in no more memory than they take.

use std::collections::VecDeque;

#[derive(Debug, Clone)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    most: usize,
}

impl Tail {
    /// Keeps up to `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: VecDeque::new(), most }
    }

    /// `gone` is shown what falls out at the front, in order.
    pub(super) fn push(&mut self, bytes: &[u8], mut gone: impl FnMut(&[u8])) {
        let (passing, last) = bytes.split_at(bytes.len().saturating_sub(self.most));
        let over = (self.bytes.len() + last.len()).saturating_sub(self.most);
        let (front, back) = self.bytes.as_slices();
        gone(&front[..over.min(front.len())]);
        gone(&back[..over.saturating_sub(front.len())]);
        gone(passing);
        self.bytes.drain(..over);
        self.grow(last.len());
        self.bytes.extend(last);
    }

    /// Doubles, but never beyond what it may hold.
    fn grow(&mut self, more: usize) {
        let needed = self.bytes.len() + more;
        if needed > self.bytes.capacity() {
            let wanted = needed.next_power_of_two().min(self.most.max(needed));
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn as_slices(&self) -> (&[u8], &[u8]) {
        self.bytes.as_slices()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_the_rest_is_shown() {
        let all: Vec<u8> = (0..5000_u32).map(|at| (at % 251) as u8).collect();
        for most in [1, 7, 64, 1000, 5000, 6000] {
            for size in [1, 3, 64, 999, 5000] {
                let (mut tail, mut gone) = (Tail::new(most), Vec::new());
                for part in all.chunks(size) {
                    tail.push(part, |bytes| gone.extend_from_slice(bytes));
                    assert!(tail.bytes.capacity() <= most, "{} for {most}", tail.bytes.capacity());
                }
                let (front, back) = tail.as_slices();
                assert_eq!([&gone, front, back].concat(), all);
                assert_eq!(tail.len(), most.min(all.len()));
            }
        }
    }
}
