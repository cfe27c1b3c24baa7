//! What one command of a line leaves for the next to be judged by: the number of a process that was started, what was
//! found outside the workspace, the programs of the pipeline, whether it works on what is there for tests.

use planwright_shell::{Assignment, Redirect, RedirectKind, SimpleCommand, Value, Word};

use super::args::{Parsed, parse};
use super::judge::{CallContext, Judge};
use super::place::{Place, is_program_folder, place};
use super::targets::Target;
use super::words::{Arg, Text};
use crate::knowledge::{self, Role};
use crate::protocol::Risk;

/// No more variables than this are kept in mind.
const MOST_KEPT: usize = 32;
/// Variables by which frameworks tell where they are run.
const STAGES: [&str; 7] =
    ["RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV", "HANAMI_ENV", "FLASK_ENV", "SYMFONY_ENV"];

/// The program that another one only starts, with its arguments: `timeout 60 env A=1 cat x`.
pub(super) fn itself(args: &[Arg]) -> &[Arg] {
    const DEEPEST: usize = 8;
    let mut args = args;
    for _ in 0..DEEPEST {
        let Some((program, rest)) = args.split_first() else { break };
        let Some(entry) = program.known().and_then(|name| knowledge::program(own_name(name))) else { break };
        if entry.wraps.is_none_or(|wrapper| wrapper.shell || wrapper.open) {
            break;
        }
        match parse(entry, rest).inner.first() {
            Some(inner) if !inner.is_empty() => args = inner,
            Some(_) | None => break,
        }
    }
    args
}

/// `cat` of `/usr/bin/cat`.
pub(super) fn own_name(program: &str) -> &str {
    match program.rsplit_once('/') {
        Some((folder, name)) if is_program_folder(std::path::Path::new(folder)) => name,
        Some(_) | None => program,
    }
}

