//! Splits a script into its top-level commands, text exactly as written, with the comments that belong to each.
//!
//! The parser gives no reliable end of a command (here-documents stand elsewhere), so the tokens are cut at separators
//! and every cut is verified: a piece that does not parse by itself is joined with the one after it.

use brush_parser::Token;
use brush_parser::ast::{Program, SourceLocation};

use super::place::Layer;
use crate::Piece;

pub(super) fn split(layer: &Layer, tokens: &[Token], program: &Program) -> Vec<Piece> {
    let starts = starts(layer, tokens, program);
    let mut pieces = Vec::new();
    let mut next = 0;
    let mut previous_end = 0;
    while let Some(&start) = starts.get(next) {
        let mut until = next + 1;
        let piece = loop {
            let limit = starts.get(until).copied().unwrap_or(layer.chars.len());
            let end = end_of(layer, start, limit);
            let body: String = layer.slice(start, end).iter().collect();
            if until >= starts.len() || super::parse(&body).is_ok() {
                break (end, limit, body);
            }
            until += 1;
        };
        let (end, limit, body) = piece;
        let mut comment = comment_above(layer.slice(previous_end, start), pieces.is_empty());
        if let Some(trailing) = trailing_comment(layer.slice(end, limit)) {
            if !comment.is_empty() {
                comment.push('\n');
            }
            comment.push_str(&trailing);
        }
        pieces.push(Piece { text: body, comment, span: layer.base.span(start, end) });
        previous_end = end;
        next = until;
    }
    pieces
}

/// Where each top-level command starts, in characters. The parser places a command by its first word, so what may
/// stand before that (`!`, `time`, `function`, a redirection) is found by going back to the separator.
fn starts(layer: &Layer, tokens: &[Token], program: &Program) -> Vec<usize> {
    // A here-document's body and end stand among the tokens of the line that opens it, but belong to none of its words.
    let mut bodies = vec![false; tokens.len()];
    for (at, token) in tokens.iter().enumerate() {
        if matches!(token, Token::Operator(operator, _) if operator == "<<" || operator == "<<-") {
            bodies.iter_mut().skip(at + 2).take(2).for_each(|body| *body = true);
        }
    }
    let mut ordered: Vec<&Token> =
        tokens.iter().zip(&bodies).filter(|(_, body)| !**body).map(|(token, _)| token).collect();
    ordered.sort_by_key(|token| token.location().start.index);
    let mut starts = Vec::new();
    for item in program.complete_commands.iter().flat_map(|list| &list.0) {
        let Some(location) = item.0.first.location() else { continue };
        let at = ordered.partition_point(|token| token.location().start.index < location.start.index);
        let mut first = location.start.index;
        for token in ordered.get(..at).unwrap_or(&[]).iter().rev() {
            match token {
                Token::Operator(operator, _) if matches!(operator.as_str(), ";" | "&" | "\n") => break,
                Token::Operator(_, place) | Token::Word(_, place) => {
                    first = layer.trimmed(place).0.min(first);
                }
            }
        }
        // A line continuation counts into the token after it.
        while layer.slice(first, first + 2) == ['\\', '\n'] {
            first += 2;
        }
        if starts.last().is_none_or(|last| *last < first) {
            starts.push(first);
        }
    }
    // What stands before the first placed command must not be lost; one that only opens files (`> log`) has no place at all.
    if let Some(token) =
        ordered.iter().find(|t| t.to_str() != "\n").filter(|_| !program.complete_commands.is_empty())
    {
        let begin = token.location().start.index;
        match starts.first_mut() {
            Some(first) => *first = (*first).min(begin),
            None => starts.push(begin),
        }
    }
    starts
}

/// End of the command that starts at `start` and has ended at `limit`: comments, blanks and separators that follow are
/// not its own. A comment is only cut where what is left still parses to the same tokens.
fn end_of(layer: &Layer, start: usize, limit: usize) -> usize {
    let full: String = layer.slice(start, limit).iter().collect();
    let tokens = |text: &str| {
        brush_parser::uncached_tokenize_str(text, &super::options().tokenizer_options()).ok().map(|tokens| {
            let mut words: Vec<String> = tokens.iter().map(|token| token.to_str().to_owned()).collect();
            while matches!(words.last().map(String::as_str), Some(";" | "\n")) {
                words.pop();
            }
            words
        })
    };
    let Some(wanted) = tokens(&full) else { return trim(layer, start, limit) };
    let mut end = trim(layer, start, limit);
    loop {
        let line =
            (start..end).rev().find(|at| layer.chars.get(*at) == Some(&'\n')).map_or(start, |at| at + 1);
        let cut = (line..end)
            .filter(|at| {
                layer.chars.get(*at) == Some(&'#')
                    && (*at == line || layer.chars.get(at - 1).is_some_and(|c| " \t;&".contains(*c)))
            })
            .map(|at| trim(layer, start, at))
            .find(|at| {
                *at < end && {
                    let shorter: String = layer.slice(start, *at).iter().collect();
                    tokens(&shorter).as_ref() == Some(&wanted)
                }
            });
        match cut {
            Some(at) => end = at,
            None => return end,
        }
    }
}

fn trim(layer: &Layer, start: usize, mut end: usize) -> usize {
    while end > start {
        let kept = layer.slice(start, end);
        match kept {
            // `;;` ends no top-level command; `\ ` at the end is an escaped blank.
            [.., '\\', ' ' | '\t' | ';'] => break,
            [.., ' ' | '\t' | '\n' | ';'] => end -= 1,
            _ => break,
        }
    }
    end
}

/// The comment lines directly above a command: an empty line parts them from what is further up.
fn comment_above(gap: &[char], first: bool) -> String {
    let gap: String = gap.iter().collect();
    let mut lines: Vec<&str> = gap.split('\n').collect();
    // The first stretch is the rest of the previous command's line, the last the blanks before this command.
    lines.pop();
    let mut block = Vec::new();
    for (index, line) in lines.iter().enumerate().rev() {
        let line = line.trim();
        match line.strip_prefix('#') {
            Some(rest) if index == 0 && (!first || rest.starts_with('!')) => break,
            Some(rest) => block.push(rest.strip_prefix(' ').unwrap_or(rest)),
            None => break,
        }
    }
    block.reverse();
    block.join("\n")
}

/// A comment on the line where the command ends.
fn trailing_comment(rest: &[char]) -> Option<String> {
    let line: String = rest.iter().take_while(|c| **c != '\n').collect();
    let comment = line.trim_start_matches([' ', '\t', ';', '&']).strip_prefix('#')?;
    Some(comment.strip_prefix(' ').unwrap_or(comment).trim_end().to_owned())
}
