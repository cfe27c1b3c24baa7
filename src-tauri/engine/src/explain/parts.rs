//! The words of one simple command with their meanings.

use planwright_shell::{Redirect, RedirectKind, SimpleCommand, Span, Value, Word};

use crate::knowledge::{self, Entry, Role, Rules, Takes};
use crate::risk::{Arg, Parsed, Source, Text, Variables, Workspace, is_local, parse};

/// One explained stretch of the command.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) span: Span,
    pub(super) meaning: String,
    pub(super) known: bool,
    /// Its operator stands before it and belongs to it.
    pub(super) is_redirect: bool,
    /// The rest of its last line belongs to it: the word that ends a here-document.
    pub(super) takes_line: bool,
}

fn piece(span: Span, meaning: impl Into<String>) -> Piece {
    Piece { span, meaning: meaning.into(), known: true, is_redirect: false, takes_line: false }
}

fn general(span: Span, meaning: &str) -> Piece {
    Piece { span, meaning: meaning.to_owned(), known: false, is_redirect: false, takes_line: false }
}

pub(super) fn pieces(
    source: &Source<'_>,
    simple: &SimpleCommand,
    variables: &Variables,
    workspace: &Workspace<'_>,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for assignment in &simple.assignments {
        // The span of the value leaves out the name and the sign before it.
        let before = assignment.name.chars().count() + if assignment.append { 2 } else { 1 };
        let start = assignment.value.span.start.saturating_sub(u32::try_from(before).unwrap_or(0));
        let meaning = if simple.words.is_empty() {
            format!("remembers this as {}", assignment.name)
        } else {
            format!("sets {} for this command alone", assignment.name)
        };
        pieces.push(piece(Span { start, end: assignment.value.span.end }, meaning));
    }
    pieces.extend(simple.redirects.iter().map(redirect));
    let args: Vec<Arg> =
        simple.words.iter().flat_map(|word| variables.expand(word, workspace.environment)).collect();
    program(source, &args, &mut pieces, 0);
    // A word that became nothing, or several, still has its place.
    for word in &simple.words {
        if !pieces.iter().any(|piece| piece.span.start <= word.span.start && word.span.end <= piece.span.end)
        {
            pieces.push(general(word.span, unknown_word(word)));
        }
    }
    pieces
}

fn unknown_word(word: &Word) -> &'static str {
    match &word.value {
        Value::Unknown { .. } => "put in when it runs",
        Value::Known { .. } | Value::Several { .. } | Value::Glob { .. } => "an argument",
    }
}

fn redirect(redirect: &Redirect) -> Piece {
    let name = &redirect.target.raw;
    let what = match redirect.fd {
        2 => "its error messages",
        _ => "its output",
    };
    let meaning = match redirect.kind {
        RedirectKind::Read => format!("reads from {name} instead of the keyboard"),
        RedirectKind::Write | RedirectKind::WriteBoth if name == "/dev/null" => format!("throws {what} away"),
        RedirectKind::Write => format!("writes {what} to {name}, replacing what is in it"),
        RedirectKind::Append => format!("adds {what} to the end of {name}"),
        RedirectKind::ReadWrite => format!("reads from and writes to {name}"),
        RedirectKind::WriteBoth => {
            format!("writes its output and error messages to {name}, replacing what is in it")
        }
        RedirectKind::AppendBoth => format!("adds its output and error messages to the end of {name}"),
        RedirectKind::Duplicate => match (redirect.fd, name.as_str()) {
            (2, "1") => "sends its error messages where its output goes".to_owned(),
            (_, "2") => "sends its output where its error messages go".to_owned(),
            _ => "joins two of its streams".to_owned(),
        },
        RedirectKind::HereDocument => "the lines that it is given to read".to_owned(),
        RedirectKind::HereString => "the text that it is given to read".to_owned(),
    };
    let takes_line = redirect.kind == RedirectKind::HereDocument;
    Piece { span: redirect.target.span, meaning, known: true, is_redirect: !takes_line, takes_line }
}

/// Whether a person gets to see what the command prints.
pub(super) fn is_shown(simple: &SimpleCommand) -> bool {
    let kept = simple.redirects.iter().any(|redirect| match redirect.kind {
        RedirectKind::Write | RedirectKind::Append => redirect.fd == 1,
        RedirectKind::WriteBoth | RedirectKind::AppendBoth => true,
        RedirectKind::Read
        | RedirectKind::ReadWrite
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    });
    !kept && !simple.context.piped_into && !simple.context.in_substitution
}

/// What redirections write, as sentences.
pub(super) fn written(simple: &SimpleCommand) -> Vec<String> {
    let writes = simple.redirects.iter().filter(|redirect| match redirect.kind {
        RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::WriteBoth
        | RedirectKind::AppendBoth => redirect.target.raw != "/dev/null",
        RedirectKind::Read
        | RedirectKind::Duplicate
        | RedirectKind::HereDocument
        | RedirectKind::HereString => false,
    });
    writes.map(|redirect| format!("writes {}", redirect.target.raw)).collect()
}

