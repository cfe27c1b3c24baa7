//! Files that a text itself writes: what stands in them runs now or later. A shell script that runs is judged as if it stood
//! there; other texts are searched for what alarms. Finding nothing lowers nothing.

use std::path::{Path, PathBuf};

use planwright_shell::{RedirectKind, SimpleCommand, Span, Value, Word};

use super::args::parse;
use super::judge::{CallContext, DEEPEST, Judge, SURVEYED};
use super::place::{Place, Trust};
use super::targets::Target;
use super::words::Arg;
use super::{alarms, embedded};
use crate::knowledge;
use crate::protocol::Risk;

/// Programs that change no file but by a redirection, or only who may run it.
const CALM: [&str; 21] = [
    "cat",
    "echo",
    "printf",
    "tee",
    "chmod",
    "mkdir",
    "cd",
    "ls",
    "test",
    "[",
    "true",
    ":",
    "shellcheck",
    "wc",
    "head",
    "pwd",
    "stat",
    "set",
    "export",
    "sleep",
    "grep",
];
/// A text of which more than this is written at once is not kept.
const LONGEST: usize = 64 * 1024;
/// No more texts than this are kept.
const MOST: usize = 32;

/// The text that stands in the command for it to read.
fn document(command: &SimpleCommand) -> Option<&Word> {
    let told = |kind: RedirectKind| matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString);
    let redirect = command.redirects.iter().rfind(|redirect| told(redirect.kind) && redirect.fd == 0);
    redirect.map(|redirect| &redirect.target)
}

