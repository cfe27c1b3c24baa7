//! A model's call, read strictly: what is not exactly right goes back to the model with what to send instead.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ToolName, specs};
use crate::model::read_arguments;
use crate::protocol::Risk;
use crate::redact::HIDDEN;

/// Edits that one `multi_file_edit` may hold.
pub const MAX_EDITS: usize = 50;
/// Answers that `ask_user` may offer.
const MAX_OPTIONS: usize = 8;
/// Longest path, in bytes; the system takes no longer one either.
const MAX_PATH: usize = 4096;
/// Most of a broken argument that is quoted back, in characters.
const QUOTED: usize = 200;

/// What a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Shell {
        command: String,
        why: Option<String>,
        /// What the model thinks of the risk; it can only raise it.
        risk: Option<Risk>,
        warning: Option<String>,
    },
    File(FileCall),
    AskUser {
        question: String,
        /// Answers to choose from; may be empty.
        options: Vec<String>,
    },
    CreatePlan {
        /// The arguments, an object; the plan is read by who makes plans.
        input: Value,
    },
}

/// A call of a tool that works on files. Paths are as the model wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCall {
    Read {
        path: String,
        /// The first line wanted, from 1.
        offset: Option<u32>,
        /// How many lines.
        limit: Option<u32>,
    },
    Write {
        path: String,
        content: String,
    },
    Edit(FileEdit),
    MultiEdit {
        /// In the order in which they are made; never empty.
        edits: Vec<FileEdit>,
    },
    List {
        path: String,
    },
    Search {
        pattern: String,
        path: String,
        glob: Option<String>,
        ignore_case: bool,
    },
}

/// One exact replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEdit {
    pub path: String,
    pub old: String,
    pub new: String,
    #[serde(default)]
    pub replace_all: bool,
}

impl FileCall {
    pub fn tool(&self) -> ToolName {
        match self {
            Self::Read { .. } => ToolName::ReadFile,
            Self::Write { .. } => ToolName::WriteFile,
            Self::Edit(_) => ToolName::EditFile,
            Self::MultiEdit { .. } => ToolName::MultiFileEdit,
            Self::List { .. } => ToolName::ListDir,
            Self::Search { .. } => ToolName::Search,
        }
    }

    /// As the model wrote them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let (one, edits) = match self {
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::List { path }
            | Self::Search { path, .. } => (Some(path), [].as_slice()),
            Self::Edit(edit) => (Some(&edit.path), [].as_slice()),
            Self::MultiEdit { edits } => (None, edits.as_slice()),
        };
        one.into_iter().chain(edits.iter().map(|edit| &edit.path)).map(String::as_str)
    }
}

