//! Terminals that a user sits at: what they show, and the way of what is typed to the program. What is typed passes
//! through here and stays nowhere. What a terminal shows is kept as a screen, so that whoever missed some of its output
//! takes the screen as it is instead: nobody has to be waited for, and a page that is loaded again sees the same.

mod record;
mod screen;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;

pub(super) use record::Record;
use screen::Screen;

use crate::protocol::{
    EngineError, ErrorCode, SessionId, StepId, TerminalInput, TerminalRun, TerminalScreen, Update,
};
use crate::redact::Redactor;

/// Rows and columns.
pub(crate) type Size = (u16, u16);

const FIRST_SIZE: Size = (24, 80);
/// A terminal is no larger, whatever is asked for.
const MOST: Size = (500, 1000);
/// Screens that are kept of programs that have ended, so that they can still be looked at.
const KEPT: usize = 16;
/// Longest text that is typed at once, in bytes.
const TYPED: usize = 1 << 20;
/// What might be the beginning of a secret is shown after so long: somebody waits for an echo.
const PATIENCE: Duration = Duration::from_millis(60);

/// All terminals of an engine. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terminals(Arc<Mutex<VecDeque<Arc<Terminal>>>>);

/// One program's.
pub(crate) struct Terminal {
    session: SessionId,
    run: TerminalRun,
    screen: Mutex<Screen>,
    link: Mutex<Link>,
    /// Rows in the upper half, columns in the lower one. Apart from the way to the program: whoever takes its output must not
    /// wait for what is typed.
    size: AtomicU32,
    /// More was shown, or all.
    news: Notify,
    publish: Box<dyn Fn(Update) + Send + Sync>,
}

/// Hands words to the worker; false when it is gone.
type Hand = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// The way to the program.
enum Link {
    /// Not there yet.
    Opening,
    Open(Hand),
    Ended,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Terminal({:?})", self.run)
    }
}

impl Terminals {
    /// A terminal for a program that is about to start. Needs a runtime.
    pub(crate) fn open(
        &self,
        session: SessionId,
        run: TerminalRun,
        redactor: &Redactor,
        publish: impl Fn(Update) + Send + Sync + 'static,
    ) -> Arc<Terminal> {
        let mut kept = self.kept();
        // As large as the last one: most likely that is the window's.
        let size = kept.back().map_or(FIRST_SIZE, |last| last.size());
        let terminal = Arc::new(Terminal {
            session,
            run,
            screen: Mutex::new(Screen::new(size, redactor)),
            link: Mutex::new(Link::Opening),
            size: AtomicU32::new(packed(size)),
            news: Notify::new(),
            publish: Box::new(publish),
        });
        kept.retain(|other| !other.is(session, &terminal.run.step_id) || other.is_running());
        if kept.len() >= KEPT
            && let Some(oldest) = kept.iter().position(|terminal| !terminal.is_running())
        {
            kept.remove(oldest);
        }
        kept.push_back(Arc::clone(&terminal));
        drop(kept);
        tokio::spawn(let_out(Arc::downgrade(&terminal)));
        terminal
    }

    /// Does at a running terminal what the user does. Blocks for as long as the worker takes it.
    ///
    /// # Errors
    /// `NotNow` when no program of the step runs in one, `InvalidInput` for a text that is too long.
    pub(crate) fn input(
        &self,
        session: SessionId,
        step: &StepId,
        input: &TerminalInput,
    ) -> Result<(), EngineError> {
        let terminal = self.kept().iter().rev().find(|terminal| terminal.is(session, step)).cloned();
        let ended = || EngineError::new(ErrorCode::NotNow, "The program in this terminal has ended.");
        terminal.ok_or_else(ended)?.input(input).and_then(|taken| if taken { Ok(()) } else { Err(ended()) })
    }

