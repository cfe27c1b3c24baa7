use std::collections::BTreeMap;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::words::cut_to_fit;
use crate::model::{Content, ModelMessage, Role, read_arguments, server_of};
use crate::protocol::{
    AnswerPart, CallOutcome, Correction, Event, EventRecord, INTERRUPTED, MessageId, ModelInfo, Plan,
    PlanOrigin, SelfCorrection, StepId, ToolResult, TurnEnd, interrupted_in_words,
};
use crate::tools::{engage_text, self_correct_text};

/// One thing that was said, as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The summary of all that stood before.
    Summary(String),
    User {
        message_id: MessageId,
        text: String,
    },
    Answer {
        /// The model's name, and what stands for its server.
        from: (String, Option<String>),
        parts: Vec<AnswerPart>,
    },
    /// The answer before it was stopped.
    Interrupted,
    /// Planwright proposed a plan to the user; it is said in the model's place.
    Proposed(String),
}

/// The conversation as a fold over events, with the results of its calls beside it.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    said: Vec<Said>,
    results: BTreeMap<StepId, (String, bool)>,
    /// The message that is worked on.
    turn: Option<MessageId>,
    /// Failures that the model is sent back with, by their calls.
    corrections: BTreeMap<StepId, SelfCorrection>,
    /// The request that is worked on, as a hash of its words, and how often each was sent back with a failure.
    request: [u8; 32],
    corrected: BTreeMap<[u8; 32], u32>,
    /// Results of the turn under way or just ended, for its account.
    turn_results: Vec<ToolResult>,
    /// Tokens of the last request as the provider counted them, with what was said by then.
    counted: Option<(usize, u32)>,
    /// Most of one result that a model is told, in bytes; 0: all of it.
    longest_result: usize,
}

