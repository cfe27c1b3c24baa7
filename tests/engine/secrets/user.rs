//! An ordinary user with a password who may use sudo, for as long as a test runs. Made where this is root and there is a
//! sudo; elsewhere the tests that need one say so and do nothing.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use planwright_tests::search::{holding, holds};
use planwright_tests::{cli, sequence, worker};

use super::PASSWORD;

pub(super) struct User {
    name: String,
    rule: PathBuf,
}

impl User {
    pub(super) fn make(password: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only root can make a user for this test");
            return None;
        }
        if !["sudo", "runuser", "useradd", "chpasswd"].iter().all(|program| succeeds("which", &[program])) {
            eprintln!("skipped: this machine has no sudo, or no tools to make a user");
            return None;
        }
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("pwtest{}x{count}", std::process::id());
        assert!(succeeds("useradd", &["--no-create-home", "--shell", "/bin/bash", &name]));
        let user = Self { rule: Path::new("/etc/sudoers.d").join(&name), name };
        let mut chpasswd = Command::new("chpasswd").stdin(Stdio::piped()).spawn().unwrap();
        let line = format!("{}:{password}\n", user.name);
        chpasswd.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        assert!(chpasswd.wait().unwrap().success());
        std::fs::write(&user.rule, format!("{} ALL=(ALL) ALL\n", user.name)).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o440);
        std::fs::set_permissions(&user.rule, mode).unwrap();
        if !user.may_run(&worker()) {
            eprintln!("skipped: an ordinary user cannot reach {}", worker().display());
            return None;
        }
        Some(user)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    fn may_run(&self, program: &Path) -> bool {
        succeeds("runuser", &["-u", &self.name, "--", "test", "-x", &program.to_string_lossy()])
    }
}

impl Drop for User {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.rule));
        succeeds("userdel", &["--force", &self.name]);
    }
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The headless program as an ordinary user: without a terminal it declines, at one the password is typed unseen.
pub(super) fn headless() {
    let Some(user) = User::make(PASSWORD) else { return };
    let program = cli();
    if !user.may_run(&program) || !succeeds("which", &["script"]) {
        eprintln!("skipped: no way to run the headless program as an ordinary user at a terminal");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plan.json"), sequence(&["sudo id -u"])).unwrap();
    std::fs::write(folder.path().join("policy.toml"), "approve = \"dangerous\"\n").unwrap();
    let path = folder.path().display();
    assert!(succeeds("chown", &["-R", user.name(), &path.to_string()]));
    let run = format!(
        "cd {path} && env -u DISPLAY PLANWRIGHT_LOG=trace PLANWRIGHT_HOME={path}/home {} run plan.json --mode planner --policy policy.toml",
        program.display()
    );
    let as_user = |shell: &str| {
        let mut command = Command::new("runuser");
        command.args(["-u", user.name(), "--", "setsid", "-w", "bash", "-c", shell]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };

    let said = as_user(&run).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(said.status.code(), Some(1), "{text}");
    assert!(text.contains("Planwright: Nobody is here to answer."), "{text}");

    let mut terminal = as_user(&format!("script -qec {} /dev/null", quoted(&run))).spawn().unwrap();
    let (mut keyboard, mut screen) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
    let mut shown = Vec::new();
    let mut typed = false;
    let until = Instant::now() + Duration::from_secs(60);
    let mut piece = [0; 1024];
    while Instant::now() < until {
        let length = screen.read(&mut piece).unwrap();
        if length == 0 {
            break;
        }
        shown.extend_from_slice(&piece[..length]);
        if !typed && String::from_utf8_lossy(&shown).contains("(password, not shown; empty declines): ") {
            keyboard.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
            typed = true;
        }
    }
    let text = String::from_utf8_lossy(&shown).into_owned();
    assert_eq!(terminal.wait().unwrap().code(), Some(0), "{text}");
    assert!(typed && text.contains("Done"), "{text}");
    assert!(!holds(&shown, PASSWORD), "it was shown");
    assert_eq!(holding(folder.path(), PASSWORD), Vec::<PathBuf>::new());
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
