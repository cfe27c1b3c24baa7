//! Which program a command calls: a function, one by its path, one that nobody here knows. Knows nothing of what programs do.

use std::path::Path;

use planwright_shell::{SimpleCommand, Span};

use super::floor::Floor;
use super::inner::moved;
use super::judge::{CallContext, DEEPEST, Judge};
use super::place::{Place, Trust, is_program_folder, place};
use super::runs::Run;
use super::targets::Target;
use super::words::Arg;
use crate::knowledge;
use crate::protocol::{Risk, UndoOutlook};

impl Judge<'_> {
    /// Runs `args` in thought: program first, never empty.
    pub(super) fn run(&mut self, args: &[Arg], how: CallContext<'_>) {
        let Some((program, rest)) = args.split_first() else { return };
        self.runs.push(Run::of(args, how.assigned, how.redirects));
        let named = |name: &&str| !name.is_empty() && !name.starts_with('-');
        let Some(name) = program.known().filter(named) else {
            self.found.add(Risk::Dangerous, "which program runs is only known when it runs", program.span);
            return;
        };
        // `sudo less /etc/profile`, and in it `!/bin/sh`: what a pager or an editor takes for an order to run a shell.
        if name.starts_with(['!', ':']) && name.len() > 1 && name.contains('!') {
            self.found.add(Risk::Dangerous, "leaves a program for a shell", program.span);
        }
        self.notorious(program);
        if self.depth >= DEEPEST {
            self.unread("commands inside commands, too deep to follow", program.span);
            return;
        }
        // It may be the program of that name all the same: before the function is defined, where it was defined in a
        // subshell or taken back, and for whoever knows no functions, as a program that is given a command.
        if self.function(name, program.span, how) && !name.contains('/') && knowledge::program(name).is_none()
        {
            return;
        }
        let base = match name.rsplit_once('/') {
            None => name,
            Some((folder, base)) => {
                if !is_program_folder(Path::new(folder)) {
                    if self.runs_written(program, false, how) {
                        return;
                    }
                    let tells = !how.assigned && super::shows::tells_of_project(self, program, rest);
                    if !tells {
                        self.own_program(program);
                    }
                }
                base
            }
        };
        let Some(entry) = knowledge::program(base) else {
            self.made.clear();
            self.stranger(name, program.span, rest);
            super::odd_words::hands_on::check(self, base, None, rest);
            self.leaks(rest, how);
            self.carried(rest, how);
            self.found.more_than_files = true;
            self.found.outlook(UndoOutlook::Cannot { why: "what this program changes is not known".into() });
            return;
        };
        self.depth += 1;
        self.known(entry, base, program, rest, how);
        self.delegates(base, rest, how);
        self.depth -= 1;
    }

    /// Whether this text, or a step before it, puts a function behind `name`.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.functions.defines(name) || self.workspace.functions.contains_key(name)
    }

    /// Whether `name` is a function, of this text or carried from earlier.
    fn function(&mut self, name: &str, span: Span, how: CallContext<'_>) -> bool {
        if self.functions.defines(name) {
            let forks = how.context.background || how.context.piped_from || how.context.piped_into;
            let returns = how.context.in_function && self.functions.returns(name);
            if returns && forks {
                self.found.block(Floor::ForkBomb, span);
            } else if returns {
                self.found.add(
                    Risk::Dangerous,
                    "a function that comes back to itself, perhaps without end",
                    span,
                );
            } else {
                self.found.add(Risk::Caution, "calls a function that is defined here", span);
            }
            return true;
        }
        let Some(body) = self.workspace.functions.get(name) else { return false };
        self.inner.extend(body.inner.iter().cloned());
        self.found.add(Risk::Caution, "calls a function that an earlier step defined", span);
        if !body.doubts.is_empty() {
            self.unread("the function could not be analysed", span);
        }
        self.variables.all_unknown = true;
        if self.depth + 1 < DEEPEST {
            self.in_body = true;
            let moved: Vec<SimpleCommand> =
                body.commands.iter().map(|command| moved(command, span)).collect();
            self.within(&moved);
        } else {
            self.unread("functions that call each other, perhaps without end", span);
        }
        true
    }

    fn stranger(&mut self, name: &str, span: Span, words: &[Arg]) {
        if let Some(word) = super::words::asks_to_destroy(words) {
            self.found.add(
                Risk::Dangerous,
                "asks a program that is not known here to destroy something",
                word.span,
            );
        }
        super::undeclared::stranger_harms_by_name(self, words);
        let key = words.iter().find(|word| {
            matches!(self.target(word), Target::At(paths) if paths.iter().any(|path| super::secrets::is_key(path)))
        });
        if let Some(span) = key.map(|word| word.span) {
            self.found.add(
                Risk::Dangerous,
                "hands a password or key to a program that is not known here",
                span,
            );
        }
        let only_asks = |arg: &Arg| {
            let word = arg.known().map(|text| text.trim_start_matches('-'));
            matches!(word, Some("help" | "version" | "h" | "V" | "status" | "list" | "show" | "l"))
        };
        let (folder, base) = match name.rsplit_once('/') {
            Some((folder, base)) => (Some(Path::new(folder)), base),
            None => (None, name),
        };
        if self.elevated {
            self.found.add(Risk::Dangerous, "gives other rights to a program that is not known here", span);
        } else if knowledge::administers(base)
            && folder.is_none_or(is_program_folder)
            && (words.is_empty() || !words.iter().all(only_asks))
        {
            let text = "administers the machine, in a way that is not known here";
            self.found.add(Risk::Dangerous, text, span);
        } else if folder.is_none() && !tells_of_itself(words) {
            self.found.add(Risk::Caution, "a program that is not known here", span);
        }
        super::beyond::stranger(self, base, words, span);
    }

    /// What running `args` would come to, without noting it.
    pub(super) fn tried(&mut self, args: &[Arg], how: CallContext<'_>) -> Risk {
        let own = self.found.set_aside();
        self.run(args, how);
        std::mem::replace(&mut self.found, own).here
    }

    /// What running `commands` of a text would come to, without noting it.
    pub(super) fn tried_text(&mut self, commands: &[SimpleCommand]) -> Risk {
        let (own, runs) = (self.found.set_aside(), self.runs.len());
        self.within(commands);
        self.runs.truncate(runs);
        std::mem::replace(&mut self.found, own).here
    }

    /// A program that is not known may run what follows in its words: harm that is plain to see there counts.
    pub(super) fn carried(&mut self, words: &[Arg], how: CallContext<'_>) {
        for at in 0..words.len().min(6) {
            let rest = words.get(at..).unwrap_or_default();
            // A word of many programs' own, and a program that does no such harm.
            let text = rest.first().and_then(Arg::known).filter(|text| *text != "write");
            let Some(text) = text else { continue };
            let runs = self.runs.len();
            let harms = match text.split_once(' ') {
                // `rofi -run-command 'rm -rf x'`
                Some((name, _)) => is_known(name) && self.tried_plain(text),
                None => rest.len() > 1 && is_known(text) && self.tried(rest, how) >= Risk::Dangerous,
            };
            if harms {
                let span = rest.first().map_or(Span { start: 0, end: 0 }, |arg| arg.span);
                self.found.add(Risk::Dangerous, "may run the command that stands in its words", span);
                return;
            }
            self.runs.truncate(runs);
        }
    }

    /// Whether `text`, read as shell text, does harm that is plain to see.
    fn tried_plain(&mut self, text: &str) -> bool {
        let nowhere = Span { start: 0, end: 0 };
        let Some(commands) = super::plain::read(text, nowhere) else { return false };
        self.depth < DEEPEST && self.tried_text(&commands) >= Risk::Dangerous
    }

    /// A program given by its path: what is in the file decides, not its name.
    fn own_program(&mut self, program: &Arg) {
        if self.is_tool_of_project(program) {
            return;
        }
        let built = matches!(self.target(program), Target::At(paths)
            if paths.iter().all(|path| self.built.contains(path)));
        let (risk, text) = match self.trust(program) {
            Some(_) if built => (Risk::Caution, "runs what was just built from files of the workspace"),
            Some(Trust::Own) => (Risk::Caution, "runs a program of the workspace, whatever its name"),
            Some(Trust::Known) => (Risk::Caution, "runs a program given by its path"),
            Some(Trust::Stranger) | None => {
                (Risk::Dangerous, "runs a program outside the workspace and the system")
            }
        };
        let risk = if self.elevated { Risk::Dangerous } else { risk };
        self.found.add(risk, text, program.span);
        if self.is_fresh(program) {
            self.found.add(
                Risk::Dangerous,
                "runs a file that was only just written or fetched",
                program.span,
            );
        }
    }

    /// `./gradlew`, `node_modules/.bin/eslint`: what a project brings along so is the tool of that name, and judged as it. The
    /// tool itself would run the project's recipes all the same.
    fn is_tool_of_project(&self, program: &Arg) -> bool {
        const FOLDERS: [&str; 4] = ["node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin"];
        // A project has no `cat` of its own.
        const TOOLS: [&str; 17] = [
            "eslint",
            "prettier",
            "tsc",
            "stylelint",
            "biome",
            "phpcs",
            "phpstan",
            "psalm",
            "php-cs-fixer",
            "rubocop",
            "ruff",
            "black",
            "mypy",
            "flake8",
            "isort",
            "pylint",
            "pyright",
        ];
        let Some((folder, name)) = program.known().and_then(|path| path.rsplit_once('/')) else {
            return false;
        };
        let folder = folder.trim_start_matches("./");
        let brought = matches!(name, "gradlew" | "mvnw") && matches!(folder, "" | ".")
            || FOLDERS.contains(&folder) && TOOLS.contains(&name);
        brought
            && !self.elevated
            && !self.lost
            && self.script_place(program) == Some(Place::Workspace)
            && !self.is_fresh(program)
            && knowledge::program(name).is_some()
    }

    /// Whose the file at `arg` is. On another machine a name without a folder is as good as one of the workspace here.
    pub(super) fn trust(&self, arg: &Arg) -> Option<Trust> {
        let place = self.script_place(arg);
        let theirs = self.elsewhere
            && place.is_none()
            && arg.known().is_some_and(|text| !text.starts_with(['/', '~']) && !text.contains(".."));
        if theirs { Some(Trust::Known) } else { place.map(Place::trust) }
    }

    /// The least trusted place that a script may lie in.
    pub(super) fn script_place(&self, arg: &Arg) -> Option<Place> {
        match self.target(arg) {
            Target::At(paths) => {
                let places: Vec<Place> = paths.iter().map(|path| place(path, &self.anchors)).collect();
                let other = places.iter().find(|place| !matches!(place, Place::Workspace));
                other.or(places.first()).copied()
            }
            Target::Inside { .. } | Target::Unknown => None,
        }
    }
}

/// `bloaty --version`
fn tells_of_itself(words: &[Arg]) -> bool {
    matches!(words, [only] if matches!(only.known(), Some("--version" | "--help")))
}

/// Whether the tables know a program of this name, or of the name at the end of this path.
fn is_known(name: &str) -> bool {
    let base = name.rsplit_once('/').map_or(name, |(_, base)| base);
    knowledge::program(base).is_some()
}
