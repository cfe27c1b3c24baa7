//! What running programs ask of the user: passwords, passphrases, names, a yes. Owns the socket that the worker's askpass
//! mode connects to, the questions that are open, and the way of an answer back to the program. An answer lives in
//! zeroised memory from here to the socket; it is never in an event, a log line, a file or a question to a model.
//!
//! A command has nothing with which to ask: where its programs ask follows from the worker above them, and who is no
//! descendant of that worker is not heard.

mod asker;
mod desk;
mod question;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::protocol::{EngineError, ErrorCode, Event, SecretOutcome, SecretRequestId, SessionId, StepId};
use asker::Asker;
use desk::{Asked, Desk};
use question::Question;

/// How long a question stays open, unless the command's own limits are shorter.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// A question is declined this long before the command would be ended for its silence.
const MARGIN: Duration = Duration::from_secs(5);
/// Longest wait for a question to arrive whole once somebody has connected.
const ARRIVAL: Duration = Duration::from_secs(5);
/// No program takes a longer password.
const ANSWER_BYTES: usize = 1023;

/// Where programs ask. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Askpass(Arc<Mutex<Desk>>);

/// What a command is, for those who are asked on its behalf.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) session_id: SessionId,
    pub(crate) step_id: StepId,
    pub(crate) command: String,
    pub(crate) cwd: String,
    /// When it is ended whatever it does, and when it is ended for having been silent; from its start.
    pub(crate) wall_limit: Duration,
    pub(crate) silence_limit: Duration,
}

/// A command's leave to ask. What is open when it is dropped is withdrawn.
#[derive(Debug)]
pub(crate) struct Leave(Door);

/// Where a command's programs ask, once its worker is known.
#[derive(Debug, Clone)]
pub(crate) struct Door {
    askpass: Askpass,
    command: CommandId,
}

/// One run of a command. It never leaves this program.
type CommandId = Uuid;

impl Askpass {
    /// `attended`: somebody is there who can answer. Whoever hides secrets in texts hears of each password through
    /// `learn` before its program does.
    pub(crate) fn new(attended: bool, learn: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Mutex::new(Desk::new(attended, Box::new(learn)))))
    }

    /// Whether somebody is there who can answer.
    pub(crate) fn set_attended(&self, attended: bool) {
        self.desk().attended = attended;
    }

    /// Lets a command ask. Questions and what becomes of them go to `tell` as events.
    pub(crate) fn allow(&self, about: About, tell: mpsc::UnboundedSender<Event>) -> Leave {
        let command = Uuid::new_v4();
        self.desk().enter(command, about, tell);
        Leave(Door { askpass: self.clone(), command })
    }

    /// Hands an answer to the program that asked; `None` declines.
    ///
    /// # Errors
    /// `NotNow` when the question is not open, `InvalidInput` for what can be no answer.
    pub(crate) fn answer(
        &self,
        session: SessionId,
        id: SecretRequestId,
        answer: Option<SecretString>,
    ) -> Result<(), EngineError> {
        if let Some(text) = answer.as_ref().map(|answer| answer.expose_secret()) {
            let invalid = |message: &str| Err(EngineError::new(ErrorCode::InvalidInput, message));
            if text.len() > ANSWER_BYTES {
                return invalid("This is too long for a password. Enter the password alone.");
            }
            if text.contains(['\n', '\r', '\0']) {
                return invalid("A password is one line. Enter it without a line break.");
            }
        }
        if self.desk().answer(session, id, answer) {
            Ok(())
        } else {
            let message = "The program does not wait for this any more.";
            Err(EngineError::new(ErrorCode::NotNow, message))
        }
    }

    /// Sees one question of a command to its end. A stranger is left without a word.
    async fn serve(&self, command: CommandId, worker: i32, mut stream: UnixStream) {
        let Ok(peer) = stream.peer_cred() else { return };
        let Some(pid) = peer.pid() else { return };
        // A command of root's may have given up its rights; whose descendant it is counts all the same.
        let own = rustix::process::geteuid();
        if (peer.uid() != own.as_raw() && !own.is_root()) || !asker::descends_from(pid, worker) {
            return;
        }
        let Ok(Some(question)) = tokio::time::timeout(ARRIVAL, Question::read(&mut stream)).await else {
            return;
        };
        let asked = self.desk().ask(command, &question, Asker::of(pid, own.is_root()));
        let (id, answer, patience) = match asked {
            Asked::Stranger => return,
            Asked::Refused(words) => return refuse(&mut stream, words).await,
            Asked::Open { id, answer, patience } => (id, answer, patience),
        };
        keep_out_of_dumps();
        let mut rest = [0; 1];
        tokio::select! {
            answer = answer => match answer {
                Ok(Some(answer)) => give(&mut stream, &answer).await,
                Ok(None) => refuse(&mut stream, "You declined to answer.").await,
                // The command is over.
                Err(_) => {}
            },
            () = tokio::time::sleep(patience) => {
                self.desk().resolve(id, SecretOutcome::TimedOut);
                refuse(&mut stream, "Nobody answered in time.").await;
            }
            // It says no more; this is its end.
            _ = stream.read(&mut rest) => self.desk().resolve(id, SecretOutcome::Withdrawn),
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// Listens to the descendants of this worker for as long as the command's leave lives. Needs a runtime.
    pub(crate) fn open(&self, worker: u32) {
        let Ok(worker) = i32::try_from(worker) else { return };
        self.open_at(&format!("planwright-askpass-{worker}"), worker);
    }

    fn open_at(&self, name: &str, worker: i32) {
        let listener = match listen(name) {
            Ok(listener) => listener,
            Err(error) => return tracing::warn!(%error, "programs cannot ask for passwords"),
        };
        let Self { askpass, command } = self.clone();
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let askpass = askpass.clone();
                tokio::spawn(async move { askpass.serve(command, worker, stream).await });
            }
        });
        self.askpass.desk().listens(self.command, listening.abort_handle());
    }
}

