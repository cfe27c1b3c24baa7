//! One simple command after another, in the order of the text: program, flags, words, redirections.

use std::collections::HashSet;
use std::path::PathBuf;

use planwright_shell::{Context, Facts, Inner, Redirect, RedirectKind, SimpleCommand, Span, Value};

use super::Workspace;
use super::args::is_assignment;
use super::findings::Findings;
use super::functions::Functions;
use super::place::Anchors;
use super::runs::Run;
use super::source::{Source, Texts};
use super::words::{Arg, Text, Variables};
use crate::knowledge;
use crate::protocol::Risk;

/// In a longer text no rule looks through all of it for each command: what it would find lowers nothing then.
pub(super) const SURVEYED: usize = 4096;
/// Commands inside commands are followed this far.
pub(super) const DEEPEST: u8 = 8;

#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) command: &'a str,
    pub(super) found: Findings<'a>,
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) anchors: Anchors<'a>,
    pub(super) variables: Variables,
    /// Functions that the text defines.
    pub(super) functions: Functions,
    /// Where a relative path may be looked for; the last is the likely one. The flag: only in a subshell.
    pub(super) folders: Vec<(PathBuf, bool)>,
    /// `cd` went somewhere unknown.
    pub(super) lost: bool,
    /// Every folder that `cd` went to.
    pub(super) went: Vec<PathBuf>,
    /// What is judged now was judged before, in fewer folders.
    pub(super) again: bool,
    /// Links that this text makes to what lies outside the workspace, or nobody knows where.
    pub(super) links: Vec<PathBuf>,
    /// Names that come in from the command before in the pipeline, where they are known to lie somewhere.
    pub(super) piped: Vec<Text>,
    /// The program of the stage before in the pipeline.
    pub(super) before_in_pipeline: Option<String>,
    /// What the command at hand prints, where that is known: the words of `echo`.
    pub(super) says: Option<String>,
    /// A file was fetched from the network.
    pub(super) fetched: bool,
    /// Files that this text itself writes.
    pub(super) written: HashSet<PathBuf>,
    /// What runs now has all rights, or those of another user.
    pub(super) elevated: bool,
    /// Text that is run now is run by this very shell, which knows its variables (`eval`, `trap`).
    pub(super) same_shell: bool,
    /// What runs now runs on another machine or in a container, whose folders are not these.
    pub(super) elsewhere: bool,
    /// What comes in there is made of files of the workspace alone.
    pub(super) receives: bool,
    /// What the stage before in the pipeline prints, where that is known.
    pub(super) told: Option<String>,
    /// Something may go on beside the commands that follow.
    pub(super) beside: bool,
    /// All that the command before hands on, where it stands here: `cat <<'EOF' | python3`.
    pub(super) handed_on: Option<String>,
    /// What comes in from the stage before is made of files of the workspace alone.
    pub(super) own_files: bool,
    /// A password or key goes through the pipe.
    pub(super) passes_secret: bool,
    /// Something comes in to the command around this one.
    pub(super) fed: bool,
    /// Every command that would run, outer before inner.
    pub(super) runs: Vec<Run>,
    /// Folders that this text itself makes where nothing was.
    pub(super) made: HashSet<PathBuf>,
    /// Programs that this text itself compiles from files of the workspace.
    pub(super) built: Vec<PathBuf>,
    /// Files that this text itself writes, with all that it writes into them.
    pub(super) authored: Vec<(PathBuf, String)>,
    /// What this text itself writes into files of recipes, as far as it is known.
    pub(super) recipes: Vec<String>,
    /// Of these, files that still hold what was written.
    pub(super) settled: Vec<PathBuf>,
    /// The text that is judged next is the body of a function from earlier, which may hold a loop.
    pub(super) in_body: bool,
    /// A command among another's words is tried: what stands in its own words is then tried as well, once.
    pub(super) carrying: bool,
    /// Names that come in to a loop, as patterns.
    pub(super) handed: Vec<String>,
    /// The shell text at hand is judged to see whether it only looks; the last one did.
    pub(super) trying: bool,
    pub(super) looks: bool,
    /// What the shell text that runs next is given as `$1` and the like, where that is known.
    pub(super) given: Vec<(String, Vec<String>)>,
    /// The folder that the last `mkdir` made, and where that command ends.
    pub(super) last_made: Option<(u32, Arg)>,
    /// The word that was last looked through for passwords and keys, and whether it puts one in.
    pub(super) looked_through: Option<(Span, bool)>,
    /// Variables that hold the number of a process which this text started, and files that it was written to.
    pub(super) started: Vec<String>,
    /// Variables that hold what was found outside the workspace.
    pub(super) told_of: Vec<String>,
    /// Variables that hold the environment, a password or a key.
    pub(super) private: Vec<String>,
    /// The programs of the pipeline so far, each with its words.
    pub(super) pipeline: Vec<Vec<String>>,
    /// What the pipeline hands on was found outside the workspace.
    pub(super) found_outside: bool,
    /// The command at hand is told to work on what is there for tests.
    pub(super) for_tests: Option<bool>,
    /// What comes in to the command around this one is a file of the workspace.
    pub(super) fed_own_file: bool,
    /// Repositories that this text itself notes.
    pub(super) remotes: Vec<String>,
    /// All that is not committed was written to a file right before, and this runs only if that went well.
    pub(super) saved_changes: bool,
    /// What is put before the command at hand: `A=1 make`.
    pub(super) set_for_it: Vec<String>,
    /// What would leave this machine with a push: why that is bad.
    pub(super) leaves: Option<&'static str>,
    /// The pipeline that prints the variables of the environment.
    environment_in: Option<u32>,
    pub(super) inner: Vec<Inner>,
    pub(super) depth: u8,
}

