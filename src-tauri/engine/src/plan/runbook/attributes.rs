//! What an exported runbook says about a step beyond what its page shows: an HTML comment before the fence,
//! `<!-- step id=build kind=test ok-exit=0,1 verify="test -d out" -->`. Values are bare words, or JSON strings and
//! lists. A comment never carries the command itself: what runs is what the page shows.

use serde_json::Value;

use crate::protocol::{Mode, OnFailure, Readiness, ServiceSpec, StepId, StepKind};

/// What a `step` comment says; what it does not say is guessed as for any other page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepAttributes {
    pub id: Option<StepId>,
    pub title: Option<String>,
    pub kind: Option<StepKind>,
    /// What the block shows is done by the user.
    pub manual: bool,
    pub why: Option<String>,
    pub expected: Option<String>,
    pub verify: Option<String>,
    pub ok_exit: Option<Vec<i32>>,
    pub depends_on: Option<Vec<StepId>>,
    pub wall_seconds: Option<u32>,
    pub silence_seconds: Option<u32>,
    pub service: Option<ServiceSpec>,
    pub estimate_seconds: Option<u32>,
}

/// What a `plan` comment says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanAttributes {
    pub title: Option<String>,
    pub intent: Option<String>,
    pub mode: Option<Mode>,
    pub on_failure: Option<OnFailure>,
}

/// A comment that means something here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Comment {
    Plan(PlanAttributes),
    Step(StepAttributes),
    /// The next text block is what the step before it prints.
    Expected,
}

/// Reads an HTML comment. `Ok(None)` for one that is not ours; an error, for people, for one that is and is wrong.
pub(super) fn read(html: &str) -> Result<Option<Comment>, String> {
    let Some(body) = html.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")) else {
        return Ok(None);
    };
    let body = body.trim();
    let (word, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    match word {
        "expected" if rest.is_empty() => Ok(Some(Comment::Expected)),
        // Words without "=" are a remark that happens to begin with "step".
        "step" if rest.contains('=') => step(&pairs(rest)?).map(|found| Some(Comment::Step(found))),
        "plan" if rest.contains('=') => plan(&pairs(rest)?).map(|found| Some(Comment::Plan(found))),
        _ => Ok(None),
    }
}

fn step(pairs: &[(String, Value)]) -> Result<StepAttributes, String> {
    let mut found = StepAttributes::default();
    let (mut ready, mut within_seconds) = (None, None);
    for (key, value) in pairs {
        match key.as_str() {
            "id" => found.id = Some(StepId(text(key, value)?)),
            "title" => found.title = Some(text(key, value)?),
            "kind" => found.kind = Some(named(key, value)?),
            "manual" => found.manual = text(key, value)? == "yes",
            "why" => found.why = Some(text(key, value)?),
            "expected" => found.expected = Some(text(key, value)?),
            "verify" => found.verify = Some(text(key, value)?),
            "ok-exit" => {
                let numbers = list(key, value)?.iter().map(|item| item.parse()).collect::<Result<_, _>>();
                found.ok_exit = Some(numbers.map_err(|_| format!("{key} is not a list of numbers"))?);
            }
            "depends-on" => found.depends_on = Some(list(key, value)?.into_iter().map(StepId).collect()),
            "wall-seconds" => found.wall_seconds = Some(number(key, value)?),
            "silence-seconds" => found.silence_seconds = Some(number(key, value)?),
            "service-port" => {
                let port = text(key, value)?.parse().map_err(|_| format!("{key} is not a port"))?;
                ready = Some(Readiness::Port { port });
            }
            "service-line" => ready = Some(Readiness::Line { text: text(key, value)? }),
            "service-address" => ready = Some(Readiness::Address),
            "service-file" => ready = Some(Readiness::File { path: text(key, value)? }),
            "service-seconds" => within_seconds = Some(number(key, value)?),
            "estimate-seconds" => found.estimate_seconds = Some(number(key, value)?),
            other => return Err(format!("\"{other}\" is not known")),
        }
    }
    found.service = match (ready, within_seconds) {
        (Some(ready), within) => {
            Some(ServiceSpec { ready, within_seconds: within.unwrap_or(ServiceSpec::WITHIN_SECONDS) })
        }
        (None, None) => None,
        (None, Some(_)) => {
            return Err("service-seconds needs service-port, service-line, service-address or service-file"
                .to_owned());
        }
    };
    Ok(found)
}

