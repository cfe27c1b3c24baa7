//! `find`: what it does with what it finds. What its tests narrow the finding to decides how much a deletion can take;
//! an expression that cannot be followed narrows nothing.

use std::path::{Path, PathBuf};

use planwright_shell::Span;

use super::args::Parsed;
use super::beyond::is_beside;
use super::delete::{in_build_product, is_own_temporary, remove_one};
use super::judge::{CallContext, Judge};
use super::leftovers::is_leftover;
use super::place::{Place, is_foundation, place};
use super::runs::Run;
use super::targets::Target;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// Folders that are searched, times what is done with what is found there. Each pair is looked at, and nobody writes so many.
const MOST_PAIRS: usize = 1024;

/// What can be found at most: every `true` and every name leaves the rest alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Only names like one of these.
    names: Option<Vec<String>>,
    /// Only what was not touched for some time.
    old: bool,
    /// Only what has nothing in it.
    empty: bool,
    /// Only files.
    files: bool,
}

impl Reach {
    /// What either of the two can find.
    fn or(self, other: Self) -> Self {
        let names = self.names.zip(other.names).map(|(one, two)| [one, two].concat());
        Self {
            names,
            old: self.old && other.old,
            empty: self.empty && other.empty,
            files: self.files && other.files,
        }
    }

    /// Only names that programs leave behind or make again.
    fn leftovers(&self) -> Option<&[String]> {
        self.names.as_deref().filter(|names| names.iter().all(|name| is_leftover(name)))
    }
}

/// The expression, read from left to right; an action sees only the tests before it.
struct Expression<'p> {
    parts: Vec<(&'p str, Option<&'p Arg>)>,
    at: usize,
    /// For `-delete` and each `-exec`, in the order of the text.
    deletes: Vec<Reach>,
    runs: Vec<Reach>,
    prints: Vec<Reach>,
}

impl<'p> Expression<'p> {
    fn of(parsed: &'p Parsed<'_, '_>) -> Self {
        let value = |arg: &Arg| {
            let at = parsed.number_of(arg)?;
            let given = parsed.flags.iter().find(|given| given.at == at)?;
            given.value.as_ref()
        };
        let parts = parsed.given.iter().filter_map(|arg| Some((arg.known()?, value(arg)))).collect();
        Self { parts, at: 0, deletes: Vec::new(), runs: Vec::new(), prints: Vec::new() }
    }

    fn next_is(&self, names: &[&str]) -> bool {
        self.parts.get(self.at).is_some_and(|(name, _)| names.contains(name))
    }

    fn any(&mut self, before: &Reach) -> Reach {
        let mut reach = self.all(before);
        while self.next_is(&["-o", "-or", ","]) {
            self.at += 1;
            let other = self.all(before);
            reach = reach.or(other);
        }
        reach
    }

    fn all(&mut self, before: &Reach) -> Reach {
        let mut reach = before.clone();
        while self.at < self.parts.len() && !self.next_is(&["-o", "-or", ",", ")"]) {
            reach = self.one(reach);
        }
        reach
    }

    fn one(&mut self, mut reach: Reach) -> Reach {
        let Some(&(name, value)) = self.parts.get(self.at) else { return reach };
        self.at += 1;
        let text = value.and_then(Arg::known).unwrap_or_default();
        match name {
            // Whatever stands behind it, the opposite may be anything.
            "!" | "-not" => {
                self.one(reach.clone());
            }
            "(" => {
                reach = self.any(&reach);
                self.at += 1;
            }
            "-name" | "-iname" if names_something(text) => reach.names = Some(vec![text.to_owned()]),
            "-path" | "-ipath" | "-wholename" => {
                if let Some(folder) = text.split('/').find(|part| is_leftover(part)) {
                    reach.names = Some(vec![folder.to_owned()]);
                }
            }
            "-mtime" | "-ctime" | "-atime" | "-mmin" | "-cmin" | "-amin" => {
                reach.old |= text.starts_with('+');
            }
            "-empty" => reach.empty = true,
            "-type" => reach.files |= text == "f",
            "-delete" => self.deletes.push(reach.clone()),
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.runs.push(reach.clone()),
            "-print" | "-print0" => self.prints.push(reach.clone()),
            _ => {}
        }
        reach
    }
}

