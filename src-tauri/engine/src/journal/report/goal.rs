//! The goals' part of the report: what was to be reached, how the to-do list changed, every iteration with its action, the
//! reason for it and what came of it, who decided what, and what can be put back.

use std::collections::{BTreeMap, BTreeSet};

use super::conversation::{Started, call, shortened};
use super::words::{answered, code, exit, fenced, inline, moment, risk, sentence};
use super::{line, section, sub_goal};
use crate::protocol::{
    ActionAuthor, ActionType, AllowedBy, AskedBy, Cap, Coverage, Event, EventRecord, GoalBudget, GoalEnd,
    GoalId, GoalPause, GoalPhase, GoalQuestion, GoalRequest, GoalState, GoalWait, LoopKind, ModelRole,
    NextAction, Priority, SentBack, SessionState, SignalStatus, StepId, StuckCause, Todo, TodoAuthor,
    TodoStatus, Verify,
};

/// The calls of a session that are actions of its goals.
pub(super) fn actions(records: &[EventRecord]) -> BTreeSet<&StepId> {
    records
        .iter()
        .filter_map(|record| match &record.event {
            Event::GoalActionProposed { action_id, .. } | Event::SubGoalActionProposed { action_id, .. } => {
                Some(action_id)
            }
            _ => None,
        })
        .collect()
}

/// The lines of the heading that are about a goal.
pub(super) fn facts(out: &mut String, goal: &GoalState) {
    if let Some(verify) = &goal.request.verify {
        line(out, format_args!("- Check: {}", verified_by(verify)));
    }
    line(out, format_args!("- Iterations: {} of {}", goal.iterations_begun(), goal.iterations_allowed));
    let done = goal.todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count();
    line(out, format_args!("- To-dos: {done} of {} done", goal.todos.len()));
}

pub(super) fn outcome(goal: &GoalState) -> String {
    match &goal.phase {
        GoalPhase::Working => "being worked on".to_owned(),
        GoalPhase::Waiting { what } => match what {
            GoalWait::Question => "waits for your answer",
            GoalWait::Approval => "waits for you to allow an action",
            GoalWait::VerifyQuestion => "waits for your word on whether it is reached",
            GoalWait::Hand => "an action is in your hands",
        }
        .to_owned(),
        GoalPhase::Paused { reason } => format!("paused: {}", paused(reason)),
        GoalPhase::Ended { end } => ended(end),
    }
}

/// Every goal of the session, oldest first.
pub(super) fn goals(out: &mut String, state: &SessionState, records: &[EventRecord]) {
    let begins = |record: &EventRecord| matches!(record.event, Event::GoalStarted { .. });
    let mut starts: Vec<usize> = (0..records.len()).filter(|at| begins(&records[*at])).collect();
    starts.push(records.len());
    for pair in starts.windows(2) {
        if let Event::GoalStarted { goal_id, request } = &records[pair[0]].event {
            goal(out, state, *goal_id, request, &records[pair[0]..pair[1]]);
        }
    }
}

fn goal(out: &mut String, state: &SessionState, id: GoalId, request: &GoalRequest, records: &[EventRecord]) {
    out.push_str("\n## The goal\n\n");
    out.push_str(&fenced("text", &shortened(&request.goal)));
    if let Some(context) = request.context.as_deref().filter(|context| !context.trim().is_empty()) {
        out.push_str("\nWith this said about it:\n\n");
        out.push_str(&fenced("text", &shortened(context)));
    }
    todos(out, records);
    work(out, records);
    sub_goal::sub_goals(out, id, records);
    decisions(out, records);
    files(out, records);
    undo(out, state, records);
}

fn todos(out: &mut String, records: &[EventRecord]) {
    let mut history = String::new();
    let mut list: &[Todo] = &[];
    let mut number = 0;
    for record in records {
        let Event::TodosChanged { iteration, author, todos, .. } = &record.event else { continue };
        let mut text = String::new();
        changes(&mut text, list, todos);
        list = todos;
        if text.is_empty() {
            continue;
        }
        number += 1;
        let author = match author {
            TodoAuthor::Agent => "the agent",
            TodoAuthor::User => "you",
        };
        let at = moment(record.at);
        line(&mut history, format_args!("\n{number}. By {author} in iteration {iteration} ({at})\n"));
        history.push_str(&text);
    }
    let mut text = String::new();
    for todo in list {
        let (status, title) = (standing(todo.status), inline(&todo.title));
        line(&mut text, format_args!("- **{status}**: {title} ({})", priority(todo.priority)));
    }
    section(out, "To-dos", &text);
    section(out, "How the list changed", &history);
}

