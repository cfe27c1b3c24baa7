//! git: branches, remotes and files that it names, read from its own messages and from the repository's plain files.

use super::super::case::{Case, Run, one, text};
use super::super::near::nearest;
use super::super::template::{Findings, quote};
use super::files::near_path;

/// The one git command, at home in the folder that the case knows (no `-C`, no `--git-dir`).
fn git<'a>(case: &'a Case<'_>) -> Option<Run<'a>> {
    let run = case.only_run(&["git"])?;
    let subcommand = run.subcommand()?;
    // Options before the subcommand can move git elsewhere.
    std::ptr::eq(run.args().first()?, subcommand).then_some(run)
}

fn positionals<'a>(run: &Run<'a>) -> Option<Vec<&'a str>> {
    Some(run.known_args()?.into_iter().filter(|arg| !arg.starts_with('-')).collect())
}

/// `git`: the start of an inserted git command, moved to where the failing one ran.
pub(super) fn prefix(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let runs: Vec<Run<'_>> = case.runs().filter(|run| run.program() == "git").collect();
    let run = runs.first()?;
    let place = match run.known_args()?.as_slice() {
        ["-C", place, ..] => case.path_at_start(place)?,
        [first, ..] if first.starts_with('-') => return None,
        _ => {
            let place = case.path_at_start(".")?;
            place.strip_suffix("/.").unwrap_or(".").to_owned()
        }
    };
    let git = if place == "." { "git".to_owned() } else { format!("git -C {}", quote(&place)) };
    found.set("git", git);
    Some(())
}

/// The command begins to set a repository up, in a folder that is no repository yet.
pub(super) fn init(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let first = case.runs().find(|run| run.program() == "git")?;
    let args = positionals(&first)?;
    let sets_up = match args.as_slice() {
        ["add", ..] | ["remote", "add", ..] => true,
        ["config", key, ..] => key.starts_with("user."),
        ["switch", ..] => first.has_arg(&["-c", "--create"]),
        ["checkout", ..] => first.has_arg(&["-b"]),
        _ => false,
    };
    if !sets_up {
        return None;
    }
    if case.folder.is_some() {
        let place = case.on_disk(".")?;
        let names = case.list(".")?;
        let repository_below = names.iter().any(|name| case.exists(&format!("{name}/.git")));
        // A home or a system folder is no project; a folder with a repository in it is one step too high.
        let system = ["/etc", "/usr", "/bin"].iter().any(|system| place.starts_with(system));
        let home = names.iter().any(|name| matches!(name.as_str(), ".bashrc" | ".profile" | ".cache"));
        if repository_below || system || home || place.parent().is_none() || case.exists(".git") {
            return None;
        }
    }
    prefix(case, found)
}

/// Nothing follows the git command, so that leaving it out leaves nothing else out.
pub(super) fn last_in_list(case: &Case<'_>, _: &mut Findings) -> Option<()> {
    let last = case.runs().last()?;
    let commits = last.program() == "git" && last.is_sub("commit");
    let harmless_before = case.runs().all(|run| {
        run.program() == "git" && (run.is_sub("add") || run.is_sub("commit")) || run.program() == "cd"
    });
    let amend = last.has_arg(&["--amend", "--allow-empty"]);
    (commits && harmless_before && !amend && case.runs().filter(|run| run.is_sub("commit")).count() == 1)
        .then_some(())
}

/// `command`: `git push` with the upstream that git names (`remote`, `branch`).
pub(super) fn upstream(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let pushes = |run: &Run<'_>| run.program() == "git" && run.is_sub("push");
    let run = one(case.runs().filter(pushes))?;
    let (remote, branch) = (found.get("remote")?, found.get("branch")?);
    let positionals = positionals(&run)?;
    let (after, added) = match positionals.as_slice() {
        ["push"] => (run.last_word(), format!(" --set-upstream {remote} {}", quote(branch))),
        ["push", named] if *named == remote && text(run.last_word()) == Some(named) => {
            (run.last_word(), format!(" {} --set-upstream", quote(branch)))
        }
        _ => return None,
    };
    found.set("command", case.insert_after(after, &added)?);
    Some(())
}

/// `pull`: the pull that brings the remote's commits in first.
pub(super) fn pull_first(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let pushes = |run: &Run<'_>| run.program() == "git" && run.is_sub("push");
    let run = one(case.runs().filter(pushes))?;
    let (local, remote_branch) = (found.get("local")?, found.get("branch")?);
    // Pushing one branch onto another, or several at once, is not mended by one pull.
    if local != remote_branch || case.everything.matches("[rejected]").count() != 1 {
        return None;
    }
    let forced = run.args().iter().filter_map(text).any(|arg| {
        arg.starts_with("--force")
            || arg.starts_with('+')
            || matches!(arg, "-f" | "--all" | "--mirror" | "--tags" | "--delete" | "-d")
    });
    if forced {
        return None;
    }
    let branch = remote_branch.to_owned();
    let pull = match positionals(&run)?.as_slice() {
        ["push"] => "pull --rebase".to_owned(),
        ["push", remote] | ["push", remote, ..] => {
            format!("pull --rebase {} {}", quote(remote), quote(&branch))
        }
        _ => return None,
    };
    prefix(case, found)?;
    found.set("pull", pull);
    Some(())
}

