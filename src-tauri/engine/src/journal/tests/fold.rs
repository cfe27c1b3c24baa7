use std::sync::Arc;
use std::time::Duration;

use super::*;

fn two_steps() -> Plan {
    plan(vec![step("a", "mkdir x"), step("b", "cp a out/")])
}

#[test]
fn a_run_with_a_repair_ends_completed() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Agentic);
    events.extend([
        started("a", 0),
        completed("a", 0, Some("/work/x")),
        started("b", 0),
        failed("b", 0),
        thinking("b"),
        Event::BudgetWarning { corrections: 7, allowed: 10 },
    ]);
    let mut state = after(events);
    assert_eq!(plan_state(&state), &PlanState::Recovering { step_id: "b".into() });
    assert!(matches!(step_state(&state, "b"), StepState::Recovering { attempt: 0, .. }));
    assert_eq!(state.thinking.as_ref().map(|it| it.asking.as_str()), Some("field guide"));

    let wrong = apply_all(
        &mut state,
        vec![
            correction("b", 1, CorrectionAction::InsertSteps),
            inserted(&plan, repair("r", "b", 2), 1),
            started("r", 0),
            completed("r", 0, Some("/work/x/out")),
        ],
    );
    assert_eq!(wrong, [0_u32; 0]);
    assert_eq!(state.thinking, None);
    assert_eq!(plan_state(&state), &PlanState::Recovering { step_id: "b".into() });
    assert!(
        matches!(step_state(&state, "a"), StepState::Completed { attempt: 0 }),
        "states outlive a revision"
    );
    assert_eq!((state.ledger.corrections, state.ledger.added), (1, 1));
    assert_eq!(state.revisions.len(), 2);
    assert_eq!(state.revisions[0].author, Author::Runbook);

    let wrong = apply_all(
        &mut state,
        vec![
            started("b", 1),
            completed("b", 1, None),
            Event::CorrectionSuccess { step_id: "b".into(), number: 1, of: CorrectionOf::Step },
            Event::PlanCompleted { steps: 3, repairs: 1, skipped: 0 },
        ],
    );
    assert_eq!(wrong, [0_u32; 0]);
    assert_eq!(plan_state(&state), &PlanState::Completed);
    assert_eq!((state.ledger.step_id.clone(), state.ledger.attempt), (Some("b".into()), 2));
    assert_eq!(state.results.len(), 4);
    let summary = summary(&state, Time::now(), None);
    assert_eq!((summary.steps, summary.steps_done, summary.repairs), (3, 3, 1));
    assert_eq!(summary.status, SessionStatus::Completed);
}

#[test]
fn the_shell_follows_completed_steps_only() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Agentic);
    events.extend([started("a", 0), completed("a", 0, Some("/work/x")), started("b", 0), failed("b", 0)]);
    let mut state = after(events);
    assert_eq!(state.shell.cwd, "/work/x");
    let before: Vec<_> =
        state.shell_before.iter().map(|it| (it.step_id.0.as_str(), it.state.cwd.as_str())).collect();
    assert_eq!(before, [("a", "/work"), ("b", "/work/x")]);
    apply_all(&mut state, vec![started("b", 1)]);
    assert_eq!(state.shell_before.len(), 2, "a retry keeps what was before the first attempt");
}

/// The window counts down to it.
#[test]
fn an_attempt_waits_for_its_time_until_something_else_becomes_of_it() {
    let plan = two_steps();
    let waits = |seconds| Event::RetryAttempt {
        step_id: "a".into(),
        attempt: 2,
        allowed: 3,
        wait_seconds: seconds,
        command: None,
    };
    let mut before = began(&plan, Mode::Agentic);
    before.extend([started("a", 0), failed("a", 0)]);
    let after_wait =
        |then: Option<Event>| after(before.iter().cloned().chain([waits(5)]).chain(then).collect());
    let state = after_wait(None);
    let wait = state.retry.clone().unwrap();
    assert_eq!((wait.step_id, wait.attempt, wait.allowed), ("a".into(), 2, 3));
    assert!(wait.until > Time::now().after(Duration::from_secs(1)), "{:?}", wait.until);
    assert_eq!(after_wait(Some(waits(0))).retry, None);
    let skipped = Event::StepSkipped { step_id: "a".into(), reason: "Not needed.".to_owned() };
    for then in [started("a", 1), skipped, Event::PlanCancelled { gone_at: None }] {
        assert_eq!(after_wait(Some(then.clone())).retry, None, "{then:?}");
    }
    let paused = Event::PlanPaused { reason: PauseReason::Interrupted };
    assert_eq!(after_wait(Some(paused)).retry, None);
}

