//! The session's story as Markdown (S3), for people: what was asked, what ran, who allowed it, what came of it.
//! Pure. Commands and output are other people's text: they are fenced so that they cannot become Markdown.

mod conversation;
mod goal;
mod html;
mod services;
mod sub_goal;
mod undo;
mod words;

use std::collections::HashMap;
use std::fmt::Write as _;

use super::fold::stuck_in_words;
use crate::metrics;
use crate::plan::changes;
use crate::plan::inputs::asked;
use crate::protocol::{
    Approval, Correction, CorrectionOf, Event, EventRecord, InputValue, PauseReason, Plan, PlanState,
    RevisionEntry, SessionState, Step, StepId, StepResult, StepState, UndoOutlook,
};
use crate::redact::Redactor;

pub use html::page;

use words::{
    action, allowed, answered, author, clipped, code, duration, exit, fenced, inline, mode, moment, name,
    plain, risk, sentence,
};

/// Lines of each attempt's output that the report shows, from its end.
const OUTPUT_LINES: usize = 20;
/// Characters of one output line.
const OUTPUT_WIDTH: usize = 400;

/// Writes the report of a session from its state and all its events, oldest first. It holds no secret that its commands
/// tell of, for a report is read by others.
pub fn report(state: &SessionState, records: &[EventRecord]) -> String {
    let mut out = String::new();
    heading(&mut out, state, records);
    conversation::conversation(&mut out, records);
    goal::goals(&mut out, state, records);
    if let Some(plan) = &state.plan {
        inputs(&mut out, plan);
        revisions(&mut out, state);
        commands(&mut out, records);
        corrections(&mut out, plan, records);
        approvals(&mut out, plan, records);
        files(&mut out, state);
        open_points(&mut out, plan);
    }
    services::services(&mut out, state);
    undo::undone(&mut out, state);
    out.push_str("\n## Cost\n\n");
    line(&mut out, format_args!("{}", conversation::cost(&state.usage)));
    line(&mut out, format_args!("\n{}", metrics::in_one_line(&metrics::of_session(records))));
    let redactor = Redactor::default();
    for step in state.plan.iter().flat_map(|plan| &plan.steps) {
        redactor.know_command(step.action.command());
    }
    redactor.text(&out)
}

fn heading(out: &mut String, state: &SessionState, records: &[EventRecord]) {
    let last = records.last().map_or(state.created_at, |record| record.at);
    line(out, format_args!("# {}\n", inline(&state.title)));
    line(out, format_args!("- Outcome: **{}**", outcome(state)));
    line(out, format_args!("- Folder: {}", code(&state.cwd)));
    line(out, format_args!("- Begun: {}", moment(state.created_at)));
    line(out, format_args!("- Last event: {}", moment(last)));
    if let Some(goal) = &state.goal {
        goal::facts(out, goal);
    }
    if let Some(plan) = &state.plan {
        if !plan.intent.trim().is_empty() && plan.intent != state.title {
            line(out, format_args!("- Request: {}", inline(&plan.intent)));
        }
        line(out, format_args!("- Mode: {}", mode(plan.mode)));
        let done = plan.steps.iter().filter(|step| matches!(step.state, StepState::Completed { .. })).count();
        let repairs = plan.steps.iter().filter(|step| step.is_repair()).count();
        line(
            out,
            format_args!(
                "- Steps: {done} of {} done, {repairs} of them repairs; corrections {} of {}",
                plan.steps.len(),
                state.ledger.corrections,
                state.ledger.corrections_allowed
            ),
        );
    }
}

