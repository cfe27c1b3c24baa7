//! Small plans for tests.

use std::sync::Arc;

use crate::protocol::{
    Action, InputKind, Mode, OnFailure, Plan, PlanId, PlanInput, PlanOrigin, PlanState, Step, StepId,
    StepKind, StepLimits, StepOrigin, StepState,
};

/// A step as an import makes it, without dependencies.
pub(crate) fn step_of(id: &str, index: u32, command: &str) -> Step {
    Step {
        id: id.into(),
        index,
        title: format!("Step {id}"),
        kind: StepKind::Execute,
        action: Action::shell(command),
        changed: None,
        why: None,
        expected: None,
        verify: None,
        ok_exit: vec![0],
        depends_on: Vec::new(),
        limits: StepLimits::default(),
        service: None,
        estimate_seconds: None,
        assessment: None,
        warning: None,
        origin: StepOrigin::Original,
        state: StepState::Pending,
    }
}

/// A draft of steps `s1`, `s2` …, each depending on the one before it.
pub(crate) fn plan_of(commands: &[&str]) -> Plan {
    let steps: Vec<Arc<Step>> = (1u32..)
        .zip(commands)
        .map(|(number, command)| {
            let mut step = step_of(&format!("s{number}"), number - 1, command);
            if number > 1 {
                step.depends_on = vec![StepId(format!("s{}", number - 1))];
            }
            Arc::new(step)
        })
        .collect();
    Plan {
        id: PlanId::new(),
        revision: 1,
        title: "Test".into(),
        intent: "Test".into(),
        mode: Mode::Planner,
        on_failure: OnFailure::Stop,
        origin: PlanOrigin::User,
        original_steps: steps.len() as u32,
        state: PlanState::Draft,
        steps,
        page: None,
        inputs: Vec::new(),
    }
}

/// A required text.
pub(crate) fn input_of(name: &str) -> PlanInput {
    PlanInput {
        name: name.to_owned(),
        label: super::page::placeholder::label(name),
        token: format!("<{name}>"),
        kind: InputKind::Text,
        required: true,
        by_hand: false,
        choices: Vec::new(),
        suggestions: Vec::new(),
        value: None,
    }
}
