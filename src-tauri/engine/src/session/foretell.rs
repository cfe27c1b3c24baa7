//! While a question about a dangerous command is open, what it would do to files is tried out beside it. Neither the
//! question nor its answer ever waits for that.

use super::Session;
use crate::forecast::{self, Foretelling, Trial};
use crate::protocol::{Action, Approval, Forecast, Risk, ShellState, Update};
use crate::risk::Run;

impl Session {
    /// Starts the forecast of a question that was just published; `None` where there is none. It ends when what is
    /// returned is dropped.
    pub(super) fn foretell(
        &self,
        approval: &Approval,
        runs: &[Run],
        shell: &ShellState,
    ) -> Option<Foretelling> {
        if !self.shared.settings().forecast || approval.assessment.risk < Risk::Dangerous {
            return None;
        }
        let command = match &approval.action {
            Action::Shell { command } => command.clone(),
            // A tool's change is known exactly, or is none of files.
            Action::Tool { .. } | Action::Manual { .. } => return None,
        };
        let (shared, session_id, approval_id) = (self.shared.clone(), self.state.id, approval.id);
        let tell = move |forecast| {
            shared.hub.publish(Update::Forecast { session_id, approval_id, forecast });
        };
        let forecasts = &self.shared.forecasts;
        if let Some(why) = forecast::why_not(&approval.assessment, runs) {
            return Some(forecasts.settled(approval.id, Forecast::Unavailable { why }, &tell));
        }
        let home = self.shared.classifier.home().display().to_string();
        let workspace = self.state.cwd.clone();
        let notes = forecast::beyond(&approval.assessment, &workspace, &home).into_iter().collect();
        let trial = Trial { command, shell: shell.clone(), workspace, home };
        Some(forecasts.begin(approval.id, trial, notes, tell))
    }
}
