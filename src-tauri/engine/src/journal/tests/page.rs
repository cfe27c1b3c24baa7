//! One record of a goal with entries of every kind, and the states that it folds to, as the page's fold is held against them.
//! `UPDATE_FIXTURES=1` writes them anew.

use std::path::Path;

use serde_json::{Value, json};

use super::*;

/// Beside the tests of both.
const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/support/fixtures/goal.json");

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(number: u32) -> T {
    format!("00000000-0000-7000-8000-{number:012}").parse().unwrap()
}

fn at(seconds: u64) -> Time {
    let noon: Time = serde_json::from_value(json!("2026-03-01T12:00:00Z")).unwrap();
    noon.after(std::time::Duration::from_secs(seconds))
}

fn todo(id: &str, status: TodoStatus) -> Todo {
    Todo { id: id.into(), title: format!("Do {id}"), status, priority: Priority::Medium }
}

fn says(iteration: u32, status: SignalStatus) -> Signal {
    let estimate = iteration.is_multiple_of(2).then_some(40);
    Signal {
        status,
        todos: Vec::new(),
        next_action: None,
        self_assessment: format!("In {iteration}."),
        completion_estimate: estimate,
        user_input_needed: None,
        sub_goals: Vec::new(),
    }
}

fn received(iteration: u32, status: SignalStatus) -> Event {
    Event::GoalSignalReceived { iteration, model: "a-model".into(), signal: says(iteration, status) }
}

fn listed(iteration: u32, author: TodoAuthor, todos: &[Todo], users: &[&str]) -> Event {
    let user_todos = users.iter().map(|id| (*id).to_owned()).collect();
    Event::TodosChanged { iteration, author, todos: todos.to_vec(), user_todos }
}

fn proposed(action: &str, iteration: u32, author: ActionAuthor, kind: ActionType, content: &str) -> Event {
    let rationale = "é".repeat(content.chars().count().min(401));
    let next = NextAction { kind, content: content.into(), rationale };
    Event::GoalActionProposed { action_id: action.into(), iteration, author, action: next }
}

fn begun(action: &str, command: &str, allowed_by: AllowedBy) -> Event {
    let (call_id, action, cwd) = (action.into(), Action::shell(command), "/work".into());
    Event::CallStarted { call_id, action, cwd, allowed_by, terminal: false }
}

fn done(action: &str, outcome: CallOutcome, content: &str, cwd: Option<&str>) -> Event {
    let result = ToolResult {
        output: Some(content.into()),
        exit_status: Some(ExitStatus::Code { code: 0 }),
        files_changed: vec!["/work/a".into()],
        ..ToolResult::told(action.into(), "shell", outcome, content, at(1))
    };
    let shell = cwd.map(|cwd| ShellState { cwd: cwd.into(), ..ShellState::default() });
    Event::CallFinished { result, shell }
}

fn asks(action: &str, number: u32) -> Approval {
    Approval { id: id(number), step_id: action.into(), asked_at: at(2), ..approval("x") }
}

fn answered(approval: &Approval, answer: ApprovalAnswer, allowed_by: Option<AllowedBy>) -> Event {
    let (approval_id, step_id) = (approval.id, approval.step_id.clone());
    Event::ApprovalResolved { approval_id, step_id, answer, allowed_by }
}

fn question(number: u32, asked_by: AskedBy, action: Option<&str>) -> Event {
    let (text, action_id) = ("Which?".to_owned(), action.map(StepId::from));
    Event::GoalQuestionAsked { question: GoalQuestion { id: id(number), text, asked_by, action_id } }
}

fn told(number: u32, text: &str) -> Event {
    Event::GoalQuestionAnswered { question_id: id(number), text: text.into() }
}

fn used(sub_goal: Option<u32>) -> Event {
    let usage = Usage { input_tokens: 10, output_tokens: 5, calls: 1, cost_micros: 7, ..Usage::default() };
    Event::ModelUsed { purpose: Purpose::Goal, model: "a-model".into(), usage, sub_goal }
}

fn branched(number: u32) -> Event {
    let task = SubGoalTask {
        number,
        todo_id: format!("t{number}"),
        goal: format!("Look at {number}"),
        asked_by: if number == 1 { TodoAuthor::Agent } else { TodoAuthor::User },
        iteration: 9,
        max_iterations: SUB_GOAL_ITERATIONS,
        max_tokens: (number == 2).then_some(500),
        max_cost_micros: None,
    };
    Event::SubGoalStarted { task }
}

