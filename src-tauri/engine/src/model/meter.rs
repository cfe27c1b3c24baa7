use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc;

use super::{ModelEvent, ModelProvider, Usage as Tokens};
use crate::protocol::{Event, ModelInfo, ProviderKind, Purpose, Usage};

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
    /// Something of an answer came, whether or not its server counts.
    answered: AtomicBool,
    sub_goal: Option<u32>,
}

impl Meter {
    pub fn new(purpose: Purpose, model: &dyn ModelProvider, notes: Notes) -> Self {
        Self {
            purpose,
            model: model.info(),
            notes,
            tokens: Mutex::default(),
            answered: AtomicBool::default(),
            sub_goal: None,
        }
    }

    /// What it tells and counts is a sub-goal's.
    #[must_use]
    pub fn of_sub_goal(self, number: u32) -> Self {
        let mut meter = self;
        meter.sub_goal = Some(number);
        meter
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
                    sub_goal: self.sub_goal,
                }));
            }
            ModelEvent::Text { .. }
            | ModelEvent::Reasoning { .. }
            | ModelEvent::ThoughtSoFar
            | ModelEvent::ReasoningSignature { .. }
            | ModelEvent::RedactedReasoning { .. }
            | ModelEvent::Refusal { .. }
            | ModelEvent::Withheld { .. }
            | ModelEvent::ToolCallExtra { .. }
            | ModelEvent::Kept { .. }
            | ModelEvent::ToolCallStart { .. }
            | ModelEvent::ToolCallDelta { .. }
            | ModelEvent::ToolCallEnd { .. }
            | ModelEvent::Stop { .. } => self.answered.store(true, Ordering::Relaxed),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let tokens = self.tokens.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let usage = match tokens {
            Some(tokens) => usage(&self.model, &tokens),
            // What it cost cannot be told.
            None if *self.answered.get_mut() => Usage { calls: 1, unpriced_calls: 1, ..Usage::default() },
            None => return,
        };
        drop(self.notes.send(Event::ModelUsed {
            purpose: self.purpose,
            model: self.model.model.clone(),
            usage,
            sub_goal: self.sub_goal,
        }));
    }
}

/// One call's tokens with what they cost, where the model's price is known.
pub fn usage(model: &ModelInfo, tokens: &Tokens) -> Usage {
    let Input { fresh, cached, written } = Input::of(model.provider, tokens);
    let cost = model.price.map(|price| {
        // Cents for a million tokens are hundredths of a millionth of a dollar for one.
        let written_cents = u64::from(price.input_cents) * CACHE_WRITE.0 / CACHE_WRITE.1;
        let hundredths = fresh * u64::from(price.input_cents)
            + cached * u64::from(price.cached_cents)
            + written * written_cents
            + u64::from(tokens.output_tokens) * u64::from(price.output_cents);
        bounded(hundredths.div_ceil(100))
    });
    Usage {
        input_tokens: bounded(fresh + cached + written),
        output_tokens: tokens.output_tokens,
        cached_tokens: bounded(cached),
        calls: 1,
        cost_micros: cost.unwrap_or(0),
        unpriced_calls: u32::from(cost.is_none()),
    }
}

/// What writing to the prompt cache costs, as a part of the input's price: a quarter more, where it is counted at all.
const CACHE_WRITE: (u64, u64) = (5, 4);

/// The input, taken apart: the providers count it in different ways.
struct Input {
    fresh: u64,
    cached: u64,
    written: u64,
}

impl Input {
    fn of(provider: ProviderKind, tokens: &Tokens) -> Self {
        let (input, cached, written) = (
            u64::from(tokens.input_tokens),
            u64::from(tokens.cache_read_tokens),
            u64::from(tokens.cache_write_tokens),
        );
        let fresh = match provider {
            // Counts beside the input what was read from the cache and written to it.
            ProviderKind::Anthropic => input,
            // Count everything as input.
            ProviderKind::OpenAi | ProviderKind::Moonshot | ProviderKind::Local => {
                input.saturating_sub(cached).saturating_sub(written)
            }
        };
        Self { fresh, cached, written }
    }
}

fn bounded(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Price, ToolSupport};

    fn model(provider: ProviderKind, price: Option<Price>) -> ModelInfo {
        let (model, base_url) = ("m".to_owned(), String::new());
        ModelInfo { provider, model, base_url, tools: ToolSupport::Native, context_tokens: None, price }
    }

    const PRICE: Price = Price { input_cents: 300, output_cents: 1500, cached_cents: 30 };

    #[test]
    fn the_same_call_counts_the_same_in_both_dialects() {
        let openai = Tokens {
            input_tokens: 1_000_000,
            output_tokens: 1000,
            cache_read_tokens: 400_000,
            ..Tokens::default()
        };
        let anthropic = Tokens { input_tokens: 600_000, ..openai };
        let expected = Usage {
            input_tokens: 1_000_000,
            output_tokens: 1000,
            cached_tokens: 400_000,
            calls: 1,
            // 600 000 at 3 $, 400 000 at 0.30 $, 1000 at 15 $.
            cost_micros: 1_800_000 + 120_000 + 15_000,
            unpriced_calls: 0,
        };
        assert_eq!(usage(&model(ProviderKind::OpenAi, Some(PRICE)), &openai), expected);
        assert_eq!(usage(&model(ProviderKind::Anthropic, Some(PRICE)), &anthropic), expected);
    }

    #[test]
    fn a_wait_says_whose_it_is() {
        let (notes, mut told) = mpsc::unbounded_channel();
        let model = model(ProviderKind::OpenAi, None);
        let meter = Meter {
            purpose: Purpose::Goal,
            model,
            notes,
            tokens: Mutex::default(),
            answered: AtomicBool::default(),
            sub_goal: None,
        }
        .of_sub_goal(2);
        let (wait, error) = (std::time::Duration::from_millis(50), crate::model::ModelError::Cancelled);
        meter.hear(&ModelEvent::Retrying { attempt: 2, allowed: 3, wait, error });
        let heard = told.try_recv().unwrap();
        assert!(
            matches!(heard, Event::ModelRetrying { sub_goal: Some(2), wait_millis: 50, attempt: 2, .. }),
            "{heard:?}"
        );
        // It was asked, and the server did not count.
        meter.hear(&ModelEvent::Text { text: "hm".to_owned() });
        drop(meter);
        let used = Usage { calls: 1, unpriced_calls: 1, ..Usage::default() };
        let heard = told.try_recv().unwrap();
        assert!(matches!(&heard, Event::ModelUsed { usage, .. } if *usage == used), "{heard:?}");
    }

    #[test]
    fn what_is_written_to_the_cache_costs_a_quarter_more() {
        let tokens = Tokens { input_tokens: 10, cache_write_tokens: 1_000_000, ..Tokens::default() };
        let usage = usage(&model(ProviderKind::Anthropic, Some(PRICE)), &tokens);
        assert_eq!((usage.input_tokens, usage.cost_micros), (1_000_010, 3_750_030));
    }

    #[test]
    fn without_a_price_it_says_so() {
        let tokens = Tokens { input_tokens: 5, cache_read_tokens: 9, ..Tokens::default() };
        let usage = usage(&model(ProviderKind::Local, None), &tokens);
        assert_eq!((usage.cost_micros, usage.unpriced_calls, usage.input_tokens), (0, 1, 9));
    }
}
