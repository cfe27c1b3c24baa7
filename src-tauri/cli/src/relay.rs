//! A step's program at the terminal of whoever started this: what it shows goes there as it comes, and each key goes to it
//! alone. What is typed is kept nowhere.

use std::io::{self, Write as _};

use planwright_engine::engine::Engine;
use planwright_engine::protocol::{Event, SessionId, StepId, TerminalInput};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::tty::{Keys, Tty};

const READ_BYTES: usize = 4096;
/// What a program that broke off may have left: colours, a hidden cursor, the other screen, reports of the mouse and of pastes.
const RESET: &str =
    "\x1b[0m\x1b[?25h\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>";

#[derive(Debug)]
pub(crate) struct Relay {
    session: SessionId,
    step: StepId,
    attempt: u32,
    tty: Tty,
    resized: Signal,
    /// Number of the last piece that was shown.
    shown: u32,
    at_line_start: bool,
    /// The beginning of a character.
    typed: Vec<u8>,
}

impl Relay {
    /// For a program that this event starts in a terminal, if it does.
    pub(crate) fn of(session: SessionId, event: &Event) -> Option<io::Result<Self>> {
        match event {
            Event::StepStarted { step_id, attempt, terminal: true, .. } => {
                Some(Self::begin(session, step_id, *attempt))
            }
            Event::CallStarted { call_id, terminal: true, .. } => Some(Self::begin(session, call_id, 0)),
            _ => None,
        }
    }

    fn begin(session: SessionId, step: &StepId, attempt: u32) -> io::Result<Self> {
        Ok(Self {
            session,
            step: step.clone(),
            attempt,
            resized: signal(SignalKind::window_change())?,
            tty: Tty::take(Keys::Raw)?,
            shown: 0,
            at_line_start: true,
            typed: Vec::new(),
        })
    }

    /// Whether this event is the end of it.
    pub(crate) fn ends_with(&self, event: &Event) -> bool {
        match event {
            Event::StepCompleted { result, .. } | Event::StepFailed { result, .. } => {
                result.step_id == self.step
            }
            Event::StepCancelled { step_id, .. } | Event::StepInterrupted { step_id, .. } => {
                *step_id == self.step
            }
            Event::CallFinished { result, .. } => result.call_id == self.step,
            _ => false,
        }
    }

    /// The program's terminal becomes as large as this one, where that can be told.
    pub(crate) async fn fit(&self, engine: &Engine) {
        if let Ok((rows, cols)) = self.tty.size() {
            self.send(engine, TerminalInput::Size { rows, cols }).await;
        }
    }

    /// Hands on what is typed until something else is to be done: never ends by itself, and may be dropped at any moment.
    pub(crate) async fn hand_on(&mut self, engine: &Engine) -> io::Error {
        let mut read = [0; READ_BYTES];
        loop {
            let length = tokio::select! {
                length = self.tty.read(&mut read) => length,
                _ = self.resized.recv() => { self.fit(engine).await; continue; }
            };
            match length {
                Ok(0) => return io::ErrorKind::UnexpectedEof.into(),
                Ok(length) => self.typed.extend_from_slice(&read[..length]),
                Err(error) => return error,
            }
            let text = self.whole_characters();
            if !text.is_empty() {
                self.send(engine, TerminalInput::Text { text }).await;
            }
        }
    }

    /// What was typed, without the beginning of a character at its end.
    fn whole_characters(&mut self) -> String {
        let whole = match std::str::from_utf8(&self.typed) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.typed.len(),
        };
        String::from_utf8_lossy(&self.typed.drain(..whole).collect::<Vec<u8>>()).into_owned()
    }

    /// Shows a piece of the program's output; where some before it were missed, the screen as it is. `after` and `upto` are
    /// its place among the pieces.
    pub(crate) fn show(&mut self, engine: &Engine, step: &StepId, (after, upto): (u32, u32), text: &str) {
        if *step != self.step || upto <= self.shown {
            return;
        }
        let missed = (after != self.shown)
            .then(|| engine.terminal_screen(self.session, self.step.clone(), self.attempt))
            .flatten();
        let text = match missed {
            Some(screen) => {
                self.shown = screen.upto;
                format!("\x1b[H\x1b[2J{}", screen.text)
            }
            None => {
                self.shown = upto;
                text.to_owned()
            }
        };
        self.at_line_start = text.ends_with('\n');
        write(&text);
    }

    async fn send(&self, engine: &Engine, input: TerminalInput) {
        // Refused where the program has ended, and then nobody is left to take it.
        drop(engine.terminal_input(self.session, self.step.clone(), input).await);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let line = if self.at_line_start { "" } else { "\r\n" };
        write(&format!("{RESET}{line}"));
    }
}

/// By the way that waits for a slow terminal; one that is gone needs nothing.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
