//! A session as JSON Lines: each event as it is kept, and with a revision the whole plan that it makes.

use std::sync::Arc;

use planwright_engine::plan::changes;
use planwright_engine::protocol::{Event, EventRecord, Plan, SessionId, SessionState, Time};
use serde::Serialize;

use crate::exit::Stop;
use crate::show;

pub(crate) struct Lines {
    plan: Option<Plan>,
}

/// An event's own fields first, then its session, number and time.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventLine<'a> {
    #[serde(flatten)]
    event: &'a Event,
    /// With `plan-revised`, which itself tells only what changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a Plan>,
    session_id: SessionId,
    seq: u32,
    at: Time,
}

impl Lines {
    /// For the events from the first one on.
    pub(crate) fn from_the_start() -> Self {
        Self { plan: None }
    }

    /// For the events after `state`.
    pub(crate) fn after(state: &SessionState) -> Self {
        Self { plan: state.plan.clone() }
    }

    pub(crate) fn event(&mut self, record: &EventRecord) -> Result<(), Stop> {
        let EventRecord { session_id, seq, at, event } = record;
        let plan = match event {
            Event::PlanGenerated { plan } => {
                self.plan = Some(plan.clone());
                None
            }
            Event::PlanRevised { revision, original_steps, changes, page, inputs, .. } => {
                // One that does not fit is told by the engine.
                self.plan.as_mut().filter(|plan| plan.revision < *revision).and_then(|plan| {
                    changes::revise(plan, *revision, *original_steps, changes).ok()?;
                    if let Some(page) = page {
                        plan.page = Some(Arc::new(page.as_ref().clone()));
                    }
                    if let Some(inputs) = inputs {
                        plan.inputs.clone_from(inputs);
                    }
                    Some(&*plan)
                })
            }
            _ => None,
        };
        show::line(&EventLine { event, plan, session_id: *session_id, seq: *seq, at: *at })
    }
}
