//! Values for what a plan asks for: taken up while nothing runs, secret ones in memory alone, and required before a run begins or goes on.

use super::{Session, not_now};
use crate::plan::inputs::{missing, shell_with_inputs, stands};
use crate::plan::mutator::PlanMutator;
use crate::protocol::{
    Author, EngineError, ErrorCode, Event, GivenValue, InputKind, InputValue, Plan, PlanState, ShellState,
};

impl Session {
    pub(super) async fn give_inputs(&mut self, values: Vec<GivenValue>) -> Result<(), EngineError> {
        let plan = self.plan()?;
        if let PlanState::Completed = plan.state {
            return Err(not_now("The plan is done."));
        }
        let is_secret = |name: &str| {
            plan.inputs.iter().any(|input| input.name == name && input.kind == InputKind::Secret)
        };
        let revised = PlanMutator::of(plan).give_inputs(&values)?;
        let labels: Vec<String> = values
            .iter()
            .filter_map(|given| plan.inputs.iter().find(|input| input.name == given.name))
            .map(|input| format!("\"{}\"", input.label))
            .collect();
        let (secrets, plain): (Vec<_>, Vec<_>) = values.into_iter().partition(|given| is_secret(&given.name));
        // Known before anything is told, so that nothing that is told can hold one.
        for GivenValue { name, value } in &secrets {
            self.hold_secret(name, value);
        }
        let taken_away = plain.iter().chain(&secrets).all(|given| given.value.is_empty());
        let Some(revised) = revised else { return Ok(()) };
        // What was ticked was ticked for a command that means something else now.
        self.consents.clear();
        let verb = if taken_away { "took the value away from" } else { "gave a value for" };
        self.revise(revised, Author::User, format!("You {verb} {}.", labels.join(", ")), None).await
    }

    /// A command whose variable has no value would run as another command.
    pub(super) fn inputs_are_given(&self) -> Result<(), EngineError> {
        let plan = self.plan()?;
        let missing = missing(plan);
        let Some(first) = missing.first() else { return Ok(()) };
        let message = match missing.iter().find(|input| stands(plan, input)) {
            Some(input) => format!(
                "Write your own value in the place of {} first: change the step that has it.",
                input.token
            ),
            None => {
                let names: Vec<&str> = missing.iter().map(|input| input.name.as_str()).collect();
                format!(
                    "The page leaves this to you: {}. Give each a value, such as {}=\u{2026}.",
                    names.join(", "),
                    first.name
                )
            }
        };
        Err(EngineError::new(ErrorCode::InvalidInput, message))
    }

    /// Takes up the secrets that the environment has for the plan, as when it was read.
    pub(super) fn take_secrets_of(&mut self, plan: &Plan) {
        for input in plan.inputs.iter().filter(|input| input.value == Some(InputValue::Secret)) {
            let Some(value) = self.shared.classifier.environment().get(&input.name).cloned() else {
                continue;
            };
            self.hold_secret(&input.name, &value);
        }
    }

    /// Says of secrets that were given to a program that has ended since that they are to be given again.
    pub(super) async fn forget_lost_secrets(&mut self) -> Result<(), EngineError> {
        let Some(plan) = self.state.plan.clone() else { return Ok(()) };
        self.take_secrets_of(&plan);
        let lost = plan
            .inputs
            .iter()
            .filter(|input| input.value == Some(InputValue::Secret) && !self.withheld.has(&input.name));
        let names: Vec<String> = lost.map(|input| input.name.clone()).collect();
        if names.is_empty() || plan.state == PlanState::Completed {
            return Ok(());
        }
        self.emit(vec![Event::InputsForgotten { names }]).await
    }

    fn hold_secret(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            self.withheld.remove(name);
            return;
        }
        self.shared.redactor.withhold(value);
        value.lines().for_each(|line| self.shared.redactor.know(line));
        self.withheld.insert(name, value);
    }

    /// The state with what the present plan asked for.
    pub(super) fn with_inputs(&self, shell: &ShellState) -> ShellState {
        match &self.state.plan {
            Some(plan) => shell_with_inputs(shell, plan),
            None => shell.clone(),
        }
    }
}
