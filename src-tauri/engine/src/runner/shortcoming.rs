//! What a runner cannot do on its system, as data and in words: whoever relies on it must be able to know.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcoming {
    /// Nothing inherits a process that made a session of its own and whose parent has ended.
    ProcessesGetAway,
    /// Nothing stands between the engine and the command that would notice.
    CommandsOutliveTheProgram,
    /// There is no way for what bash leaves that keeps values off the disk.
    NothingCarriesOn,
    /// Nobody listens where programs could ask.
    NoQuestions,
    NoTerminal,
    /// The sandbox is made of what only Linux has.
    NoForecast,
}

impl fmt::Display for Shortcoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ProcessesGetAway => "A program that detaches itself from its command is not ended with it.",
            Self::CommandsOutliveTheProgram => {
                "A command that runs while Planwright is killed goes on without it."
            }
            Self::NothingCarriesOn => {
                "Folders and variables that a command changes in its shell do not reach the next command."
            }
            Self::NoQuestions => "Programs cannot ask for passwords; they fail where they would.",
            Self::NoTerminal => "Commands cannot be run in a terminal.",
            Self::NoForecast => "Commands cannot be tried out before they run.",
        })
    }
}
