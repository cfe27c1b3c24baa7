use crate::protocol::{CallOutcome, CallResult};

/// What a model says when it means to go on (C1). Matched at the start of its last sentence, or of its last line.
const ANNOUNCEMENTS: [&str; 14] = [
    "let me",
    "let's",
    "i'll now",
    "i will now",
    "now i'll",
    "now i will",
    "now, i",
    "next, i",
    "next i",
    "i'm going to",
    "i am going to",
    "i'll start",
    "i will start",
    "first, i",
];

/// Whether a text without a stop reason ends by announcing more work.
pub fn announces_more(text: &str) -> bool {
    let text = text.trim_end().replace('\u{2019}', "'").to_lowercase();
    let text = text.trim_end_matches(['.', ':', '…', '!', ' ']);
    let last = text.rsplit(['.', '!', '?', '\n', ';']).map(str::trim).find(|part| !part.is_empty());
    last.is_some_and(|last| ANNOUNCEMENTS.iter().any(|start| last.starts_with(start)))
}

/// The short account of a turn whose model closed without words (C7).
pub fn synthesis(results: &[CallResult]) -> Option<String> {
    let count = |outcome: CallOutcome| results.iter().filter(|result| result.outcome == outcome).count();
    let (done, failed) = (count(CallOutcome::Success), count(CallOutcome::Error));
    let (declined, stopped) = (count(CallOutcome::Declined), count(CallOutcome::Interrupted));
    if results.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    for (count, words) in
        [(done, "done"), (failed, "failed"), (declined, "not allowed"), (stopped, "stopped")]
    {
        if count > 0 {
            parts.push(format!("{count} {words}"));
        }
    }
    let calls =
        if results.len() == 1 { "1 tool call".to_owned() } else { format!("{} tool calls", results.len()) };
    let mut text = format!("{calls}: {}.", parts.join(", "));
    let changed: Vec<&str> =
        results.iter().flat_map(|result| result.files_changed.iter().map(String::as_str)).collect();
    if let Some(first) = changed.first() {
        let others = changed.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" and {others} more") };
        text.push_str(&format!(" Changed {first}{more}."));
    }
    if let Some(last) = results.iter().rev().find(|result| result.outcome == CallOutcome::Error) {
        let reason = last.content.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        text.push_str(&format!(" The last failure was {}: {}", last.tool, bounded(reason, 200)));
    }
    Some(text)
}

/// A terminal's output as text: without colours, and of a line that was written over only what was left.
pub fn plain_text(output: &str) -> String {
    let text = anstream::adapter::strip_str(output).to_string().replace("\r\n", "\n");
    text.split_inclusive('\n')
        .map(|line| match line.trim_end_matches(['\r', '\n']).rsplit_once('\r') {
            Some((_, last)) => format!("{last}\n"),
            None => line.to_owned(),
        })
        .collect()
}

/// The head and the tail of a text, with a line between them that says what was left out. `most` is in characters.
pub fn bounded(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let (head, tail) = (most / 2, most - most / 2);
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = text.char_indices().nth(length - tail).map_or(text.len(), |(at, _)| at);
    format!("{}\n[… {} characters left out …]\n{}", &text[..head_end], length - most, &text[tail_start..])
}