fn changes(out: &mut String, before: &[Todo], after: &[Todo]) {
    for todo in after {
        let title = inline(&todo.title);
        let status = standing(todo.status);
        match before.iter().find(|old| old.id == todo.id) {
            None => line(out, format_args!("   - New: {title} ({status}, {})", priority(todo.priority))),
            Some(old) if old.status != todo.status => line(out, format_args!("   - Now {status}: {title}")),
            Some(old) if old.title != todo.title => {
                line(out, format_args!("   - Renamed: {} is now {title}", inline(&old.title)));
            }
            Some(old) if old.priority != todo.priority => {
                line(out, format_args!("   - Now {}: {title}", priority(todo.priority)));
            }
            Some(_) => {}
        }
    }
    for old in before.iter().filter(|old| after.iter().all(|todo| todo.id != old.id)) {
        line(out, format_args!("   - Removed: {}", inline(&old.title)));
    }
}

/// Iteration by iteration, with what the user said on the way.
fn work(out: &mut String, records: &[EventRecord]) {
    out.push_str("\n## What was done\n");
    let mut started: BTreeMap<&StepId, Started<'_>> = BTreeMap::new();
    let mut asked: Option<&GoalQuestion> = None;
    // These are told where their sub-goal is.
    let apart = sub_goal::actions(records);
    for record in records {
        match &record.event {
            Event::GoalSignalReceived { iteration, model, signal } => {
                let estimate = signal.completion_estimate.map(|done| format!(", {done} % done"));
                let (status, estimate) = (self::status(signal.status), estimate.unwrap_or_default());
                line(out, format_args!("\n### Iteration {iteration}: {status}{estimate}\n"));
                line(out, format_args!("{}", sentence(&signal.self_assessment)));
                line(out, format_args!("\n- Said by {} at {}", code(model), moment(record.at)));
            }
            Event::GoalSignalRejected { attempt, allowed, error, .. } => {
                let again = match attempt <= allowed {
                    true => format!("and was asked for again ({attempt} of {allowed})"),
                    false => "for the last time".to_owned(),
                };
                line(out, format_args!("\n- An answer could not be read, {again}: {}", inline(error)));
            }
            Event::GoalActionProposed { author, action, .. } => proposed(out, *author, action),
            Event::GoalActionTakenOver { .. } => out.push_str("\n- You took this action over.\n"),
            Event::GoalActionHandedBack { note, command, .. } => {
                out.push_str("\n- You handed it back.\n");
                if let Some(command) = command {
                    line(out, format_args!("  - In its place: {}", code(command)));
                }
                if !note.trim().is_empty() {
                    line(out, format_args!("  - You said: {}", inline(note)));
                }
            }
            Event::CallStarted { call_id, action, allowed_by, .. } => {
                started.insert(call_id, (action, allowed_by));
            }
            Event::CallFinished { result, .. } if apart.contains_key(&result.call_id) => {}
            Event::SubGoalStarted { task } => {
                line(out, format_args!("\n- Sub-goal {} began: {}", task.number, inline(&task.goal)));
            }
            Event::SubGoalEnded { number, end, .. } => {
                let end = inline(&end.to_string());
                line(out, format_args!("\n- Sub-goal {number} ended: {end}"));
            }
            Event::CallFinished { result, .. } => call(out, started.get(&result.call_id), result),
            Event::GoalQuestionAsked { question } => {
                asked = Some(question);
                let by = match question.asked_by {
                    AskedBy::Agent => "The agent asked",
                    AskedBy::Verify => "You were asked whether the goal is reached",
                };
                line(out, format_args!("\n{by}:\n"));
                out.push_str(&fenced("text", &shortened(&question.text)));
            }
            Event::GoalQuestionAnswered { question_id, text } => {
                let known = if asked.is_some_and(|asked| asked.id == *question_id) {
                    "You answered"
                } else {
                    "Answered"
                };
                line(out, format_args!("\n{known}:\n"));
                out.push_str(&fenced("text", &shortened(text)));
            }
            Event::GoalGuidance { text } => {
                out.push_str("\nYou said:\n\n");
                out.push_str(&fenced("text", &shortened(text)));
            }
            Event::GoalLoopNoticed { kind, reflected_before, .. } => {
                let what = match kind {
                    LoopKind::SameAction => "The same action gave the same result three times",
                    LoopKind::Cycle => "The same actions came round and round",
                    LoopKind::NoProgress => "No to-do had moved for ten iterations",
                };
                let then = if *reflected_before { "again, and it gave up" } else { "and it was told so" };
                line(out, format_args!("\n- {what}, {then}."));
            }
            Event::GoalSentBack { reason } => {
                line(out, format_args!("\n- It was not complete: {}", sent_back(reason)))
            }
            Event::GoalPaused { reason } => line(out, format_args!("\n- Paused: {}", paused(reason))),
            Event::GoalResumed { iterations_allowed, model_backend } => {
                let by = match model_backend {
                    Some(ModelRole::Stronger) => ", by the stronger model",
                    Some(ModelRole::Main) => ", by the main model",
                    None => "",
                };
                line(out, format_args!("\n- Resumed, with {iterations_allowed} iterations in all{by}"));
            }
            Event::GoalEnded { end, summary, report: _ } => {
                line(out, format_args!("\n### The end: {}\n", ended(end)));
                line(out, format_args!("{}", sentence(summary)));
            }
            _ => {}
        }
    }
}

