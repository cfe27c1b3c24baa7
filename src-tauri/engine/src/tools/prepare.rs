//! From a call to something that can be judged, shown and allowed: paths resolved, the change worked out to the last
//! byte. Looks at the disk and changes nothing.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use planwright_shell::Span;
use rustix::fs::FileType;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{FileCall, FileEdit, ToolFailure, ToolName, diff, reach, text};
use crate::plan::card::harmless;
use crate::protocol::{Action, Assessment, FileDiff};
use crate::redact::HIDDEN;
use crate::risk::{DiskPaths, FileUse, Paths, Use, Workspace, assess_files, holds_secrets};

/// Files that one call may change.
const MAX_FILES: usize = 20;
/// Names of files that the words for people hold.
const SHOWN_FILES: usize = 4;
/// What stands there is made by the system when it is read, can be without end, and can act when written.
const NOT_STORED: [&str; 3] = ["/proc", "/sys", "/dev"];

const CIRCLE: &str = "a link that leads round in a circle";

/// Where a call is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The session's folder. Absolute, like the others.
    pub root: PathBuf,
    /// What relative paths are relative to: the shell's folder.
    pub cwd: PathBuf,
    pub home: PathBuf,
    pub user: String,
}

/// A call that is ready for the gate.
#[derive(Debug)]
pub struct Prepared {
    pub(super) action: Action,
    pub(super) assessment: Assessment,
    pub(super) diffs: Vec<FileDiff>,
    pub(super) tool: ToolName,
    pub(super) work: Work,
}

impl Prepared {
    /// The tool with its canonical input, in which every path is absolute and resolved.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// How the files would change.
    pub fn diffs(&self) -> &[FileDiff] {
        &self.diffs
    }

    pub fn assessment(&self) -> &Assessment {
        &self.assessment
    }

    pub fn only_reads(&self) -> bool {
        self.tool.only_reads()
    }
}

#[derive(Debug)]
pub(super) enum Work {
    Read {
        file: Target,
        offset: u32,
        limit: Option<u32>,
    },
    List(Target),
    Search {
        place: Target,
        pattern: String,
        glob: Option<String>,
        ignore_case: bool,
    },
    Change(Vec<Change>),
    /// What a look at a secret file told. It is handed out only once the call is allowed: else a model could read the
    /// file bit by bit from how its edits fail.
    Fails(ToolFailure),
}

/// A path: where it leads, and as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Absolute, links followed.
    pub(super) path: PathBuf,
    /// The same as text.
    pub(super) text: String,
    /// Relative to the shell's folder where it lies in it; on one line.
    pub(super) shown: String,
}

/// What becomes of one file.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) file: Target,
    /// Hash of what stood in it; `None` when there was no file.
    pub(super) before: Option<[u8; 32]>,
    pub(super) after: String,
}

/// Works out what a call would do.
///
/// # Errors
/// When it cannot be done as things stand; nothing has been changed, and nothing of what a secret file holds is told.
pub fn prepare(call: FileCall, place: &Surroundings) -> Result<Prepared, ToolFailure> {
    let tool = call.tool();
    match call {
        FileCall::Read { path, offset, limit } => {
            let file = target(&path, place)?;
            stored(&file)?;
            of_kind(&file, FileType::RegularFile)?;
            let input = json!({ "path": file.text, "offset": offset, "limit": limit });
            let uses = vec![(file.clone(), Use::Read)];
            let work = Work::Read { file, offset: offset.unwrap_or(1), limit };
            Ok(prepared(tool, input, &uses, place, Vec::new(), work))
        }
        FileCall::List { path } => {
            let folder = target(&path, place)?;
            of_kind(&folder, FileType::Directory)?;
            let input = json!({ "path": folder.text });
            let uses = vec![(folder.clone(), Use::List)];
            Ok(prepared(tool, input, &uses, place, Vec::new(), Work::List(folder)))
        }
        FileCall::Search { pattern, path, glob, ignore_case } => {
            let place_searched = target(&path, place)?;
            stored(&place_searched)?;
            reach::look(&place_searched.path)
                .map_err(|error| ToolFailure::from_io(&error, &place_searched.shown))?;
            super::search::pattern(&pattern, ignore_case)?;
            super::search::only(glob.as_deref(), &place_searched.path)?;
            let input = json!({
                "path": place_searched.text, "pattern": pattern, "glob": glob, "ignore_case": ignore_case,
            });
            let uses = vec![(place_searched.clone(), Use::Read)];
            let work = Work::Search { place: place_searched, pattern, glob, ignore_case };
            Ok(prepared(tool, input, &uses, place, Vec::new(), work))
        }
        FileCall::Write { path, content } => {
            let file = target(&path, place)?;
            let input = json!({ "path": file.text, "content": content });
            changes(tool, input, vec![(file, Wish::Whole(content))], place)
        }
        FileCall::Edit(edit) => {
            let file = target(&edit.path, place)?;
            let edit = FileEdit { path: file.text.clone(), ..edit };
            let input = json!(edit);
            changes(tool, input, vec![(file, Wish::Edits(vec![(1, edit)]))], place)
        }
        FileCall::MultiEdit { edits } => {
            let (input, wishes) = grouped(edits, place)?;
            changes(tool, input, wishes, place)
        }
    }
}

