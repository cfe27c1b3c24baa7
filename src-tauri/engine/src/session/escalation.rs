//! Asking the stronger model about the failure that a run is stuck at (M6). Only when the user says so, after they have
//! seen what it may cost. It counts like words of theirs: used-up budgets do not stop this one question, and are not
//! filled up by it; what the model proposes goes the same way as any other correction.

use super::conversation::caps;
use super::goal::NO_STRONGER;
use super::{Session, Shared};
use crate::brain::{self, context::AgentContext};
use crate::goal::{prompt, signal};
use crate::model::ModelProvider;
use crate::protocol::{
    EngineError, ErrorCode, EventRecord, GoalEnd, GoalPhase, GoalState, Mode, ModelRole, PlanState,
    QuestionEstimate, SessionState, StepResult,
};

impl Session {
    /// `true`: the run is to go on now, with the question.
    pub(super) async fn escalate(&mut self) -> Result<bool, EngineError> {
        let step_id = self.stuck_step()?;
        let Some(model) = self.shared.models.get(ModelRole::Stronger) else {
            return Err(EngineError::new(ErrorCode::NoModel, NO_STRONGER));
        };
        caps::refuse_over_cap(&self.state.usage, &self.shared.settings())?;
        self.control.stronger = Some(model);
        self.control.reconsider = Some(step_id);
        self.go_on(Mode::Agentic).await
    }
}

/// What [`Session::escalate`] would cost now, or of a goal that is stuck the stronger model's next signal; `None` when nothing is
/// stuck or no stronger model is set.
pub(crate) fn estimate(
    shared: &Shared,
    state: &SessionState,
    records: &[EventRecord],
) -> Option<QuestionEstimate> {
    let model = shared.models.get(ModelRole::Stronger)?;
    if let Some(goal) = state.goal.as_ref().filter(|_| crate::journal::is_about_goal(state)) {
        return estimate_of_goal(shared, state, goal, model.as_ref());
    }
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

fn estimate_of_goal(
    shared: &Shared,
    state: &SessionState,
    goal: &GoalState,
    model: &dyn ModelProvider,
) -> Option<QuestionEstimate> {
    let stuck = matches!(&goal.phase, GoalPhase::Ended { end: GoalEnd::Stuck { .. } });
    if !stuck || goal.request.model_backend == Some(ModelRole::Stronger) {
        return None;
    }
    let settings = shared.settings();
    let left = prompt::Left { usage: &state.usage, settings: &settings, minutes: 0 };
    let question = prompt::messages(goal, &state.shell.cwd, left).join("\n");
    // The instructions and the schema are as long for every goal.
    let schema = signal::schema().to_string();
    Some(brain::question_estimate(model, &schema, &question, brain::USUAL_ANSWER))
}