/// What is known of how a program is called besides its words.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallContext<'a> {
    pub(super) context: Context,
    pub(super) redirects: &'a [Redirect],
    /// Variables are set for it.
    pub(super) assigned: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        command: &'a str,
        texts: &'a Texts<'_>,
        facts: &Facts,
        workspace: &'a Workspace<'a>,
    ) -> Self {
        let functions = Functions::of(facts);
        let mut variables = Variables::default();
        variables.forget_uncertain(command, &facts.commands);
        variables.own_names = ["basename", "dirname"]
            .iter()
            .any(|name| functions.defines(name) || workspace.functions.contains_key(*name));
        if !workspace.environment.contains_key("HOME") {
            variables.set("HOME", Some(workspace.home.to_string_lossy().into_owned()));
        }
        variables.set("PWD", Some(workspace.cwd.to_string_lossy().into_owned()));
        for name in ["USER", "LOGNAME"] {
            if !workspace.environment.contains_key(name) && !workspace.user.is_empty() {
                variables.set(name, Some(workspace.user.to_string()));
            }
        }
        Self {
            command,
            found: Findings::of(Source::of(texts)),
            anchors: Anchors::new(workspace),
            workspace,
            variables,
            functions,
            folders: vec![(workspace.cwd.clone(), false)],
            lost: false,
            went: Vec::new(),
            again: false,
            links: Vec::new(),
            piped: Vec::new(),
            before_in_pipeline: None,
            says: None,
            fetched: false,
            written: HashSet::new(),
            elevated: false,
            same_shell: false,
            elsewhere: false,
            receives: false,
            told: None,
            beside: false,
            handed_on: None,
            own_files: false,
            passes_secret: false,
            fed: false,
            runs: Vec::new(),
            made: HashSet::new(),
            built: Vec::new(),
            authored: Vec::new(),
            recipes: Vec::new(),
            settled: Vec::new(),
            in_body: false,
            carrying: false,
            handed: Vec::new(),
            trying: false,
            looks: false,
            given: Vec::new(),
            last_made: None,
            looked_through: None,
            started: Vec::new(),
            told_of: Vec::new(),
            private: Vec::new(),
            pipeline: Vec::new(),
            found_outside: false,
            for_tests: None,
            fed_own_file: false,
            remotes: Vec::new(),
            saved_changes: false,
            set_for_it: Vec::new(),
            leaves: None,
            environment_in: None,
            inner: facts.inner.clone(),
            depth: 0,
        }
    }

    pub(super) fn commands(&mut self, commands: &[SimpleCommand]) {
        for command in commands {
            let before = std::mem::replace(&mut self.found.here, Risk::Safe);
            self.command(command);
            self.found.here = self.found.here.max(before);
        }
    }

    fn command(&mut self, command: &SimpleCommand) {
        if !command.context.in_subshell {
            self.folders.retain(|(_, subshell)| !subshell);
        }
        self.set_for_it.clear();
        for assignment in &command.assignments {
            let value = match super::flow::made_by_mktemp(&assignment.value) {
                Some(made) => vec![made],
                None => self.variables.expand(&assignment.value, self.workspace.environment),
            };
            self.odd_expansion(&assignment.value);
            let known = match value.as_slice() {
                [one] => one.known(),
                [] => Some(""),
                [..] => None,
            };
            let known = known.or_else(|| value.first().and_then(Arg::start));
            self.set_for_it.extend(known.map(str::to_owned));
            // How the line that is read is divided, and nothing else.
            let divides = assignment.name == "IFS"
                && command
                    .words
                    .first()
                    .is_some_and(|word| matches!(word.raw.as_str(), "read" | "mapfile" | "readarray"))
                && !self.defines("read");
            if !divides {
                self.assignment(&assignment.name, known, assignment.value.span);
            }
            self.note_assigned(assignment);
            if super::flow::made_by_mktemp(&assignment.value).is_some() && !command.context.conditional {
                self.made.insert(super::flow::FRESH.into());
            }
            if command.words.is_empty() {
                let names = self.made_of_names(assignment, &value);
                let value = match value.as_slice() {
                    [] => Some(String::new()),
                    [one] if !assignment.append => one.known().map(str::to_owned),
                    _ => None,
                };
                match &assignment.value.value {
                    // A function could set the loop's variable in between.
                    Value::Several { texts } if self.functions.is_empty() => {
                        self.variables.set_loop(&assignment.name, texts);
                    }
                    Value::Several { .. } => self.variables.forget(&assignment.name),
                    Value::Unknown { .. }
                        if super::flow::counts(&assignment.value) && !self.defines("seq") =>
                    {
                        self.variables.set_loop(&assignment.name, &["1".to_owned()]);
                    }
                    // `for f in $(git diff --name-only)`
                    Value::Unknown { .. }
                        if self.functions.is_empty() && self.lists_own(&assignment.value.raw) =>
                    {
                        self.variables.set_loop(&assignment.name, &["./*".to_owned()]);
                    }
                    // `b=$(basename "$f" .md)`
                    Value::Unknown { .. } if let Some(names) = &names => {
                        self.variables.set_read(&assignment.name, names);
                    }
                    Value::Known { .. } | Value::Glob { .. } | Value::Unknown { .. } => {
                        self.variables.set(&assignment.name, value);
                    }
                }
                self.variables.all_unknown |= assignment.name == "IFS";
            }
        }
        self.says = says(command);
        self.beside |= command.context.background;
        for redirect in &command.redirects {
            self.redirect(redirect);
        }
        self.empties_home_file(command);
        self.note_texts(command);
        command.words.iter().for_each(|word| self.odd_expansion(word));
        let args: Vec<Arg> = command
            .words
            .iter()
            .flat_map(|word| match self.temporary(command, word) {
                Some(made) => vec![made],
                None => self.variables.expand(word, self.workspace.environment),
            })
            .collect();
        if args.iter().any(|arg| arg.known() == Some(super::flow::FRESH)) {
            self.made.insert(super::flow::FRESH.into());
        }
        self.note_kept(command, &args);
        let assigned = !command.assignments.is_empty();
        self.for_tests = Self::is_for_tests(command);
        self.changes_by_live_address(command);
        if command.words.is_empty() {
            self.note_handed(command);
            self.runs.push(Run::of(&[], assigned, &command.redirects));
            return;
        }
        let how = CallContext { context: command.context, redirects: &command.redirects, assigned };
        if args.is_empty() {
            self.unread("which program runs is only known when it runs", command.span);
            return;
        }
        if !command.context.piped_from {
            self.piped.clear();
            (self.told, self.own_files, self.passes_secret) = (None, false, false);
            self.pipeline.clear();
            self.found_outside = false;
        }
        let names = self.names_to_read(command, &args);
        self.note_searched(&args, how);
        match command.words.first().and_then(|word| self.variables.programs(word, &args)) {
            Some((programs, rest)) => {
                for program in programs {
                    self.run(&[&[program], rest].concat(), how);
                }
            }
            None => self.run(&args, how),
        }
        super::clobber::check(self, command, &args);
        self.note_changed(&args);
        self.note_last_made(command, &args);
        self.saved_changes = self.saves_changes(command);
        if let Some((name, names)) = names {
            self.variables.set_read(&name, &names);
        }
        let program = super::noted::itself(&args).first().and_then(Arg::known);
        self.before_in_pipeline = program.map(|name| super::noted::own_name(name).to_owned());
        self.piped = if command.context.piped_into { self.lists(&args) } else { Vec::new() };
        self.own_files = command.context.piped_into && self.hands_on_own_files(&args, how);
        self.told = self.says.take();
        self.handed_on = self.hands_on_text(command);
    }

    /// Notes a file that the environment goes into.
    fn note_kept(&mut self, command: &SimpleCommand, args: &[Arg]) {
        let into = command.redirects.iter().find(|redirect| {
            matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append)
                && redirect.fd == 1
                && redirect.target.raw != "/dev/null"
        });
        let mut names: Vec<&str> = super::noted::itself(args).iter().filter_map(Arg::known).collect();
        if let Some(program) = names.first_mut() {
            *program = super::noted::own_name(program);
        }
        if matches!(
            names.as_slice(),
            ["printenv" | "env" | "set" | "export"] | ["export" | "declare", "-p" | "-x"]
        ) {
            self.environment_in = Some(command.context.pipeline);
        }
        let here = self.environment_in == Some(command.context.pipeline);
        let talks = names.first().and_then(|name| crate::knowledge::program(name));
        let talks = talks.is_some_and(super::leaks::reaches);
        if let Some(program) = command.words.first().filter(|_| here && talks) {
            let why = "sends away what is in the variables of the environment";
            self.found.add(Risk::Dangerous, why, program.span);
        }
        if here && (into.is_some() || names.first() == Some(&"tee")) {
            self.leaves = Some("sends away what is in the variables of the environment");
        }
    }

    /// `${x@P}` and the like run what is in a variable.
    pub(super) fn odd_expansion(&mut self, word: &planwright_shell::Word) {
        if let Value::Unknown { parts } = &word.value {
            for part in parts {
                if let planwright_shell::Part::Other { raw } = part {
                    let runs = raw.contains("@P")
                        || raw.starts_with("${!") && !lists_keys(raw)
                        || raw.starts_with("$((") && raw.contains('[') && !self.adds_to_counts(raw);
                    if runs {
                        self.found.add(
                            Risk::Dangerous,
                            "expands in a way that can run what a variable holds",
                            word.span,
                        );
                    }
                }
            }
        }
    }

    /// `$((${counts[$key]:-0} + 1))`: sums of what stands in a list by names, into which only sums were ever put.
    fn adds_to_counts(&self, raw: &str) -> bool {
        // Other ways to put something in.
        const FILLS: [&str; 9] =
            ["-n ", "mapfile", "readarray", "eval", "source", "printf -v", "read -a", "read -ra", "-a "];
        if self.command.len() > SURVEYED || FILLS.iter().any(|way| self.command.contains(way)) {
            return false;
        }
        let Some(inner) = raw.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))")) else {
            return false;
        };
        let mut parts = inner.split("${");
        let signs = |text: &str| text.chars().all(|c| c.is_ascii_digit() || " +-*".contains(c));
        let plain =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        parts.next().is_some_and(signs)
            && parts.all(|part| {
                let Some((value, rest)) = part.split_once('}') else { return false };
                let Some((name, key)) = value.split_once('[') else { return false };
                let Some((key, default)) = key.split_once(']') else { return false };
                let key = key.trim_matches('"').strip_prefix('$').unwrap_or_default();
                // Asked for, or given a sum; anything else, as `read "m[$k]"`, may put in what runs.
                let given = |(at, found): (usize, &str)| {
                    let asked = self.command.get(..at).is_some_and(|before| before.ends_with(['{', '!']));
                    let value = self.command.get(at + found.len()..).and_then(|rest| rest.split_once(']'));
                    asked || value.is_some_and(|(_, value)| value.starts_with("=$(("))
                };
                let declared = ["declare -A ", "local -A ", "typeset -A "].iter().any(|word| {
                    let wanted = format!("{word}{name}");
                    self.command.match_indices(&wanted).any(|(at, found)| {
                        let next = self.command.get(at + found.len()..).and_then(|rest| rest.chars().next());
                        next.is_none_or(|c| c.is_whitespace() || c == ';')
                    })
                });
                signs(rest)
                    && plain(name)
                    && plain(key)
                    && (default.is_empty() || default.strip_prefix(":-").is_some_and(signs))
                    && declared
                    && self.command.match_indices(&format!("{name}[")).all(given)
                    && !self.command.contains(&format!("{name}=("))
            })
    }

    /// Setting `name` for what runs later.
    pub(super) fn assignment(&mut self, name: &str, value: Option<&str>, span: Span) {
        let name = name.split(['[', '+']).next().unwrap_or(name);
        if let Some(variable) = knowledge::variable(name) {
            if super::flow::keeps_from_waiting(name, value) && !value.is_some_and(|value| self.defines(value))
            {
                return;
            }
            let tame = name == "NODE_OPTIONS"
                && value.is_some_and(|value| value.starts_with("--max-") && !value.contains(' '));
            let risk =
                if tame { Risk::Caution } else { variable.risk.max(super::flow::value_risk(name, value)) };
            self.found.add(risk, format!("{}: {}", name, variable.says), span);
        } else if ["BASH_FUNC_", "LD_", "DYLD_"].iter().any(|start| name.starts_with(start))
            || name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
        {
            self.found.add(Risk::Dangerous, format!("{name}: changes what programs run"), span);
        }
    }
}

