//! Where a worker is started so that its commands get a control group. As root, or in a part of the tree that is ours, a
//! worker makes one by itself. A user's own part of the tree begins below their systemd, so there a worker is started in
//! a scope of that; whether this works is found out by doing it, once, and until then a worker goes without.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Set to `off`, commands run without a control group of their own.
const SWITCH: &str = "PLANWRIGHT_CGROUP";
/// What `systemd-run` needs to find the user's systemd.
const NEEDED: [&str; 3] = ["PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];
const TRIAL: Duration = Duration::from_secs(3);

const UNTRIED: u8 = 0;
const USELESS: u8 = 1;
const USEFUL: u8 = 2;

#[derive(Debug)]
pub(super) struct Scopes {
    /// Workers are to try for a group at all.
    wanted: bool,
    /// The program `systemd-run`, where the user has a systemd.
    systemd_run: Option<PathBuf>,
    environment: Vec<(&'static str, OsString)>,
    state: AtomicU8,
}

impl Scopes {
    pub(super) fn of_this_machine() -> Self {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR");
        let has_systemd = runtime.is_some_and(|folder| Path::new(&folder).join("systemd/private").exists());
        Self::new(
            std::env::var_os(SWITCH).is_none_or(|switch| switch != "off"),
            has_systemd.then(|| PathBuf::from("systemd-run")),
        )
    }

    pub(super) fn new(wanted: bool, systemd_run: Option<PathBuf>) -> Self {
        let environment = NEEDED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
        Self { wanted, systemd_run, environment, state: AtomicU8::new(UNTRIED) }
    }

    /// Whether a scope is to be tried out now; only once so.
    pub(super) fn begin_trial(&self) -> bool {
        self.wanted
            && self.systemd_run.is_some()
            && self.state.compare_exchange(UNTRIED, USELESS, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Has the worker try for a group in a scope. Blocks, for a few seconds at most.
    pub(super) fn try_out(&self, worker: &Path) {
        let tried = self.in_scope(worker, "try-group").map(|mut command| {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        });
        if let Some(Ok(child)) = tried
            && succeeds(child)
        {
            self.state.store(USEFUL, Ordering::Relaxed);
        }
    }

    /// How a worker is started.
    pub(super) fn command(&self, worker: &Path) -> Command {
        let scoped = (self.state.load(Ordering::Relaxed) == USEFUL).then(|| self.in_scope(worker, "run"));
        scoped.flatten().unwrap_or_else(|| {
            let mut command = Command::new(worker);
            command.arg(if self.wanted { "run" } else { "run-ungrouped" }).env_clear();
            command
        })
    }

    fn in_scope(&self, worker: &Path, deed: &str) -> Option<Command> {
        let mut command = Command::new(self.systemd_run.as_ref()?);
        command
            .args(["--user", "--scope", "--quiet", "--collect", "--property=Delegate=yes", "--"])
            .arg(worker)
            .arg(deed)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        Some(command)
    }
}

fn succeeds(mut child: Child) -> bool {
    let until = Instant::now() + TRIAL;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}
