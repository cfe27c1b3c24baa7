//! Opening the data folder: one writer at a time, the database checked, a damaged one set aside. It never deletes a
//! database and never writes into one that it cannot vouch for.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::{Damage, db_error, folder_error, is_damage};
use super::migrate::{SCHEMA_VERSION, migrate, version};
use super::rescue;
use super::reserve::Reserve;
use super::settling::Settling;
use super::store::Store;
use crate::protocol::{EngineError, ErrorCode, Time};

const DATABASE: &str = "journal.sqlite3";
const RESCUED: &str = "journal.rescued.sqlite3";
const LOCK: &str = "journal.lock";
/// A program that was killed while it started another leaves its lock with that one for some milliseconds.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_AGAIN: Duration = Duration::from_millis(20);

/// A folder that this program alone writes to, for as long as the lock lives.
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) lock: File,
    pub(super) damage: Vec<Damage>,
    pub(super) reserve: Reserve,
}

pub(super) fn open(home: &Path) -> Result<Opened, EngineError> {
    make_private_folder(home)?;
    let lock = lock(home)?;
    #[cfg(unix)]
    super::private::mend(home);
    let path = home.join(DATABASE);
    finish_rescue(home)?;
    let reserve = reserve(home);
    let mut damage = Vec::new();
    let store = match examine(&path)? {
        Health::Sound(store) => *store,
        Health::Damaged(reason) => {
            tracing::error!(reason, "journal damaged");
            damage.push(set_aside(home)?);
            match examine(&path)? {
                Health::Sound(store) => *store,
                Health::Damaged(reason) => return Err(still_damaged(&reason)),
            }
        }
    };
    let mut store = store.with_reserve(reserve.clone());
    store.find_behind().map_err(db_error)?;
    Ok(Opened { store, lock, damage, reserve })
}

/// For clients that only look, also while another program writes. A folder without a journal reads as an empty one.
pub(super) fn open_read_only(home: &Path) -> Result<Store, EngineError> {
    let path = home.join(DATABASE);
    if !path.exists() {
        let mut db = Connection::open_in_memory().map_err(db_error)?;
        migrate(&mut db).map_err(db_error)?;
        return Ok(Store::new(db));
    }
    let look = |db: rusqlite::Result<Connection>| -> rusqlite::Result<(Connection, i64)> {
        let db = db?;
        db.busy_timeout(Duration::from_secs(5))?;
        let version = version(&db)?;
        Ok((db, version))
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut looked = look(Connection::open_with_flags(&path, flags));
    // A folder that cannot be written has no room for the log's index; with no log there is nothing to miss.
    if looked.is_err() && !log_has_data(&path) {
        let uri = format!("file:{}?immutable=1", percent_encoded(&path));
        looked = look(Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI));
    }
    let (db, version) = looked.map_err(db_error)?;
    match version {
        SCHEMA_VERSION => Ok(Store::new(db)),
        newer if newer > SCHEMA_VERSION => Err(from_a_newer_version()),
        older if older > 0 => {
            // Brought up to date as the next start would do it; while an older program has the folder, that one is asked
            // to end.
            drop(db);
            drop(open(home)?);
            open_read_only(home)
        }
        _ => Err(EngineError::new(
            ErrorCode::JournalDamaged,
            "The record of sessions is not complete. `planwright-cli sessions --repair` sets aside what is there and reads back what it can; so does starting the window.",
        )),
    }
}

pub(super) fn make_private_folder(path: &Path) -> Result<(), EngineError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| folder_error(path, &error))
}

/// Creates the file for this user alone; what is recorded may be private.
pub(super) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether some Planwright has the folder, and so may lead what is told to run there.
pub(super) fn is_led(home: &Path) -> bool {
    match File::open(home.join(LOCK)) {
        Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

fn lock(home: &Path) -> Result<File, EngineError> {
    let path = home.join(LOCK);
    let file = private_file(&path).map_err(|error| folder_error(&path, &error))?;
    let patience = Instant::now() + LOCK_PATIENCE;
    let locked = loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < patience => thread::sleep(LOCK_AGAIN),
            other => break other,
        }
    };
    match locked {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(EngineError::new(
            ErrorCode::NotNow,
            "Planwright is already running with this data folder, and only one may run things there. Use that one, or set PLANWRIGHT_HOME to another folder. Looking works meanwhile: `planwright-cli sessions`, `report` and `export`.",
        )),
        Err(TryLockError::Error(error)) => Err(folder_error(&path, &error)),
    }
}

enum Health {
    Sound(Box<Store>),
    Damaged(String),
}

