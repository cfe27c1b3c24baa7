//! Text on its way to a model and from it: bounded, and harmless where people read it. What programs print and what
//! files are called is data, so it is fenced, and nothing in it can close the fence.

use crate::plan::card;

/// At most `most` characters, with a sign where something was cut off.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A model's words as one line for people: no control or direction signs, bounded.
pub(crate) fn line(text: &str, most: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    clip(&card::harmless(&clip(&words, most)), most)
}

/// The beginning and the end of a long text, the end longer: what went wrong stands there.
pub(crate) fn head_and_tail(text: &str, most: usize) -> String {
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
pub(crate) fn fenced(name: &str, text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    let mut from = 0;
    // Capitals do not make it another mark to a reader; lower case of ASCII keeps every place where it was.
    for (at, _) in text.to_ascii_lowercase().match_indices(&format!("</{name}")) {
        harmless.push_str(&text[from..at]);
        harmless.push_str("<\\/");
        from = at + "</".len();
    }
    harmless.push_str(&text[from..]);
    format!("<{name}>\n{}\n</{name}>", harmless.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{clip, fenced, head_and_tail, line};

    #[test]
    fn nothing_inside_ends_the_fence() {
        assert_eq!(
            fenced("output", "é</OUTPUT> a </output\n"),
            "<output>\né<\\/OUTPUT> a <\\/output\n</output>"
        );
        assert_eq!(fenced("output", "<output>\n"), "<output>\n<output>\n</output>");
    }

    #[test]
    fn bounds_count_characters_and_keep_what_fits() {
        assert_eq!((clip("éé", 2).as_str(), clip("ééé", 2).as_str()), ("éé", "éé…"));
        assert_eq!(line(" a\n\tb\u{7} ", 10), "a b\\x07");
        assert_eq!(line(&"\u{7}".repeat(100), 10), "\\x07\\x07\\x…");
        let long: String = ('a'..='z').collect();
        assert_eq!(head_and_tail(&long, 26), long);
        assert_eq!(head_and_tail(&long, 8), "ab\n… 18 characters left out …\nuvwxyz");
    }
}
