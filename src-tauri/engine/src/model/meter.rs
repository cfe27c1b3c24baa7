use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc;

use super::{ModelEvent, ModelProvider, Usage as Tokens};
use crate::protocol::{Event, ModelInfo, Purpose, Usage};

/// Where the events of model calls go: waits, and what was used. Whoever owns the session journals them.
pub type Notes = mpsc::UnboundedSender<Event>;

/// Listens to one call of a model: tells each wait as it comes, and what the call used when it is dropped, so that a
/// call that was stopped is counted too.
#[derive(Debug)]
pub struct Meter {
    purpose: Purpose,
    model: ModelInfo,
    notes: Notes,
    tokens: Mutex<Option<Tokens>>,
}

impl Meter {
    pub fn new(purpose: Purpose, model: &dyn ModelProvider, notes: Notes) -> Self {
        Self { purpose, model: model.info(), notes, tokens: Mutex::default() }
    }

    pub fn hear(&self, event: &ModelEvent) {
        match event {
            ModelEvent::Usage { usage } => {
                *self.tokens.lock().unwrap_or_else(PoisonError::into_inner) = Some(*usage);
            }
            ModelEvent::Retrying { attempt, allowed, wait, error } => {
                // Nobody listens any more when the session is gone.
                drop(self.notes.send(Event::ModelRetrying {
                    purpose: self.purpose,
                    model: self.model.model.clone(),
                    attempt: *attempt,
                    allowed: *allowed,
                    wait_millis: u32::try_from(wait.as_millis()).unwrap_or(u32::MAX),
                    reason: error.to_string(),
                }));
            }
            ModelEvent::Text { .. }
            | ModelEvent::Reasoning { .. }
            | ModelEvent::ReasoningSignature { .. }
            | ModelEvent::RedactedReasoning { .. }
            | ModelEvent::Refusal { .. }
            | ModelEvent::ToolCallStart { .. }
            | ModelEvent::ToolCallDelta { .. }
            | ModelEvent::ToolCallEnd { .. }
            | ModelEvent::Stop { .. } => {}
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let tokens = self.tokens.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(tokens) = tokens else { return };
        let usage = usage(&self.model, &tokens);
        drop(self.notes.send(Event::ModelUsed {
            purpose: self.purpose,
            model: self.model.model.clone(),
            usage,
        }));
    }
}

/// One call's tokens with what they cost, where the model's price is known.
pub fn usage(model: &ModelInfo, tokens: &Tokens) -> Usage {
    let cost = model.price.map(|price| {
        let fresh = tokens.input_tokens.saturating_sub(tokens.cache_read_tokens);
        // Cents for a million tokens are hundredths of a millionth of a dollar for one.
        let hundredths = u64::from(fresh) * u64::from(price.input_cents)
            + u64::from(tokens.cache_read_tokens) * u64::from(price.cached_cents)
            + u64::from(tokens.output_tokens) * u64::from(price.output_cents);
        u32::try_from(hundredths.div_ceil(100)).unwrap_or(u32::MAX)
    });
    Usage {
        input_tokens: tokens.input_tokens,
        output_tokens: tokens.output_tokens,
        cached_tokens: tokens.cache_read_tokens,
        calls: 1,
        cost_micros: cost.unwrap_or(0),
        unpriced_calls: u32::from(cost.is_none()),
    }
}