impl Judge<'_> {
    pub(super) fn note_assigned(&mut self, assignment: &Assignment) {
        let raw = assignment.value.raw.trim_matches('"');
        self.started.retain(|name| *name != assignment.name);
        self.told_of.retain(|name| *name != assignment.name);
        if matches!(raw, "$!" | "${!}") && self.started.len() < MOST_KEPT {
            self.started.push(assignment.name.clone());
        }
        self.private.retain(|name| *name != assignment.name);
        let raw_value = &assignment.value.raw;
        if self.private.len() < MOST_KEPT
            && (super::leaks::prints_private(raw_value, &self.anchors.home)
                || mentions(&self.private, raw_value))
        {
            self.private.push(assignment.name.clone());
        }
        if self.told_of.len() < MOST_KEPT && (looks_outside(raw) || self.mentions_told(raw)) {
            self.told_of.push(assignment.name.clone());
        }
    }

    /// Whether a text has a variable in it that holds what was found outside the workspace.
    pub(super) fn mentions_told(&self, text: &str) -> bool {
        mentions(&self.told_of, text)
    }

    /// Notes what flows on through a pipeline before `args` are judged.
    pub(super) fn note_searched(&mut self, args: &[Arg], how: CallContext<'_>) {
        const KEPT: usize = 16;
        let Some((program, rest)) = itself(args).split_first() else { return };
        let Some(name) = program.known().map(own_name) else { return };
        let inside = how.context.piped_from || how.context.piped_into;
        if inside && self.pipeline.len() < KEPT {
            let words = rest.iter().map(|arg| arg.known().unwrap_or("$"));
            let words = std::iter::once(name).chain(words).take(KEPT).map(str::to_owned);
            self.pipeline.push(words.collect());
        }
        if name == "read" && how.context.piped_from && self.found_outside {
            let names = rest.iter().filter_map(Arg::known).filter(|word| !word.starts_with('-'));
            let room = MOST_KEPT - self.told_of.len().min(MOST_KEPT);
            self.told_of.extend(names.take(room).map(str::to_owned));
        }
        if how.context.piped_into
            && (self.searches_outside(name, rest) || self.says_what_is_outside(name, rest))
        {
            self.found_outside = true;
        }
    }

    /// Whether a program that prints what it is told is told what stands outside the workspace, or hands on all variables of
    /// the environment.
    fn says_what_is_outside(&self, name: &str, rest: &[Arg]) -> bool {
        match name {
            "echo" | "printf" => rest.iter().any(|arg| {
                let fragment = self.found.fragment(arg.span);
                arg.is_unknown() && (looks_outside(fragment) || self.mentions_told(fragment))
            }),
            "jq" => rest.iter().any(|arg| {
                let text = arg.sure();
                text.contains("$ENV") || text.split('|').any(|part| part.trim() == "env")
            }),
            _ => false,
        }
    }

    /// Whether a program that prints what stands in files is pointed at the home folder, hidden files or the system's.
    fn searches_outside(&self, name: &str, rest: &[Arg]) -> bool {
        const READERS: [&str; 14] = [
            "grep", "egrep", "fgrep", "rg", "ag", "cat", "awk", "sed", "strings", "base64", "xxd", "jq",
            "head", "tail",
        ];
        if !READERS.contains(&name) {
            return matches!(name, "env" | "printenv") && rest.is_empty();
        }
        let Some(entry) = knowledge::program(name) else { return false };
        let parsed = parse(entry, rest);
        let private = |path: &std::path::PathBuf| {
            self.anchors.home.starts_with(path)
                || matches!(place(path, &self.anchors), Place::Home | Place::Hidden | Place::OtherHome)
                || super::secrets::is_secret(path)
                || path.starts_with("/etc")
        };
        // `.env*`
        let named = |word: &Arg| match &word.text {
            Text::Glob { pattern, .. } => {
                super::secrets::is_secret(std::path::Path::new(&pattern.replace(['*', '?'], "")))
            }
            Text::Known { .. } | Text::Unknown { .. } => false,
        };
        parsed.words.iter().enumerate().any(|(at, word)| {
            parsed.role(at) == Role::Read && named(word)
                || parsed.role(at) == Role::Read
                    && match self.target(word) {
                        Target::At(paths) | Target::Inside { folders: paths, .. } => {
                            paths.iter().any(private)
                        }
                        Target::Unknown => false,
                    }
        })
    }

    /// `RAILS_ENV=test bin/rails db:reset`; `None` when nothing is said of it.
    pub(super) fn is_for_tests(command: &SimpleCommand) -> Option<bool> {
        let test = |text: &str| matches!(text, "test" | "testing");
        let own = command.assignments.iter().find(|assignment| STAGES.contains(&assignment.name.as_str()))?;
        Some(matches!(&own.value.value, Value::Known { text, .. } if test(text)))
    }

    /// `DATABASE_URL="$(cat ~/prod_url)" alembic upgrade head`: what is to be changed is what everybody uses.
    pub(super) fn changes_by_live_address(&mut self, command: &SimpleCommand) {
        let live = |assignment: &&Assignment| {
            let place = ["URL", "DSN", "HOST", "DATABASE", "_DB", "PROFILE", "CONTEXT"];
            place.iter().any(|part| assignment.name.contains(part))
                && assignment
                    .value
                    .raw
                    .split(|c: char| !c.is_ascii_alphanumeric())
                    .any(|part| matches!(part, "prod" | "production" | "prd" | "live"))
        };
        let changes = |word: &Word| {
            let raw = word.raw.as_str();
            matches!(raw, "upgrade" | "downgrade" | "deploy" | "push" | "reset" | "seed" | "apply")
                || raw.starts_with("migrat")
                || raw.starts_with("db:")
        };
        if let Some(span) = command.assignments.iter().find(live).map(|own| own.value.span)
            && command.words.iter().skip(1).any(changes)
        {
            self.found.add(Risk::Dangerous, "changes what runs for everybody", span);
        }
    }

    /// Whether the process that `fragment` names is one that this text started: `$SRV`, `$(cat /tmp/x.pid)`.
    pub(super) fn is_started_here(&self, fragment: &str) -> bool {
        let name = fragment.trim_matches('"').trim_start_matches('$').trim_matches(['{', '}']);
        self.started.iter().any(|own| own == name)
    }
}

