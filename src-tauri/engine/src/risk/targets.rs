//! Paths among the arguments: where they lead from here, and what reading or writing there means.

use std::path::{Path, PathBuf};

use planwright_shell::{Redirect, RedirectKind, Span};

use super::args::Parsed;
use super::floor;
use super::judge::{CallContext, Judge};
use super::place::{Place, clean, place};
use super::startup;
use super::words::{Arg, Text};
use crate::protocol::{Risk, UndoOutlook};

/// No more folders and links of one text are kept apart.
const MOST_FOLDERS: usize = 32;

/// Where a path argument leads.
#[derive(Debug)]
pub(super) enum Target {
    /// Resolved; several when the folder is uncertain.
    At(Vec<PathBuf>),
    /// Names that match inside these folders; `everything` when all of them do.
    Inside {
        folders: Vec<PathBuf>,
        everything: bool,
    },
    Unknown,
}

/// The environment or the memory of a program that is looked up when it runs: `/proc/$(pgrep x)/environ`.
pub(super) fn shows_process(raw: &str) -> bool {
    let raw = raw.trim_matches(['"', '\'']);
    raw.starts_with("/proc/") && raw.contains('$') && (raw.ends_with("/environ") || raw.ends_with("/mem"))
}

/// What a forge does by itself with whatever is pushed, and whom it asks.
pub(super) fn runs_for_others(path: &Path) -> bool {
    const FILES: [&str; 6] = [
        "CODEOWNERS",
        ".gitlab-ci.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".travis.yml",
        "bitbucket-pipelines.yml",
    ];
    let folder = path.parent();
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| FILES.contains(&name))
        || folder.is_some_and(|folder| folder.ends_with(".github/workflows") || folder.ends_with(".circleci"))
}

/// `/var/tmp/.sk`: those who keep something there for a while have no reason to hide it.
fn is_hidden_there(path: &Path) -> bool {
    ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|folder| {
        let below = path.strip_prefix(folder).ok().and_then(|below| below.components().next());
        below.is_some_and(|first| {
            let name = first.as_os_str().as_encoded_bytes();
            name.starts_with(b".") && !name.starts_with(b".tmp")
        })
    })
}

/// A file in a folder that is not known, as one of another machine: the same name is the same file.
fn by_its_name(text: &str) -> PathBuf {
    PathBuf::from(text.strip_prefix("./").unwrap_or(text))
}