/// Not just anything, as `*` and `*.*` do.
fn names_something(pattern: &str) -> bool {
    pattern.contains(char::is_alphanumeric) || pattern.contains('~')
}

/// The names that it prints, where they are such as programs leave behind.
pub(super) fn printed_leftovers(parsed: &Parsed<'_, '_>) -> Option<Vec<String>> {
    let mut expression = Expression::of(parsed);
    let all = expression.any(&Reach::default());
    let printed = expression.prints.into_iter().reduce(Reach::or).unwrap_or(all);
    (follows_no_links(parsed) && parsed.doubtful.is_empty())
        .then(|| printed.leftovers().map(<[String]>::to_vec))
        .flatten()
}

fn follows_no_links(parsed: &Parsed<'_, '_>) -> bool {
    !parsed.has("-L") && !parsed.has("-follow")
}

pub(super) fn find(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    let mut expression = Expression::of(parsed);
    expression.any(&Reach::default());
    if does_too_much(j, parsed, expression.deletes.len()) {
        return;
    }
    // What was found stands for everything below the folders that are searched, by the names that are asked for.
    if !parsed.inner.is_empty() {
        let names = ["-name", "-iname", "-path", "-ipath"].iter().filter_map(|name| parsed.value(name));
        for name in names {
            let text = name.known().unwrap_or_default().trim_start_matches('*').replace('*', "x");
            j.read(&name.with(format!("/{}", text.trim_start_matches('/').trim_start_matches("."))));
            j.read(&name.with(format!("/x{text}")));
        }
    }
    for (at, inner) in parsed.inner.iter().enumerate() {
        let args = found_in(parsed, inner);
        if args.is_empty() {
            let span = parsed.flags.first().map_or(Span { start: 0, end: 0 }, |given| given.span);
            j.unread("which program runs is not known", span);
        }
        let encrypts = ["openssl", "gpg", "age", "ccrypt", "ccencrypt", "7z", "mcrypt"];
        if let Some(program) =
            args.first().filter(|arg| arg.known().is_some_and(|name| encrypts.contains(&name)))
        {
            j.found.add(Risk::Dangerous, "encrypts whatever it finds", program.span);
        }
        // What git keeps of the past is among all files.
        let all = expression.runs.get(at).is_some_and(|reach| reach.names.is_none() && !reach.empty);
        let whole = parsed.words.is_empty()
            || parsed.words.iter().any(|start| matches!(start.known(), Some("." | "./")));
        if let Some(program) =
            args.first().filter(|_| all && whole && !excludes(parsed) && edits_in_place(&args))
        {
            j.found.add(Risk::Dangerous, "changes every file, those that git keeps among them", program.span);
        }
        if let Some(one) = onto_one(inner) {
            j.found.add(Risk::Dangerous, "puts whatever it finds onto one file", one.span);
        }
        let empties = args.first().filter(|arg| arg.known() == Some("truncate"));
        if let Some(program) = empties
            && expression.runs.get(at).is_none_or(|reach| tame(j, parsed, reach, false).is_none())
        {
            j.found.add(Risk::Dangerous, "empties whatever it finds", program.span);
        }
        let calm = expression.runs.get(at).and_then(|reach| tame(j, parsed, reach, deletes_found(inner)?));
        match (calm, args.first()) {
            (Some(why), Some(program)) => {
                j.runs.push(Run::of(&args, how.assigned, how.redirects));
                j.found.add(Risk::Caution, why, program.span);
                j.found.effects.deletes = true;
                starts(j, parsed).iter().for_each(|path| j.found.touch(path));
            }
            (Some(_) | None, _) => j.run(&args, how),
        }
    }
    for reach in &expression.deletes {
        delete(j, parsed, reach);
    }
    // Where the expression was not followed to its end, nothing is narrowed.
    if expression.deletes.is_empty() && parsed.has("-delete") {
        delete(j, parsed, &Reach::default());
    }
}

