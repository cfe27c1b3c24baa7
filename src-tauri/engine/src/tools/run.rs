//! Does what was prepared, once it is allowed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::prepare::{Change, Prepared, Work};
use super::{ToolFailure, list, read_file, search, stage};
use crate::approval::{Permit, Place};
use crate::protocol::FileDiff;

/// What a call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// For the model; at most some 64 KB.
    pub content: String,
    /// For people; empty where nothing was changed.
    pub diffs: Vec<FileDiff>,
    /// Absolute.
    pub files_changed: Vec<String>,
}

/// Runs a prepared call in `cwd`, the folder that the permit is for. Blocks; looks at `cancel` now and then, and changes
/// nothing once it is set.
///
/// # Errors
/// When the permit is for something else, when a file is not what it was, or when the system says no. Nothing has
/// changed then, except with [`ToolFailure::HalfDone`].
pub fn run(permit: Permit, prepared: Prepared, cwd: &str, cancel: &AtomicBool) -> Result<Done, ToolFailure> {
    if !permit.covers(&prepared.action, Place::Folder(cwd), 0) {
        return Err(ToolFailure::NotPermitted);
    }
    if cancel.load(Ordering::Relaxed) {
        return Err(ToolFailure::Cancelled);
    }
    match prepared.work {
        Work::Read { file, offset, limit } => read_file::read(&file, offset, limit, cancel).map(told),
        Work::List(folder) => list::list(&folder, cancel).map(told),
        Work::Search { place, pattern, glob, ignore_case } => {
            search::search(&place, &pattern, glob.as_deref(), ignore_case, cancel).map(told)
        }
        Work::Change(changes) => change(&changes, prepared.diffs, cancel),
        Work::Fails(failure) => Err(failure),
    }
}

fn told(content: String) -> Done {
    Done { content, diffs: Vec::new(), files_changed: Vec::new() }
}

fn change(changes: &[Change], diffs: Vec<FileDiff>, cancel: &AtomicBool) -> Result<Done, ToolFailure> {
    let staged = stage::stage(changes)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(ToolFailure::Cancelled);
    }
    let written = staged.commit()?;
    let mut content = String::new();
    for (change, diff) in changes.iter().zip(&diffs) {
        let path = &change.file.shown;
        let FileDiff { added, removed, .. } = diff;
        if !written.files.contains(&change.file.text) {
            content.push_str(&format!("{path} was like that already.\n"));
        } else if diff.created {
            content.push_str(&format!("Made {path} (lines: {added}).\n"));
        } else {
            content.push_str(&format!("Changed {path} (lines: +{added} -{removed}).\n"));
        }
    }
    for folder in &written.folders_made {
        let folder = crate::plan::card::harmless(&folder.to_string_lossy());
        content.push_str(&format!("Made the folder {folder}.\n"));
    }
    let diffs = diffs.into_iter().filter(|diff| written.files.contains(&diff.path)).collect();
    Ok(Done { content, diffs, files_changed: written.files })
}
