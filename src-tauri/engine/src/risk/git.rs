//! Git: what its words throw away, overwrite or send, and the settings that make it run other programs.

use std::path::Path;

use planwright_shell::Span;

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use super::place::Place;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// Settings of git that run nothing and weaken nothing.
const HARMLESS_SETTINGS: [&str; 40] = [
    "user.name",
    "user.email",
    "init.defaultbranch",
    "core.quotepath",
    "core.autocrlf",
    "core.filemode",
    "core.bare",
    "commit.gpgsign",
    "tag.gpgsign",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "merge.conflictstyle",
    "fetch.prune",
    "user.signingkey",
    "user.useconfigonly",
    "gpg.format",
    "core.eol",
    "core.ignorecase",
    "core.longpaths",
    "core.safecrlf",
    "core.symlinks",
    "core.whitespace",
    "core.abbrev",
    "core.commentchar",
    "core.compression",
    "core.excludesfile",
    "core.untrackedcache",
    "core.preloadindex",
    "core.precomposeunicode",
    "commit.template",
    "commit.verbose",
    "commit.cleanup",
    "diff.algorithm",
    "diff.colormoved",
    "diff.renames",
    "diff.submodule",
    "http.postbuffer",
    "submodule.recurse",
    "feature.manyfiles",
];

fn harmless_setting(key: &str) -> bool {
    let key = key.to_lowercase();
    let families =
        ["push.", "pull.", "fetch.", "rebase.", "branch.", "rerere.", "status.", "log.", "column.", "help."];
    let branch = ["branch.", "remote."].iter().any(|family| key.starts_with(family))
        && [".remote", ".merge", ".rebase", ".description", ".prune", ".tagopt", ".pushremote"]
            .iter()
            .any(|end| key.ends_with(end));
    let calm = branch
        || ["delta.", "merge.ff", "merge.log", "merge.stat", "merge.tool", "diff.tool", "difftool.prompt"]
            .iter()
            .any(|start| key.starts_with(start) && !key.ends_with(".cmd") && !key.ends_with(".path"));
    let calm = calm || families.iter().any(|family| key.starts_with(family)) && key.matches('.').count() == 1;
    calm || HARMLESS_SETTINGS.contains(&key.as_str())
        || key.starts_with("color.")
        || key.starts_with("advice.")
}

pub(super) fn git(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    for given in parsed
        .flags
        .iter()
        .filter(|given| given.first)
        .filter(|given| given.flag.names.iter().any(|name| name == "-c"))
    {
        let setting = given.value.as_ref().and_then(Arg::known);
        let harmless = setting.is_some_and(|setting| match setting.split_once('=') {
            Some((key, value)) => harmless_setting(key) || shows_or_skips(j, key, value),
            None => harmless_setting(setting),
        });
        if !harmless {
            j.found.add(Risk::Dangerous, "a setting that can make git run other programs", given.span);
        }
    }
    if let Some(word) =
        parsed.words.iter().find(|word| word.known().is_some_and(|text| text.contains("ext::")))
    {
        j.found.add(Risk::Dangerous, "an address that can run a program", word.span);
    }
    let known: Vec<Option<&str>> = parsed.words.iter().map(|arg| arg.known()).collect();
    match parsed.subs.first().and_then(|sub| sub.known()) {
        Some("ls-remote") => j.found.effects.uses_network = true,
        Some("checkout") => checkout(j, parsed, span),
        Some("restore") if !parsed.has("--staged") || parsed.has("--worktree") => {
            throws_away(j, parsed, span)
        }
        Some("push") if !parsed.reports() => {
            push(j, parsed);
            pushes_all(j, parsed);
            if let Some(why) = j.leaves {
                j.found.add(Risk::Dangerous, why, span);
            }
        }
        Some("rm") => {
            let paths = parsed.words.iter().flat_map(|word| match j.target(word) {
                super::targets::Target::At(paths) => paths,
                super::targets::Target::Inside { .. } | super::targets::Target::Unknown => Vec::new(),
            });
            if paths.into_iter().any(|path| super::targets::runs_for_others(&path)) {
                j.leaves = Some("sends a change of what others' machines run, or of who may let it in");
            }
        }
        Some("remote") => notes_remote(j, parsed),
        Some("add" | "stage") => {
            if adds_home(j, parsed) {
                j.leaves = Some("sends the whole home folder away");
            }
            adds_secret(j, parsed);
        }
        Some("clone") => {
            let Some(source) = parsed.words.first() else { return };
            let name = known.first().copied().flatten().unwrap_or_default();
            if name.contains("::") {
                j.found.add(Risk::Dangerous, "an address that can run a program", source.span);
            }
            if is_local(name) {
                j.found.effects.uses_network = false;
            }
            if parsed.words.len() == 1 && !name.is_empty() {
                j.write(&source.with(clone_folder(name)));
            }
        }
        Some("init") if parsed.words.is_empty() => {
            if let Some(folder) = j.joined(Path::new(".git")).first() {
                j.found.touch(folder);
            }
        }
        Some("clean") => {
            for folder in j.joined(Path::new("")).iter().take(1).filter(|_| !parsed.has("-n")) {
                j.found.touch(folder);
            }
        }
        Some(_) | None => {}
    }
}

