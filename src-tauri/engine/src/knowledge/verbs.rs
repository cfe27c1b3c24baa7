//! Programs whose deed hangs on a word or two: `kubectl delete`, `aws s3 rm`, `pacman -Q`.

use serde::Deserialize;

use crate::protocol::Risk;

/// Patterns by risk. One matches the words that are no flags from the first on; `*` stands for one word, a `*` at a word's
/// beginning or end for anything there, `**` at the front for any words before. A pattern word that begins with `-` may be any flag given.
/// Where programs share the entry, a lone letter (`-l`, `-v`) makes it safe only without words: with some it may mean
/// something else to another of them, or only how it goes about it. Where the program is dangerous of itself, a flag makes it
/// safe only beside flags that are known. A safe pattern that has a flag more than one of caution goes before it, under
/// the same condition.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Verbs {
    safe: Vec<String>,
    caution: Vec<String>,
    dangerous: Vec<String>,
    /// Calls that only list or describe although a word in them is otherwise one of harm: `secrets list`.
    lists: Vec<String>,
    /// Flags that only say how: beside these, one that makes it safe still does.
    beside: Vec<String>,
}

impl Verbs {
    /// Whether some word or option makes it dangerous.
    pub(crate) fn decide_harm(&self) -> bool {
        !self.dangerous.is_empty()
    }

    /// Whether a word that begins with `start`, whatever follows, could be one that makes it dangerous.
    pub(crate) fn may_harm(&self, start: &str) -> bool {
        let could_fit = |wanted: &str| {
            let beginning = wanted.split('*').next().unwrap_or_default();
            beginning.starts_with(start) || wanted.contains('*') && start.starts_with(beginning)
        };
        self.harmful_words().any(could_fit)
    }

    /// Whether this word is one of those that can make it dangerous.
    pub(crate) fn harms(&self, word: &str) -> bool {
        self.harmful_words().any(|wanted| word_fits(wanted, word))
    }

    fn harmful_words(&self) -> impl Iterator<Item = &str> {
        let words = self.dangerous.iter().flat_map(|pattern| pattern.split(' '));
        words.filter(|word| *word != "**" && *word != "*")
    }

    /// Whether it only tells which words do harm, not which words there are.
    pub(crate) fn only_warn(&self) -> bool {
        self.safe.is_empty() && self.caution.is_empty()
    }

    /// How many of the words, from the first, the longest pattern that fits and is not dangerous stands for.
    pub(crate) fn span(&self, words: &[&str]) -> Option<usize> {
        let spans = self.safe.iter().chain(&self.caution).filter_map(|pattern| {
            let wanted: Vec<&str> = pattern.split(' ').filter(|word| !word.starts_with('-')).collect();
            (wanted.first() != Some(&"**") && starts(&wanted, words)).then_some(wanted.len())
        });
        spans.max()
    }

    /// Whether this option of one letter makes it dangerous, whatever else is given.
    fn warns_of(&self, flag: &str) -> bool {
        self.dangerous.iter().any(|pattern| pattern.strip_suffix('*').unwrap_or(pattern) == flag)
    }