    /// What is on a terminal now; `None` when it is kept no longer, or never was one.
    pub(crate) fn screen(&self, session: SessionId, run: &TerminalRun) -> Option<TerminalScreen> {
        let kept = self.kept();
        let found = kept.iter().rev().find(|terminal| terminal.session == session && terminal.run == *run);
        let terminal = Arc::clone(found?);
        drop(kept);
        let running = terminal.is_running();
        Some(terminal.screen().whole(running))
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<Terminal>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Terminal {
    fn is(&self, session: SessionId, step: &StepId) -> bool {
        self.session == session && self.run.step_id == *step
    }

    pub(crate) fn size(&self) -> Size {
        let [r, ows, c, ols] = self.size.load(Ordering::Relaxed).to_be_bytes();
        (u16::from_be_bytes([r, ows]), u16::from_be_bytes([c, ols]))
    }

    fn is_running(&self) -> bool {
        !matches!(&*self.link(), Link::Ended)
    }

    /// The program runs, started with a terminal of `born` size; `send` takes words for its worker.
    pub(super) fn attach(&self, born: Size, send: impl Fn(&[u8]) -> bool + Send + Sync + 'static) {
        let mut link = self.link();
        if matches!(*link, Link::Opening) {
            let size = self.size();
            if size != born {
                send(&size_words(size));
            }
            *link = Link::Open(Box::new(send));
        }
    }

    /// Output of the program.
    pub(super) fn show(&self, bytes: &[u8]) {
        self.publish(|screen| screen.push(bytes));
        self.news.notify_one();
    }

    /// The program is gone.
    pub(crate) fn end(&self) {
        *self.link() = Link::Ended;
        self.publish(Screen::let_out);
        self.news.notify_one();
    }

    /// Whether there was a program to take it.
    fn input(&self, input: &TerminalInput) -> Result<bool, EngineError> {
        let link = self.link();
        match (input, &*link) {
            (TerminalInput::Text { text }, _) if text.len() > TYPED => {
                Err(EngineError::new(ErrorCode::InvalidInput, "That is too much at once. Paste it in parts."))
            }
            (_, Link::Ended) => Ok(false),
            (TerminalInput::Size { rows, cols }, link) => {
                let size = ((*rows).clamp(1, MOST.0), (*cols).clamp(1, MOST.1));
                self.size.store(packed(size), Ordering::Relaxed);
                self.screen().resize(size);
                Ok(match link {
                    Link::Open(send) => send(&size_words(size)),
                    Link::Opening | Link::Ended => true,
                })
            }
            (TerminalInput::Text { .. } | TerminalInput::End, Link::Opening) => Ok(false),
            (TerminalInput::Text { text }, Link::Open(send)) => {
                let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
                Ok(send(&[b"i".as_slice(), &length.to_le_bytes(), text.as_bytes()].concat()))
            }
            (TerminalInput::End, Link::Open(send)) => Ok(send(b"e")),
        }
    }

    /// Publishes what comes of a change of the screen; in order, for the screen is held meanwhile.
    fn publish(&self, change: impl FnOnce(&mut Screen) -> String) {
        let mut screen = self.screen();
        let text = change(&mut screen);
        if text.is_empty() {
            return;
        }
        let after = screen.upto;
        screen.upto += 1;
        let TerminalRun { step_id, attempt } = self.run.clone();
        (self.publish)(Update::Terminal {
            session_id: self.session,
            step_id,
            attempt,
            after,
            upto: screen.upto,
            text,
        });
    }

    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn packed((rows, cols): Size) -> u32 {
    (u32::from(rows) << 16) | u32::from(cols)
}

fn size_words((rows, cols): Size) -> [u8; 5] {
    let ([r, ows], [c, ols]) = (rows.to_le_bytes(), cols.to_le_bytes());
    [b's', r, ows, c, ols]
}

/// Shows what was held back once nothing more has come for a while; until the program has ended.
async fn let_out(terminal: Weak<Terminal>) {
    while let Some(shown) = terminal.upgrade() {
        if !shown.is_running() {
            return;
        }
        // Ends also when nobody holds the terminal any more.
        let heard = tokio::time::timeout(Duration::from_secs(5), shown.news.notified()).await;
        if heard.is_ok() {
            tokio::time::sleep(PATIENCE).await;
            if shown.screen().is_quiet_since(PATIENCE) {
                shown.publish(Screen::let_out);
            } else {
                shown.news.notify_one();
            }
        }
    }
}
