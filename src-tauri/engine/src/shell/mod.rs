//! Asks the worker process to read shell text, under a memory limit and a 200 ms kill. Only the barest of it, a program and
//! words that mean nothing to bash, is read in this process, and nothing that could be hostile.

mod aliases;
mod bare;

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use planwright_shell::{Doubt, DoubtKind, Facts, MAX_TEXT, ParseRequest, ParseResponse};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

pub(crate) use aliases::expanded as with_aliases;
pub(crate) use bare::programs as bare_programs;

const COMMAND_TIME: Duration = Duration::from_millis(200);
const SCRIPT_TIME: Duration = Duration::from_secs(2);
/// Longest answer that is taken, in bytes. Facts are larger than their text, never by this much for honest text.
const MAX_ANSWER: u64 = 64 * 1024 * 1024;

/// A worker in `parse` mode, started when first needed and again whenever it died. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ShellReader {
    worker: PathBuf,
    warm: Arc<Mutex<Option<Warm>>>,
}

/// A running worker. It is put back only after a good answer, so whatever goes wrong, or a dropped question, ends it.
#[derive(Debug)]
struct Warm {
    /// Killed when dropped.
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next_id: u32,
}

#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("The reader ({path}) cannot be started: {source}. Install Planwright again")]
    Start { path: String, source: std::io::Error },
    /// Ended with nothing said.
    #[error("The reader ended before it answered; it may have run out of memory or stack")]
    Died,
    #[error("The reader ended in the middle of its answer")]
    Ended,
    #[error("The reader gave an answer that makes no sense")]
    Garbage,
    #[error("The reader did not finish in time")]
    Late,
}

impl ShellReader {
    /// `worker`: path of the `planwright-worker` program.
    pub fn new(worker: PathBuf) -> Self {
        Self { worker, warm: Arc::default() }
    }

    /// Reads one command (`planwright_shell::MAX_TEXT` bytes at most). Never fails: what goes wrong is a doubt.
    pub async fn read(&self, text: &str) -> Facts {
        self.read_within(text, u32::try_from(MAX_TEXT).unwrap_or(u32::MAX), COMMAND_TIME).await
    }

    /// Reads a whole script, up to `max_text` bytes, with a longer time limit (2 s).
    pub async fn read_script(&self, text: &str, max_text: u32) -> Facts {
        self.read_within(text, max_text, SCRIPT_TIME).await
    }

    async fn read_within(&self, text: &str, max_text: u32, time: Duration) -> Facts {
        if text.len() > max_text as usize {
            return doubtful(DoubtKind::TooLong, format!("It is longer than {max_text} bytes"));
        }
        if let Some(facts) = bare::read(text) {
            return facts;
        }
        let mut place = self.warm.lock().await;
        let reused = place.is_some();
        let first = self.ask(&mut place, text, max_text, time).await;
        let answer = match first {
            // It may have died of anything since the last question; a fresh one has only this text to die of.
            Err(ReadError::Died) if reused => self.ask(&mut place, text, max_text, time).await,
            other => other,
        };
        answer.unwrap_or_else(|error| doubtful(DoubtKind::Exhausted, error.to_string()))
    }

    async fn ask(
        &self,
        place: &mut Option<Warm>,
        text: &str,
        max_text: u32,
        time: Duration,
    ) -> Result<Facts, ReadError> {
        let mut warm = match place.take() {
            Some(warm) => warm,
            None => self.start()?,
        };
        let answer =
            tokio::time::timeout(time, warm.ask(text, max_text)).await.map_err(|_| ReadError::Late)??;
        *place = Some(warm);
        Ok(answer)
    }

    fn start(&self) -> Result<Warm, ReadError> {
        let failed = |source| ReadError::Start { path: self.worker.display().to_string(), source };
        let mut child = Command::new(&self.worker)
            .arg("parse")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or_else(|| failed(std::io::ErrorKind::BrokenPipe.into()))?;
        Ok(Warm { _child: child, stdin, stdout: BufReader::new(stdout), next_id: 1 })
    }
}

impl Warm {
    async fn ask(&mut self, text: &str, max_text: u32) -> Result<Facts, ReadError> {
        let id = self.next_id;
        // 0 is the worker's answer to a line that it could not understand.
        self.next_id = id.checked_add(1).unwrap_or(1);
        let request = ParseRequest { id, text: text.to_owned(), max_text };
        let mut line = serde_json::to_vec(&request).map_err(|_| ReadError::Garbage)?;
        line.push(b'\n');
        self.stdin.write_all(&line).await.map_err(|_| ReadError::Died)?;
        let mut answer = Vec::new();
        (&mut self.stdout)
            .take(MAX_ANSWER)
            .read_until(b'\n', &mut answer)
            .await
            .map_err(|_| ReadError::Ended)?;
        if answer.is_empty() {
            return Err(ReadError::Died);
        }
        if !answer.ends_with(b"\n") {
            return Err(ReadError::Ended);
        }
        let response: ParseResponse = serde_json::from_slice(&answer).map_err(|_| ReadError::Garbage)?;
        if response.id == id { Ok(response.facts) } else { Err(ReadError::Garbage) }
    }
}

fn doubtful(kind: DoubtKind, text: String) -> Facts {
    Facts { doubts: vec![Doubt { kind, text, line: None }], ..Facts::default() }
}
