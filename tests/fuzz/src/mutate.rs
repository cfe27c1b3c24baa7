//! Small and large damage to a text, as a hostile hand or a broken copy would do it.

use fastrand::Rng;

/// What opens something, for nesting.
const OPENINGS: [(&str, &str); 14] = [
    ("(", ")"),
    ("((", "))"),
    ("{ ", "; }"),
    ("$(", ")"),
    ("\"$(", ")\""),
    ("`", "`"),
    ("${x:-", "}"),
    ("$[", "]"),
    ("if ", "; then ls; fi"),
    ("[[ (", ") ]]"),
    ("{a,", "}"),
    ("<(", ")"),
    ("case x in x) ", ";; esac"),
    ("$((", "))"),
];

/// Characters and signs that mean something to bash, or look as if they did.
pub const SIGNS: [&str; 62] = [
    "\"", "'", "\\", "`", "$", "(", ")", "{", "}", "[", "]", ";", "&", "|", "<", ">", "<<", "<<<", "<<-",
    "\n", "\t", " ", "#", "!", "*", "?", "~", "=", "+=", ",", "..", ";;", "&&", "||", "|&", "$(", "${",
    "$((", "$[", "))", "<(", ">(", "$'", "$\"", "\\\n", "&>", ">&", ";&", ";;&", "((", "[[", "]]", "@(",
    "!(", "+(", "%", "^", ":", "-", "1", "0", "é",
];

/// Words and characters that only a hostile text has.
const ODD: [&str; 34] = [
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{0}",
    "\u{1b}",
    "\u{202e}",
    "\u{200b}",
    "\u{a0}",
    "\u{feff}",
    "😀",
    "漢",
    "IFS=",
    "eval ",
    "<<E$[\t\t",
    "99999999999999999999",
    "${x@P}",
    "$IFS",
    "select x in ",
    "function ",
    "time ",
    "coproc ",
    "do ",
    "done",
    "esac",
    "then ",
    "fi",
    "in ",
    " rm -rf ~ ",
    " rm -rf / ",
    "|sh",
    "bash -c '",
    "\\x72\\x6d",
    "$0",
    "<<''\n",
];

/// `text` with up to four changes, some with a piece of `other`.
pub fn mutate(rng: &mut Rng, text: &str, other: &str, most: usize) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + rng.usize(..4) {
        text = once(rng, &text, other);
    }
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
    }
    text
}

/// One change that only moves or adds signs of bash and what is in the two texts.
pub fn mild(rng: &mut Rng, text: &str, other: &str) -> String {
    match rng.u8(..7) {
        0 => cut(rng, text),
        1 => doubled(rng, text),
        2 => spliced(rng, text, other),
        3 => swapped(rng, text),
        4 => requoted(rng, text),
        _ => {
            let sign = SIGNS[rng.usize(..SIGNS.len())];
            inserted(rng, text, sign)
        }
    }
}

fn once(rng: &mut Rng, text: &str, other: &str) -> String {
    match rng.u16(..2048) {
        0..1500 => mild(rng, text, other),
        1500..1900 => {
            let odd = ODD[rng.usize(..ODD.len())];
            inserted(rng, text, odd)
        }
        1900..2000 => {
            let character = rng.char(..).to_string();
            inserted(rng, text, &character)
        }
        2000..2040 => {
            let (open, close) = OPENINGS[rng.usize(..OPENINGS.len())];
            let depth = 1 + rng.usize(..40);
            format!("{}{text}{}", open.repeat(depth), close.repeat(if rng.bool() { depth } else { 0 }))
        }
        2040..2046 => format!("{text}\n").repeat(2 + rng.usize(..40)),
        _ => format!("{text} ").repeat(17_000 / (text.len() + 1)),
    }
}

/// A place between two characters.
fn place(rng: &mut Rng, text: &str) -> usize {
    text.floor_char_boundary(rng.usize(..=text.len()))
}

fn range(rng: &mut Rng, text: &str) -> (usize, usize) {
    let start = place(rng, text);
    let length = if rng.bool() { rng.usize(..4) } else { rng.usize(..24) };
    (start, text.floor_char_boundary((start + length).min(text.len())).max(start))
}

fn inserted(rng: &mut Rng, text: &str, what: &str) -> String {
    let (before, after) = text.split_at(place(rng, text));
    format!("{before}{what}{after}")
}

fn cut(rng: &mut Rng, text: &str) -> String {
    let (start, end) = range(rng, text);
    format!("{}{}", &text[..start], &text[end..])
}

fn doubled(rng: &mut Rng, text: &str) -> String {
    let (start, end) = range(rng, text);
    let piece = text[start..end].to_owned();
    inserted(rng, text, &piece)
}

fn spliced(rng: &mut Rng, text: &str, other: &str) -> String {
    if rng.bool() {
        let (start, end) = range(rng, other);
        inserted(rng, text, &other[start..end])
    } else {
        format!("{}{}", &text[..place(rng, text)], &other[place(rng, other)..])
    }
}

fn swapped(rng: &mut Rng, text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let (a, b) = (rng.usize(..words.len()), rng.usize(..words.len()));
    words.swap(a, b);
    words.join(" ")
}

fn requoted(rng: &mut Rng, text: &str) -> String {
    let (from, to) = (rng.usize(..4), rng.usize(..4));
    let quotes = ['"', '\'', '`', '\\'];
    let wanted = quotes[from];
    let count = text.matches(wanted).count();
    if count == 0 {
        return text.to_owned();
    }
    let chosen = rng.usize(..count);
    let mut seen = 0;
    text.chars()
        .map(|c| {
            let hit = c == wanted && seen == chosen;
            seen += usize::from(c == wanted);
            if hit { quotes[to] } else { c }
        })
        .collect()
}
