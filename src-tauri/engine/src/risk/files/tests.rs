use std::collections::BTreeMap;
use std::path::PathBuf;

use planwright_shell::Span;

use super::super::fixture::{TestPaths, read, workspace};
use super::super::{assess, assess_for_model};
use super::*;

/// Paths of every kind of place, as written in a shell.
const PATHS: [&str; 50] = [
    "README.md",
    "./src/main.c",
    "src/../src/main.c",
    "package.json",
    "Makefile",
    ".gitignore",
    ".github/workflows/ci.yml",
    ".git/config",
    ".git/hooks/pre-commit",
    "sub/.git/config",
    ".env",
    ".env.local",
    ".env.example",
    "config/master.key",
    "server.pem",
    "id_rsa",
    "id_rsa.pub",
    "out/passwd",
    "out/shadow",
    "../other/notes.txt",
    "../../notes.txt",
    "~/notes.txt",
    "~/.bashrc",
    "~/.profile",
    "~/.ssh/id_ed25519",
    "~/.ssh/known_hosts",
    "~/.ssh/config",
    "~/.aws/credentials",
    "~/.config/gh/hosts.yml",
    "~/.netrc",
    "~/.local/share/keyrings/login.keyring",
    "~/.config/gcloud/access_tokens.db",
    "~/.cargo/credentials.toml",
    "~/.npmrc",
    "~/.config/autostart/x.desktop",
    "/home/other/notes.txt",
    "/tmp/x",
    "/var/tmp/x",
    "/etc/hosts",
    "/etc/shadow",
    "/etc/sudoers",
    "/etc/cron.d/x",
    "/usr/bin/ls",
    "/root/.bashrc",
    "/var/log/syslog",
    "/boot/vmlinuz",
    "/srv/www/index.html",
    "/mnt/disk/x",
    "/dev/sda",
    "/dev/null",
];

fn path_of(written: &str) -> PathBuf {
    match written.strip_prefix("~/") {
        Some(rest) => PathBuf::from("/home/u").join(rest),
        None => PathBuf::from("/home/u/work/app").join(written),
    }
}

/// Compares what a tool is judged with what `of_shell` says, and shows every difference at once.
fn same(how: Use, of_shell: impl Fn(&str, &Workspace<'_>) -> Assessment, effects_too: bool) {
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let paths = TestPaths {
        links: BTreeMap::from([("/home/u/work/app/out".into(), "/etc".into())]),
        ..TestPaths::default()
    };
    let workspace = workspace(&paths, &environment, &functions);
    let wrong: Vec<String> = PATHS
        .iter()
        .filter_map(|written| {
            let path = path_of(written);
            let file = FileUse { path: &path, how, span: Span { start: 0, end: 0 } };
            let tool = assess_files("", &[file], &workspace);
            let shell = of_shell(written, &workspace);
            let same = tool.risk == shell.risk && (!effects_too || tool.effects == shell.effects);
            (!same).then(|| format!("{written}: {:?} here, {:?} in the shell", tool.risk, shell.risk))
        })
        .collect();
    assert!(wrong.is_empty(), "{how:?}\n{}", wrong.join("\n"));
}

fn shell(command: &str, workspace: &Workspace<'_>) -> Assessment {
    assess(command, &read(command), workspace)
}

fn for_model(command: &str, workspace: &Workspace<'_>) -> Assessment {
    assess_for_model(command, &read(command), workspace)
}

#[test]
fn writing_is_judged_as_a_redirection_is() {
    for how in [Use::Create, Use::Replace] {
        same(how, |path, workspace| shell(&format!("echo x > {path}"), workspace), true);
    }
}

#[test]
fn reading_is_judged_as_cat_is_that_a_model_listens_to() {
    same(Use::Read, |path, workspace| for_model(&format!("cat {path}"), workspace), true);
}

#[test]
fn listing_is_judged_as_ls_is() {
    same(Use::List, |path, workspace| for_model(&format!("ls {path}"), workspace), true);
}

#[test]
fn an_edit_reads_and_writes() {
    same(Use::Edit, |path, workspace| for_model(&format!("cat {path}; echo x >> {path}"), workspace), true);
}

#[test]
fn what_goes_to_a_model_is_dangerous_where_it_is_a_key() {
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let paths = TestPaths::default();
    let workspace = workspace(&paths, &environment, &functions);
    for command in ["cat .env", "head -1 ~/.ssh/id_rsa", "grep KEY .env.local", "base64 < server.key"] {
        assert_eq!(for_model(command, &workspace).risk, Risk::Dangerous, "{command}");
    }
    for command in ["cat README.md", "ls -la", "git status", "cat ~/.ssh/id_rsa.pub", "cat .env.example"] {
        assert_eq!(for_model(command, &workspace), shell(command, &workspace), "{command}");
    }
    assert_eq!(shell("cat .env", &workspace).risk, Risk::Caution);
}

#[test]
fn the_reason_points_at_the_file_and_tells_whether_it_can_be_undone() {
    let (environment, functions) = (BTreeMap::new(), BTreeMap::new());
    let paths = TestPaths::default();
    let workspace = workspace(&paths, &environment, &functions);
    let line = "write_file /etc/hosts";
    let file =
        FileUse { path: Path::new("/etc/hosts"), how: Use::Replace, span: Span { start: 11, end: 21 } };
    let found = assess_files(line, std::slice::from_ref(&file), &workspace);
    let reason = &found.reasons[0];
    assert_eq!((reason.fragment.as_str(), reason.start), ("/etc/hosts", Some(11)));
    assert_eq!(found.effects.touches, ["/etc/hosts"]);
    assert!(found.effects.writes_outside);
    assert!(matches!(found.undo, UndoOutlook::Partly { .. }));
    let new = assess_files(line, &[FileUse { how: Use::Create, ..file }], &workspace);
    assert_eq!(new.undo, UndoOutlook::ByHand { how: "delete the file".into() });
}
