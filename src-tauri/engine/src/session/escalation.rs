//! Asking the stronger model about the failure that a run is stuck at (M6). Only when the user says so, after they have
//! seen what it may cost. It counts like words of theirs: used-up budgets do not stop this one question, and are not
//! filled up by it; what the model proposes goes the same way as any other correction.

use super::conversation::caps;
use super::{Session, Shared};
use crate::brain::{self, context::AgentContext};
use crate::protocol::{
    EngineError, ErrorCode, EscalationEstimate, EventRecord, Mode, ModelRole, PlanState, SessionState,
    StepResult,
};

impl Session {
    /// `true`: the run is to go on now, with the question.
    pub(super) async fn escalate(&mut self) -> Result<bool, EngineError> {
        let step_id = self.stuck_step()?;
        let Some(model) = self.shared.models.get(ModelRole::Stronger) else {
            let message = "No stronger model is set. Choose one in the settings first.";
            return Err(EngineError::new(ErrorCode::NoModel, message));
        };
        caps::refuse_over_cap(&self.state.usage, &self.shared.settings())?;
        self.control.stronger = Some(model);
        self.control.reconsider = Some(step_id);
        self.go_on(Mode::Agentic).await
    }
}

/// What [`Session::escalate`] would cost now; `None` when the run is not stuck or no stronger model is set.
pub(crate) fn estimate(
    shared: &Shared,
    state: &SessionState,
    records: &[EventRecord],
) -> Option<EscalationEstimate> {
    let model = shared.models.get(ModelRole::Stronger)?;
    let plan = state.plan.as_ref()?;
    let PlanState::Stuck { step_id, .. } = &plan.state else { return None };
    let step = plan.step(step_id)?;
    let context = AgentContext::of(records);
    let result = match state.results.iter().rev().find(|result| result.step_id == *step_id) {
        Some(result) => result.clone(),
        None => StepResult::not_started(step, 0, &state.shell.cwd, ""),
    };
    Some(brain::estimate(model.as_ref(), plan, step, &result, &context))
}
