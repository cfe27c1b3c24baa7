//! What makes a plan a plan. Every way into the engine (JSON, runbook, model, mutation, edit) ends here, so that
//! nothing behind it has to ask again. Judges only; never mends.

use std::collections::HashMap;
use std::sync::Arc;

use crate::protocol::{EngineError, ErrorCode, Plan, Readiness, ServiceSpec, Step, StepId};

/// Steps that an imported runbook or plan file may hold. Plans that a model writes are held to `MAX_PLAN_STEPS`.
pub const MAX_IMPORTED_STEPS: usize = 10_000;
/// Seconds that a service may be given to become ready.
const LONGEST_START: u32 = 3600;
/// Bytes that a runbook or plan file may have.
pub const MAX_SOURCE_BYTES: usize = 5 * 1024 * 1024;

/// Checks that `plan` has between 1 and `max_steps` steps, unique ids, indexes that are places, commands that can be
/// handed to bash, at least one exit status that means success, and dependencies that exist, form no circle and come
/// before the step that needs them.
pub fn validate(plan: &Plan, max_steps: usize) -> Result<(), EngineError> {
    if plan.steps.is_empty() {
        return Err(invalid("The plan has no steps. Add at least one step with a command."));
    }
    if plan.steps.len() > max_steps {
        return Err(EngineError::new(
            ErrorCode::TooManySteps,
            format!(
                "The plan has {} steps; at most {max_steps} are allowed here. Split it into several plans.",
                plan.steps.len()
            ),
        ));
    }
    let places = places(&plan.steps)?;
    for (place, step) in plan.steps.iter().enumerate() {
        check_step(place, step)?;
    }
    check_dependencies(&plan.steps, &places)
}

fn places(steps: &[Arc<Step>]) -> Result<HashMap<&StepId, usize>, EngineError> {
    let mut places = HashMap::with_capacity(steps.len());
    for (place, step) in steps.iter().enumerate() {
        if step.id.0.trim().is_empty() {
            return Err(invalid(format!(
                "Step {} has an empty id. Give it a name of its own, or leave the id out.",
                place + 1
            )));
        }
        if let Some(first) = places.insert(&step.id, place) {
            return Err(EngineError::new(
                ErrorCode::DuplicateStep,
                format!(
                    "Steps {} and {} have the same id \"{}\". Give each step an id of its own.",
                    first + 1,
                    place + 1,
                    step.id
                ),
            ));
        }
    }
    Ok(places)
}

fn check_step(place: usize, step: &Step) -> Result<(), EngineError> {
    let number = place + 1;
    if step.index as usize != place {
        return Err(invalid(format!(
            "Step {number} is marked as number {}. Number the steps again.",
            step.index + 1
        )));
    }
    check_command(step.action.command()).map_err(|fault| invalid(format!("Step {number}: {fault}")))?;
    if let Some(verify) = &step.verify {
        check_command(verify).map_err(|fault| invalid(format!("Step {number}, verify: {fault}")))?;
    }
    if step.action.is_manual() && (step.verify.is_some() || step.service.is_some()) {
        return Err(invalid(format!(
            "Step {number} is done by hand, so it is no service and nothing checks it. Put the check in a step behind it."
        )));
    }
    if let Some(service) = &step.service {
        check_service(service).map_err(|fault| invalid(format!("Step {number}: {fault}")))?;
    }
    if step.ok_exit.is_empty() {
        return Err(invalid(format!(
            "Step {number} accepts no exit status. List at least one in okExit, or leave it out to accept 0."
        )));
    }
    Ok(())
}

/// Why a service cannot be waited for, for people.
fn check_service(service: &ServiceSpec) -> Result<(), &'static str> {
    match &service.ready {
        Readiness::Port { port: 0 } => {
            return Err("the service's port is 0. Name the one that it answers on.");
        }
        Readiness::Line { text } if text.trim().is_empty() || text.contains('\n') => {
            return Err(
                "the line that shows that the service is ready is empty, or more than one line. Write a part of one line.",
            );
        }
        Readiness::File { path } if path.trim().is_empty() || path.contains('\0') => {
            return Err("the file that shows that the service is ready has no name. Write its path.");
        }
        Readiness::Port { .. } | Readiness::Line { .. } | Readiness::Address | Readiness::File { .. } => {}
    }
    if (1..=LONGEST_START).contains(&service.within_seconds) {
        return Ok(());
    }
    Err("a service has between 1 and 3600 seconds to become ready. Write another number.")
}

/// Why a command cannot be handed to bash, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CommandFault {
    #[error("the command is empty. Write a command, or remove the step.")]
    Blank,
    #[error("the command has a NUL character in it. Remove it.")]
    Nul,
    #[error("the command has a carriage return in it. Write \\r in quotes for bash instead.")]
    CarriageReturn,
}

/// Line ends as bash wants them, blank lines around the command taken off.
pub(super) fn tidy_command(command: &str) -> String {
    command.replace("\r\n", "\n").trim_matches('\n').to_owned()
}

pub(super) fn check_command(command: &str) -> Result<(), CommandFault> {
    if command.trim().is_empty() {
        Err(CommandFault::Blank)
    } else if command.contains('\0') {
        Err(CommandFault::Nul)
    } else if command.contains('\r') {
        Err(CommandFault::CarriageReturn)
    } else {
        Ok(())
    }
}

