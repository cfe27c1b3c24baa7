use crate::Facts;

/// Reads `text`. Never panics on purpose; may still be made to loop or grow, see the crate's note.
pub fn read(_text: &str, _max_text: usize) -> Facts {
    Facts::default()
}
