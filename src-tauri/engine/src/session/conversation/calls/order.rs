//! The order in which the calls of one round are worked off: what only looks, and what is asked of the user, comes before what
//! changes files, as far as the calls do not depend on each other. The model hears their results in the order of its calls.

use std::path::{Component, Path};

use super::Asked;
use crate::tools::{self, Call, FileCall};

/// What one call touches.
enum Touch {
    /// Looks at this, or asks the user (nothing).
    Looks(Option<String>),
    Changes(Vec<String>),
    /// May do anything: nothing passes it.
    Anything,
}

pub(super) fn worked_off(calls: Vec<Asked>) -> Vec<Asked> {
    let mut order: Vec<(Asked, Touch)> = Vec::with_capacity(calls.len());
    for call in calls {
        let touch = touch(&call);
        let behind = |before: &Touch| match (&touch, before) {
            (Touch::Looks(path), Touch::Changes(changed)) => {
                path.as_deref().is_some_and(|path| changed.iter().any(|changed| may_meet(path, changed)))
            }
            _ => true,
        };
        let place = order.iter().rposition(|(_, before)| behind(before)).map_or(0, |at| at + 1);
        order.insert(place, (call, touch));
    }
    order.into_iter().map(|(call, _)| call).collect()
}

/// Whether the call changes nothing, whatever comes of it.
pub(super) fn only_looks(call: &Asked) -> bool {
    matches!(touch(call), Touch::Looks(_))
}

fn touch(call: &Asked) -> Touch {
    match tools::read(&call.tool, &call.input) {
        Ok(Call::AskUser { .. }) => Touch::Looks(None),
        Ok(Call::File(file)) => match file {
            FileCall::Read { path, .. } | FileCall::List { path } | FileCall::Search { path, .. } => {
                Touch::Looks(Some(path))
            }
            FileCall::Write { path, .. } => Touch::Changes(vec![path]),
            FileCall::Edit(edit) => Touch::Changes(vec![edit.path]),
            FileCall::MultiEdit { edits } => {
                Touch::Changes(edits.into_iter().map(|edit| edit.path).collect())
            }
        },
        Ok(Call::Shell { .. } | Call::CreatePlan { .. }) | Err(_) => Touch::Anything,
    }
}

/// Whether two paths may name the same thing, or one a folder of the other. What is not plain may, and so may an absolute
/// path and a relative one.
fn may_meet(one: &str, other: &str) -> bool {
    let plain = |path: &str| -> Option<Vec<String>> {
        Path::new(path)
            .components()
            .filter(|part| *part != Component::CurDir)
            .map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
                Component::RootDir => Some("/".to_owned()),
                Component::Prefix(_) | Component::CurDir | Component::ParentDir => None,
            })
            .collect()
    };
    match (plain(one), plain(other)) {
        (Some(first), Some(second)) if Path::new(one).has_root() == Path::new(other).has_root() => {
            first.iter().zip(&second).all(|(one, other)| one == other)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::protocol::StepId;

    fn order(calls: &[(&str, Value)]) -> Vec<String> {
        let asked = calls.iter().enumerate().map(|(nth, (tool, input))| Asked {
            id: StepId(nth.to_string()),
            tool: (*tool).to_owned(),
            input: input.to_string(),
        });
        worked_off(asked.collect()).into_iter().map(|call| call.id.0).collect()
    }

    #[test]
    fn looks_and_questions_come_before_changes_that_they_do_not_depend_on() {
        let write = |path: &str| ("write_file", json!({ "path": path, "content": "x" }));
        let read = |path: &str| ("read_file", json!({ "path": path }));
        let ask = || ("ask_user", json!({ "question": "Which?" }));
        let shell = || ("shell", json!({ "command": "make" }));
        assert_eq!(order(&[write("a"), read("b"), write("c"), ask()]), ["1", "3", "0", "2"]);
        // Not before the change of what it reads, nor before anything that may change it.
        assert_eq!(order(&[write("a"), read("./a")]), ["0", "1"]);
        assert_eq!(order(&[write("src/a"), ("search", json!({ "pattern": "x" }))]), ["0", "1"]);
        assert_eq!(order(&[write("a"), read("../b")]), ["0", "1"]);
        assert_eq!(order(&[shell(), read("b")]), ["0", "1"]);
        assert_eq!(order(&[write("/w/a"), read("/w/b")]), ["1", "0"]);
        assert_eq!(order(&[write("/w/a"), read("/w")]), ["0", "1"]);
        assert_eq!(order(&[write("/w/a"), read("b")]), ["0", "1"]);
        assert_eq!(
            order(&[write("a"), shell(), read("b"), write("c"), read("d")]),
            ["0", "1", "2", "4", "3"]
        );
        // Changes keep their order among themselves.
        assert_eq!(order(&[write("b"), write("a"), ("fly", json!({}))]), ["0", "1", "2"]);
    }
}
