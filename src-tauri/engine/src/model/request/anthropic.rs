use serde_json::{Map, Value, json};

use super::ModelRequest;

/// Two cache marks: behind the system text, which covers the tools before it, and behind the last message, which the
/// next round of the same conversation begins with.
pub(in crate::model) fn body(request: &ModelRequest, model: &str) -> Map<String, Value> {
    let mut messages: Vec<Value> = request
        .messages
        .iter()
        .map(|message| json!({ "role": message.role, "content": message.content }))
        .collect();
    let last = messages.last_mut().and_then(|message| message["content"].as_array_mut()?.last_mut());
    if let Some(Value::Object(block)) = last.filter(|_| request.messages.len() > 1) {
        block.insert("cache_control".to_owned(), keep());
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    body.insert("stream".to_owned(), json!(true));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if !request.system.is_empty() {
        let system = json!([{ "type": "text", "text": request.system, "cache_control": keep() }]);
        body.insert("system".to_owned(), system);
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    body
}

fn keep() -> Value {
    json!({ "type": "ephemeral" })
}
