//! One life of the headless program: from its start until it ends or is killed, and what it showed meanwhile.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::attended;
use crate::record::Record;

/// A life that takes longer hangs.
const TOO_LONG: Duration = Duration::from_secs(60);

/// A data folder, and plans whose steps leave a line each time they run.
pub(crate) struct Desk {
    program: PathBuf,
    work: PathBuf,
    data: PathBuf,
    policy: PathBuf,
    /// Outside all that the program looks after: a line for each time that a step's command has begun.
    ran: PathBuf,
}

/// When something happens to a life.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    After(Duration),
    /// So long after it has shown so many lines.
    Shown {
        lines: usize,
        and: Duration,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Killed,
    By(i32),
    Otherwise,
    Hung,
}

pub(crate) struct Life {
    pub(crate) ended: Ended,
    /// The events shown, in order, each as a line of `--json`.
    pub(crate) shown: Vec<Value>,
    /// Everything that it printed.
    lines: Vec<String>,
    stderr: String,
}

impl Life {
    /// How it ended and what it said at the end, for whoever looks for the fault.
    pub(crate) fn last_words(&self) -> String {
        let from = self.lines.len().saturating_sub(5);
        let lines = self.lines[from..].iter();
        let lines: String =
            lines.map(|line| line.chars().take(300).chain(['\n']).collect::<String>()).collect();
        format!("it ended with {:?}\n{lines}{}", self.ended, self.stderr)
    }

    /// A program that crashes by itself, or never ends, is wrong whatever it recorded. 1: the run paused or broke off;
    /// 2: there was nothing to do or no room to begin; 4: interruptions have used up a step's attempts.
    pub(crate) fn is_expected(&self) -> Result<(), String> {
        match self.ended {
            Ended::Killed | Ended::By(0..=2 | 4) if !self.stderr.contains("panicked") => Ok(()),
            Ended::Killed | Ended::By(_) | Ended::Otherwise | Ended::Hung => {
                Err(format!("the program ended with {:?}: {}", self.ended, self.stderr))
            }
        }
    }
}

impl Desk {
    pub(crate) fn new(program: &Path, folder: &Path, data: &Path) -> Self {
        let (work, policy) = (folder.join("work"), folder.join("policy.toml"));
        std::fs::create_dir_all(&work).unwrap();
        std::fs::create_dir_all(folder.join("home")).unwrap();
        std::fs::write(&policy, "approve = \"dangerous\"\n").unwrap();
        Self { program: program.to_owned(), work, data: data.to_owned(), policy, ran: folder.join("ran") }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.data.clone()
    }

    /// Removes what the plan that is over has left.
    pub(crate) fn clear(&self) {
        std::fs::remove_dir_all(&self.work).unwrap();
        std::fs::create_dir(&self.work).unwrap();
        std::fs::remove_file(&self.ran).unwrap();
    }

    /// How often a step's command has begun so far.
    pub(crate) fn runs_of(&self, step: &str) -> u32 {
        let lines = std::fs::read_to_string(&self.ran).unwrap_or_default();
        u32::try_from(lines.lines().filter(|line| *line == step).count()).unwrap()
    }

    pub(crate) fn ran(&self) -> &Path {
        &self.ran
    }

    /// The same with a goal, which the model at `url` works on.
    pub(crate) fn live_for_goal(
        &self,
        record: &mut Record,
        url: &str,
        meanwhile: impl FnOnce(&mut Running),
    ) -> Life {
        let mut command = Command::new(&self.program);
        match record.resumable_goal() {
            Some(session) => command.args(["resume", &session]),
            None => command.args(["agent", "Empty the pond"]),
        };
        command.stdin(Stdio::null());
        let policy = self.policy.display().to_string();
        command.args(["--json", "--policy", &policy]);
        command.args(["--provider", "local", "--model", "scripted", "--base-url", url]);
        self.live_as(&mut command, meanwhile)
    }

    /// The same with somebody there. They are told whether they have said no to the check before.
    pub(crate) fn live_attended(
        &self,
        record: &mut Record,
        url: &str,
        meanwhile: impl FnOnce(&mut Running, bool),
    ) -> Life {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(attended::WORD).args([&self.data, &self.work]).arg(url).args(record.resumable_goal());
        let denied = record.count("goal-sent-back") > 0;
        self.live_as(command.stdin(Stdio::piped()), |running| meanwhile(running, denied))
    }

