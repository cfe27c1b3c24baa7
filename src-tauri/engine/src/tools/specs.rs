//! What a model is told of the tools. Short on purpose: it is sent with every request, and always in the same order and
//! words, so that a provider can keep it.

use serde_json::{Value, json};

use super::ToolName;
use crate::model::ToolSpec;

/// The tools, in a stable order. `plan` is the schema of a plan, for the tool that proposes one.
pub fn specs(plan: &Value) -> Vec<ToolSpec> {
    ToolName::ALL.into_iter().map(|tool| spec(tool, plan)).collect()
}

fn spec(tool: ToolName, plan: &Value) -> ToolSpec {
    let (description, parameters) = match tool {
        ToolName::Shell => (
            "Runs a bash command in the session's shell; folder and variables carry over. No input can be typed.",
            object(
                &["command"],
                json!({
                    "command": text(),
                    "why": described("string", "one short sentence for the user"),
                    "risk": { "enum": ["caution", "dangerous"] },
                    "warning": described("string", "harm that the command does not show"),
                }),
            ),
        ),
        ToolName::ReadFile => (
            "Reads a text file, each line with its number. Large files: use offset and limit.",
            object(
                &["path"],
                json!({
                    "path": text(),
                    "offset": described("integer", "first line, from 1"),
                    "limit": described("integer", "number of lines"),
                }),
            ),
        ),
        ToolName::ListDir => ("Lists a folder: names, kinds, sizes.", object(&[], json!({ "path": text() }))),
        ToolName::Search => (
            "Searches the text files of a folder for a regular expression. Leaves out hidden and git-ignored files.",
            object(
                &["pattern"],
                json!({
                    "pattern": text(),
                    "path": described("string", "folder or file; default: the current folder"),
                    "glob": described("string", "only files like this: *.rs"),
                    "ignore_case": kind("boolean"),
                }),
            ),
        ),
        ToolName::EditFile => (
            "Replaces `old` by `new` in a text file. `old` must be exactly what stands there (without line numbers) \
             and occur once, unless replace_all. Read the file first.",
            edit(),
        ),
        ToolName::MultiFileEdit => (
            "Several edits in one or more files, made all together or not at all.",
            object(&["edits"], json!({ "edits": { "type": "array", "items": edit() } })),
        ),
        ToolName::WriteFile => (
            "Makes a text file, or replaces all of it. Missing folders are made.",
            object(&["path", "content"], json!({ "path": text(), "content": text() })),
        ),
        ToolName::AskUser => (
            "Asks the user something that only they can decide. Ends your turn.",
            object(
                &["question"],
                json!({ "question": text(), "options": { "type": "array", "items": text() } }),
            ),
        ),
        ToolName::CreatePlan => (
            "Proposes a plan of shell steps that the user confirms before any runs. For work of several commands.",
            plan.clone(),
        ),
    };
    ToolSpec { name: tool.as_str().to_owned(), description: description.to_owned(), parameters }
}

fn edit() -> Value {
    object(
        &["path", "old", "new"],
        json!({ "path": text(), "old": text(), "new": text(), "replace_all": kind("boolean") }),
    )
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn text() -> Value {
    kind("string")
}

fn kind(name: &str) -> Value {
    json!({ "type": name })
}

fn described(name: &str, description: &str) -> Value {
    json!({ "type": name, "description": description })
}
