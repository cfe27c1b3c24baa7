//! Services in the fold. One that has ended stays ended; a service that is not known changes nothing.

use crate::protocol::{Service, ServiceEnd, ServiceId, ServiceState, Time};

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
