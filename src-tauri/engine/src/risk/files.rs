//! Files that a tool reads or changes with no shell between. A place is judged as in `cat PATH` and `echo > PATH`, with
//! one difference: what a tool reads goes to a model, so passwords and keys are dangerous to read.

use std::path::Path;

use planwright_shell::Span;

use super::Workspace;
use super::findings::Findings;
use super::floor;
use super::place::{Anchors, place};
use super::secrets::is_secret;
use super::source::Source;
use crate::protocol::{Assessment, Risk, UndoOutlook};

/// What is done with a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Use {
    /// What stands in it goes to a model.
    Read,
    /// The names in a folder, with their sizes.
    List,
    /// It comes into being.
    Create,
    /// Another text takes the place of all that stood in it; nothing of that is told.
    Replace,
    /// Told by what stands in it, a part is changed: as much read as written.
    Edit,
}

/// One path that a tool uses.
#[derive(Debug, Clone)]
pub struct FileUse<'a> {
    /// Absolute; links are followed before it is judged.
    pub path: &'a Path,
    pub how: Use,
    /// Where the path stands in the words that people read.
    pub span: Span,
}

/// Assesses what a tool would do, told to people as `command`.
pub fn assess_files(command: &str, uses: &[FileUse<'_>], workspace: &Workspace<'_>) -> Assessment {
    let known = Anchors::new(workspace);
    let mut found = Findings::of(Source::new(command));
    for file in uses {
        let path = workspace.paths.resolve(file.path);
        match file.how {
            Use::Read => read(&mut found, &path, file.span),
            Use::List => {
                if is_secret(&path) {
                    found.add(Risk::Caution, "lists files that usually hold passwords or keys", file.span);
                }
            }
            Use::Create => {
                floor::replaced(&mut found, &path, file.span);
                let undo = UndoOutlook::ByHand { how: "delete the file".into() };
                write(&mut found, &path, &known, file.span, undo);
            }
            Use::Replace => {
                floor::replaced(&mut found, &path, file.span);
                write(&mut found, &path, &known, file.span, changed());
            }
            Use::Edit => {
                read(&mut found, &path, file.span);
                write(&mut found, &path, &known, file.span, changed());
            }
        }
    }
    found.finish()
}

/// Whether a file usually holds passwords or keys; `path` is resolved.
pub fn holds_secrets(path: &Path) -> bool {
    is_secret(path)
}

fn read(found: &mut Findings<'_>, path: &Path, span: Span) {
    if is_secret(path) {
        let text = "hands the model a file that usually holds passwords or keys";
        found.add(Risk::Dangerous, text, span);
    }
}

fn write(found: &mut Findings<'_>, path: &Path, known: &Anchors<'_>, span: Span, undo: UndoOutlook) {
    found.write(path, place(path, known), span);
    found.outlook(undo);
}

fn changed() -> UndoOutlook {
    UndoOutlook::Partly { how: "put back what the shown difference took out".into() }
}

#[cfg(test)]
mod tests;
