//! Services in the fold. One that has ended stays ended; a service that is not known changes nothing.

use super::{Applied, impossible, plan_of};
use crate::plan::transition;
use crate::protocol::{
    PauseReason, PlanState, Service, ServiceEnd, ServiceId, ServiceState, SessionState, StepId, Time,
};

/// So many that have ended are kept in the state; the record has them all.
const ENDED: usize = 50;

pub(super) fn started(services: &mut Vec<Service>, service: &Service) {
    services.push(Service { state: ServiceState::Starting, ..service.clone() });
    let ended = services.iter().filter(|service| !service.is_running()).count();
    if ended > ENDED
        && let Some(oldest) = services.iter().position(|service| !service.is_running())
    {
        services.remove(oldest);
    }
}

pub(super) fn ready(services: &mut [Service], id: ServiceId, at: Time) {
    for service in services.iter_mut().filter(|service| service.id == id && service.is_running()) {
        service.state = ServiceState::Ready { since: at };
    }
}

pub(super) fn ended(services: &mut [Service], id: ServiceId, end: &ServiceEnd, at: Time) {
    for service in services.iter_mut().filter(|service| service.id == id && service.is_running()) {
        service.state = ServiceState::Ended { at, end: end.clone() };
    }
}

/// Its step is to be done once more, and a completed plan is not complete without it.
pub(super) fn wanted(state: &mut SessionState, id: ServiceId, step_id: &StepId) -> Applied {
    let is_over =
        |service: &Service| service.id == id && service.step_id == *step_id && !service.is_running();
    if !state.services.iter().any(is_over) {
        return Err(impossible("service", "not over", "started again"));
    }
    let plan = plan_of(state, "taken up for a service")?;
    let step = plan.step_mut(step_id).ok_or_else(|| impossible("step", "not in the plan", "run again"))?;
    step.state = transition::service_again(&step.state)?;
    if plan.state == PlanState::Completed {
        plan.state = PlanState::Paused { reason: PauseReason::User };
    }
    Ok(())
}
