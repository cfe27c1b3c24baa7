use super::*;

fn task(number: u32) -> SubGoalTask {
    SubGoalTask {
        number,
        todo_id: format!("t{number}"),
        goal: format!("Find pond {number}"),
        asked_by: TodoAuthor::Agent,
        iteration: 1,
        max_iterations: SUB_GOAL_ITERATIONS,
        max_tokens: None,
        max_cost_micros: None,
    }
}

fn begins(number: u32) -> Event {
    Event::SubGoalStarted { task: task(number) }
}

fn ends(number: u32) -> Event {
    Event::SubGoalEnded {
        number,
        end: SubGoalEnd::Complete,
        synthesis: "Twelve fish.".into(),
        synthesis_id: String::new(),
    }
}

fn acts(number: u32, id: &StepId, content: &str) -> [Event; 3] {
    let action =
        NextAction { kind: ActionType::Shell, content: "cat pond".into(), rationale: "to see".into() };
    let result = ToolResult::told(id.clone(), "shell", CallOutcome::Success, content, Time::now());
    [
        Event::SubGoalActionProposed { number, action_id: id.clone(), iteration: 1, action },
        Event::CallStarted {
            call_id: id.clone(),
            action: Action::shell("cat pond"),
            cwd: "/work".into(),
            allowed_by: AllowedBy::Mode,
            terminal: false,
        },
        Event::CallFinished {
            result,
            shell: Some(ShellState { cwd: "/elsewhere".into(), ..ShellState::default() }),
        },
    ]
}

/// Folds what fits; `false` for what does not.
fn folded(state: &mut SessionState, events: Vec<Event>) -> Vec<bool> {
    events
        .into_iter()
        .map(|event| {
            let record = EventRecord { session_id: state.id, seq: state.seq + 1, at: Time::now(), event };
            apply(state, &record).is_ok()
        })
        .collect()
}

fn pursued() -> SessionState {
    let mut state = empty();
    let goal_id = GoalId::new();
    let request = GoalRequest::new("Count the fish");
    assert_eq!(folded(&mut state, vec![Event::GoalStarted { goal_id, request }]), [true]);
    state
}

fn used(number: u32, tokens: u32) -> Event {
    let usage = Usage { input_tokens: tokens, calls: 1, cost_micros: 2_500, ..Usage::default() };
    Event::ModelUsed { purpose: Purpose::Goal, model: "m".into(), usage, sub_goal: Some(number) }
}

#[test]
fn each_is_folded_for_itself_and_takes_no_number_twice() {
    let mut state = pursued();
    let id = StepId::new();
    assert_eq!(folded(&mut state, vec![begins(1), begins(2), used(2, 10)]), [true; 3]);
    let cwd = state.shell.cwd.clone();
    assert_eq!(folded(&mut state, acts(2, &id, "12").to_vec()), [true; 3]);
    assert_eq!(folded(&mut state, vec![begins(2), begins(4), ends(3)]), [false; 3]);
    assert_eq!(folded(&mut state, vec![ends(2), ends(2), used(2, 5)]), [true, false, true]);
    assert_eq!(state.shell.cwd, cwd, "what a sub-goal's command does to its shell is gone with it");
    let goal = state.goal.unwrap();
    assert_eq!((goal.branches().count(), goal.actions.len()), (1, 0));
    let sub = goal.sub_goal(2).unwrap();
    assert_eq!((sub.usage.input_tokens, sub.usage.calls, sub.actions.len()), (15, 2, 1));
    assert_eq!(state.usage.input_tokens, 15);
}

#[test]
fn a_wait_for_its_model_is_its_own_until_it_answers_or_ends() {
    let mut state = pursued();
    let talked = state.conversation.clone();
    let waits = |number| Event::ModelRetrying {
        purpose: Purpose::Goal,
        model: "m".into(),
        attempt: 2,
        allowed: 3,
        wait_millis: 500,
        reason: "It is busy.".into(),
        sub_goal: Some(number),
    };
    assert_eq!(folded(&mut state, vec![begins(1), begins(2), waits(2)]), [true; 3]);
    let waiting = |state: &SessionState, number| state.goal.as_ref()?.sub_goal(number)?.retrying.clone();
    assert_eq!(
        waiting(&state, 2).map(|wait| (wait.attempt, wait.allowed, wait.wait_millis)),
        Some((2, 3, 500))
    );
    assert_eq!((waiting(&state, 1), &state.conversation), (None, &talked));
    let said = Event::SubGoalSignalRejected {
        number: 2,
        iteration: 1,
        attempt: 1,
        allowed: 2,
        error: "none".into(),
        answer: String::new(),
    };
    assert_eq!(folded(&mut state, vec![said]), [true]);
    assert_eq!(waiting(&state, 2), None);
    // What is told after its end is too late.
    assert_eq!(folded(&mut state, vec![waits(1), ends(1), waits(1)]), [true; 3]);
    assert_eq!(waiting(&state, 1), None);
}

#[test]
fn the_state_of_many_is_bounded() {
    let mut state = pursued();
    let long = "x".repeat(5_000);
    folded(&mut state, vec![begins(1)]);
    for _ in 0..5 {
        folded(&mut state, acts(1, &StepId::new(), &long).to_vec());
    }
    for number in 2..=30 {
        assert_eq!(folded(&mut state, vec![begins(number), ends(number)]), [true; 2]);
    }
    let goal = state.goal.unwrap();
    assert_eq!((goal.sub_goals.len(), goal.sub_goal_count), (MAX_SUB_GOALS, 30));
    let first = goal.sub_goal(1).unwrap();
    let lengths: Vec<usize> = first
        .actions
        .iter()
        .map(|action| match &action.state {
            CallState::Ended { result, .. } => result.content.chars().count(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((lengths, &first.end), (vec![401, 401, 5_000, 5_000, 5_000], &None));
}

#[test]
fn the_report_tells_each_with_what_it_found_and_cost() {
    let id = StepId::new();
    let goal_id = GoalId::new();
    let mut state = empty();
    let mut events =
        vec![Event::GoalStarted { goal_id, request: GoalRequest::new("Count the fish") }, begins(1)];
    events.extend(acts(1, &id, "12"));
    events.extend([used(1, 40), ends(1)]);
    let records: Vec<EventRecord> = (1..)
        .zip(events)
        .map(|(seq, event)| EventRecord { session_id: state.id, seq, at: Time::now(), event })
        .collect();
    for record in &records {
        apply(&mut state, record).unwrap();
    }
    let text = report(&state, &records);
    let id = format!("agent_1_{goal_id}");
    for part in [
        "- Sub-goal 1 began: Find pond 1",
        "- Sub-goal 1 ended: complete",
        "## Sub-goals\n\n### Sub-goal 1: Find pond 1\n\n- Asked for by the agent in iteration 1, for the to-do `t1`",
        "- It ended: complete\n- 1 call of models: 40 tokens in",
        "$0.0025",
        &format!("What came of it (`{id}`):\n\n```text\nTwelve fish.\n```"),
    ] {
        assert!(text.contains(part), "missing: {part}\n{text}");
    }
    assert_eq!(text.matches("cat pond").count(), 1, "{text}");
    assert!(page(&text).contains("Sub-goal 1: Find pond 1"));
}