impl Judge<'_> {
    /// Notes what a here-document, `echo` or `printf` puts into a file, and judges what alarms in it.
    pub(super) fn note_texts(&mut self, command: &SimpleCommand) {
        // Also behind `sudo -E` or `env A=1`, and by its path.
        const TELLERS: [&str; 8] = ["cat", "tee", "echo", "printf", "kubectl", "oc", "docker", "podman"];
        let names = command.words.iter().take(8).filter_map(known);
        let mut names = names.map(|name| name.rsplit('/').next().unwrap_or(name));
        let Some(program) = names.find(|name| TELLERS.contains(name)) else { return };
        // `kubectl apply -f - <<EOF`
        if let ("kubectl" | "oc" | "docker" | "podman", Some(document)) = (program, document(command)) {
            let text = known(document).unwrap_or(&document.raw);
            if let Some(why) = alarms::alarm("", text).filter(|_| text.len() <= LONGEST) {
                self.found.add(Risk::Dangerous, why, document.span);
            }
        }
        if !matches!(program, "cat" | "tee" | "echo" | "printf") {
            return;
        }
        let into: Vec<&Word> = command
            .redirects
            .iter()
            .filter(|redirect| {
                matches!(
                    redirect.kind,
                    RedirectKind::Write
                        | RedirectKind::Append
                        | RedirectKind::WriteBoth
                        | RedirectKind::AppendBoth
                ) && redirect.fd == 1
                    && redirect.target.raw != "/dev/null"
            })
            .map(|redirect| &redirect.target)
            .collect();
        let tees = program == "tee";
        let piped = program == "cat" && command.context.piped_into;
        if into.is_empty() && !tees && !piped {
            return;
        }
        let mut files: Vec<Arg> =
            into.iter().flat_map(|word| self.variables.expand(word, self.workspace.environment)).collect();
        if tees {
            let words = command.words.iter().filter(|word| {
                known(word).is_none_or(|text| !text.starts_with('-') && text != "tee" && text != "sudo")
            });
            files.extend(words.flat_map(|word| self.variables.expand(word, self.workspace.environment)));
        }
        for file in &files {
            match self.target(file) {
                Target::At(paths) => self.forget_text(&paths),
                Target::Inside { .. } | Target::Unknown => self.settled.clear(),
            }
        }
        let mut said: String;
        let plain = command.words.first().is_some_and(|word| word.raw == program)
            && (program != "cat" || command.words.len() == 1);
        let (text, span, exact): (&str, Span, bool) = match (program, document(command)) {
            ("cat" | "tee", Some(document)) => match known(document) {
                Some(text) => (text, document.span, plain),
                None => (document.raw.as_str(), document.span, false),
            },
            ("echo" | "printf", _) => {
                let words = command.words.get(1..).unwrap_or_default();
                said =
                    words.iter().map(|word| known(word).unwrap_or(&word.raw)).collect::<Vec<_>>().join(" ");
                let whole = words.len() == 1 && words.iter().all(|word| known(word).is_some());
                let mut exact = whole && program == "echo" && !said.starts_with('-') && !said.contains('\\');
                if whole && program == "printf" && !said.starts_with('-') && !said.contains('%') {
                    let plain = said.replace("\\n", "\n").replace("\\t", "\t");
                    exact = !plain.contains('\\');
                    said = plain;
                }
                (&said, command.span, exact)
            }
            // `echo … | tee file`
            ("tee", None) if command.context.piped_from => match self.told.clone() {
                Some(told) => {
                    said = told;
                    (&said, command.span, false)
                }
                None => return,
            },
            _ => return,
        };
        if text.len() > LONGEST {
            return;
        }
        let name = files.iter().find_map(|file| file.known()).unwrap_or_default().to_owned();
        let recipe = file_name(&name);
        if (recipe.ends_with("makefile") || recipe.ends_with(".mk")) && self.recipes.len() < MOST {
            self.recipes.push(text.replace("\\n", "\n").replace("\\t", "\t"));
        }
        if let Some(why) = alarms::alarm(&name, text) {
            self.found.add(Risk::Dangerous, why, span);
        }
        // Only what is written whole, once, is known to stand there.
        let whole = exact
            && !command.context.piped_into
            && !command.context.in_subshell
            && !command.context.background
            && !command.context.in_function
            && (tees && !command.words.iter().any(|word| word.raw.starts_with('-'))
                || into.len() == 1
                    && command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Write));
        for file in &files {
            let Target::At(paths) = self.target(file) else { continue };
            if whole && self.authored.len() < MOST {
                self.settled.extend(paths.iter().cloned());
                self.authored.extend(paths.into_iter().map(|path| (path, text.to_owned())));
            }
        }
    }

    /// The text that `cat` alone hands on from a here-document, or `echo` and `printf` from their words. Not from within braces or a loop,
    /// whose other commands hand on theirs through the same pipe.
    pub(super) fn hands_on_text(&self, command: &SimpleCommand) -> Option<String> {
        let SimpleCommand { words, redirects, assignments, context, .. } = command;
        let text = match (words.as_slice(), redirects.as_slice()) {
            ([program], [document])
                if program.raw == "cat"
                    && document.kind == RedirectKind::HereDocument
                    && document.fd == 0
                    && !self.defines("cat") =>
            {
                known(&document.target)?.to_owned()
            }
            ([program, words @ ..], []) if program.raw == "echo" && !self.defines("echo") => {
                let words: Option<Vec<&str>> = words.iter().map(known).collect();
                let plain = |word: &&str| !word.starts_with(['-', '~']) && !word.contains('\\');
                words.filter(|words| words.iter().all(plain))?.join(" ")
            }
            ([program, format, words @ ..], []) if program.raw == "printf" && !self.defines("printf") => {
                printed(known(format)?, &words.iter().map(known).collect::<Option<Vec<&str>>>()?)?
            }
            _ => return None,
        };
        let flows = assignments.is_empty()
            && context.piped_into
            && !context.piped_from
            && !context.in_function
            && !context.in_substitution;
        let start = command.span.start as usize;
        let before: String = self.command.chars().take(start.min(SURVEYED)).collect();
        let opens = |word: &str| ["do", "then", "else", "elif", "case", "function"].contains(&word);
        // Ways to make another program of a name, or to have one speak before each.
        let renames =
            ["alias", "ALIAS", "enable", "hash", "PATH", "trap"].iter().any(|word| before.contains(word));
        let open = renames
            || before.contains(['{', '(', '`'])
            || before.split(|c: char| !c.is_ascii_alphanumeric()).any(opens)
            || start > SURVEYED;
        (flows && !open && self.depth == 0).then_some(text)
    }

    /// What stands in these files is not known any more.
    pub(super) fn forget_text(&mut self, paths: &[PathBuf]) {
        self.authored.retain(|(path, _)| !paths.contains(path));
        self.settled.retain(|path| !paths.contains(path));
    }

    /// Forgets what is known of written files once something ran that may have changed them.
    pub(super) fn note_changed(&mut self, args: &[Arg]) {
        let name = args.first().and_then(Arg::known).unwrap_or_default();
        let checks = matches!(name, "bash" | "sh" | "dash") && args.get(1).and_then(Arg::known) == Some("-n");
        if !(CALM.contains(&name) || checks) || self.defines(name) {
            self.settled.clear();
        }
        if matches!(name, "cp" | "mv" | "ln" | "install") {
            self.note_brought_in(name, args.get(1..).unwrap_or_default());
        }
    }

    /// `cp /bin/rm ./formatter`: what comes in from elsewhere under another name is no program of the workspace's own.
    fn note_brought_in(&mut self, name: &str, args: &[Arg]) {
        let Some(entry) = knowledge::program(name) else { return };
        let parsed = parse(entry, args);
        let Some((last, sources)) = parsed.words.split_last() else { return };
        let own = |arg: &&Arg| self.script_place(arg) == Some(Place::Workspace) && !self.is_fresh(arg);
        if self.written.len() >= MOST || sources.iter().all(own) {
            return;
        }
        let Target::At(to) = self.target(last) else { return };
        let names = sources.iter().filter_map(|source| Path::new(source.known()?).file_name());
        let inside: Vec<PathBuf> =
            names.flat_map(|name| to.iter().map(move |folder| folder.join(name))).take(MOST).collect();
        self.written.extend(to.into_iter().chain(inside));
    }

    /// What stands in the script at `arg`, where this very text wrote all of it and nothing can have changed it since.
    pub(super) fn settled_text(&self, arg: &Arg, how: CallContext<'_>) -> Option<String> {
        let Target::At(paths) = self.target(arg) else { return None };
        let text = |path: &PathBuf| {
            let settled = self.settled.contains(path);
            settled.then(|| self.authored.iter().find(|(own, _)| own == path)).flatten().map(|(_, text)| text)
        };
        let texts: Option<Vec<&String>> = paths.iter().map(text).collect();
        let found = texts?.first().map(|text| (*text).clone())?;
        // In a loop what comes later runs before as well.
        let loops = self
            .command
            .replace(found.as_str(), "")
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word == "done");
        // Where writing may have failed, what lies there is run: no worse in the workspace than any script of it.
        let own = self.trust(arg) == Some(Trust::Own)
            && !["noclobber", "set -C"].iter().any(|sign| self.command.contains(sign));
        let here = own && !self.fetched && !self.elevated && !self.elsewhere && !how.assigned;
        (here && !loops && !self.beside && !how.context.in_function).then_some(found)
    }

    /// Runs a script that this text wrote: true when it was judged as if it stood here.
    pub(super) fn runs_written(&mut self, arg: &Arg, by_shell: bool, how: CallContext<'_>) -> bool {
        let Some(text) = self.settled_text(arg, how) else { return false };
        let first = text.lines().next().unwrap_or_default();
        let shell =
            ["#!/bin/bash", "#!/bin/sh", "#!/usr/bin/env bash", "#!/usr/bin/env sh", "#!/usr/bin/bash"]
                .iter()
                .any(|own| {
                    first.trim_end() == *own || first.trim_end().strip_prefix(own).is_some_and(is_tame_option)
                });
        if !by_shell && !shell {
            return self.runs_written_code(arg, first, &text);
        }
        let facts = self.inner.iter().find(|inner| inner.text == text).map(|inner| inner.facts.clone());
        let Some(facts) = facts.filter(|facts| facts.doubts.is_empty() && self.depth < DEEPEST) else {
            return false;
        };
        self.found.add(Risk::Caution, "runs a script that stands in this text", arg.span);
        if super::endless::alarm(&text).is_some() || super::hides_subscript(&text) {
            self.found.add(
                Risk::Dangerous,
                "starts copies without end, or can run what stands in brackets",
                arg.span,
            );
        }
        let before = (self.folders.clone(), self.lost, self.functions.len());
        let outer = (self.told.clone(), self.own_files, self.before_in_pipeline.clone(), self.piped.clone());
        self.nested(&text, &facts, arg.span, false);
        (self.told, self.own_files, self.before_in_pipeline, self.piped) = outer;
        self.functions.truncate(before.2);
        (self.folders, self.lost) = (before.0, before.1);
        self.settled.clear();
        true
    }

    /// A script of another language: judged as its code would be in the command.
    fn runs_written_code(&mut self, arg: &Arg, first: &str, text: &str) -> bool {
        let name =
            first.strip_prefix("#!/usr/bin/env ").or(first.strip_prefix("#!/usr/bin/")).unwrap_or_default();
        if embedded::language(name.trim_end()).is_none() {
            return false;
        }
        self.found.add(
            embedded::risk(name.trim_end(), text),
            "runs code that stands in the command",
            arg.span,
        );
        true
    }
}

/// `#!/bin/bash -e`
fn is_tame_option(rest: &str) -> bool {
    rest.strip_prefix(" -").is_some_and(|letters| letters.trim().chars().all(|c| "eux".contains(c)))
}

/// What `printf` prints: each word on a line of its own, or a format with nothing to put in.
fn printed(format: &str, words: &[&str]) -> Option<String> {
    if matches!(format, "%s\\n" | "%s\n") && !words.is_empty() {
        return Some(words.iter().map(|word| format!("{word}\n")).collect());
    }
    let text = format.replace("\\n", "\n");
    (words.is_empty() && !format.starts_with('-') && !text.contains(['%', '\\'])).then_some(text)
}

fn known(word: &Word) -> Option<&str> {
    match &word.value {
        Value::Known { text, .. } => Some(text),
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => None,
    }
}

/// The name of the last part of a path, in small letters.
pub(super) fn file_name(path: &str) -> String {
    Path::new(path).file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
}
