//! The second reader: tree-sitter's grammar of bash, written apart from the first reader's. Owns the comparison of the
//! two and can only add a doubt: a command, or a file that is written, which it sees where the first reader has none.
//! It never adds to what was found, and says nothing where it is not sure of the text itself.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tree_sitter::{Node, Parser, Tree};

use super::place::{line_of, small};
use super::words::ansi_c;
use crate::{Doubt, DoubtKind, SimpleCommand, Span, Value};

/// Words that the grammar takes for the program although bash runs the command behind them, or (`coproc N { a; }`)
/// ends one there.
const KEYWORDS: [&str; 4] = ["time", "coproc", "{", "}"];

thread_local! {
    /// Making a parser costs more than most texts do.
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// What the second reader found, by what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Program,
    Written,
}

/// A doubt where the second reader sees more than `commands`, which the first found in `text`.
pub(super) fn doubt(text: &str, commands: &[SimpleCommand]) -> Option<Doubt> {
    let Some(tree) = parse(text) else {
        return Some(disagreement("The second reader could not read it".to_owned(), None));
    };
    // Where its grammar does not fit, what it finds is guesswork; and it fits not even `cat <<E > f; ls`.
    if tree.root_node().has_error() {
        return None;
    }
    let first = First::new(commands);
    let places = Places::new(text);
    let (seen, node) = nodes(&tree).find_map(|node| {
        let (seen, node) = found(node, text)?;
        // Its grammar ends a word where a line goes on (`l\` and on the next line `s`), bash does not.
        if text.get(node.end_byte()..).is_some_and(|rest| rest.starts_with("\\\n")) {
            return None;
        }
        (!first.has(seen, places.span(node), slice(text, node))).then_some((seen, node))
    })?;
    let what = slice(text, node).chars().take(60).collect::<String>();
    let said = match seen {
        Seen::Program => format!("Two readers do not agree on whether this runs: {what}"),
        Seen::Written => format!("Two readers do not agree on whether this file is used: {what}"),
    };
    Some(disagreement(said, Some(line_of(text, places.span(node).start as usize))))
}

fn disagreement(text: String, line: Option<u32>) -> Doubt {
    Doubt { kind: DoubtKind::Disagreement, text, line }
}

fn parse(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|place| {
        if place.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
            *place = Some(parser);
        }
        place.as_mut()?.parse(text, None)
    })
}

/// Every named node, outer before inner. Without recursion: a list of a thousand commands is a thousand nodes deep.
fn nodes(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = tree.walk();
    let mut next = Some(cursor.node());
    std::iter::from_fn(move || {
        let node = next?;
        let mut onward = cursor.goto_first_child() || cursor.goto_next_sibling();
        while !onward && cursor.goto_parent() {
            onward = cursor.goto_next_sibling();
        }
        next = onward.then(|| cursor.node());
        Some(node)
    })
}

/// What `node` says of the text, with the node that names it.
fn found<'tree>(node: Node<'tree>, text: &str) -> Option<(Seen, Node<'tree>)> {
    match node.kind() {
        "command" => {
            let name = node.child_by_field_name("name")?;
            if KEYWORDS.contains(&slice(text, name)) {
                return None;
            }
            Some((Seen::Program, name))
        }
        "declaration_command" | "unset_command" => Some((Seen::Program, node.child(0)?)),
        "file_redirect" => Some((Seen::Written, node.child_by_field_name("destination")?)),
        _ => None,
    }
}

fn slice<'text>(text: &'text str, node: Node<'_>) -> &'text str {
    text.get(node.byte_range()).unwrap_or("")
}

/// Where the first reader found programs and redirections.
struct First {
    programs: BTreeSet<u32>,
    files: BTreeSet<u32>,
    /// Stretches in which places are not known exactly, with the words found there.
    vague: Vec<(Span, String)>,
}

impl First {
    fn new(commands: &[SimpleCommand]) -> Self {
        let mut first = Self { programs: BTreeSet::new(), files: BTreeSet::new(), vague: Vec::new() };
        for command in commands {
            if let Some(word) = command.words.first() {
                first.programs.insert(word.span.start);
                let text = match &word.value {
                    Value::Known { text, .. } => text,
                    Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => &word.raw,
                };
                first.vague.push((word.span, plain(text)));
            }
            for redirect in &command.redirects {
                first.files.insert(redirect.target.span.start);
                first.vague.push((redirect.target.span, plain(&redirect.target.raw)));
            }
        }
        first
    }

    fn has(&self, seen: Seen, span: Span, text: &str) -> bool {
        let exact = match seen {
            Seen::Program => &self.programs,
            Seen::Written => &self.files,
        };
        exact.contains(&span.start) || {
            let plainly = plain(text);
            // Behind such quotes the first reader's places are off by what the quotes took; its words are not.
            let displaced = text.contains("\\\n") || text.contains("$'");
            self.vague.iter().any(|(around, found)| {
                let covers = around.start <= span.start && span.end <= around.end;
                (covers || displaced) && *found == plainly
            })
        }
    }
}

/// `text` without what quotes it.
fn plain(text: &str) -> String {
    let mut plainly = String::new();
    let mut rest = text;
    while let Some((before, quoted)) = rest.split_once("$'") {
        let (inner, after) = quoted.split_once('\'').unwrap_or((quoted, ""));
        plainly += before;
        plainly += &ansi_c(inner).unwrap_or_else(|| inner.to_owned());
        rest = after;
    }
    plainly += rest;
    plainly.retain(|c| !matches!(c, '\\' | '\'' | '"' | '\n'));
    plainly
}

/// Bytes to characters.
struct Places(Option<Vec<u32>>);

impl Places {
    fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self(None);
        }
        let mut places = vec![0; text.len() + 1];
        let mut at = 0;
        for (count, character) in text.chars().enumerate() {
            let end = at + character.len_utf8();
            places[at..end].fill(small(count));
            at = end;
            places[end] = small(count + 1);
        }
        Self(Some(places))
    }

    fn span(&self, node: Node<'_>) -> Span {
        let at = |byte: usize| match &self.0 {
            None => small(byte),
            Some(places) => places.get(byte).copied().unwrap_or(u32::MAX),
        };
        Span { start: at(node.start_byte()), end: at(node.end_byte()) }
    }
}
