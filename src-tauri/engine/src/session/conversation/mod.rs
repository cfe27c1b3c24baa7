//! The conversation (C1 to C8): a turn from the user's words to the end of the work on them. It goes through the same
//! gate, runner and journal as a plan; a turn and a run never go on at the same time in one session.

mod asking;
pub(super) mod calls;
pub(super) mod caps;
pub(super) mod gate;
mod planning;
mod turn;

use super::{Session, not_now};
use crate::plan::detect;
use crate::plan::runbook;
use crate::protocol::{EngineError, ErrorCode, Event, MessageId, Plan, PlanOrigin, Route, TurnEnd};

/// Longest message, in bytes.
const LONGEST: usize = 256 * 1024;
/// Longest title that a message gives its session, in characters.
const TITLE: usize = 60;

/// Words that wait for the turn under way to end.
#[derive(Debug, Clone)]
pub(super) struct Words {
    pub(super) text: String,
    pub(super) route: Route,
    pub(super) replaces: Option<MessageId>,
}

impl Session {
    /// Takes the user's words while nothing runs. `true`: a turn is to be led now.
    pub(super) async fn say(
        &mut self,
        text: String,
        route: Route,
        replaces: Option<MessageId>,
    ) -> Result<bool, EngineError> {
        let text = checked(text)?;
        let detection = (route == Route::Auto).then(|| detect::should_create_plan(&text));
        if matches!(route, Route::Auto | Route::Plan)
            && let Some(plan) = self.page(&text).await
        {
            return self.adopt_page(text, replaces, plan).await.map(|()| false);
        }
        if self.shared.models.main().is_none() {
            let message = "No model is set up to answer. Choose one in Settings, or paste a page with commands: that works without one.";
            return Err(EngineError::new(ErrorCode::NoModel, message));
        }
        caps::refuse_over_cap(&self.state.usage, &self.shared.settings())?;
        let route = match (route, &detection) {
            (Route::Auto, Some(detection)) if detection.should_plan => Route::Plan,
            (Route::Auto | Route::Chat, _) => Route::Chat,
            (Route::Plan, _) => Route::Plan,
            (Route::Solve, _) => Route::Solve,
            (Route::Do, _) => Route::Do,
        };
        let message_id = MessageId::new();
        let mut events = self.title_from(&text);
        events.push(Event::UserMessage { message_id, text, route, detection, replaces });
        self.look_ahead();
        self.emit(events).await?;
        Ok(true)
    }

    /// Words while a turn is under way: it is stopped, and goes on with them.
    pub(super) fn say_meanwhile(
        &mut self,
        text: String,
        route: Route,
        replaces: Option<MessageId>,
    ) -> Result<(), EngineError> {
        if self.state.conversation.turn.is_none() {
            return Err(not_now("A plan is running. Pause or stop it first."));
        }
        let text = checked(text)?;
        self.control.words = Some(Words { text, route, replaces });
        self.interrupt()
    }

    pub(super) fn interrupt(&mut self) -> Result<(), EngineError> {
        if self.state.conversation.turn.is_none() {
            return Err(not_now("Nothing is being worked on."));
        }
        self.control.interrupt = true;
        self.control.stop.abort();
        Ok(())
    }

    /// A plan made for a message was rejected: the conversation goes on without one (P4).
    pub(super) async fn go_on_without_plan(&mut self, plan: &Plan) -> Result<bool, EngineError> {
        let PlanOrigin::Model { message_id: Some(_), .. } = &plan.origin else { return Ok(false) };
        if self.shared.models.main().is_none() || self.is_unattended() {
            return Ok(false);
        }
        self.say("I do not want this plan. Go on without one, step by step.".to_owned(), Route::Chat, None)
            .await
    }

    /// The text as a page of instructions, when it has commands marked as such. Prose is no page.
    async fn page(&self, text: &str) -> Option<Plan> {
        if !runbook::is_page(text) {
            return None;
        }
        let classifier = &self.shared.classifier;
        let mut plan = runbook::import(text.as_bytes(), "", &classifier.machine().await, classifier.reader())
            .await
            .ok()?;
        let settings = self.shared.settings();
        plan.mode = settings.default_mode;
        plan.on_failure = settings.on_failure;
        classifier.assess_plan(&mut plan, &self.state.shell, &self.state.cwd).await;
        Some(plan)
    }

    async fn adopt_page(
        &mut self,
        text: String,
        replaces: Option<MessageId>,
        plan: Plan,
    ) -> Result<(), EngineError> {
        let message_id = MessageId::new();
        let mut events = self.title_from(&plan.title);
        self.forget_run();
        let end = TurnEnd::PlanProposed { plan_id: plan.id };
        events.extend([
            Event::UserMessage { message_id, text, route: Route::Plan, detection: None, replaces },
            Event::PlanGenerated { plan },
            Event::TurnEnded { message_id, end, synthesis: None, synthesis_id: message_id.synthesis_id() },
        ]);
        self.emit(events).await
    }

    /// A session that has no name yet is called after what it is about.
    pub(super) fn title_from(&self, text: &str) -> Vec<Event> {
        if self.state.title != super::UNNAMED {
            return Vec::new();
        }
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = line.trim_start_matches(['#', ' ']);
        let title = match line.char_indices().nth(TITLE) {
            Some((end, _)) => format!("{}…", line[..end].trim_end()),
            None => line.to_owned(),
        };
        if title.is_empty() { Vec::new() } else { vec![Event::SessionRenamed { title }] }
    }
}

fn checked(text: String) -> Result<String, EngineError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(EngineError::new(ErrorCode::InvalidInput, "Write something first."));
    }
    if text.len() > LONGEST {
        let message = "That is more than 256 KB of text. Put it into a file and name the file instead.";
        return Err(EngineError::new(ErrorCode::TooLarge, message));
    }
    Ok(text.to_owned())
}
