//! The goal's part of the fold: signals, to-dos, actions, questions, the user's hand and words, and how it ended. An
//! action is a call like one of the conversation; the events of its run are the same.

use super::{Applied, impossible};
use crate::protocol::{
    Action, ActionAuthor, ActionType, AllowedBy, Approval, AskedBy, CallOutcome, CallState, GoalAction,
    GoalEnd, GoalId, GoalNote, GoalNoted, GoalPause, GoalPhase, GoalQuestion, GoalQuestionId, GoalRequest,
    GoalState, GoalWait, Guidance, LoopKind, LoopNotice, MAX_GOAL_ACTIONS, MAX_GOAL_NOTES, MAX_TODO_CHANGES,
    ModelRole, NextAction, Reflection, RejectedSignal, SentBack, SessionState, ShellState, Signal,
    SignalStatus, StepId, Time, Todo, TodoAuthor, TodoChange, ToolResult,
};

/// The last actions keep all they hold; of those before, contents and results are cut.
const WHOLE_ACTIONS: usize = 12;
/// What is left of a cut text, in characters.
const CUT: usize = 400;

pub(super) fn started(state: &mut SessionState, id: GoalId, request: &GoalRequest, at: Time) -> Applied {
    if state.goal.as_ref().is_some_and(|goal| !goal.has_ended()) {
        return Err(impossible("goal", "not ended", "started"));
    }
    state.goal = Some(GoalState::begun(id, request.clone(), state.usage, at));
    Ok(())
}

pub(super) fn signalled(state: &mut SessionState, iteration: u32, signal: &Signal, at: Time) -> Applied {
    let goal = open_goal(state, "moved on")?;
    goal.iteration = iteration;
    goal.status = signal.status;
    goal.assessment.clone_from(&signal.self_assessment);
    goal.completion_estimate = signal.completion_estimate.or(goal.completion_estimate);
    goal.sent_back = None;
    goal.rejected = None;
    let is_left_out = |todo: &&Todo| todo.status.is_open() && signal.todos.iter().all(|at| at.id != todo.id);
    goal.left_out = goal.todos.iter().filter(is_left_out).map(|todo| todo.id.clone()).collect();
    goal.checking = signal.status == SignalStatus::Complete;
    for words in &mut goal.guidance {
        words.seen = true;
    }
    for sub in goal.sub_goals.iter_mut().filter(|sub| sub.end.is_some()) {
        sub.seen = true;
    }
    if !signal.self_assessment.trim().is_empty() {
        let text = signal.self_assessment.clone();
        keep(
            &mut goal.reflections,
            Reflection { iteration, status: signal.status, text, at },
            MAX_GOAL_NOTES,
        );
    }
    Ok(())
}

pub(super) fn rejected(
    state: &mut SessionState,
    rejected: RejectedSignal,
    allowed: u32,
    at: Time,
) -> Applied {
    let goal = open_goal(state, "told of an error")?;
    let (attempt, error) = (rejected.attempt, rejected.error.clone());
    note(goal, GoalNoted::Rejected { attempt, allowed, error }, at);
    goal.rejected = Some(rejected);
    Ok(())
}

pub(super) fn todos_changed(
    state: &mut SessionState,
    iteration: u32,
    author: TodoAuthor,
    todos: &[Todo],
    user_todos: &[String],
    at: Time,
) -> Applied {
    let goal = open_goal(state, "given other to-dos")?;
    if has_moved(&goal.todos, todos) {
        goal.moved_in = iteration;
    }
    goal.todos = todos.to_vec();
    goal.user_todos = user_todos.to_vec();
    goal.todo_number += 1;
    let number = goal.todo_number;
    let change = TodoChange { number, author, iteration, at, todos: todos.to_vec() };
    keep(&mut goal.todo_changes, change, MAX_TODO_CHANGES);
    Ok(())
}