/// `git add -f .env`: what is in the history stays there, and goes wherever the history goes.
fn adds_secret(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let secret = |arg: &&Arg| {
        arg.known()
            .is_some_and(|text| super::secrets::is_secret(Path::new(text)) && !text.ends_with(".npmrc"))
    };
    if let Some(word) = parsed.words.iter().find(|arg| secret(arg)) {
        j.found.add(Risk::Dangerous, "puts passwords or keys into the history", word.span);
    }
}

/// `git add -A` in the home folder: keys and passwords are among what is taken.
fn adds_home(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let whole = parsed.given.iter().any(|arg| matches!(arg.known(), Some("-A" | "--all" | "-f" | "--force")));
    let dot = parsed
        .words
        .iter()
        .any(|arg| matches!(arg.known(), Some("." | "./" | "*" | "~")) || arg.known().is_none());
    let here = j
        .folders
        .last()
        .is_some_and(|(folder, _)| j.anchors.home.starts_with(j.workspace.paths.resolve(folder)));
    here && (whole || dot)
}

/// What is overwritten or deleted at the other end is lost for everybody.
fn push(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    const KEPT: [&str; 14] = [
        "main",
        "master",
        "develop",
        "dev",
        "trunk",
        "production",
        "prod",
        "staging",
        "stable",
        "release",
        "gh-pages",
        "next",
        "HEAD",
        "mainline",
    ];
    let kept = |branch: &str| {
        let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        let first = name.split(['/', '-', '.']).next().unwrap_or_default();
        let version =
            name.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        name.is_empty()
            || version
            || KEPT.contains(&name)
            || first == "release"
            || name.starts_with("refs/")
            || name.contains('*')
    };
    let with_key = parsed.words.first().filter(|word| {
        let raw = j.found.fragment(word.span).trim_matches(['"', '\'']);
        raw.split_once("://")
            .is_some_and(|(_, rest)| rest.split('/').next().is_some_and(|host| host.contains('@')))
            && !raw.starts_with("ssh://")
    });
    if let Some(word) = with_key {
        j.found.add(Risk::Dangerous, "sends your commits to an address, with a key in it", word.span);
    }
    // Past the project's own checks, onto what others build on.
    let past = parsed.given.iter().find(|arg| arg.known() == Some("--no-verify"));
    if let Some(past) = past.filter(|_| {
        parsed
            .words
            .iter()
            .skip(1)
            .any(|word| word.known().is_some_and(|text| kept(text.rsplit(':').next().unwrap_or(text))))
    }) {
        j.found.add(Risk::Dangerous, "sends to a branch of everybody's past the project's checks", past.span);
    }
    let deletes = parsed.has("--delete");
    if let Some(given) =
        parsed.flags.iter().find(|given| given.flag.names.iter().any(|name| name == "--force-with-lease"))
    {
        // One's own branch after a rebase; what others build on, or all at once, is another matter.
        let own = |arg: &&Arg| {
            arg.known().is_some_and(|text| {
                let branch = text.rsplit(':').next().unwrap_or(text);
                !text.starts_with(['+', ':']) && !kept(branch) && !branch.contains(['*', '^', '~', '@'])
            })
        };
        let all = parsed.given.iter().any(|arg| {
            matches!(arg.known(), Some("--all" | "--mirror" | "--tags" | "--branches" | "--prune"))
        });
        let branches = parsed.words.get(1..).unwrap_or_default();
        let one = branches.len() == 1 && branches.iter().all(own) && !all && parsed.doubtful.is_empty();
        let risk = if one { Risk::Caution } else { Risk::Dangerous };
        j.found.add(risk, "overwrites the history at the other end if nobody else pushed", given.span);
    }
    for arg in parsed.words.iter().skip(usize::from(deletes)) {
        let risk = match &arg.text {
            _ if deletes => Risk::Dangerous,
            // `git push origin :` sends what both ends have.
            Text::Known { text, .. } if text == ":" => Risk::Safe,
            Text::Known { text: start, .. }
            | Text::Glob { pattern: start, .. }
            | Text::Unknown { prefix: start, .. }
                if start.starts_with(['+', ':']) =>
            {
                Risk::Dangerous
            }
            // What comes in from a list may be `:name` or `+name`; so may what a substitution puts together.
            Text::Glob { .. } | Text::Unknown { .. } if comes_in_a_list(j.found.fragment(arg.span)) => {
                Risk::Dangerous
            }
            Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. } => Risk::Safe,
        };
        j.found.add(risk, "overwrites or deletes a branch at the other end", arg.span);
    }
}