fn outcome(state: &SessionState) -> String {
    if let Some(goal) = &state.goal {
        return goal::outcome(goal);
    }
    let Some(plan) = &state.plan else {
        let talked = !state.conversation.entries.is_empty();
        return if talked { "a conversation, without a plan" } else { "no plan was made" }.to_owned();
    };
    match &plan.state {
        PlanState::Draft => "not confirmed, nothing has run".to_owned(),
        PlanState::Ready => "confirmed, nothing has run".to_owned(),
        PlanState::Running => "running".to_owned(),
        PlanState::Recovering { step_id } => format!("mending {}", name(plan, step_id)),
        PlanState::Paused { reason: PauseReason::User } => "paused".to_owned(),
        PlanState::Paused { reason: PauseReason::Interrupted } => {
            "interrupted: the program ended while the plan ran".to_owned()
        }
        PlanState::Paused { reason: PauseReason::Declined { step_id } } => {
            format!("paused: {} was not allowed", name(plan, step_id))
        }
        PlanState::Paused { reason: PauseReason::StepFailed { step_id } } => {
            format!("paused: {} failed", name(plan, step_id))
        }
        PlanState::Paused { reason: PauseReason::Manual { step_id } } => {
            format!("paused: {} is done by hand", name(plan, step_id))
        }
        PlanState::Paused { reason: PauseReason::NotKept { step_id, why } } => {
            format!("paused before {}: {}", name(plan, step_id), inline(why))
        }
        PlanState::Paused { reason: PauseReason::NoRoom { folder } } => {
            format!("paused: there was no room on the disk that holds {}", inline(folder))
        }
        PlanState::Stuck { step_id, reason } => {
            format!("stuck at {}: {}", name(plan, step_id), inline(&stuck_in_words(reason)))
        }
        PlanState::Completed => "completed".to_owned(),
        PlanState::Failed { reason, .. } => format!("failed: {}", inline(reason)),
        PlanState::Cancelled => "cancelled".to_owned(),
    }
}

/// The first revision whole, of each later one what it changed.
fn revisions(out: &mut String, state: &SessionState) {
    out.push_str("\n## The plan\n");
    let first = state.revisions.first().zip(state.plan.as_ref());
    let first = first.and_then(|(entry, plan)| {
        changes::steps_at(plan, &state.revisions, entry.revision).ok().map(|steps| (entry, steps))
    });
    if let Some((entry, steps)) = first {
        revision(out, entry);
        steps.iter().for_each(|step| step_line(out, step, ""));
    }
    for entry in state.revisions.iter().skip(1) {
        revision(out, entry);
        let (removed, inserted) = (removed(entry), inserted(entry));
        for step in &inserted {
            match removed.iter().find(|old| old.id == step.id) {
                None => step_line(out, step, " *(new)*"),
                Some(old) if old.action != step.action => step_line(out, step, " *(changed)*"),
                Some(_) => {}
            }
        }
        for gone in removed.iter().filter(|gone| !inserted.iter().any(|step| step.id == gone.id)) {
            let (title, command) = (inline(&gone.title), code(gone.action.command()));
            line(out, format_args!("- {title} *(removed)*: {command}"));
        }
    }
}

fn inputs(out: &mut String, plan: &Plan) {
    let asked = asked(plan);
    if asked.is_empty() {
        return;
    }
    out.push_str("\n## What it asked for\n\n");
    for input in asked {
        let value = match &input.value {
            Some(InputValue::Plain { text }) => code(text),
            Some(InputValue::Secret) => "a secret".to_owned(),
            None => "nothing was given".to_owned(),
        };
        line(out, format_args!("- {} ({}): {value}", inline(&input.label), code(&input.name)));
    }
}

fn revision(out: &mut String, entry: &RevisionEntry) {
    line(out, format_args!("\n### Revision {} by {}\n", entry.revision, author(&entry.author)));
    line(out, format_args!("{} ({})\n", sentence(&entry.reason), moment(entry.at)));
}

fn step_line(out: &mut String, step: &Step, mark: &str) {
    let risk = step.assessment.as_ref().map_or("not assessed", |known| self::risk(known.risk));
    let (title, command) = (inline(&step.title), code(step.action.command()));
    line(out, format_args!("{}. {title}{mark} ({risk}): {command}", step.index + 1));
}

fn removed(entry: &RevisionEntry) -> Vec<&Step> {
    entry.changes.iter().flat_map(|splice| &splice.removed).collect()
}

fn inserted(entry: &RevisionEntry) -> Vec<&Step> {
    entry.changes.iter().flat_map(|splice| &splice.inserted).collect()
}

