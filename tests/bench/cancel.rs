//! How long it takes to cancel a run, and what is left of it (SPEC E7: acknowledged within 50 ms, every process gone within
//! two seconds, p99 of 200; nothing survives): over trees with `setsid`, double-forked, TERM-ignoring and forking-in-a-loop
//! children; as root and as an ordinary user; with a control group and without. Root plays the ordinary user too, and gives
//! them a group as their systemd would. Anybody else measures as who they are.

use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::sync::Arc;
use std::time::{Duration, Instant};

use planwright_engine::engine::{Attendance, Engine, EngineConfig, ImportSource, Updates};
use planwright_engine::model::{MemoryKeys, Models};
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{Command, Event, SessionId, Update};

use crate::Failure;
use crate::measure::{Times, heading, load, verdict};

const CANCELS: usize = 200;
/// Set in the process that measures one case: whether a control group is to be had there.
const CASE: &str = "PLANWRIGHT_CANCEL_CASE";
/// An ordinary user without a name.
const USER: &str = "64999";

/// A script, and how many processes there are at least when it is under way.
const TREES: [(&str, &str, usize); 4] = [
    ("setsid", "for i in 1 2 3 4; do setsid sleep 300 & done\nsleep 300\necho\n", 5),
    (
        "forked twice",
        "for i in 1 2 3; do (setsid bash -c '(sleep 300; echo) & sleep 0.01' &); done\nsleep 300\necho\n",
        4,
    ),
    (
        "deaf to TERM",
        "trap '' TERM\nsetsid bash -c 'trap \"\" TERM; sleep 300; sleep 300' &\n\
         (setsid bash -c 'trap \"\" TERM; (sleep 300; sleep 300) & sleep 300' &)\nnohup sleep 300 >/dev/null 2>&1 &\n\
         sleep 300\nsleep 300\n",
        7,
    ),
    (
        "forking in a loop",
        "trap '' TERM\n(while :; do (setsid sleep 300 &); sleep 0.005; done) &\n\
         setsid bash -c 'trap \"\" TERM; while :; do (sleep 5 &); sleep 0.005; done' &\nsleep 300\necho\n",
        12,
    ),
];

#[tokio::main]
pub(crate) async fn measure() -> Result<(), Failure> {
    if let Ok(case) = std::env::var(CASE) {
        return match measure_case(case == "grouped").await? {
            0 => Ok(()),
            survivors => Err(format!("{survivors} processes survived").into()),
        };
    }
    let mut all_well = true;
    let is_root = rustix::process::geteuid().is_root();
    let (me, others) = if is_root { ("root", vec![USER]) } else { ("this user", Vec::new()) };
    for grouped in [true, false] {
        all_well &= case(me, None, grouped)?;
        for user in &others {
            all_well &= case("an ordinary user", Some(user), grouped)?;
        }
    }
    println!("load of this machine at the end: {}", load());
    if all_well { Ok(()) } else { Err("see above".into()) }
}

/// Measures one case in a process of its own. Returns whether nothing survived.
fn case(who: &str, user: Option<&str>, grouped: bool) -> Result<bool, Failure> {
    let way = if grouped { "with a control group where one can be had" } else { "without a control group" };
    println!("\nas {who}, {way}");
    let given = if grouped { user.and_then(Given::to) } else { None };
    let me = std::env::current_exe()?;
    let mut program = match (user, &given) {
        (None, _) => Program::new(me),
        (Some(user), given) => {
            let enter = given
                .as_ref()
                .map_or(String::new(), |given| format!("echo $$ >'{}/cgroup.procs' && ", given.0.display()));
            let mut program = Program::new("sh");
            program
                .arg("-c")
                .arg(format!("{enter}exec setpriv --reuid={user} --regid={user} --clear-groups \"$@\""));
            program.arg("sh").arg(me);
            program
        }
    };
    program.arg("cancel").env(CASE, if grouped { "grouped" } else { "ungrouped" });
    if grouped {
        program.env_remove("PLANWRIGHT_CGROUP");
    } else {
        program.env("PLANWRIGHT_CGROUP", "off");
    }
    Ok(program.status()?.success())
}

/// A control group that belongs to an ordinary user.
struct Given(PathBuf);