    /// Starts the plan, or takes it up where the record says it is, and lets `meanwhile` happen to it.
    pub(crate) fn live(&self, record: &mut Record, meanwhile: impl FnOnce(&mut Running)) -> Life {
        let policy = self.policy.display().to_string();
        let mut command = Command::new(&self.program);
        match record.resumable() {
            Some(session) => command.args(["resume", &session, "--json", "--policy", &policy]),
            None => {
                std::fs::write(self.work.join("plan.json"), plan(&self.ran).to_string()).unwrap();
                command.args(["run", "plan.json", "--mode", "agentic", "--json", "--policy", &policy])
            }
        };
        self.live_as(command.stdin(Stdio::null()), meanwhile)
    }

    fn live_as(&self, command: &mut Command, meanwhile: impl FnOnce(&mut Running)) -> Life {
        command
            .current_dir(&self.work)
            .env("PLANWRIGHT_HOME", &self.data)
            .env("HOME", self.ran.with_file_name("home"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = Running::start(command);
        meanwhile(&mut running);
        running.end()
    }
}

/// Steps of every sort that the record has: quick, slow, talkative, with a checkpoint, dangerous, failing and mended.
fn plan(ran: &Path) -> Value {
    let ran = ran.display();
    let step =
        |id: &str, command: &str| json!({ "id": id, "command": format!("echo {id} >> {ran}; {command}") });
    json!({ "title": "Torture", "steps": [
        step("quick", "true"),
        step("slow", "sleep 0.03"),
        step("talks", "seq 2000"),
        step("mended", "echo x > made/by-repair"),
        step("deletes", "mkdir -p doomed/in && rm -rf doomed"),
        step("checked", "seq 100 > numbers"),
        step("moves", "mkdir -p sub && cd sub && export WORD=kept"),
        step("last", "sleep 0.01; echo $WORD"),
    ] })
}

pub(crate) struct Running {
    child: Child,
    /// Where it takes commands, if it does.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: Vec<String>,
    killed: bool,
    begun: Instant,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = String::new();
            // A line without its end was not shown whole.
            while stdout.read_line(&mut line).is_ok_and(|_| line.ends_with('\n')) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, lines, seen: Vec::new(), killed: false, begun }
    }

    /// Whether it still lived then.
    pub(crate) fn wait_for(&mut self, moment: Moment) -> bool {
        match moment {
            Moment::After(time) => self.read_until(self.begun + time, usize::MAX),
            Moment::Shown { lines, and } => {
                self.read_until(self.begun + TOO_LONG, lines)
                    && self.read_until(Instant::now() + and, usize::MAX)
            }
        }
    }

    pub(crate) fn kill_at(&mut self, moment: Moment) {
        if self.wait_for(moment) && self.child.try_wait().unwrap().is_none() {
            self.child.kill().unwrap();
            self.killed = true;
        }
    }

    /// The next line, if there is one so soon.
    pub(crate) fn next_line(&mut self, soon: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(soon).ok()?;
        let value = serde_json::from_str(&line).unwrap();
        self.seen.push(line);
        Some(value)
    }

    /// Gives a command. One that has just died takes none.
    pub(crate) fn tell(&mut self, command: &Value) {
        let stdin = self.stdin.as_mut().expect("it takes commands");
        drop(writeln!(stdin, "{command}"));
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Reads until then, or until so many lines were seen; whether its output has not ended before.
    fn read_until(&mut self, end: Instant, lines: usize) -> bool {
        while self.seen.len() < lines {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    fn end(mut self) -> Life {
        drop(self.stdin.take());
        let hangs = self.read_until(Instant::now() + TOO_LONG, usize::MAX);
        if hangs {
            self.child.kill().unwrap();
        }
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let ended = match status.code() {
            _ if hangs => Ended::Hung,
            Some(code) => Ended::By(code),
            None if self.killed => Ended::Killed,
            None => Ended::Otherwise,
        };
        let events = self.seen.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let shown = events.filter(|line| line["seq"].is_u64()).collect();
        Life { ended, shown, lines: self.seen, stderr }
    }
}