/// Whether anything is left out by name.
fn excludes(parsed: &Parsed<'_, '_>) -> bool {
    parsed
        .given
        .iter()
        .any(|arg| matches!(arg.known(), Some("-prune" | "-not" | "!" | "-path" | "-regex" | "-maxdepth")))
}

/// `-exec mv {} all.md \;`: the file that every one of them lands on.
fn onto_one(inner: &[Arg]) -> Option<&Arg> {
    let [program, rest @ ..] = inner else { return None };
    let moves = matches!(program.known(), Some("mv" | "cp" | "install"));
    let last = rest.last().filter(|_| moves && rest.iter().any(|arg| arg.known() == Some("{}")))?;
    let plain = |text: &str| {
        let ending = text.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        !text.contains("{}") && ending.is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
    };
    last.known().is_some_and(plain).then_some(last)
}

fn edits_in_place(args: &[Arg]) -> bool {
    let mut words = args.iter().filter_map(Arg::known);
    match words.next() {
        Some("sed") => words.any(|word| word.starts_with("-i") || word.starts_with("--in-place")),
        Some("perl") => {
            words.any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('i'))
        }
        Some("sd") => true,
        Some(_) | None => false,
    }
}

/// More than is looked at, which is said then: `deletes` times it deletes by itself.
fn does_too_much(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, deletes: usize) -> bool {
    let actions = parsed.inner.len() + deletes;
    let many = actions > 1 && actions.saturating_mul(parsed.words.len().max(1)) > MOST_PAIRS;
    if many {
        let span = parsed.words.first().map_or(Span { start: 0, end: 0 }, |word| word.span);
        j.unread("does more in more folders than can be looked at", span);
    }
    many
}

/// `fd PATTERN FOLDER -x COMMAND`: what was found stands at the end, or where a placeholder does.
pub(super) fn each(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) {
    if does_too_much(j, parsed, 0) {
        return;
    }
    let marked = |arg: &Arg| arg.known().is_some_and(|text| text.contains('{'));
    for inner in &parsed.inner {
        let Some(first) = inner.first() else {
            let span = parsed.flags.first().map_or(Span { start: 0, end: 0 }, |given| given.span);
            j.unread("which program runs is not known", span);
            continue;
        };
        let unknown = |span| Arg { text: Text::Unknown { prefix: String::new(), split: false }, span };
        // An option that is not known may name another folder to search.
        let starts: Option<Vec<&str>> = match parsed.words.get(1..).unwrap_or_default() {
            _ if !parsed.doubtful.is_empty() => None,
            [] => Some(vec!["."]),
            starts => starts.iter().map(|arg| arg.known()).collect(),
        };
        let found = |span| match &starts {
            Some(starts) => starts
                .iter()
                .map(|start| Arg {
                    text: Text::Glob { pattern: format!("{start}/*"), tilde: start.starts_with('~') },
                    span,
                })
                .collect(),
            None => vec![unknown(span)],
        };
        let mut args: Vec<Arg> = Vec::new();
        for arg in *inner {
            match arg.known() {
                Some("{}") => args.extend(found(arg.span)),
                Some(text) if text.contains('{') => args.push(unknown(arg.span)),
                Some(_) | None => args.push(arg.clone()),
            }
        }
        if !inner.iter().any(marked) {
            args.extend(found(first.span));
        }
        j.run(&args, how);
    }
}

fn delete(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, reach: &Reach) {
    let flag = parsed.flags.iter().find(|given| given.flag.names.iter().any(|name| name == "-delete"));
    let span = flag.map_or(Span { start: 0, end: 0 }, |given| given.span);
    if let Some(why) = tame(j, parsed, reach, false) {
        j.found.add(Risk::Caution, why, span);
        starts(j, parsed).iter().for_each(|path| j.found.touch(path));
        return;
    }
    let here = Arg { text: Text::Known { text: ".".into(), tilde: false }, span };
    let starts = if parsed.words.is_empty() { vec![&here] } else { parsed.words.clone() };
    for start in starts {
        match named_within(j, start, reach) {
            Some(folder) => {
                j.found.add(Risk::Dangerous, "deletes every file of such a name, in all folders below", span);
                j.found.touch(&folder);
            }
            None => remove_one(j, start, true),
        }
    }
}

