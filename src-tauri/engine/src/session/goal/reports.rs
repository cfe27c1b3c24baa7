//! The report that is written by itself when a goal ends (G6), before the end is told, so that what is told is there. One that
//! cannot be written keeps no goal from ending.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::journal;
use crate::protocol::{EngineError, Event, EventRecord, SessionState, Time};
use crate::redact::Redactor;
use crate::session::Session;

/// Longest part of a file's name that comes from a title, in bytes.
const SLUG: usize = 48;

impl Session {
    /// Emits what may hold the goal's end, with the place of its report.
    pub(super) async fn emit_of_goal(&mut self, mut events: Vec<Event>) -> Result<(), EngineError> {
        if events.iter().any(|event| matches!(event, Event::GoalEnded { .. })) {
            let written = self.write_report(&events).await;
            for event in &mut events {
                if let Event::GoalEnded { report, .. } = event {
                    report.clone_from(&written);
                }
            }
        }
        self.emit(events).await
    }

    /// Where it was written; `None` where it could not be.
    async fn write_report(&mut self, pending: &[Event]) -> Option<String> {
        let told = self.shared.journal.events(self.state.id, 0).await;
        let mut records = told.inspect_err(|error| tracing::warn!("no report: {error}")).ok()?.value;
        let mut state = self.state.clone();
        let last = records.last().map_or(0, |record| record.seq);
        for (seq, event) in (last + 1..).zip(pending) {
            let record = EventRecord { session_id: state.id, seq, at: Time::now(), event: event.clone() };
            journal::apply(&mut state, &record).ok()?;
            records.push(record);
        }
        let folder = self.shared.journal.home().join("reports");
        let redactor = self.shared.redactor.clone();
        let path = tokio::task::spawn_blocking(move || {
            let text = redactor.text(&journal::report(&state, &records));
            write(&folder, &name_of(&state, &redactor), &text)
        });
        match path.await {
            Ok(Ok(path)) => Some(path.to_string_lossy().into_owned()),
            Ok(Err(error)) => {
                tracing::warn!("the report could not be written: {error}");
                None
            }
            Err(error) => {
                tracing::warn!("the report broke off: {error}");
                None
            }
        }
    }
}

/// The title in plain letters, and the goal's id: one file a goal, however often it ends.
fn name_of(state: &SessionState, redactor: &Redactor) -> String {
    let mut slug = String::new();
    for c in redactor.text(&state.title).chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
        if slug.len() >= SLUG {
            break;
        }
    }
    let id = state.goal.as_ref().map(|goal| goal.id.to_string()).unwrap_or_default();
    let name = [slug.trim_end_matches('-'), id.as_str()].into_iter().filter(|part| !part.is_empty());
    format!("{}.md", name.collect::<Vec<_>>().join("-"))
}

/// For this user alone, and whole or not at all.
fn write(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    let (path, part) = (folder.join(name), folder.join(format!(".{name}.part")));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&part, &path)?;
    Ok(path)
}
