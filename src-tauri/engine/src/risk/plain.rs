//! Reads the plainest of shell text, such as `bash -c "npm test"`: words, blanks and `;`, `&&`, `||`, `|`. Anything
//! else is not read at all, for a wrong reading would be worse than none.

use planwright_shell::{Context, SimpleCommand, Span, Value, Word};

const RESERVED: [&str; 20] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "select", "function", "time", "coproc", "!", "{", "}",
];

/// The commands of `text`, which stands at `span` or is made of what does: in that case every word stands there. `None` when it
/// is not plain.
pub(crate) fn read(text: &str, span: Span) -> Option<Vec<SimpleCommand>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " \n\t_./:,@%+-=~*;&|".contains(c);
    if !text.chars().all(plain) {
        return None;
    }
    let mut commands = Vec::new();
    for (pipeline, list) in parts(text, 0, &["&&", "||", ";", "\n"]).into_iter().enumerate() {
        if list.0.contains('&') {
            return None;
        }
        let stages = parts(list.0, list.1, &["|"]);
        for (stage, (words, start)) in stages.iter().enumerate() {
            let words = parts(words, *start, &[" ", "\t"]);
            let words: Vec<Word> = words
                .into_iter()
                .filter(|(word, _)| !word.is_empty())
                .map(|(word, start)| plain_word(word, place_of(word, start, text, span)))
                .collect();
            let (Some(first), Some(last)) = (words.first(), words.last()) else { continue };
            if RESERVED.contains(&first.raw.as_str()) || first.raw.contains('=') {
                return None;
            }
            let context = Context {
                piped_from: stage > 0,
                piped_into: stage + 1 < stages.len(),
                pipeline: u32::try_from(pipeline).ok()?,
                stage: u32::try_from(stage).ok()?,
                in_subshell: true,
                conditional: true,
                ..Context::default()
            };
            let span = Span { start: first.span.start, end: last.span.end };
            let (assignments, redirects) = (Vec::new(), Vec::new());
            commands.push(SimpleCommand { words, assignments, redirects, span, context });
        }
    }
    Some(commands)
}

/// What stands between any of `signs`, each with where it begins; `start` is where `text` does.
fn parts<'t>(text: &'t str, start: usize, signs: &[&str]) -> Vec<(&'t str, usize)> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match signs.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => {
                found.extend(text.get(from..at).map(|part| (part, start + from)));
                at += sign.len();
                from = at;
            }
            None => at += 1,
        }
    }
    found.extend(text.get(from..).map(|part| (part, start + from)));
    found
}

/// The place of `word`, which begins at `start` in `text`. All of it is ASCII.
fn place_of(word: &str, start: usize, text: &str, span: Span) -> Span {
    let own = || {
        let start = span.start.checked_add(u32::try_from(start).ok()?)?;
        Some(Span { start, end: start.checked_add(u32::try_from(word.len()).ok()?)? })
    };
    let stands = u32::try_from(text.len()).ok() == Some(span.end - span.start);
    own().filter(|_| stands).unwrap_or(span)
}

fn plain_word(raw: &str, span: Span) -> Word {
    let tilde = raw.starts_with('~');
    let value = if raw.contains('*') {
        Value::Glob { pattern: raw.to_owned(), tilde }
    } else {
        Value::Known { text: raw.to_owned(), tilde }
    };
    Word { raw: raw.to_owned(), value, span, bare: true }
}
