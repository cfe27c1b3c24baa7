use crate::protocol::{CallOutcome, ToolResult};
use crate::tools::failure_line;

/// What a model says when it means to go on (C1). Matched at the start of its last sentence, or of its last line.
const ANNOUNCEMENTS: [&str; 20] = [
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
    "continuing with",
    "moving on to",
    "i'll proceed",
    "i will proceed",
    "i need to",
    "i should",
];

/// What begins like one and leaves the next word to the reader.
const FAREWELLS: [&str; 4] = ["let me know", "let's hope", "let's see how", "i should note"];

/// Whether a text without a stop reason ends by announcing more work.
pub fn announces_more(text: &str) -> bool {
    let text = text.trim_end().replace('\u{2019}', "'").to_lowercase();
    let text = text.trim_end_matches(['.', ':', '…', '!', ' ']);
    let last = text.rsplit(['.', '!', '?', '\n', ';']).map(str::trim).find(|part| !part.is_empty());
    last.is_some_and(|last| {
        ANNOUNCEMENTS.iter().any(|start| last.starts_with(start))
            && !FAREWELLS.iter().any(|start| last.starts_with(start))
    })
}

/// The short account of a turn (C7): what was done, what failed and how, what changed. `None` where no tool was used.
pub fn synthesis(results: &[ToolResult]) -> Option<String> {
    let calls = match results.len() {
        0 => return None,
        1 => "1 tool call".to_owned(),
        calls => format!("{calls} tool calls"),
    };
    let mut text = format!("{calls}: {}.", outcomes(results));
    if let Some(changed) = changed(results) {
        text.push_str(&format!(" Changed {changed}."));
    }
    if let Some((tool, reason)) = last_failure(results) {
        text.push_str(&format!(" The last failure was {tool}: {reason}"));
    }
    Some(text)
}

/// The same by tool, in the order of their first use.
pub fn synthesis_by_tool(results: &[ToolResult]) -> Option<String> {
    let mut tools: Vec<&str> = Vec::new();
    for result in results {
        if !tools.contains(&result.tool.as_str()) {
            tools.push(&result.tool);
        }
    }
    let lines: Vec<String> = tools
        .into_iter()
        .map(|tool| {
            let of: Vec<ToolResult> = results.iter().filter(|result| result.tool == tool).cloned().collect();
            let changed = changed(&of).map(|changed| format!("; changed {changed}")).unwrap_or_default();
            let failure = last_failure(&of).map(|(_, reason)| format!("; last failure: {reason}"));
            format!("- {tool}: {}{changed}{}", outcomes(&of), failure.unwrap_or_default())
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn outcomes(results: &[ToolResult]) -> String {
    let count = |outcome: CallOutcome| results.iter().filter(|result| result.outcome == outcome).count();
    let counts = [
        (count(CallOutcome::Success), "done"),
        (count(CallOutcome::Error), "failed"),
        (count(CallOutcome::Declined), "not allowed"),
        (count(CallOutcome::Interrupted), "stopped"),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}"));
    told.collect::<Vec<_>>().join(", ")
}

fn changed(results: &[ToolResult]) -> Option<String> {
    let changed: Vec<&str> =
        results.iter().flat_map(|result| result.files_changed.iter().map(String::as_str)).collect();
    let others = changed.len().saturating_sub(1);
    let more = if others == 0 { String::new() } else { format!(" and {others} more") };
    changed.first().map(|first| format!("{first}{more}"))
}

/// The error itself, as the tool gave it.
fn last_failure(results: &[ToolResult]) -> Option<(&str, String)> {
    let last = results.iter().rev().find(|result| result.outcome == CallOutcome::Error)?;
    Some((&last.tool, bounded(failure_line(&last.content), 200)))
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

/// A result that is larger than a model's room for it: its head and its tail, and what to do about the rest.
pub(super) fn cut_to_fit(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    // A note of its own length is left room for.
    let kept = most.saturating_sub(200).max(most / 2);
    let (head, tail) = (floor(&text, kept / 4 * 3), ceil(&text, text.len() - kept / 4));
    format!(
        "{}\n[… {} bytes left out here: this model has no room for more at once. Ask for less: a part of the file, a search, fewer lines …]\n{}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
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