/// A to-do is new, gone, or stands otherwise than before. Another title or place moves nothing.
pub(super) fn has_moved(before: &[Todo], after: &[Todo]) -> bool {
    let stands =
        |list: &[Todo], todo: &Todo| list.iter().any(|at| at.id == todo.id && at.status == todo.status);
    before.len() != after.len() || !after.iter().all(|todo| stands(before, todo))
}

pub(super) fn proposed(
    state: &mut SessionState,
    id: &StepId,
    iteration: u32,
    author: ActionAuthor,
    action: &NextAction,
    at: Time,
) -> Applied {
    let goal = open_goal(state, "given an action")?;
    goal.actions.push(GoalAction {
        id: id.clone(),
        iteration,
        action: action.clone(),
        author,
        state: CallState::Waiting,
        at,
    });
    let surplus = goal.actions.len().saturating_sub(MAX_GOAL_ACTIONS);
    goal.actions.drain(..surplus);
    goal.omitted_actions += surplus as u32;
    if let Some(old) = goal.actions.len().checked_sub(WHOLE_ACTIONS + 1) {
        shorten(&mut goal.actions[old]);
    }
    Ok(())
}

/// Leaves of an old action what a list shows of it.
pub(super) fn shorten(GoalAction { action, state, .. }: &mut GoalAction) {
    cut(&mut action.content);
    cut(&mut action.rationale);
    if let CallState::Ended { action, result } = state {
        *action = None;
        cut(&mut result.content);
        result.output = None;
        result.diffs.clear();
    }
}

pub(super) fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(CUT) {
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
}

/// `None`: the id is none of an action of the goal.
pub(super) fn call_started(
    state: &mut SessionState,
    id: &StepId,
    action: &Action,
    cwd: &str,
    allowed_by: &AllowedBy,
    at: Time,
) -> Option<Applied> {
    let begun = open_action(state, id, "started")?.map(|open| {
        let (action, cwd, allowed_by) = (action.clone(), cwd.to_owned(), allowed_by.clone());
        // The user wrote another one where they were asked.
        if let (Action::Shell { command }, ActionType::Shell) = (&action, open.action.kind)
            && *command != open.action.content
        {
            open.action.content.clone_from(command);
            if open.author == ActionAuthor::Agent {
                open.author = ActionAuthor::User;
            }
        }
        open.state = CallState::Running { action, cwd, allowed_by, started_at: at };
    });
    state.approvals.retain(|open| open.step_id != *id);
    settle(state);
    Some(begun)
}

pub(super) fn call_finished(
    state: &mut SessionState,
    result: &ToolResult,
    shell: Option<&ShellState>,
) -> Option<Applied> {
    let finished = open_action(state, &result.call_id, "finished")?.map(|open| {
        let action = match &open.state {
            CallState::Running { action, .. } => Some(action.clone()),
            CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Ended { .. } => None,
        };
        open.state = CallState::Ended { action, result: result.clone() };
    });
    state.approvals.retain(|open| open.step_id != result.call_id);
    if finished.is_ok()
        && let Some(shell) = shell
    {
        state.shell = shell.clone();
    }
    settle(state);
    Some(finished)
}

pub(super) fn asked(state: &mut SessionState, approval: &Approval) -> Option<Applied> {
    let asked = open_action(state, &approval.step_id, "asked about")?
        .map(|open| open.state = CallState::AwaitingApproval { approval_id: approval.id });
    if asked.is_ok() {
        state.approvals.retain(|open| open.step_id != approval.step_id);
        state.approvals.push(approval.clone());
        settle(state);
    }
    Some(asked)
}

pub(super) fn resolved(state: &mut SessionState, id: &StepId) -> Option<Applied> {
    let settled = open_action(state, id, "answered")?.map(|open| open.state = CallState::Waiting);
    state.approvals.retain(|open| open.step_id != *id);
    settle(state);
    Some(settled)
}

