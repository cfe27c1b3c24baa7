//! How bash is started, and how its state is brought in and out (E9) without a trace in what the user's command sees:
//! `$0`, `$#`, line numbers, output and exit status are those of a plain `bash -c`.
//!
//! `BASH_ENV` makes bash read a prologue first. The prologue takes the variable away again, restores the state and
//! sets an EXIT trap that writes the state down. Both texts and the state live in memory files of this process that
//! bash opens through `/proc`, so that no value of a variable ever touches the disk.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use rustix::fs::{MemfdFlags, memfd_create};
use serde::Serialize;

use super::Spec;
use super::spawn::{self, Outputs, Program, Spawned};
use super::tree::Tree;

const PLACES: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];
/// A state larger than this is not carried.
const STATE_BYTES: u64 = 4 * 1024 * 1024;
/// Takes away what would make other words, or other programs, of a command than those that were judged, and what no state of a
/// shell carries.
const ONLY_WHAT_WAS_JUDGED: &str = r#"builtin set +o posix
builtin shopt -u expand_aliases
builtin unset -v ENV BASH_ENV POSIXLY_CORRECT BASH_XTRACEFD BASH_COMPAT BASH_LOADABLES_PATH "${!LD_@}" || builtin exit 97
[[ $PS4 == '+ ' ]] || { builtin unset -v PS4 && PS4='+ '; } || builtin exit 97
"#;
/// A longer trail is not told.
const TRAIL_BYTES: u64 = 16 * 1024;

#[derive(Debug)]
pub(super) struct Shell {
    prologue: File,
    /// Bash text that writes the state to `state`. It runs as the EXIT trap or, with its first argument as the status
    /// to keep, after the command.
    dump: File,
    state: File,
    /// Scratch for `dump`: the functions' names.
    names: File,
    /// The exit status, those of the last pipeline's parts and the last word of the last command, each with a NUL behind it.
    trail: File,
    /// The same of each pipeline before the last in which a part failed, with the command that came next.
    passed: File,
    /// The same of each substitution whose last pipeline had a failed part, with the command that it stands in.
    within: File,
    own_umask: u32,
    /// Whether the state is to be written down.
    writes: bool,
    /// Whether traps of ours look at the command's pipelines.
    watches: bool,
}

/// What the shell left, as `dump` wrote it.
#[derive(Debug)]
pub(super) struct LeftState {
    pub(super) own_umask: u32,
    pub(super) text: Vec<u8>,
}

