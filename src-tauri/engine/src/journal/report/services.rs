//! Services, as the report tells them.

use super::words::{code, exit, inline, moment};
use super::{line, section};
use crate::protocol::{ServiceEnd, ServiceState, SessionState};

/// Every service, oldest first; nothing where there was none.
pub(super) fn services(out: &mut String, state: &SessionState) {
    let mut text = String::new();
    for service in &state.services {
        let became = match &service.state {
            ServiceState::Starting => "starting".to_owned(),
            ServiceState::Ready { since } => format!("ready since {}", moment(*since)),
            ServiceState::Ended { at, end } => format!("{} at {}", ended(end), moment(*at)),
        };
        line(
            &mut text,
            format_args!(
                "- {}: {}; ready when {}; started {}, {became}",
                inline(&service.title),
                code(&service.command),
                inline(&service.ready.to_string()),
                moment(service.started_at),
            ),
        );
    }
    section(out, "Services", &text);
}

fn ended(end: &ServiceEnd) -> String {
    match end {
        ServiceEnd::Itself { exit_status } => format!("ended by itself ({})", exit(exit_status)),
        ServiceEnd::Stopped => "stopped".to_owned(),
        ServiceEnd::NotReady => "stopped, for it was not ready,".to_owned(),
        ServiceEnd::Replaced => "stopped, for its step ran again,".to_owned(),
        ServiceEnd::SessionEnded => "ended with the session".to_owned(),
        ServiceEnd::Lost => "found to have ended with the program".to_owned(),
    }
}
