//! The append-only record in SQLite (S1): events are written before they are shown, and all that is shown is a fold.
//! Owns the data folder's `journal.sqlite3`, `damaged/`, `trash/` and the names in `output/`. It decides nothing about
//! plans, never changes an event once written, and never drops damaged data: that is set aside and reported.

mod error;
mod fold;
mod hold;
mod keep;
mod lane;
mod lines;
mod migrate;
mod open;
mod output;
mod past;
#[cfg(unix)]
mod private;
mod report;
mod rescue;
mod reserve;
mod rows;
mod search;
mod settling;
mod status;
mod storage;
mod store;
mod sum;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use error::folder_error;
pub use error::{Damage, Reading};
pub(crate) use fold::stuck_in_words;
pub use fold::{apply, begin};
use keep::{ReadingAnswer, Readings};
pub use output::MAX_OUTPUT_SHOWN;
pub use past::{PastAction, Within};
pub use report::{page, report};
pub use status::{as_interrupted, is_about_goal, recover, status, summary};
pub use store::Durability;
pub(crate) use store::Refused;
use store::Store;

use crate::metrics::Tally;
use crate::protocol::{
    EngineError, ErrorCode, Event, EventRecord, Grant, GrantId, Metrics, OutputMatches, OutputQuery,
    OutputRows, SessionId, SessionState, SessionStatus, SessionSummary, Settings, StepId, StorageUse, Time,
};
use lane::Lane;
use reserve::Reserve;
use rows::RowReader;

/// The record of all sessions. Clones share it; the folder is free for another program when the last one is gone.
#[derive(Debug, Clone)]
pub struct Journal {
    home: Arc<Path>,
    /// Apart from writing, so that reading a long session delays no append.
    reader: Arc<Lane>,
    /// `None` when opened for reading only.
    writer: Option<Arc<Lane>>,
    reserve: Reserve,
    rows: Arc<RowReader>,
}

impl Journal {
    /// Opens the data folder for this program alone, making it where needed. Damage found is set aside and told.
    ///
    /// Blocks while it checks the database. Errors: `NotNow` when another Planwright has the folder or a newer one
    /// wrote it, `DataFolderReadOnly`, `DiskFull`.
    pub fn open(home: &Path) -> Result<(Self, Vec<Damage>), EngineError> {
        let opened = open::open(home)?;
        let reader = Lane::start("journal-read", open::open_read_only(home)?, None)?;
        let writer = Lane::start("journal-write", opened.store, Some(opened.lock))?;
        let journal = Self {
            home: home.into(),
            reader: Arc::new(reader),
            writer: Some(Arc::new(writer)),
            reserve: opened.reserve,
            rows: Arc::default(),
        };
        Ok((journal, opened.damage))
    }

    /// Opens the folder to look at it, also while another program writes. Everything that writes fails with `NotNow`.
    pub fn open_read_only(home: &Path) -> Result<Self, EngineError> {
        let reader = Lane::start("journal-read", open::open_read_only(home)?, None)?;
        Ok(Self {
            home: home.into(),
            reader: Arc::new(reader),
            writer: None,
            reserve: open::reserve(home),
            rows: Arc::default(),
        })
    }

    /// Writes the events of one session as one transaction, numbered on from its last. The first event of a session is
    /// `SessionCreated`. On an error nothing is written, and a later append can succeed. When the disk is full it is
    /// written into the room that was kept for that, as long as there is any; see [`Journal::is_short_of_room`].
    pub async fn append(
        &self,
        session: SessionId,
        events: Vec<Event>,
        durability: Durability,
    ) -> Result<Vec<EventRecord>, EngineError> {
        self.try_append(session, events, durability).await?.map_err(|refused| refused.error)
    }

    /// The same, and what was not written comes back.
    pub(crate) async fn try_append(
        &self,
        session: SessionId,
        events: Vec<Event>,
        durability: Durability,
    ) -> Result<Result<Vec<EventRecord>, Refused>, EngineError> {
        self.writer()?.run(move |store| Ok(store.append(session, events, durability))).await
    }

    /// Whether the disk was full, so that nothing that could wait should be written before there is room again.
    pub fn is_short_of_room(&self) -> bool {
        self.reserve.is_short()
    }

    /// Whoever finds the disk full beside the journal says so here; the run pauses as when the journal had found it.
    pub(crate) fn fell_short_of_room(&self) {
        self.reserve.fall_short();
    }

    /// Tries to set room aside again; whether that went.
    pub async fn has_room_again(&self) -> bool {
        let took = async { self.writer()?.run(|store| Ok(store.take_reserve())).await };
        took.await.unwrap_or(false)
    }

    /// The data folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The session's state; where its record is damaged, the state up to there, and the session is marked.
    pub async fn load(&self, session: SessionId) -> Result<Reading<SessionState>, EngineError> {
        let read = self.reader.run(move |store| store.load(session)).await?;
        self.mark(session, read.damage.as_ref()).await?;
        Ok(read)
    }

