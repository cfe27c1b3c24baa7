use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Body, Content, ModelMessage, ModelRequest, Role, ToolSpec};

/// Where servers of this dialect differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) struct Quirks {
    /// The name of the bound on the answer's tokens.
    pub(in crate::model) max_tokens: &'static str,
    pub(in crate::model) answers: Constraint,
}

/// How an answer can be held to a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Constraint {
    /// To any schema.
    Schema,
    /// To a schema of one object; for a choice of shapes only to being a JSON object.
    OneShape,
}

/// A message in this dialect's form.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Cow<'a, str>,
    },
    Assistant {
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
        #[serde(flatten)]
        kept: Option<&'a Map<String, Value>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Call<'a> {
    id: &'a str,
    function: CalledFunction<'a>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    /// JSON as text.
    arguments: String,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Tool<'a> {
    function: &'a ToolSpec,
}

pub(in crate::model) fn body(request: &ModelRequest, model: &str, quirks: Quirks) -> Body {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(Message::System { content: &request.system });
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(message, &mut messages),
            Role::Assistant => messages.push(assistant(message)),
        }
    }
    let mut body = Body::default();
    body.put("model", model);
    body.put("messages", &messages);
    body.put("stream", &true);
    body.put("stream_options", &json!({ "include_usage": true }));
    body.put(quirks.max_tokens, &request.max_tokens);
    if !request.tools.is_empty() {
        let tools: Vec<Tool<'_>> = request.tools.iter().map(|function| Tool { function }).collect();
        body.put("tools", &tools);
    }
    if let Some(schema) = &request.schema {
        body.put("response_format", &held_to(schema, quirks.answers));
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
fn user<'a>(message: &'a ModelMessage, messages: &mut Vec<Message<'a>>) {
    messages.extend(message.content.iter().filter_map(|content| match content {
        Content::ToolResult { tool_use_id, content, .. } => {
            Some(Message::Tool { tool_call_id: tool_use_id, content })
        }
        _ => None,
    }));
    let content = text(message);
    if !content.is_empty() {
        messages.push(Message::User { content });
    }
}

fn assistant(message: &ModelMessage) -> Message<'_> {
    let calls = message.content.iter().filter_map(|content| match content {
        Content::ToolUse { id, name, input, extra } => {
            let mut extra = extra.clone();
            let within = match extra.remove("function") {
                Some(Value::Object(within)) => within,
                _ => Map::new(),
            };
            let function = CalledFunction { name, arguments: input.to_string(), extra: within };
            Some(Call { id, function, extra })
        }
        _ => None,
    });
    let kept = message.content.iter().find_map(|content| match content {
        Content::Kept { fields } => Some(fields),
        _ => None,
    });
    let tool_calls: Vec<Call<'_>> = calls.collect();
    let content = match thought(message).filter(|_| !tool_calls.is_empty() && kept.is_none()) {
        Some(thought) => format!("<think>\n{}\n</think>\n\n{}", thought.trim(), text(message)).into(),
        None => text(message),
    };
    Message::Assistant { content, tool_calls, kept }
}

/// Reasoning that came with the text: what came in fields of its own goes back in those.
fn thought(message: &ModelMessage) -> Option<Cow<'_, str>> {
    let thought = joined(message, |content| match content {
        Content::Thinking { thinking, signature } if signature.is_empty() => Some(thinking),
        _ => None,
    });
    (!thought.is_empty()).then_some(thought)
}

fn text(message: &ModelMessage) -> Cow<'_, str> {
    joined(message, |content| match content {
        Content::Text { text } => Some(text),
        _ => None,
    })
}

fn joined(message: &ModelMessage, part: impl Fn(&Content) -> Option<&String>) -> Cow<'_, str> {
    let mut parts = message.content.iter().filter_map(part).map(String::as_str);
    let first = Cow::Borrowed(parts.next().unwrap_or_default());
    parts.fold(first, |whole, part| Cow::Owned(format!("{whole}\n\n{part}")))
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
