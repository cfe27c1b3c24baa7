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
        let mut read = || -> rusqlite::Result<()> {
            let mut query = self.db.prepare_cached(
                "SELECT at, event FROM (
                     SELECT at, event FROM events WHERE place > ?1 << 32 AND place < (?1 + 1) << 32
                     ORDER BY place DESC LIMIT ?2
                 ) WHERE event LIKE '{\"type\":\"step-started\"%' OR event LIKE '{\"type\":\"call-started\"%'",
            )?;
            for (number, session, some) in self.newest(MAX_EVENTS)? {
                let root = roots.get(&session).cloned().unwrap_or_default();
                let is_within = match within {
                    Within::Everything => true,
                    Within::Session(id) => id.to_string() == session,
                    Within::Folder(folder) => *folder == root,
                };
                if !is_within {
                    continue;
                }
                let mut rows = query.query(params![number, some])?;
                while let Some(row) = rows.next()? {
                    // What cannot be read is reported where its session is opened.
                    let (Some((action, cwd)), Ok(at)) = (started(&text(row, 1)?), text(row, 0)?.parse())
                    else {
                        continue;
                    };
                    let at = Time(at);
                    let key = (action.clone(), cwd.clone());
                    if let Some(earlier) = known.get(&key).and_then(|place| found.get_mut(*place)) {
                        earlier.times += 1;
                        if at > earlier.last_at {
                            (earlier.last_at, earlier.root) = (at, root.clone());
                        }
                    } else if found.len() < most {
                        known.insert(key, found.len());
                        found.push(PastAction { action, cwd, root: root.clone(), last_at: at, times: 1 });
                    }
                }
            }
            Ok(())
        };
        read().map_err(db_error)?;
        found.sort_by_key(|action| std::cmp::Reverse(action.last_at));
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
