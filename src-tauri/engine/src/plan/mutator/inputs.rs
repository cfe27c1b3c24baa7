//! Values for what a plan asks for. A secret one is noted as given and stands nowhere in the plan.

use std::sync::Arc;

use super::{MutationError, PlanMutator, next_revision};
use crate::plan::inputs::{check, uses};
use crate::protocol::{GivenValue, InputKind, InputValue, Plan, PlanState};

impl PlanMutator<'_> {
    /// Takes values up, or takes them away where they are empty. The steps that have them are to be judged again. `None`: each has
    /// the value already. Once the plan has begun, a value that earlier steps may have used stays.
    pub fn give_inputs(&self, values: &[GivenValue]) -> Result<Option<Plan>, MutationError> {
        let plan = self.plan;
        let has_begun = !matches!(plan.state, PlanState::Draft | PlanState::Ready);
        let mut next = next_revision(plan);
        let mut changed: Vec<String> = Vec::new();
        for GivenValue { name, value } in values {
            let Some(input) = next.inputs.iter_mut().find(|input| input.name == *name) else {
                return Err(MutationError::NoSuchInput { name: name.clone(), asked: asked_in_words(plan) });
            };
            let label = input.label.clone();
            let given = if value.is_empty() {
                None
            } else {
                check(input, value)
                    .map_err(|fault| MutationError::UnfitValue { label: label.clone(), fault })?;
                Some(match input.kind {
                    InputKind::Secret => InputValue::Secret,
                    InputKind::Text
                    | InputKind::Path
                    | InputKind::Number
                    | InputKind::Choice
                    | InputKind::YesNo => InputValue::Plain { text: value.clone() },
                })
            };
            if has_begun && input.value.is_some() {
                return Err(MutationError::ValueInUse { label });
            }
            if given != input.value {
                input.value = given;
                changed.push(name.clone());
            }
        }
        if changed.is_empty() {
            return Ok(None);
        }
        for step in &mut next.steps {
            let texts = [Some(step.action.command()), step.verify.as_deref()];
            let has = |name: &String| texts.iter().flatten().any(|text| uses(text, name));
            if !step.state.is_finished() && changed.iter().any(has) {
                Arc::make_mut(step).assessment = None;
            }
        }
        Ok(Some(next))
    }
}

fn asked_in_words(plan: &Plan) -> String {
    let names: Vec<&str> = plan.inputs.iter().map(|input| input.name.as_str()).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{input_of, plan_of};
    use crate::protocol::PauseReason;

    fn given(name: &str, value: &str) -> GivenValue {
        GivenValue { name: name.into(), value: value.into() }
    }

    fn plan() -> Plan {
        let mut plan = plan_of(&["echo \"${HOST}\"", "echo \"${TOKEN}\""]);
        let number = crate::protocol::PlanInput { kind: InputKind::Number, ..input_of("COUNT") };
        let secret = crate::protocol::PlanInput { kind: InputKind::Secret, ..input_of("TOKEN") };
        plan.inputs = vec![input_of("HOST"), secret, number];
        plan
    }

    #[test]
    fn a_value_is_taken_up_and_away_and_a_secret_is_only_noted() {
        let with = PlanMutator::of(&plan())
            .give_inputs(&[given("HOST", "a b"), given("TOKEN", "s3cret")])
            .unwrap()
            .unwrap();
        assert_eq!(with.inputs[0].value, Some(InputValue::Plain { text: "a b".into() }));
        assert_eq!(with.inputs[1].value, Some(InputValue::Secret));
        assert_eq!(with.revision, 2);
        assert_eq!(PlanMutator::of(&with).give_inputs(&[given("HOST", "a b")]), Ok(None));
        let without = PlanMutator::of(&with).give_inputs(&[given("HOST", "")]).unwrap().unwrap();
        assert_eq!(without.inputs[0].value, None);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        let told =
            |values: &[GivenValue]| PlanMutator::of(&plan()).give_inputs(values).unwrap_err().to_string();
        assert_eq!(told(&[given("WHO", "x")]), "It does not ask for WHO. It asks for HOST, TOKEN, COUNT.");
        assert_eq!(told(&[given("COUNT", "many")]), "\"Count\": It has to be a number.");
        assert_eq!(told(&[given("HOST", "a\0b")]), "\"Host\": No value may have a zero byte in it.");
    }

    #[test]
    fn once_begun_only_what_has_no_value_gets_one() {
        let mut plan = PlanMutator::of(&plan()).give_inputs(&[given("HOST", "a")]).unwrap().unwrap();
        plan.state = PlanState::Paused { reason: PauseReason::User };
        assert!(matches!(
            PlanMutator::of(&plan).give_inputs(&[given("HOST", "b")]),
            Err(MutationError::ValueInUse { .. })
        ));
        assert!(PlanMutator::of(&plan).give_inputs(&[given("TOKEN", "b")]).unwrap().is_some());
    }
}
