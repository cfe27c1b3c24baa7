//! The conversation's part of the report: the user's words, what the model said and did, who allowed it.

use std::collections::BTreeMap;

use super::words::{allowed, clipped, code, duration, exit, fenced, inline, moment, plain};
use super::{OUTPUT_LINES, goal, line};
use crate::protocol::{
    Action, AllowedBy, AnswerPart, CallOutcome, Correction, CorrectionOf, Event, EventRecord,
    MAX_SELF_CORRECTIONS, StepId, ToolResult, TurnEnd, Usage,
};
use crate::tools::failure_line;

/// Characters of a message or an answer that the report shows.
const LONGEST: usize = 4000;

/// What ran, and who allowed it.
pub(super) type Started<'a> = (&'a Action, &'a AllowedBy);

pub(super) fn conversation(out: &mut String, records: &[EventRecord]) {
    if !records.iter().any(|record| matches!(record.event, Event::UserMessage { .. })) {
        return;
    }
    out.push_str("\n## The conversation\n");
    let of_goals = goal::actions(records);
    let mut started: BTreeMap<&StepId, Started<'_>> = BTreeMap::new();
    // Whether a tool was used since the last turn ended.
    let mut worked = false;
    for record in records {
        match &record.event {
            Event::UserMessage { text, replaces, .. } => {
                let again = if replaces.is_some() { ", in the place of an earlier message" } else { "" };
                line(out, format_args!("\n### You{again} ({})\n", moment(record.at)));
                out.push_str(&fenced("text", &shortened(text)));
            }
            Event::AssistantMessage { model, parts, .. } => said(out, model, parts),
            Event::CallStarted { call_id, action, allowed_by, .. } => {
                started.insert(call_id, (action, allowed_by));
            }
            Event::CallFinished { result, .. } if !of_goals.contains(&result.call_id) => {
                worked = true;
                call(out, started.get(&result.call_id), result);
            }
            Event::ContextSummarized { summary, .. } => {
                out.push_str("\nOlder messages were condensed for the model:\n\n");
                out.push_str(&fenced("text", &shortened(summary)));
            }
            Event::TurnEnded { message_id, end, synthesis, .. } => {
                line(out, format_args!("\n*{}*", inline(&end_in_words(end))));
                let id = message_id.synthesis_id();
                if let Some(text) = synthesis {
                    line(out, format_args!("\n{}:\n", code(&id)));
                    text.lines().for_each(|text| line(out, format_args!("{}", inline(text))));
                } else if worked {
                    line(out, format_args!("\n{}: its last words above.", code(&id)));
                }
                worked = false;
            }
            Event::CorrectionAttempt { number, correction: Correction::Call(correction), .. } => {
                let instead = correction.fallback_tools.join(" or ");
                let way = format!(
                    "{} failed: {}. It was sent back to do it with {instead}. {}",
                    correction.original_tool,
                    failure_line(&correction.original_error).trim_end_matches('.'),
                    correction.suggested_approach
                );
                let at = moment(record.at);
                line(
                    out,
                    format_args!(
                        "- Another way ({number} of {MAX_SELF_CORRECTIONS}, {at}): {}",
                        inline(&way)
                    ),
                );
            }
            Event::CorrectionSuccess { of: CorrectionOf::Call, .. } => {
                line(out, format_args!("- The other way worked."))
            }
            Event::CorrectionFailed { of: CorrectionOf::Call, reason, .. } => {
                line(out, format_args!("- The other way did not work: {}", inline(reason)));
            }
            _ => {}
        }
    }
}

fn said(out: &mut String, model: &str, parts: &[AnswerPart]) {
    let words: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            AnswerPart::Text { text } if !text.trim().is_empty() => Some(text.trim()),
            AnswerPart::Text { .. }
            | AnswerPart::Reasoning { .. }
            | AnswerPart::Kept { .. }
            | AnswerPart::RedactedReasoning { .. }
            | AnswerPart::Call { .. } => None,
        })
        .collect();
    if !words.is_empty() {
        line(out, format_args!("\n**{}:**\n", inline(model)));
        out.push_str(&fenced("text", &shortened(&words.join("\n\n"))));
    }
}

