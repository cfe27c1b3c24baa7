//! The words of one simple command with their meanings.

use planwright_shell::{Redirect, RedirectKind, SimpleCommand, Span, Value as Written, Word};

use super::Scene;
use super::level::{Level, Told, kind_of};
use super::sort::{Given, Sorted, sort};
use super::template::{self, filled};
use crate::knowledge::{Kind, Operand, Role, Value, operand_of};
use crate::protocol::MeaningSource;
use crate::risk::{Arg, Text, is_local};

const UNKNOWN: &str = "not known here";

/// One explained stretch of the command.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) span: Span,
    pub(super) meaning: String,
    pub(super) source: MeaningSource,
    /// Its operator stands before it and belongs to it.
    pub(super) is_redirect: bool,
    /// The rest of its last line belongs to it: the word that ends a here-document.
    pub(super) takes_line: bool,
}

fn piece(span: Span, meaning: impl Into<String>) -> Piece {
    told(span, Told::table(meaning))
}

fn told(span: Span, told: Told) -> Piece {
    Piece { span, meaning: told.text, source: told.source, is_redirect: false, takes_line: false }
}

fn unknown(span: Span, meaning: &str) -> Piece {
    told(span, Told { text: meaning.to_owned(), source: MeaningSource::Nowhere })
}

fn unknown_arg(arg: &Arg) -> Piece {
    match &arg.text {
        Text::Known { .. } => unknown(arg.span, UNKNOWN),
        Text::Glob { .. } => unknown(arg.span, "every name that fits this pattern"),
        Text::Unknown { .. } => unknown(arg.span, "put in when it runs"),
    }
}

pub(super) fn pieces(scene: &Scene<'_>, simple: &SimpleCommand) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for assignment in &simple.assignments {
        // The span of the value leaves out the name and the sign before it.
        let before = assignment.name.chars().count() + if assignment.append { 2 } else { 1 };
        let start = assignment.value.span.start.saturating_sub(u32::try_from(before).unwrap_or(0));
        let whole = Span { start, end: assignment.value.span.end };
        let (span, meaning) = if !scene.source.slice(whole).starts_with(&assignment.name) {
            // `for f in *.txt`
            (assignment.value.span, format!("one after another, as {}", assignment.name))
        } else if simple.words.is_empty() {
            (whole, format!("remembers this as {}", assignment.name))
        } else {
            (whole, format!("sets {} for this command alone", assignment.name))
        };
        pieces.push(piece(span, meaning));
    }
    pieces.extend(simple.redirects.iter().map(redirect));
    program(scene, &scene.args(simple), &mut pieces, 0);
    // A word that became nothing, or several, still has its place.
    for word in &simple.words {
        if !pieces.iter().any(|piece| piece.span.start <= word.span.start && word.span.end <= piece.span.end)
        {
            pieces.push(unknown(word.span, unknown_word(word)));
        }
    }
    pieces
}

fn unknown_word(word: &Word) -> &'static str {
    match &word.value {
        Written::Unknown { .. } => "put in when it runs",
        Written::Known { .. } | Written::Several { .. } | Written::Glob { .. } => UNKNOWN,
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
    Piece {
        span: redirect.target.span,
        meaning,
        source: MeaningSource::Tables,
        is_redirect: !takes_line,
        takes_line,
    }
}

/// A program with its words, at `depth` of commands within commands.
fn program(scene: &Scene<'_>, args: &[Arg], pieces: &mut Vec<Piece>, depth: u8) {
    let Some((program, rest)) = args.split_first() else { return };
    let name = program.known().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    if name.is_empty() {
        pieces.push(unknown(program.span, "a program whose name is only known when it runs"));
        pieces.extend(rest.iter().map(unknown_arg));
        return;
    }
    named(scene, name, program, rest, pieces, depth);
}

fn named(scene: &Scene<'_>, name: &str, program: &Arg, rest: &[Arg], pieces: &mut Vec<Piece>, depth: u8) {
    let level = Level::of_program(name, scene.manuals);
    if !level.is_known() {
        pieces.push(unknown(program.span, "runs this program, which is not known here"));
        pieces.extend(rest.iter().map(unknown_arg));
        return;
    }
    if level.entry().is_some_and(|entry| entry.whole) {
        let span =
            Span { start: program.span.start, end: rest.last().map_or(program.span.end, |arg| arg.span.end) };
        let summary = level.summary().unwrap_or_else(|| Told::table(UNKNOWN));
        pieces.push(told(span, summary));
        return;
    }
    let sorted = sort(level, program, rest, scene.manuals);
    names(scene, program, &sorted, pieces);
    options(&sorted, pieces);
    for (index, arg) in sorted.operands.iter().enumerate() {
        pieces.push(operand(&sorted, arg, index));
    }
    for arg in &sorted.assignments {
        let name = arg.sure().split('=').next().unwrap_or_default();
        pieces.push(piece(arg.span, format!("sets {name} for this command alone")));
    }
    pieces.extend(sorted.strange.iter().map(|arg| unknown_arg(arg)));
    pieces.extend(sorted.end.map(|arg| piece(arg.span, "no options after this")));
    for arg in &sorted.ends {
        let how = if arg.known() == Some("+") { "for many at once" } else { "once for each" };
        pieces.push(piece(arg.span, format!("the end of that command, run {how}")));
    }
    if depth < 8 {
        for inner in &sorted.inner {
            self::program(scene, inner, pieces, depth + 1);
        }
        module(scene, sorted.module, pieces, depth + 1);
    }
}