    /// What the given words and flags come to; `None` when no pattern fits. The worst that fits counts.
    /// `shared`: by programs of several names. `unknown`: flags among them that would make what only lists do more.
    pub(crate) fn risk(
        &self,
        words: &[&str],
        flags: &[&str],
        shared: bool,
        unknown: &[&str],
    ) -> Option<Risk> {
        let fits_one = |pattern: &String| fits(pattern, words, flags);
        let fits = |patterns: &[String]| patterns.iter().any(fits_one);
        let bundled = || flags.iter().flat_map(|given| letters(given)).any(|flag| self.warns_of(&flag));
        // `fmt -check` of what only shows is more than `fmt` of what changes: the same words, and a flag.
        let refined = |plain: &String| {
            unknown.iter().all(|flag| self.tells_of(flag))
                && self.safe.iter().any(|pattern| {
                    pattern.strip_prefix(plain.as_str()).is_some_and(|rest| rest.starts_with(" -"))
                        && fits_one(pattern)
                })
        };
        if self.only_lists(words, flags) && !bundled() {
            Some(Risk::Safe)
        } else if fits(&self.dangerous) || bundled() {
            Some(Risk::Dangerous)
        } else if self.caution.iter().any(|pattern| fits_one(pattern) && !refined(pattern)) {
            Some(Risk::Caution)
        } else {
            let asks = |pattern: &String| {
                (!shared || !is_letter(pattern) || words.is_empty())
                    && (!pattern.starts_with('-') || unknown.iter().all(|flag| self.tells_of(flag)))
            };
            self.safe.iter().any(|pattern| asks(pattern) && fits_one(pattern)).then_some(Risk::Safe)
        }
    }

    /// Whether the words begin as those of a call that only lists, with nothing of harm behind them or among the flags.
    fn only_lists(&self, words: &[&str], flags: &[&str]) -> bool {
        self.lists.iter().any(|pattern| {
            let rest = words.get(pattern.split(' ').count()..).unwrap_or_default();
            fits(pattern, words, &[]) && !self.dangerous.iter().any(|harm| fits(harm, rest, flags))
        })
    }

    /// Whether the table says of a flag, or of each letter in a bundle, that it lists or only says how.
    pub(crate) fn tells_of(&self, flag: &str) -> bool {
        let mut bundle = letters(flag).peekable();
        self.tells_of_one(flag)
            || bundle.peek().is_some() && bundle.all(|letter| letter == "-v" || self.tells_of_one(&letter))
    }

    fn tells_of_one(&self, flag: &str) -> bool {
        let listing = self.safe.iter().flat_map(|pattern| pattern.split(' '));
        let told = listing.filter(|word| word.starts_with('-')).chain(self.beside.iter().map(String::as_str));
        told.into_iter().any(|own| word_fits(own, flag))
    }
}

/// The options that are written as one: `-qa` is `-q -a` to most programs. Longer ones are words.
fn letters(given: &str) -> impl Iterator<Item = String> {
    let rest = given.strip_prefix('-').unwrap_or_default();
    // `ip -br`, `gdb -ex`
    let word = matches!(rest, "br" | "ex" | "iex" | "ix");
    let bundle = !word && (2..=4).contains(&rest.len()) && rest.chars().all(|c| c.is_ascii_alphabetic());
    rest.chars().filter(move |_| bundle).map(|letter| format!("-{letter}"))
}

fn is_letter(pattern: &str) -> bool {
    matches!(pattern.as_bytes(), [b'-', letter] if letter.is_ascii_alphanumeric())
}

fn fits(pattern: &str, words: &[&str], flags: &[&str]) -> bool {
    let (wanted_flags, wanted): (Vec<&str>, Vec<&str>) =
        pattern.split(' ').partition(|word| word.len() > 1 && word.starts_with('-'));
    if !wanted_flags.iter().all(|flag| flags.iter().any(|given| word_fits(flag, given))) {
        return false;
    }
    match wanted.split_first() {
        None => true,
        Some((&"**", rest)) => (0..words.len()).any(|at| starts(rest, words.get(at..).unwrap_or_default())),
        Some(_) => starts(&wanted, words),
    }
}

fn starts(wanted: &[&str], words: &[&str]) -> bool {
    words.len() >= wanted.len() && wanted.iter().zip(words).all(|(wanted, word)| word_fits(wanted, word))
}