fn rejoined(number: u32, end: SubGoalEnd) -> Event {
    Event::SubGoalEnded { number, end, synthesis: format!("Of {number}."), synthesis_id: String::new() }
}

/// The signal of a sub-goal, with its to-do as it stands.
fn reported(number: u32, iteration: u32, status: TodoStatus) -> Event {
    let signal = Signal { todos: vec![todo("own", status)], ..says(iteration, SignalStatus::Executing) };
    Event::SubGoalSignalReceived { number, iteration, model: "a-model".into(), signal }
}

fn looks(number: u32, action: &str, iteration: u32, content: &str) -> Event {
    let next = NextAction { kind: ActionType::Shell, content: content.into(), rationale: content.repeat(2) };
    Event::SubGoalActionProposed { number, action_id: action.into(), iteration, action: next }
}

/// Two at a time: one looks often, is corrected and comes to an end; the other is stopped before it has begun what it
/// wanted to do. Then so many that the first ones are let go, but for the one that is under way.
fn branches() -> Vec<Event> {
    let long = "ö long line of output 😀 ".repeat(18);
    let mut events = vec![branched(1), branched(2), used(Some(2)), reported(2, 1, TodoStatus::Pending)];
    for iteration in 1..=5 {
        let action = format!("s{iteration}");
        events.extend([
            used(Some(1)),
            reported(1, iteration, if iteration < 3 { TodoStatus::Pending } else { TodoStatus::Completed }),
            looks(1, &action, iteration, &long),
            begun(&action, &long, AllowedBy::Mode),
            done(&action, CallOutcome::Success, &long, Some("/work/left")),
        ]);
    }
    let rejected = |number, answer: &str| Event::SubGoalSignalRejected {
        number,
        iteration: 6,
        attempt: 1,
        allowed: 2,
        error: "no JSON".into(),
        answer: answer.into(),
    };
    let kind = LoopKind::NoProgress;
    let budget = SubGoalBudget::Share { cap: Cap::Tokens };
    events.extend([
        rejected(1, "Hm."),
        reported(1, 6, TodoStatus::Completed),
        Event::SubGoalLoopNoticed { number: 1, kind, iteration: 6, reflected_before: false },
        rejected(1, &long),
        rejoined(1, SubGoalEnd::Complete),
        used(Some(1)),
        looks(2, "s9", 1, "ls"),
        rejoined(2, SubGoalEnd::OutOfBudget { budget }),
        received(10, SignalStatus::Executing),
        branched(3),
        looks(3, "s10", 1, "ls"),
        begun("s10", "ls", AllowedBy::Mode),
    ]);
    for number in 4..=15 {
        events.extend([branched(number), rejoined(number, SubGoalEnd::Cancelled)]);
    }
    let gone = SubGoalEnd::ModelFailed { code: "offline".into(), message: "Nobody answers.".into() };
    events.extend([done("s10", CallOutcome::Interrupted, "It was stopped.", None), rejoined(3, gone)]);
    events
}

