//! Reads bash text with brush-parser and flattens its tree into [`Facts`]; a second reader looks over its shoulder.
//!
//! What cannot be read or resolved becomes a doubt or an unknown part of a word; it is never dropped. Nothing here
//! runs, expands from the environment, or judges. Guards stand before the parser because it can be made to recurse
//! without end; the time and memory limits of the worker stand behind them.

mod braces;
mod groups;
mod guard;
mod inner;
mod pieces;
mod place;
mod redirects;
mod second;
mod walk;
mod words;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::ast::Program;
use brush_parser::{ParseError, ParserOptions, Token, parse_tokens, uncached_tokenize_str};

use crate::{Doubt, DoubtKind, Facts};
use place::{Layer, line_of};
use walk::Walk;

/// Reads `text`, at most `max_text` bytes of it. Never fails: what goes wrong is a doubt. May still be made to loop or
/// grow, see the crate's note.
pub fn read(text: &str, max_text: usize) -> Facts {
    if text.len() > max_text {
        return refused(DoubtKind::TooLong, format!("It is longer than {max_text} bytes"), None);
    }
    if guard::nests_too_deep(text) {
        return refused(DoubtKind::TooDeep, "It is nested too deep to be read".into(), None);
    }
    if guard::ends_document_oddly(text) {
        return refused(DoubtKind::Syntax, "It has a here-document whose end could not be read".into(), None);
    }
    // The parser unwraps numbers that do not fit, so a panic here is the text's doing and not ours.
    match catch_unwind(AssertUnwindSafe(|| read_guarded(text))) {
        Ok(facts) => facts,
        Err(_) => refused(DoubtKind::Syntax, "It has a part that the reader cannot handle".into(), None),
    }
}

fn read_guarded(text: &str) -> Facts {
    let mut walk = Walk::default();
    if let Some((line, what)) = guard::hidden_character(text) {
        walk.doubt(DoubtKind::Hidden, format!("It has {what}, which can hide what runs"), Some(line));
    }
    match parse(text) {
        Ok((tokens, program)) => {
            let layer = Layer::outermost(text);
            walk.program(&layer, &program);
            let pieces = pieces::split(&layer, &tokens, &program);
            walk.facts.pieces = groups::grouped(&layer, pieces, &walk.facts);
            if walk.facts.doubts.is_empty() {
                walk.facts.doubts.extend(second::doubt(text, &walk.facts.commands));
            }
        }
        Err(error) => walk.syntax(&error, text, None),
    }
    walk.facts.inner = inner::read_in(&walk.facts.commands, text.len());
    walk.facts
}

fn refused(kind: DoubtKind, text: String, line: Option<u32>) -> Facts {
    Facts { doubts: vec![Doubt { kind, text, line }], ..Facts::default() }
}

/// Extended globbing stays off: with it the parser takes `!(touch f)` for a word while bash runs it.
fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

/// A text that only extended patterns make whole (`ls !(*.md)` behind `shopt -s extglob`) is read with them. Where bash has
/// them off it refuses such a line, so nothing of it runs unseen.
fn parse(text: &str) -> Result<(Vec<Token>, Program), ParseError> {
    parse_with(text, &options()).or_else(|error| {
        if !extends_patterns(text) {
            return Err(error);
        }
        let extended = ParserOptions { enable_extended_globbing: true, ..options() };
        parse_with(text, &extended).ok().filter(|(tokens, _)| !negates_a_group(tokens)).ok_or(error)
    })
}

/// Whether anything in it looks like an extended pattern, as hardly any text does.
fn extends_patterns(text: &str) -> bool {
    ["?(", "*(", "+(", "@(", "!("].iter().any(|opening| text.contains(opening))
}

fn parse_with(text: &str, options: &ParserOptions) -> Result<(Vec<Token>, Program), ParseError> {
    let text = without_open_line(text);
    let mut tokens = uncached_tokenize_str(&text, &options.tokenizer_options())
        .map_err(|inner| ParseError::Tokenizing { inner, position: None })?;
    selects_as_loops(&mut tokens);
    let program = parse_tokens(&tokens, options)?;
    Ok((tokens, program))
}

/// A backslash that is the last of the text goes on to nothing: before a line end bash drops both, at the very end it is a
/// backslash.
fn without_open_line(text: &str) -> Cow<'_, str> {
    let body = text.trim_end_matches('\n');
    let slashes = body.len() - body.trim_end_matches('\\').len();
    match (slashes % 2, body.len() == text.len()) {
        (0, _) => Cow::Borrowed(text),
        (_, true) => Cow::Owned(format!("{text}\\")),
        (_, false) => Cow::Borrowed(&body[..body.len() - 1]),
    }
}

/// Where a command may begin behind it.
fn opens_a_command(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::Operator(..)) => true,
        Some(Token::Word(word, _)) => {
            matches!(
                word.as_str(),
                "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" | "time" | "{" | "coproc"
            )
        }
    }
}

/// The parser knows no `select`; it repeats commands over words as `for` does.
fn selects_as_loops(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let opens = opens_a_command(at.checked_sub(1).and_then(|before| tokens.get(before)));
        let names = matches!(tokens.get(at + 1), Some(Token::Word(..)))
            && tokens.get(at + 2).is_some_and(|behind| matches!(behind.to_str(), "in" | "do" | ";" | "\n"));
        if let Some(Token::Word(word, _)) = tokens.get_mut(at)
            && word == "select"
            && opens
            && names
        {
            "for".clone_into(word);
        }
    }
}

/// `!(touch f)` where a command begins: a pattern to one reader, and run by the other.
fn negates_a_group(tokens: &[Token]) -> bool {
    let before = std::iter::once(None).chain(tokens.iter().map(Some));
    before.zip(tokens).any(|(before, token)| token.to_str().starts_with("!(") && opens_a_command(before))
}

/// Line of a parse error, from 1.
fn error_line(error: &ParseError, text: &str) -> u32 {
    let line = match error {
        ParseError::ParsingNear(position) => position.line,
        ParseError::ParsingAtEndOfInput | ParseError::Tokenizing { position: None, .. } => {
            return line_of(text, text.chars().count());
        }
        ParseError::Tokenizing { position: Some(position), .. } => position.line,
    };
    u32::try_from(line).unwrap_or(u32::MAX)
}