fn plan(pairs: &[(String, Value)]) -> Result<PlanAttributes, String> {
    let mut found = PlanAttributes::default();
    for (key, value) in pairs {
        match key.as_str() {
            "title" => found.title = Some(text(key, value)?),
            "intent" => found.intent = Some(text(key, value)?),
            "mode" => found.mode = Some(named(key, value)?),
            "on-failure" => found.on_failure = Some(named(key, value)?),
            other => return Err(format!("\"{other}\" is not known")),
        }
    }
    Ok(found)
}

fn pairs(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').ok_or_else(|| format!("\"{rest}\" has no value"))?;
        let key = key.trim().to_owned();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(format!("\"{key}\" is not known"));
        }
        if after.starts_with(['"', '[']) {
            let mut values = serde_json::Deserializer::from_str(after).into_iter::<Value>();
            let value = match values.next() {
                Some(Ok(value)) => value,
                Some(Err(_)) | None => {
                    return Err(format!("the value of {key} is not closed or not quoted rightly"));
                }
            };
            rest = &after[values.byte_offset()..];
            if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
                return Err(format!("something follows the value of {key} without a blank"));
            }
            found.push((key, value));
        } else {
            let end = after.find(char::is_whitespace).unwrap_or(after.len());
            found.push((key, Value::String(after[..end].to_owned())));
            rest = &after[end..];
        }
        rest = rest.trim_start();
    }
    Ok(found)
}

fn text(key: &str, value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("{key} is not a text"))
}

fn number(key: &str, value: &Value) -> Result<u32, String> {
    text(key, value)?.parse().map_err(|_| format!("{key} is not a number of seconds"))
}

fn named<T: serde::de::DeserializeOwned>(key: &str, value: &Value) -> Result<T, String> {
    let lower = Value::String(text(key, value)?.to_ascii_lowercase());
    serde_json::from_value(lower).map_err(|_| format!("{key} has no such value"))
}

/// `a,b` or `["a", "b"]`; an empty word is an empty list.
fn list(key: &str, value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(items) => items.iter().map(|item| text(key, item)).collect(),
        Value::String(items) => {
            Ok(items.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(format!("{key} is not a list"))
        }
    }
}

impl StepAttributes {
    /// As a comment line; reads back as it is.
    pub(in crate::plan) fn to_comment(&self) -> String {
        let mut out = String::from("<!-- step");
        put_text(&mut out, "id", self.id.as_ref().map(|id| id.0.as_str()));
        put_named(&mut out, "kind", self.kind);
        put_text(&mut out, "manual", self.manual.then_some("yes"));
        put_text(&mut out, "title", self.title.as_deref());
        put_text(&mut out, "why", self.why.as_deref());
        put_text(&mut out, "verify", self.verify.as_deref());
        put_text(&mut out, "expected", self.expected.as_deref());
        if let Some(exits) = &self.ok_exit {
            let exits: Vec<String> = exits.iter().map(i32::to_string).collect();
            out.push_str(&format!(" ok-exit={}", exits.join(",")));
        }
        if let Some(needs) = &self.depends_on {
            let names: Vec<&str> = needs.iter().map(|id| id.0.as_str()).collect();
            if names.iter().all(|name| is_bare(name)) {
                out.push_str(&format!(" depends-on={}", names.join(",")));
            } else {
                out.push_str(&format!(" depends-on={}", quoted(&Value::from(names))));
            }
        }
        for (key, seconds) in [
            ("wall-seconds", self.wall_seconds),
            ("silence-seconds", self.silence_seconds),
            ("estimate-seconds", self.estimate_seconds),
        ] {
            if let Some(seconds) = seconds {
                out.push_str(&format!(" {key}={seconds}"));
            }
        }
        if let Some(ServiceSpec { ready, within_seconds }) = &self.service {
            match ready {
                Readiness::Port { port } => out.push_str(&format!(" service-port={port}")),
                Readiness::Line { text } => put_text(&mut out, "service-line", Some(text)),
                Readiness::Address => out.push_str(" service-address=yes"),
                Readiness::File { path } => put_text(&mut out, "service-file", Some(path)),
            }
            out.push_str(&format!(" service-seconds={within_seconds}"));
        }
        out + " -->"
    }
}

