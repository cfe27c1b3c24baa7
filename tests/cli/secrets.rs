//! What leaves the program, and what its commands are given: no secret of a command in a report or an export, no variable
//! of the program's own in a step, no file of its own that others can read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::life::{Running, started};
use crate::{Desk, Ended, of_type};

const TOKEN: &str = "tk-4f9a8b7c6d5e";

/// Lets everything through that is not blocked.
fn policy(desk: &Desk) -> String {
    desk.write("policy.toml", "approve = \"dangerous\"\n").display().to_string()
}

fn run(desk: &Desk, page: &Path) -> Ended {
    desk.call(&["run", page.to_str().unwrap(), "--policy", &policy(desk)])
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let below = entries.iter().filter(|path| path.is_dir()).flat_map(|path| files_below(path));
    let below: Vec<PathBuf> = below.collect();
    entries.into_iter().chain(below).collect()
}

#[test]
fn a_token_in_a_command_is_in_no_report_and_no_export() {
    let desk = Desk::new();
    let commands = [
        format!("echo --token {TOKEN} | wc -c"),
        format!("printf '%s' --password={TOKEN} > said; true --password='{TOKEN}'"),
        format!("printf '%s' -p{TOKEN} > said; bash -c 'true --password {TOKEN}'"),
        format!("export API_TOKEN={TOKEN}; echo https://ada:{TOKEN}@h/ > said"),
        "cat > key <<EOF\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\nEOF".to_owned(),
    ];
    let page = desk.page(&commands.each_ref().map(String::as_str));
    let ran = run(&desk, &page);
    assert_eq!(ran.code, Some(0), "{}", ran.all());
    assert_eq!(fs::read_to_string(desk.work().join("said")).unwrap(), format!("https://ada:{TOKEN}@h/\n"));
    for args in [
        vec!["report", "last"],
        vec!["report", "last", "--html"],
        vec!["export", "last", "--as", "sh"],
        vec!["export", "last", "--as", "md"],
        vec!["export", "last", "--as", "json"],
    ] {
        let told = desk.call(&args);
        assert_eq!(told.code, Some(0), "{}", told.all());
        assert!(!told.stdout.contains(TOKEN), "{args:?}\n{}", told.stdout);
        assert!(!told.stdout.contains("b3BlbnNzaC1rZXk"), "{args:?}\n{}", told.stdout);
    }
    // Run again with its secrets set the script does what the page did.
    let script = desk.call(&["export", "last", "--as", "sh"]).stdout;
    let path = desk.write("again.sh", &script);
    fs::remove_file(desk.work().join("said")).unwrap();
    let mut bash = std::process::Command::new("bash");
    bash.arg(path).current_dir(desk.work()).stdin(std::process::Stdio::null());
    bash.envs((1..9).map(|number| (format!("SECRET_{number}"), TOKEN)));
    assert!(bash.output().unwrap().status.success(), "{script}");
    assert_eq!(fs::read_to_string(desk.work().join("said")).unwrap(), format!("https://ada:{TOKEN}@h/\n"));
}

#[test]
fn nor_is_one_that_a_page_left_out() {
    let desk = Desk::new();
    let page = desk.write(
        "page.md",
        format!(
            "# Try\n\n```sh\necho one\n```\n\n## Uninstall\n\n```sh\ncurl -H 'Authorization: Bearer {TOKEN}' h\n```\n"
        ),
    );
    assert_eq!(run(&desk, &page).code, Some(0));
    for format in ["json", "md", "sh"] {
        let told = desk.call(&["export", "last", "--as", format]);
        assert!(!told.stdout.contains(TOKEN), "{format}\n{}", told.stdout);
        assert!(!told.stdout.contains(desk.work().to_str().unwrap()), "{format}\n{}", told.stdout);
    }
}