/// `git clean -fd build/ coverage/`: only what a build makes again.
pub(super) fn cleans_products(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let cleans = parsed.subs.first().and_then(|sub| sub.known()) == Some("clean");
    let product = |arg: &&Arg| {
        let name = arg.known().unwrap_or_default().trim_end_matches('/');
        let plain = !name.is_empty() && !name.contains(['*', '?', '[', ':']) && !name.contains("..");
        plain
            && super::leftovers::is_build_product(Path::new(name))
            && j.script_place(arg) == Some(Place::Workspace)
    };
    cleans && parsed.doubtful.is_empty() && !parsed.words.is_empty() && parsed.words.iter().all(product)
}

/// `git submodule foreach git status -s`: what runs in each only looks.
pub(super) fn foreach_only_looks(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: CallContext<'_>) -> bool {
    let words: Vec<Option<&str>> = parsed.subs.iter().map(|sub| sub.known()).collect();
    if words != [Some("submodule"), Some("foreach")] {
        return false;
    }
    let quiet = ["--quiet", "-q", "--recursive"];
    let from = parsed
        .all
        .iter()
        .skip_while(|arg| arg.known() != Some("foreach"))
        .skip(1)
        .skip_while(|arg| arg.known().is_some_and(|text| quiet.contains(&text)));
    let command: Vec<Arg> = from.cloned().collect();
    // A text of several words is a shell's.
    let plain = |arg: &Arg| {
        arg.known()
            .is_some_and(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=@%:,^".contains(c)))
    };
    let split: Vec<Arg> = match command.as_slice() {
        [one] => {
            one.known().unwrap_or_default().split_whitespace().map(|word| one.with(word.to_owned())).collect()
        }
        several => several.to_vec(),
    };
    if split.is_empty() || !split.iter().all(plain) {
        return false;
    }
    let runs = j.runs.len();
    let risk = j.tried(&split, how);
    j.runs.truncate(runs);
    risk == Risk::Safe
}

fn comes_in_a_list(fragment: &str) -> bool {
    let put_in = fragment.split_once("$(").or_else(|| fragment.split_once('`')).map(|(_, command)| command);
    !fragment.contains(['$', '`', '*', '?', '['])
        || put_in.is_some_and(|command| command.contains([':', '+']))
}

/// Everything goes to a repository that nobody has named before, or that is only just noted.
fn pushes_all(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let all = parsed.given.iter().find(|arg| matches!(arg.known(), Some("--all" | "--mirror")));
    // Without a name it goes to `origin`.
    let to = parsed.words.first().map_or(Some("origin"), |word| word.known());
    let strange = to.is_some_and(|name| {
        j.remotes.iter().any(|own| own == name)
            || name.contains("://")
            || name.contains('@') && name.contains(':')
    });
    if let Some(all) = all.filter(|_| strange) {
        j.found.add(Risk::Dangerous, "sends the whole repository to another place", all.span);
    }
}

/// `git remote add x https://user:key@host/…`: notes it, and the key is kept in the repository's settings.
fn notes_remote(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    let words: Vec<&str> = parsed.words.iter().map(|word| word.known().unwrap_or_default()).collect();
    let words = match words.as_slice() {
        ["add" | "set-url", rest @ ..] => rest,
        rest => rest,
    };
    let [name, address, ..] = words else { return };
    let key = address.split_once("://").and_then(|(_, rest)| rest.split('/').next()).is_some_and(|host| {
        host.rsplit_once('@')
            .is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, key)| !key.is_empty()))
    });
    if let Some(word) = parsed.words.iter().find(|word| key && word.known() == Some(address)) {
        j.found.add(
            Risk::Dangerous,
            "notes another repository with a password or key in its address",
            word.span,
        );
    }
    j.remotes.push((*name).to_owned());
}