/// `command`: the switch to the branch that was to be made.
pub(super) fn existing_branch(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let branch = found.get("branch")?.to_owned();
    let makes = |run: &Run<'_>| {
        run.program() == "git"
            && run.subcommand().and_then(text).is_some_and(|sub| matches!(sub, "checkout" | "switch"))
            && run.args().last().and_then(text) == Some(&branch)
    };
    let run = one(case.runs().filter(makes))?;
    let creates = |word: &&planwright_shell::Word| matches!(text(word), Some("-b" | "-c" | "--create"));
    found.set("command", case.without(&[one(run.args().iter().filter(creates))?])?);
    Some(())
}

/// The sole command is `git branch NAME`, so that the branch being there is all that was wanted.
pub(super) fn same_branch(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run()?;
    let branch = found.get("branch")?;
    (run.program() == "git" && run.known_args()? == ["branch", branch]).then_some(())
}

/// `name` → `near`: a near branch or tag of the repository. Never for what deletes or overwrites.
pub(super) fn near_ref(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let users: Vec<Run<'_>> =
        case.runs().filter(|run| run.args().iter().any(|arg| text(arg) == Some(&name))).collect();
    let [run] = users.as_slice() else { return None };
    let subcommand = run.subcommand().and_then(text)?;
    let safe = matches!(
        subcommand,
        "checkout"
            | "switch"
            | "merge"
            | "log"
            | "show"
            | "diff"
            | "push"
            | "rebase"
            | "cherry-pick"
            | "pull"
            | "fetch"
            | "branch"
            | "revert"
            | "worktree"
            | "tag"
            | "describe"
            | "archive"
    );
    let args: Vec<&str> = run.args().iter().filter_map(text).collect();
    let risky = args.iter().any(|arg| {
        matches!(*arg, "--" | "-f" | "-B" | "-C" | "--discard-changes" | "-d" | "-D" | "remove" | "prune")
            || arg.starts_with("--force")
            || arg.starts_with("--delete")
    });
    // What a new branch is to be called is not wrong: only what it is to start from.
    let is_new = args.windows(2).any(|pair| matches!(pair[0], "-b" | "-c" | "--create") && pair[1] == name);
    if run.program() != "git" || !safe || risky || is_new || name.contains("..") {
        return None;
    }
    let mut refs = branches(case)?;
    // A tag is nothing to be on, to push by the side, or to fetch.
    if !matches!(subcommand, "switch" | "push" | "pull" | "fetch" | "branch") || args.contains(&"-c") {
        refs.extend(tags(case));
    }
    let near = nearest(&name, refs.iter().map(String::as_str)).or(match name.as_str() {
        // The two usual names of the first branch.
        "master" => refs.iter().map(String::as_str).find(|branch| *branch == "main"),
        "main" => refs.iter().map(String::as_str).find(|branch| *branch == "master"),
        _ => None,
    })?;
    found.set("near", near);
    Some(())
}

/// `name` (`main..featre`) → `near`: the range with its one wrong end mended.
pub(super) fn near_range(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let range = found.get("name")?.to_owned();
    let run = git(case)?;
    if !matches!(run.subcommand().and_then(text)?, "diff" | "log" | "show" | "shortlog" | "rev-list") {
        return None;
    }
    let dots = if range.contains("...") { "..." } else { ".." };
    let (from, to) = range.split_once(dots)?;
    let branches = branches(case)?;
    let end = |name: &str| match name.is_empty() || branches.iter().any(|branch| branch == name) {
        true => Some(name.to_owned()),
        false => nearest(name, branches.iter().map(String::as_str)).map(str::to_owned),
    };
    let near = format!("{}{dots}{}", end(from)?, end(to)?);
    (near != range).then(|| found.set("near", near))
}

/// `name` → `command`: the branch made, where it was to be switched to and nothing near it is there.
pub(super) fn new_branch(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = case.sole_run().filter(|run| run.program() == "git")?;
    let option = match run.known_args()?.as_slice() {
        ["checkout", branch] if *branch == name => "-b",
        ["switch", branch] if *branch == name => "-c",
        _ => return None,
    };
    // A dot or a path is more likely a file; the usual first branches are there under another name.
    let usual = matches!(name.as_str(), "main" | "master" | "develop" | "dev" | "trunk" | "HEAD")
        || nearest(&name, ["main", "master", "develop", "trunk"]).is_some();
    let branches = branches(case).unwrap_or_default();
    let near = nearest(&name, branches.iter().map(String::as_str)).is_some();
    let remote = case.list(".git/refs/remotes").is_some_and(|remotes| !remotes.is_empty());
    if usual
        || near
        || remote
        || name.contains(['.', '~', '^', '@'])
        || near_path(case, &name, false).is_some()
    {
        return None;
    }
    found.set("command", case.insert_after(run.subcommand()?, &format!(" {option}"))?);
    Some(())
}

