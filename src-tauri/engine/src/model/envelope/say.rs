use crate::model::decode::read_json;

/// Reads what a reply says while the rest of it still comes. It gives whole characters only, and only where the reply
/// begins with what it says; elsewhere it waits for the whole reply.
#[derive(Debug, Default)]
pub(super) struct Say {
    place: Place,
    /// Bytes of text given so far.
    given: usize,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Before,
    /// Within the string, read up to this byte of the reply.
    At(usize),
    Behind,
}

impl Say {
    /// What the reply so far adds to the text.
    pub(super) fn more(&mut self, raw: &str) -> String {
        if matches!(self.place, Place::Before) {
            self.place = match opening(raw) {
                Opening::NotYet => Place::Before,
                Opening::Other => Place::Behind,
                Opening::At(start) => Place::At(start),
            };
        }
        let Place::At(start) = self.place else { return String::new() };
        let rest = raw.get(start..).unwrap_or_default();
        let (whole, over) = whole_part(rest);
        let decoded = read_json(&format!("\"{}\"", &rest[..whole]));
        let Ok(serde_json::Value::String(text)) = decoded else {
            self.place = Place::Behind;
            return String::new();
        };
        self.place = if over { Place::Behind } else { Place::At(start + whole) };
        self.given += text.len();
        text
    }

    /// What of the whole text was not given yet.
    pub(super) fn rest<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.given..)
    }
}

enum Opening {
    NotYet,
    Other,
    /// The first byte of the string.
    At(usize),
}

fn opening(raw: &str) -> Opening {
    let mut rest = raw;
    for token in ["{", "\"say\"", ":", "\""] {
        rest = rest.trim_start();
        match rest.strip_prefix(token) {
            Some(behind) => rest = behind,
            None if token.starts_with(rest) => return Opening::NotYet,
            None => return Opening::Other,
        }
    }
    Opening::At(raw.len() - rest.len())
}

/// How many bytes of a JSON string's inside are whole, and whether its end is among what came. An escape that is not
/// whole, or half a surrogate pair, waits.
fn whole_part(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let width = match byte {
            b'"' => return (at, true),
            b'\\' => match bytes.get(at + 1) {
                Some(b'u') if is_high(text, at) => 12,
                Some(b'u') => 6,
                _ => 2,
            },
            _ => 1,
        };
        if at + width > bytes.len() {
            break;
        }
        at += width;
    }
    // The last character of a text is whole, but twelve bytes after a lone surrogate may end within one.
    (text.floor_char_boundary(at), false)
}

/// Whether the escape at this place is the first half of a surrogate pair.
fn is_high(text: &str, at: usize) -> bool {
    let unit = text.get(at + 2..at + 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    unit.is_some_and(|unit| (0xD800..0xDC00).contains(&unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reply: &str, step: usize) -> (String, usize) {
        let (mut say, mut text, mut pieces) = (Say::default(), String::new(), 0);
        let mut end = 0;
        while end < reply.len() {
            end = reply.ceil_char_boundary((end + step).min(reply.len()));
            let more = say.more(&reply[..end]);
            pieces += usize::from(!more.is_empty());
            text.push_str(&more);
        }
        (text, pieces)
    }

    #[test]
    fn the_same_text_comes_out_however_it_is_split() {
        let text = "Grüße, \"Doc\"!\n\t\\ 🚗 \u{1F680} end";
        let escaped = serde_json::to_string(text).unwrap().replace('🚗', "\\ud83d\\ude97");
        let reply = format!(" {{ \"say\" : {escaped}, \"tools\": [{{\"name\":\"x\"}}] }}");
        for step in 1..reply.len() {
            assert_eq!(said(&reply, step).0, text, "steps of {step}");
        }
        assert!(said(&reply, 1).1 > 20, "it streams");
    }

    #[test]
    fn another_beginning_is_not_guessed_at() {
        for reply in ["{\"tools\":[],\"say\":\"x\"}", "Sure! {\"say\":\"x\"}", "[\"say\"]", "\"say\":\"x\""] {
            assert_eq!(said(reply, 1).0, "", "{reply}");
        }
        // A raw line break is no JSON: the whole reply will be refused, so nothing of it is said.
        assert_eq!(said("{\"say\":\"a\nb\"}", 64).0, "");
    }
}
