//! Text on its way to a model and from it: bounded, and harmless where people read it. What programs print and what
//! files are called is data, so it is fenced, and nothing in it can close the fence.

use crate::plan::card;

/// At most `most` characters, with a sign where something was cut off.
pub(super) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A model's words as one line for people: no control or direction signs, bounded.
pub(super) fn line(text: &str, most: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&card::harmless(&clip(&words, most)), most)
}

/// The beginning and the end of a long text, the end longer: what went wrong stands there.
pub(super) fn head_and_tail(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let (head, tail) = (most / 4, most - most / 4);
    let at = |place: usize| text.char_indices().nth(place).map_or(text.len(), |(at, _)| at);
    format!(
        "{}\n… {} characters left out …\n{}",
        &text[..at(head)],
        length - most,
        &text[at(length - tail)..]
    )
}

/// `text` between `<name>` and `</name>`, which nothing in it can end.
pub(super) fn fenced(name: &str, text: &str) -> String {
    let end = format!("</{name}");
    let text = if text.contains(&end) { text.replace(&end, &format!("<\\/{name}")) } else { text.to_owned() };
    format!("<{name}>\n{}\n</{name}>", text.trim_end())
}
