//! Finds sessions by what is in them: commands, titles, messages, output. Reads only, and no more than a bounded part of
//! the record.

use std::collections::HashSet;

use rusqlite::params;
use serde_json::Value;

use super::error::db_error;
use super::store::{Store, text};
use crate::protocol::EngineError;

/// Events that are looked at, from the newest on.
const MAX_EVENTS: u32 = 200_000;

impl Store {
    /// The ids of the sessions with an event that says `wanted`, which is in lower case.
    pub(super) fn sessions_that_say(&self, wanted: &str) -> Result<HashSet<String>, EngineError> {
        let read = || -> rusqlite::Result<HashSet<String>> {
            let mut query = self.db.prepare_cached(
                "SELECT event FROM (
                     SELECT event FROM events WHERE place > ?1 << 32 AND place < (?1 + 1) << 32
                     ORDER BY place DESC LIMIT ?2
                 ) WHERE event LIKE ?3 ESCAPE '\\'",
            )?;
            let roughly = roughly(wanted);
            let mut found = HashSet::new();
            for (number, session, some) in self.newest(MAX_EVENTS)? {
                let mut rows = query.query(params![number, some, roughly])?;
                while let Some(row) = rows.next()? {
                    // What cannot be read is reported where its session is opened.
                    let event = serde_json::from_str::<Value>(&text(row, 0)?).unwrap_or_default();
                    if says(&event, wanted) {
                        found.insert(session);
                        break;
                    }
                }
            }
            Ok(found)
        };
        read().map_err(db_error)
    }
}

/// A pattern that every event has which says it, as it stands in JSON; SQLite knows the case of ASCII only.
fn roughly(wanted: &str) -> String {
    let mut pattern = String::from("%");
    for c in wanted.chars() {
        match c {
            '"' | '\\' | '%' | '_' | '/' => pattern.push('%'),
            c if c.is_ascii() && !c.is_ascii_control() => pattern.push(c),
            _ => pattern.push('%'),
        }
    }
    pattern.push('%');
    pattern
}

/// Whether a text for people says it; names of kinds and ids are none.
fn says(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.to_lowercase().contains(wanted),
        Value::Array(values) => values.iter().any(|value| says(value, wanted)),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| is_for_people(name) && says(value, wanted))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_for_people(name: &str) -> bool {
    let is_name = matches!(
        name,
        "type" | "id" | "at" | "kind" | "risk" | "mode" | "source" | "stream" | "dependsOn" | "fragment"
    );
    !is_name && !name.ends_with("Id") && !name.ends_with("At")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_people_wrote_or_read_is_found() {
        let event = serde_json::json!({
            "type": "step-started", "stepId": "needle-1", "command": "echo \"Grüße\" 100%_off",
            "result": { "output": ["Zwölf Boxkämpfer"], "risk": "needle" }, "startedAt": "needle",
        });
        for wanted in ["grüße", "\"grü", "100%_off", "zwölf box"] {
            assert!(says(&event, wanted), "{wanted}");
        }
        assert!(!says(&event, "needle") && !says(&event, "step-started"));
    }
}
