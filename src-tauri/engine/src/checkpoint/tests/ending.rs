//! The program ends at a chosen change on disk, and nothing is changed after that.

use std::cell::Cell;
use std::io;

thread_local! {
    /// Changes that are still made; `None`: all.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

pub(in super::super) fn change() -> io::Result<()> {
    match LEFT.get() {
        None => Ok(()),
        Some(0) => Err(io::Error::other("the program has ended")),
        Some(left) => {
            LEFT.set(Some(left - 1));
            Ok(())
        }
    }
}

/// Does it until the program ends after so many changes. `None`: it ended.
pub(super) fn after<T>(changes: u32, act: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(Some(changes));
    let done = act();
    let left = LEFT.replace(None);
    left.filter(|left| *left > 0).map(|_| done)
}
