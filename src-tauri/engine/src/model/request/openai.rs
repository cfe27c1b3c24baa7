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
    /// To a schema of one object; for a choice of shapes only to being a JSON object.
    OneShape,
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
            let function = object([
                ("name", Value::from(tool.name.as_str())),
                ("description", Value::from(tool.description.as_str())),
                ("parameters", tool.parameters.clone()),
            ]);
            object([("type", Value::from("function")), ("function", function)])
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if let Some(schema) = &request.schema {
        body.insert("response_format".to_owned(), held_to(schema, quirks.answers));
    }
    body
}

fn held_to(schema: &Value, answers: Constraint) -> Value {
    let strict = match answers {
        Constraint::Schema => None,
        Constraint::OneShape if is_one_shape(schema) => Some(is_exact(schema)),
        Constraint::OneShape => return json!({ "type": "json_object" }),
    };
    let mut held = json!({ "name": "answer", "schema": schema });
    if let Some(strict) = strict {
        held["strict"] = Value::Bool(strict);
    }
    json!({ "type": "json_schema", "json_schema": held })
}

/// Whether a schema is of one object, and no part of it a choice that the providers refuse.
fn is_one_shape(schema: &Value) -> bool {
    fn offers_no_choice(schema: &Value) -> bool {
        match schema {
            Value::Object(map) => {
                ["oneOf", "allOf", "not", "if"].iter().all(|word| !map.contains_key(*word))
                    && map.values().all(offers_no_choice)
            }
            Value::Array(list) => list.iter().all(offers_no_choice),
            _ => true,
        }
    }
    schema["type"] == "object" && offers_no_choice(schema)
}

/// Whether every object in a schema names all its fields and needs each of them; only then can it be held to strictly.
fn is_exact(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => {
            let names = map.get("properties").and_then(Value::as_object);
            let exact = map.get("type").is_none_or(|kind| kind != "object")
                || (map.get("additionalProperties") == Some(&Value::Bool(false))
                    && names.is_some_and(|names| {
                        let required = map.get("required").and_then(Value::as_array);
                        names
                            .keys()
                            .all(|name| required.is_some_and(|list| list.iter().any(|one| one == name)))
                    }));
            exact && map.values().all(is_exact)
        }
        Value::Array(list) => list.iter().all(is_exact),
        _ => true,
    }
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
                let arguments = Value::from(input.to_string());
                let function = object([("name", Value::from(name.as_str())), ("arguments", arguments)]);
                let id = Value::from(id.as_str());
                Some(object([("id", id), ("type", Value::from("function")), ("function", function)]))
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

/// `json!` would copy each value once more.
fn object<const FIELDS: usize>(fields: [(&str, Value); FIELDS]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn joined(message: &ModelMessage, part: impl Fn(&Content) -> Option<&String>) -> String {
    message.content.iter().filter_map(part).map(String::as_str).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_held_to_what_the_server_can_hold_them_to() {
        let form = |schema: Value, answers| {
            let held = held_to(&schema, answers);
            (held["type"].as_str().map(str::to_owned), held["json_schema"]["strict"].as_bool())
        };
        let exact = json!({
            "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"],
            "additionalProperties": false,
        });
        let loose = json!({ "type": "object", "properties": { "a": exact } });
        let choice = json!({ "type": "object", "properties": { "a": { "oneOf": [exact] } } });
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(form(exact.clone(), Constraint::OneShape), (named("json_schema"), Some(true)));
        assert_eq!(form(loose, Constraint::OneShape), (named("json_schema"), Some(false)));
        assert_eq!(form(choice.clone(), Constraint::OneShape), (named("json_object"), None));
        assert_eq!(form(json!({ "anyOf": [exact] }), Constraint::OneShape), (named("json_object"), None));
        assert_eq!(form(choice, Constraint::Schema), (named("json_schema"), None));
    }
}
