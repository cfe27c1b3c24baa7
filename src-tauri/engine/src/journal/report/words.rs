//! Values in words, and other people's text made harmless in Markdown.

use super::OUTPUT_WIDTH;
use crate::protocol::{
    AllowedBy, ApprovalAnswer, Author, CorrectionAction, ExitStatus, GrantLifetime, GrantRule, Mode, Plan,
    Risk, StepId, Time,
};

pub(super) fn name(plan: &Plan, id: &StepId) -> String {
    plan.step(id).map_or_else(|| code(&id.0), |step| format!("\"{}\"", inline(&step.title)))
}

pub(super) fn author(author: &Author) -> String {
    match author {
        Author::Runbook => "the runbook".to_owned(),
        Author::User => "you".to_owned(),
        Author::Agent { source } => inline(source),
    }
}

pub(super) fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Teacher => "Teacher",
        Mode::Planner => "Planner",
        Mode::Agentic => "Agentic",
    }
}

pub(super) fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "safe",
        Risk::Caution => "caution",
        Risk::Dangerous => "dangerous",
        Risk::Blocked => "blocked",
    }
}

pub(super) fn action(action: CorrectionAction) -> &'static str {
    match action {
        CorrectionAction::Retry => "Run again",
        CorrectionAction::Modify => "Change the command",
        CorrectionAction::InsertSteps => "Insert steps",
        CorrectionAction::Skip => "Skip",
        CorrectionAction::Abort => "Give up",
    }
}

pub(super) fn allowed(by: &AllowedBy) -> &'static str {
    match by {
        AllowedBy::Mode => "the mode: its risk is below what is asked about",
        AllowedBy::Plan => "you, with the plan",
        AllowedBy::User => "you",
        AllowedBy::Grant { .. } => "an answer you gave earlier",
        AllowedBy::Policy => "the policy file",
    }
}

pub(super) fn answered(answer: &ApprovalAnswer) -> String {
    match answer {
        ApprovalAnswer::AllowOnce { edited_command: None } => "allowed once".to_owned(),
        ApprovalAnswer::AllowOnce { edited_command: Some(command) } => {
            format!("allowed once, changed to {}", code(command))
        }
        ApprovalAnswer::InTerminal => "allowed once, in a terminal".to_owned(),
        ApprovalAnswer::AllowAlways { rule, lifetime } => {
            let what = match rule {
                GrantRule::Exact { command } => code(command),
                GrantRule::Program { words } => code(&words.join(" ")),
                GrantRule::Tool { tool } => format!("the tool {}", code(tool)),
            };
            let how_long = match lifetime {
                GrantLifetime::Run => "for this run",
                GrantLifetime::Session => "for this session",
                GrantLifetime::Folder => "in this folder",
                GrantLifetime::Always => "until revoked",
            };
            format!("{what} allowed {how_long}")
        }
        ApprovalAnswer::Instead { guidance } => format!("no; instead: {}", inline(guidance)),
        ApprovalAnswer::Never => "never".to_owned(),
        ApprovalAnswer::NotNow => "not now".to_owned(),
    }
}

pub(super) fn exit(status: &ExitStatus) -> String {
    match status {
        ExitStatus::Code { code } => format!("exit status {code}"),
        ExitStatus::Signal { name, .. } => format!("ended by {}", inline(name)),
        ExitStatus::TimedOut { seconds } => format!("stopped at its limit of {seconds} s"),
        ExitStatus::Silent { seconds } => format!("stopped after {seconds} s without output"),
        ExitStatus::Cancelled => "cancelled".to_owned(),
        ExitStatus::Detached => "ready, and running on as a service".to_owned(),
        ExitStatus::NotStarted { message } => format!("not started: {}", inline(message)),
    }
}

pub(super) fn duration(millis: u32) -> String {
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..60_000 => format!("{:.1} s", f64::from(millis) / 1000.0),
        _ => format!("{} min {} s", millis / 60_000, millis / 1000 % 60),
    }
}

pub(super) fn moment(at: Time) -> String {
    at.0.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// One line of prose: line ends become blanks, what Markdown or HTML would act on is escaped.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        // One `~` is a home folder, more begin a block or strike something out.
        let acts = matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&');
        if acts || c == '~' && out.ends_with('~') {
            out.push('\\');
        }
        if !c.is_control() {
            out.push(c);
        }
    }
    out
}

/// Prose with a capital at its start and a full stop at its end.
pub(super) fn sentence(text: &str) -> String {
    let text = inline(text.trim().trim_end_matches('.'));
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str()),
        None => "No reason was given.".to_owned(),
    }
}

/// A code span that any number of backticks inside cannot end. Line ends show as `⏎`.
pub(super) fn code(text: &str) -> String {
    let text = text.trim().replace('\n', " ⏎ ");
    if text.is_empty() {
        return "(none)".to_owned();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A fenced block that nothing inside can end.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Terminal output as text: escape sequences go, and of lines drawn over themselves the last state stays.
pub(super) fn plain(output: &str) -> String {
    let mut lines = vec![String::new()];
    // Where it is written next: the line, whether over the whole of it, and so many characters before its end.
    let (mut at, mut over, mut back) = (0, false, 0);
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => {
                (at, over, back) = (at + 1, at + 1 < lines.len(), 0);
                if !over {
                    lines.push(String::new());
                }
            }
            '\r' => over = true,
            '\u{8}' => back += 1,
            '\u{1b}' => match escape(&mut chars) {
                ('A' | 'F', up) => (at, over) = (at.saturating_sub(up.max(1)), true),
                ('G', 0 | 1) | ('K', 1 | 2) => over = true,
                _ => {}
            },
            c if c.is_control() && c != '\t' => {}
            c => {
                let line = &mut lines[at];
                if std::mem::take(&mut over) {
                    line.clear();
                }
                for _ in 0..std::mem::take(&mut back) {
                    line.pop();
                }
                line.push(c);
            }
        }
    }
    let mut out = lines.join("\n");
    out.truncate(out.trim_end().len());
    out
}

/// Takes a sequence, and says how it ends and which number it has.
fn escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> (char, usize) {
    match chars.next() {
        Some('[') => {
            let mut number = String::new();
            for c in chars.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    return (c, number.parse().unwrap_or(0));
                }
                number.push(c);
            }
        }
        // Titles and links: up to BEL or ESC \.
        Some(']') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        Some(_) | None => {}
    }
    ('\0', 0)
}

pub(super) fn clipped(line: &str) -> String {
    match line.char_indices().nth(OUTPUT_WIDTH) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_over_itself_is_told_as_it_ended() {
        for (output, told) in [
            ("a\r\nb\r\n", "a\nb"),
            ("1 %\r2 %\r\ndone", "2 %\ndone"),
            ("\x1b[2K\x1b[1G1 of 3\x1b[2K\x1b[1G3 of 3\n", "3 of 3"),
            ("wait |\u{8}/\u{8}-\u{8}ok\n", "wait ok"),
            ("a 0\nb 0\n\x1b[2A\x1b[2Ka 1\n\x1b[2Kb 1\n\x1b[2Aa 2\nb 2\non", "a 2\nb 2\non"),
            ("\x1b[1mbold\x1b[0m \x1b[3Cx\x1b[9A\n", "bold x"),
        ] {
            assert_eq!(plain(output), told, "{output:?}");
        }
    }
}
