//! Self-correction (A6): a failure with a known way round it sends the model back to it, a bounded number of times for
//! each of the user's requests; the chain is in the record. The result in the record is the original error; what the model is
//! told beside it is made of the event (`context/transcript.rs`).

use super::Asked;
use crate::protocol::{
    CallOutcome, EngineError, Event, MAX_SELF_CORRECTIONS, SelfCorrection, ShellState, StepId, ToolResult,
};
use crate::session::Session;
use crate::session::conversation::turn::Talk;
use crate::tools::{self, Call, Failed, FileCall};

/// A failed call that the model was sent back with.
#[derive(Debug)]
pub(in crate::session::conversation) struct Correcting {
    call_id: StepId,
    correction: SelfCorrection,
}

impl Session {
    /// Records a result; a failure with a known way round it sends the model back, a bounded number of times (A6).
    pub(super) async fn finish_call(
        &mut self,
        talk: &mut Talk,
        call: &Asked,
        result: ToolResult,
        shell: Option<ShellState>,
    ) -> Result<(), EngineError> {
        let mut events = Vec::new();
        // A call that cannot be read is refused as well: the same one never can.
        if result.outcome == CallOutcome::Declined || tools::read(&call.tool, &call.input).is_err() {
            talk.refusals.note(&call.tool, &call.input);
        }
        match result.outcome {
            CallOutcome::Success => {
                let helped =
                    talk.correcting.as_ref().is_some_and(|open| tools::settles(&open.correction, &call.tool));
                if helped && let Some(open) = talk.correcting.take() {
                    events.push(Event::ToolCorrectionSuccess { call_id: open.call_id });
                }
            }
            CallOutcome::Error => {
                let asked = tools::read(&call.tool, &call.input).ok();
                let edits = match &asked {
                    Some(Call::File(FileCall::Edit(edit))) => talk.failed_edit(&edit.path),
                    _ => 0,
                };
                let command = match &asked {
                    Some(Call::Shell { command, .. }) => Some(command.as_str()),
                    _ => None,
                };
                let correction = tools::fallback(Failed {
                    tool: &call.tool,
                    error: &result.content,
                    command,
                    status: result.exit_status.as_ref(),
                    edits,
                });
                if let Some(correction) = correction {
                    let used = self.transcript.corrections_used();
                    let open = talk.correcting.take();
                    if used < MAX_SELF_CORRECTIONS {
                        events.extend(open.map(|open| correction_failed(open, "That did not help.")));
                        events.push(Event::ToolCorrectionAttempt {
                            call_id: call.id.clone(),
                            attempt: used + 1,
                            allowed: MAX_SELF_CORRECTIONS,
                            correction: correction.clone(),
                        });
                        talk.correcting = Some(Correcting { call_id: call.id.clone(), correction });
                    } else if let Some(open) = open {
                        let all =
                            format!("All {MAX_SELF_CORRECTIONS} ways round for this request are used up.");
                        events.push(correction_failed(open, &all));
                    }
                }
            }
            CallOutcome::Declined | CallOutcome::Interrupted => {}
        }
        events.insert(0, Event::CallFinished { result, shell });
        self.emit(events).await
    }

    /// A correction that nothing came of by the end of the turn has failed.
    pub(in crate::session::conversation) async fn settle_correction(
        &mut self,
        talk: &mut Talk,
    ) -> Result<(), EngineError> {
        match talk.correcting.take() {
            Some(open) => {
                self.emit(vec![correction_failed(open, "Nothing that was suggested came of it.")]).await
            }
            None => Ok(()),
        }
    }
}

fn correction_failed(open: Correcting, reason: &str) -> Event {
    Event::ToolCorrectionFailed { call_id: open.call_id, reason: reason.to_owned() }
}
