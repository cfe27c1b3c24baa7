//! What a model is told of the tools. Short on purpose: it is sent with every request, and always in the same order and
//! words, so that a provider can keep it. A field that is not named here is refused when the call is read.

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
            "Runs a bash command. No input can be typed.",
            object(
                &["command"],
                json!({
                    "command": text(),
                    "why": described("string", "for the user"),
                    "risk": { "enum": ["caution", "dangerous"] },
                    "warning": described("string", "harm that it does not show"),
                }),
            ),
        ),
        ToolName::ReadFile => (
            "Reads a text file, its lines numbered from 1.",
            object(
                &["path"],
                json!({
                    "path": text(),
                    "offset": described("integer", "first line"),
                    "limit": kind("integer"),
                }),
            ),
        ),
        ToolName::ListDir => ("Lists a folder.", object(&[], json!({ "path": text() }))),
        ToolName::Search => (
            "Searches text files for a regular expression; not hidden or git-ignored ones.",
            object(
                &["pattern"],
                json!({
                    "pattern": text(),
                    "path": text(),
                    "glob": described("string", "such as *.rs"),
                    "ignore_case": kind("boolean"),
                }),
            ),
        ),
        ToolName::EditFile => {
            ("Replaces `old`, exactly as it stands in the file, by `new`; once, unless replace_all.", edit())
        }
        ToolName::MultiFileEdit => (
            "Several edits, made all together or not at all.",
            object(&["edits"], json!({ "edits": { "type": "array", "items": edit() } })),
        ),
        ToolName::WriteFile => (
            "Makes a text file and its folders, or replaces all of it.",
            object(&["path", "content"], json!({ "path": text(), "content": text() })),
        ),
        ToolName::AskUser => (
            "Asks what only the user can decide. Ends your turn.",
            object(
                &["question"],
                json!({ "question": text(), "options": { "type": "array", "items": text() } }),
            ),
        ),
        ToolName::CreatePlan => {
            ("Proposes shell steps; the user confirms them before any runs.", plan.clone())
        }
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
    let mut object = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
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
