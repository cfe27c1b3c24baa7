//! How much room what is kept takes, and what a rule for keeping would clear. It looks, and removes from `trash/` what
//! was deleted before; nothing else is ever removed here.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{db_error, folder_error};
use super::output;
use super::store::{Store, text};
use crate::protocol::{
    EngineError, SessionId, SessionStatus, SessionStorage, SessionSummary, Settings, StorageUse, Time,
};

/// Bytes of a row besides its texts, about: numbers and the index.
const ROW: i64 = 64;

impl Store {
    /// Bytes of each session's events.
    pub(super) fn record_bytes(&self) -> Result<HashMap<SessionId, u64>, EngineError> {
        let read = || -> rusqlite::Result<HashMap<SessionId, u64>> {
            let mut query = self.db.prepare_cached(
                "SELECT session, sum(octet_length(event) + octet_length(at) + ?1) FROM events GROUP BY session",
            )?;
            let mut rows = query.query([ROW])?;
            let mut bytes = HashMap::new();
            while let Some(row) = rows.next()? {
                if let Ok(id) = text(row, 0)?.parse() {
                    bytes.insert(id, u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0));
                }
            }
            Ok(bytes)
        };
        read().map_err(db_error)
    }
}

/// Blocks while it looks through the folder. `open`: sessions that somebody works with.
pub(super) fn measured(
    home: &Path,
    sessions: Vec<SessionSummary>,
    records: &HashMap<SessionId, u64>,
    open: &HashSet<SessionId>,
) -> StorageUse {
    let sessions = sessions
        .into_iter()
        .map(|session| SessionStorage {
            record_kib: kib(records.get(&session.id).copied().unwrap_or(0)),
            output_kib: kib(size(&output::folder(home, session.id))),
            kept_kib: kib(size(&home.join("checkpoints").join(session.id.to_string()))),
            is_open: open.contains(&session.id) || !is_at_rest(&session),
            session,
        })
        .collect();
    let record = ["", "-wal", "-shm"].map(|end| size(&home.join(format!("journal.sqlite3{end}"))));
    StorageUse {
        folder: home.display().to_string(),
        sessions,
        record_kib: kib(record.iter().sum()),
        trash_kib: kib(size(&home.join("trash"))),
        damaged_kib: kib(size(&home.join("damaged"))),
        free_kib: free(home),
        due: Vec::new(),
    }
}

/// The sessions that are kept no longer, oldest first. What is open, unfinished or damaged is none of them.
pub(super) fn due(storage: &StorageUse, settings: &Settings, now: Time) -> Vec<SessionId> {
    let age = |days: u32| Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    let mut total: u32 = storage.sessions.iter().map(SessionStorage::total_kib).fold(0, u32::saturating_add);
    let room = settings.keep_mib.map(|mib| mib.saturating_mul(1024));
    let mut due = Vec::new();
    for kept in storage.sessions.iter().rev().filter(|kept| !kept.is_open) {
        // A session of the future is the clock's fault, and no old one.
        let is_old = settings.keep_days.is_some_and(|days| kept.session.updated_at.after(age(days)) < now);
        if is_old || room.is_some_and(|room| total > room) {
            total = total.saturating_sub(kept.total_kib());
            due.push(kept.session.id);
        }
    }
    due
}

/// Nothing of it is under way or waits, and nothing in it still has to be looked at.
fn is_at_rest(session: &SessionSummary) -> bool {
    match session.status {
        SessionStatus::Empty
        | SessionStatus::Completed
        | SessionStatus::Failed
        | SessionStatus::Cancelled => true,
        // A conversation that nobody has gone on with.
        SessionStatus::Paused => session.steps == 0,
        SessionStatus::Draft
        | SessionStatus::Ready
        | SessionStatus::Running
        | SessionStatus::Interrupted
        | SessionStatus::WaitingForYou
        | SessionStatus::Damaged => false,
    }
}

/// Removes deleted sessions for good; with `only`, that one. What has another name is not ours and stays.
pub(super) fn empty_trash(home: &Path, only: Option<SessionId>) -> Result<(), EngineError> {
    let trash = home.join("trash");
    let entries = match fs::read_dir(&trash) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|error| folder_error(&trash, &error))?,
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some(id) = deleted_session(&path) else { continue };
        if only.is_some_and(|only| only != id) {
            continue;
        }
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|error| folder_error(&path, &error))?;
    }
    Ok(())
}

/// Whose record, output or kept files it is.
fn deleted_session(path: &Path) -> Option<SessionId> {
    match path.extension()?.to_str()? {
        "jsonl" | "output" | "checkpoints" => path.file_stem()?.to_str()?.parse().ok(),
        _ => None,
    }
}

/// Bytes of a file, or of all files below a folder; links are not followed. What cannot be read counts nothing.
fn size(path: &Path) -> u64 {
    let mut bytes = 0;
    let mut open: Vec<PathBuf> = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(file) = path.symlink_metadata() else { continue };
        if file.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else {
            bytes += file.len();
        }
    }
    bytes
}

fn kib(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

fn free(home: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(home).ok()?;
        Some(u32::try_from(disk.f_bavail.saturating_mul(disk.f_frsize) / 1024).unwrap_or(u32::MAX))
    }
    #[cfg(not(unix))]
    {
        let _ = home;
        None
    }
}