/// What is wanted of one file.
enum Wish {
    Whole(String),
    /// With their numbers in the call, from 1.
    Edits(Vec<(usize, FileEdit)>),
}

/// The edits of each file together, in the order in which the files first come up.
fn grouped(edits: Vec<FileEdit>, place: &Surroundings) -> Result<(Value, Vec<(Target, Wish)>), ToolFailure> {
    let mut canonical = Vec::with_capacity(edits.len());
    let mut files: Vec<(Target, Vec<(usize, FileEdit)>)> = Vec::new();
    for (index, edit) in edits.into_iter().enumerate() {
        let file = target(&edit.path, place)?;
        let edit = FileEdit { path: file.text.clone(), ..edit };
        canonical.push(json!(edit));
        match files.iter_mut().find(|(known, _)| known.path == file.path) {
            Some((_, of_file)) => of_file.push((index + 1, edit)),
            None => files.push((file, vec![(index + 1, edit)])),
        }
    }
    if files.len() > MAX_FILES {
        return Err(ToolFailure::TooManyFiles { files: files.len(), limit: MAX_FILES });
    }
    let wishes = files.into_iter().map(|(file, edits)| (file, Wish::Edits(edits))).collect();
    Ok((json!({ "edits": canonical }), wishes))
}

fn changes(
    tool: ToolName,
    input: Value,
    wishes: Vec<(Target, Wish)>,
    place: &Surroundings,
) -> Result<Prepared, ToolFailure> {
    let mut uses = Vec::new();
    let mut diffs = Vec::new();
    let mut changes = Vec::new();
    let mut withheld = None;
    for (file, wish) in wishes {
        stored(&file)?;
        let before = bytes(&file)?;
        uses.push((
            file.clone(),
            match (&wish, &before) {
                (Wish::Edits(_), _) => Use::Edit,
                (Wish::Whole(_), Some(_)) => Use::Replace,
                (Wish::Whole(_), None) => Use::Create,
            },
        ));
        match change(file.clone(), wish, before) {
            Ok((change, diff)) => {
                changes.push(change);
                diffs.push(diff);
            }
            Err(failure) if holds_secrets(&file.path) => withheld = withheld.or(Some(failure)),
            Err(failure) => return Err(failure),
        }
    }
    let work = match withheld {
        Some(failure) => Work::Fails(failure),
        None => Work::Change(changes),
    };
    Ok(prepared(tool, input, &uses, place, diffs, work))
}

fn change(file: Target, wish: Wish, before: Option<Vec<u8>>) -> Result<(Change, FileDiff), ToolFailure> {
    if let Some(bytes) = &before
        && bytes.len() > text::MAX_BYTES
    {
        return Err(text::too_large(&file.shown, bytes.len()));
    }
    let old = before.as_deref().map(|bytes| text::text_of(bytes, &file.shown)).transpose()?;
    let after = match wish {
        Wish::Whole(content) => {
            text::text_of(content.as_bytes(), &file.shown)?;
            if content.len() > text::MAX_BYTES {
                return Err(text::too_large(&file.shown, content.len()));
            }
            content
        }
        Wish::Edits(edits) => {
            let Some(old) = old else { return Err(ToolFailure::NotFound { path: file.shown }) };
            let mut after = old.to_owned();
            for (number, edit) in &edits {
                after = text::apply(&after, edit, *number, &file.shown)?;
            }
            text::text_of(after.as_bytes(), &file.shown)?;
            after
        }
    };
    let marks = |text: &str| text.matches(HIDDEN).count();
    if marks(&after) > old.map_or(0, marks) {
        return Err(ToolFailure::HidesSecret { path: file.shown });
    }
    let diff = diff::diff(&file.text, old, &after);
    let before = before.as_deref().map(|bytes| Sha256::digest(bytes).into());
    Ok((Change { file, before, after }, diff))
}