impl Judge<'_> {
    /// Whether the substitution in `fragment` lists names below a folder of the workspace.
    pub(super) fn lists_own(&self, fragment: &str) -> bool {
        if self.lost || !super::listed::lists_own_names(fragment) {
            return false;
        }
        let here = |(folder, _): &(PathBuf, bool)| {
            matches!(
                place(&self.workspace.paths.resolve(folder), &self.anchors),
                Place::Workspace | Place::Temporary
            )
        };
        let lists = ["git", "find", "fd", "rg", "grep", "ls", "sort", "head", "tail", "uniq"]
            .iter()
            .any(|name| self.defines(name));
        !lists && self.folders.iter().all(here)
    }

    /// Notes what a compiler makes of files of the workspace, so that running it is no more than running the project.
    pub(super) fn note_built(&mut self, parsed: &Parsed<'_, '_>) {
        let Some(Target::At(made)) = parsed.value("-o").map(|arg| self.target(arg)) else { return };
        let compiled = |arg: &Arg| {
            [".c", ".cc", ".cpp", ".cxx", ".rs", ".go"]
                .iter()
                .any(|ending| arg.known().is_some_and(|text| text.ends_with(ending)))
        };
        let words: Vec<&Arg> = parsed
            .words
            .iter()
            .copied()
            .filter(|arg| !matches!(arg.known(), Some("build" | "run")))
            // `rustc --edition 2021 -C opt-level=3 day.rs`
            .filter(|arg| {
                !arg.known().is_some_and(|text| {
                    matches!(text, "2015" | "2018" | "2021" | "2024" | "debuginfo=0" | "debuginfo=2")
                        || text.strip_prefix("opt-level=").is_some_and(|level| level.len() == 1)
                })
            })
            .collect();
        let own = words.iter().all(|arg| {
            compiled(arg)
                && (self.script_place(arg) == Some(Place::Workspace) && !self.is_fresh(arg)
                    || self.is_plain_source(arg))
        });
        if own && !words.is_empty() && !self.found.effects.uses_network {
            self.built.extend(made);
        }
    }

    /// A source that stands in this very text, and only works something out and prints it.
    fn is_plain_source(&self, arg: &Arg) -> bool {
        let Target::At(paths) = self.target(arg) else { return false };
        let plain = |path: &PathBuf| {
            let text = self.authored.iter().find(|(own, _)| own == path).map(|(_, text)| text);
            text.is_some_and(|text| super::compiled::only_prints(text))
        };
        !self.fetched && !self.elevated && !paths.is_empty() && paths.iter().all(plain)
    }

    pub(super) fn write(&mut self, arg: &Arg) {
        // The usual word for the standard output.
        if arg.known() == Some("-") {
            return;
        }
        // Where a plain name leads there is not known from here, but it is not one of the places that are.
        let plain = |text: &str| {
            !text.starts_with(['/', '~'])
                && !text.split('/').any(|part| part == ".." || part.starts_with('.'))
        };
        if self.elsewhere && arg.known().is_some_and(plain) {
            self.found.add(Risk::Caution, "writes on another machine or in a container", arg.span);
            self.written.extend(arg.known().map(by_its_name));
            self.found.effects.writes_outside = true;
            return;
        }
        match self.target(arg) {
            Target::At(paths) => paths.iter().for_each(|path| self.write_at(path, arg.span)),
            Target::Inside { folders, .. } => {
                folders.iter().for_each(|path| self.write_at(path, arg.span));
                if folders.iter().any(|folder| place(folder, &self.anchors) == Place::Home) {
                    self.found.add(Risk::Dangerous, "changes many files outside the workspace", arg.span);
                }
            }
            Target::Unknown => {
                self.found.effects.writes_outside = true;
                self.found.add(Risk::Dangerous, "where it writes is only known when it runs", arg.span);
            }
        }
    }

    /// `mv ~/Downloads/*.pdf …`: the folders, where files of one kind leave folders of one's own that are in sight.
    pub(super) fn one_kind_at_home(&self, arg: &Arg) -> Option<Vec<PathBuf>> {
        let Text::Glob { pattern, .. } = &arg.text else { return None };
        let (folder, name) = pattern.rsplit_once('/')?;
        let kind = name.rsplit_once('.').is_some_and(|(start, kind)| {
            !start.starts_with('.') && !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric())
        });
        let Target::Inside { folders, .. } = self.target(arg) else { return None };
        let own = |path: &PathBuf| place(path, &self.anchors) == Place::Home && *path != self.anchors.home;
        let plain = !folder.contains(['*', '?', '[', '{']) && kind && folders.iter().all(own);
        plain.then_some(folders)
    }

    pub(super) fn write_at(&mut self, path: &Path, span: Span) {
        // What was written there before is no longer all that is in it.
        self.authored.retain(|(own, _)| !own.starts_with(path));
        if runs_for_others(path) {
            self.leaves = Some("sends a change of what others' machines run, or of who may let it in");
        }
        let own = place(path, &self.anchors);
        let place = match own {
            Place::Hidden if is_spare_copy(path) => Place::Home,
            // Own files that are handed over may lie in a folder that is nobody's here.
            Place::Outside if self.receives => Place::Mounted,
            _ => own,
        };
        if place == Place::Temporary && is_hidden_there(path) {
            self.found.add(Risk::Dangerous, "hides it where everybody keeps what is soon to go", span);
        }
        self.found.write(path, place, span);
    }

    /// Takes rights on a file of one's own away from others; false when it is no such file.
    pub(super) fn close_to_others(&mut self, arg: &Arg) -> bool {
        let Target::At(paths) = self.target(arg) else { return false };
        let own = |path: &PathBuf| matches!(place(path, &self.anchors), Place::Hidden | Place::Home);
        if !paths.iter().all(own) {
            return false;
        }
        self.found.add(Risk::Caution, "takes rights on a file away from others", arg.span);
        self.found.effects.writes_outside = true;
        paths.iter().for_each(|path| self.found.touch(path));
        true
    }

    pub(super) fn redirect(&mut self, redirect: &Redirect) {
        self.odd_expansion(&redirect.target);
        match redirect.kind {
            RedirectKind::Duplicate | RedirectKind::HereDocument | RedirectKind::HereString => {}
            RedirectKind::Read => {
                for arg in self.variables.expand(&redirect.target, self.workspace.environment) {
                    // `<(…)` is no file: the commands in it are judged by themselves.
                    if !redirect.target.raw.starts_with("<(") {
                        self.read(&arg);
                    }
                    if shows_process(&redirect.target.raw) {
                        self.found.add(Risk::Dangerous, "shows what a program keeps to itself", arg.span);
                    }
                    if let Target::At(paths) = self.target(&arg)
                        && paths.iter().any(|path| place(path, &self.anchors) == Place::Connection)
                    {
                        self.found.add(Risk::Dangerous, "opens a network connection", arg.span);
                        self.found.effects.uses_network = true;
                    }
                }
            }
            RedirectKind::Write
            | RedirectKind::Append
            | RedirectKind::ReadWrite
            | RedirectKind::WriteBoth
            | RedirectKind::AppendBoth => {
                let before = self.found.here;
                self.found.here = Risk::Safe;
                for arg in self.variables.expand(&redirect.target, self.workspace.environment) {
                    let tame = redirect.kind == RedirectKind::Append && self.adds_tame_lines(&arg);
                    if !tame {
                        self.write(&arg);
                        self.note_written(&arg);
                    }
                    if let Target::At(paths) = self.target(&arg) {
                        paths.iter().for_each(|path| floor::redirected(self, redirect.kind, path, arg.span));
                    }
                }
                if self.found.effects.uses_network {
                    self.fetched = true;
                }
                if self.found.here > Risk::Safe {
                    let how =
                        "delete the file if it is new; what was in it before is not brought back".into();
                    self.found.outlook(UndoOutlook::Partly { how });
                }
                self.found.here = self.found.here.max(before);
            }
        }
    }

    /// `echo 'alias ll="ls -l"' >> ~/.bashrc`: daily work, and in plain sight.
    fn adds_tame_lines(&mut self, arg: &Arg) -> bool {
        let Target::At(paths) = self.target(arg) else { return false };
        let starts = |path: &PathBuf| {
            let name = path.strip_prefix(&self.anchors.home).ok();
            name.is_some_and(|name| startup::FILES.iter().any(|file| name == Path::new(file)))
        };
        let hosts = |path: &PathBuf| path == Path::new("/etc/hosts");
        let settings = self.says.as_deref().is_some_and(startup::is_tame) && paths.iter().all(starts);
        let names = self.says.as_deref().is_some_and(super::routine_admin::names_own_machines)
            && paths.iter().all(hosts);
        if !settings && !names {
            return false;
        }
        self.found.add(Risk::Caution, "adds a setting in plain sight", arg.span);
        self.found.effects.writes_outside = true;
        paths.iter().for_each(|path| self.found.touch(path));
        true
    }

    pub(super) fn note_written(&mut self, arg: &Arg) {
        match self.target(arg) {
            Target::At(paths) => {
                self.forget_text(&paths);
                self.written.extend(paths);
            }
            Target::Inside { .. } => self.settled.clear(),
            Target::Unknown => {
                self.settled.clear();
                self.written.extend(arg.known().map(by_its_name));
            }
        }
    }

    /// Notes the folders that `mkdir` makes for certain where nothing was, so that deleting them again loses nothing else.
    pub(super) fn note_made(&mut self, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
        if how.context.conditional || how.context.in_function || self.folders.len() > 1 {
            return;
        }
        for arg in &parsed.words {
            if let Target::At(paths) = self.target(arg) {
                let new = paths.into_iter().filter(|path| !self.workspace.paths.exists(path));
                self.made.extend(new);
            }
        }
    }

    /// Whether it lies in what was only just made here.
    pub(super) fn is_in_made(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.made.contains(folder))
    }

    /// Notes a link that leads out of the workspace: what is written to its name is written there.
    pub(super) fn note_link(&mut self, parsed: &Parsed<'_, '_>) {
        let into = parsed.given.iter().find(|given| given.known().is_some_and(|text| text.starts_with("-t")));
        let (Some((last, sources)), None) = (parsed.words.split_last(), into) else {
            self.links.extend(self.folders.iter().map(|(folder, _)| folder.clone()));
            return;
        };
        let sources = if sources.is_empty() { std::slice::from_ref(last) } else { sources };
        let own = sources.iter().all(|source| self.script_place(source) == Some(Place::Workspace));
        if own || self.links.len() >= MOST_FOLDERS {
            return;
        }
        let names: Vec<PathBuf> = sources
            .iter()
            .filter_map(|source| Path::new(source.known()?).file_name().map(PathBuf::from))
            .collect();
        let at = match (parsed.words.len(), self.target(last)) {
            (1, _) => self.joined(Path::new("")),
            (_, Target::At(paths)) => paths,
            (_, Target::Inside { .. } | Target::Unknown) => return,
        };
        let below = at.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        let below: Vec<PathBuf> = below.collect();
        self.links.extend(below);
        if parsed.words.len() > 1 {
            self.links.extend(at);
        }
    }

    /// Whether `arg` is a file that this text itself has fetched or written before it runs.
    pub(super) fn is_fresh(&self, arg: &Arg) -> bool {
        let fetched = self.fetched && self.script_place(arg).is_none_or(|place| place != Place::System);
        fetched
            || match self.target(arg) {
                Target::At(paths) => paths.iter().any(|path| self.written.contains(path)),
                Target::Inside { .. } => false,
                Target::Unknown => arg.known().is_some_and(|text| self.written.contains(&by_its_name(text))),
            }
    }

    /// `cd`: relative paths may now be looked for there; the old folder stays possible, for `cd` can fail.
    pub(super) fn enter(&mut self, target: Option<PathBuf>, how: CallContext<'_>) {
        self.variables.forget("PWD");
        match target {
            Some(folder) => {
                if self.folders.len() > 7 {
                    self.lost = true;
                }
                if self.went.len() < MOST_FOLDERS {
                    self.went.push(folder.clone());
                } else {
                    self.lost = true;
                }
                self.folders.push((folder, how.context.in_subshell));
            }
            None => self.lost = true,
        }
    }

    /// Where `arg` leads as a path.
    pub(super) fn target(&self, arg: &Arg) -> Target {
        let (text, tilde, glob) = match &arg.text {
            Text::Known { text, tilde } => (text, *tilde, false),
            Text::Glob { pattern, tilde } => (pattern, *tilde, true),
            Text::Unknown { prefix, .. } => {
                let fragment = self.found.fragment(arg.span);
                let named = super::flow::dated(fragment, prefix)
                    .filter(|_| !self.defines("date"))
                    .or_else(|| super::flow::committed(fragment, prefix).filter(|_| !self.defines("git")))
                    .or_else(|| super::flow::numbered(fragment, prefix).filter(|_| !self.defines("printf")));
                return match named {
                    Some(text) => {
                        let tilde = fragment.starts_with('~');
                        self.target(&Arg { text: Text::Known { text, tilde }, span: arg.span })
                    }
                    // As many as there are: never less than everything there.
                    None if self.lists_own(fragment) => Target::Inside {
                        folders: self
                            .joined(Path::new(""))
                            .iter()
                            .map(|folder| clean(&self.workspace.paths.resolve(folder)))
                            .collect(),
                        everything: true,
                    },
                    None => Target::Unknown,
                };
            }
        };
        let text = match (tilde, text.strip_prefix('~')) {
            (true, Some("")) => self.workspace.home.clone(),
            (true, Some(rest)) => match rest.strip_prefix('/') {
                Some(rest) => self.workspace.home.join(rest),
                None => return Target::Unknown,
            },
            (true, None) | (false, _) => PathBuf::from(text),
        };
        if glob {
            return self.inside(&text);
        }
        if text.is_relative() && self.lost {
            return Target::Unknown;
        }
        // The last name of a link itself counts, and what it points to as well: the worse of both is taken.
        let paths: Vec<PathBuf> =
            self.joined(&text).iter().map(|path| self.workspace.paths.resolve(path)).collect();
        if paths.iter().any(|path| self.links.iter().any(|link| path.starts_with(link))) {
            return Target::Unknown;
        }
        Target::At(paths)
    }

    /// Whether it names a link itself, wherever that leads.
    pub(super) fn is_link(&self, arg: &Arg) -> bool {
        let paths = self.workspace.paths;
        let leads_on = |path: PathBuf| {
            let own =
                path.parent().zip(path.file_name()).map(|(above, name)| paths.resolve(above).join(name));
            own.is_some_and(|own| paths.resolve(&path) != own)
        };
        let plain = |text: &&str| !matches!(text.rsplit('/').next(), Some("" | "." | ".."));
        arg.known().filter(plain).is_some_and(|text| self.joined(Path::new(text)).into_iter().any(leads_on))
    }

    /// `path` from every folder that it may be looked for in.
    pub(super) fn joined(&self, path: &Path) -> Vec<PathBuf> {
        if path.is_absolute() {
            return vec![path.to_owned()];
        }
        self.folders.iter().rev().map(|(folder, _)| folder.join(path)).collect()
    }

    fn inside(&self, pattern: &Path) -> Target {
        let wild = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[']);
        let literal: PathBuf = pattern.iter().take_while(|part| !wild(part)).collect();
        let rest: Vec<_> = pattern.iter().skip_while(|part| !wild(part)).collect();
        if rest.iter().any(|part| *part == "..") || literal.is_relative() && self.lost {
            return Target::Unknown;
        }
        let everything =
            rest.first().is_some_and(|part| !part.to_string_lossy().contains(char::is_alphanumeric));
        let folders =
            self.joined(&literal).iter().map(|path| clean(&self.workspace.paths.resolve(path))).collect();
        Target::Inside { folders, everything }
    }
}

/// `.bashrc.bak`: no program takes its settings from there.
fn is_spare_copy(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let folder = path.parent().and_then(Path::extension);
    matches!(ending.as_deref(), Some("bak" | "orig" | "old" | "backup"))
        && folder.is_none_or(|ending| ending != "d")
}
