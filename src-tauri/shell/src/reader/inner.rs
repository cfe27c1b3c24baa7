//! Shell text inside the words of a command: `bash -c '…'`, `eval '…'`, `trap '…'`, a here-document for a shell or for a file.
//! Owns which words count as such; reads them like any text. Each is shorter than the text that holds it, so this ends.

use crate::{Inner, RedirectKind, SimpleCommand, Value, Word};

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
/// So many texts are read at most; what is not read stays text that nobody knows.
const MOST: usize = 16;

/// The inner texts of `commands`, which stood in a text of `length` bytes.
pub(super) fn read_in(commands: &[SimpleCommand], length: usize) -> Vec<Inner> {
    let mut found: Vec<Inner> = Vec::new();
    for command in commands {
        let names = |word: &Word| known(word).is_some_and(|text| TAKERS.contains(&base(text)));
        // `cat > run.sh <<'EOF'`: what is written may run further on.
        let writes = command.words.first().and_then(known).is_some_and(|name| match name {
            "cat" | "echo" => command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Write),
            "tee" => true,
            _ => false,
        });
        if !writes && !command.words.iter().any(names) {
            continue;
        }
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
        for text in command.words.iter().chain(documents).filter_map(known).flat_map(candidates) {
            let new = text.len() < length && !found.iter().any(|inner| inner.text == text);
            if new && found.len() < MOST {
                found.push(Inner { facts: super::read(text, length), text: text.to_owned() });
            }
        }
    }
    found
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
