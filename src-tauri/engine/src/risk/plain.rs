//! Reads the plainest of shell text, such as `bash -c "npm test"`: words, blanks and `;`, `&&`, `||`, `|`. Anything
//! else is not read at all, for a wrong reading would be worse than none.

use planwright_shell::{Context, SimpleCommand, Span, Value, Word};

const RESERVED: [&str; 20] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "select", "function", "time", "coproc", "!", "{", "}",
];

/// The commands of `text`, every word standing at `span`; `None` when it is not plain.
pub(crate) fn read(text: &str, span: Span) -> Option<Vec<SimpleCommand>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " \n\t_./:,@%+-=~*;&|".contains(c);
    if !text.chars().all(plain) {
        return None;
    }
    let spaced = text.replace("&&", " ; ").replace("||", " ; ").replace('\n', " ; ");
    if spaced.contains('&') {
        return None;
    }
    let spaced = spaced.replace('|', " | ").replace(';', " ; ");
    let mut commands = Vec::new();
    for (pipeline, list) in spaced.split(';').enumerate() {
        let stages: Vec<&str> = list.split('|').collect();
        for (stage, words) in stages.iter().enumerate() {
            let words: Vec<Word> = words.split_whitespace().map(|word| plain_word(word, span)).collect();
            let Some(first) = words.first() else { continue };
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
            commands.push(SimpleCommand {
                words,
                assignments: Vec::new(),
                redirects: Vec::new(),
                span,
                context,
            });
        }
    }
    Some(commands)
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
