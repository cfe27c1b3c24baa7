//! What the steps of a page leave to the reader: each placeholder once, in the order of the steps, with a shell variable in its
//! place. A step whose placeholder stands where no variable can is left as it is, for a person to write in.

use std::collections::BTreeMap;

use super::filled::{Filled, fill};
use crate::plan::page::placeholder;
use crate::protocol::{Action, InputKind, PageInput, Plan, Step};

/// Puts variables in the place of the placeholders, and returns what has to be asked for.
pub(super) fn take_inputs<'s>(steps: impl Iterator<Item = &'s mut Step>) -> Vec<PageInput> {
    let mut found: Vec<PageInput> = Vec::new();
    for step in steps {
        let Filled { command, blanks, left } = fill(step.action.command());
        if !blanks.is_empty() {
            step.action = Action::shell(command);
        }
        let all =
            blanks.into_iter().map(|blank| (blank, false)).chain(left.into_iter().map(|blank| (blank, true)));
        for (blank, by_hand) in all {
            match found.iter_mut().find(|known| known.name == blank.name) {
                Some(known) => known.by_hand |= by_hand,
                None => {
                    let label = placeholder::label(&blank.token);
                    let kind = kind_of(blank.kind);
                    found.push(PageInput {
                        name: blank.name,
                        label,
                        token: blank.token,
                        kind,
                        required: true,
                        by_hand,
                    });
                }
            }
        }
    }
    found
}

/// What the steps of the plan need of the reader: the inputs of what is left out are not asked for.
pub fn asked(plan: &Plan) -> Vec<&PageInput> {
    let inputs = plan.page.as_deref().map(|page| page.inputs.as_slice()).unwrap_or_default();
    inputs.iter().filter(|input| stands(plan, input) || is_used(plan, input)).collect()
}

/// The inputs that have no value yet: no variable of the environment or of a step before, and no hand has written it in.
pub fn missing<'p>(plan: &'p Plan, environment: &BTreeMap<String, String>) -> Vec<&'p PageInput> {
    let is_given = |input: &PageInput| {
        let (plain, exported) = (format!("{}=", input.name), format!("export {}=", input.name));
        environment.contains_key(&input.name)
            || plan
                .steps
                .iter()
                .flat_map(|step| step.action.command().lines())
                .any(|line| line.starts_with(&plain) || line.starts_with(&exported))
    };
    asked(plan)
        .into_iter()
        .filter(|input| input.required)
        .filter(|input| stands(plan, input) || is_used(plan, input) && !is_given(input))
        .collect()
}

/// It has to be written in by hand and has not been.
fn stands(plan: &Plan, input: &PageInput) -> bool {
    input.by_hand && plan.steps.iter().any(|step| step.action.command().contains(&input.token))
}

fn is_used(plan: &Plan, input: &PageInput) -> bool {
    let variable = format!("${{{}}}", input.name);
    plan.steps.iter().any(|step| step.action.command().contains(&variable))
}

fn kind_of(kind: placeholder::InputKind) -> InputKind {
    match kind {
        placeholder::InputKind::Text => InputKind::Text,
        placeholder::InputKind::Secret => InputKind::Secret,
        placeholder::InputKind::Path => InputKind::Path,
        placeholder::InputKind::Number => InputKind::Number,
    }
}
