//! The terminal that this program was started from, whatever its stdin is. It is put back as it was however its use ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr};

/// How often it is looked whether something was typed. Nobody types fast enough to notice.
const LOOK: Duration = Duration::from_millis(10);

/// How what is typed is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// A line at a time, shown while it is typed.
    Shown,
    /// A line at a time, not shown.
    Hidden,
    /// Each key at once, for a program that shows them itself.
    Raw,
}

#[derive(Debug)]
pub(crate) struct Tty {
    terminal: File,
    before: Termios,
}

/// Whether somebody can be asked: this program has a terminal and is in front of it.
pub(crate) fn is_there() -> bool {
    open().is_ok()
}

fn open() -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let terminal = OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/tty")?;
    // A job in the background would be stopped by its first look at the keyboard.
    if tcgetpgrp(&terminal)? == rustix::process::getpgrp() {
        Ok(terminal)
    } else {
        Err(io::ErrorKind::WouldBlock.into())
    }
}

impl Tty {
    /// Takes the terminal for as long as this lives.
    pub(crate) fn take(keys: Keys) -> io::Result<Self> {
        let terminal = open()?;
        let before = tcgetattr(&terminal)?;
        let mut modes = before.clone();
        match keys {
            Keys::Raw => modes.make_raw(),
            Keys::Shown | Keys::Hidden => {
                let shown = keys == Keys::Shown;
                modes.local_modes.set(LocalModes::ECHO | LocalModes::ECHONL, shown);
                modes.local_modes |= LocalModes::ICANON;
            }
        }
        let tty = Self { terminal, before };
        // What was typed before was meant for something else.
        tcsetattr(&tty.terminal, OptionalActions::Flush, &modes)?;
        Ok(tty)
    }

    /// The next line or keys, 0 bytes where there will be none. A wait that can be given up at any moment.
    pub(crate) async fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match (&self.terminal).read(into) {
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
                {
                    tokio::time::sleep(LOOK).await;
                }
                read => return read,
            }
        }
    }

    /// Rows and columns.
    pub(crate) fn size(&self) -> io::Result<(u16, u16)> {
        let size = tcgetwinsize(&self.terminal)?;
        Ok((size.ws_row, size.ws_col))
    }

    pub(crate) fn say(&self, text: &str) -> io::Result<()> {
        (&self.terminal).write_all(text.as_bytes())
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}