/// Branches, those of remotes with the remote's name before them, and `HEAD`.
fn branches(case: &Case<'_>) -> Option<Vec<String>> {
    case.list(".git")?;
    let mut names = refs(case, "heads");
    names.extend(refs(case, "remotes"));
    names.push("HEAD".to_owned());
    names.sort();
    names.dedup();
    Some(names)
}

fn tags(case: &Case<'_>) -> Vec<String> {
    refs(case, "tags")
}

/// The names below `.git/refs/KIND`, from the repository's own files: loose ones to three levels, and packed ones.
fn refs(case: &Case<'_>, kind: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    for _ in 0..3 {
        let mut deeper = Vec::new();
        for folder in folders {
            for name in case.list(&format!(".git/refs/{kind}/{folder}")).unwrap_or_default() {
                let path = format!("{folder}{name}");
                if case.is_dir(&format!(".git/refs/{kind}/{path}")) {
                    deeper.push(format!("{path}/"));
                } else if !path.ends_with(".lock") {
                    names.push(path);
                }
            }
        }
        folders = deeper;
    }
    let packed = case.read(".git/packed-refs").unwrap_or_default();
    let start = format!(" refs/{kind}/");
    names.extend(packed.lines().filter_map(|line| line.split_once(&start)).map(|(_, name)| name.to_owned()));
    names
}

/// `name` → `near`: a near file, for `git add` and `git diff` alone.
pub(super) fn near_file(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = git(case)?;
    if !matches!(run.subcommand().and_then(text)?, "add" | "commit" | "diff" | "log" | "blame" | "apply") {
        return None;
    }
    let near = near_path(case, &name, false)?;
    found.set("near", near);
    Some(())
}

/// `name` → `near`: a near remote of the repository.
pub(super) fn near_remote(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = git(case)?;
    if !matches!(run.subcommand().and_then(text)?, "push" | "pull" | "fetch" | "remote")
        || run.args().get(1).and_then(text).is_none()
    {
        return None;
    }
    let config = case.read(".git/config")?;
    let remotes =
        config.lines().filter_map(|line| line.trim().strip_prefix("[remote \"")?.strip_suffix("\"]"));
    let near = nearest(&name, remotes)?;
    found.set("near", near);
    Some(())
}

/// `name` → `near`: the command that git itself finds most similar.
pub(super) fn similar_command(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let listed: Vec<&str> =
        found.get("similar")?.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let near = match listed.as_slice() {
        [one] => (strsim::osa_distance(&name, one) <= 2).then_some(*one)?,
        several => nearest(&name, several.iter().copied())?,
    };
    let near = near.to_owned();
    let run = one(case.runs().filter(|run| run.program() == "git" && run.is_sub(&name)))?;
    found.set("command", case.splice(&[(run.subcommand()?.span, &near)])?);
    found.set("near", near);
    Some(())
}

/// `lock`: a lock file that lies inside a repository, and a way to see that no git runs.
pub(super) fn lock(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let lock = found.get("lock")?;
    let inside = lock.starts_with('/') && lock.contains("/.git/") && !lock.contains("/../");
    (inside && case.has_program("pgrep")).then_some(())
}

/// `command`: `git remote add` as `set-url`.
pub(super) fn set_url(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?;
    let adds = |run: &Run<'_>| {
        run.program() == "git"
            && matches!(run.known_args().as_deref(), Some(["remote", "add", added, _]) if *added == name)
    };
    let run = one(case.runs().filter(adds))?;
    found.set("command", case.splice(&[(run.args()[1].span, "set-url")])?);
    Some(())
}

/// The folder in the way is a clone of the same address, and cloning it is all that the command does.
pub(super) fn same_clone(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run()?;
    let folder = found.get("path")?;
    let config = case.read(&format!("{folder}/.git/config"))?;
    let urls: Vec<&str> = config.lines().filter_map(|line| line.trim().strip_prefix("url = ")).collect();
    let args = positionals(&run)?;
    let same = |arg: &&str| {
        // git keeps a path as the whole one.
        let place = case.on_disk(arg).map(|place| place.display().to_string());
        let is = |url: &&str| {
            let url = url.trim_end_matches('/');
            url == arg.trim_end_matches('/') || place.as_deref() == Some(url)
        };
        urls.iter().any(is)
    };
    (args.first() == Some(&"clone") && args.iter().any(same)).then_some(())
}