pub(super) fn taken_over(state: &mut SessionState, id: &StepId) -> Applied {
    let open = open_action(state, id, "taken over").unwrap_or_else(|| Err(not_there("taken over")))?;
    match open.state {
        CallState::Waiting | CallState::AwaitingApproval { .. } => open.state = CallState::Waiting,
        CallState::Running { .. } | CallState::Ended { .. } => {
            return Err(impossible("action", "begun", "taken over"));
        }
    }
    state.approvals.retain(|open| open.step_id != *id);
    let goal = open_goal(state, "taken over")?;
    goal.taken_over = Some(id.clone());
    // What it would have asked is the user's business now.
    goal.question = None;
    settle(state);
    Ok(())
}

pub(super) fn handed_back(state: &mut SessionState, id: &StepId, command: Option<&String>) -> Applied {
    let goal = open_goal(state, "handed back")?;
    if goal.taken_over.as_ref() != Some(id) {
        return Err(impossible("action", "not taken over", "handed back"));
    }
    goal.taken_over = None;
    let open = open_action(state, id, "handed back").unwrap_or_else(|| Err(not_there("handed back")))?;
    open.author = ActionAuthor::User;
    if let Some(command) = command {
        open.action.kind = ActionType::Shell;
        open.action.content.clone_from(command);
    }
    settle(state);
    Ok(())
}

pub(super) fn question_asked(state: &mut SessionState, question: &GoalQuestion) -> Applied {
    open_goal(state, "asked")?.question = Some(question.clone());
    settle(state);
    Ok(())
}

pub(super) fn question_answered(state: &mut SessionState, id: GoalQuestionId) -> Applied {
    let goal = open_goal(state, "answered")?;
    if goal.question.as_ref().is_none_or(|open| open.id != id) {
        return Err(impossible("question", "not open", "answered"));
    }
    goal.question = None;
    settle(state);
    Ok(())
}

pub(super) fn guided(state: &mut SessionState, text: &str, at: Time) -> Applied {
    let Some(goal) = &mut state.goal else { return Err(impossible("goal", "not there", "guided")) };
    let words = Guidance { text: text.to_owned(), at, iteration: goal.iteration, seen: false };
    keep(&mut goal.guidance, words, MAX_GOAL_NOTES);
    Ok(())
}

pub(super) fn looped(
    state: &mut SessionState,
    kind: LoopKind,
    iteration: u32,
    again: bool,
    at: Time,
) -> Applied {
    let goal = open_goal(state, "told of a loop")?;
    note(goal, GoalNoted::Looped { kind, again }, at);
    goal.looped = Some(LoopNotice { kind, iteration });
    Ok(())
}

pub(super) fn sent_back(state: &mut SessionState, reason: &SentBack, at: Time) -> Applied {
    let goal = open_goal(state, "sent back")?;
    note(goal, GoalNoted::SentBack { reason: reason.clone() }, at);
    goal.sent_back = Some(reason.clone());
    goal.checking = false;
    Ok(())
}

pub(super) fn paused(state: &mut SessionState, reason: &GoalPause) -> Applied {
    open_goal(state, "paused")?.phase = GoalPhase::Paused { reason: reason.clone() };
    Ok(())
}

pub(super) fn resumed(
    state: &mut SessionState,
    iterations_allowed: u32,
    model_backend: Option<ModelRole>,
    at: Time,
) -> Applied {
    let Some(goal) = &mut state.goal else { return Err(impossible("goal", "not there", "resumed")) };
    match &goal.phase {
        GoalPhase::Paused { .. } => {}
        GoalPhase::Ended { end: GoalEnd::Complete { .. } } => {
            return Err(impossible("goal", "complete", "resumed"));
        }
        // It has not been told what ended it, so it begins afresh: no error and no loop counts against it.
        GoalPhase::Ended { .. } => {
            goal.rejected = None;
            goal.looped = None;
            goal.checking = false;
            goal.moved_in = goal.iteration;
        }
        GoalPhase::Working | GoalPhase::Waiting { .. } => {
            return Err(impossible("goal", "under way", "resumed"));
        }
    }
    note(goal, GoalNoted::Resumed { allowed: iterations_allowed }, at);
    goal.phase = GoalPhase::Working;
    goal.iterations_allowed = iterations_allowed;
    goal.request.model_backend = model_backend.or(goal.request.model_backend);
    goal.ended_at = None;
    settle(state);
    Ok(())
}

