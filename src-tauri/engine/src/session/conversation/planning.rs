//! A plan for a message (P2): made by the model, shown as a draft. Nothing of it runs before the user confirms it.

use std::sync::Arc;

use crate::brain;
use crate::brain::planning::{self, PlanRequest, PlanningError};
use crate::model::{ModelError, ModelProvider};
use crate::protocol::{EngineError, Event, MessageId, Mode, Plan, PlanId, Route, TurnEnd};
use crate::session::Session;

impl Session {
    /// Makes a plan for the message. `Err` is an end of the turn without one.
    pub(super) async fn plan_for(
        &mut self,
        message_id: MessageId,
        route: Route,
        model: Arc<dyn ModelProvider>,
    ) -> Result<Result<TurnEnd, TurnEnd>, EngineError> {
        let request = self.plan_request(message_id, route, model.info().context_tokens).await;
        let notes = self.notes.clone();
        let made = self
            .attend_unless_stopped(Box::pin(async move {
                match route {
                    Route::Do => planning::one_command(model.as_ref(), &request, &notes).await,
                    Route::Auto | Route::Chat | Route::Plan | Route::Solve => {
                        planning::generate(model.as_ref(), &request, &notes).await
                    }
                }
            }))
            .await?;
        match made {
            None => Ok(Err(TurnEnd::Interrupted)),
            Some(Err(PlanningError::Model(ModelError::Cancelled))) => Ok(Err(TurnEnd::Interrupted)),
            Some(Err(PlanningError::Model(error))) => {
                let (code, message) = (error.code().to_owned(), error.to_string());
                Ok(Err(TurnEnd::Failed { code, message }))
            }
            Some(Err(error @ PlanningError::Unusable { .. })) => Ok(Err(TurnEnd::Failed {
                code: TurnEnd::UNUSABLE_PLAN.to_owned(),
                message: error.to_string(),
            })),
            Some(Ok(plan)) => {
                let plan_id = self.propose(plan).await?;
                Ok(Ok(TurnEnd::PlanProposed { plan_id }))
            }
        }
    }

    /// Shows a plan as a draft, assessed.
    pub(super) async fn propose(&mut self, mut plan: Plan) -> Result<PlanId, EngineError> {
        let classifier = self.shared.classifier.clone();
        let (shell, root) = (self.state.shell.clone(), self.state.cwd.clone());
        let plan = self
            .attend(Box::pin(async move {
                classifier.assess_plan(&mut plan, &shell, &root).await;
                plan
            }))
            .await?;
        let plan_id = plan.id;
        self.forget_run();
        self.emit(vec![Event::PlanGenerated { plan }]).await?;
        Ok(plan_id)
    }

    pub(super) async fn plan_request(
        &self,
        message_id: MessageId,
        route: Route,
        room: Option<u32>,
    ) -> PlanRequest {
        let settings = self.shared.settings();
        let cwd = self.state.shell.cwd.clone();
        let (looked, user) = (cwd.clone(), self.shared.classifier.user().to_owned());
        let surroundings = tokio::task::spawn_blocking(move || {
            brain::surroundings::surroundings(std::path::Path::new(&looked), &user)
        })
        .await;
        PlanRequest {
            request: self.transcript.words_of(message_id).unwrap_or_default().to_owned(),
            cwd,
            mode: match route {
                Route::Solve => Mode::Agentic,
                Route::Auto | Route::Chat | Route::Plan | Route::Do => settings.default_mode,
            },
            on_failure: settings.on_failure,
            message_id: Some(message_id),
            surroundings: surroundings.unwrap_or_default(),
            instructions: self.instructions_in_words(room),
            earlier: self.transcript.earlier_words(message_id),
        }
    }
}