impl PlanAttributes {
    pub(in crate::plan) fn to_comment(&self) -> String {
        let mut out = String::from("<!-- plan");
        put_named(&mut out, "mode", self.mode);
        put_named(&mut out, "on-failure", self.on_failure);
        put_text(&mut out, "title", self.title.as_deref());
        put_text(&mut out, "intent", self.intent.as_deref());
        out + " -->"
    }
}

fn put_named<T: serde::Serialize>(out: &mut String, key: &str, value: Option<T>) {
    if let Some(Value::String(name)) = value.and_then(|value| serde_json::to_value(value).ok()) {
        out.push_str(&format!(" {key}={name}"));
    }
}

fn put_text(out: &mut String, key: &str, value: Option<&str>) {
    match value {
        Some(value) if is_bare(value) => out.push_str(&format!(" {key}={value}")),
        Some(value) => out.push_str(&format!(" {key}={}", quoted(&Value::from(value)))),
        None => {}
    }
}

fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/".contains(letter))
        && !text.contains("--")
}

/// JSON in which no comment can end or begin and which stays in its line.
fn quoted(value: &Value) -> String {
    let mut safe = String::new();
    for letter in value.to_string().chars() {
        match letter {
            '<' | '>' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            other => safe.push(other),
        }
    }
    safe.replace("--", "-\\u002d")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_writes() {
        let read = read(
            r#"<!-- step id=build kind=INSTALL verify="test -d \"out\"" ok-exit=0,1 depends-on=a,b -->"#,
        );
        assert_eq!(
            read,
            Ok(Some(Comment::Step(StepAttributes {
                id: Some("build".into()),
                kind: Some(StepKind::Install),
                verify: Some("test -d \"out\"".into()),
                ok_exit: Some(vec![0, 1]),
                depends_on: Some(vec!["a".into(), "b".into()]),
                ..StepAttributes::default()
            })))
        );
    }

    #[test]
    fn remarks_are_left_alone_and_mistakes_are_told() {
        for remark in
            ["<!-- step three -->", "<!-- TODO a=b -->", "<!-- plan -->", "<b>", "<!-- expected x -->"]
        {
            assert_eq!(read(remark), Ok(None), "{remark}");
        }
        for mistake in [
            "<!-- step id=a colour=red -->",
            "<!-- step verify=\"open -->",
            "<!-- step ok-exit=many -->",
            "<!-- step kind=dance -->",
            "<!-- step id=\"a\"b -->",
            "<!-- step wall-seconds=soon -->",
            "<!-- step id=a and then -->",
            "<!-- plan mode=wild -->",
        ] {
            assert!(read(mistake).is_err(), "{mistake}");
        }
    }

    #[test]
    fn awkward_values_come_back() {
        let step = StepAttributes {
            id: Some("a b,c".into()),
            title: Some("x --> y <!-- z".into()),
            why: Some("line\nline \"q\" \u{2028} ---".into()),
            verify: Some("grep -- '-->' f".into()),
            ok_exit: Some(vec![-1, 0]),
            depends_on: Some(vec!["a,b".into(), "--".into()]),
            wall_seconds: Some(1),
            service: Some(ServiceSpec {
                ready: Readiness::Line { text: "--> \"up\" on <80>".into() },
                within_seconds: 7,
            }),
            ..StepAttributes::default()
        };
        let comment = step.to_comment();
        assert_eq!(comment.matches("-->").count(), 1, "{comment}");
        assert!(!comment.contains('\n'), "{comment}");
        assert_eq!(read(&comment), Ok(Some(Comment::Step(step))));
    }

    #[test]
    fn no_needs_is_not_the_same_as_needs_not_stated() {
        let none = StepAttributes { depends_on: Some(vec![]), ..StepAttributes::default() };
        assert_eq!(read(&none.to_comment()), Ok(Some(Comment::Step(none))));
    }
}
