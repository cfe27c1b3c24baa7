use serde_json::{Map, Value, json};

use super::{Content, ModelMessage, ModelRequest, Role};

/// Where servers of this dialect differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) struct Quirks {
    /// The name of the bound on the answer's tokens.
    pub(in crate::model) max_tokens: &'static str,
    pub(in crate::model) answers: Constraint,
    /// Earlier reasoning goes back to the model with the calls it led to.
    pub(in crate::model) keeps_reasoning: bool,
}

/// How an answer can be held to a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Constraint {
    /// To any schema.
    Schema,
    /// To being a JSON object.
    Object,
}

pub(in crate::model) fn body(request: &ModelRequest, model: &str, quirks: Quirks) -> Map<String, Value> {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(message, &mut messages),
            Role::Assistant => messages.push(assistant(message, quirks)),
        }
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), Value::Array(messages));
    body.insert("stream".to_owned(), json!(true));
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    body.insert(quirks.max_tokens.to_owned(), json!(request.max_tokens));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
            json!({ "type": "function", "function": function })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if let Some(schema) = &request.schema {
        let format = match quirks.answers {
            Constraint::Schema => {
                json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } })
            }
            Constraint::Object => json!({ "type": "json_object" }),
        };
        body.insert("response_format".to_owned(), format);
    }
    body
}

/// Results first, each a message of its own, as this dialect wants them; then the user's words.
fn user(message: &ModelMessage, messages: &mut Vec<Value>) {
    for content in &message.content {
        if let Content::ToolResult { tool_use_id, content, .. } = content {
            messages.push(json!({ "role": "tool", "tool_call_id": tool_use_id, "content": content }));
        }
    }
    let text = joined(message, |content| match content {
        Content::Text { text } => Some(text),
        _ => None,
    });
    if !text.is_empty() {
        messages.push(json!({ "role": "user", "content": text }));
    }
}

fn assistant(message: &ModelMessage, quirks: Quirks) -> Value {
    let text = joined(message, |content| match content {
        Content::Text { text } => Some(text),
        _ => None,
    });
    let calls: Vec<Value> = message
        .content
        .iter()
        .filter_map(|content| match content {
            Content::ToolUse { id, name, input } => {
                let function = json!({ "name": name, "arguments": input.to_string() });
                Some(json!({ "id": id, "type": "function", "function": function }))
            }
            _ => None,
        })
        .collect();
    let mut body = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        body["tool_calls"] = Value::Array(calls);
    }
    let reasoning = joined(message, |content| match content {
        Content::Thinking { thinking, .. } => Some(thinking),
        _ => None,
    });
    if quirks.keeps_reasoning && !reasoning.is_empty() {
        body["reasoning_content"] = Value::String(reasoning);
    }
    body
}

fn joined(message: &ModelMessage, part: impl Fn(&Content) -> Option<&String>) -> String {
    message.content.iter().filter_map(part).map(String::as_str).collect::<Vec<_>>().join("\n\n")
}
