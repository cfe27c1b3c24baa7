//! A block of shell that was read line by line, as pages mix commands with what they show, and of which lines were left that
//! nothing but a shell reads: it is a script, and taken whole.

use planwright_page::{BlockKind, Code, Document};

use crate::plan::page::{Act, Role, Typed, Unit};

const LANGUAGES: [&str; 4] = ["sh", "bash", "shell", "zsh"];
/// Words that a line of output hardly begins with, and what makes one a command all the same.
const BUILTINS: [&str; 19] = [
    "builtin",
    "declare",
    "eval",
    "exec",
    "export",
    "hash",
    "let",
    "local",
    "mapfile",
    "pushd",
    "readarray",
    "readonly",
    "set",
    "shift",
    "shopt",
    "trap",
    "typeset",
    "unset",
    "wait",
];

pub(super) fn rejoined(mut units: Vec<Unit>, document: &Document) -> Vec<Unit> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    for block in blocks {
        let BlockKind::Code(code) = &block.kind else { continue };
        if code.language.as_deref().is_some_and(|language| LANGUAGES.contains(&language)) {
            rejoin(&mut units, code);
        }
    }
    units
}

fn rejoin(units: &mut Vec<Unit>, code: &Code) {
    let (Some(first), Some(last)) = (code.lines.first(), code.lines.last()) else { return };
    let whole = first.start..last.end;
    let Some(at) = units.iter().position(|unit| whole.contains(&unit.range.start)) else { return };
    let count = units[at..].iter().take_while(|unit| whole.contains(&unit.range.start)).count();
    let own = &units[at..at + count];
    let is_cut =
        own.iter().any(ends_it) || own.iter().any(is_for_windows_by_a_sign) || leaves_shell(own, code);
    if !is_cut || !own.iter().all(is_of_a_script) {
        return;
    }
    let Some(base) = own.iter().find(|unit| unit.role == Role::Run).cloned() else { return };
    let typed = Typed { text: code.text.clone(), lines: 0..code.lines.len(), ..Typed::default() };
    let act = Act::Shell { typed: vec![typed], whole: false };
    drop(units.splice(at..at + count, [Unit { act, range: whole, expected: None, ..base }]));
}

fn is_of_a_script(unit: &Unit) -> bool {
    if unit.comment.is_some() {
        return false;
    }
    match &unit.act {
        Act::Shell { typed, whole: false } => {
            (unit.role == Role::Run || is_for_windows_by_a_sign(unit))
                && typed.iter().all(|one| !one.prompted && !one.windows)
        }
        Act::Manual { .. } => ends_it(unit),
        Act::Shell { .. } | Act::File { .. } | Act::Shown { .. } => false,
    }
}

/// `IFS=$'\n'` and `printf 'a\n'` have the sign that parts folders on another system, and are of this one.
fn is_for_windows_by_a_sign(unit: &Unit) -> bool {
    const PRINTING: [&str; 6] = ["awk", "echo", "grep", "printf", "sed", "tr"];
    let Act::Shell { typed, .. } = &unit.act else { return false };
    let is_ours = |one: &Typed| {
        let first = one.text.split_whitespace().next().unwrap_or_default();
        one.text.contains('\\') && (is_assignment(first) || PRINTING.contains(&first))
    };
    unit.role == Role::OtherSystem && !typed.is_empty() && typed.iter().all(is_ours)
}

/// `exit 0` among commands is the end of a script; `exit` alone may leave what was entered before it.
fn ends_it(unit: &Unit) -> bool {
    let Act::Manual { instruction } = &unit.act else { return false };
    let status = instruction.strip_prefix("Do `exit ").and_then(|rest| rest.split_once('`'));
    status.is_some_and(|(status, _)| status.trim().parse::<u8>().is_ok())
}

/// Whether lines that were taken for no command are shell and nothing else.
fn leaves_shell(own: &[Unit], code: &Code) -> bool {
    let typed: Vec<&Typed> = own
        .iter()
        .flat_map(|unit| match &unit.act {
            Act::Shell { typed, .. } => typed.as_slice(),
            Act::File { .. } | Act::Manual { .. } | Act::Shown { .. } => &[],
        })
        .collect();
    code.text.lines().enumerate().any(|(number, line)| {
        let line = line.trim();
        match typed.iter().find(|one| one.lines.contains(&number)) {
            // A mark of notebooks is taken off, and with it the shell's own "not".
            Some(one) => one.lines.start == number && line.starts_with("! ") && !one.text.starts_with('!'),
            None => is_only_shell(line),
        }
    })
}

fn is_only_shell(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return false };
    let second = words.next();
    match first {
        "case" => words.next().is_some_and(|word| word == "in"),
        "for" | "select" => line.contains(" in ") || line.contains("; do") || line.contains("(("),
        "if" | "while" | "until" => line.contains(['[', ';', '$', '(']) || second == Some("!"),
        "[" | "[[" => line.contains(']'),
        "{" | "(" | "((" => {
            line.ends_with(['}', ')', ';', '{', '(']) || line.contains(')') || line.contains('}')
        }
        ":" => second.is_some_and(|word| word.starts_with(['$', '"', '>'])),
        "!" => second.is_some_and(|word| word.starts_with(|letter: char| letter.is_ascii_lowercase())),
        "command" => second.is_some_and(|word| word == "-v"),
        "env" => second.is_some_and(|word| word.starts_with('-')),
        "type" => second.is_some_and(|word| word.starts_with('-')),
        "function" => line.contains('{') || line.ends_with(')'),
        _ => {
            BUILTINS.contains(&first) && second.is_none_or(|word| !word.ends_with([':', '.', ',']))
                || first.starts_with("((")
                || (first.starts_with('>') && !first.starts_with(">>") && first.len() > 1)
                || first.ends_with("()")
                || is_assignment(first)
        }
    }
}

fn is_assignment(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    let name = name.trim_end_matches('+');
    let name = match name.split_once('[') {
        Some((name, place)) if place.ends_with(']') => name,
        Some(_) => return false,
        None => name,
    };
    !value.starts_with('=')
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
