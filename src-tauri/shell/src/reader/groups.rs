//! What makes no sense apart is one piece, for each piece is run by a shell of its own: what lives no longer than the shell
//! that ran it (a command in the background, a trap, a descriptor that stays open, a coprocess, another meaning of the text
//! that follows) with all that follows, and what asks how the command before it went with that command.

use super::place::Layer;
use crate::{MAX_TEXT, Piece};

/// A piece that would be too long to be read by itself is left apart.
pub(super) fn grouped(layer: &Layer, pieces: Vec<Piece>) -> Vec<Piece> {
    let mut groups: Vec<Piece> = Vec::new();
    let mut bound = false;
    for piece in pieces {
        let joins = bound || asks_of_the_last(&piece.text);
        bound = bound || ends_with_its_shell(&piece.text);
        let joined = groups.last().filter(|_| joins).and_then(|last| joined(layer, last, &piece));
        match (joined, groups.last_mut()) {
            (Some(whole), Some(last)) => *last = whole,
            _ => groups.push(piece),
        }
    }
    groups
}

fn joined(layer: &Layer, first: &Piece, last: &Piece) -> Option<Piece> {
    let (start, end) = (first.span.start as usize, last.span.end as usize);
    let text: String = layer.slice(start, end).iter().collect();
    if text.len() > MAX_TEXT || super::parse(&text).is_err() {
        return None;
    }
    Some(Piece { text, comment: first.comment.clone(), span: layer.base.span(start, end) })
}

/// Whether it begins with a command that reads the status of the one before, or its process.
fn asks_of_the_last(piece: &str) -> bool {
    let first = piece.split([';', '|', '&', '\n']).next().unwrap_or_default();
    ["$?", "${?}", "PIPESTATUS", "$!", "${!}"].iter().any(|name| first.contains(name))
}

fn ends_with_its_shell(piece: &str) -> bool {
    let text = piece.trim_end();
    let mut words = text.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let in_background = text.ends_with('&') && !text.ends_with("&&") && !text.ends_with("\\&");
    in_background
        || match (first, second) {
            ("coproc" | "ulimit", _) => true,
            // With these on a text means something else, so no shell starts with them.
            ("shopt", Some("-s")) => words.any(|option| matches!(option, "extglob" | "expand_aliases")),
            // `trap -p` shows, `trap - EXIT` takes away.
            ("trap", Some(what)) => !what.starts_with('-') || what == "--",
            ("exec", Some(what)) => {
                what.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['<', '>', '&', '{'])
            }
            _ => false,
        }
}
