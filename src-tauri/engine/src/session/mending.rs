//! Back to the page: what the run mended is written into the page that the plan is from, by the tool that writes files, with its
//! checkpoint, once the user has seen the difference and said so.

use super::conversation::gate::Wanted;
use super::{Session, not_now};
use crate::approval::{Admission, Place, Settled};
use crate::checkpoint::AtWork;
use crate::plan::mend::patched;
use crate::protocol::{
    ApprovalAnswer, EngineError, ErrorCode, Event, MendedPage, PlanState, Proposer, StepId, Time,
};
use crate::tools::{FileCall, ToolName};

impl Session {
    /// Writes the patch that the user was shown.
    pub(super) async fn mend_page(&mut self) -> Result<(), EngineError> {
        let plan = self.plan()?;
        match plan.state {
            PlanState::Completed
            | PlanState::Failed { .. }
            | PlanState::Cancelled
            | PlanState::Paused { .. }
            | PlanState::Stuck { .. } => {}
            PlanState::Draft | PlanState::Ready | PlanState::Running | PlanState::Recovering { .. } => {
                return Err(not_now("The plan has not run. Run it first; then the page can be mended."));
            }
        }
        let Some(path) = plan.page.as_deref().and_then(|page| page.path.clone()) else {
            return Err(not_now("The page is no file that could be written. Copy the difference instead."));
        };
        let kept = self.shared.journal.read_page(self.state.id).await?;
        let patch = patched(&kept, plan)?;
        if patch.mended.edits.is_empty() {
            return Err(not_now("The run has changed nothing that stands on the page."));
        }
        let now = tokio::fs::read(&path).await.map_err(|error| {
            let message = format!("{path} cannot be read: {}.", EngineError::reason(&error));
            EngineError::new(ErrorCode::FileUnreadable, message)
        })?;
        if now != kept {
            return Err(not_now(
                "The page has been changed since it was read. Import it again, or make the change by hand.",
            ));
        }
        let changes = patch.mended.changes;
        let call = FileCall::Write { path: path.clone(), content: patch.after };
        let prepared = self.attend(Box::pin(self.looking(call))).await?.map_err(failed)?;
        let step_id = StepId::new();
        let assessed = self.of_tool(&prepared);
        let cwd = self.state.shell.cwd.clone();
        let wanted = Wanted {
            id: &step_id,
            tool: ToolName::WriteFile.as_str(),
            proposer: &Proposer::User,
            diffs: prepared.diffs(),
            place: Place::Folder(&cwd),
        };
        // The difference was shown, and this command is the answer.
        let permit = match self.decide(&wanted, prepared.action(), &assessed, None).await? {
            Admission::Permitted(permit) => permit,
            Admission::Asked(pending) => {
                match pending.settle(&ApprovalAnswer::AllowOnce { edited_command: None }) {
                    Settled::Permitted(permit) => permit,
                    Settled::Remember(..)
                    | Settled::Edited(_)
                    | Settled::Never
                    | Settled::Instead(_)
                    | Settled::Declined => return Err(not_now("The page was not written.")),
                }
            }
            Admission::Blocked { why } => return Err(not_now(format!("This may never be written. {why}"))),
            Admission::Never(..) => return Err(not_now("A rule of yours says never to write this.")),
        };
        let checkpoint = self.keep_for_call(&step_id, &assessed.assessment).await?.map_err(|error| {
            EngineError::new(error.code, format!("{} The page was not written.", error.message))
        })?;
        let task = self.spawn_tool(permit.action, prepared);
        let done = self.attend(Box::pin(task.join())).await?;
        self.settle(checkpoint, AtWork::Unknown).await?;
        done.ok_or_else(|| not_now("Writing the page was stopped."))?.map_err(failed)?;
        let page = MendedPage { step_id, path, changes, at: Time::now() };
        self.emit(vec![Event::PageMended { page }]).await
    }
}

fn failed(failure: crate::tools::ToolFailure) -> EngineError {
    EngineError::new(ErrorCode::FileUnreadable, failure.to_string())
}