#[test]
fn a_step_gets_nothing_that_was_said_to_the_program() {
    let desk = Desk::new();
    let page = desk.page(&["env | grep -c -i planwright; env | grep -c 'k3y-of-the-model'; env > all; true"]);
    let mut command = desk.command(&["run", page.to_str().unwrap(), "--policy", &policy(&desk), "--json"]);
    command.env("PLANWRIGHT_API_KEY", "k3y-of-the-model").env("PLANWRIGHT_LOG", "warn");
    let ran = crate::ended(command.spawn().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.all());
    let all = fs::read_to_string(desk.work().join("all")).unwrap();
    // Only the helpers' own paths may name the program, and where a step hands values on.
    let own: Vec<&str> = all
        .lines()
        .filter(|line| !line.starts_with("PLANWRIGHT_OUTPUT=/"))
        .filter(|line| line.contains("PLANWRIGHT_") || line.contains("k3y-of-the-model"))
        .collect();
    assert_eq!(own, Vec::<&str>::new());
    assert!(all.contains("SUDO_ASKPASS=/"), "{all}");
}

#[test]
fn whatever_was_there_before_nobody_else_reads_what_is_kept() {
    let desk = Desk::new();
    fs::create_dir(desk.data()).unwrap();
    fs::set_permissions(desk.data(), Permissions::from_mode(0o755)).unwrap();
    desk.write("made", "old");
    let page = desk.page(&["echo one; echo two > made"]);
    for is_first in [true, false] {
        let ran = run(&desk, &page);
        assert_eq!(ran.code, Some(0), "{}", ran.all());
        let paths = files_below(&desk.data());
        assert!(paths.iter().any(|path| path.starts_with(desk.data().join("output"))), "{paths:?}");
        for path in paths.iter().chain([&desk.data()]) {
            let mode = path.metadata().unwrap().permissions().mode();
            // What was left open in a folder of contents is not gone through again: the folder is closed, so nobody
            // reaches it.
            if !is_first && path.ancestors().skip(1).any(|above| above.ends_with("objects")) {
                continue;
            }
            assert_eq!(mode & 0o077, 0, "{} has {mode:o}", path.display());
        }
        // As an earlier version, or a careless copy, left it.
        for path in paths.iter().chain([&desk.data()]) {
            let mode = if path.is_dir() { 0o755 } else { 0o644 };
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    }
}

#[test]
fn a_session_whose_program_was_killed_is_not_told_to_run() {
    let desk = Desk::new();
    let page = desk.page(&["sleep 61.7"]);
    let running =
        Running::start(&desk, &["run", page.to_str().unwrap(), "--policy", &policy(&desk), "--json"]);
    started(&running, "sleep 61.7");
    let status = || desk.call(&["sessions", "--json"]).json()[0]["status"].clone();
    assert_eq!(status(), "running");
    running.signal(Signal::KILL);
    running.end();
    assert_eq!(status(), "interrupted");
    let list = desk.call(&["sessions"]);
    assert!(list.stdout.contains("interrupted"), "{}", list.stdout);
    let report = desk.call(&["report", "last"]).stdout;
    assert!(report.contains("interrupted: the program ended while the plan ran"), "{report}");
    assert!(!report.contains("running"), "{report}");
}

#[test]
fn an_emptied_record_names_the_call_that_puts_it_in_order() {
    let desk = Desk::new();
    let page = desk.page(&["true"]);
    let ran = desk.call(&["run", page.to_str().unwrap(), "--json"]);
    assert_eq!(of_type(&ran.json(), "plan-completed").len(), 1);
    fs::write(desk.data().join("journal.sqlite3"), "").unwrap();
    let told = desk.call(&["sessions"]);
    assert!(
        told.code != Some(0) && told.stderr.contains("`planwright-cli sessions --repair`"),
        "{}",
        told.all()
    );
    let mended = desk.call(&["sessions", "--repair"]);
    assert_eq!(mended.code, Some(0), "{}", mended.all());
    assert_eq!(desk.call(&["sessions"]).code, Some(0));
}
