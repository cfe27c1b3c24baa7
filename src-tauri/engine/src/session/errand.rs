//! What a session does besides runs, turns and goals, and takes its time: files are put back, a model sorts a page. Meanwhile it
//! takes little else.

use super::{Session, not_now};
use crate::protocol::{Command, EngineError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    Undoing,
    SortingPage,
}

impl Errand {
    /// Why something else has to wait.
    pub(super) fn busy(self) -> &'static str {
        match self {
            Self::Undoing => "Files are being put back. Wait until that is done.",
            Self::SortingPage => "A model is sorting the page. Wait until that is done, or stop it.",
        }
    }
}

impl Session {
    /// A command meanwhile.
    pub(super) async fn during_errand(
        &mut self,
        errand: Errand,
        command: Command,
    ) -> Result<(), EngineError> {
        match command {
            Command::Rename { title } => self.rename(title).await,
            Command::StopService { service_id } => self.stop_service(service_id),
            Command::EndJob { pid } => self.end_job(pid).await,
            Command::KeepJobs => self.keep_jobs().await,
            Command::Cancel | Command::Interrupt if errand == Errand::SortingPage => {
                self.control.stop.abort();
                Ok(())
            }
            Command::Confirm { .. }
            | Command::StartService { .. }
            | Command::Reject
            | Command::Start { .. }
            | Command::RunStep { .. }
            | Command::Pause
            | Command::Resume { .. }
            | Command::Cancel
            | Command::Skip { .. }
            | Command::Retry { .. }
            | Command::Edit { .. }
            | Command::SetMode { .. }
            | Command::Answer { .. }
            | Command::Guide { .. }
            | Command::RaiseBudget
            | Command::Escalate
            | Command::Say { .. }
            | Command::Interrupt
            | Command::AddStep { .. }
            | Command::RemoveStep { .. }
            | Command::ChooseWay { .. }
            | Command::GiveInputs { .. }
            | Command::TakeIn { .. }
            | Command::SortPage
            | Command::MendPage
            | Command::MoveStep { .. }
            | Command::Undo { .. }
            | Command::Pursue { .. }
            | Command::StartSubGoal { .. }
            | Command::EditTodos { .. }
            | Command::AnswerQuestion { .. }
            | Command::TakeOver { .. }
            | Command::AnswerInstructions { .. }
            | Command::HandBack { .. } => Err(not_now(errand.busy())),
        }
    }
}