/// Changes to files that are named one by one are thrown away daily; those of a whole folder are not.
fn throws_away(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    let one_file = |arg: &&Arg| {
        let name = arg.known().unwrap_or_default();
        let plain = name.rsplit('/').next().is_some_and(|last| last.contains('.') && !last.starts_with('.'));
        plain
            && !name.starts_with(':')
            && !name.contains(['*', '?', '['])
            && !j.joined(Path::new(name)).iter().any(|path| is_folder(j, path))
    };
    // `git checkout HEAD~1 -- a.txt`: the first may be a commit.
    let commit = parsed.words.first().filter(|first| {
        let name = first.known().unwrap_or(".");
        parsed.words.len() > 1
            && !name.contains(['.', '*'])
            && (parsed.ended || !j.joined(Path::new(name)).iter().any(|path| j.workspace.paths.exists(path)))
    });
    let words = parsed.words.get(usize::from(commit.is_some())..).unwrap_or_default();
    if j.saved_changes && parsed.given.is_empty() && words.iter().all(|arg| arg.known() == Some(".")) {
        j.found.add(Risk::Caution, "throws away changes that were only just saved to a file", span);
        return;
    }
    let few = words.len() <= 3 && !parsed.has("--pathspec-from-file");
    let files = few && !words.is_empty() && words.iter().all(one_file) && j.works_inside();
    let risk = if files { Risk::Caution } else { Risk::Dangerous };
    j.found.add(risk, "throws away changes that are not committed", span);
}

fn is_folder(j: &Judge<'_>, path: &Path) -> bool {
    // A file with an ending is hardly ever a folder; one that is there is asked.
    path.extension().is_none() && j.workspace.paths.is_dir(path)
}

fn checkout(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, span: Span) {
    if parsed.has("-b") || parsed.has("-B") {
        return;
    }
    let is_path = |arg: &&Arg| {
        let text = arg.known().unwrap_or(".");
        text == "." || j.joined(Path::new(text)).iter().any(|path| j.workspace.paths.exists(path))
    };
    let paths = parsed.ended || parsed.words.iter().copied().any(|arg| is_path(&arg));
    if paths && !parsed.has("-f") {
        throws_away(j, parsed, span);
    } else if parsed.words.len() > 1 {
        j.found.add(Risk::Dangerous, "throws away changes that are not committed", span);
    }
}

/// `-c core.editor=true`, `-c core.pager=cat`: takes the text as it is, or shows it.
fn shows_or_skips(j: &Judge<'_>, key: &str, value: &str) -> bool {
    matches!(key.to_lowercase().as_str(), "core.editor" | "core.pager" | "sequence.editor")
        && matches!(value, "true" | ":" | "cat")
        && !j.defines(value)
}

