//! Each figure from the events that it is counted from.

use jiff::tz::TimeZone;

use super::*;
use crate::protocol::{
    AgentCorrection, Approval, CallOutcome, Correction, CorrectionAction, CorrectionFigures, CorrectionOf,
    MessageId, Mode, Purpose, Route, STEP_FAILED, SessionId, ToolResult, Usage,
};

fn time(text: &str) -> Time {
    Time(text.parse().unwrap())
}

/// The events of one session, at these moments.
fn records(events: Vec<(&str, Event)>) -> Vec<EventRecord> {
    let session_id = SessionId::new();
    let record = |(at, (when, event)): (usize, (&str, Event))| EventRecord {
        session_id,
        seq: u32::try_from(at).unwrap() + 1,
        at: time(when),
        event,
    };
    events.into_iter().enumerate().map(record).collect()
}

fn counted(since: Option<&str>, sessions: &[Vec<EventRecord>]) -> Metrics {
    let mut tally = Tally::new(since.map(time), TimeZone::UTC);
    sessions.iter().for_each(|records| tally.session(records));
    tally.finish()
}

fn started(plan: PlanId) -> Event {
    Event::PlanStarted { plan_id: plan, mode: Mode::Agentic }
}

fn completed() -> Event {
    Event::PlanCompleted { steps: 1, repairs: 0, skipped: 0 }
}

fn tried(number: u32, source: &str) -> Event {
    let correction = AgentCorrection {
        action: CorrectionAction::Retry,
        reasoning: "r".into(),
        source: source.into(),
        confidence: 1.0,
        modified_command: None,
        new_steps: None,
        alternatives: None,
        candidates: Vec::new(),
        wait_seconds: None,
        warning: None,
    };
    Event::CorrectionAttempt { step_id: "s1".into(), number, correction: Correction::Step(correction) }
}

fn asked(command: &str) -> Approval {
    serde_json::from_value(serde_json::json!({
        "id": uuid::Uuid::new_v4(), "stepId": "s1", "revision": 1, "action": { "type": "shell", "command": command },
        "cwd": "/w", "user": "me", "assessment": { "risk": "dangerous", "reasons": [], "undo": { "type": "not-needed" },
            "effects": serde_json::to_value(crate::protocol::Effects::default()).unwrap(), "keyboard": null },
        "warningMessage": "w", "proposer": { "type": "plan" }, "previousCommand": null, "offers": [],
        "askedAt": "2026-05-31T10:00:00Z",
    }))
    .unwrap()
}

const DAY: &str = "2026-05-31T10:00:00Z";
const NEXT: &str = "2026-06-01T23:30:00Z";

#[test]
fn a_plan_counts_once_by_how_its_last_run_ended() {
    let (one, two) = (PlanId::new(), PlanId::new());
    let failed = || Event::PlanFailed { code: STEP_FAILED.into(), reason: "r".into() };
    let sessions = [
        records(vec![(DAY, started(one)), (DAY, failed()), (DAY, started(one)), (DAY, completed())]),
        records(vec![(DAY, started(two)), (DAY, Event::PlanCancelled { gone_at: None })]),
        records(vec![(DAY, started(PlanId::new()))]),
        records(vec![(DAY, started(PlanId::new())), (DAY, failed())]),
    ];
    let figures = counted(None, &sessions);
    assert_eq!(figures.plans, Outcomes { completed: 1, failed: 1, cancelled: 1, open: 1 });
    assert_eq!(figures.plans.completion_rate(), Some(33));
    assert_eq!((figures.sessions, figures.cancels), (4, 1));
    assert_eq!(figures.stops_by_hour.iter().position(|count| *count == 1), Some(10));
}

#[test]
fn a_correction_counts_for_whoever_made_it_and_helped_where_the_step_then_succeeded() {
    let helped = |number| Event::CorrectionSuccess { step_id: "s1".into(), number, of: CorrectionOf::Step };
    let sessions = [records(vec![
        (DAY, started(PlanId::new())),
        (DAY, tried(1, "guide:files.missing-folder")),
        (DAY, helped(1)),
        (DAY, tried(2, "some model")),
        (DAY, tried(3, "some model")),
        (DAY, helped(3)),
    ])];
    let source = |source: &str, tried, helped| SourceFigures { source: source.into(), tried, helped };
    assert_eq!(
        counted(None, &sessions).corrections,
        CorrectionFigures {
            tried: 3,
            helped: 2,
            plans: 1,
            by_source: vec![source("some model", 2, 1), source("guide:files.missing-folder", 1, 1)],
        }
    );
}

