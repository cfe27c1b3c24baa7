//! Values that are to be written nowhere, not even as a part of a file of the user's that is kept for undo.

use std::io::{self, Read};
use std::sync::PoisonError;

use memchr::memmem;

use super::forms::{self, PIECE};
use super::{Redactor, SHORTEST};

const CHUNK: usize = 256 * 1024;

impl Redactor {
    /// Hides the value as [`Self::know`] does, and from now on no file that holds it is kept. One shorter than [`SHORTEST`] is
    /// in every file.
    pub(crate) fn withhold(&self, value: &str) {
        self.know(value);
        let value = value.trim();
        if value.len() >= SHORTEST {
            let mut withheld = self.0.withheld.write().unwrap_or_else(PoisonError::into_inner);
            withheld.extend(forms::of(value.as_bytes()).into_keys());
        }
    }

    /// Whether what is read has such a value in it, in one of the forms that programs write it in.
    pub(crate) fn withholds(&self, from: &mut impl Read) -> io::Result<bool> {
        let withheld = self.0.withheld.read().unwrap_or_else(PoisonError::into_inner).clone();
        if withheld.is_empty() {
            return Ok(false);
        }
        let finders: Vec<_> = withheld.iter().map(memmem::Finder::new).collect();
        let mut seen: Vec<u8> = Vec::with_capacity(CHUNK + PIECE);
        loop {
            let kept = seen.len().min(PIECE);
            seen.drain(..seen.len() - kept);
            let read = from.by_ref().take(CHUNK as u64).read_to_end(&mut seen)?;
            if finders.iter().any(|finder| finder.find(&seen).is_some()) {
                return Ok(true);
            }
            if read == 0 {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_withheld_value_is_found_wherever_it_lies_and_another_secret_is_not() {
        let redactor = Redactor::default();
        redactor.know("other-secret");
        assert!(!redactor.withholds(&mut &b"other-secret"[..]).unwrap());
        redactor.withhold("hunter2/x");
        redactor.withhold("1234");
        for before in [0, 1, CHUNK - 4, CHUNK, 3 * CHUNK - 1] {
            for form in ["hunter2/x", "hunter2%2Fx", "aHVudGVyMi94"] {
                let text = format!("{}{form}\n", " ".repeat(before));
                assert!(redactor.withholds(&mut text.as_bytes()).unwrap(), "{form} at {before}");
            }
        }
        assert!(!redactor.withholds(&mut &b"hunter2 x 1234 other-secret"[..]).unwrap());
    }
}