/// Every attempt in the order in which it ran, also those of steps that a later plan no longer has.
fn commands(out: &mut String, records: &[EventRecord]) {
    out.push_str("\n## What ran\n");
    let mut any = false;
    // As it was defined last before it ran.
    let mut steps: HashMap<&StepId, &Step> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        match &record.event {
            Event::PlanGenerated { plan } => {
                steps.extend(plan.steps.iter().map(|step| (&step.id, step.as_ref())))
            }
            Event::PlanRevised { changes, .. } => {
                let inserted = changes.iter().flat_map(|splice| &splice.inserted);
                steps.extend(inserted.map(|step| (&step.id, step)));
            }
            Event::StepStarted { step_id, attempt, command, cwd, allowed_by, .. } => {
                any = true;
                let (title, assessed) = steps.get(step_id).map_or((step_id.0.as_str(), None), |step| {
                    let same = step.action.command() == command;
                    (step.title.as_str(), step.assessment.as_ref().filter(|_| same))
                });
                line(out, format_args!("\n### {} (attempt {})\n", inline(title), attempt + 1));
                out.push_str(&fenced("bash", command));
                let risk = assessed.map_or("not assessed in this form", |known| self::risk(known.risk));
                line(out, format_args!("- Risk: {risk}; allowed by {}", allowed(allowed_by)));
                line(out, format_args!("- In {} at {}", code(cwd), moment(record.at)));
                match end_of(&records[at + 1..], step_id, *attempt) {
                    Some(End::Ran { result, failure }) => attempt_result(out, result, failure),
                    Some(End::Interrupted) => {
                        out.push_str("- Result: interrupted, the program ended while it ran\n");
                    }
                    Some(End::Cancelled) => out.push_str("- Result: cancelled\n"),
                    None => out.push_str("- Result: still running when this was written\n"),
                }
            }
            _ => {}
        }
    }
    if !any {
        out.push_str("\nNothing.\n");
    }
}

enum End<'a> {
    Ran { result: &'a StepResult, failure: Option<&'a str> },
    Cancelled,
    Interrupted,
}

fn end_of<'a>(later: &'a [EventRecord], step: &StepId, attempt: u32) -> Option<End<'a>> {
    let ours = |result: &StepResult| result.step_id == *step && result.attempt_index == attempt;
    later.iter().find_map(|record| match &record.event {
        Event::StepCompleted { result, .. } if ours(result) => Some(End::Ran { result, failure: None }),
        Event::StepFailed { result, reason } if ours(result) => {
            Some(End::Ran { result, failure: Some(reason) })
        }
        Event::StepCancelled { step_id, result } if step_id == step => Some(match result {
            Some(result) => End::Ran { result, failure: Some("cancelled") },
            None => End::Cancelled,
        }),
        Event::StepInterrupted { step_id, .. } if step_id == step => Some(End::Interrupted),
        _ => None,
    })
}

fn attempt_result(out: &mut String, result: &StepResult, failure: Option<&str>) {
    let took = duration(result.ended_at.millis_since(result.started_at));
    line(out, format_args!("- Result: {} after {took}", exit(&result.exit_status)));
    if let Some(reason) = failure {
        line(out, format_args!("- Failed: {}", inline(reason)));
    }
    if let Some(verify) = &result.verify {
        line(out, format_args!("- Check {}: {}", code(&verify.command), exit(&verify.exit_status)));
    }
    if result.leftovers > 0 {
        line(out, format_args!("- {} processes that outlived it were ended", result.leftovers));
    }
    if !result.files_changed.is_empty() {
        let files: Vec<String> = result.files_changed.iter().map(|file| code(file)).collect();
        line(out, format_args!("- Files changed: {}", files.join(", ")));
    }
    let text = plain(&result.output);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    if lines.is_empty() {
        out.push_str("- Output: none\n");
        return;
    }
    let from = lines.len().saturating_sub(OUTPUT_LINES);
    let what = if from > 0 || result.omitted_lines > 0 { "The end of its output" } else { "Output" };
    let tail: Vec<String> = lines[from..].iter().map(|line| clipped(line)).collect();
    line(out, format_args!("\n{what}:\n"));
    out.push_str(&fenced("text", &tail.join("\n")));
}

fn corrections(out: &mut String, plan: &Plan, records: &[EventRecord]) {
    let mut text = String::new();
    for record in records {
        match &record.event {
            Event::CorrectionAttempt { step_id, number, correction: Correction::Step(correction) } => {
                line(
                    &mut text,
                    format_args!(
                        "\n{number}. {} for {}, proposed by {}: {}",
                        action(correction.action),
                        name(plan, step_id),
                        code(&correction.source),
                        inline(&correction.reasoning)
                    ),
                );
                let steps = correction.new_steps.iter().flatten().map(|step| &step.command);
                for command in correction.modified_command.iter().chain(steps) {
                    line(&mut text, format_args!("   - {}", code(command)));
                }
            }
            Event::CorrectionSuccess { number, of: CorrectionOf::Step, .. } => {
                line(&mut text, format_args!("   - Correction {number} worked."));
            }
            Event::CorrectionFailed { number, reason, of: CorrectionOf::Step, .. } => {
                line(&mut text, format_args!("   - Correction {number} did not work: {}", inline(reason)));
            }
            Event::AgentError { message, .. } => {
                line(&mut text, format_args!("\n- Error: {}", inline(message)))
            }
            Event::AgentStuck { step_id, reason, .. } => line(
                &mut text,
                format_args!("\n- Stuck at {}: {}", name(plan, step_id), inline(&stuck_in_words(reason))),
            ),
            Event::GuidanceGiven { text: words, .. } => {
                line(&mut text, format_args!("\n- You said: {}", inline(words)));
            }
            Event::BudgetRaised => text.push_str("\n- You raised the budget.\n"),
            _ => {}
        }
    }
    section(out, "Corrections", &text);
}