#[test]
fn a_denial_counts_for_the_program_and_holds_no_other_word() {
    let mut events = Vec::new();
    for (command, answer) in [
        ("sudo -n rm -rf /x", ApprovalAnswer::NotNow),
        ("TOKEN=secret1 /usr/bin/rm y", ApprovalAnswer::Never),
        ("git push", ApprovalAnswer::AllowOnce { edited_command: None }),
        ("$(./mine secret)", ApprovalAnswer::Instead { guidance: "no".into() }),
        ("sudo -u alice rm -rf z", ApprovalAnswer::NotNow),
        ("cd . && timeout 5 rm z", ApprovalAnswer::NotNow),
        ("for f in a b; do rm $f; done", ApprovalAnswer::NotNow),
    ] {
        let approval = asked(command);
        let approval_id = approval.id;
        events.push((DAY, Event::ApprovalNeeded { approval }));
        let step_id = "s1".into();
        events.push((DAY, Event::ApprovalResolved { approval_id, step_id, answer, allowed_by: None }));
    }
    let approvals = counted(None, &[records(events)]).approvals;
    assert_eq!(
        (approvals.answered, approvals.allowed_once, approvals.not_now, approvals.never),
        (7, 1, 4, 1)
    );
    let denials: Vec<(&str, u32)> =
        approvals.denials.iter().map(|denied| (denied.kind.as_str(), denied.count)).collect();
    assert_eq!(denials, [("rm", 5), ("shell", 1)]);
}

#[test]
fn turns_rounds_work_and_money_are_added_up_by_day_and_only_from_then_on() {
    let message_id = MessageId::new();
    let answer = |round| Event::AssistantMessage {
        message_id: MessageId::new(),
        round,
        model: "m".into(),
        server: None,
        parts: Vec::new(),
        stop_reason: None,
    };
    let result = ToolResult {
        outcome: CallOutcome::Success,
        started_at: time("2026-05-31T10:00:00Z"),
        ended_at: time("2026-05-31T10:01:30Z"),
        ..ToolResult::interrupt("c1".into(), "shell", true, time(DAY))
    };
    let usage =
        Usage { input_tokens: 100, output_tokens: 20, calls: 1, cost_micros: 5000, ..Usage::default() };
    let used =
        || Event::ModelUsed { purpose: Purpose::Conversation, model: "m".into(), usage, sub_goal: None };
    let text = "hello".to_owned();
    let sessions = [records(vec![
        (DAY, Event::UserMessage { message_id, text, route: Route::Chat, detection: None, replaces: None }),
        (DAY, answer(1)),
        (DAY, answer(2)),
        (DAY, used()),
        (DAY, Event::CallFinished { result, shell: None }),
        (
            DAY,
            Event::TurnEnded { message_id, end: TurnEnd::Done, synthesis_id: String::new(), synthesis: None },
        ),
        (NEXT, used()),
        (
            NEXT,
            Event::TurnEnded {
                message_id,
                end: TurnEnd::Interrupted,
                synthesis_id: String::new(),
                synthesis: None,
            },
        ),
    ])];
    let all = counted(None, &sessions);
    assert_eq!((all.turns, all.rounds, all.most_rounds, all.work_seconds), (2, 4, 2, 90));
    assert_eq!((all.usage.calls, all.usage.cost_micros), (2, 10_000));
    assert_eq!(all.conversations, Outcomes { cancelled: 1, ..Outcomes::default() });
    let days: Vec<(&str, u32, u32, u32)> =
        all.days.iter().map(|day| (day.day.as_str(), day.tokens, day.work_seconds, day.stops)).collect();
    assert_eq!(days, [("2026-05-31", 120, 90, 0), ("2026-06-01", 120, 0, 1)]);
    let later = counted(Some(NEXT), &sessions);
    assert_eq!((later.turns, later.work_seconds, later.usage.calls, later.days.len()), (1, 0, 1, 1));
    // Two hours east it is the next day already.
    let mut tally = Tally::new(Some(time(NEXT)), TimeZone::fixed(jiff::tz::offset(2)));
    tally.session(&sessions[0]);
    let east = tally.finish();
    assert_eq!((east.days[0].day.as_str(), east.stops_by_hour[1]), ("2026-06-02", 1));
}

#[test]
fn nothing_is_told_in_words_without_failing() {
    let words = in_words(&counted(None, &[]));
    assert!(words.starts_with("Sessions      0\nPlans         – completed"), "{words}");
    assert_eq!(in_one_line(&counted(None, &[])), "In figures: worked 0 s.");
}

#[test]
fn ten_thousand_turns_are_added_up() {
    let turn = |nth: u32| {
        let message_id = MessageId::new();
        let said = Event::UserMessage {
            message_id,
            text: "go on".into(),
            route: Route::Chat,
            detection: None,
            replaces: None,
        };
        let answer = |round| Event::AssistantMessage {
            message_id,
            round,
            model: "m".into(),
            server: None,
            parts: Vec::new(),
            stop_reason: None,
        };
        let end =
            Event::TurnEnded { message_id, end: TurnEnd::Done, synthesis: None, synthesis_id: String::new() };
        let when = if nth.is_multiple_of(2) { "2026-05-30T10:00:00Z" } else { "2026-05-31T10:00:00Z" };
        [said, answer(1), answer(2), answer(3), end].map(|event| (when, event))
    };
    let figures = counted(None, &[records((0..10_000).flat_map(turn).collect())]);
    assert_eq!((figures.turns, figures.rounds, figures.most_rounds), (10_000, 30_000, 3));
    assert_eq!(figures.days.iter().map(|day| day.completed).collect::<Vec<_>>(), [5_000, 5_000]);
}
