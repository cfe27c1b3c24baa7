//! The sub-goals' part of the fold: what each was given, said, did and came to. Their actions are calls like those of the
//! goal; they are never asked about, so no question waits for one.

use super::goal::{cut, is_open, open_goal, shorten};
use super::{Applied, impossible};
use crate::protocol::{
    Action, ActionAuthor, AllowedBy, CallOutcome, CallState, GoalAction, LoopKind, LoopNotice, MAX_SUB_GOALS,
    ModelWait, NextAction, RejectedSignal, SessionState, Signal, StepId, SubGoal, SubGoalEnd, SubGoalTask,
    Time, ToolResult, Usage,
};

/// The last actions of a sub-goal keep all they hold while it is under way.
const WHOLE_ACTIONS: usize = 3;

pub(super) fn started(state: &mut SessionState, task: &SubGoalTask, at: Time) -> Applied {
    let goal = open_goal(state, "given a sub-goal")?;
    if task.number != goal.sub_goal_count + 1 {
        return Err(impossible("sub-goal", "numbered otherwise", "begun"));
    }
    goal.sub_goal_count = task.number;
    goal.sub_goals.iter_mut().filter(|sub| sub.end.is_some()).for_each(|sub| {
        sub.actions.iter_mut().for_each(shorten);
    });
    goal.sub_goals.push(SubGoal::begun(task.clone(), at));
    while goal.sub_goals.len() > MAX_SUB_GOALS {
        let Some(oldest) = goal.sub_goals.iter().position(|sub| sub.end.is_some()) else { break };
        goal.sub_goals.remove(oldest);
    }
    Ok(())
}

pub(super) fn signalled(state: &mut SessionState, number: u32, iteration: u32, signal: &Signal) -> Applied {
    let sub = open_branch(state, number, "moved on")?;
    if super::goal::has_moved(&sub.todos, &signal.todos) {
        sub.moved_in = iteration;
    }
    sub.iteration = iteration;
    sub.status = signal.status;
    sub.todos.clone_from(&signal.todos);
    sub.assessment.clone_from(&signal.self_assessment);
    sub.rejected = None;
    sub.retrying = None;
    Ok(())
}

pub(super) fn rejected(
    state: &mut SessionState,
    number: u32,
    attempt: u32,
    error: &str,
    answer: &str,
) -> Applied {
    let (error, answer) = (error.to_owned(), answer.to_owned());
    let sub = open_branch(state, number, "told of an error")?;
    sub.rejected = Some(RejectedSignal { attempt, error, answer });
    sub.retrying = None;
    Ok(())
}

pub(super) fn proposed(
    state: &mut SessionState,
    number: u32,
    id: &StepId,
    iteration: u32,
    action: &NextAction,
    at: Time,
) -> Applied {
    let sub = open_branch(state, number, "given an action")?;
    sub.actions.push(GoalAction {
        id: id.clone(),
        iteration,
        action: action.clone(),
        author: ActionAuthor::Agent,
        state: CallState::Waiting,
        at,
    });
    if let Some(old) = sub.actions.len().checked_sub(WHOLE_ACTIONS + 1) {
        shorten(&mut sub.actions[old]);
    }
    Ok(())
}

pub(super) fn looped(state: &mut SessionState, number: u32, kind: LoopKind, iteration: u32) -> Applied {
    open_branch(state, number, "told of a loop")?.looped = Some(LoopNotice { kind, iteration });
    Ok(())
}

/// What it had not begun is not done any more.
pub(super) fn ended(
    state: &mut SessionState,
    number: u32,
    end: &SubGoalEnd,
    synthesis: &str,
    at: Time,
) -> Applied {
    let sub = open_branch(state, number, "ended")?;
    sub.end = Some(end.clone());
    sub.synthesis = Some(synthesis.to_owned());
    sub.ended_at = Some(at);
    sub.retrying = None;
    if let Some(rejected) = &mut sub.rejected {
        cut(&mut rejected.answer);
    }
    for open in sub.actions.iter_mut().filter(|action| is_open(&action.state)) {
        let (id, tool) = (open.id.clone(), open.action.kind.as_str());
        let result = ToolResult::told(id, tool, CallOutcome::Declined, "It was not run.", at);
        open.state = CallState::Ended { action: None, result };
    }
    Ok(())
}

/// Its model could not be reached and is asked again. One whose end came first waits no more.
pub(super) fn waits(state: &mut SessionState, number: u32, wait: ModelWait) {
    let goal = state.goal.as_mut();
    let sub = goal.and_then(|goal| goal.sub_goals.iter_mut().find(|sub| sub.task.number == number));
    if let Some(sub) = sub.filter(|sub| sub.end.is_none()) {
        sub.retrying = Some(wait);
    }
}

/// What its models were asked is counted for it, also after its end: a call that was stopped tells last.
pub(super) fn used(state: &mut SessionState, number: u32, usage: &Usage) {
    let goal = state.goal.as_mut();
    let sub = goal.and_then(|goal| goal.sub_goals.iter_mut().rev().find(|sub| sub.task.number == number));
    if let Some(sub) = sub {
        sub.usage.add(usage);
    }
}

/// `None`: the id is none of an action of a sub-goal.
pub(super) fn call_started(
    state: &mut SessionState,
    id: &StepId,
    action: &Action,
    cwd: &str,
    allowed_by: &AllowedBy,
    at: Time,
) -> Option<Applied> {
    Some(open_action(state, id, "started")?.map(|open| {
        let (action, cwd, allowed_by) = (action.clone(), cwd.to_owned(), allowed_by.clone());
        open.state = CallState::Running { action, cwd, allowed_by, started_at: at };
    }))
}

/// The shell stays as it was, whatever the command did to its own.
pub(super) fn call_finished(state: &mut SessionState, result: &ToolResult) -> Option<Applied> {
    Some(open_action(state, &result.call_id, "finished")?.map(|open| {
        let action = match &open.state {
            CallState::Running { action, .. } => Some(action.clone()),
            CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Ended { .. } => None,
        };
        open.state = CallState::Ended { action, result: result.clone() };
    }))
}

type Found<'a, T> = Result<&'a mut T, crate::plan::transition::ImpossibleTransition>;

fn open_branch<'a>(state: &'a mut SessionState, number: u32, to: &'static str) -> Found<'a, SubGoal> {
    let goal = open_goal(state, to)?;
    match goal.sub_goals.iter_mut().find(|sub| sub.task.number == number) {
        Some(sub) if sub.end.is_none() => Ok(sub),
        Some(_) => Err(impossible("sub-goal", "ended", to)),
        None => Err(impossible("sub-goal", "not there", to)),
    }
}

fn open_action<'a>(
    state: &'a mut SessionState,
    id: &StepId,
    to: &'static str,
) -> Option<Found<'a, GoalAction>> {
    let goal = state.goal.as_mut()?;
    let mut actions = goal.sub_goals.iter_mut().rev().flat_map(|sub| sub.actions.iter_mut().rev());
    let action = actions.find(|action| action.id == *id)?;
    Some(if is_open(&action.state) { Ok(action) } else { Err(impossible("action", "ended", to)) })
}
