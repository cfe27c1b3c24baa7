//! Turns what SQLite and the file system say into errors that tell a person what to do.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ffi;

use crate::protocol::{EngineError, ErrorCode};

/// Something in the record could not be read. Nothing is thrown away: `kept_at` holds the damaged files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Plain words for people.
    pub message: String,
    pub kept_at: Option<PathBuf>,
}

/// What could be read, and what could not.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<T> {
    pub value: T,
    pub damage: Option<Damage>,
}

impl<T> Reading<T> {
    pub(super) fn whole(value: T) -> Self {
        Self { value, damage: None }
    }

    pub(super) fn in_part(value: T, message: impl Into<String>) -> Self {
        Self { value, damage: Some(Damage { message: message.into(), kept_at: None }) }
    }
}

/// Whether the database itself is broken, as opposed to the disk, the folder or the program.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error() {
        // A plain SQL error means that our own tables are not as we made them.
        Some(failure) => {
            matches!(
                failure.extended_code & 0xff,
                ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB | ffi::SQLITE_ERROR
            )
        }
        None => false,
    }
}

pub(super) fn db_error(error: rusqlite::Error) -> EngineError {
    let Some(failure) = error.sqlite_error() else {
        return EngineError::new(ErrorCode::Internal, format!("The journal could not be used: {error}."));
    };
    match (failure.extended_code, failure.extended_code & 0xff) {
        (_, ffi::SQLITE_FULL) | (ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_WRITE, _) => disk_full(),
        (_, ffi::SQLITE_READONLY | ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM) => EngineError::new(
            ErrorCode::DataFolderReadOnly,
            "The data folder cannot be written. Make it writable for you, or set PLANWRIGHT_HOME to another folder.",
        ),
        (_, ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB) => EngineError::new(
            ErrorCode::JournalDamaged,
            "The record of sessions is damaged. `planwright-cli sessions --repair` sets the damaged file aside and reads back what it can; so does starting the window.",
        ),
        (_, ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED) => EngineError::new(
            ErrorCode::NotNow,
            "The record of sessions is in use by another program. Close it and try again.",
        ),
        _ => EngineError::new(ErrorCode::Internal, format!("The journal could not be used: {error}.")),
    }
}

pub(crate) fn folder_error(path: &Path, error: &io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => disk_full(),
        _ => EngineError::new(
            ErrorCode::DataFolderReadOnly,
            format!(
                "The data folder cannot be written ({}: {}). Make it writable for you, or set PLANWRIGHT_HOME to another folder.",
                path.display(),
                EngineError::reason(error)
            ),
        ),
    }
}

pub(super) fn no_such_session() -> EngineError {
    EngineError::new(ErrorCode::NoSuchSession, "There is no such session. It may have been deleted.")
}

pub(super) fn stopped() -> EngineError {
    EngineError::new(ErrorCode::Internal, "The journal has stopped. Restart Planwright; nothing is lost.")
}

pub(super) fn reading_only() -> EngineError {
    EngineError::new(ErrorCode::NotNow, "The record of sessions is open for reading only.")
}

fn disk_full() -> EngineError {
    EngineError::new(
        ErrorCode::DiskFull,
        "There is no room on the disk with the data folder. Free some and try again; nothing recorded so far is lost.",
    )
}
