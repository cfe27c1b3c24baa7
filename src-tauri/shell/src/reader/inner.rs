//! Shell text inside the words of a command, read like any text. Each is shorter than the text that holds it, so this ends.

use crate::{Inner, SimpleCommand, texts_in};

/// So many texts are read at most; what is not read stays text that nobody knows.
const MOST: usize = 16;

/// The inner texts of `commands`, which stood in a text of `length` bytes.
pub(super) fn read_in(commands: &[SimpleCommand], length: usize) -> Vec<Inner> {
    let mut found: Vec<Inner> = Vec::new();
    for text in commands.iter().flat_map(texts_in) {
        let new = text.len() < length && !found.iter().any(|inner| inner.text == text);
        if new && found.len() < MOST {
            found.push(Inner { facts: super::read(text, length), text: text.to_owned() });
        }
    }
    found
}