    /// For a program that has just started: no session can be running, so those that the record says are get what
    /// [`recover`] finds. Returns the sessions that were interrupted.
    pub async fn interrupt_running(&self) -> Result<Vec<SessionId>, EngineError> {
        let mut interrupted = Vec::new();
        for summary in self.sessions("").await? {
            if summary.status != SessionStatus::Running && summary.services == 0 {
                continue;
            }
            let read = self.load(summary.id).await?;
            let events = recover(&read.value);
            // A damaged session takes no more events; it is shown as damaged instead.
            if read.damage.is_none() && !events.is_empty() {
                self.append(summary.id, events, Durability::Synced).await?;
                interrupted.push(summary.id);
            }
        }
        Ok(interrupted)
    }

    /// The events with a number above `after_seq`, up to the first that cannot be read.
    pub async fn events(
        &self,
        session: SessionId,
        after_seq: u32,
    ) -> Result<Reading<Vec<EventRecord>>, EngineError> {
        let read = self.reader.run(move |store| store.events(session, after_seq)).await?;
        self.mark(session, read.damage.as_ref()).await?;
        Ok(read)
    }

    /// The session with the last event first. With `search`, those whose title, folder or text contains it; an empty one
    /// finds all.
    pub async fn sessions(&self, search: &str) -> Result<Vec<SessionSummary>, EngineError> {
        self.catch_up().await;
        let search = search.to_owned();
        let sessions = self.reader.run(move |store| store.sessions(&search)).await?;
        Ok(self.as_led(sessions))
    }

    /// Every event as JSON, one a line; rows that cannot be read too, as they are.
    pub async fn export(&self, session: SessionId) -> Result<String, EngineError> {
        self.reader.run(move |store| store.export(session)).await
    }

    /// Takes the session out of the record. Its events (as `export` gives them) and its output files are kept in
    /// `trash/`, where the file that is returned stands.
    pub async fn delete(&self, session: SessionId) -> Result<PathBuf, EngineError> {
        let home = Arc::clone(&self.home);
        self.writer()?
            .run(move |store| {
                let lines = store.export(session)?;
                let kept = keep_in_trash(&home, session, &lines)?;
                store.remove(session)?;
                Ok(kept)
            })
            .await
    }

    /// What is kept and how much room it takes. `open`: sessions that somebody works with. `keep`: the rule to tell what
    /// is due by.
    pub async fn storage(
        &self,
        open: HashSet<SessionId>,
        keep: &Settings,
    ) -> Result<StorageUse, EngineError> {
        self.catch_up().await;
        let (sessions, records) =
            self.reader.run(|store| Ok((store.sessions("")?, store.record_bytes()?))).await?;
        let sessions = self.as_led(sessions);
        let home = Arc::clone(&self.home);
        let measure = move || storage::measured(&home, sessions, &records, &open);
        let measured = tokio::task::spawn_blocking(measure).await.map_err(|_| error::stopped())?;
        Ok(StorageUse { due: storage::due(&measured, keep, Time::now()), ..measured })
    }

    /// Figures of all sessions (S5), of what happened from `since` on; a session at a time, so that a long record takes no
    /// more memory than its longest session.
    pub async fn metrics(&self, since: Option<Time>) -> Result<Metrics, EngineError> {
        let mut tally = Tally::new(since, jiff::tz::TimeZone::system());
        for summary in self.sessions("").await? {
            if since.is_some_and(|since| summary.updated_at < since) {
                continue;
            }
            // Of a damaged session what reads is counted.
            let records = self.reader.run(move |store| store.events(summary.id, 0)).await?.value;
            tally.session(&records);
        }
        Ok(tally.finish())
    }

    /// Removes deleted sessions for good; with `only`, that one.
    pub async fn empty_trash(&self, only: Option<SessionId>) -> Result<(), EngineError> {
        self.writer()?;
        let home = Arc::clone(&self.home);
        let empty = move || storage::empty_trash(&home, only);
        tokio::task::spawn_blocking(empty).await.map_err(|_| error::stopped())?
    }

    /// The defaults when none were set, or, with a message, when they cannot be read.
    pub async fn settings(&self) -> Result<Reading<Settings>, EngineError> {
        self.reader.run(|store| store.settings()).await
    }

    pub async fn put_settings(&self, settings: Settings) -> Result<(), EngineError> {
        self.writer()?.run(move |store| store.put_settings(&settings)).await
    }

    /// What the user has said about folders' instructions.
    pub(crate) async fn readings(&self) -> Result<Readings, EngineError> {
        self.reader.run(|store| store.readings()).await
    }

    pub(crate) async fn put_reading(
        &self,
        folder: String,
        digest: String,
        read: bool,
    ) -> Result<(), EngineError> {
        let answer = ReadingAnswer { digest, read };
        self.writer()?.run(move |store| store.put_reading(folder, answer)).await
    }

    /// Remembered answers, oldest first.
    pub async fn grants(&self) -> Result<Reading<Vec<Grant>>, EngineError> {
        self.reader.run(|store| store.grants()).await
    }

