use serde::Serialize;
use serde_json::{Value, json};

use super::{Body, Content, ModelRequest, Role, ToolSpec};

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    content: &'a Content,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

impl<'a> From<&'a ToolSpec> for Tool<'a> {
    fn from(ToolSpec { name, description, parameters }: &'a ToolSpec) -> Self {
        Self { name, description, input_schema: parameters }
    }
}

/// Two cache marks: behind the system text, which covers the tools before it, and behind the last message, which the
/// next round of the same conversation begins with.
pub(in crate::model) fn body(request: &ModelRequest, model: &str) -> Body {
    let block = |content| Block { content, cache_control: None };
    let mut messages: Vec<Message<'_>> = request
        .messages
        .iter()
        .map(|message| Message {
            role: message.role,
            // What another dialect's server kept means nothing here.
            content: message
                .content
                .iter()
                .filter(|content| !matches!(content, Content::Kept { .. }))
                .map(block)
                .collect(),
        })
        .collect();
    if messages.len() > 1
        && let Some(last) = messages.last_mut().and_then(|message| message.content.last_mut())
    {
        last.cache_control = Some(keep());
    }
    let mut body = Body::default();
    body.put("model", model);
    body.put("max_tokens", &request.max_tokens);
    body.put("stream", &true);
    if !request.tools.is_empty() {
        body.put("tools", &request.tools.iter().map(Tool::from).collect::<Vec<_>>());
    }
    if !request.system.is_empty() {
        let system = json!([{ "type": "text", "text": request.system, "cache_control": keep() }]);
        body.put("system", &system);
    }
    body.put("messages", &messages);
    body
}

fn keep() -> Value {
    json!({ "type": "ephemeral" })
}