/// Looks, asks, is answered, corrected, taken over, gives to sub-goals, is stopped and taken up again; then a second goal that is
/// cancelled while it asks.
fn story() -> Vec<Event> {
    use ActionAuthor::{Agent, Verify as Check};
    use ActionType::{Eval, Shell, UserInput};
    use SignalStatus::{Complete, Executing, Planning, Reflecting, Stuck};
    let verify = Some(Verify::Command { command: "test -e free".into() });
    let request = GoalRequest { verify, ..GoalRequest::new("Free 5 GB") };
    let once = || ApprovalAnswer::AllowOnce { edited_command: None };
    let allowed = || Some(AllowedBy::User);
    let first = [todo("a", TodoStatus::InProgress), todo("b", TodoStatus::Pending)];
    let then =
        [todo("b", TodoStatus::Pending), todo("a", TodoStatus::Completed), todo("mine", TodoStatus::Pending)];
    // Another order moves nothing.
    let mut turned = then.clone();
    turned.reverse();
    let (delete, edited, taken) = (asks("a3", 3), asks("a4", 4), asks("a5", 5));
    let long = "ä long line of output 😀 ".repeat(18);
    let mut events = vec![
        Event::SessionCreated { title: "Disk".into(), cwd: "/work".into() },
        used(None),
        Event::GoalStarted { goal_id: id(1), request },
        Event::GoalGuidance { text: "Mind the logs.".into() },
        Event::GoalSignalRejected {
            iteration: 1,
            attempt: 1,
            allowed: 2,
            error: "no JSON".into(),
            answer: "Hm.".into(),
        },
        used(None),
        received(1, Planning),
        listed(1, TodoAuthor::Agent, &first, &[]),
        proposed("a1", 1, Agent, Shell, &long),
        Event::CheckpointCreated {
            checkpoint: Checkpoint {
                id: id(9),
                step_id: "a1".into(),
                attempt: 0,
                at: at(3),
                covers: Coverage::Partly { why: "it is too large".into() },
                entries: 2,
                kept_kib: 4,
            },
        },
        begun("a1", &long, AllowedBy::Mode),
        done("a1", CallOutcome::Success, &long, Some("/work/sub")),
        received(2, Executing),
        proposed("a2", 2, Agent, UserInput, "Which?"),
        question(2, AskedBy::Agent, Some("a2")),
        Event::GoalPaused { reason: GoalPause::Interrupted },
        Event::GoalResumed { iterations_allowed: 50, model_backend: None },
        told(2, "The old ones."),
        done("a2", CallOutcome::Success, "The old ones.", None),
        received(3, Executing),
        proposed("a3", 3, Agent, Shell, "rm -rf old"),
        Event::ApprovalNeeded { approval: delete.clone() },
        answered(&delete, ApprovalAnswer::NotNow, None),
        Event::GoalPaused { reason: GoalPause::Declined { action_id: "a3".into() } },
        listed(3, TodoAuthor::User, &then, &["mine"]),
        Event::GoalResumed { iterations_allowed: 50, model_backend: None },
        Event::ApprovalNeeded { approval: delete.clone() },
        answered(&delete, ApprovalAnswer::Instead { guidance: "Keep it.".into() }, None),
        done("a3", CallOutcome::Declined, "The user does not allow this.", None),
        Event::GoalGuidance { text: "Keep it.".into() },
        received(4, Executing),
        listed(4, TodoAuthor::Agent, &turned, &["mine"]),
        proposed("a4", 4, Agent, Shell, "rm -rf tmp"),
        Event::ApprovalNeeded { approval: edited.clone() },
        answered(
            &edited,
            ApprovalAnswer::AllowOnce { edited_command: Some("rm -rf tmp/x".into()) },
            allowed(),
        ),
        begun("a4", "rm -rf tmp/x", AllowedBy::User),
        done("a4", CallOutcome::Interrupted, "It was stopped.", None),
        received(5, Executing),
        proposed("a5", 5, Agent, Shell, "rm -rf b"),
        Event::ApprovalNeeded { approval: taken },
        Event::GoalActionTakenOver { action_id: "a5".into() },
        Event::GoalActionHandedBack {
            action_id: "a5".into(),
            note: String::new(),
            command: Some("rmdir b".into()),
        },
        begun("a5", "rmdir b", AllowedBy::Mode),
        done("a5", CallOutcome::Error, "exit status 1", None),
        received(6, Executing),
        proposed("a6", 6, Agent, UserInput, "Really?"),
        question(6, AskedBy::Agent, Some("a6")),
        Event::GoalActionTakenOver { action_id: "a6".into() },
        Event::GoalActionHandedBack { action_id: "a6".into(), note: "Done.".into(), command: None },
        done("a6", CallOutcome::Success, "The user did it by hand: Done.", None),
        Event::GoalLoopNoticed {
            kind: LoopKind::Cycle,
            iteration: 6,
            actions: vec!["a4".into(), "a5".into()],
            reflected_before: false,
        },
        received(7, Reflecting),
        received(8, Complete),
        Event::GoalSentBack { reason: SentBack::OpenTodos { ids: vec!["b".into()] } },
        received(9, Complete),
        proposed("v9", 9, Check, Shell, "test -e free"),
        begun("v9", "test -e free || true", AllowedBy::User),
        done("v9", CallOutcome::Error, "exit status 1", None),
        Event::GoalSentBack { reason: SentBack::VerifyFailed { result: "exit status 1".into() } },
    ];
    events.extend(branches());
    // So many that the first ones are cut.
    for iteration in 11..21 {
        let action = format!("e{iteration}");
        events.push(received(iteration, Executing));
        events.push(proposed(&action, iteration, Agent, Eval, "6 * 7"));
        events.push(begun(&action, "6 * 7", AllowedBy::Mode));
        events.push(done(&action, CallOutcome::Success, "42", None));
    }
    let looped = Event::GoalLoopNoticed {
        kind: LoopKind::NoProgress,
        iteration: 20,
        actions: vec![],
        reflected_before: true,
    };
    let stuck = |cause| GoalEnd::Stuck { cause, words: "No way.".into() };
    let asked = asks("a30", 30);
    events.extend([
        looped,
        Event::GoalEnded { end: stuck(StuckCause::Loop), summary: "20 iterations.".into(), report: None },
        Event::GoalGuidance { text: "Look at the logs.".into() },
        Event::GoalResumed { iterations_allowed: 60, model_backend: None },
        received(21, Stuck),
        Event::GoalEnded { end: stuck(StuckCause::SaidSo), summary: "21 iterations.".into(), report: None },
        Event::GoalResumed { iterations_allowed: 60, model_backend: None },
        received(22, Complete),
        question(22, AskedBy::Verify, None),
        told(22, "no"),
        Event::GoalSentBack { reason: SentBack::VerifyDenied { text: "no".into() } },
        Event::GoalPaused { reason: GoalPause::User },
        Event::GoalResumed { iterations_allowed: 60, model_backend: None },
        received(23, Complete),
        Event::GoalEnded {
            end: GoalEnd::Complete { verified: true },
            summary: "23 iterations.".into(),
            report: None,
        },
        Event::GoalStarted { goal_id: id(2), request: GoalRequest::new("Another") },
        received(1, Executing),
        proposed("a30", 1, Agent, Shell, "rm -rf c"),
        Event::ApprovalNeeded { approval: asked.clone() },
        answered(&asked, once(), allowed()),
        Event::ApprovalNeeded { approval: asks("a30", 31) },
        Event::GoalEnded { end: GoalEnd::Cancelled, summary: "1 iteration.".into(), report: None },
    ]);
    events
}

