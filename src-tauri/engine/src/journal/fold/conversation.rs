//! The conversation's part of the fold: messages, answers, calls, ends of turns.

use super::{Applied, impossible};
use crate::protocol::{
    Action, AllowedBy, AnswerPart, ApprovalId, CallState, ChatEntry, Conversation, Detection, MAX_ENTRIES,
    MessageId, PlanId, Route, SessionState, ShellState, StepId, Time, ToolResult, Turn, TurnEnd, TurnPhase,
};

pub(super) fn user_message(
    state: &mut SessionState,
    message_id: MessageId,
    text: &str,
    route: Route,
    detection: Option<&Detection>,
    replaces: Option<MessageId>,
    at: Time,
) -> Applied {
    if state.conversation.turn.is_some() {
        return Err(impossible("turn", "under way", "begun"));
    }
    let conversation = &mut state.conversation;
    if let Some(replaced) = replaces
        && let Some(from) = conversation.entries.iter().position(|entry| is_message(entry, replaced))
    {
        conversation.entries.truncate(from);
    }
    let detection = detection.cloned();
    push(conversation, ChatEntry::User { message_id, text: text.to_owned(), route, detection, at });
    let phase = match route {
        Route::Auto | Route::Chat => TurnPhase::Asking,
        Route::Plan | Route::Solve | Route::Do => TurnPhase::Planning,
    };
    conversation.turn = Some(Turn { message_id, round: 0, phase, since: at });
    Ok(())
}

pub(super) fn answered(
    state: &mut SessionState,
    message_id: MessageId,
    round: u32,
    model: &str,
    parts: &[AnswerPart],
    stop_reason: Option<&String>,
    at: Time,
) -> Applied {
    let turn = turn_of(state, message_id, "answered")?;
    turn.round = round;
    turn.phase = TurnPhase::Tools;
    let answer = ChatEntry::Answer {
        message_id,
        round,
        model: model.to_owned(),
        parts: parts.to_vec(),
        stop_reason: stop_reason.cloned(),
        at,
    };
    push(&mut state.conversation, answer);
    for part in parts {
        if let AnswerPart::Call { call_id, tool, input, .. } = part {
            let (call_id, tool, input) = (call_id.clone(), tool.clone(), input.clone());
            let waiting = CallState::Waiting;
            push(
                &mut state.conversation,
                ChatEntry::Call { message_id, call_id, tool, input, state: waiting, at },
            );
        }
    }
    Ok(())
}

pub(super) fn call_started(
    state: &mut SessionState,
    id: &StepId,
    action: &Action,
    cwd: &str,
    allowed_by: &AllowedBy,
    at: Time,
) -> Applied {
    let call = open_call(state, id, "started")?;
    *call = CallState::Running {
        action: action.clone(),
        cwd: cwd.to_owned(),
        allowed_by: allowed_by.clone(),
        started_at: at,
    };
    state.approvals.retain(|open| open.step_id != *id);
    Ok(())
}

pub(super) fn call_finished(
    state: &mut SessionState,
    result: &ToolResult,
    shell: Option<&ShellState>,
) -> Applied {
    let call = open_call(state, &result.call_id, "finished")?;
    let action = match call {
        CallState::Running { action, .. } => Some(action.clone()),
        CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Ended { .. } => None,
    };
    *call = CallState::Ended { action, result: result.clone() };
    state.approvals.retain(|open| open.step_id != result.call_id);
    if let Some(shell) = shell {
        state.shell = shell.clone();
    }
    let all_ended = !state.conversation.entries.iter().any(is_open_call);
    if let Some(turn) = &mut state.conversation.turn
        && all_ended
    {
        turn.phase = TurnPhase::Asking;
    }
    Ok(())
}

/// Whether the call is one of this conversation, and then what its question makes of it.
pub(super) fn asked(state: &mut SessionState, id: &StepId, approval_id: ApprovalId) -> Option<Applied> {
    call_state(state, id)?;
    Some(open_call(state, id, "asked about").map(|call| *call = CallState::AwaitingApproval { approval_id }))
}

pub(super) fn resolved(state: &mut SessionState, id: &StepId) -> Option<Applied> {
    call_state(state, id)?;
    let settled = open_call(state, id, "answered").map(|call| *call = CallState::Waiting);
    state.approvals.retain(|open| open.step_id != *id);
    Some(settled)
}

pub(super) fn ended(
    state: &mut SessionState,
    message_id: MessageId,
    end: &TurnEnd,
    synthesis: Option<&String>,
    at: Time,
) -> Applied {
    turn_of(state, message_id, "ended")?;
    if state.conversation.entries.iter().any(is_open_call) {
        return Err(impossible("turn", "with open calls", "ended"));
    }
    state.conversation.turn = None;
    let (end, synthesis) = (end.clone(), synthesis.cloned());
    let synthesis_id = message_id.synthesis_id();
    push(&mut state.conversation, ChatEntry::Ended { message_id, end, synthesis_id, synthesis, at });
    Ok(())
}

/// A plan stands in the conversation where it was made, when it was made for a message of it.
pub(super) fn planned(state: &mut SessionState, message_id: Option<MessageId>, plan_id: PlanId, at: Time) {
    if let Some(message_id) = message_id {
        push(&mut state.conversation, ChatEntry::Plan { message_id, plan_id, at });
    }
}

pub(super) fn push(conversation: &mut Conversation, entry: ChatEntry) {
    conversation.entries.push(entry);
    let surplus = conversation.entries.len().saturating_sub(MAX_ENTRIES);
    if surplus > 0 {
        conversation.entries.drain(..surplus);
        conversation.omitted = conversation.omitted.saturating_add(surplus as u32);
    }
}

fn turn_of<'a>(
    state: &'a mut SessionState,
    message_id: MessageId,
    to: &'static str,
) -> Result<&'a mut Turn, crate::plan::transition::ImpossibleTransition> {
    match &mut state.conversation.turn {
        Some(turn) if turn.message_id == message_id => Ok(turn),
        Some(_) => Err(impossible("turn", "another one", to)),
        None => Err(impossible("turn", "not under way", to)),
    }
}

fn call_state<'a>(state: &'a mut SessionState, id: &StepId) -> Option<&'a mut CallState> {
    // The call is among the last entries.
    state.conversation.entries.iter_mut().rev().find_map(|entry| match entry {
        ChatEntry::Call { call_id, state, .. } if call_id == id => Some(state),
        _ => None,
    })
}

fn open_call<'a>(
    state: &'a mut SessionState,
    id: &StepId,
    to: &'static str,
) -> Result<&'a mut CallState, crate::plan::transition::ImpossibleTransition> {
    match call_state(state, id) {
        Some(CallState::Ended { .. }) => Err(impossible("call", "ended", to)),
        Some(call) => Ok(call),
        None => Err(impossible("call", "not there", to)),
    }
}

fn is_open_call(entry: &ChatEntry) -> bool {
    matches!(
        entry,
        ChatEntry::Call {
            state: CallState::Waiting | CallState::AwaitingApproval { .. } | CallState::Running { .. },
            ..
        }
    )
}

fn is_message(entry: &ChatEntry, id: MessageId) -> bool {
    matches!(entry, ChatEntry::User { message_id, .. } if *message_id == id)
}
