//! Nothing is left of a command, whatever it started and however it ends: with a control group and without.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::watch;

use super::super::scope::Scopes;
use super::super::spare::Workers;
use super::super::{LocalRunner, RunOutcome, RunRequest, Runner};
use super::{STUBBORN, alive, here, marked, nobody, request, until, worker, worker_of};
use crate::approval::{Permit, Place};
use crate::protocol::ExitStatus;
use crate::redact::Redactor;
use crate::runner::BaseEnvironment;

const IDLE: Duration = Duration::from_secs(60);

/// Runners whose commands have a control group where one can be had, and whose have none.
fn both() -> [(&'static str, LocalRunner); 2] {
    [("grouped", true), ("ungrouped", false)].map(|(name, wanted)| {
        let workers = Workers::with_scopes(worker(), IDLE, Scopes::new(wanted, None));
        let base = BaseEnvironment::capture(workers.program());
        (name, LocalRunner { workers, base, redactor: Redactor::default(), turns: Default::default() })
    })
}

async fn run_under(runner: LocalRunner, request: RunRequest, cancel: watch::Receiver<bool>) -> RunOutcome {
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    runner.run(permit, request, nobody(), cancel).await
}

async fn plainly(runner: &LocalRunner, command: &str) -> RunOutcome {
    run_under(runner.clone(), request(command, &here()), watch::channel(false).1).await
}

/// The folder of the control group of a process whose environment holds this text.
fn group_of(marker: &str) -> Option<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let mounted = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let place = fields.next()?;
        (fields.next()? == "cgroup2").then(|| PathBuf::from(place))
    })?;
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let process = entries.map(|entry| entry.path()).find(|process| {
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(marker)
    })?;
    let groups = std::fs::read_to_string(process.join("cgroup")).ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    own.contains("planwright-").then(|| mounted.join(own))
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    Pid::from_raw(stat.get(stat.rfind(')')? + 1..)?.split_whitespace().nth(1)?.parse().ok()?)
}

/// What a cancel has to end, and how many processes of it there are at least when it is under way.
const TREES: [(&str, &str, usize); 4] = [
    ("setsid", "for i in 1 2 3; do setsid sleep 300 & done; sleep 300; echo", 4),
    (
        "forked twice",
        "for i in 1 2 3; do (setsid bash -c '(sleep 300; echo) & sleep 0.01' &); done; sleep 300; echo",
        4,
    ),
    ("deaf to TERM", STUBBORN, 7),
    (
        "forking in a loop",
        "trap '' TERM; (while :; do (setsid sleep 300 &); sleep 0.002; done) & setsid bash -c \
         'trap \"\" TERM; while :; do (sleep 5 &); sleep 0.002; done' & sleep 300; echo",
        12,
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_leaves_nothing_of_any_tree() {
    for (how, runner) in both() {
        for (name, command, least) in TREES {
            for _ in 0..2 {
                let (shell, marker) = marked("tree");
                let (cancel, cancelled) = watch::channel(false);
                let running = tokio::spawn(run_under(runner.clone(), request(command, &shell), cancelled));
                assert!(until(|| alive(&marker) >= least).await, "{how}, {name}: {}", alive(&marker));
                cancel.send_replace(true);
                let outcome = running.await.unwrap();
                assert_eq!(
                    (alive(&marker), outcome.exit_status),
                    (0, ExitStatus::Cancelled),
                    "{how}, {name}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_worker_that_is_killed_nothing_is_left_either() {
    for (how, runner) in both() {
        let (shell, marker) = marked("killed");
        let running = tokio::spawn(run_under(runner, request(STUBBORN, &shell), watch::channel(false).1));
        assert!(until(|| alive(&marker) >= 7).await, "{how}");
        let group = group_of(&marker);
        kill_process(worker_of(&marker).unwrap(), Signal::KILL).unwrap();
        let outcome = running.await.unwrap();
        let said = matches!(&outcome.exit_status, ExitStatus::NotStarted { message } if message.contains("was lost"));
        assert_eq!((alive(&marker), said), (0, true), "{how}");
        assert!(group.is_none_or(|group| !group.exists()), "{how}");
    }
}

/// Both of its processes at once: then it is the group that tells what was its.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_outlives_both_processes_of_its_worker() {
    let [(_, runner), _] = both();
    let (shell, marker) = marked("both");
    let running = tokio::spawn(run_under(runner, request(STUBBORN, &shell), watch::channel(false).1));
    assert!(until(|| alive(&marker) >= 7).await);
    let Some(group) = group_of(&marker) else {
        running.abort();
        println!("no control group can be had here");
        return;
    };
    let supervisor = worker_of(&marker).unwrap();
    for pid in [parent_of(supervisor).unwrap(), supervisor] {
        kill_process(pid, Signal::KILL).unwrap();
    }
    running.await.unwrap();
    assert!(until(|| alive(&marker) == 0).await, "{} left", alive(&marker));
    assert!(!group.exists());
}

#[tokio::test]
async fn a_worker_that_its_command_stops_goes_on() {
    for (how, runner) in both() {
        let outcome = plainly(&runner, "kill -STOP $PPID; sleep 0.1; echo on").await;
        assert_eq!(
            (outcome.exit_status, outcome.stdout.as_str()),
            (ExitStatus::Code { code: 0 }, "on\n"),
            "{how}"
        );
    }
}

/// What a command changes in the process above it meets no later command.
#[tokio::test]
async fn a_worker_that_was_altered_takes_no_other_command() {
    let look = "ulimit -a; nice; umask; cat /proc/self/oom_score_adj /proc/self/timerslack_ns; taskset -p $$ | \
                sed 's/.*: //'; ionice -p $$; grep -E '^(Sig[BIC]|Cap|NoNew)' /proc/self/status";
    let alterations = [
        "prlimit --pid $PPID --nofile=512",
        "prlimit --pid $PPID --core=4096",
        "renice -n 7 -p $PPID",
        "echo 700 >/proc/$PPID/oom_score_adj",
        "ionice -c 3 -p $PPID",
        "taskset -p 1 $PPID",
        "chrt --batch -p 0 $PPID",
        "ulimit -n 64; umask 077; renice -n 3 -p $$; trap '' TERM",
    ];
    let runner = super::runner();
    let before = plainly(&runner, look).await.stdout;
    for alteration in alterations {
        assert_eq!(
            plainly(&runner, alteration).await.exit_status,
            ExitStatus::Code { code: 0 },
            "{alteration}"
        );
        assert_eq!(plainly(&runner, look).await.stdout, before, "{alteration}");
    }
}
