//! A job: whatever a process starts is in the job with it, and the job is ended at one stroke. Windows has no signal that
//! asks a program without a window to end, so nothing is asked. How many were ended is not told.

use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use crate::life::Ending;

/// Longest wait for bash to be gone after the job was ended.
const SWEEP: Duration = Duration::from_millis(900);
const PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub(crate) struct Group {
    leader: Box<dyn ChildWrapper>,
    status: Option<ExitStatus>,
}

impl Group {
    pub(crate) const CAN_ASK: bool = false;

    /// It stands still until it is in the job, so that it can start nothing outside.
    pub(crate) fn start(command: Command) -> io::Result<Self> {
        Ok(Self { leader: CommandWrap::from(command).wrap(JobObject).spawn()?, status: None })
    }

    /// Whether bash has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.leader.try_wait().ok().flatten();
        }
        self.status.is_some()
    }

    pub(crate) fn ask_to_end(&mut self) {}

    /// Nobody knows.
    pub(crate) fn is_gone(&mut self) -> bool {
        false
    }

    /// Ends the job, and says how bash ended.
    pub(crate) fn end(&mut self) -> (Ending, u32) {
        let until = Instant::now() + SWEEP;
        // A job that is empty by now is what was wanted.
        let _ = self.leader.start_kill();
        while !self.has_ended() && Instant::now() < until {
            std::thread::sleep(PAUSE);
        }
        (self.status.and_then(|status| status.code()).map_or(Ending::Unknown, Ending::Code), 0)
    }
}
