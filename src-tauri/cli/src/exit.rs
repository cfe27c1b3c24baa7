use std::io;
use std::process::ExitCode;

use planwright_engine::protocol::{EngineError, ErrorCode};

/// What ends a call before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(EngineError),
    /// Whoever read the output has gone (`| head`): no fault, and nothing more to say.
    ReaderGone,
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Self::Fault(error)
    }
}

impl Stop {
    /// Of an attempt to print.
    pub(crate) fn unprinted(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ReaderGone;
        }
        let message = format!("The output cannot be written: {}.", EngineError::reason(error));
        Self::Fault(EngineError::new(ErrorCode::Internal, message))
    }
}

/// How the program ends; scripts decide by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Failed,
    BadInput,
    NotApproved,
    OutOfBudget,
    NoModel,
    Cancelled,
}

impl Exit {
    /// What an error that kept a call from being carried out ends the program with.
    pub(crate) fn of(error: &EngineError) -> Self {
        match error.code {
            ErrorCode::NoCommands
            | ErrorCode::TooLarge
            | ErrorCode::NotText
            | ErrorCode::ScriptSyntax
            | ErrorCode::InvalidPlan
            | ErrorCode::CyclicPlan
            | ErrorCode::DuplicateStep
            | ErrorCode::UnknownTool
            | ErrorCode::TooManySteps
            | ErrorCode::FolderMissing
            | ErrorCode::FileUnreadable
            | ErrorCode::NoSuchSession
            | ErrorCode::NoSuchStep
            | ErrorCode::NoSuchApproval
            | ErrorCode::InvalidInput
            | ErrorCode::Stale
            | ErrorCode::NoPage
            | ErrorCode::PageRefused
            | ErrorCode::PageUnreachable
            | ErrorCode::PageLedAstray
            // Asked for in the wrong place or at the wrong time: nothing has run.
            | ErrorCode::DataFolderReadOnly
            | ErrorCode::NotNow => Self::BadInput,
            ErrorCode::NoModel | ErrorCode::KeyUnusable => Self::NoModel,
            ErrorCode::CapReached => Self::OutOfBudget,
            ErrorCode::JournalDamaged
            | ErrorCode::DiskFull
            | ErrorCode::WorkerMissing
            | ErrorCode::Internal => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::BadInput => 2,
            Exit::NotApproved => 3,
            Exit::OutOfBudget => 4,
            Exit::NoModel => 5,
            Exit::Cancelled => 130,
        })
    }
}