pub(super) fn git_config(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) {
    // `git config set NAME VALUE`, as newer versions have it.
    let verb = parsed.words.first().and_then(|arg| arg.known());
    if matches!(verb, Some("get" | "list")) {
        return;
    }
    let own = usize::from(matches!(verb, Some("set" | "unset")));
    let words = parsed.words.get(own..).unwrap_or_default();
    let sets = words.len() > 1 || own == 1 || parsed.has("--unset") || parsed.has("--add");
    let value = words.get(1).and_then(|arg| arg.known());
    if let Some(key) = words.first().filter(|_| sets)
        && !key.known().is_some_and(|key| harmless_setting(key) || harmless_value(key, value))
    {
        j.found.add(Risk::Dangerous, "a setting that can make git run other programs", key.span);
    }
}

/// An alias that stays within git, an editor or a pager that is well known.
fn harmless_value(key: &str, value: Option<&str>) -> bool {
    const PROGRAMS: [&str; 12] =
        ["vim", "nvim", "vi", "nano", "emacs", "code --wait", "code", "less", "cat", "delta", "micro", "hx"];
    let key = key.to_lowercase();
    match value {
        Some(value) if key.starts_with("alias.") => {
            let risky = [
                "!", "-c", "force", "-f", "hard", "clean", "config", "exec", "-D", "delete", "pack",
                "mirror", "prune", " :", " +", "push -d",
            ];
            !risky.iter().any(|word| value.contains(word))
        }
        // Kept in the memory or in the desktop's own store of passwords.
        Some(value) if key == "credential.helper" => {
            let name = value.split(' ').next().unwrap_or(value);
            ["cache", "osxkeychain", "manager", "manager-core", "libsecret", "wincred", "oauth"]
                .contains(&name)
                && !value.contains([';', '!', '|', '$', '`'])
        }
        Some(value) if key == "safe.directory" => value != "*",
        Some(value) if key == "core.fsmonitor" => matches!(value, "true" | "false"),
        Some(value) => {
            matches!(key.as_str(), "core.editor" | "core.pager" | "sequence.editor")
                && PROGRAMS.contains(&value)
        }
        None => false,
    }
}

/// A folder on this machine, not an address.
pub(crate) fn is_local(address: &str) -> bool {
    !address.is_empty()
        && (address.starts_with(['/', '.', '~'])
            || address.starts_with("file://")
            || !address.contains(':') && !address.contains("://"))
}

/// The folder that `git clone` makes when none is named.
pub(crate) fn clone_folder(address: &str) -> String {
    let name = address.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(address);
    name.strip_suffix(".git").unwrap_or(name).to_owned()
}

impl Judge<'_> {
    /// `git diff > wip.patch &&`: what follows runs only when all changes to files are kept in a file.
    pub(super) fn saves_changes(&self, command: &planwright_shell::SimpleCommand) -> bool {
        use planwright_shell::RedirectKind;
        if self.command.len() > super::judge::SURVEYED {
            return false;
        }
        let words: Vec<&str> = command.words.iter().map(|word| word.raw.as_str()).collect();
        let whole = matches!(words.as_slice(), ["git", "diff"] | ["git", "diff", "HEAD" | "--binary"])
            || matches!(
                words.as_slice(),
                ["git", "diff", "HEAD", "--binary"] | ["git", "diff", "--binary", "HEAD"]
            );
        let kept = match command.redirects.as_slice() {
            [one] => {
                one.kind == RedirectKind::Write
                    && one.fd == 1
                    && !one.target.raw.starts_with("/dev/")
                    && matches!(one.target.value, planwright_shell::Value::Known { .. })
            }
            _ => false,
        };
        let plain =
            !command.context.piped_into && !command.context.in_function && !command.context.background;
        let end = command.redirects.last().map_or(command.span.end, |redirect| redirect.target.span.end);
        let goes_on = || self.found.after(end).trim_start().starts_with("&&");
        whole && kept && plain && command.assignments.is_empty() && !self.defines("git") && goes_on()
    }
}
