//! Settings, grants, and what the user said about instructions: small rows of JSON beside the events. A row that cannot be read is reported and counts as
//! not there: for a permission that means asking again.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::error::{Reading, db_error};
use super::store::{Store, text, unwritable};
use crate::protocol::{EngineError, Grant, GrantId, Settings};

const SETTINGS: &str = "settings";
const INSTRUCTIONS: &str = "instructions";

/// What the user has said about folders' instructions.
pub(crate) type Readings = BTreeMap<String, ReadingAnswer>;

/// The answer for the text that this digest stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadingAnswer {
    pub(crate) digest: String,
    pub(crate) read: bool,
}

impl Store {
    pub(super) fn settings(&self) -> Result<Reading<Settings>, EngineError> {
        let rows = self.values("SELECT value FROM settings WHERE name = 'settings'")?;
        let Some(value) = rows.first() else { return Ok(Reading::whole(Settings::default())) };
        Ok(match serde_json::from_str(value) {
            Ok(settings) => Reading::whole(settings),
            Err(error) => {
                tracing::error!(%error, "settings unreadable");
                Reading::in_part(
                    Settings::default(),
                    "Your settings could not be read, so the defaults are in force. Open the settings and save them again.",
                )
            }
        })
    }

    pub(super) fn put_settings(&mut self, settings: &Settings) -> Result<(), EngineError> {
        self.put_row(SETTINGS, settings)
    }

    /// Whether the instructions of folders are read to models, by folder. What cannot be read is asked about again.
    pub(super) fn readings(&self) -> Result<Readings, EngineError> {
        let rows = self.values("SELECT value FROM settings WHERE name = 'instructions'")?;
        Ok(rows.first().and_then(|value| serde_json::from_str(value).ok()).unwrap_or_default())
    }

    pub(super) fn put_reading(&mut self, folder: String, answer: ReadingAnswer) -> Result<(), EngineError> {
        let mut readings = self.readings()?;
        readings.insert(folder, answer);
        self.put_row(INSTRUCTIONS, &readings)
    }

    fn put_row(&mut self, name: &str, value: &impl Serialize) -> Result<(), EngineError> {
        let value = serde_json::to_string(value).map_err(unwritable).map_err(db_error)?;
        self.db
            .execute(
                "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
                params![name, value],
            )
            .map(drop)
            .map_err(db_error)
    }

    /// Oldest first.
    pub(super) fn grants(&self) -> Result<Reading<Vec<Grant>>, EngineError> {
        let mut grants = Vec::new();
        let mut unreadable = 0;
        for value in self.values("SELECT value FROM grants ORDER BY rowid")? {
            match serde_json::from_str::<Grant>(&value) {
                Ok(grant) => grants.push(grant),
                Err(error) => {
                    tracing::error!(%error, "grant unreadable");
                    unreadable += 1;
                }
            }
        }
        Ok(match unreadable {
            0 => Reading::whole(grants),
            count => Reading::in_part(
                grants,
                format!(
                    "{count} remembered answers could not be read and are not used. You will be asked again."
                ),
            ),
        })
    }

    pub(super) fn put_grant(&mut self, grant: &Grant) -> Result<(), EngineError> {
        let value = serde_json::to_string(grant).map_err(unwritable).map_err(db_error)?;
        self.db
            .execute(
                "INSERT INTO grants (id, value) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET value = ?2",
                params![grant.id.to_string(), value],
            )
            .map(drop)
            .map_err(db_error)
    }

    /// Whether there was one to revoke.
    pub(super) fn revoke_grant(&mut self, id: GrantId) -> Result<bool, EngineError> {
        self.db
            .execute("DELETE FROM grants WHERE id = ?1", [id.to_string()])
            .map(|removed| removed > 0)
            .map_err(db_error)
    }

    fn values(&self, query: &str) -> Result<Vec<String>, EngineError> {
        self.db
            .prepare_cached(query)
            .and_then(|mut query| query.query_map([], |row| text(row, 0))?.collect())
            .map_err(db_error)
    }
}