impl Shell {
    pub(super) fn new() -> io::Result<Self> {
        let own_umask = rustix::process::umask(rustix::fs::Mode::empty());
        rustix::process::umask(own_umask);
        let mut shell = Self {
            prologue: memory_file("prologue")?,
            dump: memory_file("dump")?,
            state: memory_file("state")?,
            names: memory_file("names")?,
            trail: memory_file("trail")?,
            passed: memory_file("passed")?,
            within: memory_file("within")?,
            own_umask: own_umask.bits(),
            writes: true,
            watches: false,
        };
        let (state, names) = (path(&shell.state), path(&shell.names));
        // Once only: the EXIT trap finds it done when it was done after the command. The stack of folders is told when
        // asked for by name. `local` fails outside of a function, and `set -C` must not keep the file from being written.
        let dump = format!(
            r#"[[ -s {state} ]] && builtin return ${{1:-0}}
{{
builtin umask; builtin printf '\0'; builtin pwd; builtin printf '\0'; builtin declare -p; builtin declare -p DIRSTACK; builtin printf '\0'
if builtin local -p; then builtin printf '\0-\0'
else
builtin printf '\0%s\0' "$(( $# ? $# - 1 : 0 ))"
if (( $# > 1 )); then builtin printf '%s\0' "${{@:2}}"; fi
fi
builtin trap -p; builtin printf '\0'; builtin alias -p; builtin printf '\0'
builtin declare -F >|{names}
if [[ -s {names} ]]; then
builtin mapfile -t __planwright <{names}
for __planwright in "${{__planwright[@]}}"; do
builtin printf '%s\0' "${{__planwright##* }}"; builtin declare -f -- "${{__planwright##* }}"; builtin printf '\0'
done
fi
builtin printf end
}} >|{state}
builtin unset __planwright
builtin return ${{1:-0}}
"#
        );
        shell.dump.write_all(dump.as_bytes())?;
        Ok(shell)
    }

    /// Takes up what is run before the command, and whether the command leaves the state as it was.
    pub(super) fn prepare(&mut self, spec: &Spec) -> io::Result<()> {
        self.writes = !spec.unchanged;
        // Without a trap bash would become its last program, and this process, which lives on, that program's parent: an
        // authorization that is remembered for a parent (polkit's, sudo's) would then be there for the next command too.
        let at_end = self.at_end();
        let Spec { first, restore, .. } = spec;
        let mut prologue = format!("builtin unset BASH_ENV\n{first}builtin trap '{at_end}' EXIT\n");
        if spec.interactive {
            prologue = format!(
                "exec 2>&9 9>&-\n{prologue}builtin set +H +o history\nbuiltin shopt -u expand_aliases\n"
            );
        }
        if !restore.is_empty() {
            prologue += &format!("{{ builtin :\n{restore}\n}} >/dev/null 2>&1\nbuiltin :\n");
        }
        prologue += &self.watch(&spec.command);
        if !spec.options.is_empty() {
            // Last, so that nothing of this is traced, or ends the shell.
            prologue += &format!("{{ {}; }} 2>/dev/null\n", spec.options);
        }
        self.prologue.write_all(prologue.as_bytes())
    }

    /// What the shell does at its end.
    fn at_end(&self) -> String {
        // The engine tells the trap from the user's by its first words.
        let trail = self.trail_note();
        let dump = if self.writes { format!("; {}", self.dump_call("0")) } else { String::new() };
        trail + &dump
    }

    fn trail_note(&self) -> String {
        format!(
            r#"{{ builtin printf "%s\0" "$?" "${{PIPESTATUS[@]}}" "${{_-}}" >|{}; }} 2>/dev/null"#,
            path(&self.trail)
        )
    }

    /// Bash tells of a pipeline's parts only until the next command begins, so that is looked at before each one. It leaves
    /// `$?`, `$_` and `PIPESTATUS` as they are, and is silent also under `set -x`. Of a substitution it tells nothing, so the
    /// subshell of one has this written down at its end; only with an ERR trap that it inherits does it live so long.
    fn watch(&self, command: &str) -> String {
        let note = |file: &File| {
            format!(
                r#"builtin printf "%s\0" ${{#PIPESTATUS[@]}} "${{PIPESTATUS[@]}}" "$BASH_COMMAND" "${{_-}}" >>{}"#,
                path(file)
            )
        };
        let mut looks = Vec::new();
        if goes_on_behind_a_pipe(command) {
            let note = note(&self.passed);
            looks.push(format!(
                r#"case ${{#PIPESTATUS[@]}}:"${{PIPESTATUS[*]}}" in [!1]:*[1-9]*|??*:*[1-9]*) {note} ;; esac"#
            ));
        }
        let substitutes = fetches_within(command);
        if substitutes {
            let note = note(&self.within);
            looks.push(format!(
                r#"if (( BASH_SUBSHELL )) && [[ ${{__planwright-}} != "$BASHPID" ]]; then __planwright=$BASHPID; builtin trap '\''{{ case "${{PIPESTATUS[*]}}" in *[1-9]*) {note} ;; esac; }} 2>/dev/null'\'' EXIT; fi"#
            ));
        }
        if looks.is_empty() {
            return String::new();
        }
        let mut text = format!("builtin trap '{{ {}; }} 2>/dev/null' DEBUG\n", looks.join("; "));
        if substitutes {
            text += "builtin trap 'builtin : \"${_-}\"' ERR\nbuiltin set -E -T\n";
        }
        text
    }

    /// The text that writes the state down. Silent also under `set -x`.
    fn dump_call(&self, status: &str) -> String {
        format!("{{ builtin . {} {status} \"$@\"; }} >/dev/null 2>&1", path(&self.dump))
    }

    /// For one command. `environment` is all that it gets.
    pub(super) fn once(&self, spec: &Spec, environment: &[(OsString, OsString)]) -> io::Result<Program> {
        let command = spec.command.as_str();
        if spec.interactive {
            return self.interactive(command, environment);
        }
        let mut arguments = vec!["bash", "--noprofile", "--norc", "+O", "extglob", "-c"];
        let guarded;
        if self.writes && command.contains("trap") && command.to_ascii_lowercase().contains("exit") {
            // It may replace the EXIT trap, so its state is written down behind it too. Not done for every command:
            // an `eval` shows in a few places, such as a second run of an ERR trap.
            guarded = format!("eval \"shift;$1\"\n{}", self.dump_call("$?"));
            arguments.extend([&guarded, "bash", command]);
        } else {
            arguments.push(command);
        }
        let mut bash = bash(environment, arguments)?;
        bash.variable("BASH_ENV".as_ref(), path(&self.prologue).as_ref())?;
        Ok(bash)
    }

    /// For many commands: it reads them from the file `bash` of the folder that it starts in.
    pub(super) fn living(&self, environment: &[(OsString, OsString)]) -> io::Result<Program> {
        bash(environment, ["bash", "--noprofile", "--norc", "+O", "extglob", "bash"])
    }

    /// The file of what is run before the next command of a shell that lives on. `new`: it has not had one yet.
    pub(super) fn start(&mut self, spec: &Spec, new: bool) -> io::Result<String> {
        self.writes = !spec.unchanged;
        for file in [&mut self.prologue, &mut self.state, &mut self.trail, &mut self.passed, &mut self.within]
        {
            file.set_len(0)?;
            file.rewind()?;
        }
        let mut text = "builtin unalias -a\n".to_owned();
        match &spec.continues {
            Some(changes) if !new => text += changes,
            Some(_) | None => {
                text += &format!(
                    "builtin cd -- {}\nbuiltin unset OLDPWD\nbuiltin export OLDPWD\n",
                    quoted(&spec.cwd)
                );
                self.writes = true;
                text += &format!("builtin trap '{}' EXIT\n", self.at_end());
                self.writes = !spec.unchanged;
                text += &spec.restore;
            }
        }
        text += &spec.first;
        text.push('\n');
        text += ONLY_WHAT_WAS_JUDGED;
        let watch = if spec.watches && !spec.command.contains("trap") {
            self.watch(&spec.command)
        } else {
            String::new()
        };
        self.watches = !watch.is_empty();
        text += &watch;
        self.prologue.write_all(text.as_bytes())?;
        Ok(path(&self.prologue))
    }

    /// What a shell that lives on does behind a command. Silent also under `set -x`.
    pub(super) fn end_of_command(&self, done: &str) -> String {
        let unwatch = if self.watches { "builtin trap - DEBUG ERR; builtin set +E +T; " } else { "" };
        let dump = if self.writes { format!("{}; ", self.dump_call("0")) } else { String::new() };
        format!(
            "{{ {}; {unwatch}{dump}builtin hash -r; builtin printf . >{done}; }} >/dev/null 2>&1",
            self.trail_note()
        )
    }

    /// A bash that counts as interactive, for the files that are read only by such a one: many begin with a guard on `$-`.
    /// It reads the prologue as its own start-up file. What it says of a terminal that it has not is left out.
    fn interactive(&self, command: &str, environment: &[(OsString, OsString)]) -> io::Result<Program> {
        let begin = format!(
            r#"builtin exec -a bash {} --noprofile --rcfile {} -i +O extglob -c "$1" 9>&2 2>/dev/null"#,
            quoted(&program(environment).to_string_lossy()),
            path(&self.prologue)
        );
        bash(environment, ["bash", "--noprofile", "--norc", "-c", &begin, "bash", command])
    }

    /// Empty when the shell did not get to write it, as when another program took its place.
    pub(super) fn trail(&mut self) -> Trail {
        let mut text = Vec::new();
        let read = self.trail.seek(SeekFrom::Start(0));
        let read = read.and_then(|_| Read::by_ref(&mut self.trail).take(TRAIL_BYTES).read_to_end(&mut text));
        let trail = read.ok().and_then(|_| Trail::parse(&text)).unwrap_or_default();
        Trail { passed: passed(&mut self.passed), within: passed(&mut self.within), ..trail }
    }

    /// What the shell left; `None` when it did not get to write it whole, or was not asked to.
    pub(super) fn left_state(&mut self) -> Option<LeftState> {
        if !self.writes {
            return None;
        }
        let length = self.state.metadata().map_or(0, |file| file.len()).min(STATE_BYTES);
        let mut text = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
        self.state.seek(SeekFrom::Start(0)).ok()?;
        Read::by_ref(&mut self.state).take(STATE_BYTES).read_to_end(&mut text).ok()?;
        text.ends_with(b"\0end").then_some(LeftState { own_umask: self.own_umask, text })
    }
}

/// How the last pipeline went, of which the exit status tells the last part only.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) status: i32,
    pub(super) pipe: Vec<i32>,
    pub(super) last_word: Option<String>,
    pub(super) passed: Vec<Passed>,
    pub(super) within: Vec<Passed>,
}

/// A pipeline behind which the command went on although a part of it failed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Passed {
    pub(super) pipe: Vec<i32>,
    /// The command that came next, or that a substitution stands in, as bash writes it.
    pub(super) next: String,
}

