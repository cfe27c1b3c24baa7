//! Words that programs know and do not list: a table, `vocabulary.txt`, of which this only finds a line.

const TABLE: &str = include_str!("../vocabulary.txt");

/// The words that `path`, a program with its sub-commands, knows behind it.
pub(super) fn words(path: &str) -> Vec<&'static str> {
    let line = TABLE.lines().find_map(|line| line.strip_prefix(path)?.strip_prefix(": "));
    line.map(|words| words.split_whitespace().collect()).unwrap_or_default()
}

/// The words of `program` and of all that stands below it.
pub(super) fn below(program: &str) -> impl Iterator<Item = &'static str> + '_ {
    let of = move |line: &&'static str| {
        line.strip_prefix(program).is_some_and(|rest| !program.is_empty() && rest.starts_with([':', ' ']))
    };
    TABLE
        .lines()
        .filter(of)
        .filter_map(|line| line.split_once(": "))
        .flat_map(|(_, words)| words.split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_path_and_its_words_and_stands_in_order() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        let paths: Vec<&str> = lines.map(|line| line.split_once(": ").unwrap().0).collect();
        let once: std::collections::BTreeSet<&str> = paths.iter().copied().collect();
        assert_eq!(once.len(), paths.len(), "each path once");
        assert!(paths.iter().all(|path| words(path).len() > 1));
        assert_eq!(words("no-such-program"), Vec::<&str>::new());
    }
}
