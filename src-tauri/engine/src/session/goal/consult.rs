//! `ai_consult` (M6, G4): one question to the stronger model. It leaves the machine and costs money, so the user is asked with
//! the price at hand, unless they have allowed it for this goal, session, folder or always.

use std::sync::Arc;

use crate::approval::{Permit, Place};
use crate::brain::text::clip;
use crate::brain::{USUAL_ANSWER, question_estimate};
use crate::model::{Meter, ModelEvent, ModelProvider};
use crate::policy::WouldRun;
use crate::protocol::{
    Action, Assessment, CallOutcome, Effects, EngineError, ModelRole, Proposer, Purpose, QuestionEstimate,
    Risk, RiskReason, UndoOutlook,
};
use crate::session::Session;
use crate::session::classifier::Assessed;
use crate::session::conversation::calls::{Asked, Worked};
use crate::session::conversation::caps;
use crate::session::conversation::gate::{Passed, Wanted};

/// Longest line of a question that people are shown as the action, in characters.
const LINE: usize = 400;
const SYSTEM: &str = "Another model works towards a goal on a user's machine and asks for your advice. Answer its question \
shortly and concretely, in plain text. You can run nothing and see nothing but the question.";

impl Session {
    /// The model that may be asked: another one than the one that works on the goal.
    pub(super) fn consultant(&self) -> Option<Arc<dyn ModelProvider>> {
        let role = self.state.goal.as_ref()?.request.model_backend.unwrap_or(ModelRole::Main);
        match role {
            ModelRole::Main => self.shared.models.get(ModelRole::Stronger),
            ModelRole::Stronger => self.shared.models.get(ModelRole::Main),
        }
    }

    pub(super) async fn consult(
        &mut self,
        call: &Asked,
        question: String,
        proposer: &Proposer,
    ) -> Result<Worked, EngineError> {
        let Some(model) = self.consultant() else {
            let words = "No second model is set up. Go on without one.";
            return Ok(Worked::Result(call.error(words), None));
        };
        if caps::reached(&self.state.usage, &self.shared.settings()).is_some() {
            return Ok(Worked::Result(call.told(CallOutcome::Declined, caps::REACHED), None));
        }
        let price = question_estimate(model.as_ref(), SYSTEM, &question, USUAL_ANSWER);
        let action = Action::Tool {
            tool: call.tool.clone(),
            input: call.input.clone(),
            command: format!("{} {}: {}", call.tool, model.name(), clip(&question, LINE)),
        };
        let cwd = self.state.shell.cwd.clone();
        let place = Place::Folder(&cwd);
        let wanted = Wanted { id: &call.id, tool: &call.tool, proposer, diffs: &[], place };
        match self.pass(&wanted, action, assessed(&price), None).await? {
            Passed::Run(permit, action, _) => {
                self.consult_permitted(call, permit, &action, model, question).await
            }
            Passed::Refused(result) => Ok(Worked::Result(result, None)),
            Passed::Stopped(instead) => Ok(Worked::Stopped { ran: false, instead }),
            Passed::Edited(..) => Ok(Worked::Stopped { ran: false, instead: None }),
        }
    }

    async fn consult_permitted(
        &mut self,
        call: &Asked,
        permit: Permit,
        action: &Action,
        model: Arc<dyn ModelProvider>,
        question: String,
    ) -> Result<Worked, EngineError> {
        self.call_started(call, action, &permit, Risk::Caution).await?;
        let meter = Meter::new(Purpose::Consulting, model.as_ref(), self.notes.clone());
        let answer = self
            .attend_unless_stopped(Box::pin(async move {
                let heard = |event: &ModelEvent| meter.hear(event);
                model.call_raw(SYSTEM, &[question], None, &heard).await
            }))
            .await?;
        Ok(match answer {
            Some(Ok(text)) => Worked::Result(call.success(self.shared.redactor.text(&text)), None),
            Some(Err(error)) => Worked::Result(call.error(error.to_string()), None),
            None => Worked::Stopped { ran: true, instead: None },
        })
    }
}

/// What is asked about is the price; the machine is not touched.
fn assessed(price: &QuestionEstimate) -> Assessed {
    let cost = match price.cost_micros {
        Some(micros) => format!("about ${}.{:06}", micros / 1_000_000, micros % 1_000_000),
        None => "a price that is not known".to_owned(),
    };
    let text = format!(
        "asks {}: about {} tokens there and {} back, {cost}",
        price.model, price.input_tokens, price.output_tokens
    );
    let reason = RiskReason { risk: Risk::Caution, text, fragment: String::new(), start: None, source: None };
    let effects = Effects { uses_network: true, ..Effects::default() };
    let undo = UndoOutlook::NotNeeded;
    let assessment = Assessment { risk: Risk::Caution, reasons: vec![reason], effects, undo, keyboard: None };
    Assessed { would_run: WouldRun::default(), assessment }
}