fn passed(file: &mut File) -> Vec<Passed> {
    let mut text = Vec::new();
    let read = file.seek(SeekFrom::Start(0));
    match read.and_then(|_| Read::by_ref(file).take(TRAIL_BYTES).read_to_end(&mut text)) {
        Ok(_) => Passed::parse(&text),
        Err(_) => Vec::new(),
    }
}

impl Passed {
    /// Up to where the text is whole.
    fn parse(text: &[u8]) -> Vec<Self> {
        let text = String::from_utf8_lossy(text);
        let mut parts = text.split_terminator('\0');
        let one = || {
            let count = parts.next()?.parse().ok()?;
            let pipe: Vec<i32> = parts.by_ref().take(count).map_while(|status| status.parse().ok()).collect();
            let next = parts.next()?.to_owned();
            // The last word of the command before, which only has to be there.
            parts.next()?;
            (pipe.len() == count).then_some(Self { pipe, next })
        };
        std::iter::from_fn(one).collect()
    }
}

/// Whether the text may have a pipeline with `&&` behind it.
fn goes_on_behind_a_pipe(command: &str) -> bool {
    let pipe = command.match_indices('|').find(|(at, _)| {
        let is_or = |side: Option<char>| side == Some('|');
        !is_or(command[..*at].chars().next_back()) && !is_or(command[at + 1..].chars().next())
    });
    pipe.is_some_and(|(at, _)| command[at..].contains("&&"))
}

