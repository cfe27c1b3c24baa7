//! What is asked of a model, and how each dialect writes it. Small on purpose, and with what stays the same first, so
//! that providers can keep it in their caches.

mod anthropic;
mod body;
mod openai;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) use anthropic::body as anthropic_body;
pub(super) use body::Body;
pub(super) use openai::{Constraint, Quirks, body as openai_body};

#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub system: String,
    /// Alternating, starting and ending with the user's side.
    pub messages: Vec<ModelMessage>,
    pub tools: Vec<ToolSpec>,
    /// Longest answer, in tokens.
    pub max_tokens: u32,
    /// A JSON schema that the whole answer must fit, for servers that can hold a model to one. Others ignore it: the
    /// system text has to say it as well.
    pub schema: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    pub role: Role,
    pub content: Vec<Content>,
}

impl ModelMessage {
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: vec![Content::Text { text: text.into() }] }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: vec![Content::Text { text: text.into() }] }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
}

/// A part of a message, in the form of SPEC C3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
        /// What its server wrote beside it, unchanged.
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
    /// Fields of the message in which its server keeps the reasoning behind the calls, unchanged.
    Kept {
        fields: Map<String, Value>,
    },
    /// Stands in the user message that follows the call's.
    ToolResult {
        tool_use_id: String,
        content: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON schema of the arguments object.
    pub parameters: Value,
}