    /// Adds the grant, or replaces the one with its id.
    pub async fn put_grant(&self, grant: Grant) -> Result<(), EngineError> {
        self.writer()?.run(move |store| store.put_grant(&grant)).await
    }

    /// Whether there was one to revoke.
    pub async fn revoke_grant(&self, id: GrantId) -> Result<bool, EngineError> {
        self.writer()?.run(move |store| store.revoke_grant(id)).await
    }

    /// Actions that were started, newest first, each once; at most `most` of them.
    pub async fn past(&self, within: Within, most: usize) -> Result<Vec<PastAction>, EngineError> {
        self.reader.run(move |store| store.past(&within, most)).await
    }

    /// Where the whole output of an attempt belongs. Always inside the data folder, whatever the step is called.
    pub fn output_path(&self, session: SessionId, step: &StepId, attempt: u32) -> PathBuf {
        output::path(&self.home, session, step, attempt)
    }

    /// Keeps the page that a session's plan is from, beside its outputs.
    ///
    /// # Errors
    /// When it cannot be written.
    pub async fn keep_page(&self, session: SessionId, bytes: Vec<u8>) -> Result<(), EngineError> {
        let path = output::page_path(&self.home, session);
        let work =
            move || output::write_page(&path, &bytes).map_err(|error| error::folder_error(&path, &error));
        tokio::task::spawn_blocking(work).await.map_err(|_| error::stopped())?
    }

    /// The page as it was when it was read.
    ///
    /// # Errors
    /// `FileUnreadable`, also when none is kept.
    pub async fn read_page(&self, session: SessionId) -> Result<Vec<u8>, EngineError> {
        let path = output::page_path(&self.home, session);
        let work = move || {
            fs::read(&path).map_err(|_| {
                EngineError::new(
                    ErrorCode::FileUnreadable,
                    "The page of this plan is not kept any more. Import it again.",
                )
            })
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| error::stopped())?
    }

    /// The whole output of an attempt; of more than [`MAX_OUTPUT_SHOWN`] bytes its head and tail.
    pub async fn read_output(
        &self,
        session: SessionId,
        step: &StepId,
        attempt: u32,
    ) -> Result<String, EngineError> {
        let path = self.output_path(session, step, attempt);
        output::reading(path, |path| output::read_bounded(path, MAX_OUTPUT_SHOWN)).await
    }

    /// Rows of an attempt's output.
    pub async fn output_rows(
        &self,
        session: SessionId,
        step: &StepId,
        attempt: u32,
        from: u32,
        count: u32,
    ) -> Result<OutputRows, EngineError> {
        let (path, rows) = (self.output_path(session, step, attempt), Arc::clone(&self.rows));
        output::reading(path, move |path| rows.rows(path, from, count)).await
    }

    /// Where a text stands in an attempt's output.
    pub async fn search_output(
        &self,
        session: SessionId,
        step: &StepId,
        attempt: u32,
        query: OutputQuery,
    ) -> Result<OutputMatches, EngineError> {
        let path = self.output_path(session, step, attempt);
        output::reading(path, move |path| rows::search(path, &query)).await
    }

    async fn mark(&self, session: SessionId, damage: Option<&Damage>) -> Result<(), EngineError> {
        let (Some(damage), Some(writer)) = (damage, &self.writer) else { return Ok(()) };
        let message = damage.message.clone();
        writer.run(move |store| store.mark_damaged(session, &message)).await
    }

    /// So that the list says what was written by this program. What cannot be written is as old as it is.
    async fn catch_up(&self) {
        if let Some(writer) = &self.writer
            && let Err(error) = writer.run(Store::catch_up).await
        {
            tracing::warn!(%error, "the list of sessions is behind");
        }
    }

    /// What is told to run runs only where some program leads it.
    fn as_led(&self, sessions: Vec<SessionSummary>) -> Vec<SessionSummary> {
        if self.writer.is_some() || open::is_led(&self.home) {
            return sessions;
        }
        sessions.into_iter().map(lines::interrupted).collect()
    }

    fn writer(&self) -> Result<&Lane, EngineError> {
        self.writer.as_deref().ok_or_else(error::reading_only)
    }
}

/// Written and synced before anything is removed, so that a crash leaves the session in at least one place.
fn keep_in_trash(home: &Path, session: SessionId, lines: &str) -> Result<PathBuf, EngineError> {
    let trash = home.join("trash");
    open::make_private_folder(&trash)?;
    let kept = trash.join(format!("{session}.jsonl"));
    let write = || {
        let mut file = open::private_file(&kept)?;
        file.set_len(0)?;
        file.write_all(lines.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|error| error::folder_error(&kept, &error))?;
    let output = output::folder(home, session);
    if output.exists() {
        let to = trash.join(format!("{session}.output"));
        fs::rename(&output, &to).map_err(|error| error::folder_error(&to, &error))?;
    }
    Ok(kept)
}