fn check_dependencies(steps: &[Arc<Step>], places: &HashMap<&StepId, usize>) -> Result<(), EngineError> {
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(steps.len());
    for (place, step) in steps.iter().enumerate() {
        let mut own = Vec::with_capacity(step.depends_on.len());
        for id in &step.depends_on {
            let Some(&needed) = places.get(id) else {
                return Err(invalid(format!(
                    "Step {} (\"{}\") depends on \"{id}\", and no step has that id. Correct the id or remove it.",
                    place + 1,
                    step.id
                )));
            };
            own.push(needed);
        }
        needs.push(own);
    }
    if let Some(cycle) = find_cycle(&needs) {
        return Err(cyclic(steps, &cycle));
    }
    for (place, own) in needs.iter().enumerate() {
        if let Some(&later) = own.iter().find(|&&needed| needed >= place) {
            return Err(invalid(format!(
                "Step {} (\"{}\") depends on step {} (\"{}\"), which comes after it. Swap them.",
                place + 1,
                steps[place].id,
                later + 1,
                steps[later].id
            )));
        }
    }
    Ok(())
}

fn cyclic(steps: &[Arc<Step>], cycle: &[usize]) -> EngineError {
    let mut names: Vec<&str> = cycle.iter().map(|&place| steps[place].id.0.as_str()).collect();
    names.extend(names.first().copied());
    EngineError::new(
        ErrorCode::CyclicPlan,
        format!(
            "These steps wait for each other in a circle: {}. Remove one of the dependencies.",
            names.join(" needs ")
        ),
    )
}

/// Places of the first circle found, in the order of "needs". Walks with its own stack: a chain of 10 000 steps is
/// ordinary and must not use up the thread's.
pub(super) fn find_cycle(needs: &[Vec<usize>]) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::New; needs.len()];
    for start in 0..needs.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::OnPath;
        // Each entry: a place, and how many of its needs were looked at.
        let mut path = vec![(start, 0usize)];
        while let Some((place, looked_at)) = path.last_mut() {
            let Some(&next) = needs[*place].get(*looked_at) else {
                marks[*place] = Mark::Done;
                path.pop();
                continue;
            };
            *looked_at += 1;
            match marks[next] {
                Mark::New => {
                    marks[next] = Mark::OnPath;
                    path.push((next, 0));
                }
                Mark::OnPath => {
                    return Some(
                        path.iter().map(|&(place, _)| place).skip_while(|&place| place != next).collect(),
                    );
                }
                Mark::Done => {}
            }
        }
    }
    None
}

pub(super) fn invalid(message: impl Into<String>) -> EngineError {
    EngineError::new(ErrorCode::InvalidPlan, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::plan_of;

    fn fault(plan: &Plan) -> (ErrorCode, String) {
        let error = validate(plan, MAX_IMPORTED_STEPS).unwrap_err();
        (error.code, error.message)
    }

    #[test]
    fn a_plain_sequence_is_a_plan() {
        assert_eq!(validate(&plan_of(&["true", "false"]), 2), Ok(()));
    }

    #[test]
    fn no_steps_and_too_many() {
        let mut plan = plan_of(&["true", "true", "true"]);
        assert_eq!(validate(&plan, 2).map_err(|e| e.code), Err(ErrorCode::TooManySteps));
        plan.steps.clear();
        assert_eq!(fault(&plan).0, ErrorCode::InvalidPlan);
    }

    #[test]
    fn a_wrong_number_or_an_empty_set_of_exits() {
        let mut plan = plan_of(&["true", "true"]);
        Arc::make_mut(&mut plan.steps[1]).index = 0;
        assert_eq!(fault(&plan).0, ErrorCode::InvalidPlan);
        let mut plan = plan_of(&["true"]);
        Arc::make_mut(&mut plan.steps[0]).ok_exit.clear();
        assert!(fault(&plan).1.contains("okExit"));
    }

    #[test]
    fn commands_that_bash_cannot_be_given() {
        for command in ["", "  \n", "a\0b", "a\rb"] {
            let mut plan = plan_of(&["true"]);
            Arc::make_mut(&mut plan.steps[0]).action = crate::protocol::Action::shell(command);
            assert_eq!(fault(&plan).0, ErrorCode::InvalidPlan, "{command:?}");
            let mut plan = plan_of(&["true"]);
            Arc::make_mut(&mut plan.steps[0]).verify = Some(command.into());
            assert_eq!(fault(&plan).0, ErrorCode::InvalidPlan, "{command:?}");
        }
    }

    #[test]
    fn a_need_that_comes_later_is_told_apart_from_a_circle() {
        let mut plan = plan_of(&["a", "b"]);
        Arc::make_mut(&mut plan.steps[0]).depends_on = vec!["s2".into()];
        Arc::make_mut(&mut plan.steps[1]).depends_on = vec![];
        assert_eq!(fault(&plan).0, ErrorCode::InvalidPlan);
        Arc::make_mut(&mut plan.steps[1]).depends_on = vec!["s1".into()];
        let (code, message) = fault(&plan);
        assert_eq!(code, ErrorCode::CyclicPlan);
        assert!(message.contains("s1 needs s2 needs s1"), "{message}");
    }

    #[test]
    fn a_step_that_needs_itself_is_a_circle() {
        let mut plan = plan_of(&["a"]);
        Arc::make_mut(&mut plan.steps[0]).depends_on = vec!["s1".into()];
        assert_eq!(fault(&plan).0, ErrorCode::CyclicPlan);
    }

    #[test]
    fn the_circle_is_named_without_the_way_to_it() {
        // 0 needs 1 needs 2 needs 3 needs 1
        assert_eq!(find_cycle(&[vec![1], vec![2], vec![3], vec![1]]), Some(vec![1, 2, 3]));
        assert_eq!(find_cycle(&[vec![1, 2], vec![2], vec![]]), None);
    }

    #[test]
    fn a_very_long_chain_does_not_use_up_the_stack() {
        let mut needs: Vec<Vec<usize>> = (0..200_000).map(|n| vec![n + 1]).collect();
        needs.push(vec![]);
        assert_eq!(find_cycle(&needs), None);
    }
}
