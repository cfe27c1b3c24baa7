//! Forecasts on the real machine: what a command would do to files, and that it does nothing outside its sandbox.
//! Where the machine allows no sandbox these tests say so and pass.

mod escapes;
mod questions;
mod same;

use std::fs;
use std::path::{Path, PathBuf};

use planwright_engine::forecast::{Sandbox, Trial};
use planwright_engine::protocol::{FileChange, Forecast, ShellState};

/// A folder to try commands in, with a home beside it.
struct Try {
    folders: tempfile::TempDir,
    shell: ShellState,
}

/// What was found, as `+ path`, `~ path`, `- path`, folders with a slash and what was in them.
#[derive(Debug)]
struct Made {
    files: Vec<String>,
    more: u32,
    exit_status: Option<i32>,
    notes: Vec<String>,
}

impl Try {
    fn new() -> Self {
        let folders = tempfile::tempdir().unwrap();
        for name in ["work", "home"] {
            fs::create_dir(folders.path().join(name)).unwrap();
        }
        let mut shell = ShellState { cwd: text(&folders.path().join("work")), ..ShellState::default() };
        shell.environment.insert("HOME".to_owned(), Some(text(&folders.path().join("home"))));
        Self { folders, shell }
    }

    fn work(&self, name: &str) -> PathBuf {
        self.folders.path().join("work").join(name)
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.work(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    async fn forecast(&self, command: &str) -> Forecast {
        let trial = Trial {
            command: command.to_owned(),
            shell: self.shell.clone(),
            workspace: text(&self.work("")),
            home: text(&self.folders.path().join("home")),
        };
        Sandbox::new(planwright_tests::worker()).forecast(&trial).await
    }

    /// `None` where this machine has no sandbox.
    async fn made(&self, command: &str) -> Option<Made> {
        match self.forecast(command).await {
            Forecast::Made { files, more, exit_status, notes, .. } => {
                let base = format!("{}/", text(self.folders.path()));
                let line = |file: &planwright_engine::protocol::FileForecast| {
                    let sign = match file.change {
                        FileChange::Created => '+',
                        FileChange::Changed => '~',
                        FileChange::Deleted => '-',
                    };
                    let path = file.path.strip_prefix(&base).unwrap_or(&file.path);
                    match (file.folder, file.inside) {
                        (false, _) => format!("{sign} {path}"),
                        (true, 0) => format!("{sign} {path}/"),
                        (true, inside) => format!("{sign} {path}/ {inside}"),
                    }
                };
                Some(Made { files: files.iter().map(line).collect(), more, exit_status, notes })
            }
            Forecast::Unavailable { why } if is_refusal(&why) => {
                println!("skipped: {why}");
                None
            }
            other => panic!("{other:?}"),
        }
    }

    /// The names of everything in the two folders, really.
    fn there(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.folders.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(text(path.strip_prefix(self.folders.path()).unwrap()));
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// The machine's own word that it has no sandboxes; anything else is a failure.
fn is_refusal(why: &str) -> bool {
    why.contains("does not let programs make a sandbox") || why.contains("too old for a forecast")
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().trim_end_matches('/').to_owned()
}

/// Processes with this text in their command line.
fn running(marker: &str) -> usize {
    let has_it = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.windows(marker.len()).any(|part| part == marker.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(has_it).count()
}

#[tokio::test]
async fn a_folder_that_would_be_deleted_is_told_with_what_is_in_it_and_stays() {
    let it = Try::new();
    for name in ["kept", "doomed/1", "doomed/a/2", "doomed/a/3"] {
        it.write(name, name);
    }
    let before = it.there();
    let Some(made) = it.made("rm -rf doomed").await else { return };
    assert_eq!((made.files, made.exit_status), (vec!["- work/doomed/ 3".to_owned()], Some(0)));
    assert_eq!(it.there(), before);
    assert_eq!(fs::read_to_string(it.work("doomed/a/3")).unwrap(), "doomed/a/3");
}

#[tokio::test]
async fn each_kind_of_change_is_told() {
    let it = Try::new();
    for name in ["appended", "moved", "mode", "touched", "linked"] {
        it.write(name, name);
    }
    let before = it.there();
    let command = "echo x > new; echo x >> appended; mv moved there; chmod 700 mode; touch touched; \
                   ln -s linked link; ln linked hard; echo more >> hard; mkdir -p d/e; exit 7";
    let Some(made) = it.made(command).await else { return };
    let expected = [
        "~ work/appended",
        "+ work/d/",
        "+ work/hard",
        "+ work/link",
        "~ work/linked",
        "~ work/mode",
        "- work/moved",
        "+ work/new",
        "+ work/there",
        "+ work/d/e/",
    ];
    assert_eq!((made.files, made.exit_status), (expected.map(str::to_owned).to_vec(), Some(7)));
    assert_eq!(it.there(), before);
    assert_eq!(fs::read_to_string(it.work("linked")).unwrap(), "linked");
}

#[tokio::test]
async fn the_home_folder_is_covered_and_other_places_are_read_only() {
    let it = Try::new();
    let before = it.there();
    let command = "echo x >> ~/.bashrc; echo x > /etc/planwright-forecast || touch refused";
    let Some(made) = it.made(command).await else { return };
    assert_eq!(made.files, ["+ home/.bashrc", "+ work/refused"]);
    assert_eq!(it.there(), before);
    assert!(!Path::new("/etc/planwright-forecast").exists());
}

#[tokio::test]
async fn it_starts_from_the_shell_state_of_the_command() {
    let mut it = Try::new();
    it.write("sub/file", "x");
    it.shell.cwd = text(&it.work("sub"));
    it.shell.umask = "077".to_owned();
    it.shell.environment.insert("NAME".to_owned(), Some("exported".to_owned()));
    it.shell.variables.insert("plain".to_owned(), "declare -- plain=\"shell's\"".to_owned());
    it.shell.functions.insert("make".to_owned(), "make () { touch \"$1\"; }".to_owned());
    let Some(made) =
        it.made(r#"make "$NAME"; make "$plain"; make "$(umask)"; [ "${BASH_ENV-}" ] || make unset"#).await
    else {
        return;
    };
    assert_eq!(
        made.files,
        ["+ work/sub/0077", "+ work/sub/exported", "+ work/sub/shell's", "+ work/sub/unset"]
    );
}

#[tokio::test]
async fn odd_names_are_told_apart() {
    let it = Try::new();
    let Some(made) = it.made(r"touch $'a\nb' $'c\xff' 'd\n' $'e\u202egpj.exe'").await else { return };
    assert_eq!(made.files, [r"+ work/a\nb", r"+ work/c\xff", r"+ work/d\\n", r"+ work/e\u{202e}gpj.exe"]);
}

#[tokio::test]
async fn a_folder_of_the_system_is_not_tried_out() {
    let mut it = Try::new();
    it.shell.cwd = "/".to_owned();
    for workspace in ["/", "/etc", "/usr"] {
        let trial = Trial {
            command: "true".to_owned(),
            shell: it.shell.clone(),
            workspace: workspace.to_owned(),
            home: text(&it.folders.path().join("home")),
        };
        let forecast = Sandbox::new(planwright_tests::worker()).forecast(&trial).await;
        let Forecast::Unavailable { why } = forecast else { panic!("{workspace}: {forecast:?}") };
        assert!(why.contains("part of the system"), "{why}");
    }
}
