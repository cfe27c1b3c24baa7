//! What the steps of a page leave to the reader: each placeholder once, in the order of the steps, with a shell variable in its
//! place. A step whose placeholder stands where no variable can is left as it is, for a person to write in.

use std::collections::BTreeMap;

use super::filled::{Filled, fill};
use crate::plan::page::placeholder;
use crate::protocol::{Action, InputKind, PageInput, Plan, Step};

/// Puts variables in the place of the placeholders, and returns what has to be asked for.
pub(super) fn take_inputs(steps: &mut [Step]) -> Vec<PageInput> {
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

/// The inputs that have no value yet: no variable of the environment or of a step before, and no hand has written it in.
pub fn missing<'p>(plan: &'p Plan, environment: &BTreeMap<String, String>) -> Vec<&'p PageInput> {
    let inputs = plan.page.as_deref().map(|page| page.inputs.as_slice()).unwrap_or_default();
    let stands =
        |input: &PageInput| plan.steps.iter().any(|step| step.action.command().contains(&input.token));
    let is_used = |input: &PageInput| {
        let variable = format!("${{{}}}", input.name);
        plan.steps.iter().any(|step| step.action.command().contains(&variable))
    };
    let is_given = |input: &PageInput| {
        let (plain, exported) = (format!("{}=", input.name), format!("export {}=", input.name));
        environment.contains_key(&input.name)
            || plan
                .steps
                .iter()
                .flat_map(|step| step.action.command().lines())
                .any(|line| line.starts_with(&plain) || line.starts_with(&exported))
    };
    inputs
        .iter()
        .filter(|input| input.required)
        .filter(|input| input.by_hand && stands(input) || is_used(input) && !is_given(input))
        .collect()
}

fn kind_of(kind: placeholder::InputKind) -> InputKind {
    match kind {
        placeholder::InputKind::Text => InputKind::Text,
        placeholder::InputKind::Secret => InputKind::Secret,
        placeholder::InputKind::Path => InputKind::Path,
        placeholder::InputKind::Number => InputKind::Number,
    }
}