/// Whether a substitution may fetch something. Where the text sets traps of its own they are left alone.
fn fetches_within(command: &str) -> bool {
    let opening = ["$(", "<(", "`"].iter().filter_map(|sign| command.find(sign)).min();
    let fetches = |text: &str| ["curl", "wget"].iter().any(|program| text.contains(program));
    opening.is_some_and(|at| fetches(&command[at..])) && !command.contains("trap")
}

impl Trail {
    fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text.strip_suffix(b"\0")?).into_owned();
        let mut parts: Vec<&str> = text.split('\0').collect();
        let last_word = parts.pop()?.to_owned();
        let mut statuses = parts.into_iter().map(str::parse).collect::<Result<Vec<_>, _>>().ok()?.into_iter();
        let status = statuses.next()?;
        Some(Self { status, pipe: statuses.collect(), last_word: Some(last_word), ..Self::default() })
    }
}

fn bash<'a>(
    environment: &[(OsString, OsString)],
    arguments: impl IntoIterator<Item = &'a str>,
) -> io::Result<Program> {
    let mut bash = Program::new(&program(environment), arguments)?;
    for (name, value) in environment.iter().filter(|(name, _)| name != "BASH_ENV") {
        bash.variable(name, value)?;
    }
    Ok(bash)
}

/// It starts in the tree's group; a group that cannot take it is given up.
pub(super) fn spawn(bash: &Program, outputs: Outputs<'_>, tree: &mut Tree) -> io::Result<Spawned> {
    if let Some(group) = tree.group()
        && let Ok(spawned) = spawn::spawn(bash, outputs, Some(group.folder()))
    {
        return Ok(spawned);
    }
    // What was wrong with the command is wrong still; what was wrong with the group is not.
    let spawned = spawn::spawn(bash, outputs, None)?;
    tree.give_up_group();
    Ok(spawned)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The bash that commands run in: in a usual place, or else where their own `PATH` has one.
pub(crate) fn program(environment: &[(OsString, OsString)]) -> PathBuf {
    let searched = environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
    let found = searched.into_iter().flat_map(std::env::split_paths).map(|folder| folder.join("bash"));
    let mut places = PLACES.into_iter().map(PathBuf::from).chain(found.filter(|place| place.is_absolute()));
    places.find(|place| place.is_file()).unwrap_or_else(|| PLACES[0].into())
}

fn memory_file(name: &str) -> io::Result<File> {
    Ok(File::from(memfd_create(name, MemfdFlags::CLOEXEC)?))
}

/// Under which a program that this process has started opens one of its files.
pub(super) fn path(file: &impl AsRawFd) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())
}
