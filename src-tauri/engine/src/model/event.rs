use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::ModelError;

/// One thing a model's stream says, whatever the dialect. Order within a stream: text, reasoning and tool calls as
/// they come, then usage, then one `Stop` at most.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    Text {
        text: String,
    },
    Reasoning {
        text: String,
    },
    /// All text of the answer so far was reasoning: its server left out where that began.
    ThoughtSoFar,
    /// Proof of the reasoning before it; goes back to the provider unchanged.
    ReasoningSignature {
        signature: String,
    },
    /// Reasoning that only the provider can read; goes back to it unchanged.
    RedactedReasoning {
        data: String,
    },
    /// The model's words for not answering; they are the answer.
    Refusal {
        text: String,
    },
    /// Why the provider held the answer back, in its own words. No part of the answer.
    Withheld {
        why: String,
    },
    /// `index` counts the tool calls of the answer from 0.
    ToolCallStart {
        index: u32,
        id: String,
        name: String,
    },
    /// A piece of the arguments' JSON text.
    ToolCallDelta {
        index: u32,
        json: String,
    },
    /// What the server wrote beside a call's name and arguments, such as a proof of the thought behind it. It goes back with the
    /// call unchanged.
    ToolCallExtra {
        index: u32,
        fields: Map<String, Value>,
    },
    /// The call is whole. A call without this never runs.
    ToolCallEnd {
        index: u32,
    },
    /// Fields of an answer with calls in which its server keeps its reasoning. They go back to it under the same names.
    Kept {
        fields: Map<String, Value>,
    },
    /// What is known so far; a later one replaces it.
    Usage {
        usage: Usage,
    },
    Stop {
        reason: StopReason,
    },
    /// The call failed for a reason that passes. It is made again after the wait, and what came of its answer does not count.
    Retrying {
        /// The attempt that comes next, from 2.
        attempt: u32,
        allowed: u32,
        wait: std::time::Duration,
        error: ModelError,
    },
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    pub input_tokens: u32,
    pub output_tokens: u32,
    /// Input read from the provider's prompt cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u32,
    /// Input written to the provider's prompt cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u32,
    /// Part of the output that was reasoning.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    StopSequence,
    ContentFiltered,
    GuardrailIntervened,
    /// The provider paused a long turn; sending the conversation again continues it.
    PauseTurn,
    /// A reason this version does not know, as the provider wrote it.
    Other(String),
}

impl StopReason {
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::ContentFiltered => "content_filtered",
            Self::GuardrailIntervened => "guardrail_intervened",
            Self::PauseTurn => "pause_turn",
            Self::Other(reason) => reason,
        }
    }

    /// Reads the words of either dialect.
    pub(super) fn read(reason: &str) -> Self {
        match reason {
            "end_turn" | "stop" | "eos" | "eos_token" => Self::EndTurn,
            "tool_use" | "tool_calls" | "function_call" => Self::ToolUse,
            "max_tokens" | "length" | "model_length" | "model_context_window_exceeded" => Self::MaxTokens,
            "stop_sequence" => Self::StopSequence,
            "content_filtered" | "content_filter" | "refusal" | "sensitive" => Self::ContentFiltered,
            "guardrail_intervened" => Self::GuardrailIntervened,
            "pause_turn" => Self::PauseTurn,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl Serialize for StopReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
