//! A disk that fills up while a plan runs: the run pauses and says why, nothing is lost, it goes on when there is room.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    Command, ErrorCode, Event, Mode, PauseReason, PlanState, SessionStatus, StepState, Update,
};
use planwright_tests::{Harness, sequence};

/// A small disk under a data folder, with a ballast that fills it. `None` where mounting is not allowed.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn under(home: &Path) -> Option<Self> {
        let aside = home.with_extension("aside");
        fs::rename(home, &aside).unwrap();
        fs::create_dir(home).unwrap();
        let mounted = Process::new("mount")
            .args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"])
            .arg(home)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: a file system cannot be mounted here");
            return None;
        }
        let copied = Process::new("cp").arg("-a").arg(aside.join(".")).arg(home).status().unwrap();
        assert!(copied.success());
        Some(Self(home.to_owned()))
    }

    fn fill(&self) {
        let ballast = self.0.join("ballast");
        let mut file = fs::OpenOptions::new().create(true).append(true).open(ballast).unwrap();
        for size in [1 << 20, 1 << 12, 1] {
            while file.write_all(&vec![0_u8; size]).is_ok() {
                assert!(file.metadata().unwrap().len() < 32 << 20, "this is not the small disk");
            }
        }
    }

    fn make_room(&self) {
        fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: the engine may still hold a file.
        drop(Process::new("umount").arg("-l").arg(&self.0).status());
    }
}

/// A run whose first step is under way on a small disk, and ends when `go` is there.
async fn under_way() -> Option<(Harness, SmallDisk)> {
    let first = "while [ ! -e go ]; do sleep 0.02; done; echo one >> log";
    let run = Harness::new(&sequence(&[first, "echo two >> log"])).await.closed().await;
    let disk = SmallDisk::under(&run.home())?;
    let mut run = run.reopened(Attendance::User, None).await;
    run.start(Mode::Planner).await;
    run.wait_started("s1").await;
    Some((run, disk))
}

/// As when the disk was too full for any of it.
fn give_up_kept_room(run: &Harness) {
    fs::remove_file(run.home().join("journal.reserve")).unwrap();
    let log = fs::OpenOptions::new().write(true).open(run.home().join("journal.sqlite3-wal")).unwrap();
    log.set_len(log.metadata().unwrap().len()).unwrap();
}

fn go(run: &Harness) {
    fs::write(run.work("go"), "").unwrap();
}

#[tokio::test]
async fn the_run_pauses_says_why_and_goes_on_when_there_is_room() {
    let Some((mut run, disk)) = under_way().await else { return };
    disk.fill();
    go(&run);
    let plan = run.settled().await;
    let folder = run.home().display().to_string();
    assert_eq!(plan.state, PlanState::Paused { reason: PauseReason::NoRoom { folder } });
    assert_eq!(plan.steps[0].state, StepState::Completed { attempt: 0 }, "what had happened is told");
    assert_eq!(run.engine.sessions("").await.unwrap()[0].status, SessionStatus::WaitingForYou);
    assert_eq!(run.refusal(Command::Resume { mode: None }).await, ErrorCode::DiskFull);
    assert_eq!(run.text("log"), "one\n");
    disk.make_room();
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("log"), "one\ntwo\n");
    assert!(run.engine.report(run.session).await.unwrap().contains("# "));
    drop(run);
}

#[tokio::test]
async fn what_cannot_be_written_at_all_is_held_until_it_can() {
    let Some((run, disk)) = under_way().await else { return };
    let mut updates = run.engine.subscribe();
    give_up_kept_room(&run);
    disk.fill();
    go(&run);
    loop {
        match updates.next().await.unwrap() {
            Update::Problem { error, .. } => {
                assert_eq!(error.code, ErrorCode::DiskFull);
                assert!(error.message.contains("Free some"), "{error}");
                break;
            }
            Update::Event { record } => panic!("shown and not written: {record:?}"),
            _ => {}
        }
    }
    assert!(
        matches!(run.step("s1").await, StepState::Running { .. }),
        "nothing is shown before it is written"
    );
    let renamed = Command::Rename { title: "other".into() };
    assert_eq!(run.refusal(renamed).await, ErrorCode::DiskFull);
    disk.make_room();
    let end = Instant::now() + Duration::from_secs(20);
    while !matches!(run.plan().await.state, PlanState::Completed) {
        assert!(Instant::now() < end, "it never went on: {:?}", run.names().await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(run.text("log"), "one\ntwo\n", "each ran once");
    let told = run.events().await;
    assert_eq!(told.iter().filter(|record| matches!(record.event, Event::StepCompleted { .. })).count(), 2);
    drop(run);
}

#[tokio::test]
async fn a_run_without_room_can_still_be_stopped() {
    let Some((run, disk)) = under_way().await else { return };
    let mut updates = run.engine.subscribe();
    give_up_kept_room(&run);
    disk.fill();
    go(&run);
    while !matches!(updates.next().await.unwrap(), Update::Problem { .. }) {}
    run.tell(Command::Cancel).await;
    disk.make_room();
    let end = Instant::now() + Duration::from_secs(20);
    while !matches!(run.plan().await.state, PlanState::Cancelled) {
        assert!(Instant::now() < end, "{:?}", run.names().await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(run.text("log"), "one\n");
    drop(run);
}