/// `-m venv .venv`: a module that is known under its name with its option, or as a program.
fn module(scene: &Scene<'_>, words: Option<&[Arg]>, pieces: &mut Vec<Piece>, depth: u8) {
    let Some((first, rest)) = words.and_then(<[Arg]>::split_first) else { return };
    let name = first.known().unwrap_or_default();
    let own = format!("-m {name}");
    let known = !crate::knowledge::meanings(&own).is_empty();
    named(scene, if known { &own } else { name }, first, rest, pieces, depth);
}

/// The program and its sub-commands: "git clone" is one part; with an option between them they are two.
fn names(scene: &Scene<'_>, program: &Arg, sorted: &Sorted<'_>, pieces: &mut Vec<Piece>) {
    let mut span = program.span;
    let mut whole = sorted.levels.first().and_then(Level::summary);
    let mut joined = true;
    for (sub, level) in sorted.subs.iter().zip(sorted.levels.iter().skip(1)) {
        let gap = scene.source.slice(Span { start: span.end, end: sub.span.start.max(span.end) });
        let summary = level.summary();
        joined = joined && gap.trim().is_empty() && summary.is_some();
        if joined {
            span.end = sub.span.end;
            whole = summary;
        } else {
            pieces
                .push(summary.map_or_else(|| unknown(sub.span, UNKNOWN), |summary| told(sub.span, summary)));
        }
    }
    pieces.push(
        whole.map_or_else(|| unknown(span, "what it does is not known here"), |whole| told(span, whole)),
    );
}

/// Options in one word, as `-la`, are one part with all their meanings.
fn options(sorted: &Sorted<'_>, pieces: &mut Vec<Piece>) {
    let mut last: Option<Piece> = None;
    for given in &sorted.flags {
        let meaning = option(given);
        match &mut last {
            Some(piece) if piece.span.start == given.span.start => {
                if piece.meaning != meaning.text {
                    piece.meaning = format!("{}; {}", piece.meaning, meaning.text);
                }
                piece.span.end = piece.span.end.max(given.span.end);
                piece.source = weaker(piece.source, meaning.source);
            }
            Some(_) | None => {
                pieces.extend(last.take());
                last = Some(told(given.span, meaning));
            }
        }
    }
    pieces.extend(last);
}

/// Of two sources the one that is worth a word.
fn weaker(one: MeaningSource, other: MeaningSource) -> MeaningSource {
    let rank = |source| match source {
        MeaningSource::Tables => 0,
        MeaningSource::ManPage => 1,
        MeaningSource::Completion => 2,
        MeaningSource::Nowhere => 3,
    };
    if rank(one) >= rank(other) { one } else { other }
}

fn option(given: &Given) -> Told {
    let nothing = || Told { text: UNKNOWN.to_owned(), source: MeaningSource::Nowhere };
    let Some(said) = given.found.told.clone() else { return nothing() };
    let (Value::Of(kind) | Value::Optional(kind) | Value::Maybe(kind)) = &given.found.value else {
        return said;
    };
    if given.found.names_value {
        let says = template::with_value(&said.text, given.value.is_some());
        return filled(&says, kind, given.value.as_ref())
            .map_or_else(nothing, |text| Told { text, source: said.source });
    }
    match given.value.as_ref().and_then(Arg::known) {
        Some(value) if matches!(kind, Kind::Path | Kind::OutPath) => {
            Told { text: format!("{}: {value}", said.text), source: said.source }
        }
        Some(_) | None => said,
    }
}

/// What the word number `index` means.
fn operand(sorted: &Sorted<'_>, arg: &Arg, index: usize) -> Piece {
    let count = sorted.operands.len();
    if let Some(own) = spoken_for(sorted, arg, index, count) {
        return match filled(&own.says, &own.kind, Some(arg)) {
            // To repeat a word is no meaning.
            Some(text) if arg.known() != Some(text.as_str()) => piece(arg.span, text),
            Some(_) | None => unknown_arg(arg),
        };
    }
    let entry = sorted.level().and_then(Level::entry);
    match entry.map(|entry| entry.role(index + sorted.skipped(), count + sorted.skipped())) {
        Some(role) => by_role(arg, role),
        None => unknown_arg(arg),
    }
}

/// What the tables of meanings say of it: an option's word on it comes first.
fn spoken_for<'s>(sorted: &'s Sorted<'_>, arg: &Arg, index: usize, count: usize) -> Option<&'s Operand> {
    let by_option = sorted.flags.iter().find_map(|given| given.found.opt?.args.as_deref());
    if let Some(args) = by_option {
        return operand_of(args, None, index, count, 0);
    }
    let skipped = sorted.skipped();
    let meanings = sorted.level()?.meanings();
    let behind = sorted.end.is_some_and(|end| end.span.start < arg.span.start);
    if let Some(own) = meanings.iter().find_map(|own| own.behind.as_ref()).filter(|_| behind) {
        return Some(own);
    }
    let own = meanings.iter().find(|own| !own.args.is_empty() || own.last.is_some());
    own.and_then(|own| own.operand(index, count, skipped))
}

/// In the general words of its role in the tables of verdicts.
fn by_role(arg: &Arg, role: Role) -> Piece {
    let says = match role {
        Role::Remote => match arg.known() {
            Some(text) if is_local(text) => "from here: a folder on this machine, so no network is used",
            Some(_) => "from this address, over the network",
            None => return unknown_arg(arg),
        },
        Role::Read | Role::List => match arg.known() {
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
        Role::Script => "the program to run",
        Role::Url => "this address on the network",
        Role::Upload => "what it sends",
        Role::Host => "this machine",
        Role::Package => "this package",
        Role::Archive => "this archive",
        Role::Transfer => "a file here or on another machine",
        Role::Pattern | Role::Code | Role::Command | Role::Text => return unknown_arg(arg),
    };
    filled(says, &kind_of(role), Some(arg)).map_or_else(|| unknown_arg(arg), |text| piece(arg.span, text))
}