/// The folder that is searched, in the workspace or among the temporary files, where only files of some names go and not the
/// folder with all in it.
fn named_within(j: &Judge<'_>, start: &Arg, reach: &Reach) -> Option<PathBuf> {
    reach.names.as_ref()?;
    let Target::At(paths) = j.target(start) else { return None };
    let [path] = paths.as_slice() else { return None };
    let within = match place(path, &j.anchors) {
        Place::Workspace => !is_foundation(path, &j.anchors),
        Place::Temporary => !is_beside(&path.join("x"), &j.anchors.root),
        _ => false,
    };
    within.then(|| path.clone())
}

/// The words of an inner command, with all that lies below the folders that are searched for `{}`.
fn found_in(parsed: &Parsed<'_, '_>, inner: &[Arg]) -> Vec<Arg> {
    let starts: Vec<&str> = parsed.words.iter().filter_map(|arg| arg.known()).collect();
    let unknown = parsed.words.len() != starts.len();
    let mut args: Vec<Arg> = Vec::new();
    for arg in inner {
        if !arg.known().is_some_and(|text| text.contains("{}")) {
            args.push(arg.clone());
        } else if unknown || arg.known() != Some("{}") {
            args.push(Arg { text: Text::Unknown { prefix: String::new(), split: false }, span: arg.span });
        } else {
            let folders = if starts.is_empty() { vec!["."] } else { starts.clone() };
            args.extend(folders.iter().map(|start| Arg {
                text: Text::Glob { pattern: format!("{start}/*"), tilde: start.starts_with('~') },
                span: arg.span,
            }));
        }
    }
    args
}

/// Whether an inner command only deletes what was found: with everything in it, or not.
fn deletes_found(inner: &[Arg]) -> Option<bool> {
    let words: Vec<&str> = inner.iter().map(Arg::known).collect::<Option<_>>()?;
    let (program, rest) = words.split_first()?;
    let plain = |word: &&str| *word == "{}" || word.starts_with('-');
    if !matches!(*program, "rm" | "/bin/rm" | "/usr/bin/rm" | "unlink" | "rmdir") || !rest.iter().all(plain) {
        return None;
    }
    let whole = |word: &&str| {
        *word == "--recursive"
            || !word.starts_with("--") && word.starts_with('-') && word.contains(['r', 'R'])
    };
    Some(rest.iter().any(whole))
}