#[test]
fn impossible_events_change_nothing_but_the_number() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Planner);
    events.extend([started("a", 0), completed("a", 0, None)]);
    let state = after(events);
    let other = two_steps();
    let mut same_revision = plan.clone();
    same_revision.steps.pop();
    let other_steps = Plan { steps: vec![Arc::new(step("x", "true"))], ..plan.clone() };
    for event in [
        started("a", 1),
        started("nowhere", 0),
        completed("b", 0, None),
        failed("a", 1),
        confirmed(&plan),
        Event::PlanStarted { plan_id: other.id, mode: Mode::Teacher },
        Event::StepReset { step_id: "a".into() },
        thinking("a"),
        resolved(&approval("b"), ApprovalAnswer::AllowOnce { edited_command: None }),
        revision(&plan, &same_revision, Author::User, None),
        revision(&other_steps, &Plan { revision: 2, ..plan.clone() }, Author::User, None),
    ] {
        let mut changed = state.clone();
        let name = format!("{event:?}");
        assert_eq!(apply_all(&mut changed, vec![event]), [state.seq + 1], "{name}");
        assert_eq!(SessionState { seq: state.seq, ..changed }, state, "{name}");
    }
    let mut none = empty();
    assert_eq!(apply_all(&mut none, vec![Event::PlanPaused { reason: PauseReason::User }]), [1]);
    assert_eq!(status(&none), SessionStatus::Empty);
}

#[test]
fn a_confirmation_of_another_revision_is_refused() {
    let plan = two_steps();
    let mut state = after(vec![session_created(), Event::PlanGenerated { plan: plan.clone() }]);
    let event = Event::PlanConfirmed { plan_id: plan.id, revision: 2, allowed: vec![] };
    assert_eq!(apply_all(&mut state, vec![event]), [3]);
    assert_eq!(status(&state), SessionStatus::Draft);
}

#[test]
fn a_permission_given_leaves_the_step_pending_until_it_starts() {
    let plan = two_steps();
    let question = approval("a");
    let mut events = began(&plan, Mode::Planner);
    events.push(Event::ApprovalNeeded { approval: question.clone() });
    let mut state = after(events);
    assert_eq!(status(&state), SessionStatus::WaitingForYou);
    assert_eq!(recover(&state), [], "a pending question survives a restart as it is");

    let answer = ApprovalAnswer::AllowOnce { edited_command: None };
    assert_eq!(apply_all(&mut state, vec![resolved(&question, answer.clone())]), [0_u32; 0]);
    assert_eq!(state.approvals, []);
    assert_eq!(step_state(&state, "a"), &StepState::Pending);
    assert_eq!(recover(&state), [Event::PlanPaused { reason: PauseReason::Interrupted }]);
    assert_eq!(apply_all(&mut state, vec![resolved(&question, answer)]).len(), 1, "an answer counts once");
}

#[test]
fn cancelling_closes_questions_and_waiting_steps_but_not_a_running_one() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Planner);
    events.extend([
        started("a", 0),
        Event::ApprovalNeeded { approval: approval("b") },
        Event::PlanCancelled { gone_at: None },
        Event::StepCancelled { step_id: "a".into(), result: Some(result("a", 0, 1)) },
    ]);
    let state = after(events);
    assert_eq!(state.approvals, []);
    assert_eq!(step_state(&state, "a"), &StepState::Cancelled);
    assert_eq!(step_state(&state, "b"), &StepState::Cancelled);
    assert_eq!((state.results.len(), status(&state)), (1, SessionStatus::Cancelled));
    assert_eq!(recover(&state), []);
}

