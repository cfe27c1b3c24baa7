//! One simple command after another, in the order of the text: program, flags, words, redirections.

use std::path::{Path, PathBuf};

use planwright_shell::{Context, Facts, Inner, Redirect, SimpleCommand, Span, Value};

use super::args::{Parsed, is_assignment, parse};
use super::findings::Findings;
use super::floor::{self, Floor};
use super::place::{Known, Place, is_program_folder, place};
use super::runs::Run;
use super::targets::Target;
use super::words::{Arg, Text, Variables};
use super::{Workspace, plain};
use crate::knowledge::{self, Deed, Entry, OtherFlags, Role, Rules, Takes};
use crate::protocol::{Risk, UndoOutlook};

/// Commands inside commands are followed this far.
const DEEPEST: u8 = 8;

#[derive(Debug)]
pub(super) struct Judge<'a> {
    command: &'a str,
    pub(super) found: Findings<'a>,
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) known: Known<'a>,
    pub(super) variables: Variables,
    /// Functions that the text defines.
    functions: Vec<String>,
    /// Where a relative path may be looked for; the last is the likely one. The flag: only in a subshell.
    pub(super) folders: Vec<(PathBuf, bool)>,
    /// `cd` went somewhere unknown.
    pub(super) lost: bool,
    /// Names that come in from the command before in the pipeline, where they are known to lie somewhere.
    pub(super) piped: Vec<Text>,
    /// The program of the stage before in the pipeline.
    pub(super) before_in_pipeline: Option<String>,
    /// What the command at hand prints, where that is known: the words of `echo`.
    pub(super) says: Option<String>,
    /// A file was fetched from the network.
    pub(super) fetched: bool,
    /// Files that this text itself writes.
    pub(super) written: Vec<PathBuf>,
    /// What runs now has all rights, or those of another user.
    pub(super) elevated: bool,
    /// Text that is run now is run by this very shell, which knows its variables (`eval`, `trap`).
    pub(super) same_shell: bool,
    /// Something comes in to the command around this one.
    pub(super) fed: bool,
    /// Every command that would run, outer before inner.
    pub(super) runs: Vec<Run>,
    /// Folders that this text itself makes where nothing was.
    pub(super) made: Vec<PathBuf>,
    inner: Vec<Inner>,
    depth: u8,
}