/// `*` stands for anything, also for nothing.
fn word_fits(wanted: &str, word: &str) -> bool {
    let Some((beginning, rest)) = wanted.split_once('*') else { return word == wanted };
    let Some(mut word) = word.strip_prefix(beginning) else { return false };
    let mut parts = rest.split('*');
    let end = parts.next_back().unwrap_or_default();
    for part in parts {
        let Some((_, behind)) = word.split_once(part) else { return false };
        word = behind;
    }
    word.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_pattern_counts() {
        let verbs = Verbs {
            safe: vec!["* list".into(), "-Q*".into()],
            caution: vec!["apply".into()],
            dangerous: vec!["** delete*".into(), "apply --force".into()],
            beside: vec!["--zone*".into()],
            ..Verbs::default()
        };
        assert_eq!(verbs.risk(&["vm", "list"], &[], true, &[]), Some(Risk::Safe));
        assert_eq!(verbs.risk(&["list"], &[], true, &[]), None);
        assert_eq!(verbs.risk(&["vm", "list", "delete-all"], &[], true, &[]), Some(Risk::Dangerous));
        assert_eq!(verbs.risk(&[], &["-Qs"], true, &[]), Some(Risk::Safe));
        assert_eq!(verbs.risk(&["apply"], &["--force"], true, &[]), Some(Risk::Dangerous));
        assert_eq!(verbs.risk(&["apply"], &["--forced"], true, &[]), Some(Risk::Caution));
        assert_eq!(verbs.risk(&[], &["-Qs", "--zone=a", "-s"], true, &["--zone=a"]), Some(Risk::Safe));
        assert_eq!(verbs.risk(&[], &["-Qs", "--zone", "-s"], true, &["--zone", "-s"]), None);
        assert_eq!(verbs.risk(&["vm", "list"], &["-s"], true, &["-s"]), Some(Risk::Safe));
        let formats = Verbs {
            safe: vec!["fmt -check".into()],
            caution: vec!["fmt".into(), "fmt -recursive".into()],
            beside: vec!["-diff".into()],
            ..Verbs::default()
        };
        assert_eq!(
            formats.risk(&["fmt"], &["-check", "-diff"], true, &["-check", "-diff"]),
            Some(Risk::Safe)
        );
        assert_eq!(formats.risk(&["fmt"], &["-diff"], true, &["-diff"]), Some(Risk::Caution));
        assert_eq!(formats.risk(&["fmt"], &["-check", "-x"], true, &["-check", "-x"]), Some(Risk::Caution));
        assert_eq!(formats.risk(&["fmt"], &["-check", "-recursive"], true, &[]), Some(Risk::Caution));
        let secrets = Verbs {
            lists: vec!["secrets list".into()],
            dangerous: vec!["secrets *".into(), "** delete*".into(), "--remove".into()],
            ..Verbs::default()
        };
        assert_eq!(secrets.risk(&["secrets", "list"], &["--all"], true, &["--all"]), Some(Risk::Safe));
        assert_eq!(secrets.risk(&["secrets", "list", "a"], &[], true, &[]), Some(Risk::Safe));
        assert_eq!(secrets.risk(&["secrets", "list"], &["--remove"], true, &[]), Some(Risk::Dangerous));
        assert_eq!(secrets.risk(&["secrets", "list", "delete"], &[], true, &[]), Some(Risk::Dangerous));
        assert_eq!(secrets.risk(&["secrets", "lists"], &[], true, &[]), Some(Risk::Dangerous));
        assert_eq!(secrets.risk(&["x", "secrets", "list"], &[], true, &[]), None);
        assert!(verbs.harms("apply") && verbs.harms("deleted") && !verbs.harms("list"));
        assert!(verbs.may_harm("del") && verbs.may_harm("delete-x") && verbs.may_harm("a"));
        assert!(!verbs.may_harm("test:") && !verbs.may_harm("applied") && verbs.may_harm(""));
        assert!(
            word_fits("-*=*", "-Artist=Me") && !word_fits("-*=*", "-Artist") && word_fits("*a*b", "xaybzb")
        );
        assert!(!word_fits("a*b*c", "acb") && word_fits("*", "") && !word_fits("ab*b", "ab"));
    }
}