/// Whether what a framework's task would drop or load anew is there for tests alone.
pub(super) fn on_test_data(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    const SAYS: [&str; 6] =
        ["--env=test", "--env=testing", "RAILS_ENV=test", "RACK_ENV=test", "MIX_ENV=test", "APP_ENV=test"];
    let all = || parsed.words.iter().chain(&parsed.given).map(|arg| arg.known());
    let says = all().flatten().any(|word| SAYS.contains(&word));
    let other = all().flatten().any(|word| {
        word.starts_with("--env=") && !SAYS.contains(&word) || word.contains("_ENV=") && !SAYS.contains(&word)
    });
    let named = |word: &str| {
        word.starts_with("db:")
            || word.starts_with("ecto.")
            || word.starts_with("migrate")
            || word.starts_with("doctrine:")
            || word.starts_with('-')
            || word.contains("_ENV=")
    };
    let set = || {
        let test = |text: &str| matches!(text, "test" | "testing");
        let values = STAGES.iter().filter_map(|name| j.variables.get(name, j.workspace.environment));
        let mut values = values.peekable();
        values.peek().is_some() && values.all(test)
    };
    !j.elevated
        && !other
        && (says || j.for_tests.unwrap_or_else(set))
        && all().all(|word| word.is_some_and(named))
}

/// Whether one of the variables `names` is put into `text`.
pub(super) fn mentions(names: &[String], text: &str) -> bool {
    // Too many to be told apart.
    if names.len() >= MOST_KEPT {
        return text.contains('$');
    }
    names.iter().any(|name| {
        text.contains(&format!("${{{name}"))
            || text.match_indices(&format!("${name}")).any(|(at, found)| {
                let next = text.get(at + found.len()..).and_then(|rest| rest.chars().next());
                !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
            })
    })
}

/// `$(cat ~/.netrc | base64)`: what it prints comes from the home folder or the system.
fn looks_outside(raw: &str) -> bool {
    let Some((_, inner)) = raw.split_once("$(").or_else(|| raw.split_once('`')) else { return false };
    let reads = ["cat", "grep", "rg", "base64", "head", "tail", "awk", "sed", "strings", "jq", "xxd"];
    // `$(< ~/notes.txt)`
    let whole = inner.trim_start().starts_with('<');
    let words = || {
        inner.split(|c: char| c.is_whitespace() || "|;&()`\"'<".contains(c)).filter(|word| !word.is_empty())
    };
    let at = |word: &str| {
        word == "~"
            || ["~/", "$HOME", "${HOME}", "/home/", "/root", "/etc/"]
                .iter()
                .any(|start| word.starts_with(start))
    };
    (whole || words().any(|word| reads.contains(&word))) && words().any(at)
}

/// Whether the processes that come in are those of everybody: `ps aux | awk '{print $2}'`, with nothing that picks some.
pub(super) fn is_every_process(j: &Judge<'_>) -> bool {
    let Some(first) = j.pipeline.first().filter(|first| first.first().is_some_and(|name| name == "ps"))
    else {
        return false;
    };
    let stages = j.pipeline.iter().map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
    lists_all(&first.iter().map(String::as_str).collect::<Vec<_>>())
        && !stages.skip(1).any(|words| picks(&words))
}

/// The same for `kill $(ps … )`; `fragment` is the substitution.
pub(super) fn prints_every_process(fragment: &str) -> bool {
    let text = fragment.trim_matches('"').replacen('`', "$(", 1);
    let Some(inner) = text.strip_prefix("$(") else { return false };
    let mut stages = inner.split('|').map(|stage| stage.split_whitespace().collect::<Vec<_>>());
    let all = stages.next().is_some_and(|first| {
        let everywhere = first.first() == Some(&"lsof")
            && !first
                .iter()
                .skip(1)
                .any(|word| word.contains([':', '/']) || matches!(*word, "-p" | "-c" | "-u"));
        first.first() == Some(&"ps") && lists_all(&first) || everywhere
    });
    all && !stages.any(|words| picks(&words))
}

fn lists_all(words: &[&str]) -> bool {
    !words.iter().any(|word| {
        matches!(*word, "-C" | "-p" | "--pid" | "--ppid" | "-t" | "--tty" | "-s")
            || word.starts_with("--ppid=")
    })
}