fn proposed(out: &mut String, author: ActionAuthor, action: &NextAction) {
    let what = match action.kind {
        ActionType::Eval => "A script",
        ActionType::Shell => "A command",
        ActionType::FileRead => "A file was read",
        ActionType::AiConsult => "Another model was asked",
        ActionType::UserInput => "You were asked",
    };
    let by = match author {
        ActionAuthor::Agent => "",
        ActionAuthor::User => ", by you",
        ActionAuthor::Verify => ", to check whether the goal is reached",
    };
    line(out, format_args!("\n**{what}{by}**: {}", sentence(&action.rationale)));
    // Commands and files are told as they ran, with their result; a question with its answer.
    if matches!(action.kind, ActionType::Eval | ActionType::AiConsult) {
        out.push('\n');
        out.push_str(&fenced("text", &shortened(&action.content)));
    }
}

/// What was asked about and answered, and what ran without a question, by what allowed it.
fn decisions(out: &mut String, records: &[EventRecord]) {
    let ours = actions(records);
    let mut text = String::new();
    let mut unasked = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        match &record.event {
            Event::ApprovalNeeded { approval } if ours.contains(&approval.step_id) => {
                let answer = records[at + 1..].iter().find_map(|later| match &later.event {
                    Event::ApprovalResolved { approval_id, answer, .. } if *approval_id == approval.id => {
                        Some(answered(answer))
                    }
                    _ => None,
                });
                line(
                    &mut text,
                    format_args!(
                        "- {} ({}): {}\n  - Answer: {}",
                        code(approval.action.command()),
                        risk(approval.assessment.risk),
                        inline(&approval.warning_message),
                        answer.unwrap_or_else(|| "none".to_owned())
                    ),
                );
            }
            Event::CallStarted { call_id, allowed_by, .. }
                if ours.contains(call_id) && !matches!(allowed_by, AllowedBy::User) =>
            {
                *unasked.entry(super::words::allowed(allowed_by)).or_insert(0_u32) += 1;
            }
            _ => {}
        }
    }
    for (by, count) in unasked {
        let actions = if count == 1 { "1 action".to_owned() } else { format!("{count} actions") };
        line(&mut text, format_args!("- {actions} without a question, allowed by {by}"));
    }
    section(out, "Who decided what", &text);
}

fn files(out: &mut String, records: &[EventRecord]) {
    let ours = actions(records);
    let (mut files, mut more) = (BTreeSet::new(), 0);
    for record in records {
        if let Event::CallFinished { result, .. } = &record.event
            && ours.contains(&result.call_id)
        {
            files.extend(result.files_changed.iter().map(|file| code(file)));
            more += result.more_files_changed;
        }
    }
    let mut text: String = files.iter().map(|file| format!("- {file}\n")).collect();
    if more > 0 {
        line(&mut text, format_args!("- and {more} more"));
    }
    section(out, "Changed on disk", &text);
}