fn approvals(out: &mut String, plan: &Plan, records: &[EventRecord]) {
    let mut text = String::new();
    for (at, record) in records.iter().enumerate() {
        let Event::ApprovalNeeded { approval } = &record.event else { continue };
        let answer = records[at + 1..].iter().find_map(|later| match &later.event {
            Event::ApprovalResolved { approval_id, answer, .. } if *approval_id == approval.id => {
                Some(answer)
            }
            _ => None,
        });
        line(
            &mut text,
            format_args!(
                "- {} for {} ({}): {}\n  - Answer: {}",
                code(approval.action.command()),
                name(plan, &approval.step_id),
                risk(approval.assessment.risk),
                inline(&approval.warning_message),
                answer.map_or_else(|| unanswered(approval, plan), answered)
            ),
        );
    }
    section(out, "Questions and answers", &text);
}

fn unanswered(approval: &Approval, plan: &Plan) -> String {
    match plan.step(&approval.step_id).map(|step| &step.state) {
        Some(StepState::AwaitingApproval { approval_id }) if *approval_id == approval.id => {
            "still open".to_owned()
        }
        Some(_) | None => "none; the run went on or ended without it".to_owned(),
    }
}

fn files(out: &mut String, state: &SessionState) {
    let mut files: Vec<&String> = state.results.iter().flat_map(|result| &result.files_changed).collect();
    files.sort();
    files.dedup();
    let mut text = String::new();
    for file in files {
        line(&mut text, format_args!("- {}", code(file)));
    }
    let more: u32 = state.results.iter().map(|result| result.more_files_changed).sum();
    if more > 0 {
        line(&mut text, format_args!("- and {more} more"));
    }
    section(out, "Files changed", &text);
}

/// What a reader should not take for granted.
fn open_points(out: &mut String, plan: &Plan) {
    let mut text = String::new();
    for step in &plan.steps {
        let title = inline(&step.title);
        match &step.state {
            StepState::Completed { .. } if step.action.is_manual() => {
                line(&mut text, format_args!("- {title}: done by hand, by your word"));
            }
            StepState::Completed { .. } if step.verify.is_none() => {
                line(&mut text, format_args!("- {title}: known to be done only by its exit status"));
            }
            StepState::Completed { .. } => {}
            StepState::Interrupted { .. } => {
                line(&mut text, format_args!("- {title}: how far it came is not known"));
            }
            StepState::Failed { reason, .. } => {
                line(&mut text, format_args!("- {title}: failed, {}", inline(reason)));
            }
            StepState::Skipped { reason } => {
                line(&mut text, format_args!("- {title}: skipped, {}", inline(reason)));
            }
            StepState::Cancelled => {
                line(
                    &mut text,
                    format_args!("- {title}: cancelled; what it had begun may be left half done"),
                );
            }
            StepState::Pending
            | StepState::AwaitingRun
            | StepState::AwaitingApproval { .. }
            | StepState::Running { .. }
            | StepState::Recovering { .. } => line(&mut text, format_args!("- {title}: not done")),
        }
        let ran = !matches!(step.state, StepState::Pending | StepState::Skipped { .. });
        match step.assessment.as_ref().map(|known| &known.undo).filter(|_| ran) {
            Some(UndoOutlook::Cannot { why }) => {
                line(&mut text, format_args!("  - It cannot be undone: {}", inline(why)));
            }
            Some(UndoOutlook::Partly { how }) => {
                line(&mut text, format_args!("  - It can be undone in part: {}", inline(how)));
            }
            Some(UndoOutlook::ByHand { .. } | UndoOutlook::Kept | UndoOutlook::NotNeeded) | None => {}
        }
    }
    section(out, "What could not be verified", &text);
}

fn section(out: &mut String, title: &str, text: &str) {
    if !text.is_empty() {
        line(out, format_args!("\n## {title}\n\n{}", text.trim_matches('\n')));
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
