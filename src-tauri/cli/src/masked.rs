//! A password typed at the terminal: read from the terminal itself, whatever stdin is, with the echo off. What was typed is
//! wiped, and the terminal is put back as it was however the wait ends.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::Duration;

use planwright_engine::protocol::{SecretKind, SecretRequest};
use rustix::fs::OFlags;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::words;

/// A terminal hands over no longer line.
const LINE_BYTES: usize = 4096;
/// How often it is looked whether a line is there.
const LOOK: Duration = Duration::from_millis(30);

/// Whether somebody can be asked: this program has a terminal and is in front of it.
pub(crate) fn is_possible() -> bool {
    open().is_ok()
}

/// Asks, and waits for a line; `None`: nothing was typed, which declines.
pub(crate) async fn ask(request: &SecretRequest) -> io::Result<Option<SecretString>> {
    let mut terminal =
        Echo::set(open()?, matches!(request.kind, SecretKind::Username | SecretKind::Confirm))?;
    let what = match request.kind {
        SecretKind::Password => "password, not shown",
        SecretKind::Passphrase => "passphrase, not shown",
        SecretKind::Username => "name",
        SecretKind::Confirm => "yes or no",
    };
    let program = words::one_line(&request.program);
    terminal.say(&format!("     For {program} alone ({what}; empty declines): "))?;
    let line = terminal.line().await?;
    let text = std::str::from_utf8(&line).unwrap_or_default().trim_end_matches(['\r', '\n']);
    let declines = match request.kind {
        SecretKind::Confirm => !matches!(text.trim().to_lowercase().as_str(), "y" | "yes"),
        SecretKind::Password | SecretKind::Passphrase | SecretKind::Username => text.is_empty(),
    };
    let answer = if request.kind == SecretKind::Confirm { "yes" } else { text };
    Ok((!declines).then(|| SecretString::from(answer)))
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

/// A terminal that shows what is typed, or not; as it was before when this is dropped.
struct Echo {
    terminal: File,
    before: Termios,
    shows: bool,
}

impl Echo {
    fn set(terminal: File, shows: bool) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut modes = before.clone();
        modes.local_modes.set(LocalModes::ECHO | LocalModes::ECHONL, shows);
        modes.local_modes |= LocalModes::ICANON;
        // What was typed before was meant for something else.
        tcsetattr(&terminal, OptionalActions::Flush, &modes)?;
        Ok(Self { terminal, before, shows })
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.terminal.write_all(text.as_bytes())
    }

    async fn line(&mut self) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut line = Zeroizing::new(vec![0; LINE_BYTES]);
        loop {
            match self.terminal.read(&mut line) {
                Ok(length) => {
                    line.truncate(length);
                    return Ok(line);
                }
                // A wait that can be given up at any moment; nobody types fast enough to notice the pauses.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
                {
                    tokio::time::sleep(LOOK).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        if !self.shows {
            // The line break that was typed was not shown either. A terminal that is gone needs nothing.
            drop(self.say("\n"));
        }
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}
