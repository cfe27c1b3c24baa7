//! Control groups by the user's systemd, which here is a script that does what that does: makes a group, gives it to an
//! ordinary user, and starts the program in it as that user. Only root can play it, and only where groups can be had.
//! Where there is a real one, it is used.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::super::scope::Scopes;
use super::super::spare::Workers;
use super::super::{LocalRunner, Runner};
use super::{alive, marked, nobody, request, until, worker};
use crate::approval::{Permit, Place};
use crate::protocol::ExitStatus;
use crate::redact::Redactor;
use crate::runner::BaseEnvironment;

const SYSTEMD: &str = r#"#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
mkdir -p @GROUP@
chown 65534 @GROUP@ @GROUP@/cgroup.procs
echo $$ >@GROUP@/cgroup.procs
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"#;

fn playing_systemd(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let can = rustix::process::geteuid().is_root()
        && Command::new(worker()).arg("try-group").status().is_ok_and(|status| status.success());
    if !can {
        println!("no control group can be given away here");
        return None;
    }
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let mounted = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2")).unwrap();
    let group = PathBuf::from(mounted.split(' ').nth(1).unwrap()).join(format!(
        "planwright-test-{}-{}",
        std::process::id(),
        folder.file_name()?.display()
    ));
    let script = folder.join("systemd-run");
    std::fs::write(&script, SYSTEMD.replace("@GROUP@", &group.display().to_string())).unwrap();
    executable(&script, 0o755);
    executable(folder, 0o755);
    Some((script, group))
}

fn executable(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn user_runner(script: PathBuf) -> LocalRunner {
    let scopes = Scopes::new(true, Some(script));
    assert!(scopes.begin_trial() && !scopes.begin_trial(), "it is tried out once");
    scopes.try_out(&worker());
    let workers = Workers::with_scopes(worker(), Duration::from_secs(60), scopes);
    let base = BaseEnvironment::capture(workers.program());
    LocalRunner { workers, base, redactor: Redactor::default(), turns: Arc::default() }
}

#[tokio::test]
async fn an_ordinary_user_gets_a_group_from_systemd() {
    let folder = tempfile::Builder::new().prefix("scope").tempdir().unwrap();
    let Some((script, group)) = playing_systemd(folder.path()) else { return };
    let runner = user_runner(script);
    // Its real user is root, so an ordinary user may not send it a signal.
    let rise = folder.path().join("rise");
    std::fs::copy("/usr/bin/setpriv", &rise).unwrap();
    executable(&rise, 0o4755);
    let (shell, marker) = marked("scope");
    let command = format!(
        "id -u; grep ^0:: /proc/self/cgroup; setsid {} --reuid=0 --regid=0 --clear-groups sleep 300 & sleep 300; echo",
        rise.display()
    );
    let request = request(&command, &shell);
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    let (cancel, cancelled) = watch::channel(false);
    let running = tokio::spawn(async move {
        let outcome = runner.run(permit, request, nobody(), cancelled).await;
        (outcome, runner)
    });
    assert!(until(|| alive(&marker) >= 3).await);
    cancel.send_replace(true);
    let (outcome, runner) = running.await.unwrap();
    assert_eq!((alive(&marker), outcome.exit_status), (0, ExitStatus::Cancelled));
    let (user, place) = outcome.stdout.split_once('\n').unwrap();
    let own = group.file_name().unwrap().display().to_string();
    assert!(user == "65534" && place.contains(&own) && place.contains("/planwright-"), "{}", outcome.stdout);
    drop(runner);
    assert!(until(|| std::fs::remove_dir(&group).is_ok()).await, "a group was left in {}", group.display());
}

#[tokio::test]
async fn a_systemd_that_is_of_no_use_is_left_alone() {
    let scopes = Scopes::new(true, Some("/bin/false".into()));
    assert!(scopes.begin_trial());
    scopes.try_out(&worker());
    assert_eq!(scopes.command(&worker()).get_program(), worker());
    assert!(!Scopes::new(false, Some("/bin/true".into())).begin_trial());
    assert!(!Scopes::new(true, None).begin_trial());
}

#[tokio::test]
async fn the_users_own_systemd_gives_a_group_where_there_is_one() {
    let scopes = Scopes::of_this_machine();
    if !scopes.begin_trial() {
        eprintln!("skipped: no systemd of this user runs here");
        return;
    }
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: root makes its groups without it");
        return;
    }
    scopes.try_out(&worker());
    assert_ne!(scopes.command(&worker()).get_program(), worker(), "it was tried out and is of use");
    let workers = Workers::with_scopes(worker(), Duration::from_secs(60), scopes);
    let base = BaseEnvironment::capture(workers.program());
    let runner = LocalRunner { workers, base, redactor: Redactor::default(), turns: Arc::default() };
    let (shell, marker) = marked("systemd");
    let request = request("grep ^0:: /proc/self/cgroup; setsid sleep 300 & sleep 300; echo", &shell);
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    let (cancel, cancelled) = watch::channel(false);
    let running = tokio::spawn(async move { runner.run(permit, request, nobody(), cancelled).await });
    assert!(until(|| alive(&marker) >= 3).await);
    cancel.send_replace(true);
    let outcome = running.await.unwrap();
    assert_eq!((alive(&marker), outcome.exit_status), (0, ExitStatus::Cancelled));
    assert!(outcome.stdout.contains(".scope/planwright-"), "{}", outcome.stdout);
}

/// The kernel ends what is started in a group below one that was killed and lives on.
#[tokio::test]
async fn a_command_lives_where_the_group_above_was_once_killed() {
    let folder = tempfile::tempdir().unwrap();
    let Some((_, group)) = playing_systemd(folder.path()) else { return };
    std::fs::create_dir(&group).unwrap();
    let program = folder.path().join("worker");
    let (place, worker) = (group.display(), worker());
    let text = format!(
        "#!/bin/sh\n[ ! -e {place}/cgroup.kill ] || echo 1 >{place}/cgroup.kill\necho $$ >{place}/cgroup.procs\n\
         exec {} \"$@\"\n",
        worker.display()
    );
    std::fs::write(&program, text).unwrap();
    executable(&program, 0o755);
    let workers = Workers::with_scopes(program, Duration::from_secs(60), Scopes::new(true, None));
    let base = BaseEnvironment::capture(workers.program());
    let runner = LocalRunner { workers, base, redactor: Redactor::default(), turns: Arc::default() };
    let request = request("sleep 0.2; echo lived", &super::here());
    let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
    let outcome = runner.run(permit, request, nobody(), watch::channel(false).1).await;
    assert_eq!((outcome.exit_status.code(), outcome.stdout.as_str()), (Some(0), "lived\n"), "{outcome:?}");
    drop(runner);
    assert!(until(|| std::fs::remove_dir(&group).is_ok()).await, "a group was left in {}", group.display());
}