fn picks(words: &[&str]) -> bool {
    match words.first().copied() {
        Some("grep" | "egrep" | "fgrep" | "rg") => {
            !words.iter().any(|word| matches!(*word, "-v" | "-vE" | "-Ev"))
        }
        Some("awk" | "gawk" | "mawk") => {
            let program = words.join(" ");
            program.contains('/')
                || program.contains('~')
                || program.contains("==") && !program.contains("$1")
        }
        Some("head" | "tail" | "fzf" | "sed") => true,
        Some(_) | None => false,
    }
}

impl Judge<'_> {
    /// `: > ~/thesis.tex`: what stood in a file of the home folder is gone, as with `rm`.
    pub(super) fn empties_home_file(&mut self, command: &SimpleCommand) {
        if command.redirects.is_empty() || command.words.len() > 3 {
            return;
        }
        let words: Vec<&str> = command.words.iter().map(|word| word.raw.as_str()).collect();
        let nothing =
            |redirect: &Redirect| redirect.kind == RedirectKind::Read && redirect.target.raw == "/dev/null";
        if matches!(words.as_slice(), ["tee" | "sponge", ..]) && command.redirects.iter().any(nothing) {
            self.empties(command.words.iter().skip(1));
            return;
        }
        if !matches!(
            words.as_slice(),
            [] | [":" | "true"]
                | ["exec"]
                | ["cat", "/dev/null"]
                | ["echo" | "printf", "-n" | "''" | "\"\""]
                | ["echo", "-n", "''" | "\"\""]
        ) {
            return;
        }
        self.empties(
            command
                .redirects
                .iter()
                .filter(|redirect| redirect.kind == RedirectKind::Write)
                .map(|redirect| &redirect.target),
        );
    }

    /// The files that a command writes over with nothing.
    fn empties<'w>(&mut self, files: impl Iterator<Item = &'w Word>) {
        for file in files {
            for arg in self.variables.expand(file, self.workspace.environment) {
                // `for f in $(git diff --name-only); do : > "$f"; done`
                let several = matches!(&arg.text, Text::Glob { pattern, .. } if !pattern.ends_with(".log"));
                if several && !self.found.fragment(arg.span).contains(".log") {
                    self.found.add(Risk::Dangerous, "empties files that nobody named", arg.span);
                }
                let Target::At(paths) = self.target(&arg) else { continue };
                let written = super::overwrites::is_written(self, &arg)
                    && paths.iter().any(|path| self.workspace.paths.exists(path));
                if written {
                    self.found.add(Risk::Dangerous, "empties a file that somebody wrote", arg.span);
                }
                if paths.iter().any(|path| self.is_kept_at_home(path)) {
                    self.found.add(Risk::Dangerous, "empties a file in the home folder", arg.span);
                }
            }
        }
    }

    /// A file of the home folder outside the workspace that no program leaves behind or writes on and on.
    pub(super) fn is_kept_at_home(&self, path: &std::path::Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| format!("*.{ending}"));
        place(path, &self.anchors) == Place::Home
            && !ending.is_some_and(|ending| ending == "*.log" || super::leftovers::is_leftover(&ending))
    }

    /// Whether a package's own description was written or changed by this very text, with a script that runs when it is
    /// installed.
    pub(super) fn installs_own_script(&self) -> bool {
        const HOOKS: [&str; 6] =
            ["postinstall", "preinstall", "\"install\"", "\\\"install\\\"", "\"prepare\"", "\\\"prepare\\\""];
        let hooks = |text: &str| HOOKS.iter().any(|hook| text.contains(hook));
        let wrote = self.authored.iter().any(|(_, text)| hooks(text))
            || self.written.iter().any(|path| path.to_string_lossy().contains("package.json"))
            || self.command.contains("pkg set scripts.");
        wrote && hooks(self.command)
    }

    /// Words of a command that come in from what was found outside the workspace.
    pub(super) fn tells_of_outside(&self, arg: &Arg) -> bool {
        let unknown = match &arg.text {
            Text::Unknown { .. } | Text::Glob { .. } => true,
            Text::Known { .. } => false,
        };
        let fragment = self.found.fragment(arg.span);
        unknown
            && (self.mentions_told(fragment)
                || self.found_outside && !fragment.contains('$') && !fragment.contains('`'))
    }
}
