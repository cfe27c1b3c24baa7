//! Which words of a command may be shell text in their turn: `bash -c '…'`, `eval '…'`, `trap '…'`, a here-document for a shell
//! or for a file.

use crate::{RedirectKind, SimpleCommand, Value, Word};

/// Programs of which some word is shell text.
const TAKERS: [&str; 34] = [
    "concurrently",
    "npx",
    "npm",
    "pnpm",
    "sg",
    "hyperfine",
    "runcon",
    "docker",
    "podman",
    "kubectl",
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "eval",
    "trap",
    "watch",
    "script",
    "flock",
    "su",
    "runuser",
    "parallel",
    "alias",
    "ssh",
    "busybox",
    "toybox",
    "psql",
    "screen",
    "tmux",
    "entr",
    "nix-shell",
    "fish",
];

/// Words and here-documents of `command` that may be shell text, and what follows the sign in `alias name='text'`.
pub fn texts_in(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    let names = |word: &Word| known(word).is_some_and(|text| TAKERS.contains(&base(text)));
    // `cat > run.sh <<'EOF'`: what is written may run further on.
    let writes = command.words.first().and_then(known).is_some_and(|name| match name {
        "cat" | "echo" => command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Write),
        "tee" => true,
        _ => false,
    });
    let takes = writes || command.words.iter().any(names);
    let documents = command.redirects.iter().filter_map(|redirect| match redirect.kind {
        RedirectKind::HereDocument | RedirectKind::HereString => Some(&redirect.target),
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::WriteBoth
        | RedirectKind::AppendBoth
        | RedirectKind::Duplicate => None,
    });
    let words = command.words.iter().chain(documents).filter(move |_| takes);
    words.filter_map(known).flat_map(candidates)
}

fn known(word: &Word) -> Option<&str> {
    match &word.value {
        Value::Known { text, .. } => Some(text),
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => None,
    }
}

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A word with a blank or a sign of the shell in it may be shell text; so may what follows the sign in `alias name='text'`.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let value = text.split_once('=').map(|(_, value)| value);
    std::iter::once(text)
        .chain(value)
        .filter(|text| text.contains(|c: char| c.is_whitespace() || "{$`'\"\\<>(&|;".contains(c)))
}