fn program(source: &Source<'_>, args: &[Arg], pieces: &mut Vec<Piece>, depth: u8) {
    let Some((program, rest)) = args.split_first() else { return };
    let name = program.known().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    let Some(entry) = knowledge::program(name) else {
        let meaning = if name.is_empty() {
            "a program whose name is only known when it runs"
        } else {
            "runs this program, which is not known here"
        };
        pieces.push(general(program.span, meaning));
        pieces.extend(rest.iter().map(|arg| general(arg.span, argument(arg))));
        return;
    };
    let parsed = parse(entry, rest);
    let mut span = program.span;
    let (mut adjacent, mut reached, mut named) = (true, entry, entry);
    for sub in &parsed.subs {
        // "git clone" is one part; with an option between them they are two.
        adjacent = adjacent && between(source, span.end, sub.span.start).trim().is_empty();
        reached = sub.known().and_then(|name| reached.sub_command(name)).unwrap_or(reached);
        if adjacent {
            span.end = sub.span.end;
            named = reached;
        } else {
            pieces.push(piece(sub.span, reached.summary.clone()));
        }
    }
    if entry.whole {
        span.end = rest.last().map_or(span.end, |arg| arg.span.end);
    }
    pieces.push(piece(span, named.summary.clone()));
    if entry.whole {
        return;
    }
    flags(&parsed, pieces);
    for (index, arg) in parsed.words.iter().enumerate() {
        let role = if entry.wraps.is_some() { Role::Text } else { parsed.role(index) };
        pieces.push(word(arg, role, parsed.entry, index));
    }
    for arg in &parsed.doubtful {
        pieces.push(general(
            arg.span,
            if arg.known().is_some() { "an option that is not known here" } else { argument(arg) },
        ));
    }
    for inner in &parsed.inner {
        if (entry.wraps.is_some() || entry.rules == Some(Rules::Find)) && depth < 8 {
            self::program(source, inner, pieces, depth + 1);
        } else {
            pieces.extend(inner.iter().map(|arg| general(arg.span, "handed to the program")));
        }
    }
    for arg in rest {
        match arg.known() {
            Some("--") => pieces.push(piece(arg.span, "no options after this")),
            Some(";") if entry.rules == Some(Rules::Find) => {
                pieces.push(piece(arg.span, "the end of that command, run once for each"))
            }
            Some("+") if entry.rules == Some(Rules::Find) => {
                pieces.push(piece(arg.span, "the end of that command, run for many at once"))
            }
            Some("!") if entry.rules == Some(Rules::Find) => pieces.push(piece(arg.span, "that are not")),
            Some(_) | None => {}
        }
    }
}

fn between<'a>(source: &Source<'a>, start: u32, end: u32) -> &'a str {
    source.slice(Span { start, end: end.max(start) })
}

/// Flags in one word, as `-la`, are one part with all their meanings.
fn flags(parsed: &Parsed<'_, '_>, pieces: &mut Vec<Piece>) {
    let mut last: Option<Piece> = None;
    for given in &parsed.flags {
        match &mut last {
            Some(piece) if piece.span.start == given.span.start => {
                piece.meaning = format!("{}; {}", piece.meaning, given.flag.says);
                piece.span.end = piece.span.end.max(given.span.end);
            }
            Some(_) | None => {
                pieces.extend(last.take());
                let mut meaning = given.flag.says.clone();
                if let (Takes::Value(Role::Read | Role::Write | Role::Create | Role::Archive), Some(value)) =
                    (given.flag.value, given.value.as_ref().and_then(Arg::known))
                {
                    meaning = format!("{meaning}: {value}");
                }
                last = Some(piece(given.span, meaning));
            }
        }
    }
    pieces.extend(last);
}

fn argument(arg: &Arg) -> &'static str {
    match &arg.text {
        Text::Known { .. } => "an argument",
        Text::Glob { .. } => "every name that fits this pattern",
        Text::Unknown { .. } => "put in when it runs",
    }
}

fn word(arg: &Arg, role: Role, entry: &Entry, index: usize) -> Piece {
    let text = arg.known();
    let several = matches!(arg.text, Text::Glob { .. });
    let meaning = match role {
        Role::Remote => match text {
            Some(text) if is_local(text) => "from here: a folder on this machine, so no network is used",
            Some(_) => "from this address, over the network",
            None => return general(arg.span, argument(arg)),
        },
        _ if text.is_none() && !several => return general(arg.span, argument(arg)),
        _ if several => "every name that fits this pattern",
        Role::Read | Role::List => match text {
            Some("." | "./") => "this folder",
            Some("-") => "what comes in",
            Some(_) | None => "reads this",
        },
        Role::Write => "writes to this",
        Role::Create => "makes this",
        Role::Change => "changes this",
        Role::Delete => "deletes this",
        Role::RemoveEmpty => "removes this if it is empty",
        Role::Move => "takes this from here",
        Role::Pattern => "what to look for",
        Role::Code => "a small program in its own language",
        Role::Script => "the program to run",
        Role::Url => "this address on the network",
        Role::Transfer => "a file here or on another machine",
        Role::Upload => "what it sends",
        Role::Host => "this machine",
        Role::Package => "this package",
        Role::Archive => "this archive",
        Role::Command => "the command to run",
        Role::Text if entry.expect.as_deref() == Some("the script's own output") && index == 0 => {
            "the name of the script"
        }
        Role::Text if index == 0 && entry.rules == Some(Rules::Container) => {
            "the image, container or service"
        }
        Role::Text if index == 0 && entry.summary.contains("for at most this long") => {
            "this long, in seconds"
        }
        Role::Text if index == 0 && entry.rules == Some(Rules::Ownership) => "the new permissions or owner",
        Role::Text if entry.summary.starts_with("prints text") => "the text",
        Role::Text => return general(arg.span, "an argument"),
    };
    piece(arg.span, meaning)
}
