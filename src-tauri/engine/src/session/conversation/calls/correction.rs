//! Self-correction (A6): a failure with a known way round it sends the model back to it, a bounded number of times for
//! each of the user's requests; the chain is in the record. The result in the record is the original error; what the model is
//! told beside it is made of the event (`context/transcript.rs`).

use super::Asked;
use crate::protocol::{
    CallOutcome, Correction, CorrectionOf, EngineError, Event, MAX_SELF_CORRECTIONS, SelfCorrection,
    ShellState, StepId, ToolResult,
};
use crate::session::Session;
use crate::session::conversation::turn::Talk;
use crate::tools::{self, Call, Failed, FileCall};

/// A failed call that the model was sent back with.
#[derive(Debug)]
pub(in crate::session::conversation) struct Correcting {
    call_id: StepId,
    number: u32,
    failed: Call,
    correction: SelfCorrection,
    /// The round that it failed in; the model hears of it in the next.
    round: u32,
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
        if let Ok(read) = tools::read(&call.tool, &call.input) {
            match result.outcome {
                CallOutcome::Success => events.extend(settled(talk, &read)),
                CallOutcome::Error => events.extend(self.failed(talk, call, read, &result)),
                CallOutcome::Declined | CallOutcome::Interrupted => {}
            }
        }
        events.insert(0, Event::CallFinished { result, shell });
        self.emit(events).await
    }

    /// What a failure with a known way round it leads to. One of a round is enough: the model has not heard of the first.
    fn failed(&self, talk: &mut Talk, call: &Asked, failed: Call, result: &ToolResult) -> Vec<Event> {
        let edits = match &failed {
            Call::File(FileCall::Edit(edit)) => talk.failed_edit(&edit.path),
            _ => 0,
        };
        let command = match &failed {
            Call::Shell { command, .. } => Some(command.as_str()),
            _ => None,
        };
        let correction = tools::fallback(Failed {
            tool: &call.tool,
            error: &result.content,
            command,
            status: result.exit_status.as_ref(),
            edits,
        });
        let Some(correction) = correction else { return Vec::new() };
        if talk.correcting.as_ref().is_some_and(|open| open.round == talk.round) {
            return Vec::new();
        }
        let open = talk.correcting.take();
        let used = self.transcript.corrections_used();
        if used >= MAX_SELF_CORRECTIONS {
            let told = std::mem::replace(&mut talk.corrections_are_up, true);
            let of = open
                .map(|open| (open.call_id, open.number))
                .or_else(|| (!told).then(|| (call.id.clone(), MAX_SELF_CORRECTIONS)));
            return of.map(|(id, number)| correction_failed(id, number, &used_up())).into_iter().collect();
        }
        let number = used + 1;
        let attempt = Event::CorrectionAttempt {
            step_id: call.id.clone(),
            number,
            correction: Correction::Call(correction.clone()),
        };
        let before = open.map(|open| correction_failed(open.call_id, open.number, "That did not help."));
        let (call_id, round) = (call.id.clone(), talk.round);
        talk.correcting = Some(Correcting { call_id, number, failed, correction, round });
        before.into_iter().chain([attempt]).collect()
    }

    /// A correction that nothing came of by the end of the turn has failed.
    pub(in crate::session::conversation) async fn settle_correction(
        &mut self,
        talk: &mut Talk,
    ) -> Result<(), EngineError> {
        let Some(open) = talk.correcting.take() else { return Ok(()) };
        let reason = if self.transcript.corrections_used() >= MAX_SELF_CORRECTIONS {
            used_up()
        } else {
            "Nothing that was suggested came of it.".to_owned()
        };
        self.emit(vec![correction_failed(open.call_id, open.number, &reason)]).await
    }
}

/// A success that is what the failed call was for.
fn settled(talk: &mut Talk, done: &Call) -> Option<Event> {
    let open = talk.correcting.take_if(|open| tools::settles(&open.correction, &open.failed, done))?;
    Some(Event::CorrectionSuccess { step_id: open.call_id, number: open.number, of: CorrectionOf::Call })
}

fn used_up() -> String {
    format!("All {MAX_SELF_CORRECTIONS} ways round for this request are used up.")
}

fn correction_failed(step_id: StepId, number: u32, reason: &str) -> Event {
    Event::CorrectionFailed { step_id, number, of: CorrectionOf::Call, reason: reason.to_owned() }
}
