//! What stands between words: operators, keywords, comments.

use crate::protocol::{ExplainedPart, MeaningSource};

const KNOWN: [(&str, &str); 33] = [
    ("\\", "goes on in the next line"),
    ("&&", "go on only if that worked"),
    ("||", "go on only if that failed"),
    ("|", "hand the output on to the next program"),
    ("|&", "hand the output and the messages on to the next program"),
    (";", "then"),
    (";;", "the end of this case"),
    ("&", "go on at once, while that runs in the background"),
    ("!", "turns success and failure round"),
    ("(", "what follows runs in a shell of its own"),
    (")", "the end of that shell"),
    ("((", "what follows is arithmetic"),
    ("))", "the end of the arithmetic"),
    ("{", "the beginning of a group"),
    ("}", "the end of the group"),
    ("()", "what follows is a function with this name"),
    ("if", "if this works"),
    ("then", "then do this"),
    ("elif", "or else, if this works"),
    ("else", "otherwise do this"),
    ("fi", "the end of the if"),
    ("for", "once for each of these"),
    ("in", "these"),
    ("while", "again and again as long as this works"),
    ("until", "again and again until this works"),
    ("do", "do this"),
    ("done", "the end of the loop"),
    ("case", "depending on what this is"),
    ("esac", "the end of the cases"),
    ("time", "and tell how long it took"),
    ("function", "what follows is a function"),
    ("[[", "a question"),
    ("]]", "the end of the question"),
];

/// Takes the operator of a redirection off the end of `gap`: the gap and `2> ` with its blank.
pub(super) fn split_redirect(gap: String, is_redirect: bool) -> (String, String) {
    if !is_redirect {
        return (gap, String::new());
    }
    let trimmed = gap.trim_end();
    let start = trimmed.trim_end_matches(['<', '>', '&', '|', '-']);
    let start = start.trim_end_matches(|c: char| c.is_ascii_digit());
    let at = start.len();
    (gap.get(..at).unwrap_or_default().to_owned(), gap.get(at..).unwrap_or_default().to_owned())
}

/// Every operator or word of a gap as a part.
pub(super) fn explain(gap: &str) -> Vec<ExplainedPart> {
    let mut parts = Vec::new();
    for line in gap.lines() {
        let (code, comment) = match line.find('#') {
            Some(at)
                if at == 0 || line.get(..at).is_some_and(|before| before.ends_with(char::is_whitespace)) =>
            {
                line.split_at(at)
            }
            Some(_) | None => (line, ""),
        };
        for token in code.split_whitespace().flat_map(tokens) {
            let is_name = parts.last().is_some_and(|last: &ExplainedPart| last.text == "for");
            let meaning = KNOWN.iter().find(|(text, _)| *text == token).map(|(_, meaning)| *meaning);
            let meaning =
                meaning.or(token.starts_with("<<").then_some("gives it the lines below, up to this word"));
            let meaning = if is_name { Some("the name of each") } else { meaning };
            parts.push(ExplainedPart {
                meaning: meaning.unwrap_or("part of the shell's own language").to_owned(),
                known: meaning.is_some(),
                source: if meaning.is_some() { MeaningSource::Tables } else { MeaningSource::Nowhere },
                text: token,
            });
        }
        if !comment.is_empty() {
            parts.push(ExplainedPart {
                text: comment.to_owned(),
                meaning: "a note for people".into(),
                known: true,
                source: MeaningSource::Tables,
            });
        }
    }
    parts
}

/// Splits `);` into `)` and `;`, keeping `&&` and names whole.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for c in text.chars() {
        let joins = tokens.last().is_some_and(|last: &String| {
            let both = format!("{last}{c}");
            KNOWN.iter().any(|(known, _)| *known == both) && !c.is_alphanumeric()
                || !";&|(){}".contains(c) && !last.ends_with([';', '&', '|', '(', ')', '{', '}'])
        });
        match tokens.last_mut() {
            Some(last) if joins => last.push(c),
            Some(_) | None => tokens.push(c.to_string()),
        }
    }
    tokens
}
