//! The headless program as a process: what it prints, how it ends, what it leaves behind.

// Helpers of the tests fail as the tests themselves do.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod addresses;
mod agent;
mod answers;
#[cfg(target_os = "linux")]
mod at_terminal;
mod awake;
mod bad_goal;
mod blocks;
mod checking;
mod examples;
mod first_steps;
mod input;
mod inputs;
mod life;
mod long;
mod manual;
mod metrics;
mod record;
mod secrets;
mod services;
mod shell_state;
mod talk;
mod torture;
mod undo;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A data folder and a folder to work in, both empty, for one test.
struct Desk {
    folder: tempfile::TempDir,
}

/// How a call ended.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(desk.work()).unwrap();
        desk
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A page with one fence for each command.
    fn page(&self, commands: &[&str]) -> PathBuf {
        let fences: String = commands.iter().map(|command| format!("```sh\n{command}\n```\n\n")).collect();
        self.write("page.md", format!("# A page\n\n{fences}"))
    }

    fn lines(&self, file: &str) -> usize {
        std::fs::read_to_string(self.work().join(file)).map_or(0, |text| text.lines().count())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(planwright_tests::cli());
        command
            .args(args)
            .env("PLANWRIGHT_HOME", self.data())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        self.settle(&mut command);
        command
    }

    /// Lets the command run here, without the user's own settings, which must not decide a test: those of git, and those
    /// that npm hands on to what it starts, this test among it.
    fn settle(&self, command: &mut Command) {
        command.current_dir(self.work()).env("HOME", self.folder.path()).env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"npm_") {
                command.env_remove(name);
            }
        }
    }

    fn call(&self, args: &[&str]) -> Ended {
        ended(self.command(args).spawn().unwrap())
    }

    fn call_with(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ended {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.as_ref().to_owned();
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let ended = ended(child);
        writer.join().unwrap();
        ended
    }
}

fn ended(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ended {
    /// The lines of stdout, each an object.
    fn json(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| match serde_json::from_str(line) {
                Ok(value @ Value::Object(_)) => value,
                other => panic!("{line:?} is no JSON object: {other:?}"),
            })
            .collect()
    }

    /// For a failing test: the end and the last that was said.
    fn all(&self) -> String {
        let from = self.stdout.char_indices().nth_back(3000).map_or(0, |(place, _)| place);
        format!("exit {:?}\n{}\n{}", self.code, &self.stdout[from..], self.stderr)
    }
}

fn of_type<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["type"] == kind).collect()
}

fn commands_started(lines: &[Value]) -> Vec<&str> {
    of_type(lines, "step-started").into_iter().filter_map(|line| line["command"].as_str()).collect()
}

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).display().to_string()
}

/// Whether a process runs with this text in its command line.
fn runs(text: &str) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.flatten().any(|process| {
        std::fs::read(process.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).replace('\0', " ").contains(text))
    })
}