impl Transcript {
    pub fn of(records: &[EventRecord]) -> Self {
        let mut transcript = Self::default();
        for record in records {
            transcript.apply(&record.event);
        }
        transcript
    }

    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::UserMessage { message_id, text, replaces, .. } => {
                if let Some(replaced) = replaces {
                    self.forget_from(*replaced);
                }
                self.said.push(Said::User { message_id: *message_id, text: text.clone() });
                // The same words sent again are the same request, however they are set.
                let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
                self.request = Sha256::digest(words.join(" ").trim_end_matches(['.', '!'])).into();
                self.turn = Some(*message_id);
                self.turn_results.clear();
            }
            Event::AssistantMessage { model, server, parts, .. } => {
                let from = (model.clone(), server.clone());
                self.said.push(Said::Answer { from, parts: parts.clone() });
            }
            // Actions of a goal are no part of the conversation.
            Event::CallFinished { result, .. } if self.turn.is_some() => {
                let is_error = result.outcome != CallOutcome::Success;
                self.results.insert(result.call_id.clone(), (result.content.clone(), is_error));
                self.turn_results.push(result.clone());
            }
            Event::TurnEnded { end, .. } => {
                self.turn = None;
                if *end == TurnEnd::Interrupted {
                    self.said.push(Said::Interrupted);
                }
            }
            Event::PlanGenerated { plan } if is_for_a_message(plan) && !self.is_answering() => {
                self.said.push(Said::Proposed(proposal(plan)));
            }
            Event::CorrectionAttempt { step_id, correction: Correction::Call(correction), .. } => {
                *self.corrected.entry(self.request).or_default() += 1;
                self.corrections.insert(step_id.clone(), correction.clone());
            }
            Event::ContextSummarized { messages, summary } => self.condense(*messages as usize, summary),
            // All other events are of plans and their runs; the model is told the present state afresh each time.
            _ => {}
        }
    }

    pub fn said(&self) -> &[Said] {
        &self.said
    }

    /// The user's words of a message.
    pub fn words_of(&self, message: MessageId) -> Option<&str> {
        self.said.iter().find_map(|said| match said {
            Said::User { message_id, text } if *message_id == message => Some(text.as_str()),
            _ => None,
        })
    }

    /// What was said before a message, in short, for a question that is asked apart from the conversation.
    pub fn earlier_words(&self, message: MessageId) -> Option<String> {
        let before = self
            .said
            .iter()
            .take_while(|said| !matches!(said, Said::User { message_id, .. } if *message_id == message));
        let lines: Vec<String> = before
            .filter_map(|said| match said {
                Said::Summary(text) | Said::Proposed(text) => Some(text.clone()),
                Said::User { text, .. } => Some(format!("User: {text}")),
                Said::Answer { parts, .. } => parts.iter().find_map(|part| match part {
                    AnswerPart::Text { text } => Some(format!("Agent: {text}")),
                    AnswerPart::Reasoning { .. }
                    | AnswerPart::RedactedReasoning { .. }
                    | AnswerPart::Kept { .. }
                    | AnswerPart::Call { .. } => None,
                }),
                Said::Interrupted => None,
            })
            .map(|line| super::bounded(&line, 600))
            .collect();
        // The latest words weigh most.
        let from = lines.len().saturating_sub(8);
        (!lines.is_empty()).then(|| lines[from..].join("\n"))
    }

    /// What a call's result told the model.
    pub fn result(&self, call: &StepId) -> Option<&str> {
        self.results.get(call).map(|(content, _)| content.as_str())
    }

    /// How often the request that is worked on was sent back with a failure.
    pub fn corrections_used(&self) -> u32 {
        self.corrected.get(&self.request).copied().unwrap_or(0)
    }

    /// Holds every result to so many bytes from now on, whatever was told of it before.
    pub fn hold_results_to(&mut self, bytes: usize) {
        if self.longest_result != bytes {
            let cut = self.longest_result() > bytes;
            self.longest_result = bytes;
            if cut {
                self.counted = None;
            }
        }
    }

    /// The longest result as it is told, in bytes.
    pub fn longest_result(&self) -> usize {
        self.results.keys().map(|call| self.result_bytes(call)).max().unwrap_or(0)
    }

    /// How long a call's result is as it is told, in bytes.
    pub(super) fn result_bytes(&self, call: &StepId) -> usize {
        let length = self.result(call).map_or(0, str::len);
        if self.longest_result == 0 { length } else { length.min(self.longest_result) }
    }

    /// Whether this is the request that the turn under way is about.
    pub(super) fn is_worked_on(&self, said: &Said) -> bool {
        matches!(said, Said::User { message_id, .. } if Some(*message_id) == self.turn)
    }

    pub fn turn_results(&self) -> &[ToolResult] {
        &self.turn_results
    }

    /// What the model said last, where it ended with words.
    pub fn closing_words(&self) -> Option<&str> {
        match self.said.last() {
            Some(Said::Answer { parts, .. }) => parts.iter().rev().find_map(|part| match part {
                AnswerPart::Text { text } if !text.trim().is_empty() => Some(text.as_str()),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Notes how many tokens a request of all that is said came to.
    pub fn counted(&mut self, tokens: u32) {
        self.counted = Some((self.said.len(), tokens));
    }

    /// The provider's own count, and the place from which on it says nothing.
    pub fn count(&self) -> Option<(usize, u32)> {
        self.counted.filter(|(place, _)| *place <= self.said.len())
    }

    /// The messages for `model`, alternating, from the user's side to the user's side. Proofs of reasoning go back only
    /// to the model that gave them, on the server that it ran on. `fresh` is said with the last message: what holds now, whatever was said before.
    pub fn messages(&self, to: &ModelInfo, fresh: Option<&str>) -> Vec<ModelMessage> {
        let to = (to.model.clone(), Some(server_of(to)));
        let mut messages: Vec<ModelMessage> = Vec::new();
        for (at, said) in self.said.iter().enumerate() {
            match said {
                Said::Summary(text) => {
                    add(
                        &mut messages,
                        Role::User,
                        text_of(format!("What happened before, in short:\n{text}")),
                    );
                }
                Said::User { text, .. } => add(&mut messages, Role::User, text_of(text.clone())),
                Said::Proposed(text) => add(&mut messages, Role::Assistant, text_of(text.clone())),
                Said::Interrupted => {
                    // Results of interrupted calls say so themselves.
                    if !matches!(last_content(&messages), Some(Content::ToolResult { .. })) {
                        add(&mut messages, Role::User, text_of(INTERRUPTED.to_owned()));
                    }
                }
                Said::Answer { from, parts } => {
                    let content: Vec<Content> =
                        parts.iter().filter_map(|part| content_of(part, *from == to)).collect();
                    if content.is_empty() {
                        continue;
                    }
                    if messages.last().is_none_or(|last| last.role == Role::Assistant) {
                        add(&mut messages, Role::User, text_of("Go on.".to_owned()));
                    }
                    for part in content {
                        add(&mut messages, Role::Assistant, part);
                    }
                    let is_open = at + 1 == self.said.len() && self.turn.is_some();
                    for result in self.results_of(parts, is_open) {
                        add(&mut messages, Role::User, result);
                    }
                    // Where several calls failed, the last one is what to begin with.
                    if let Some(correction) = self.correction_of(parts) {
                        add(&mut messages, Role::User, text_of(engage_text(correction)));
                    }
                }
            }
        }
        if messages.last().is_none_or(|last| last.role == Role::Assistant) {
            add(&mut messages, Role::User, text_of("Go on.".to_owned()));
        }
        if let Some(fresh) = fresh {
            add(&mut messages, Role::User, text_of(fresh.to_owned()));
        }
        messages
    }

    /// One result for every call, in the order of the calls, whatever became of it.
    fn results_of(&self, parts: &[AnswerPart], is_open: bool) -> Vec<Content> {
        let calls = parts.iter().filter_map(|part| match part {
            AnswerPart::Call { call_id, provider_id, .. } => Some((call_id, provider_id)),
            AnswerPart::Text { .. }
            | AnswerPart::Reasoning { .. }
            | AnswerPart::RedactedReasoning { .. }
            | AnswerPart::Kept { .. } => None,
        });
        calls
            .map(|(call_id, provider_id)| {
                debug_assert!(
                    !is_open || self.results.contains_key(call_id),
                    "the model is asked while a call is open"
                );
                let (content, is_error) =
                    self.results.get(call_id).cloned().unwrap_or_else(|| (interrupted_in_words(false), true));
                let content = match self.longest_result {
                    0 => content,
                    most => cut_to_fit(content, most),
                };
                let content = match self.corrections.get(call_id) {
                    Some(correction) => format!("{}\n\n{content}", self_correct_text(correction)),
                    None => content,
                };
                Content::ToolResult { tool_use_id: provider_id.clone(), content, is_error }
            })
            .collect()
    }

    fn correction_of(&self, parts: &[AnswerPart]) -> Option<&SelfCorrection> {
        parts.iter().rev().find_map(|part| match part {
            AnswerPart::Call { call_id, .. } => self.corrections.get(call_id),
            AnswerPart::Text { .. }
            | AnswerPart::Reasoning { .. }
            | AnswerPart::RedactedReasoning { .. }
            | AnswerPart::Kept { .. } => None,
        })
    }

    fn is_answering(&self) -> bool {
        matches!(self.said.last(), Some(Said::Answer { .. }))
    }

    fn forget_from(&mut self, message: MessageId) {
        let from = self
            .said
            .iter()
            .position(|said| matches!(said, Said::User { message_id, .. } if *message_id == message));
        if let Some(from) = from {
            self.said.truncate(from);
            self.forget_results();
            self.counted = None;
        }
    }

    /// Puts the summary in the place of the first `count` things said. The request that is worked on stays.
    fn condense(&mut self, count: usize, summary: &str) {
        let count = count.min(self.said.len());
        let rest = self.said.split_off(count);
        let request = self
            .said
            .drain(..)
            .rev()
            .find(|said| matches!(said, Said::User { message_id, .. } if Some(*message_id) == self.turn));
        self.said.push(Said::Summary(summary.to_owned()));
        self.said.extend(request);
        self.said.extend(rest);
        self.forget_results();
        self.counted = None;
    }

    fn forget_results(&mut self) {
        let said = &self.said;
        self.results.retain(|id, _| {
            said.iter().any(|said| match said {
                Said::Answer { parts, .. } => {
                    parts.iter().any(|part| matches!(part, AnswerPart::Call { call_id, .. } if call_id == id))
                }
                Said::Summary(_) | Said::User { .. } | Said::Interrupted | Said::Proposed(_) => false,
            })
        });
    }
}

/// Adds to the last message when it is of the same side.
fn add(messages: &mut Vec<ModelMessage>, role: Role, content: Content) {
    match messages.last_mut() {
        Some(last) if last.role == role => last.content.push(content),
        Some(_) | None => messages.push(ModelMessage { role, content: vec![content] }),
    }
}

fn last_content(messages: &[ModelMessage]) -> Option<&Content> {
    messages.last()?.content.last()
}

fn text_of(text: String) -> Content {
    Content::Text { text }
}

fn content_of(part: &AnswerPart, same_source: bool) -> Option<Content> {
    match part {
        AnswerPart::Text { text } => (!text.trim().is_empty()).then(|| text_of(text.clone())),
        AnswerPart::Reasoning { text, signature: Some(signature) } if same_source => {
            Some(Content::Thinking { thinking: text.clone(), signature: signature.clone() })
        }
        AnswerPart::RedactedReasoning { data } if same_source => {
            Some(Content::RedactedThinking { data: data.clone() })
        }
        AnswerPart::Reasoning { text, signature: None } if same_source && !text.is_empty() => {
            Some(Content::Thinking { thinking: text.clone(), signature: String::new() })
        }
        AnswerPart::Kept { fields } if same_source => Some(Content::Kept { fields: object(fields) }),
        AnswerPart::Reasoning { .. } | AnswerPart::RedactedReasoning { .. } | AnswerPart::Kept { .. } => None,
        AnswerPart::Call { provider_id, tool, input, extra, .. } => Some(Content::ToolUse {
            id: provider_id.clone(),
            name: tool.clone(),
            input: Value::Object(object(input)),
            extra: extra.as_deref().filter(|_| same_source).map(object).unwrap_or_default(),
        }),
    }
}

/// What a call was given; text that is no JSON object goes back as an empty one, and the call's result says why.
fn object(input: &str) -> Map<String, Value> {
    match read_arguments(input) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    }
}

fn is_for_a_message(plan: &Plan) -> bool {
    matches!(&plan.origin, PlanOrigin::Model { message_id: Some(_), .. })
}

fn proposal(plan: &Plan) -> String {
    let steps: Vec<String> =
        plan.steps.iter().map(|step| format!("{}. {}", step.index + 1, step.action.command())).collect();
    format!("I proposed this plan, \"{}\", for the user to decide:\n{}", plan.title, steps.join("\n"))
}
