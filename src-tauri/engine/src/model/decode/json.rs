//! JSON as models write it.

use serde_json::Value;

/// Parses strictly, but for one thing: half a surrogate pair (`"\ud83d"` alone, which happens where a server cuts an
/// emoji in two) becomes U+FFFD instead of an error.
pub(in crate::model) fn read(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| {
        let mended = without_lone_surrogates(text).ok_or(error)?;
        serde_json::from_str(&mended)
    })
}

/// The text with each lone surrogate escape replaced; `None` when there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut mended = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        let (width, lone) = match unit(text, escape) {
            Some(0xD800..=0xDBFF) => match unit(text, escape + 6) {
                Some(0xDC00..=0xDFFF) => (12, false),
                _ => (6, true),
            },
            Some(0xDC00..=0xDFFF) => (6, true),
            Some(_) => (6, false),
            // The escaped character is ASCII in valid JSON; where it is not, the parser has the last word.
            None => (1 + text[escape + 1..].chars().next().map_or(0, char::len_utf8), false),
        };
        if lone {
            mended.push_str(&text[kept..escape]);
            mended.push_str("\\ufffd");
            kept = escape + width;
        }
        at = escape + width;
    }
    (kept > 0).then(|| mended + &text[kept..])
}

/// The UTF-16 unit of the `\uXXXX` at this place.
fn unit(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