impl Leave {
    pub(crate) fn door(&self) -> Door {
        self.0.clone()
    }
}

/// Tells whether a question of a command is open, also when its leave is over.
#[derive(Debug)]
pub(crate) struct Asking(Door);

impl Asking {
    pub(crate) fn is_open(&self) -> bool {
        self.0.askpass.desk().is_asking(self.0.command)
    }
}

impl Leave {
    pub(crate) fn asking(&self) -> Asking {
        Asking(self.door())
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.askpass.desk().leave(self.0.command);
    }
}

/// A socket without a place in the file system, so that nothing of it is left behind however this program ends.
#[cfg(target_os = "linux")]
fn listen(name: &str) -> io::Result<UnixListener> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener as StdListener};

    let listener = StdListener::bind_addr(&SocketAddr::from_abstract_name(name)?)?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

/// Only Linux has such sockets; elsewhere programs cannot ask.
#[cfg(not(target_os = "linux"))]
fn listen(_name: &str) -> io::Result<UnixListener> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A program that went away takes nothing; its question is over all the same.
async fn give(stream: &mut UnixStream, answer: &SecretString) {
    if stream.write_all(b"A").await.is_ok() {
        drop(stream.write_all(answer.expose_secret().as_bytes()).await);
    }
    drop(stream.shutdown().await);
}

async fn refuse(stream: &mut UnixStream, words: &str) {
    drop(stream.write_all(format!("N{words}").as_bytes()).await);
    drop(stream.shutdown().await);
}

/// From the first question on no dump of this program's memory is written, and no other program of the user's reads it.
/// A limit on dumps would do the same, but commands would inherit it.
#[cfg(target_os = "linux")]
fn keep_out_of_dumps() {
    use rustix::process::DumpableBehavior;

    if let Err(error) = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "a crash of this program could write a password to a dump");
    }
}

/// Elsewhere there is no question to begin with.
#[cfg(not(target_os = "linux"))]
fn keep_out_of_dumps() {}