/// The folders that are searched; empty when one of them is not known.
fn starts(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> Vec<PathBuf> {
    if parsed.words.is_empty() {
        return j.joined(Path::new("")).iter().map(|path| j.workspace.paths.resolve(path)).collect();
    }
    let mut all = Vec::new();
    for start in &parsed.words {
        match j.target(start) {
            Target::At(paths) => all.extend(paths),
            Target::Inside { .. } | Target::Unknown => return Vec::new(),
        }
    }
    all
}

/// Why deleting what was found loses nothing that matters; `whole`: folders go with everything in them.
fn tame(j: &Judge<'_>, parsed: &Parsed<'_, '_>, reach: &Reach, whole: bool) -> Option<&'static str> {
    const PASSING: [&str; 7] = ["logs", "log", "tmp", "temp", "cache", ".cache", "out"];
    let starts = starts(j, parsed);
    if j.lost || starts.is_empty() || !parsed.doubtful.is_empty() || !follows_no_links(parsed) {
        return None;
    }
    // What is made again is told by its name only where it is known whose it is.
    let near = |path: &PathBuf| match place(path, &j.anchors) {
        Place::Workspace => true,
        Place::Temporary => is_own_temporary(j, path) && !is_beside(&path.join("x"), &j.anchors.root),
        _ => false,
    };
    let passing = |path: &PathBuf| {
        place(path, &j.anchors) == Place::Temporary
            || near(path) && path.file_name().is_some_and(|name| PASSING.iter().any(|own| name == *own))
    };
    let near = starts.iter().all(near);
    let named_or_passing = near && reach.names.is_some() || starts.iter().all(passing);
    let temporary = |path: &PathBuf| place(path, &j.anchors) == Place::Temporary;
    let named_in_passing = reach.names.is_some() && starts.iter().all(temporary);
    if starts.iter().all(|path| in_build_product(path, &j.anchors.root)) {
        Some("deletes what a build makes again")
    } else if reach.leftovers().is_some() && near {
        Some("deletes what programs leave behind or make again")
    } else if reach.empty && near {
        Some("deletes what is empty")
    } else if reach.old && named_or_passing && (!whole || named_in_passing) {
        Some("deletes old files of one kind or in a folder for passing ones")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, judged};
    use crate::protocol::Risk;

    #[test]
    fn files_of_some_names_are_not_the_folder_with_everything_in_it() {
        for (command, why) in [
            ("find . -name '*.c' -delete", "deletes every file of such a name, in all folders below"),
            ("find src -iname '*.rs' -delete", "deletes every file of such a name, in all folders below"),
            ("find . -delete", "deletes the workspace with everything in it"),
            ("find .. -name '*.log' -delete", "deletes outside the workspace"),
        ] {
            let assessment = judged(command);
            assert_eq!(assessment.risk, Risk::Dangerous, "{command}");
            assert!(
                assessment.reasons.iter().any(|reason| reason.text == why),
                "{command}: {:?}",
                assessment.reasons
            );
        }
    }

    #[test]
    fn what_would_take_long_to_look_at_is_dangerous_unseen() {
        let folders = "a ".repeat(3000);
        let most = [
            format!("find {folders} {}", "-exec cat {} ';' ".repeat(550)),
            format!("find {folders} {}", "-exec rm {} ';' ".repeat(550)),
            "find . -not -name '*.txt' -delete ".repeat(400),
            format!("fd x {folders} {}", "-x cat {} ';' ".repeat(550)),
        ];
        check(Risk::Dangerous, &most.join("\n"));
        check(Risk::Safe, "find a b c -exec cat {} ';' -exec wc -l {} ';'");
    }

    #[test]
    fn only_what_is_left_behind_may_go() {
        check(
            Risk::Caution,
            r"find . -name '*.pyc' -delete
            find -type f -name '*~' -delete
            find . \( -name '*.pyc' -o -name '*.pyo' \) -delete
            find src -name '*.orig' -exec rm {} \;
            find . -name node_modules -type d -prune -exec rm -rf '{}' +
            find . -type d -empty -delete
            find logs -name '*.txt' -mtime +30 -delete
            find build -delete
            find /tmp -user u -name 'tmp*' -mtime +2 -delete
            find . -name '*.tmp' -print0 | xargs -0 rm -f",
        );
    }

    #[test]
    fn a_test_that_does_not_narrow_is_none() {
        check(
            Risk::Dangerous,
            r"find . ! -name '*.pyc' -delete
            find . -not -name '*.pyc' -delete
            find . -delete
            find -delete
            find . -delete -name '*.pyc'
            find . -name '*.pyc' -o -delete
            find . -name '*' -delete
            find . -name '*.*' -type f -delete
            find . -name '*.jpg' -delete
            find . -name '*.pyc' -o -name '*.py' -delete
            find . \( -name '*.pyc' -o -type f \) -delete
            find -L . -name '*.pyc' -delete
            find /srv/data -name '*.tmp' -delete
            find /tmp -name '*.o' -delete
            find /var/tmp -name '*.pyc' -exec rm {} +
            find . -name '*.bak' -delete
            find /srv/data $more -name '*.pyc' -delete
            find . $more -name '*.pyc' -delete
            find . -files0-from list -name '*.pyc' -delete
            find . -mtime +30 -exec rm -rf {} +
            find . -name '*.pyc' -exec rm -rf {} .. \;
            find . -name '*.tmp' -o -print0 | xargs -0 rm -rf",
        );
    }
}
