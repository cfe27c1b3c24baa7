//! What exit statuses of programs mean beside "done" and "failed". Data only: it judges no command.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/programs/statuses.json"));

/// One entry of the table; its first lines say what each field means.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Statuses {
    pub(crate) names: Vec<String>,
    #[serde(default)]
    pub(crate) sub: Vec<String>,
    pub(crate) answers: Vec<i32>,
    pub(crate) says: String,
    #[serde(default)]
    pub(crate) silent: Vec<String>,
    #[serde(default)]
    pub(crate) assertion: bool,
    #[serde(default)]
    pub(crate) in_pipe: Vec<i32>,
}

/// A table that does not parse makes every status but 0 a failure; a test reads it.
static ENTRIES: LazyLock<Vec<Statuses>> = LazyLock::new(|| {
    let table: BTreeMap<String, Statuses> = serde_json::from_str(TABLE).unwrap_or_default();
    table.into_values().collect()
});

/// Of the program of this name, called with this first word that is no flag.
pub(crate) fn statuses(program: &str, first: Option<&str>) -> Option<&'static Statuses> {
    let named = |entry: &&Statuses| entry.names.iter().any(|name| name == program);
    let fits = |entry: &&Statuses| first.is_some_and(|first| entry.sub.iter().any(|sub| sub == first));
    let entries = || ENTRIES.iter().filter(named);
    entries().find(fits).or_else(|| entries().find(|entry| entry.sub.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let table: BTreeMap<String, Statuses> = serde_json::from_str(TABLE).unwrap();
        assert_eq!(table.len(), ENTRIES.len());
        for (name, entry) in &table {
            assert!(!entry.answers.contains(&0) && !entry.in_pipe.contains(&0), "{name}");
            assert_eq!(entry.answers.is_empty(), entry.says.is_empty(), "{name}");
            assert!(!entry.says.ends_with('.'), "{name}");
        }
    }
}