/// Why a call cannot be used, in words that tell a model what to send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error("There is no tool `{}`. The tools are: {}.", quoted(tool), names())]
    UnknownTool { tool: String },
    #[error("The arguments of `{tool}` are no JSON object: {why}. Send {}", wanted(tool))]
    NotJson { tool: &'static str, why: String },
    #[error("The arguments of `{tool}` are not right: {why}. Send {}", wanted(tool))]
    Arguments { tool: &'static str, why: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shell {
    command: String,
    why: Option<String>,
    risk: Option<Risk>,
    warning: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    path: String,
    offset: Option<u32>,
    limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MultiEdit {
    edits: Vec<FileEdit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskUser {
    question: String,
    options: Option<Vec<String>>,
}

/// Reads a call. `input` is the JSON text as the model wrote it; an empty one is an empty object.
///
/// # Errors
/// When the tool is not known, or the arguments are not exactly what it takes.
pub fn read(tool: &str, input: &str) -> Result<Call, CallError> {
    let Some(name) = ToolName::parse(tool) else {
        return Err(CallError::UnknownTool { tool: tool.to_owned() });
    };
    let fields = Fields { tool: name.as_str(), object: object(name.as_str(), input)? };
    match name {
        ToolName::Shell => {
            let Shell { command, why, risk, warning } = fields.read()?;
            filled(name, "command", &command)?;
            if command.contains(HIDDEN) {
                let why = format!(
                    "`command` holds `{HIDDEN}`, which stands for a value that is not shown to you; use the variable or the \
                     file that has it, or let the user run it"
                );
                return Err(wrong(name, why));
            }
            Ok(Call::Shell { command, why, risk, warning })
        }
        ToolName::ReadFile => {
            let Read { path, offset, limit } = fields.read()?;
            if offset == Some(0) || limit == Some(0) {
                return Err(wrong(name, "`offset` and `limit` begin at 1"));
            }
            Ok(Call::File(FileCall::Read { path: checked(name, path)?, offset, limit }))
        }
        ToolName::WriteFile => {
            let Write { path, content } = fields.read()?;
            Ok(Call::File(FileCall::Write { path: checked(name, path)?, content }))
        }
        ToolName::EditFile => Ok(Call::File(FileCall::Edit(edit(name, fields.read()?)?))),
        ToolName::MultiFileEdit => {
            let MultiEdit { edits } = fields.read()?;
            if edits.is_empty() || edits.len() > MAX_EDITS {
                return Err(wrong(name, format!("`edits` must hold 1 to {MAX_EDITS} edits")));
            }
            let edits = edits.into_iter().map(|one| edit(name, one)).collect::<Result<_, _>>()?;
            Ok(Call::File(FileCall::MultiEdit { edits }))
        }
        ToolName::ListDir => {
            let List { path } = fields.read()?;
            Ok(Call::File(FileCall::List { path: checked(name, here(path))? }))
        }
        ToolName::Search => {
            let Search { pattern, path, glob, ignore_case } = fields.read()?;
            filled(name, "pattern", &pattern)?;
            let path = checked(name, here(path))?;
            Ok(Call::File(FileCall::Search { pattern, path, glob, ignore_case }))
        }
        ToolName::AskUser => {
            let AskUser { question, options } = fields.read()?;
            filled(name, "question", &question)?;
            let options = options.unwrap_or_default();
            if options.len() > MAX_OPTIONS || options.iter().any(|option| option.trim().is_empty()) {
                return Err(wrong(name, format!("`options` holds at most {MAX_OPTIONS} texts, none empty")));
            }
            Ok(Call::AskUser { question, options })
        }
        ToolName::CreatePlan => Ok(Call::CreatePlan { input: Value::Object(fields.object) }),
    }
}

struct Fields {
    tool: &'static str,
    object: Map<String, Value>,
}

impl Fields {
    /// Where a list or an object is wanted and a text stands that holds one, that is meant.
    fn read<T: serde::de::DeserializeOwned>(self) -> Result<T, CallError> {
        serde_json::from_value(Value::Object(self.object.clone())).or_else(|error| {
            let fields = self.object.into_iter().map(|(name, value)| (name, unfolded(value)));
            serde_json::from_value(Value::Object(fields.collect()))
                .map_err(|_| CallError::Arguments { tool: self.tool, why: quoted(&error.to_string()) })
        })
    }
}

fn unfolded(value: Value) -> Value {
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    inner.filter(|inner| inner.is_array() || inner.is_object()).unwrap_or(value)
}

fn object(tool: &'static str, input: &str) -> Result<Map<String, Value>, CallError> {
    if input.trim().is_empty() {
        return Ok(Map::new());
    }
    match read_arguments(input) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(CallError::NotJson { tool, why: "it is another kind of value".to_owned() })
        }
        Err(error) => Err(CallError::NotJson { tool, why: quoted(&error.to_string()) }),
    }
}

fn edit(tool: ToolName, edit: FileEdit) -> Result<FileEdit, CallError> {
    filled(tool, "old", &edit.old).map_err(|error| match error {
        CallError::Arguments { .. } => {
            wrong(tool, "`old` is empty; use `write_file` to make a file or to replace all of it")
        }
        other @ (CallError::UnknownTool { .. } | CallError::NotJson { .. }) => other,
    })?;
    if edit.old == edit.new {
        return Err(wrong(tool, "`old` and `new` are the same, so nothing would change"));
    }
    Ok(FileEdit { path: checked(tool, edit.path)?, ..edit })
}

fn here(path: Option<String>) -> String {
    path.unwrap_or_else(|| ".".to_owned())
}

/// A path that names something: not empty, not endless, with no zero byte.
fn checked(tool: ToolName, path: String) -> Result<String, CallError> {
    if path.is_empty() || path.len() > MAX_PATH || path.contains('\0') {
        return Err(wrong(tool, format!("`path` must be 1 to {MAX_PATH} bytes with no zero byte in it")));
    }
    Ok(path)
}

fn filled(tool: ToolName, field: &str, text: &str) -> Result<(), CallError> {
    if text.is_empty() || field != "old" && text.trim().is_empty() {
        return Err(wrong(tool, format!("`{field}` is empty")));
    }
    Ok(())
}

fn wrong(tool: ToolName, why: impl Into<String>) -> CallError {
    CallError::Arguments { tool: tool.as_str(), why: why.into() }
}

fn names() -> String {
    ToolName::ALL.map(ToolName::as_str).join(", ")
}

/// What a tool takes, in words, from its schema: "an object with path (string), limit (integer, may be left out)."
fn wanted(tool: &str) -> String {
    let spec = specs(&serde_json::Value::Null).into_iter().find(|spec| spec.name == tool);
    spec.map_or_else(|| "an object.".to_owned(), |spec| format!("{}.", shape(&spec.parameters)))
}

fn shape(schema: &Value) -> String {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return match (schema.get("type").and_then(Value::as_str), schema.get("items")) {
            (Some("array"), Some(items)) => format!("array, each {}", shape(items)),
            (Some(kind), _) => kind.to_owned(),
            (None, _) => "any".to_owned(),
        };
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let fields: Vec<String> = properties
        .iter()
        .map(|(name, schema)| {
            let left_out = if is_required(name) { "" } else { ", may be left out" };
            format!("{name} ({}{left_out})", shape(schema))
        })
        .collect();
    format!("an object with {}", fields.join(", "))
}

fn quoted(text: &str) -> String {
    crate::plan::card::harmless(&text.chars().take(QUOTED).collect::<String>())
}
