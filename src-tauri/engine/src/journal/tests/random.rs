use proptest::prelude::*;

use super::*;

fn any_event(plan: Plan) -> impl Strategy<Value = Event> {
    let ids = prop_oneof![Just("a"), Just("b"), Just("c"), Just("nowhere")];
    (0_u8..31, ids, 0_u32..6).prop_map(move |(kind, id, number)| {
        let step_id: StepId = id.into();
        let mut question = approval(id);
        question.id = ApprovalId(uuid::Uuid::from_u128(u128::from(number)));
        question.action = Action::shell(if number % 2 == 0 { "true" } else { "false" });
        match kind {
            0 => session_created(),
            1 => Event::SessionRenamed { title: id.into() },
            2 => Event::PlanGenerated { plan: plan.clone() },
            3 => confirmed(&plan),
            4 => Event::PlanRejected { plan_id: plan.id },
            5 | 30 => Event::PlanStarted { plan_id: plan.id, mode: Mode::Agentic },
            6 => Event::ModeChanged { mode: Mode::Teacher },
            7 => Event::StepAwaitingRun { step_id },
            8 | 28 => started(id, number),
            9 | 29 => completed(id, number, Some(id)),
            10 => failed(id, number),
            11 => Event::StepSkipped { step_id, reason: String::new() },
            12 => Event::StepCancelled { step_id, result: (number > 2).then(|| result(id, number, 1)) },
            13 => Event::StepInterrupted { step_id, attempt: number },
            14 => Event::StepReset { step_id },
            15 => Event::ApprovalNeeded { approval: question },
            16 => resolved(&question, ApprovalAnswer::NotNow),
            17 => thinking(id),
            18 => {
                let mut event = inserted(&plan, repair(&format!("r{number}"), "a", number), 0);
                if let Event::PlanRevised { revision, .. } = &mut event {
                    *revision = number;
                }
                event
            }
            19 => Event::AgentStuck {
                step_id,
                reason: StuckReason::NoProgress,
                alternatives: vec![],
                candidates: vec![],
            },
            20 => correction(id, number, CorrectionAction::Retry),
            21 => correction(id, number, CorrectionAction::Abort),
            22 => Event::BudgetRaised,
            23 => Event::PlanPaused { reason: PauseReason::User },
            24 => Event::PlanResumed { mode: Mode::Planner },
            25 => Event::PlanCompleted { steps: 1, repairs: 0, skipped: 0 },
            26 => Event::PlanFailed { code: String::new(), reason: String::new() },
            _ => Event::PlanCancelled { gone_at: None },
        }
    })
}

fn some_plan() -> Plan {
    plan(vec![step("a", "true"), step("b", "true"), step("c", "true")])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_happens_the_state_stays_sensible(
        events in Just(some_plan()).prop_flat_map(|plan| {
            prop::collection::vec(any_event(plan.clone()), 0..80)
                .prop_map(move |mut rest| { rest.splice(0..0, began(&plan, Mode::Agentic)); rest })
        })
    ) {
        let mut state = empty();
        let mut corrections = 0;
        for event in events {
            let before = state.clone();
            let counted = matches!(&event, Event::CorrectionAttempt { correction: Correction::Step(correction), .. }
                if correction.action != CorrectionAction::Abort);
            let afresh = matches!(event, Event::SessionCreated { .. } | Event::PlanGenerated { .. });
            let wrong = apply_all(&mut state, vec![event]);
            prop_assert_eq!(state.seq, before.seq + 1);
            if wrong.is_empty() {
                corrections = if afresh { 0 } else { corrections + u32::from(counted) };
            } else {
                prop_assert_eq!(&SessionState { seq: before.seq, ..state.clone() }, &before);
            }
            let ledger = &state.ledger;
            prop_assert_eq!(ledger.corrections, corrections);
            prop_assert!(matches!((ledger.attempts_allowed, ledger.corrections_allowed), (4, 10) | (7, 20)));
            prop_assert_eq!(ledger.added_allowed, MAX_ADDED_STEPS);
            prop_assert!(ledger.attempt <= 6);
            if let Some(plan) = &state.plan {
                prop_assert_eq!(ledger.added, plan.added_steps());
                prop_assert_eq!(state.revisions.last().map(|last| last.revision), Some(plan.revision));
                let mut waiting: Vec<ApprovalId> = plan
                    .steps
                    .iter()
                    .filter_map(|step| match &step.state {
                        StepState::AwaitingApproval { approval_id } => Some(*approval_id),
                        _ => None,
                    })
                    .collect();
                let mut open: Vec<ApprovalId> = state.approvals.iter().map(|open| open.id).collect();
                waiting.sort();
                open.sort();
                prop_assert_eq!(waiting, open, "a question for each step that waits for one, and no other");
            } else {
                prop_assert!(state.approvals.is_empty() && state.results.is_empty());
            }
        }
        // What a restart adds is always possible, and leaves nothing running.
        let found = recover(&state);
        prop_assert_eq!(apply_all(&mut state, found), Vec::<u32>::new());
        prop_assert_eq!(recover(&state), Vec::new());
        prop_assert_ne!(status(&state), SessionStatus::Running);
        let text = serde_json::to_string(&state).unwrap();
        prop_assert_eq!(serde_json::from_str::<SessionState>(&text).unwrap(), state);
    }
}
