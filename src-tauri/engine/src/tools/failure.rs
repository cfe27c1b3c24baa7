use std::io;

use rustix::io::Errno;

use crate::redact::HIDDEN;

/// Why a tool could not do what it was asked for, in words for a model and for people alike. `path` is as shown:
/// relative to the session's folder where it lies in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFailure {
    #[error("There is no file or folder {path}.")]
    NotFound { path: String },
    #[error("{path} is a folder, not a file.")]
    IsFolder { path: String },
    #[error("{path} is not a folder.")]
    NotFolder { path: String },
    /// A device, a pipe, a socket, or a file of /proc or /sys.
    #[error("{path} is no ordinary file but {kind}; this tool does not touch it.")]
    NotPlain { path: String, kind: &'static str },
    #[error("{path} is a binary file; this tool works on text.")]
    Binary { path: String },
    #[error("{path} is not text in UTF-8; this tool works on no other encoding.")]
    NotUtf8 { path: String },
    #[error("{path} is too large for this tool: {bytes} bytes, and it takes up to {limit}.")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("{path} ends before line {offset}; it has {lines} lines.")]
    PastEnd { path: String, offset: u32, lines: u32 },
    /// `edit`: which of several, from 1. `near`: what stands there in another spelling.
    #[error(
        "Edit {edit}: `old` does not occur in {path}. It must be exactly what stands there, blanks included.{}",
        near.as_ref().map(|near| format!(" {near}.")).unwrap_or_default()
    )]
    NoMatch { path: String, edit: usize, near: Option<String> },
    #[error(
        "Edit {edit}: `old` occurs more than once in {path}. Give more of the text around it, or set replace_all."
    )]
    Ambiguous { path: String, edit: usize },
    #[error("{path} may not be read or written by this user.")]
    Denied { path: String },
    #[error("{path} lies on a file system that can only be read.")]
    ReadOnly { path: String },
    #[error("{path} has changed since this was prepared. Nothing was written.")]
    Changed { path: String },
    #[error("The path {path} cannot be used: {why}.")]
    BadPath { path: String, why: &'static str },
    #[error("The pattern cannot be used: {why}.")]
    BadPattern { why: String },
    #[error("This touches {files} files; one call may touch up to {limit}.")]
    TooManyFiles { files: usize, limit: usize },
    /// The permit is for another action, folder or revision.
    #[error("This call was not the one that was allowed, so it did not run.")]
    NotPermitted,
    /// The text came back from somebody who was shown a mark in a secret's place.
    #[error(
        "The text for {path} holds “{}”, which stands for a secret that was not shown. Writing it would lose the \
         secret. Edit only the lines around it.",
        HIDDEN
    )]
    HidesSecret { path: String },
    #[error("Stopped before anything was done.")]
    Cancelled,
    /// A write broke off and what had been written could not be put back.
    #[error("Writing broke off: {why}. These files are changed already: {}.", changed.join(", "))]
    HalfDone { changed: Vec<String>, why: String },
    #[error("{path}: {why}.")]
    Io { path: String, why: String },
}

impl ToolFailure {
    /// What the system said about `path`, as shown to people.
    pub(super) fn from_io(error: &io::Error, path: &str) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::IsADirectory => Self::IsFolder { path },
            io::ErrorKind::NotADirectory => Self::NotFolder { path },
            io::ErrorKind::PermissionDenied => Self::Denied { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            _ if is(error, Errno::LOOP) => Self::Changed { path },
            _ if is(error, Errno::NXIO) => Self::NotPlain { path, kind: "a pipe, a socket or a device" },
            // The kinds of errors grow with the standard library; each is told in its own words.
            _ => Self::Io { path, why: error.to_string() },
        }
    }
}

fn is(error: &io::Error, errno: Errno) -> bool {
    error.raw_os_error() == Some(errno.raw_os_error())
}
