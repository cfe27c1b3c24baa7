//! A draft's page is sorted by the model, because the user said so after they had seen what it may cost. What comes of it is a
//! revision like the user's own edits of the card, and can be changed by them.

use super::conversation::caps;
use super::errand::Errand;
use super::{Session, not_now};
use crate::brain::sorting::{SortingError, SortingQuestion, sort};
use crate::model::ModelError;
use crate::plan::inputs;
use crate::plan::mutator::{MutationError, PlanMutator};
use crate::plan::runbook::decode;
use crate::plan::sorting::Sorting;
use crate::protocol::{Author, EngineError, ErrorCode, Plan, PlanState};

const NO_MODEL: &str =
    "No model is set up that could sort the page. Choose one in Settings, or sort the page by hand.";

/// The page of a draft as a model is asked about it.
///
/// # Errors
/// `NotNow` for what is no draft of a page; `TooLarge` where no model could take it.
pub(crate) fn question(plan: &Plan, page: &[u8]) -> Result<SortingQuestion, EngineError> {
    if plan.state != PlanState::Draft {
        return Err(not_now("The plan is confirmed. A page is sorted before that."));
    }
    let reading = plan.page.as_deref().ok_or_else(|| EngineError::from(MutationError::NoPage))?;
    SortingQuestion::of(&decode(page)?.text, reading).map_err(refusal)
}

impl Session {
    pub(super) async fn sort_page(&mut self) -> Result<(), EngineError> {
        let kept = self.shared.journal.read_page(self.state.id);
        let question = question(self.plan()?, &kept.await?)?;
        let model =
            self.shared.models.main().ok_or_else(|| EngineError::new(ErrorCode::NoModel, NO_MODEL))?;
        caps::refuse_over_cap(&self.state.usage, &self.shared.settings())?;
        let notes = self.notes.clone();
        let asking = Box::pin(async move { sort(model.as_ref(), &question, &notes).await });
        self.control.errand = Some(Errand::SortingPage);
        let sorted = self.attend_unless_stopped(asking).await;
        self.control.errand = None;
        let sorting = sorted?.unwrap_or(Err(SortingError::Model(ModelError::Cancelled))).map_err(refusal)?;
        let plan = self.plan()?;
        let mut next = PlanMutator::of(plan).sort(&sorting).map_err(|error| match error {
            MutationError::LastStep => not_now(format!(
                "{} finds nothing to do on the page, so it stays as it was read.",
                sorting.by
            )),
            other => other.into(),
        })?;
        let reason = outcome(plan, &next, &sorting);
        if next.inputs != plan.inputs {
            let classifier = self.shared.classifier.clone();
            let offers = classifier.offers(&self.state.cwd).await;
            inputs::offer(&mut next.inputs, &offers, |name| classifier.environment().get(name).cloned());
        }
        self.revise(next, Author::Agent { source: sorting.by }, reason, None).await
    }
}

/// "gem sorted the page: 2 taken in, 1 left out, 1 to fill in."
fn outcome(before: &Plan, after: &Plan, sorting: &Sorting) -> String {
    let missing =
        |from: &Plan, to: &Plan| from.steps.iter().filter(|step| to.step(&step.id).is_none()).count();
    let inputs = after.inputs.len().saturating_sub(before.inputs.len());
    let counts =
        [(missing(after, before), "taken in"), (missing(before, after), "left out"), (inputs, "to fill in")];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if parts.is_empty() {
        format!("{} read the page as it was read before.", sorting.by)
    } else {
        format!("{} sorted the page: {}.", sorting.by, parts.join(", "))
    }
}

fn refusal(error: SortingError) -> EngineError {
    match error {
        SortingError::Model(ModelError::Cancelled) => {
            not_now("The model was stopped. The page stays as it was read.")
        }
        SortingError::Model(_) => EngineError::new(ErrorCode::NoModel, error.to_string()),
        SortingError::Unusable { .. } => EngineError::new(ErrorCode::InvalidPlan, error.to_string()),
        SortingError::TooLong => EngineError::new(ErrorCode::TooLarge, error.to_string()),
    }
}