fn examine(path: &Path) -> Result<Health, EngineError> {
    // SQLite would take an emptied database for a new one and drop its log.
    let emptied = path.metadata().is_ok_and(|file| file.len() == 0) && log_has_data(path);
    if emptied {
        return Ok(Health::Damaged("the database is empty and its log is not".to_owned()));
    }
    let new = !path.exists();
    private_file(path).map_err(|error| folder_error(path, &error))?;
    match examine_database(path, new) {
        Ok(Some(db)) if new => Ok(Health::Sound(Box::new(Store::of_new(db, Settling::begin(path))))),
        Ok(Some(db)) => Ok(Health::Sound(Box::new(Store::new(db)))),
        Ok(None) => Err(from_a_newer_version()),
        Err(Check::Unsound(reason)) => Ok(Health::Damaged(reason)),
        Err(Check::Sql(error)) if is_damage(&error) => Ok(Health::Damaged(error.to_string())),
        Err(Check::Sql(error)) => Err(db_error(error)),
    }
}

enum Check {
    Unsound(String),
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Check {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// `None` for a database of a newer version. A new one is not synced: see [`Settling`].
fn examine_database(path: &Path, new: bool) -> Result<Option<Connection>, Check> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(5))?;
    // Until the check is through, closing must not move the log into a damaged file.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if version(&db)? > SCHEMA_VERSION {
        return Ok(None);
    }
    let verdict: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Check::Unsound(verdict));
    }
    if new {
        db.pragma_update(None, "synchronous", "OFF")?;
    }
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // Only means something on macOS, where an ordinary sync stops at the drive's cache.
    db.pragma_update(None, "fullfsync", true)?;
    migrate(&mut db)?;
    db.pragma_update(None, "synchronous", "FULL")?;
    for table in [
        "SELECT number, id, updated_millis, last_seq, summary, damage, last_turn FROM sessions",
        "SELECT place, session, seq, at, event, sum FROM events",
        "SELECT name, value FROM settings",
        "SELECT id, value FROM grants",
    ] {
        db.prepare(table)?;
    }
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(Some(db))
}

/// Reads back what it can into a new file *before* it moves the damaged one, so that a full disk or a crash in between
/// only means doing it again.
fn set_aside(home: &Path) -> Result<Damage, EngineError> {
    let new = home.join(RESCUED);
    let rescued = rescue::rescue(&home.join(DATABASE), &new);
    if rescued.is_err() {
        remove_database(&new)?;
    }
    let rescued = rescued?;
    let stamp = Time::now().0.strftime("%Y-%m-%dT%H-%M-%S%.3fZ").to_string();
    let folder = home.join("damaged").join(stamp);
    make_private_folder(&folder)?;
    // The database last: as long as it is there, an interrupted move starts again from the beginning.
    for name in companions(DATABASE) {
        move_if_there(&home.join(&name), &folder.join(&name))?;
    }
    finish_rescue(home)?;
    Ok(Damage { message: rescued.in_words(&folder), kept_at: Some(folder) })
}

/// Puts a rescued database in its place when the damaged one is gone from there; drops a half-made one otherwise.
fn finish_rescue(home: &Path) -> Result<(), EngineError> {
    let (path, rescued) = (home.join(DATABASE), home.join(RESCUED));
    if path.exists() { remove_database(&rescued) } else { move_if_there(&rescued, &path) }
}

fn remove_database(path: &Path) -> Result<(), EngineError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    for name in companions(&name) {
        let file = path.with_file_name(name);
        match fs::remove_file(&file) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(folder_error(&file, &error)),
        }
    }
    Ok(())
}

fn companions(name: &str) -> [String; 4] {
    [format!("{name}-wal"), format!("{name}-shm"), format!("{name}-journal"), name.to_owned()]
}

fn move_if_there(from: &Path, to: &Path) -> Result<(), EngineError> {
    match fs::rename(from, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(folder_error(from, &error)),
    }
}

/// Not taken yet.
pub(super) fn reserve(home: &Path) -> Reserve {
    Reserve::of(home, log_of(&home.join(DATABASE)))
}

fn log_has_data(path: &Path) -> bool {
    log_of(path).metadata().is_ok_and(|file| file.len() > 0)
}

fn log_of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

fn percent_encoded(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn from_a_newer_version() -> EngineError {
    EngineError::new(
        ErrorCode::NotNow,
        "The data folder was written by a newer Planwright. Update this one, or set PLANWRIGHT_HOME to another folder.",
    )
}

fn still_damaged(reason: &str) -> EngineError {
    EngineError::new(
        ErrorCode::JournalDamaged,
        format!(
            "The record of sessions could not be put right ({reason}). Set PLANWRIGHT_HOME to another folder."
        ),
    )
}