#[test]
fn stuck_ends_the_recovery_and_the_budget_is_raised_once() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Agentic);
    events.extend([started("a", 0), failed("a", 0), thinking("a")]);
    events.push(Event::AgentStuck {
        step_id: "a".into(),
        reason: StuckReason::Corrections { allowed: 10 },
        alternatives: vec![],
        candidates: vec![],
    });
    events.push(Event::BudgetRaised);
    let mut state = after(events);
    assert!(matches!(step_state(&state, "a"), StepState::Failed { attempt: 0, .. }));
    assert_eq!((status(&state), recover(&state)), (SessionStatus::WaitingForYou, vec![]));
    assert_eq!((state.ledger.attempts_allowed, state.ledger.corrections_allowed), (7, 20));
    assert_eq!(apply_all(&mut state, vec![Event::BudgetRaised]).len(), 1);
    assert_eq!(state.ledger.corrections_allowed, 20);
    assert_eq!(apply_all(&mut state, vec![thinking("a")]), [0_u32; 0], "guidance takes it up again");
}

#[test]
fn only_corrections_that_do_something_count() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Agentic);
    use CorrectionAction as C;
    for (number, action) in [C::Retry, C::Modify, C::InsertSteps, C::Skip, C::Abort].into_iter().enumerate() {
        events.push(correction("a", number as u32, action));
    }
    assert_eq!(after(events.clone()).ledger.corrections, 3);
    events.push(Event::PlanGenerated { plan });
    let state = after(events);
    assert_eq!((state.ledger.corrections, state.revisions.len()), (0, 1));
}

#[test]
fn what_was_running_is_interrupted_and_the_run_paused() {
    let plan = two_steps();
    let mut events = began(&plan, Mode::Agentic);
    events.push(started("a", 0));
    let mut state = after(events.clone());
    let found = recover(&state);
    assert_eq!(
        found,
        [
            Event::StepInterrupted { step_id: "a".into(), attempt: 0 },
            Event::PlanPaused { reason: PauseReason::Interrupted },
        ]
    );
    assert_eq!(apply_all(&mut state, found), [0_u32; 0]);
    assert_eq!((status(&state), recover(&state)), (SessionStatus::WaitingForYou, vec![]));

    events.extend([failed("a", 0), thinking("a")]);
    let mut state = after(events);
    let found = recover(&state);
    assert_eq!(found, [Event::PlanPaused { reason: PauseReason::Interrupted }]);
    apply_all(&mut state, found);
    assert_eq!(state.thinking, None);

    let mut events = began(&plan, Mode::Teacher);
    events.push(Event::StepAwaitingRun { step_id: "a".into() });
    let state = after(events);
    assert_eq!((status(&state), recover(&state)), (SessionStatus::WaitingForYou, vec![]));
}

#[test]
fn a_revision_voids_every_open_question() {
    let plan = two_steps();
    let mut question = approval("b");
    question.action = Action::shell("cp a out/");
    let mut events = began(&plan, Mode::Agentic);
    events.push(Event::ApprovalNeeded { approval: question });
    events.push(inserted(&plan, repair("r", "b", 2), 0));
    // Its command is the same, and still the question was about another revision.
    let state = after(events);
    assert_eq!((state.approvals.len(), step_state(&state, "b")), (0, &StepState::Pending));
}

#[test]
fn a_plan_that_claims_to_be_done_is_a_draft() {
    let mut plan = two_steps();
    plan.state = PlanState::Running;
    Arc::make_mut(&mut plan.steps[0]).state = StepState::Completed { attempt: 0 };
    let state = after(vec![session_created(), Event::PlanGenerated { plan }]);
    assert_eq!((status(&state), step_state(&state, "a")), (SessionStatus::Draft, &StepState::Pending));
}

#[test]
fn a_run_that_fails_while_it_mends_a_step_leaves_that_step_failed() {
    let mut events = began(&two_steps(), Mode::Agentic);
    events.extend([started("a", 0), failed("a", 0), thinking("a")]);
    events.push(Event::PlanFailed { code: "blocked".into(), reason: "blocked".into() });
    let state = after(events);
    assert_eq!(step_state(&state, "a"), &StepState::Failed { attempt: 0, reason: "blocked".into() });
    assert_eq!(status(&state), SessionStatus::Failed);
}
