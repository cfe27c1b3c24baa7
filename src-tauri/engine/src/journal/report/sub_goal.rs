//! The sub-goals' part of the report: what each was to find, what it looked at, what it found and what it cost.

use std::collections::BTreeMap;

use super::conversation::{Started, call, cost, shortened};
use super::line;
use super::words::{code, fenced, inline, sentence};
use crate::protocol::{
    Event, EventRecord, GoalId, NextAction, StepId, SubGoal, SubGoalTask, TodoAuthor, ToolResult, Usage,
};

/// The calls that are actions of sub-goals, with their numbers.
pub(super) fn actions(records: &[EventRecord]) -> BTreeMap<&StepId, u32> {
    records
        .iter()
        .filter_map(|record| match &record.event {
            Event::SubGoalActionProposed { action_id, number, .. } => Some((action_id, *number)),
            _ => None,
        })
        .collect()
}

/// The records of one goal.
pub(super) fn sub_goals(out: &mut String, goal: GoalId, records: &[EventRecord]) {
    let ours = actions(records);
    let mut is_first = true;
    for record in records {
        let Event::SubGoalStarted { task } = &record.event else { continue };
        if std::mem::take(&mut is_first) {
            out.push_str("\n## Sub-goals\n");
        }
        branch(out, goal, task, &ours, records);
    }
}

fn branch(
    out: &mut String,
    goal: GoalId,
    task: &SubGoalTask,
    ours: &BTreeMap<&StepId, u32>,
    records: &[EventRecord],
) {
    let by = match task.asked_by {
        TodoAuthor::Agent => "the agent",
        TodoAuthor::User => "you",
    };
    line(out, format_args!("\n### Sub-goal {}: {}\n", task.number, inline(&task.goal)));
    line(
        out,
        format_args!(
            "- Asked for by {by} in iteration {}, for the to-do {}",
            task.iteration,
            code(&task.todo_id)
        ),
    );
    let is_mine = |id: &StepId| ours.get(id) == Some(&task.number);
    let mut used = Usage::default();
    let mut wanted: BTreeMap<&StepId, &NextAction> = BTreeMap::new();
    let mut started: BTreeMap<&StepId, Started<'_>> = BTreeMap::new();
    let mut work = String::new();
    let mut account = None;
    for record in records {
        match &record.event {
            Event::ModelUsed { usage, sub_goal: Some(number), .. } if *number == task.number => {
                used.add(usage);
            }
            Event::SubGoalSignalReceived { number, iteration, signal, .. } if *number == task.number => {
                line(&mut work, format_args!("\n{iteration}. {}", sentence(&signal.self_assessment)));
            }
            Event::SubGoalSignalRejected { number, error, .. } if *number == task.number => {
                line(&mut work, format_args!("\n- An answer could not be read: {}", inline(error)));
            }
            Event::SubGoalActionProposed { action_id, action, .. } if is_mine(action_id) => {
                wanted.insert(action_id, action);
            }
            Event::CallStarted { call_id, action, allowed_by, .. } if is_mine(call_id) => {
                started.insert(call_id, (action, allowed_by));
            }
            Event::CallFinished { result, .. } if is_mine(&result.call_id) => {
                match (started.get(&result.call_id), wanted.get(&result.call_id)) {
                    (None, Some(action)) => not_started(&mut work, action, result),
                    (begun, _) => call(&mut work, begun, result),
                }
            }
            Event::SubGoalEnded { number, end, synthesis, .. } if *number == task.number => {
                line(out, format_args!("- It ended: {}", inline(&end.to_string())));
                account = Some(synthesis);
            }
            _ => {}
        }
    }
    line(out, format_args!("- {}", cost(&used)));
    out.push_str(&work);
    if let Some(account) = account {
        let id = SubGoal::synthesis_id(task.number, goal);
        line(out, format_args!("\nWhat came of it ({}):\n", code(&id)));
        out.push_str(&fenced("text", &shortened(account)));
    }
}

/// What it was not let do, and why.
fn not_started(out: &mut String, action: &NextAction, result: &ToolResult) {
    out.push('\n');
    out.push_str(&fenced("text", &shortened(&action.content)));
    line(out, format_args!("- {}", inline(&result.content)));
}