/// Tells one call, of a conversation or of a goal.
pub(super) fn call(out: &mut String, started: Option<&Started<'_>>, result: &ToolResult) {
    match started {
        Some((Action::Shell { command }, by)) => {
            out.push('\n');
            out.push_str(&fenced("bash", command));
            line(out, format_args!("- Allowed by {}", allowed(by)));
        }
        Some((Action::Tool { command, .. } | Action::Manual { instruction: command }, by)) => {
            line(out, format_args!("\n{}\n", code(command)));
            line(out, format_args!("- Allowed by {}", allowed(by)));
        }
        None => line(out, format_args!("\nA call of {}, which did not run\n", code(&result.tool))),
    }
    let took = duration(result.ended_at.millis_since(result.started_at));
    let status = result.exit_status.as_ref().map(exit);
    let outcome = match result.outcome {
        CallOutcome::Success => status.unwrap_or_else(|| "done".to_owned()),
        CallOutcome::Error => status.unwrap_or_else(|| "failed".to_owned()),
        CallOutcome::Declined => "not allowed".to_owned(),
        CallOutcome::Interrupted => "stopped".to_owned(),
    };
    line(out, format_args!("- Result: {outcome} after {took}"));
    if !result.files_changed.is_empty() {
        let files: Vec<String> = result.files_changed.iter().map(|file| code(file)).collect();
        line(out, format_args!("- Files changed: {}", files.join(", ")));
    }
    for diff in &result.diffs {
        line(
            out,
            format_args!("\n{}: {} lines added, {} removed\n", code(&diff.path), diff.added, diff.removed),
        );
        out.push_str(&fenced("diff", &shortened(&diff.unified)));
    }
    let text = match (&result.output, result.outcome) {
        (Some(output), _) => plain(output),
        (None, CallOutcome::Error) => plain(&result.content),
        (None, CallOutcome::Success | CallOutcome::Declined | CallOutcome::Interrupted) => String::new(),
    };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    if !lines.is_empty() {
        let tail: Vec<String> =
            lines[lines.len().saturating_sub(OUTPUT_LINES)..].iter().map(|line| clipped(line)).collect();
        out.push('\n');
        out.push_str(&fenced("text", &tail.join("\n")));
    }
}

/// Tokens and money, as far as they are known.
pub(super) fn cost(usage: &Usage) -> String {
    if usage.calls == 0 {
        return "No model was used: no tokens, no cost.".to_owned();
    }
    let calls = if usage.calls == 1 { "1 call".to_owned() } else { format!("{} calls", usage.calls) };
    if usage.input_tokens == 0 && usage.output_tokens == 0 {
        return format!("{calls} of models; how many tokens they took, their server does not say.");
    }
    let money = match (usage.cost_micros, usage.unpriced_calls) {
        (_, unpriced) if unpriced == usage.calls => "the price of the model is not known".to_owned(),
        (micros, 0) => format!("${:.4}", f64::from(micros) / 1_000_000.0),
        (micros, unpriced) => {
            format!("${:.4} and {unpriced} calls whose price is not known", f64::from(micros) / 1_000_000.0)
        }
    };
    format!(
        "{calls} of models: {} tokens in ({} of them from the provider's cache), {} tokens out; {money}.",
        usage.input_tokens, usage.cached_tokens, usage.output_tokens
    )
}

fn end_in_words(end: &TurnEnd) -> String {
    match end {
        TurnEnd::Done => "Done.".to_owned(),
        TurnEnd::MaxTokens => "The answer reached the model's length limit.".to_owned(),
        TurnEnd::Filtered => "The provider held the answer back.".to_owned(),
        TurnEnd::Refused { why } if why.is_empty() => "It would not answer.".to_owned(),
        TurnEnd::Refused { why } => format!("It would not answer: {why}"),
        TurnEnd::Rounds { allowed } => format!("Stopped after {allowed} rounds."),
        TurnEnd::Interrupted => "Stopped by you, or by the end of the program.".to_owned(),
        TurnEnd::PlanProposed { .. } => "A plan was proposed.".to_owned(),
        TurnEnd::Asked => "It asked you something.".to_owned(),
        TurnEnd::RoundDone => "It waited for you after a round of tools.".to_owned(),
        TurnEnd::CapReached => "The session's cap on tokens or money was reached.".to_owned(),
        TurnEnd::Failed { message, .. } => format!("It failed: {message}"),
    }
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\n[…]", plain(&text[..end])),
        None => plain(text),
    }
}
