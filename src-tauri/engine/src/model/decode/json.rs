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

/// The arguments of a call: an object, also where the model wrote it as JSON in a string, in a fence, or with the line breaks of
/// a text as they are. Each of these can be read in one way only; what could mean something else stays an error.
pub(crate) fn arguments(text: &str) -> serde_json::Result<Value> {
    let text = unfenced(text.trim());
    let value = read(text).or_else(|error| match with_escaped_controls(text) {
        Some(mended) => read(&mended).map_err(|_| error),
        None => Err(error),
    })?;
    match &value {
        Value::String(inner) => match arguments(inner) {
            Ok(inner) if inner.is_object() => Ok(inner),
            _ => Ok(value),
        },
        _ => Ok(value),
    }
}

/// What stands in a Markdown fence that is the whole text.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inner = inner.and_then(|inner| inner.split_once('\n'));
    inner.filter(|(language, _)| !language.contains(['{', '`'])).map_or(text, |(_, body)| body.trim())
}

/// The text with the control characters in its strings escaped, as JSON wants them; `None` when there are none.
fn with_escaped_controls(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len() + 16);
    let (mut within, mut escaped, mut any) = (false, false, false);
    for letter in text.chars() {
        if within && letter < ' ' && !escaped {
            any = true;
            mended.push_str(&format!("\\u{:04x}", letter as u32));
            continue;
        }
        match letter {
            '"' if !escaped => within = !within,
            _ => {}
        }
        escaped = within && letter == '\\' && !escaped;
        mended.push(letter);
    }
    any.then_some(mended)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_can_be_read_in_one_way_are_read() {
        let wanted = json!({ "command": "echo a\necho b" });
        for text in [
            r#"{"command": "echo a\necho b"}"#,
            r#""{\"command\": \"echo a\\necho b\"}""#,
            "```json\n{\"command\": \"echo a\\necho b\"}\n```",
            "```\n{\"command\": \"echo a\\necho b\"}```",
            "{\"command\": \"echo a\necho b\"}",
            " \"```json\\n{\\\"command\\\": \\\"echo a\\\\necho b\\\"}\\n```\"",
        ] {
            assert_eq!(arguments(text).ok(), Some(wanted.clone()), "{text}");
        }
        let tab = "{\n\t\"a\": \"x\ty \\\\\"\n}";
        assert_eq!(arguments(tab).ok(), Some(json!({ "a": "x\ty \\" })));
    }

    #[test]
    fn arguments_that_could_mean_something_else_stay_an_error() {
        for text in [
            r#"{"a": 1} {"a": 2}"#,
            r#"{"a": 1"#,
            r"{'a': 1}",
            r#"{"a": "say "hi""}"#,
            "{\"a\": \"x\\\ny\"}",
            "Here it is: ```json\n{\"a\": 1}\n```",
        ] {
            assert!(arguments(text).is_err(), "{text}");
        }
        // A text that is only a text is not a call's arguments, but it is JSON.
        assert_eq!(arguments(r#""ls""#).ok(), Some(json!("ls")));
    }
}