/// What is known of how a program is called besides its words.
#[derive(Debug, Clone, Copy)]
pub(super) struct How<'a> {
    pub(super) context: Context,
    pub(super) redirects: &'a [Redirect],
    /// Variables are set for it.
    pub(super) assigned: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(command: &'a str, facts: &Facts, workspace: &'a Workspace<'a>) -> Self {
        let mut variables = Variables::default();
        variables.forget_uncertain(command, &facts.commands);
        if !workspace.environment.contains_key("HOME") {
            variables.set("HOME", Some(workspace.home.to_string_lossy().into_owned()));
        }
        for name in ["USER", "LOGNAME"] {
            if !workspace.environment.contains_key(name) && !workspace.user.is_empty() {
                variables.set(name, Some(workspace.user.to_string()));
            }
        }
        Self {
            command,
            found: Findings::new(command),
            known: Known::new(workspace),
            workspace,
            variables,
            functions: facts.functions.clone(),
            folders: vec![(workspace.cwd.clone(), false)],
            lost: false,
            piped: Vec::new(),
            before_in_pipeline: None,
            says: None,
            fetched: false,
            written: Vec::new(),
            elevated: false,
            same_shell: false,
            fed: false,
            runs: Vec::new(),
            made: Vec::new(),
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
            self.assignment(&assignment.name, known, assignment.value.span);
            if command.words.is_empty() {
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
                    Value::Known { .. } | Value::Glob { .. } | Value::Unknown { .. } => {
                        self.variables.set(&assignment.name, value);
                    }
                }
                self.variables.all_unknown |= assignment.name == "IFS";
            }
        }
        self.says = says(command);
        for redirect in &command.redirects {
            self.redirect(redirect);
        }
        command.words.iter().for_each(|word| self.odd_expansion(word));
        let args: Vec<Arg> = command
            .words
            .iter()
            .flat_map(|word| self.variables.expand(word, self.workspace.environment))
            .collect();
        let assigned = !command.assignments.is_empty();
        if command.words.is_empty() {
            self.runs.push(Run::of(&[], assigned, &command.redirects));
            return;
        }
        let how = How { context: command.context, redirects: &command.redirects, assigned };
        if args.is_empty() {
            self.unread("which program runs is only known when it runs", command.span);
            return;
        }
        if !command.context.piped_from {
            self.piped.clear();
        }
        self.run(&args, how);
        self.before_in_pipeline = args.first().and_then(Arg::known).map(str::to_owned);
        self.piped = if command.context.piped_into { self.lists(&args) } else { Vec::new() };
    }

    /// `${x@P}` and the like run what is in a variable.
    pub(super) fn odd_expansion(&mut self, word: &planwright_shell::Word) {
        if let Value::Unknown { parts } = &word.value {
            for part in parts {
                if let planwright_shell::Part::Other { raw } = part {
                    let runs = raw.contains("@P")
                        || raw.starts_with("${!")
                        || raw.starts_with("$((") && raw.contains('[');
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

    /// Setting `name` for what runs later.
    pub(super) fn assignment(&mut self, name: &str, value: Option<&str>, span: Span) {
        let name = name.split(['[', '+']).next().unwrap_or(name);
        if let Some(variable) = knowledge::variable(name) {
            let tame = name == "NODE_OPTIONS"
                && value.is_some_and(|value| value.starts_with("--max-") && !value.contains(' '));
            let risk =
                if tame { Risk::Caution } else { variable.risk.max(super::flow::value_risk(name, value)) };
            self.found.add(risk, format!("{}: {}", name, variable.says), span);
        } else if name.starts_with("BASH_FUNC_") || name.starts_with("LD_") || name.starts_with("DYLD_") {
            self.found.add(Risk::Dangerous, format!("{name}: changes what programs run"), span);
        }
    }

    /// Runs `args` in thought: program first, never empty.
    pub(super) fn run(&mut self, args: &[Arg], how: How<'_>) {
        let Some((program, rest)) = args.split_first() else { return };
        self.runs.push(Run::of(args, how.assigned, how.redirects));
        let named = |name: &&str| !name.is_empty() && !name.starts_with('-');
        let Some(name) = program.known().filter(named) else {
            self.found.add(Risk::Dangerous, "which program runs is only known when it runs", program.span);
            return;
        };
        if self.depth >= DEEPEST {
            self.unread("commands inside commands, too deep to follow", program.span);
            return;
        }
        if self.function(name, program.span, how) {
            return;
        }
        let base = match name.rsplit_once('/') {
            None => name,
            Some((folder, base)) => {
                if !is_program_folder(Path::new(folder)) {
                    self.own_program(program);
                }
                base
            }
        };
        let Some(entry) = knowledge::program(base) else {
            self.made.clear();
            self.stranger(name, program.span, rest);
            self.carried(rest, how);
            self.found.more_than_files = true;
            self.found.outlook(UndoOutlook::Cannot { why: "what this program changes is not known".into() });
            return;
        };
        self.depth += 1;
        self.known(entry, base, program, rest, how);
        self.depth -= 1;
    }

    /// Whether this text, or a step before it, puts a function behind `name`.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.functions.iter().any(|function| function == name) || self.workspace.functions.contains_key(name)
    }

    /// Whether `name` is a function, of this text or carried from earlier.
    fn function(&mut self, name: &str, span: Span, how: How<'_>) -> bool {
        if self.functions.iter().any(|function| function == name) {
            let forks = how.context.background || how.context.piped_from || how.context.piped_into;
            if how.context.in_function && forks {
                self.found.block(Floor::ForkBomb, span);
            } else if how.context.in_function {
                self.found.add(
                    Risk::Dangerous,
                    "a function that calls a function, perhaps without end",
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
        self.depth += 1;
        if self.depth < DEEPEST {
            let moved: Vec<SimpleCommand> =
                body.commands.iter().map(|command| moved(command, span)).collect();
            self.commands(&moved);
        } else {
            self.unread("functions that call each other, perhaps without end", span);
        }
        self.depth -= 1;
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
        if self.elevated {
            self.found.add(Risk::Dangerous, "gives other rights to a program that is not known here", span);
        } else if !name.contains('/') {
            self.found.add(Risk::Caution, "a program that is not known here", span);
        }
    }

    /// What running `args` would come to, without noting it.
    pub(super) fn tried(&mut self, args: &[Arg], how: How<'_>) -> Risk {
        let own = std::mem::replace(&mut self.found, Findings::new(self.command));
        self.run(args, how);
        std::mem::replace(&mut self.found, own).here
    }

    /// A program that is not known may run what follows in its words: harm that is plain to see there counts.
    fn carried(&mut self, words: &[Arg], how: How<'_>) {
        for at in 0..words.len().min(6) {
            let rest = words.get(at..).unwrap_or_default();
            let known = |name: &str| rest.len() > 1 && knowledge::program(name).is_some();
            if !rest.first().and_then(Arg::known).is_some_and(known) {
                continue;
            }
            let runs = self.runs.len();
            if self.tried(rest, how) >= Risk::Dangerous {
                let span = rest.first().map_or(Span { start: 0, end: 0 }, |arg| arg.span);
                self.found.add(Risk::Dangerous, "may run the command that stands in its words", span);
                return;
            }
            self.runs.truncate(runs);
        }
    }

    /// A program given by its path: what is in the file decides, not its name.
    fn own_program(&mut self, program: &Arg) {
        let (risk, text) = match self.script_place(program) {
            Some(Place::Workspace) => (Risk::Caution, "runs a program of the workspace, whatever its name"),
            Some(Place::Home | Place::Hidden | Place::System) => {
                (Risk::Caution, "runs a program given by its path")
            }
            Some(
                Place::Guarded
                | Place::Temporary
                | Place::Nowhere
                | Place::OtherHome
                | Place::Mounted
                | Place::Spare
                | Place::Disk
                | Place::Device
                | Place::Connection
                | Place::Outside,
            )
            | None => (Risk::Dangerous, "runs a program outside the workspace and the system"),
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

    /// The least trusted place that a script may lie in.
    pub(super) fn script_place(&self, arg: &Arg) -> Option<Place> {
        match self.target(arg) {
            Target::At(paths) => {
                let places: Vec<Place> = paths.iter().map(|path| place(path, &self.known)).collect();
                let other = places.iter().find(|place| !matches!(place, Place::Workspace));
                other.or(places.first()).copied()
            }
            Target::Inside { .. } | Target::Unknown => None,
        }
    }

    fn known(&mut self, entry: &'static Entry, name: &str, program: &Arg, rest: &[Arg], how: How<'_>) {
        if super::args::asks_how_it_is_used(entry, name, rest) {
            return;
        }
        let parsed = parse(entry, rest);
        let span = match parsed.subs.last() {
            Some(sub) => Span { start: program.span.start, end: sub.span.end },
            None => program.span,
        };
        let foreign = ["make", "pip", "pip3", "gem", "npm", "pnpm", "yarn", "cpan", "cpanm", "easy_install"];
        if self.elevated && foreign.contains(&name) {
            self.found.add(Risk::Dangerous, "gives other rights to code of others", span);
        }
        let before = self.work_in(&parsed);
        self.own_risk(&parsed, span);
        self.flags(&parsed);
        let keys = self.found.keys;
        self.words(&parsed, name);
        if self.found.keys > keys && parsed.entry.does(Deed::Writes) {
            self.found.add(Risk::Dangerous, "copies or moves a password or key", span);
        }
        if name == "tee" {
            let files: Vec<PathBuf> = parsed
                .words
                .iter()
                .flat_map(|arg| self.joined(Path::new(arg.known().unwrap_or("-"))))
                .collect();
            self.written.extend(files);
        }
        let endless = name == "yes"
            || name == "cat"
                && parsed
                    .words
                    .iter()
                    .any(|arg| matches!(arg.known(), Some("/dev/urandom" | "/dev/zero" | "/dev/random")));
        if endless
            && how
                .redirects
                .iter()
                .any(|redirect| redirect.target.raw != "/dev/null" && redirect.fd.is_none_or(|fd| fd == 1))
        {
            self.found.add(Risk::Dangerous, "fills a file without end", span);
        }
        self.deeds(&parsed);
        let fed = self.fed;
        self.fed |= super::special::comes_in(self, how).is_some();
        floor::check(self, name, &parsed, span);
        match name {
            "mkdir" => self.note_made(&parsed, how),
            // What lay elsewhere may now be reached through a folder that was empty before.
            "mv" | "mount" | "sshfs" | "bindfs" | "rclone" | "gocryptfs" | "encfs" => self.made.clear(),
            _ => {}
        }
        if let Some(wrapper) = parsed.entry.wraps {
            super::wrap::judge(self, wrapper, &parsed, program, how);
        }
        if let Some(rules) = parsed.entry.rules.or(entry.rules) {
            super::special::judge(self, rules, name, &parsed, span, how);
        }
        self.fed = fed;
        if let Some((folders, lost)) = before {
            (self.folders, self.lost) = (folders, lost);
        }
        if self.found.here > Risk::Safe && entry.wraps.is_none() {
            self.outlook(parsed.entry);
        }
    }

    fn own_risk(&mut self, parsed: &Parsed<'_, '_>, span: Span) {
        let entry = parsed.entry;
        let mut risk = entry.risk;
        // What the module does is judged by itself.
        let module = parsed.value("-m").and_then(Arg::known);
        if entry.rules == Some(Rules::Python)
            && matches!(module, Some("pip" | "json.tool" | "this" | "platform"))
        {
            risk = Risk::Safe;
        }
        if entry.rules == Some(Rules::Sql) && super::tools::only_asks_database(parsed) {
            risk = Risk::Safe;
        }
        if let Some(bare) = entry.bare.filter(|_| entry.is_bare(parsed.words.len())) {
            risk = bare;
        }
        if let Some(verb) = parsed.verb() {
            risk = verb;
        }
        if entry.verbs.as_ref().is_some_and(knowledge::Verbs::decide_harm)
            && let Some(first) =
                parsed.words.first().filter(|word| word.known().is_none() && !word.is_option())
        {
            risk = risk.max(Risk::Dangerous);
            self.found.add(risk, "what it is asked to do is only known when it runs", first.span);
        }
        let looks_names_up = entry.wraps.is_some() && parsed.flags.iter().any(|given| given.flag.only_names);
        if let Some(calm) = parsed.flags.iter().filter_map(|given| given.flag.calms).min() {
            risk = risk.min(calm);
        } else if looks_names_up {
            risk = Risk::Safe;
        }
        self.found.add(risk, entry.summary.clone(), span);
        if let Some(sub) = parsed.strange_sub {
            if sub.known().is_none() {
                self.found.add(
                    Risk::Dangerous,
                    "what it is asked to do is only known when it runs",
                    sub.span,
                );
            } else {
                self.found.add(Risk::Caution, "a sub-command that is not known here", sub.span);
            }
        }
    }

    fn flags(&mut self, parsed: &Parsed<'_, '_>) {
        for given in &parsed.flags {
            if let Some(risk) = given.flag.risk {
                self.found.add(risk, given.flag.says.clone(), given.span);
            }
            if let (Takes::Value(role) | Takes::Optional(role), Some(value)) =
                (given.flag.value, &given.value)
            {
                self.word(value, role);
            }
        }
        let doubtful_matters = match parsed.entry.other_flags {
            OtherFlags::Harmless => false,
            OtherFlags::Doubtful => parsed.entry.wraps.is_none() || !parsed.doubtful.is_empty(),
        };
        for arg in parsed.doubtful.iter().filter(|_| doubtful_matters) {
            // The name of a user or a program never begins like an option.
            let name = self.found.fragment(arg.span).trim_start_matches('"');
            if ["$(which ", "$USER", "${USER}", "$LOGNAME", "$(whoami)", "$(id -u"]
                .iter()
                .any(|start| name.starts_with(start))
            {
                continue;
            }
            let hides = match &arg.text {
                Text::Unknown { split, prefix } => *split || prefix.starts_with('-'),
                Text::Glob { .. } => true,
                Text::Known { .. } => false,
            };
            let worst = parsed.entry.flags.any_at_least(Risk::Dangerous);
            if hides && worst {
                self.found.add(Risk::Dangerous, "may turn out to be an option that does harm", arg.span);
            } else {
                self.found.add(Risk::Caution, "an option that is not known here", arg.span);
            }
        }
    }

    fn words(&mut self, parsed: &Parsed<'_, '_>, name: &str) {
        let closes = super::special::closes_to_others(parsed);
        for (index, arg) in parsed.words.iter().enumerate().filter(|_| parsed.entry.wraps.is_none()) {
            let role = parsed.role(index);
            let tame = closes && role == Role::Change && self.close_to_others(arg);
            if !tame && !self.is_daily_care(parsed, name, arg) {
                self.word(arg, role);
            }
        }
    }

    /// Judges one word by what it means. Deleting and small programs are judged by the rules of who does it.
    fn word(&mut self, arg: &Arg, role: Role) {
        match role {
            Role::Text
            | Role::Pattern
            | Role::Host
            | Role::Package
            | Role::Command
            | Role::Code
            | Role::Script
            | Role::Delete => {}
            Role::Upload => super::remote::upload(self, arg),
            Role::Url => {
                if let Some(path) = arg.known().and_then(|text| text.strip_prefix("file://")) {
                    self.read(&arg.with(path.to_owned()));
                }
                if arg.known().is_some_and(super::far::hands_out_keys) {
                    self.found.add(Risk::Dangerous, "asks the cloud for the keys of this machine", arg.span);
                }
            }
            Role::Read | Role::Remote | Role::Transfer => self.read(arg),
            Role::Archive => {
                if arg.known() != Some("-") {
                    self.read(arg);
                }
            }
            Role::Write | Role::Create | Role::Change | Role::RemoveEmpty => self.write(arg),
            Role::Move => {
                self.read(arg);
                self.write(arg);
            }
        }
    }

    fn deeds(&mut self, parsed: &Parsed<'_, '_>) {
        let calm =
            parsed.flags.iter().any(|given| given.flag.calms.is_some()) || parsed.verb() == Some(Risk::Safe);
        let bare = parsed.entry.is_bare(parsed.words.len());
        let own = parsed.entry.does.iter().filter(|_| !calm && !bare);
        let of_flags = parsed.flags.iter().flat_map(|given| &given.flag.does);
        // A program that may do harm and is not known to do it to files does it to something else.
        let known = parsed.entry.risk == Risk::Safe || !parsed.entry.does.is_empty();
        self.found.more_than_files |= !known;
        let effects = &mut self.found.effects;
        for deed in own.chain(of_flags) {
            match deed {
                Deed::Deletes => effects.deletes = true,
                Deed::Network => effects.uses_network = true,
                Deed::Installs => effects.installs_packages = true,
                Deed::Privilege => effects.raises_privilege = true,
                Deed::RunsOther | Deed::System => self.found.more_than_files = true,
                Deed::Reads | Deed::Writes => {}
            }
        }
    }

    fn outlook(&mut self, entry: &Entry) {
        let outlook = match (&entry.undo, &entry.no_undo) {
            (Some(how), _) if how.contains("not brought back") || how.contains("lost") => {
                UndoOutlook::Partly { how: how.clone() }
            }
            (Some(how), _) => UndoOutlook::ByHand { how: how.clone() },
            (None, Some(why)) => UndoOutlook::Cannot { why: why.clone() },
            (None, None) => UndoOutlook::Cannot {
                why: format!("nothing is known that takes back what {}", entry.summary),
            },
        };
        // What only reads has nothing to take back, even where what it reads is doubtful.
        if entry.risk > Risk::Safe || entry.undo.is_some() {
            self.found.outlook(outlook);
        }
    }

    /// Shell text inside the command, as the reader found it. A shell of its own sees only what was exported.
    fn nested(&mut self, text: &str, facts: &Facts, span: Span, same_shell: bool) {
        let variables =
            if same_shell { self.variables.clone() } else { self.variables.of_new_shell(&self.known.home) };
        let outer = std::mem::replace(&mut self.variables, variables);
        self.variables.forget_uncertain(text, &facts.commands);
        self.inner.extend(facts.inner.iter().cloned());
        self.functions.extend(facts.functions.iter().cloned());
        let moved: Vec<SimpleCommand> =
            facts.commands.iter().map(|command| moved_to(command, span)).collect();
        self.depth += 1;
        self.commands(&moved);
        self.depth -= 1;
        self.variables = outer;
        self.variables.all_unknown = true;
    }

    /// Something runs that cannot be read: dangerous, and no grant can cover it.
    pub(super) fn unread(&mut self, why: &str, span: Span) {
        self.runs.push(Run::unread());
        self.found.add(Risk::Dangerous, why, span);
    }

    /// Judges `text` as shell text that stands at `span`, if it is plain enough to be read.
    pub(super) fn shell_text(&mut self, text: &str, span: Span) {
        self.found.add(Risk::Caution, "runs text as shell commands", span);
        self.shell_text_as_it_is(text, span);
    }

    /// The same for a program that adds nothing to what the text does, as `watch`.
    pub(super) fn shell_text_as_it_is(&mut self, text: &str, span: Span) {
        let same_shell = std::mem::take(&mut self.same_shell);
        let nested = self.inner.iter().find(|inner| inner.text == text).map(|inner| inner.facts.clone());
        if let Some(facts) = nested.filter(|facts| facts.doubts.is_empty() && self.depth < DEEPEST) {
            self.nested(text, &facts, span, same_shell);
            return;
        }
        match plain::read(text, span) {
            Some(commands) if self.depth < DEEPEST => {
                self.depth += 1;
                self.commands(&commands);
                self.depth -= 1;
            }
            Some(_) | None => {
                self.unread("runs text that could not be analysed", span);
            }
        }
        self.variables.all_unknown = true;
    }
}

/// The text that `echo` prints, when nothing in it is expanded.
fn says(command: &SimpleCommand) -> Option<String> {
    let mut words = command.words.iter().map(|word| match &word.value {
        Value::Known { text, tilde: false } => Some(text.as_str()),
        Value::Known { .. } | Value::Glob { .. } | Value::Several { .. } | Value::Unknown { .. } => None,
    });
    let echoes = words.next().flatten() == Some("echo");
    let said: Option<Vec<&str>> = words.collect();
    // `-e` would turn `\n` into a new line.
    said.filter(|said| echoes && !said.iter().any(|word| word.starts_with('-'))).map(|said| said.join(" "))
}

/// A carried function's command as if it stood where the function is called.
fn moved(command: &SimpleCommand, span: Span) -> SimpleCommand {
    let mut command = moved_to(command, span);
    command.context.in_function = false;
    command
}

/// The command as if all of it stood at `span`.
fn moved_to(command: &SimpleCommand, span: Span) -> SimpleCommand {
    let mut command = command.clone();
    command.span = span;
    let targets = command.redirects.iter_mut().map(|redirect| &mut redirect.target);
    let values = command.assignments.iter_mut().map(|assignment| &mut assignment.value);
    command.words.iter_mut().chain(targets).chain(values).for_each(|word| word.span = span);
    command
}

/// Splits `NAME=value` words that a wrapper takes.
pub(super) fn assigned<'w>(words: &[&'w Arg]) -> Vec<(&'w Arg, String)> {
    let name = |arg: &Arg| match &arg.text {
        Text::Known { text, .. } => text.clone(),
        Text::Glob { pattern, .. } => pattern.clone(),
        Text::Unknown { prefix, .. } => prefix.clone(),
    };
    words
        .iter()
        .filter(|arg| is_assignment(arg))
        .map(|arg| (*arg, name(arg).split('=').next().unwrap_or_default().to_owned()))
        .collect()
}
