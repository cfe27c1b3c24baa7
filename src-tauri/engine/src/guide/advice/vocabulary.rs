//! Words that programs know and do not list: a table, `vocabulary.txt`, whose head says how it is written.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::super::near::{nearest, same_letters_swapped};

const TABLE: &str = include_str!("../vocabulary.txt");

/// The words of each path, and what others call them.
static PATHS: LazyLock<BTreeMap<String, Words>> = LazyLock::new(|| {
    let mut paths = BTreeMap::new();
    for (names, words) in entries() {
        let (programs, below) = names.split_once(' ').unwrap_or((names, ""));
        for program in programs.split('|') {
            paths.insert(format!("{program} {below}").trim_end().to_owned(), Words::of(words));
        }
    }
    paths
});

#[derive(Debug, Default)]
struct Words {
    words: Vec<&'static str>,
    /// Another name for one of them, and which.
    others: Vec<(&'static str, &'static str)>,
}

impl Words {
    fn of(line: &'static str) -> Self {
        let mut all = Self::default();
        for entry in line.split_whitespace() {
            let (word, others) = entry.split_once('=').unwrap_or((entry, ""));
            all.words.push(word);
            all.others.extend(others.split(',').filter(|other| !other.is_empty()).map(|other| (other, word)));
        }
        all
    }
}

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "))
}

/// The words that `path`, a program with its sub-commands, knows behind it.
pub(super) fn words(path: &str) -> &'static [&'static str] {
    PATHS.get(path).map(|all| all.words.as_slice()).unwrap_or_default()
}

/// The word of `path` that elsewhere has the name `typed`: `libx264` of ffmpeg's encoders for `x264`.
pub(super) fn by_other_name(path: &str, typed: &str) -> Option<&'static str> {
    let all = PATHS.get(path)?;
    all.others.iter().find(|(other, _)| *other == typed).map(|(_, word)| *word)
}

/// The kinds of names (`encoder`, `format`) of which it is known what `program` has.
pub(super) fn kinds(program: &str) -> impl Iterator<Item = &'static str> + '_ {
    PATHS.keys().filter_map(move |path| path.strip_prefix(program)?.strip_prefix(" <")?.strip_suffix('>'))
}

/// The one name of this kind that `program` can have been meant to be given.
pub(super) fn of_kind(program: &str, kind: &str, typed: &str) -> Option<&'static str> {
    let path = format!("{program} <{kind}>");
    let words = words(&path);
    let is_unknown = !words.is_empty() && !words.contains(&typed);
    // `ed25591`: of a closed list digits may have changed places as letters do.
    let swapped = || words.iter().copied().find(|word| same_letters_swapped(typed, word));
    is_unknown.then(|| {
        by_other_name(&path, typed).or_else(|| nearest(typed, words.iter().copied())).or_else(swapped)
    })?
}

/// The words of `program` and of all that stands below it.
pub(super) fn below(program: &str) -> impl Iterator<Item = &'static str> + '_ {
    let of = move |path: &str| {
        path.strip_prefix(program).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    PATHS.iter().filter(move |(path, _)| of(path)).flat_map(|(_, all)| all.words.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_path_and_its_words() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(entries().count(), lines, "each line has its colon");
        let paths: std::collections::BTreeSet<&str> = entries().map(|(path, _)| path).collect();
        assert_eq!(paths.len(), lines, "each path once");
        assert!(PATHS.values().all(|all| all.words.len() > 1));
        assert!(words("no-such-program").is_empty());
    }

    #[test]
    fn other_names_and_kinds_are_known() {
        assert_eq!(words("pip3"), words("pip"));
        assert_eq!(by_other_name("ffmpeg <encoder>", "x264"), Some("libx264"));
        assert_eq!(of_kind("ffmpeg", "filter", "scal"), Some("scale"));
        assert_eq!(of_kind("ffmpeg", "filter", "scale"), None);
        assert_eq!(of_kind("ffmpeg", "weather", "rain"), None);
        assert_eq!(kinds("pandoc").collect::<Vec<_>>(), ["format"]);
    }
}