pub(super) fn ended(state: &mut SessionState, end: &GoalEnd, report: Option<&String>, at: Time) -> Applied {
    let goal = open_goal(state, "ended")?;
    goal.phase = GoalPhase::Ended { end: end.clone() };
    goal.question = None;
    goal.taken_over = None;
    goal.checking = false;
    goal.ended_at = Some(at);
    goal.report = report.cloned().or_else(|| goal.report.take());
    let mut withdrawn = Vec::new();
    for open in goal.actions.iter_mut().filter(|action| is_open(&action.state)) {
        let (id, tool) = (open.id.clone(), open.action.kind.as_str());
        let result = ToolResult::told(id.clone(), tool, CallOutcome::Declined, "It was not run.", at);
        open.state = CallState::Ended { action: None, result };
        withdrawn.push(id);
    }
    state.approvals.retain(|open| !withdrawn.contains(&open.step_id));
    Ok(())
}

/// Not ended. One that runs when the goal ends is told of by its own event before.
pub(super) fn is_open(state: &CallState) -> bool {
    match state {
        CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Running { .. } => true,
        CallState::Ended { .. } => false,
    }
}

/// What it waits for follows from what is open. A pause and an end stay what they are.
fn settle(state: &mut SessionState) {
    let Some(goal) = &mut state.goal else { return };
    if !goal.is_under_way() {
        return;
    }
    let asked = |action: &&GoalAction| matches!(action.state, CallState::AwaitingApproval { .. });
    let waits = match &goal.question {
        _ if goal.taken_over.is_some() => Some(GoalWait::Hand),
        Some(GoalQuestion { asked_by: AskedBy::Agent, .. }) => Some(GoalWait::Question),
        Some(GoalQuestion { asked_by: AskedBy::Verify, .. }) => Some(GoalWait::VerifyQuestion),
        None => goal.actions.last().filter(asked).map(|_| GoalWait::Approval),
    };
    goal.phase = waits.map_or(GoalPhase::Working, |what| GoalPhase::Waiting { what });
}

fn note(goal: &mut GoalState, what: GoalNoted, at: Time) {
    keep(&mut goal.notes, GoalNote { at, what }, MAX_GOAL_NOTES);
}

fn keep<T>(list: &mut Vec<T>, last: T, at_most: usize) {
    list.push(last);
    let surplus = list.len().saturating_sub(at_most);
    list.drain(..surplus);
}

type Found<'a, T> = Result<&'a mut T, crate::plan::transition::ImpossibleTransition>;

pub(super) fn open_goal<'a>(state: &'a mut SessionState, to: &'static str) -> Found<'a, GoalState> {
    match &mut state.goal {
        Some(goal) if !goal.has_ended() => Ok(goal),
        Some(_) => Err(impossible("goal", "ended", to)),
        None => Err(impossible("goal", "not there", to)),
    }
}

/// `None`: the goal has no such action.
fn open_action<'a>(
    state: &'a mut SessionState,
    id: &StepId,
    to: &'static str,
) -> Option<Found<'a, GoalAction>> {
    let goal = state.goal.as_mut()?;
    let action = goal.actions.iter_mut().rev().find(|action| action.id == *id)?;
    Some(if is_open(&action.state) { Ok(action) } else { Err(impossible("action", "ended", to)) })
}

fn not_there(to: &'static str) -> crate::plan::transition::ImpossibleTransition {
    impossible("action", "not there", to)
}
