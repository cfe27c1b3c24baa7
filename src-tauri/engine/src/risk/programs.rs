//! What the tables say of a program, put together with how it is called: its own risk, its flags, what its words mean.

use std::path::{Path, PathBuf};

use planwright_shell::Span;

use super::args::{Parsed, parse};
use super::floor;
use super::judge::{CallContext, Judge};
use super::place::{Place, place};
use super::targets::Target;
use super::words::{Arg, Text};
use crate::knowledge::{self, Deed, Entry, Flag, OtherFlags, Role, Rules, Takes};
use crate::protocol::Risk;

impl Judge<'_> {
    pub(super) fn known(
        &mut self,
        entry: &'static Entry,
        name: &str,
        program: &Arg,
        rest: &[Arg],
        how: CallContext<'_>,
    ) {
        if super::args::asks_how_it_is_used(entry, name, rest) {
            return;
        }
        if let Some(inner) = super::remote_copy::kubectl_of(name, rest) {
            self.run(&inner, how);
            return;
        }
        let parsed = parse(entry, rest);
        let span = match parsed.subs.last() {
            Some(sub) => Span { start: program.span.start, end: sub.span.end },
            None => program.span,
        };
        let reports = parsed.reports();
        let foreign = ["make", "pip", "pip3", "gem", "npm", "pnpm", "yarn", "cpan", "cpanm", "easy_install"];
        if self.elevated && foreign.contains(&name) {
            self.found.add(Risk::Dangerous, "gives other rights to code of others", span);
        }
        let before = self.work_in(&parsed);
        // What the administrator only looks at is looked at, no more: said afterwards, when it is known what runs.
        // The same of who looks on.
        let raises = entry.wraps.is_some() && matches!(name, "sudo" | "doas" | "strace" | "ltrace");
        let before_it = std::mem::replace(&mut self.found.here, Risk::Safe);
        if !raises {
            self.own_risk(&parsed, name, span, how);
        }
        self.flags(&parsed);
        let keys = self.found.keys;
        // Who may run a file is no part of what stands in it.
        let texts = (name == "chmod").then(|| self.authored.clone());
        self.words(&parsed, name);
        self.authored = texts.unwrap_or_else(|| std::mem::take(&mut self.authored));
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
        super::hunts::check(self, name, &parsed);
        super::fills::check(self, name, &parsed, span, how);
        if super::leaks::talks(&parsed) {
            self.leaks(rest, how);
        }
        if matches!(name, "helm" | "helmfile" | "argocd" | "skaffold") {
            super::remote_copy::changes_production(self, &parsed);
        }
        super::remote_copy::changes_live(self, name, &parsed);
        if entry.wraps.is_none() {
            self.shown_by_another_word(name, rest);
        }
        super::odd_words::check(self, name, &parsed, rest, span, how);
        super::overwrites::check(self, name, &parsed, rest);
        super::slips::check(self, name, &parsed, rest);
        super::checks::check(self, name, rest);
        super::undeclared::harms_by_name(self, &parsed);
        super::shows::check(self, name, &parsed);
        super::undeclared::check(self, &parsed);
        if name == "ffmpeg" {
            super::remote_copy::streams(self, &parsed);
        }
        if matches!(name, "gh" | "glab" | "hub" | "tea") {
            self.posts_secret(rest);
        }
        self.deeds(&parsed);
        let fed = self.fed;
        self.fed |= super::special::comes_in(self, how).is_some();
        if !reports {
            floor::check(self, name, &parsed, span);
        }
        match name {
            "mkdir" => self.note_made(&parsed, how),
            "ln" => self.note_link(&parsed),
            _ if super::leftovers::output_of(name).is_some() && !how.context.in_function => {
                let folder = super::leftovers::output_of(name).unwrap_or_default();
                let outputs = self.joined(Path::new(folder));
                let outputs = outputs.iter().map(|path| self.workspace.paths.resolve(path));
                self.made.extend(outputs.collect::<Vec<_>>());
            }
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc" | "go" => self.note_built(&parsed),
            // What lay elsewhere may now be reached through a folder that was empty before.
            "mv" | "mount" | "sshfs" | "bindfs" | "rclone" | "gocryptfs" | "encfs" => self.made.clear(),
            _ => {}
        }
        if let Some(wrapper) = parsed.entry.wraps {
            super::wrap::judge(self, wrapper, &parsed, program, how);
        }
        if raises {
            let only_looks = self.found.here == Risk::Safe && self.looks_only(&parsed);
            if !only_looks {
                self.own_risk(&parsed, name, span, how);
            }
        }
        self.found.here = self.found.here.max(before_it);
        if let Some(rules) = parsed.entry.rules.or(entry.rules) {
            super::special::judge(self, rules, name, &parsed, span, how);
        }
        self.fed = fed;
        super::beyond::check(self, name, &parsed, span);
        if let Some((folders, lost)) = before {
            (self.folders, self.lost) = (folders, lost);
        }
        if self.found.here > Risk::Safe && entry.wraps.is_none() {
            self.outlook(&parsed);
        }
    }

    /// Whether the command behind `sudo` is a program that is known to look only, and that takes nothing from the project.
    fn looks_only(&self, parsed: &Parsed<'_, '_>) -> bool {
        let program = parsed.inner.first().and_then(|inner| inner.first()).and_then(Arg::known);
        parsed.doubtful.is_empty()
            && program.is_some_and(|name| {
                knowledge::program(name).is_some() && !matches!(name, "git" | "hg" | "svn")
            })
    }

    fn own_risk(&mut self, parsed: &Parsed<'_, '_>, name: &str, span: Span, how: CallContext<'_>) {
        let entry = parsed.entry;
        let mut risk = entry.risk;
        // What the module does is judged by itself.
        let module = parsed.value("-m").and_then(Arg::known);
        if entry.rules == Some(Rules::Python)
            && (matches!(
                module,
                Some("pip" | "json.tool" | "this" | "platform" | "calendar" | "sysconfig" | "site")
            ) || matches!(module, Some("zipfile" | "tarfile"))
                && parsed
                    .inner
                    .first()
                    .and_then(|rest| rest.first())
                    .and_then(Arg::known)
                    .is_some_and(|first| matches!(first, "-l" | "--list" | "-t" | "--test")))
        {
            risk = Risk::Safe;
        }
        let only_asks = match entry.rules {
            Some(Rules::Sql) => super::databases::only_asks(self, parsed, how),
            Some(Rules::Upload) => super::remote::only_asks_here(self, parsed),
            Some(Rules::Container) => super::containers::only_looks_inside(self, parsed, how),
            Some(Rules::Shell) => {
                self.looks = super::code::only_looks(self, parsed, how);
                self.looks || super::code::only_checks(self, parsed, name, how)
            }
            None if parsed.top.rules == Some(Rules::Git) => super::git::foreach_only_looks(self, parsed, how),
            _ => false,
        };
        let only_asks = only_asks || super::shows::only_shows(self, name, parsed, how);
        if parsed.top.rules == Some(Rules::Git) && super::git::cleans_products(self, parsed) {
            risk = Risk::Caution;
        }
        let keeps_nothing = name == "tee"
            && !parsed.words.is_empty()
            && parsed.words.iter().all(|arg| {
                matches!(self.target(arg), Target::At(paths)
                    if paths.iter().all(|path| place(path, &self.anchors) == Place::Nowhere))
            });
        if only_asks
            || keeps_nothing
            || super::packages::shows_version_of_known(parsed, name)
            || super::packages::runs_what_is_here(parsed, name)
        {
            risk = Risk::Safe;
        }
        if let Some(bare) =
            entry.bare.filter(|_| entry.is_bare(parsed.words.len()) && super::undeclared::only_forms(parsed))
        {
            risk = bare;
        }
        let verb = parsed.verb();
        if let Some(verb) = verb {
            let tests = verb == Risk::Dangerous
                && matches!(parsed.top.summary.as_str(), "runs a task of the project")
                && super::noted::on_test_data(self, parsed);
            risk = if tests { Risk::Caution } else { verb };
        }
        let here = risk >= Risk::Dangerous && super::shows::stays_here(self, name, parsed);
        if here {
            risk = Risk::Caution;
            super::images::touches(self, name, parsed);
        }
        let reports = parsed.reports();
        if let Some(verbs) = entry.verbs.as_ref().filter(|verbs| verbs.decide_harm() && !reports)
            && let Some(first) = parsed.words.first().filter(|word| {
                // `app:$(git describe)` is none of the words that do harm, however it ends.
                let harmless = match &word.text {
                    Text::Unknown { prefix, .. } => !prefix.is_empty() && !verbs.may_harm(prefix),
                    // A loop puts it in, or it is an address with a sign of patterns in it.
                    Text::Glob { pattern, .. } => {
                        !pattern.contains(['*', '?', '[']) && !verbs.harms(pattern)
                            || ["https://", "http://"]
                                .iter()
                                .any(|start| pattern.starts_with(start) && !verbs.may_harm(start))
                    }
                    Text::Known { .. } => true,
                };
                // Images that nothing has a name for are made again.
                let dangling = self.found.fragment(word.span).contains("dangling=true");
                // `pacman -Qi "$p"`: it takes one order a time, and this one looks.
                let looks = name == "pacman"
                    && parsed
                        .given
                        .first()
                        .and_then(|arg| arg.known())
                        .is_some_and(|order| order.starts_with("-Q"));
                // Files that a pattern fits are no words of its own.
                let files = !word.is_unknown() && matches!(parsed.role(0), Role::Read | Role::List);
                // A whole path is none of its orders.
                let path =
                    super::listed::prints_a_path(self.found.fragment(word.span)) && !verbs.may_harm("/");
                word.known().is_none()
                    && !word.is_option()
                    && !dangling
                    && !files
                    && !harmless
                    && !looks
                    && !path
            })
        {
            risk = risk.max(Risk::Dangerous);
            self.found.add(risk, "what it is asked to do is only known when it runs", first.span);
        }
        let looks_names_up = entry.wraps.is_some() && parsed.flags.iter().any(|given| given.flag.only_names);
        let calms = parsed.flags.iter().filter_map(|given| given.flag.calms).min();
        // `sgdisk -L -Z /dev/sda`: the one does not take back the other, unless nothing is done at all.
        if let Some(calm) = calms.filter(|_| verb != Some(Risk::Dangerous) || reports) {
            risk = risk.min(calm);
        } else if looks_names_up {
            risk = Risk::Safe;
        }
        if reports {
            risk = risk.min(Risk::Caution);
        }
        if risk == Risk::Safe && verb.is_none() && calms.is_none() && !reports {
            self.deletes_by_its_verb(parsed);
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

    /// `tool thing delete x`: an order that nothing here tells of, of a tool that takes orders. Deleting is never only looking.
    fn deletes_by_its_verb(&mut self, parsed: &Parsed<'_, '_>) {
        const DELETES: [&str; 8] = ["delete", "destroy", "purge", "remove", "rm", "erase", "wipe", "drop"];
        if parsed.top.verbs.is_none() && parsed.entry.verbs.is_none() && parsed.subs.is_empty() {
            return;
        }
        let order = |(at, word): (usize, &&Arg)| {
            let deletes = word.known().is_some_and(|text| DELETES.contains(&text));
            (deletes && parsed.role(at) == Role::Text).then_some(word.span)
        };
        if let Some(span) = parsed.words.iter().enumerate().take(4).find_map(order) {
            self.found.add(
                Risk::Caution,
                "is asked to delete something, in a way that is not known here",
                span,
            );
        }
    }

    fn flags(&mut self, parsed: &Parsed<'_, '_>) {
        let reports = parsed.reports();
        let acts = |deed: &Deed| match deed {
            Deed::Writes | Deed::Deletes | Deed::Installs | Deed::System => true,
            Deed::Reads | Deed::Network | Deed::RunsOther | Deed::Privilege => false,
        };
        for given in &parsed.flags {
            // How it would be done does not matter while nothing is done.
            if reports && !given.flag.does.is_empty() && given.flag.does.iter().all(acts) {
                continue;
            }
            // `man -P cat`: nothing runs that would not show it anyway.
            let only_shows = given.flag.value == Takes::Value(Role::Command)
                && given
                    .value
                    .as_ref()
                    .and_then(Arg::known)
                    .is_some_and(|name| super::flow::only_shows(name) && !self.defines(name));
            let only_shows = only_shows || shows_process(parsed);
            let tame =
                given.value.as_ref().and_then(Arg::known).is_some_and(|value| given.flag.is_tame(value));
            if let Some(risk) = given.flag.risk.filter(|_| !only_shows) {
                let risk = if tame { risk.min(Risk::Caution) } else { risk };
                self.found.add(risk, given.flag.says.clone(), given.span);
            }
            if let (Takes::Value(role) | Takes::Optional(role), Some(value)) =
                (given.flag.value, &given.value)
                // The folder it works in: its name tells nothing, and what is read there is judged by itself.
                // `cmake --build --preset x`: the folder stands elsewhere.
                && !(value.may_be_flag() && given.flag.names.iter().any(|name| name == "--build"))
                && !shows_certificate(parsed, given.flag)
                && !(given.first && parsed.top.rules == Some(Rules::Git) && given.flag.names.iter().any(|name| name == "-C"))
            {
                self.word(value, role);
                let own =
                    matches!(parsed.entry.rules, Some(Rules::Sql | Rules::Store | Rules::Far | Rules::Make));
                if role == Role::Script && !own {
                    super::code::runs_first(self, value);
                }
            }
        }
        let doubtful_matters = match parsed.entry.other_flags {
            OtherFlags::Harmless => false,
            OtherFlags::Doubtful => parsed.entry.wraps.is_none() || !parsed.doubtful.is_empty(),
        };
        // Options that decide, or stand beside those that do, are told of with the words.
        let listing = parsed.entry.verbs.as_ref().filter(|_| parsed.verb() == Some(Risk::Safe));
        for arg in parsed.doubtful.iter().filter(|_| doubtful_matters) {
            if listing.is_some_and(|verbs| arg.known().is_some_and(|text| verbs.tells_of(text))) {
                continue;
            }
            // The name of a user and a whole path never begin like an option.
            let fragment = self.found.fragment(arg.span);
            let user = ["$USER", "${USER}", "$LOGNAME", "$(whoami)", "$(id -u)", "$(id -un)"];
            if user.contains(&fragment.trim_matches('"')) || super::listed::prints_a_path(fragment) {
                continue;
            }
            // A file of its own name, `/dev/fd/63`.
            if arg.is_unknown() && self.found.fragment(arg.span).starts_with("<(") {
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
        let reports = parsed.reports();
        let closes = super::ownership::closes_to_others(parsed);
        for (index, arg) in parsed.words.iter().enumerate().filter(|_| parsed.entry.wraps.is_none()) {
            let role = parsed.role(index);
            let writes = match role {
                Role::Write | Role::Create | Role::Change | Role::RemoveEmpty | Role::Move | Role::Delete => {
                    true
                }
                Role::Text
                | Role::Pattern
                | Role::Code
                | Role::Read
                | Role::List
                | Role::Command
                | Role::Script
                | Role::Url
                | Role::Remote
                | Role::Transfer
                | Role::Upload
                | Role::Host
                | Role::Package
                | Role::Archive => false,
            };
            if writes && reports {
                continue;
            }
            // `git mv` leaves the repository for nothing, wherever the names lead.
            if name == "git"
                && matches!(role, Role::Move | Role::Write)
                && arg.is_unknown()
                && moves_in_git(parsed)
            {
                self.found.add(Risk::Caution, "moves or renames files of the repository", arg.span);
                continue;
            }
            let tame = closes && role == Role::Change && self.close_to_others(arg);
            if !tame && !self.is_routine_admin(parsed, name, arg) {
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
            // Names, sizes and times tell no secret, but a model need not know them either.
            Role::List => {
                if self.found.told_to_model {
                    self.list(arg);
                }
            }
            Role::Url => {
                super::remote::address(self, arg);
                if let Some(path) = arg.known().and_then(|text| text.strip_prefix("file://")) {
                    self.read(&arg.with(path.to_owned()));
                }
                if arg.known().is_some_and(super::remote_copy::hands_out_keys) {
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
                match self.one_kind_at_home(arg) {
                    Some(folders) => folders.iter().for_each(|path| self.write_at(path, arg.span)),
                    None => self.write(arg),
                }
            }
        }
    }

    fn deeds(&mut self, parsed: &Parsed<'_, '_>) {
        let calm = parsed.reports()
            || parsed.flags.iter().any(|given| given.flag.calms.is_some())
            || parsed.verb() == Some(Risk::Safe);
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
}

fn moves_in_git(parsed: &Parsed<'_, '_>) -> bool {
    parsed.subs.first().is_some_and(|sub| sub.known() == Some("mv"))
}

/// `chrt -p 1`, `prlimit --pid 7 --nofile`: how a process is run is shown, where nothing says how it should be.
fn shows_process(parsed: &Parsed<'_, '_>) -> bool {
    let limits = parsed.top.flags.get("--nofile").is_some();
    let priority = parsed.top.flags.get("--sched-runtime").is_some();
    let nothing_set = parsed.flags.iter().all(|given| {
        given.value.is_none() || given.flag.names.iter().any(|name| name == "--pid" || name == "--output")
    });
    parsed.doubtful.is_empty()
        && parsed.has("-p")
        && (limits && nothing_set && parsed.words.is_empty()
            || priority && parsed.flags.len() == 1 && parsed.words.len() == 1)
}

/// `openssl x509 -in server.pem -noout -dates`: of a file that may hold a key as well, nothing else is looked at.
fn shows_certificate(parsed: &Parsed<'_, '_>, flag: &Flag) -> bool {
    let what = parsed.words.first().and_then(|word| word.known());
    parsed.top.rules == Some(Rules::Handshake)
        && matches!(what, Some("x509" | "crl" | "pkcs7"))
        && flag.names.iter().any(|name| name == "-in")
        && !parsed.has("-out")
}
