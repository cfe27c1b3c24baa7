//! What ran before, newest first: what a rule would have covered is shown from it (R4). Reads only, and no more than a
//! bounded part of the record.

use std::collections::HashMap;

use rusqlite::params;

use super::error::db_error;
use super::store::{Store, text};
use crate::protocol::{Action, EngineError, Event, SessionId, Time};

/// Events that are looked at, from the newest on.
const MAX_EVENTS: u32 = 100_000;

/// Which sessions are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    Everything,
    Session(SessionId),
    /// Those that work in this folder.
    Folder(String),
}

/// One action that was started, in one folder, so often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastAction {
    pub action: Action,
    /// Where it ran.
    pub cwd: String,
    /// The folder of the session that ran it last.
    pub root: String,
    pub last_at: Time,
    pub times: u32,
}

impl Store {
    /// At most `most` different ones.
    pub(super) fn past(&self, within: &Within, most: usize) -> Result<Vec<PastAction>, EngineError> {
        let roots: HashMap<String, String> =
            self.sessions("")?.into_iter().map(|session| (session.id.to_string(), session.cwd)).collect();
        let mut found: Vec<PastAction> = Vec::new();
        let mut known: HashMap<(Action, String), usize> = HashMap::new();
        let only = match within {
            Within::Session(id) => Some(id.to_string()),
            Within::Everything | Within::Folder(_) => None,
        };
        let mut read = || -> rusqlite::Result<()> {
            let mut query = self.db.prepare_cached(
                "SELECT session, at, event FROM (
                     SELECT session, at, event FROM events WHERE ?1 IS NULL OR session = ?1
                     ORDER BY rowid DESC LIMIT ?2
                 ) WHERE event LIKE '{\"type\":\"step-started\"%' OR event LIKE '{\"type\":\"call-started\"%'",
            )?;
            let mut rows = query.query(params![only, MAX_EVENTS])?;
            while let Some(row) = rows.next()? {
                let root = roots.get(&text(row, 0)?).cloned().unwrap_or_default();
                if matches!(within, Within::Folder(folder) if *folder != root) {
                    continue;
                }
                // What cannot be read is reported where its session is opened.
                let (Some((action, cwd)), Ok(at)) = (started(&text(row, 2)?), text(row, 1)?.parse()) else {
                    continue;
                };
                if let Some(place) = known.get(&(action.clone(), cwd.clone())) {
                    if let Some(earlier) = found.get_mut(*place) {
                        earlier.times += 1;
                    }
                    continue;
                }
                if found.len() == most {
                    break;
                }
                known.insert((action.clone(), cwd.clone()), found.len());
                found.push(PastAction { action, cwd, root, last_at: Time(at), times: 1 });
            }
            Ok(())
        };
        read().map_err(db_error)?;
        Ok(found)
    }
}

fn started(event: &str) -> Option<(Action, String)> {
    match serde_json::from_str(event).ok()? {
        Event::StepStarted { command, cwd, .. } => Some((Action::shell(command), cwd)),
        Event::CallStarted { action, cwd, .. } => Some((action, cwd)),
        _ => None,
    }
}