impl Given {
    fn to(user: &str) -> Option<Self> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        let mounted =
            mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"))?.split(' ').nth(1)?;
        let group = Path::new(mounted).join(format!("planwright-bench-{}", std::process::id()));
        std::fs::create_dir(&group).ok()?;
        let given = Self(group);
        for path in [given.0.clone(), given.0.join("cgroup.procs")] {
            std::os::unix::fs::chown(path, user.parse().ok(), None).ok()?;
        }
        Some(given)
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        for _ in 0..100 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        println!("{} could not be removed", self.0.display());
    }
}

/// Returns how many processes survived a cancel.
async fn measure_case(grouped: bool) -> Result<usize, Failure> {
    let folders = tempfile::tempdir()?;
    let engine = Engine::spawn(EngineConfig {
        home: folders.path().join("home"),
        worker: planwright_tests::worker(),
        attendance: Attendance::Nobody(PolicyFile::parse("approve = \"dangerous\"")?),
        models: Models::of(None),
        keys: Arc::new(MemoryKeys::default()),
    })
    .await?;
    let mut updates = engine.subscribe();
    let (mut acknowledged, mut gone, mut survivors, mut in_groups) = (Vec::new(), Vec::new(), 0, 0);
    for nth in 0..CANCELS {
        let (name, script, least) = TREES[nth % TREES.len()];
        let work = folders.path().join(format!("work-{nth}"));
        std::fs::create_dir(&work)?;
        std::fs::write(work.join("tree.sh"), script)?;
        let marker = format!("CANCEL_BENCH={}-{nth}", std::process::id());
        let plan = serde_json::json!({ "steps": [{ "command": format!("env {marker} bash ./tree.sh") }] });
        let source =
            ImportSource { name: "plan.json".to_owned(), bytes: plan.to_string().into_bytes(), path: None };
        let session = engine.import(source, Some(work.display().to_string()), None).await?.id;
        engine.submit(session, Command::Start { mode: None }).await?;
        let up = Instant::now();
        while marked(&marker).len() < least {
            if up.elapsed() > Duration::from_secs(20) {
                let state = engine.open_session(session).await?;
                return Err(format!("{name} did not come up: {:?}", state.plan.map(|plan| plan.state)).into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        in_groups += usize::from(marked(&marker).first().is_some_and(|pid| is_in_a_group(*pid)));
        let start = Instant::now();
        engine.submit(session, Command::Cancel).await?;
        acknowledged.push(start.elapsed());
        until_cancelled(&mut updates, session).await?;
        gone.push(start.elapsed());
        let left = marked(&marker);
        if !left.is_empty() {
            println!("{name}: {} left", left.len());
        }
        survivors += left.len();
    }
    let (acknowledged, gone) = (Times::from(acknowledged), Times::from(gone));
    heading(&load());
    acknowledged.row("acknowledged");
    gone.row("every process gone");
    println!("runs in a control group: {in_groups} of {CANCELS}");
    verdict("acknowledged, p99", acknowledged.p99(), 50.0, "ms");
    verdict("every process gone, p99", gone.p99(), 2000.0, "ms");
    verdict("survivors", survivors as f64, 0.0, "");
    if !grouped && in_groups > 0 {
        return Err("this case was to be without control groups".into());
    }
    Ok(survivors)
}

/// Live processes whose environment holds the marker, and so all that its command started.
fn marked(marker: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        std::fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|text| text.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes()))
    })
    .collect()
}

fn is_in_a_group(pid: u32) -> bool {
    let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    // Not the one that the bench itself may have been given.
    groups.lines().any(|line| line.starts_with("0::") && line.rsplit('/').next().is_some_and(is_a_commands))
}

fn is_a_commands(group: &str) -> bool {
    group.starts_with("planwright-") && !group.starts_with("planwright-bench-")
}

async fn until_cancelled(updates: &mut Updates, session: SessionId) -> Result<(), Failure> {
    loop {
        match updates.next().await.ok_or("the engine has ended")? {
            Update::Event { record } if record.session_id == session => match record.event {
                Event::PlanCancelled { .. } => return Ok(()),
                Event::PlanFailed { reason, .. } => return Err(reason.into()),
                _ => {}
            },
            _ => {}
        }
    }
}
