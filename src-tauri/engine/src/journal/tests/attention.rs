//! What asks for the user's attention, over states as their records fold them.

use super::*;
use crate::attention::{Ending, Kind, Need, ending, kind, need, works};

fn folded(events: Vec<Event>) -> SessionState {
    let id = SessionId::new();
    let mut state = begin(id, "", "", Time::now());
    for (seq, event) in (1..).zip(events) {
        apply(&mut state, &EventRecord { session_id: id, seq, at: Time::now(), event }).unwrap();
    }
    state
}

fn running(more: Vec<Event>) -> SessionState {
    let mut events = began(&plan(vec![step("a", "one"), step("b", "two")]), Mode::Planner);
    events.extend(more);
    folded(events)
}

fn secret(id: &str) -> SecretRequest {
    SecretRequest {
        id: SecretRequestId::new(),
        step_id: id.into(),
        command: "sudo true".into(),
        cwd: "/work".into(),
        program: "sudo".into(),
        called_as: "sudo -A true".into(),
        prompt: "Password:".into(),
        kind: SecretKind::Password,
        attempt: 1,
        attempts_allowed: 3,
        warning: None,
        expires_at: Time::now(),
    }
}

#[test]
fn a_plan_works_while_something_goes_on_without_the_user() {
    let asked = approval("a");
    let asked_id = asked.id;
    let needed = || Event::ApprovalNeeded { approval: asked.clone() };
    let request = secret("a");
    let (request_id, expires_at) = (request.id, request.expires_at);
    let paused = |reason| Event::PlanPaused { reason };
    let of_step = |id: &str| Some(Need::Stuck { step_id: id.into() });
    let cases: Vec<(&str, SessionState, bool, Option<Need>)> = vec![
        ("just made", folded(vec![session_created()]), false, None),
        ("between two steps", running(vec![]), true, None),
        ("a step runs", running(vec![started("a", 0)]), true, None),
        ("the brain thinks", running(vec![started("a", 0), failed("a", 0), thinking("a")]), true, None),
        ("a question", running(vec![needed()]), false, Some(Need::Approval { id: asked_id })),
        (
            "a question answered",
            running(vec![needed(), resolved(&asked, ApprovalAnswer::AllowOnce { edited_command: None })]),
            true,
            None,
        ),
        (
            "another step runs beside the question",
            running(vec![started("b", 0), needed()]),
            true,
            Some(Need::Approval { id: asked_id }),
        ),
        (
            "the running command asks for a password",
            running(vec![started("a", 0), Event::SecretNeeded { request }]),
            false,
            Some(Need::Secret { id: request_id, expires_at }),
        ),
        (
            "a step by hand",
            running(vec![Event::StepAwaitingRun { step_id: "a".into() }]),
            false,
            Some(Need::Run { step_id: "a".into() }),
        ),
        ("paused by the user", running(vec![paused(PauseReason::User)]), false, None),
        ("found interrupted", running(vec![paused(PauseReason::Interrupted)]), false, None),
        (
            "paused while a step still runs",
            running(vec![started("a", 0), paused(PauseReason::User)]),
            true,
            None,
        ),
        (
            "no room",
            running(vec![paused(PauseReason::NoRoom { folder: "/".into() })]),
            false,
            Some(Need::NoRoom),
        ),
        (
            "a step failed by hand",
            running(vec![paused(PauseReason::StepFailed { step_id: "a".into() })]),
            false,
            of_step("a"),
        ),
        ("done", running(vec![Event::PlanCompleted { steps: 2, repairs: 0, skipped: 0 }]), false, None),
        ("cancelled", running(vec![Event::PlanCancelled { gone_at: None }]), false, None),
    ];
    for (name, state, goes_on, needs) in cases {
        assert_eq!((works(&state), need(&state), kind(&state)), (goes_on, needs, Kind::Plan), "{name}");
    }
}

#[test]
fn only_ends_that_the_user_did_not_bring_about_are_news() {
    let goal = |end| Event::GoalEnded { end, summary: "told".into(), report: None };
    let turn = |end| Event::TurnEnded {
        message_id: MessageId::new(),
        end,
        synthesis: None,
        synthesis_id: String::new(),
    };
    let stuck = GoalEnd::Stuck { cause: StuckCause::SaidSo, words: "no way".into() };
    let failed = TurnEnd::Failed { code: "network".into(), message: "gone".into() };
    let cases = [
        (Event::PlanCompleted { steps: 1, repairs: 0, skipped: 0 }, Some(Ending::PlanDone)),
        (Event::PlanFailed { code: String::new(), reason: "no".into() }, Some(Ending::PlanFailed)),
        (Event::PlanCancelled { gone_at: None }, None),
        (goal(GoalEnd::Complete { verified: true }), Some(Ending::GoalReached { verified: true })),
        (goal(GoalEnd::Complete { verified: false }), Some(Ending::GoalReached { verified: false })),
        (goal(stuck), Some(Ending::GoalStuck)),
        (
            goal(GoalEnd::OutOfBudget { budget: GoalBudget::Cap { cap: Cap::Tokens } }),
            Some(Ending::GoalOutOfBudget),
        ),
        (goal(GoalEnd::Cancelled), None),
        (turn(TurnEnd::Done), Some(Ending::Answered)),
        (turn(TurnEnd::Asked), Some(Ending::Answered)),
        (turn(failed), Some(Ending::Unanswered)),
        (turn(TurnEnd::Interrupted), None),
        (Event::GoalGuidance { text: "x".into() }, None),
    ];
    for (event, expected) in cases {
        assert_eq!(ending(&event), expected, "{event:?}");
    }
}