/// Where a state is kept for the page: after what waits, pauses and ends.
fn is_kept(event: &Event) -> bool {
    matches!(
        event,
        Event::GoalPaused { .. }
            | Event::GoalEnded { .. }
            | Event::GoalQuestionAsked { .. }
            | Event::ApprovalNeeded { .. }
            | Event::GoalActionTakenOver { .. }
            | Event::GoalActionHandedBack { .. }
            | Event::GoalSentBack { .. }
            | Event::SubGoalStarted { task: SubGoalTask { number: 3 | 15, .. } }
            | Event::SubGoalLoopNoticed { .. }
            | Event::SubGoalEnded { number: 1..=3, .. }
    )
}

#[test]
fn the_page_is_held_against_what_the_engine_folds() {
    let mut state = begin(id(100), "", "", at(0));
    let records: Vec<EventRecord> = (1_u32..)
        .zip(story())
        .map(|(seq, event)| EventRecord { session_id: state.id, seq, at: at(seq.into()), event })
        .collect();
    let mut states: Vec<Value> = Vec::new();
    for record in &records {
        apply(&mut state, record).unwrap();
        if is_kept(&record.event) {
            states.push(json!({
                "seq": record.seq, "goal": state.goal, "approvals": state.approvals, "usage": state.usage,
            }));
        }
    }
    // Each kind of entry of a goal is in it.
    let kinds: std::collections::BTreeSet<String> = records
        .iter()
        .map(|record| serde_json::to_value(&record.event).unwrap()["type"].as_str().unwrap().to_owned())
        .filter(|kind| kind.starts_with("goal-") || kind.starts_with("sub-goal-") || kind == "todos-changed")
        .collect();
    assert_eq!(kinds.len(), 21, "{kinds:?}");
    let now = json!({ "sessionId": state.id, "records": records, "states": states });
    let path = Path::new(FIXTURE);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(path, serde_json::to_string(&now).unwrap() + "\n").unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        now == kept,
        "{FIXTURE} is not what the engine folds today: run this test with UPDATE_FIXTURES=1"
    );
}
