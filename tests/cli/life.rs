//! Signals, sudden ends, closed pipes, and budgets.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Desk, Ended, commands_started, ended, of_type, runs};

/// A call under way, its lines read as they come.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    seen: std::cell::RefCell<Vec<String>>,
}

impl Running {
    pub(crate) fn start(desk: &Desk, args: &[&str]) -> Self {
        Self::of(desk.command(args))
    }

    pub(crate) fn of(mut command: std::process::Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, seen: std::cell::RefCell::default() }
    }

    /// Waits for a line with this text.
    pub(crate) fn wait_for(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            let found = line.contains(text);
            self.seen.borrow_mut().push(line);
            if found {
                return;
            }
        }
        panic!("no {text:?} in {:#?}", self.seen.borrow());
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn end(self) -> Ended {
        let mut lines = self.seen.into_inner();
        let mut child = self.child;
        lines.extend(self.lines.iter());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let code = child.wait().unwrap().code();
        Ended { code, stdout: lines.join("\n"), stderr }
    }
}

/// Waits until the step's process is there.
pub(crate) fn started(running: &Running, command: &str) {
    running.wait_for(&format!("\"command\":\"{command}\",\"cwd\""));
    wait_until(|| runs(command));
}

fn wait_until(what: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !what() {
        assert!(Instant::now() < end, "it did not come about within 5 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_cancels_and_a_second_one_does_no_harm() {
    let desk = Desk::new();
    desk.page(&["touch before", "sleep 61.25", "touch after"]);
    let running = Running::start(&desk, &["run", "page.md", "--json"]);
    started(&running, "sleep 61.25");
    let asked = Instant::now();
    running.signal(Signal::INT);
    running.signal(Signal::INT);
    let end = running.end();
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert!(!runs("sleep 61.25"), "every process is gone");
    assert_eq!(end.code, Some(130), "{}", end.all());
    let lines = end.json();
    assert_eq!(lines.last().unwrap()["type"], "plan-cancelled");
    assert!(lines.last().unwrap()["goneAt"].is_string());
    assert!(desk.work().join("before").exists() && !desk.work().join("after").exists());
    assert_eq!(desk.call(&["sessions", "--json"]).json()[0]["status"], "cancelled");
}

#[test]
fn what_was_killed_goes_on_and_runs_nothing_twice() {
    let desk = Desk::new();
    let second = "{ echo two >> second; [ $(grep -c two second) -gt 1 ] || sleep 62.5; }";
    desk.page(&["echo one >> first", second, "echo three >> third"]);
    desk.write("caution.toml", "approve = \"caution\"\n");
    let running = Running::start(&desk, &["run", "page.md", "--json"]);
    // The shell has the text of its command from the beginning.
    wait_until(|| runs("sleep 62.5") && desk.lines("second") == 1);
    running.signal(Signal::KILL);
    assert_eq!(running.end().code, None, "it was killed");
    wait_until(|| !runs("sleep 62.5"));

    let refused = desk.call(&["resume", "last", "--json"]);
    assert_eq!(refused.code, Some(3), "{}", refused.all());
    assert!(refused.json()[0]["error"]["message"].as_str().unwrap().contains("was running when"));
    assert_eq!((desk.lines("first"), desk.lines("second"), desk.lines("third")), (1, 1, 0));
    let people = desk.call(&["resume", "last"]);
    assert!(people.code == Some(3) && people.stderr.contains("policy"), "{}", people.all());
    assert!(desk.call(&["report", "last"]).stdout.contains("interrupted"));

    let resumed = desk.call(&["resume", "last", "--json", "--policy", "caution.toml"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.all());
    assert_eq!((desk.lines("first"), desk.lines("second"), desk.lines("third")), (1, 2, 1));
    let lines = resumed.json();
    assert_eq!(commands_started(&lines), [second, "echo three >> third"], "only what is new is told");
    assert_eq!(lines[0]["plan"]["steps"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_revision_is_told_with_the_whole_new_plan() {
    let desk = Desk::new();
    desk.page(&["mkdir notes", "echo one > deep/first", "true"]);
    let run = desk.call(&["run", "page.md", "--mode", "agentic", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let lines = run.json();
    let told: Vec<_> = lines.iter().filter(|line| line["type"] == "plan-revised").collect();
    let [revised] = told[..] else { panic!("one revision: {}", run.all()) };
    assert_eq!((&revised["revision"], &revised["plan"]["revision"]), (&2.into(), &2.into()));
    let steps = revised["plan"]["steps"].as_array().unwrap();
    let commands: Vec<_> = steps.iter().map(|step| step["action"]["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["mkdir notes", "mkdir -p deep", "echo one > deep/first", "true"]);
    assert!(
        lines
            .iter()
            .filter(|line| line["type"] != "plan-revised")
            .all(|line| { line["type"] == "plan-generated" || line.get("plan").is_none() })
    );
}

/// Workers whose parent is this process.
fn workers_of(parent: Pid) -> Vec<String> {
    let is_worker = |pid: &String| {
        let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let stat = String::from_utf8_lossy(&read("stat")).into_owned();
        let above = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        above == Some(parent.as_raw_nonzero().get())
            && String::from_utf8_lossy(&read("cmdline")).contains("planwright-worker")
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_worker).collect()
}

#[test]
fn a_killed_engine_leaves_no_worker_behind() {
    let desk = Desk::new();
    // Not so bare that no reader is asked.
    desk.page(&["sleep 63.25 && true"]);
    let running = Running::start(&desk, &["run", "page.md", "--json"]);
    wait_until(|| runs("sleep 63.25"));
    let engine = Pid::from_child(&running.child);
    // The reader's and the command's.
    wait_until(|| workers_of(engine).len() == 2);
    let workers = workers_of(engine);
    running.signal(Signal::KILL);
    running.end();
    wait_until(|| !workers.iter().any(|pid| Path::new(&format!("/proc/{pid}")).exists()));
    assert!(!runs("sleep 63.25"));
}

#[test]
fn a_safe_step_that_was_killed_needs_no_policy() {
    let desk = Desk::new();
    desk.page(&["sleep 2.0625", "echo done >> end"]);
    let running = Running::start(&desk, &["run", "page.md", "--json"]);
    started(&running, "sleep 2.0625");
    running.signal(Signal::KILL);
    running.end();
    let resumed = desk.call(&["resume", "last", "--json"]);
    assert_eq!((resumed.code, desk.lines("end")), (Some(0), 1), "{}", resumed.all());
}

#[test]
fn a_cancelled_run_is_taken_up_again() {
    let desk = Desk::new();
    desk.page(&["echo one >> first", "sleep 1.03125", "echo three >> third"]);
    let running = Running::start(&desk, &["run", "page.md", "--json"]);
    started(&running, "sleep 1.03125");
    running.signal(Signal::INT);
    assert_eq!(running.end().code, Some(130));
    let resumed = desk.call(&["resume", "last", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.all());
    assert_eq!((desk.lines("first"), desk.lines("third")), (1, 1));
}

#[test]
fn a_run_out_of_budget_says_so() {
    let desk = Desk::new();
    let command = "echo a > d1/f && echo b > d2/f && echo c > d3/f && echo d > d4/f && echo e > d5/f";
    desk.page(&[command]);
    let run = desk.call(&["run", "page.md", "--mode", "agentic", "--json"]);
    assert_eq!(run.code, Some(4), "{}", run.all());
    let lines = run.json();
    assert_eq!(commands_started(&lines).into_iter().filter(|one| *one == command).count(), 4);
    assert_eq!(of_type(&lines, "agent-stuck")[0]["reason"]["type"], "step-retries");
    assert_eq!(lines.last().unwrap()["type"], "plan-failed");
}

#[test]
fn the_blocked_floor_stays_whatever_the_policy_says() {
    let desk = Desk::new();
    desk.page(&["touch before", "rm -rf --preserve-root /", "touch after"]);
    let policy = crate::example("policy.toml");
    let run = desk.call(&["run", "page.md", "--mode", "agentic", "--policy", &policy]);
    assert_eq!(run.code, Some(1), "{}", run.all());
    assert!(
        run.stdout.contains("  2  Delete /\n     $ rm -rf --preserve-root /\n     failed  "),
        "{}",
        run.stdout
    );
    assert!(desk.work().join("before").exists() && !desk.work().join("after").exists());
}

#[test]
fn teacher_runs_nothing_with_nobody_there() {
    let desk = Desk::new();
    desk.page(&["touch ran"]);
    let run = desk.call(&["run", "page.md", "--mode", "teacher"]);
    assert_eq!(run.code, Some(3), "{}", run.all());
    assert!(!desk.work().join("ran").exists());
    assert!(run.stdout.contains("     waits  for Run, and nobody is here"), "{}", run.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let desk = Desk::new();
    desk.page(&["echo one", "sleep 63.75", "touch after"]);
    for json in [&[][..], &["--json"]] {
        let mut child = desk.command(&[&["run", "page.md"][..], json].concat()).spawn().unwrap();
        let mut first = String::new();
        BufReader::with_capacity(1, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        let end = ended_without_stdout(child);
        assert_eq!(end.code, Some(130), "the run is not left to itself: {}", end.stderr);
        assert!(!end.stderr.contains("panic"), "{}", end.stderr);
        assert!(!runs("sleep 63.75") && !desk.work().join("after").exists());
    }
    for args in
        [&["sessions"][..], &["report", "last"], &["export", "last", "--as", "sh"], &["explain", "ls -l"]]
    {
        let mut child = desk.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let end = ended_without_stdout(child);
        assert_eq!((end.code, end.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}

fn ended_without_stdout(child: Child) -> Ended {
    ended(child)
}

#[test]
fn output_cannot_steer_the_terminal() {
    let desk = Desk::new();
    desk.page(&[r"printf '\033[2Jclear\033]0;title\007 \r50%%\r100%%\nlast'", "echo next"]);
    let run = desk.call(&["run", "page.md"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert!(!run.stdout.contains(['\u{1b}', '\u{7}', '\r']), "{:?}", run.stdout);
    assert!(run.stdout.contains("│ 100%\n     │ last\n     done"), "{}", run.stdout);
}
