//! Self-correction (A6): a failure with a known way round it sends the model back to it, a bounded number of times for
//! each of the user's requests; the chain is in the record.

use super::Asked;
use crate::protocol::{
    CallOutcome, CallResult, EngineError, Event, MAX_SELF_CORRECTIONS, SelfCorrection, ShellState, StepId,
};
use crate::session::Session;
use crate::session::conversation::turn::Talk;
use crate::tools;

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
        mut result: CallResult,
        shell: Option<ShellState>,
    ) -> Result<(), EngineError> {
        let mut events = Vec::new();
        match result.outcome {
            CallOutcome::Success => {
                let helped = talk.correcting.as_ref().is_some_and(|open| {
                    open.correction.original_tool == call.tool
                        || open.correction.fallback_tools.contains(&call.tool)
                });
                if helped && let Some(open) = talk.correcting.take() {
                    events.push(Event::ToolCorrectionSuccess { call_id: open.call_id });
                }
            }
            CallOutcome::Error => {
                let correction = tools::fallback(&call.tool, &result.content, result.exit_status.as_ref());
                if let Some(correction) = correction.filter(|_| talk.self_corrections > 0) {
                    if let Some(open) = talk.correcting.take() {
                        events.push(correction_failed(open));
                    }
                    talk.self_corrections -= 1;
                    let text = tools::self_correct_text(&correction);
                    result.content = format!("{text}\n\n{}", result.content);
                    events.push(Event::ToolCorrectionAttempt {
                        call_id: call.id.clone(),
                        attempt: MAX_SELF_CORRECTIONS - talk.self_corrections,
                        allowed: MAX_SELF_CORRECTIONS,
                        correction: correction.clone(),
                    });
                    talk.correcting = Some(Correcting { call_id: call.id.clone(), correction });
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
            Some(open) => self.emit(vec![correction_failed(open)]).await,
            None => Ok(()),
        }
    }
}

fn correction_failed(open: Correcting) -> Event {
    let reason = "No tool that was suggested succeeded.".to_owned();
    Event::ToolCorrectionFailed { call_id: open.call_id, reason }
}
