//! What makes no sense apart is one piece: a command in the background with all that follows in its text, so that what it
//! writes stays with it; a trap with what it guards; another input or output, another meaning of the text, or an end, with what
//! follows; what asks how the command before it went with that command.

use super::place::Layer;
use crate::binding::Script;
use crate::{Facts, MAX_TEXT, Piece, Span};

/// A piece that would be too long to be read by itself is left apart.
pub(super) fn grouped(layer: &Layer, pieces: Vec<Piece>, facts: &Facts) -> Vec<Piece> {
    let joins = joins(layer, &pieces, &Script::of(facts));
    let mut groups: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut run: Vec<Piece> = Vec::new();
    for (piece, joins) in pieces.into_iter().zip(joins) {
        if !joins {
            close(layer, &mut run, &mut groups);
        }
        run.push(piece);
    }
    close(layer, &mut run, &mut groups);
    groups
}

/// Whether each piece goes with the one before it.
fn joins(layer: &Layer, pieces: &[Piece], script: &Script<'_>) -> Vec<bool> {
    let text = |span: Span| layer.slice(span.start as usize, span.end as usize).iter().collect();
    // A line has its number in the whole alone.
    let mut bound = pieces.iter().any(|piece| piece.text.contains("LINENO"));
    let mut joins = vec![false; pieces.len()];
    for (at, pair) in pieces.windows(2).enumerate() {
        let [before, piece] = pair else { continue };
        bound = bound || is_begun(&before.text) || script.binds(before.span);
        joins[at + 1] =
            bound || script.asks_of_the_last(piece.span, text) || script.answers(before.span, &before.text);
    }
    joins
}

/// A command in the background, also one that the walk places nowhere, such as `((x)) &`.
fn is_begun(piece: &str) -> bool {
    let text = piece.trim_end();
    let in_background = text.ends_with('&') && !text.ends_with("&&") && !text.ends_with("\\&");
    in_background || text.split_whitespace().next() == Some("coproc")
}

/// Takes the run as one piece; as long ones as may be read where it is longer than that.
fn close(layer: &Layer, run: &mut Vec<Piece>, groups: &mut Vec<Piece>) {
    let mut rest = std::mem::take(run).into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut together = vec![first];
        while let Some(next) = rest.next_if(|next| fits(layer, &together[0], next)) {
            together.push(next);
        }
        match joined(layer, &together) {
            Some(whole) => groups.push(whole),
            None => groups.append(&mut together),
        }
    }
}

fn fits(layer: &Layer, first: &Piece, last: &Piece) -> bool {
    let text = layer.slice(first.span.start as usize, last.span.end as usize);
    text.iter().map(|sign| sign.len_utf8()).sum::<usize>() <= MAX_TEXT
}

fn joined(layer: &Layer, together: &[Piece]) -> Option<Piece> {
    let (first, last) = (together.first()?, together.last()?);
    if together.len() == 1 {
        return Some(first.clone());
    }
    let (start, end) = (first.span.start as usize, last.span.end as usize);
    let text: String = layer.slice(start, end).iter().collect();
    if super::parse(&text).is_err() {
        return None;
    }
    Some(Piece { text, comment: first.comment.clone(), span: layer.base.span(start, end) })
}
