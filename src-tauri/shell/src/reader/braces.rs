//! Brace expansion, as far as it is sure: `{a,b}`, `{1..3}`, nested. What bash would do differently from the parser
//! (mixed case, zeros in front where there are several braces) and what grows too large is left unresolved.

use brush_parser::word::{BraceExpressionMember, BraceExpressionOrText, parse_brace_expansions};

const MAX_WORDS: usize = 256;
const MAX_DIGITS: usize = 19;
/// Words that the braces of a whole text make; what more of them would make is left unresolved.
pub(super) const MOST_IN_A_TEXT: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Braces {
    /// Nothing to expand.
    None,
    /// The words, still quoted.
    Words(Vec<String>),
    /// There is something, but it cannot be told what comes of it.
    Unsure,
}

pub(super) fn expand(raw: &str) -> Braces {
    if !raw.contains('{') {
        return Braces::None;
    }
    match parse_brace_expansions(raw, &super::options()) {
        Ok(None) => Braces::None,
        Ok(Some(pieces)) if pieces.iter().all(|p| matches!(p, BraceExpressionOrText::Text(_))) => {
            Braces::None
        }
        Ok(Some(pieces)) => {
            let width = if has_padding(raw) { width(raw) } else { Some(0) };
            width.and_then(|width| join(&pieces, width)).map_or(Braces::Unsure, Braces::Words)
        }
        Err(_) => Braces::Unsure,
    }
}

/// One pattern for all that these patterns match, and perhaps more: `*.png` and `*.jpg` are `*.*g`. `None` where they
/// differ in more than a part of one name.
pub(super) fn pattern_of_all(patterns: &[String]) -> Option<String> {
    let (first, rest) = patterns.split_first()?;
    let shared =
        |same: &dyn Fn(&str) -> usize| rest.iter().map(|other| same(other)).min().unwrap_or(first.len());
    let start = shared(&|other| {
        let same = first.chars().zip(other.chars()).take_while(|(one, two)| one == two);
        same.map(|(c, _)| c.len_utf8()).sum()
    });
    let end = shared(&|other| {
        let same = first.chars().rev().zip(other.chars().rev()).take_while(|(one, two)| one == two);
        same.map(|(c, _)| c.len_utf8()).sum()
    });
    let shortest = patterns.iter().map(String::len).min()?;
    let end = end.min(shortest - start);
    let before = first.get(..start)?;
    let name = before.rsplit('/').next().unwrap_or(before);
    let plain = patterns.iter().all(|pattern| {
        let differs = pattern.get(start..pattern.len() - end).unwrap_or("/");
        // `*` matches no name that begins with a dot; what is in square brackets is not cut into two.
        let hidden = name.is_empty() && differs.starts_with('.');
        !hidden && !differs.contains('/') && !pattern.contains(['[', ']', '\\'])
    });
    (plain && !name.starts_with('.'))
        .then(|| format!("{before}*{}", first.get(first.len() - end..).unwrap_or_default()))
}

/// `{01..10}` keeps its zeros in bash; the parser has lost them.
fn has_padding(raw: &str) -> bool {
    raw.contains("..")
        && raw
            .split(['{', '.', '}', ','])
            .map(|number| number.trim_start_matches(['-', '+']))
            .any(|number| number.len() > 1 && number.starts_with('0'))
}

/// How wide bash makes the numbers of the only braces: as wide as the wider end is written. Nobody writes more digits
/// than the largest number has.
fn width(raw: &str) -> Option<usize> {
    let (_, rest) = raw.split_once('{')?;
    let (range, behind) = rest.split_once('}')?;
    let (start, rest) = range.split_once("..")?;
    let end = rest.split("..").next()?;
    let plain = |end: &str| !end.is_empty() && end.bytes().all(|c| c.is_ascii_digit());
    let alone = !rest.contains('{') && !behind.contains(['{', '}']) && plain(start) && plain(end);
    let padded = [start, end].iter().any(|end| end.len() > 1 && end.starts_with('0'));
    let width = if padded { start.len().max(end.len()) } else { 0 };
    (alone && width <= MAX_DIGITS).then_some(width)
}

