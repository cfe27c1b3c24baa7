//! What a text that does not occur nearly is: the place that looks the same to people, and what about it is different. Pure, and
//! only tells: no edit is made by it.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longer files are not searched for it.
const MAX_BYTES: usize = 512 * 1024;

/// Where the text for `old` stands in `text` in another spelling, and how it is spelt there.
pub(super) fn miss(text: &str, old: &str) -> Option<String> {
    if text.len() > MAX_BYTES || old.trim().is_empty() {
        return None;
    }
    let folds = [
        Fold { blanks: false, case: false },
        Fold { blanks: true, case: false },
        Fold { blanks: true, case: true },
    ];
    folds.into_iter().find_map(|fold| {
        let (wanted, _) = fold.of(old);
        let (folded, places) = fold.of(text);
        let at = folded.find(&wanted)?;
        let from = *places.get(at)?;
        let to = places.get(at + wanted.len()).copied().unwrap_or(text.len());
        let there = text.get(from..to)?;
        let line = text.get(..from)?.matches('\n').count() + 1;
        Some(format!("Line {line} nearly is: there stands {}", difference(there, old, fold)))
    })
}

/// Spellings that count as one.
#[derive(Debug, Clone, Copy)]
struct Fold {
    /// So do all amounts of white space.
    blanks: bool,
    case: bool,
}

impl Fold {
    /// The text in one spelling, and for each of its bytes where the character stands that it comes from.
    fn of(self, text: &str) -> (String, Vec<usize>) {
        let (mut folded, mut places) = (String::new(), Vec::new());
        let mut put = |c: char, at: usize, folded: &mut String| {
            folded.push(c);
            places.resize(folded.len(), at);
        };
        for (at, original) in text.char_indices().filter(|(_, c)| !is_unseen(*c)) {
            for c in std::iter::once(original).nfd() {
                let c = plain(c);
                if self.blanks && c.is_whitespace() {
                    if !folded.ends_with(' ') {
                        put(' ', at, &mut folded);
                    }
                } else if self.case {
                    c.to_lowercase().for_each(|c| put(c, at, &mut folded));
                } else {
                    put(c, at, &mut folded);
                }
            }
        }
        if self.blanks {
            let kept = folded.trim_end().len();
            folded.truncate(kept);
            let start = folded.len() - folded.trim_start().len();
            folded.drain(..start);
            places.truncate(kept);
            places.drain(..start);
        }
        (folded, places)
    }
}

/// Takes up no room and cannot be seen.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// What people type for it.
fn plain(c: char) -> char {
    match c {
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2b9}' | '\u{2bc}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c => c,
    }
}

fn kind(c: char) -> &'static str {
    match c {
        '\u{a0}' | '\u{202f}' => "a no-break space",
        '\t' => "a tab",
        '\r' => "a carriage return",
        '\n' => "a line's end",
        ' ' => "a space",
        _ if is_unseen(c) => "a character that cannot be seen",
        _ if is_combining_mark(c) => "an accent as a character of its own",
        _ if c.is_whitespace() => "another kind of space",
        _ if plain(c) == '\'' && c != '\'' || plain(c) == '"' && c != '"' => "a typographic quote",
        _ if plain(c) == '-' && c != '-' => "a dash",
        _ => "the character",
    }
}

fn named(c: char) -> String {
    let shown = if c.is_whitespace() || is_unseen(c) || is_combining_mark(c) {
        String::new()
    } else {
        format!(" {c}")
    };
    format!("{}{shown} (U+{:04X})", kind(c), c as u32)
}

/// Where the two spellings part.
fn difference(there: &str, old: &str, fold: Fold) -> String {
    let (there, old) = if fold.blanks { (there.trim(), old.trim()) } else { (there, old) };
    if there == old {
        return "the same with other white space around it".to_owned();
    }
    let (mut left, mut right) = (there.chars(), old.chars());
    loop {
        let (a, b) = (left.next(), right.next());
        if a == b && a.is_some() {
            continue;
        }
        let composed = |c: Option<char>| c.is_some_and(|c| std::iter::once(c).nfd().count() > 1);
        return match (a, b) {
            // `é` here, `e` with its accent behind it there.
            (Some(_), Some(b)) if composed(Some(b)) => {
                format!("“{b}” in two characters, a letter and its accent (decomposed)")
            }
            (Some(a), Some(_)) if composed(Some(a)) => {
                format!("“{a}” as one character, not as a letter and its accent (decomposed)")
            }
            (Some(a), Some(b)) => format!("{} where `old` has {}", named(a), named(b)),
            (Some(a), None) => format!("{} more", named(a)),
            (None, Some(b)) => format!("the same without {}", named(b)),
            (None, None) => "the same in another spelling".to_owned(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::miss;

    #[test]
    fn a_near_miss_says_what_is_different_and_where() {
        let told = |text: &str, old: &str| miss(text, old).unwrap();
        assert_eq!(
            told("a\nprice: 5\u{a0}EUR\n", "price: 5 EUR"),
            "Line 2 nearly is: there stands a no-break space (U+00A0) where `old` has a space (U+0020)"
        );
        assert_eq!(
            told("it\u{2019}s\n", "it's"),
            "Line 1 nearly is: there stands a typographic quote \u{2019} (U+2019) where `old` has the character ' (U+0027)"
        );
        assert!(told("say “yes”", "say \"yes\"").contains("a typographic quote “ (U+201C)"));
        assert!(
            told("caf\u{65}\u{301}\n", "caf\u{e9}").ends_with("(decomposed)"),
            "{}",
            told("cafe\u{301}", "caf\u{e9}")
        );
        assert!(told("caf\u{e9}\n", "cafe\u{301}").contains("as one character"));
        assert!(told("a – b", "a - b").contains("a dash – (U+2013)"));
        assert!(told("a\u{200b}b", "ab").contains("cannot be seen (U+200B)"));
        assert!(
            told("if x:\n\treturn\n", "if x:\n    return").contains("a tab (U+0009) where `old` has a space")
        );
        assert!(told("let A = 1", "let a = 1").contains("the character A (U+0041)"));
        assert_eq!(miss("something else", "not there"), None);
        assert_eq!(miss("anything", "  "), None);
    }
}