/// The text that `echo` prints, when nothing in it is expanded.
fn says(command: &SimpleCommand) -> Option<String> {
    let mut words = command.words.iter().map(|word| match &word.value {
        Value::Known { text, tilde: false } => Some(text.as_str()),
        Value::Known { .. } | Value::Glob { .. } | Value::Several { .. } | Value::Unknown { .. } => None,
    });
    let program = words.next().flatten();
    let echoes = program == Some("echo");
    let said: Option<Vec<&str>> = words.collect();
    if program == Some("cat") && said.as_ref().is_some_and(Vec::is_empty) {
        let mut told = command.redirects.iter().filter(|redirect| redirect.fd == 0);
        let told = told
            .find(|redirect| matches!(redirect.kind, RedirectKind::HereString | RedirectKind::HereDocument));
        return match told.map(|redirect| &redirect.target.value) {
            Some(Value::Known { text, tilde: false }) => Some(text.clone()),
            Some(_) | None => None,
        };
    }
    // `-e` would turn `\n` into a new line.
    said.filter(|said| echoes && !said.iter().any(|word| word.starts_with('-'))).map(|said| said.join(" "))
}

/// Splits `NAME=value` words that a wrapper takes: the name, and the value as far as it is known.
pub(super) fn assigned<'w>(words: &[&'w Arg]) -> Vec<(&'w Arg, String, Option<String>)> {
    let whole = |arg: &Arg| match &arg.text {
        Text::Known { text, .. } => text.clone(),
        Text::Glob { pattern, .. } => pattern.clone(),
        Text::Unknown { prefix, .. } => arg.start().unwrap_or(prefix).to_owned(),
    };
    words
        .iter()
        .filter(|arg| is_assignment(arg))
        .filter_map(|arg| {
            let whole = whole(arg);
            let (name, value) = whole.split_once('=')?;
            let known = arg.known().is_some() || arg.start().is_some();
            Some((*arg, name.to_owned(), known.then(|| value.to_owned())))
        })
        .collect()
}

/// `${!list[@]}`: the names in a list, where `${!name}` is what another variable holds.
fn lists_keys(raw: &str) -> bool {
    let inner =
        raw.strip_prefix("${!").and_then(|rest| rest.strip_suffix("[@]}").or(rest.strip_suffix("[*]}")));
    inner.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}
