//! What lives no longer than the shell that ran it makes no sense apart from what follows: a command in the background,
//! a trap, a descriptor that stays open, a coprocess. From the first such command on a text is one piece, for each piece
//! is run by a shell of its own.

use super::place::Layer;
use crate::{MAX_TEXT, Piece};

/// A piece that would be too long to be read by itself is left apart.
pub(super) fn grouped(layer: &Layer, mut pieces: Vec<Piece>) -> Vec<Piece> {
    let bound = pieces.iter().position(|piece| ends_with_its_shell(&piece.text));
    let Some((first, last)) = bound.and_then(|at| pieces.get(at)).zip(pieces.last()) else { return pieces };
    let (start, end) = (first.span.start as usize, last.span.end as usize);
    let text: String = layer.slice(start, end).iter().collect();
    if text.len() > MAX_TEXT || super::parse(&text).is_err() {
        return pieces;
    }
    let joined = Piece { text, comment: first.comment.clone(), span: layer.base.span(start, end) };
    pieces.truncate(bound.unwrap_or(pieces.len()));
    pieces.push(joined);
    pieces
}

fn ends_with_its_shell(piece: &str) -> bool {
    let text = piece.trim_end();
    let mut words = text.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let in_background = text.ends_with('&') && !text.ends_with("&&") && !text.ends_with("\\&");
    in_background
        || match (first, second) {
            ("coproc", _) => true,
            // `trap -p` shows, `trap - EXIT` takes away.
            ("trap", Some(what)) => !what.starts_with('-') || what == "--",
            ("exec", Some(what)) => {
                what.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>', '&', '{'])
            }
            _ => false,
        }
}
