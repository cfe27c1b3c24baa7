//! What a command would run, as argument lists: for rules and grants, which must see every command at any depth.
//! Owns no verdict. What cannot be read is there as a run of one unknown word, so that nobody takes it for nothing.

use planwright_shell::{Redirect, RedirectKind, Value};

use super::words::{Arg, Text};

/// One command that would run, at any depth, outer before inner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The program and its arguments, quotes taken off. `None` is a word that is only known when it runs: it may turn
    /// out to be several words, or none. No words at all: only variables are set or files redirected.
    pub words: Vec<Option<String>>,
    /// Variables are set for it.
    pub assigned: bool,
    /// Something flows in or out of it other than by a pipe, `/dev/null` or one descriptor into another.
    pub redirected: bool,
}

impl Run {
    /// Text that runs and that nobody could read.
    pub(super) fn unread() -> Self {
        Self { words: vec![None], assigned: false, redirected: false }
    }

    pub(super) fn of(args: &[Arg], assigned: bool, redirects: &[Redirect]) -> Self {
        let words = args.iter().map(|arg| match &arg.text {
            Text::Known { text, .. } => Some(text.clone()),
            Text::Glob { .. } | Text::Unknown { .. } => None,
        });
        Self { words: words.collect(), assigned, redirected: redirects.iter().any(matters) }
    }
}

fn matters(redirect: &Redirect) -> bool {
    let target = match &redirect.target.value {
        Value::Known { text, .. } => Some(text.as_str()),
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => None,
    };
    match redirect.kind {
        RedirectKind::Duplicate => target.is_none(),
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::WriteBoth
        | RedirectKind::AppendBoth => target != Some("/dev/null"),
        RedirectKind::HereDocument | RedirectKind::HereString => true,
    }
}