/// What stands in the file, a little more than is allowed at most; `None` when there is none.
fn bytes(file: &Target) -> Result<Option<Vec<u8>>, ToolFailure> {
    let failed = |error: &std::io::Error| ToolFailure::from_io(error, &file.shown);
    match reach::file(&file.path) {
        Ok((open, _)) => {
            let (parent, name) = reach::split(&file.path).map_err(|error| failed(&error))?;
            if !reach::folder(parent).is_ok_and(|folder| reach::may_write(&folder, name)) {
                return Err(ToolFailure::Denied { path: file.shown.clone() });
            }
            let mut bytes = Vec::new();
            open.take(text::MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(match failed(&error) {
            // Every other link has been followed.
            ToolFailure::Changed { path } => ToolFailure::NotPlain { path, kind: CIRCLE },
            other => other,
        }),
    }
}

fn prepared(
    tool: ToolName,
    input: Value,
    uses: &[(Target, Use)],
    place: &Surroundings,
    diffs: Vec<FileDiff>,
    work: Work,
) -> Prepared {
    let (command, spans) = words(tool, uses.iter().map(|(file, _)| file.shown.as_str()));
    let uses: Vec<FileUse<'_>> = uses
        .iter()
        .zip(spans)
        .map(|((file, how), span)| FileUse { path: &file.path, how: *how, span })
        .collect();
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let workspace = Workspace {
        root: place.root.clone(),
        cwd: place.cwd.clone(),
        home: place.home.clone(),
        user: place.user.clone(),
        environment: &environment,
        functions: &functions,
        paths: &DiskPaths,
    };
    let assessment = assess_files(&command, &uses, &workspace);
    let action = Action::Tool { tool: tool.as_str().to_owned(), input: input.to_string(), command };
    Prepared { action, assessment, diffs, tool, work }
}

/// The call as one line for people, and where in it each file stands.
fn words<'t>(tool: ToolName, files: impl ExactSizeIterator<Item = &'t str>) -> (String, Vec<Span>) {
    let count = files.len();
    let mut line = tool.as_str().to_owned();
    let chars = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let mut spans = Vec::with_capacity(count);
    for (index, file) in files.enumerate() {
        if index >= SHOWN_FILES {
            spans.push(Span { start: 0, end: 0 });
            continue;
        }
        line.push_str(if index == 0 { " " } else { ", " });
        let start = chars(&line);
        line.push_str(file);
        spans.push(Span { start, end: chars(&line) });
    }
    if count > SHOWN_FILES {
        line.push_str(&format!(" and {} more", count - SHOWN_FILES));
    }
    (line, spans)
}

/// Where a path leads from here.
fn target(given: &str, place: &Surroundings) -> Result<Target, ToolFailure> {
    let refused = |why| ToolFailure::BadPath { path: harmless(given), why };
    if given.contains('\0') {
        return Err(refused("there is a zero byte in it"));
    }
    let path = match given.strip_prefix('~') {
        Some("") => place.home.clone(),
        Some(rest) if rest.starts_with('/') => place.home.join(rest.trim_start_matches('/')),
        Some(_) | None => place.cwd.join(given),
    };
    if !path.is_absolute() {
        return Err(refused("it is not known from which folder it starts"));
    }
    let path = DiskPaths.resolve(&path);
    let Some(text) = path.to_str().map(str::to_owned) else {
        return Err(refused("it is not text in UTF-8"));
    };
    let cwd = DiskPaths.resolve(&place.cwd);
    let shown = match path.strip_prefix(&cwd) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.to_string_lossy().into_owned(),
        Err(_) => text.clone(),
    };
    Ok(Target { path, text, shown: harmless(&shown) })
}

fn of_kind(target: &Target, wanted: FileType) -> Result<(), ToolFailure> {
    let stat = reach::look(&target.path).map_err(|error| ToolFailure::from_io(&error, &target.shown))?;
    let path = target.shown.clone();
    match (reach::kind(&stat), wanted) {
        (found, wanted) if found == wanted => Ok(()),
        (FileType::Directory, _) => Err(ToolFailure::IsFolder { path }),
        (_, FileType::Directory) => Err(ToolFailure::NotFolder { path }),
        (FileType::Symlink, _) => Err(ToolFailure::NotPlain { path, kind: CIRCLE }),
        _ => Err(ToolFailure::NotPlain { path, kind: "a pipe, a socket or a device" }),
    }
}

/// Whether a path lies in a tree that the system only pretends to store.
pub(super) fn is_not_stored(path: &Path) -> bool {
    NOT_STORED.iter().any(|top| path.starts_with(top))
}

fn stored(target: &Target) -> Result<(), ToolFailure> {
    if is_not_stored(&target.path) {
        return Err(ToolFailure::NotPlain {
            path: target.shown.clone(),
            kind: "a part of the system's own tree, which holds no files",
        });
    }
    Ok(())
}