fn undo(out: &mut String, state: &SessionState, records: &[EventRecord]) {
    let ours = actions(records);
    let mut text = String::new();
    let mut commands = BTreeMap::new();
    for record in records {
        match &record.event {
            Event::CallStarted { call_id, action, .. } => {
                commands.insert(call_id, action.command());
            }
            Event::CallFinished { result, .. } if ours.contains(&result.call_id) => {
                let Some(command) = commands.get(&result.call_id) else { continue };
                let status = result.exit_status.as_ref().map(exit).unwrap_or_default();
                let Some(kept) = state.checkpoints.iter().find(|kept| kept.step_id == result.call_id) else {
                    continue;
                };
                let what = match &kept.covers {
                    Coverage::Whole => "can be put back".to_owned(),
                    Coverage::Partly { why } => format!("can be put back in part: {}", inline(why)),
                    Coverage::Nothing { why } => format!("cannot be put back: {}", inline(why)),
                };
                let status = if status.is_empty() { status } else { format!(" ({status})") };
                line(&mut text, format_args!("- {}{status}: {what}", code(command)));
            }
            _ => {}
        }
    }
    section(out, "What can be undone", &text);
}

fn verified_by(verify: &Verify) -> String {
    match verify {
        Verify::Command { command } => format!("{} must succeed", code(command)),
        Verify::Question { question } => format!("your yes to \"{}\"", inline(question)),
    }
}

fn ended(end: &GoalEnd) -> String {
    match end {
        GoalEnd::Complete { verified: true } => "complete, and its check passed".to_owned(),
        GoalEnd::Complete { verified: false } => {
            "complete by the agent's own word; nothing checked it".to_owned()
        }
        GoalEnd::Stuck { cause, words } => {
            let cause = match cause {
                StuckCause::SaidSo => "by its own word",
                StuckCause::Malformed => "its answers could not be read",
                StuckCause::Loop => "it went in circles",
            };
            let words = inline(words);
            if words.is_empty() { format!("stuck: {cause}") } else { format!("stuck: {cause}. {words}") }
        }
        GoalEnd::OutOfBudget { budget: GoalBudget::Iterations { allowed } } => {
            format!("not reached: its {allowed} iterations were used up")
        }
        GoalEnd::OutOfBudget { budget: GoalBudget::Cap { cap: Cap::Tokens } } => {
            "not reached: the session's tokens were used up".to_owned()
        }
        GoalEnd::OutOfBudget { budget: GoalBudget::Cap { cap: Cap::Cost } } => {
            "not reached: the session's money was used up".to_owned()
        }
        GoalEnd::Cancelled => "stopped by you".to_owned(),
    }
}

fn paused(reason: &GoalPause) -> String {
    match reason {
        GoalPause::User => "by you".to_owned(),
        GoalPause::Interrupted => "the program ended while it was worked on".to_owned(),
        GoalPause::Declined { .. } => "an action was not allowed".to_owned(),
        GoalPause::Unattended => "it waited for somebody, and nobody was there".to_owned(),
        GoalPause::NoRoom { message } => inline(message),
        GoalPause::ModelFailed { message, .. } => format!("the model could not answer, {}", inline(message)),
    }
}

fn sent_back(reason: &SentBack) -> String {
    match reason {
        SentBack::OpenTodos { ids } => format!("{} to-dos were still open", ids.len()),
        SentBack::VerifyFailed { result } => format!("the check failed, {}", code(result)),
        SentBack::VerifyDenied { text } => format!("you said no, {}", inline(text)),
    }
}

fn status(status: SignalStatus) -> &'static str {
    match status {
        SignalStatus::Planning => "planning",
        SignalStatus::Executing => "executing",
        SignalStatus::Reflecting => "reflecting",
        SignalStatus::Stuck => "stuck",
        SignalStatus::Complete => "complete",
    }
}

fn standing(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "open",
        TodoStatus::InProgress => "in progress",
        TodoStatus::Completed => "done",
        TodoStatus::Cancelled => "cancelled",
    }
}

fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::High => "high priority",
        Priority::Medium => "medium priority",
        Priority::Low => "low priority",
    }
}