/// `width`: digits that each number has at least.
fn join(pieces: &[BraceExpressionOrText], width: usize) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    for piece in pieces {
        let ends = match piece {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut ends = Vec::new();
                for member in members {
                    ends.extend(expand_member(member, width)?);
                }
                ends
            }
        };
        if words.len().checked_mul(ends.len())? > MAX_WORDS {
            return None;
        }
        words = words.iter().flat_map(|start| ends.iter().map(move |end| format!("{start}{end}"))).collect();
    }
    Some(words)
}

fn expand_member(member: &BraceExpressionMember, width: usize) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::NumberSequence { start, end, increment } => {
            Some(sequence(*start, *end, *increment)?.into_iter().map(|n| format!("{n:0width$}")).collect())
        }
        BraceExpressionMember::CharSequence { start, end, increment } => {
            if start.is_ascii_lowercase() != end.is_ascii_lowercase() {
                return None;
            }
            sequence(i64::from(u32::from(*start)), i64::from(u32::from(*end)), *increment)?
                .into_iter()
                .map(|n| u32::try_from(n).ok().and_then(char::from_u32).map(String::from))
                .collect()
        }
        BraceExpressionMember::Child(pieces) => join(pieces, width),
    }
}

fn sequence(start: i64, end: i64, increment: i64) -> Option<Vec<i64>> {
    let step = i64::try_from(increment.unsigned_abs()).ok()?.max(1);
    let step = if start <= end { step } else { -step };
    let mut numbers = Vec::new();
    let mut next = start;
    while (step > 0 && next <= end) || (step < 0 && next >= end) {
        if numbers.len() == MAX_WORDS {
            return None;
        }
        numbers.push(next);
        next = next.checked_add(step)?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_put_into_one() {
        let all = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            pattern_of_all(&patterns)
        };
        for (patterns, one) in [
            (vec!["img/*.png", "img/*.jpg"], Some("img/*.*g")),
            (vec!["*.a", "*.ab"], Some("*.a*")),
            (vec!["*.é", "*.è"], Some("*.*")),
            (vec!["src/*.c", "src/*.c"], Some("src/*.c*")),
            (vec!["a*", "b"], Some("*")),
            (vec!["src/*", "lib/*"], Some("*/*")),
            (vec!["a/b/*", "c/*"], None),
            (vec!["*", ".*"], None),
            (vec![".a*", ".b*"], None),
            (vec!["x/.a*", "x/.b*"], None),
            (vec!["/*", "a*"], None),
            (vec!["[a]*", "[b]*"], None),
            (vec!["*", ""], Some("*")),
        ] {
            assert_eq!(all(&patterns).as_deref(), one, "{patterns:?}");
        }
    }

    /// As bash 5.2 prints them.
    #[test]
    fn zeros_in_front_are_kept() {
        let words = |raw: &str| match expand(raw) {
            Braces::Words(words) => words.join(" "),
            other => format!("{other:?}"),
        };
        assert_eq!(words("a{08..11}.txt"), "a08.txt a09.txt a10.txt a11.txt");
        assert_eq!(words("{1..003}"), "001 002 003");
        assert_eq!(words("{01..10..3}"), "01 04 07 10");
        assert_eq!(words("{10..08}"), "10 09 08");
        assert_eq!(words("{8..11}"), "8 9 10 11");
        assert_eq!(words("a..01{8..11}"), "a..018 a..019 a..0110 a..0111");
        let wide = format!("{{1..{}3}}", "0".repeat(100_000));
        for unsure in ["{-01..3}", "{01..3}{1..2}", "{a,{01..3}}", "{00..-2}", &wide] {
            assert_eq!(expand(unsure), Braces::Unsure, "{unsure}");
        }
    }
}
