//! Paths: folders that are missing, names that are near, scripts that cannot be run.

use std::sync::OnceLock;

use regex::Regex;

use super::super::case::{Case, Run, one, text};
use super::super::near::{nearest, nearest_file};
use super::super::template::{Findings, quote};
use super::outputs::written;

/// Programs that only read the files named to them, so that a near name does no harm.
const READERS: [&str; 46] = [
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "sort",
    "uniq",
    "cut",
    "nl",
    "tac",
    "rev",
    "diff",
    "cmp",
    "file",
    "stat",
    "ls",
    "tree",
    "du",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "cksum",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "base64",
    "jq",
    "awk",
    "gawk",
    "mawk",
    "paste",
    "comm",
    "join",
    "column",
    "fold",
    "fmt",
    "source",
    ".",
    "python3",
    "python",
    "node",
];

fn is_reader(run: &Run<'_>) -> bool {
    match run.program() {
        "cp" => true,
        "sed" => !run.args().iter().any(|arg| arg.raw.starts_with("-i") || arg.raw.starts_with("--in-place")),
        "tar" => run.args().first().and_then(text).is_some_and(|flags| {
            let short =
                !flags.starts_with("--") && flags.contains(['x', 't']) && !flags.contains(['c', 'r', 'u']);
            short || matches!(flags, "--extract" | "--list")
        }),
        "bash" | "sh" | "unzip" | "gcc" | "cc" | "g++" | "c++" | "clang" | "pip" | "pip3" | "rustc"
        | "perl" | "ruby" => true,
        name => READERS.contains(&name),
    }
}

/// The folder the command starts in must be known.
pub(super) fn known_folder(case: &Case<'_>, _: &mut Findings) -> Option<()> {
    case.folder.as_ref().map(|_| ())
}

/// The folder part of a path, if it has one that is not `/`.
pub(super) fn parent(path: &str) -> Option<&str> {
    let (parent, _) = path.trim_end_matches('/').rsplit_once('/')?;
    (!parent.is_empty()).then_some(parent)
}

/// `path` → `parent`: the folder above it, when that is missing and no slip of the pen.
pub(super) fn missing_parent(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    // `cp x out/` names a folder, not a file in one.
    let folder = if path.ends_with('/') { path.trim_end_matches('/') } else { parent(path)? };
    let folder = folder.to_owned();
    found.set("folder", folder);
    missing_folder(case, found)
}

/// `folder` → `parent`, as an inserted step must write it, when it is missing and no slip of the pen.
pub(super) fn missing_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let folder = found.get("folder")?.trim_end_matches('/').to_owned();
    if folder.is_empty()
        || folder.starts_with("/dev")
        || folder.starts_with("/proc")
        || folder.starts_with("/sys")
    {
        return None;
    }
    if case.folder.is_some() && (case.exists(&folder) || slip_of_existing(case, &folder)) {
        return None;
    }
    found.set("parent", case.path_at_start(&folder)?);
    Some(())
}

/// Whether a folder beside it has a near name: then making a new one would hide the slip.
fn slip_of_existing(case: &Case<'_>, folder: &str) -> bool {
    let (above, name) = folder.rsplit_once('/').unwrap_or((".", folder));
    let above = if above.is_empty() { "/" } else { above };
    let names = case.list(above).unwrap_or_default();
    let folders = names.iter().map(String::as_str).filter(|other| case.is_dir(&format!("{above}/{other}")));
    name.chars().count() >= 4 && nearest(name, folders).is_some()
}

/// `path` → `near`: the one near name in its folder. Only for programs that read it.
pub(super) fn near_input(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let names_it = |run: &Run<'_>| run.args().iter().any(|arg| text(arg) == Some(&path));
    let read_by_redirect =
        case.redirect_targets().any(|(target, writes)| !writes && text(target) == Some(&path));
    let mut users = case.runs().filter(names_it).peekable();
    if users.peek().is_none() && !read_by_redirect {
        return None;
    }
    if !users.all(|run| is_reader(&run) && !is_copy_target(&run, &path)) || written(case, &path) {
        return None;
    }
    let near = near_path(case, &path, false)?;
    found.set("near", near);
    Some(())
}

/// Programs that change or remove what is named to them, or make it: a near name is another thing there.
pub(super) const CHANGERS: [&str; 34] = [
    "rm", "rmdir", "mv", "shred", "truncate", "dd", "tee", "touch", "chmod", "chown", "chgrp", "ln",
    "install", "mkdir", "git", "kill", "unlink", "cd", "pushd", "docker", "podman", "sed", "rsync",
    "setfacl", "chattr", "mkfs", "mount", "umount", "tar", "hg", "svn", "dpkg", "apt", "apt-get",
];

/// `path` → `near`: the operand that the message complains of is not there, and the one near name is. Never for
/// programs that change what is named to them.
pub(super) fn near_operand(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    static LOST_LINE: OnceLock<Option<Regex>> = OnceLock::new();
    let lost = LOST_LINE.get_or_init(|| Regex::new(LOST).ok()).as_ref()?;
    let complaints: Vec<&str> = case.everything.lines().filter(|line| lost.is_match(line)).collect();
    let complains_of = |path: &str| {
        complaints.iter().any(|line| {
            line.match_indices(path).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + path.len()..].chars().next();
                let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
                !before.is_some_and(|c| part(c) || c == '.') && !after.is_some_and(|c| part(c) || c == '/')
            })
        })
    };
    let mut wrong = Vec::new();
    for run in case.runs().filter(|run| !CHANGERS.contains(&run.program())) {
        let mut before = run.program();
        for path in run.args().iter().filter_map(text) {
            let output = matches!(before, "-o" | "--output" | "-O" | "--out" | "-d" | "-w");
            let is_folder = matches!(before, "-C" | "--directory" | "--prefix" | "--cwd" | "--project");
            // A name without an ending is one only where the message quotes it.
            let is_quoted = || {
                let ends = [
                    format!("'{path}'"),
                    format!("\"{path}\""),
                    format!("/{path}'"),
                    format!("`{path}'"),
                    format!(" {path}: No such file"),
                ];
                path.len() > 3
                    && complaints.iter().any(|line| ends.iter().any(|end| line.contains(end.as_str())))
            };
            let is_name = !path.starts_with('-')
                && !path.contains("://")
                && (path.contains('.') || is_folder || is_quoted());
            before = path;
            if is_name && !output && complains_of(path) && case.folder.is_some() && !case.exists(path) {
                wrong.push((path.to_owned(), is_folder && !path.contains('.')));
            }
        }
    }
    wrong.dedup();
    let (path, is_folder) = one(wrong)?;
    if written(case, &path) {
        return None;
    }
    found.set("near", near_path(case, &path, is_folder)?);
    found.set("path", path);
    Some(())
}

/// What programs say of a file that they do not find.
pub(super) const LOST: &str = r"(?i)no such file|not found|(?:can'?t|can ?not|could ?n[o']t|unable to|failed to) (?:open|find|read|access|load|locate|stat)|(?:does not|doesn't|not) exist|could not be found|cannot be found|no module named \S+\.py";

fn is_copy_target(run: &Run<'_>, path: &str) -> bool {
    run.program() == "cp" && text(run.last_word()) == Some(path)
}

/// `path` → `near`: the one near folder.
pub(super) fn near_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    // The command moves by this very `cd`, so only the starting folder may count.
    let cd = case.only_run(&["cd", "pushd"])?;
    let first = case.runs().next()?;
    if !std::ptr::eq(first.command, cd.command) || cd.args().len() != 1 {
        return None;
    }
    let folder = case.folder.as_ref()?;
    let near = near_below(
        &path,
        true,
        |place| {
            let place = folder.join(place);
            case.machine.is_dir(&place).then(|| case.machine.list(&place))
        },
        |place| case.machine.is_dir(&folder.join(place)),
    )?;
    found.set("near", near);
    Some(())
}

/// `folder` → `near`: the folder that `cmake --build` was to be given.
pub(super) fn build_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let folder = found.get("folder")?.to_owned();
    found.set("near", near_path(case, &folder, true)?);
    Some(())
}

/// `name` → `script`: a script of this folder that was run without saying that it is here.
pub(super) fn script_here(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    case.runs().find(|run| text(run.head()) == Some(&name))?;
    let script = format!("./{name}");
    if name.contains('/') || !case.exists(&script) || case.is_dir(&script) {
        return None;
    }
    let is_script = name.contains('.') || case.read(&script).is_some_and(|text| text.starts_with("#!"));
    is_script.then(|| found.set("script", script))
}

/// `command`: a name with blanks in it that was written without quotes, for programs that read it.
pub(super) fn unquoted_name(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let moves = |run: &Run<'_>| matches!(run.program(), "cd" | "pushd");
    let mut joined = Vec::new();
    for run in case.runs().filter(|run| is_reader(run) || moves(run)) {
        let words = run.args();
        for start in 0..words.len() {
            for end in start + 2..=words.len().min(start + 5) {
                let parts: Option<Vec<&str>> = words[start..end].iter().map(text).collect();
                let Some(parts) = parts.filter(|parts| parts.iter().all(|part| !part.starts_with('-')))
                else {
                    break;
                };
                let name = parts.join(" ");
                // A part that is there for itself may well have been meant.
                let alone = parts.iter().any(|part| case.folder.is_some() && case.exists(part));
                let is_there = match moves(&run) {
                    true => {
                        case.folder.as_ref().is_some_and(|folder| case.machine.is_dir(&folder.join(&name)))
                    }
                    false => case.exists(&name),
                };
                if is_there && !alone {
                    let span = planwright_shell::Span {
                        start: words[start].span.start,
                        end: words[end - 1].span.end,
                    };
                    joined.push((span, name));
                }
            }
        }
    }
    let (span, name) = one(joined)?;
    found.set("command", case.splice(&[(span, &quote(&name))])?);
    found.set("name", name);
    Some(())
}

/// The path with its first wrong part mended, if the rest is then right.
pub(super) fn near_path(case: &Case<'_>, path: &str, folder: bool) -> Option<String> {
    near_below(
        path,
        folder,
        |place| case.list(place),
        |place| {
            if folder {
                case.is_dir(place)
            } else {
                case.exists(place) && !case.is_dir(place) || case.is_dir(place) && !path.contains('.')
            }
        },
    )
}

fn near_below(
    path: &str,
    folder: bool,
    list: impl Fn(&str) -> Option<Vec<String>>,
    fits: impl Fn(&str) -> bool,
) -> Option<String> {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let mut above = String::new();
    for (index, part) in parts.iter().enumerate() {
        let place = match above.as_str() {
            "" if path.starts_with('/') && index > 0 => "/",
            "" => ".",
            above => above,
        };
        let names = list(place)?;
        let plain = part.is_empty() || matches!(*part, "." | "..");
        if !plain && !names.iter().any(|name| name == part) {
            let pool = names.iter().map(String::as_str);
            let last = index + 1 == parts.len();
            let near = if folder || !last {
                long_enough(part).then(|| nearest(part, pool))?
            } else {
                nearest_file(part, pool)
            }?;
            let rest = parts[index + 1..].iter().map(|part| format!("/{part}")).collect::<String>();
            let slash = if path.ends_with('/') { "/" } else { "" };
            let mended =
                format!("{}{near}{rest}", if index == 0 { String::new() } else { format!("{above}/") });
            return fits(&mended).then(|| format!("{mended}{slash}"));
        }
        above = if index == 0 { (*part).to_owned() } else { format!("{above}/{part}") };
    }
    None
}

fn long_enough(name: &str) -> bool {
    name.chars().count() >= 3
}

/// `path` exists and is a folder, or the disk is not known and the name tells nothing against it.
pub(super) fn folder_exists(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    match case.on_disk(path) {
        Some(place) => case.machine.is_dir(&place).then_some(()),
        None => Some(()),
    }
}

/// `command`: the same with `-p` after `mkdir`.
pub(super) fn mkdir_parents(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    let makes = |run: &Run<'_>| {
        run.program() == "mkdir"
            && run
                .args()
                .iter()
                .any(|arg| text(arg).map(|t| t.trim_end_matches('/')) == Some(path.trim_end_matches('/')))
    };
    let run = one(case.runs().filter(makes)).or_else(|| case.only_run(&["mkdir"]))?;
    let already =
        run.args().iter().filter_map(text).any(|arg| {
            arg == "--parents" || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('p')
        });
    if already {
        return None;
    }
    found.set("command", case.insert_after(run.head(), " -p")?);
    Some(())
}

/// `path` → `script`: a program of the command that is a file of the user's own and not executable.
pub(super) fn own_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    if !path.contains('/') || path.starts_with("/dev/") || path.starts_with("/proc/") {
        return None;
    }
    let run_here = case.runs().any(|run| text(run.head()) == Some(&path));
    match case.on_disk(&path) {
        Some(place) if !case.machine.exists(&place) || case.machine.is_dir(&place) => return None,
        // Named by a script: where that script stood is only certain when the file is there.
        None if !run_here => return None,
        Some(_) | None => {}
    }
    found.set("script", case.path_at_start(&path)?);
    Some(())
}

/// `script`: the file with Windows line ends, which must be seen to have them where the disk is known.
pub(super) fn crlf_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let script = match found.get("path") {
        Some(path)
            if case.runs().any(|run| {
                text(run.head()) == Some(path) || run.args().iter().any(|arg| text(arg) == Some(path))
            }) =>
        {
            path.to_owned()
        }
        _ => {
            let run = case.sole_run()?;
            let path = match run.program() {
                "bash" | "sh" | "source" | "." => text(run.args().first()?)?,
                _ => text(run.head())?,
            };
            path.to_owned()
        }
    };
    if !script.contains(['/', '.']) {
        return None;
    }
    // bash names the carriage return, the kernel only says that something is missing: then the file must be seen.
    let named = case.message.contains("\\r") || case.message.contains("^M");
    if (case.folder.is_some() || !named) && !case.read(&script)?.contains("\r\n") {
        return None;
    }
    found.set("script", case.path_at_start(&script)?);
    Some(())
}

/// `command`: the script run by the interpreter of its kind, when its first line names one that is not there.
pub(super) fn interpreter(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let run = one(case.runs().filter(|run| text(run.head()) == Some(&path)))?;
    let source = case.read(&path)?;
    let line = source.lines().next()?.strip_prefix("#!")?;
    if line.contains('\r')
        || source.starts_with("#!") && source.lines().next()?.ends_with('\r')
        || source.contains("\r\n")
    {
        return None;
    }
    let named = line
        .split_whitespace()
        .filter(|part| !part.starts_with('-'))
        .map(|part| part.rsplit('/').next().unwrap_or(part))
        .find(|part| *part != "env")?;
    let programs = case.programs();
    let there = |name: &str| programs.iter().any(|program| program == name);
    let instead = match named {
        name if there(name) => name,
        "python" if there("python3") => "python3",
        name => nearest(
            name,
            ["python3", "python", "bash", "sh", "node", "perl", "ruby", "zsh"]
                .into_iter()
                .filter(|name| there(name)),
        )?,
    };
    found.set("interpreter", instead);
    found.set("command", case.insert_before(run.head(), &format!("{instead} "))?);
    Some(())
}

/// `command`: `cp` with `-r`.
pub(super) fn copy_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["cp"])?;
    found.set("command", case.insert_after(run.head(), " -r")?);
    Some(())
}

/// `path`: a file of the user's own below the starting folder, there and not writable.
pub(super) fn own_file(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    let place = case.on_disk(path)?;
    let inside = place.starts_with(case.folder.as_ref()?)
        && !place.components().any(|part| part.as_os_str() == ".git");
    let is_own = case.machine.rights(&place).is_some_and(|rights| rights.mine);
    if !inside || !is_own || case.machine.is_dir(&place) {
        return None;
    }
    found.set("file", case.path_at_start(path)?);
    Some(())
}

/// `command`: `tar` without the letter of a compression that the archive does not have.
pub(super) fn archive_filter(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["tar"])?;
    let words = run.args();
    let long = ["--gzip", "--gunzip", "--bzip2", "--xz"];
    if let Some(word) = words.iter().find(|word| text(word).is_some_and(|arg| long.contains(&arg))) {
        found.set("command", case.without(&[word])?);
        return Some(());
    }
    let flags = words.first()?;
    let letters = text(flags)?;
    if letters.starts_with("--") || !letters.contains(['x', 't']) || letters.contains('c') {
        return None;
    }
    let kept: String = letters.chars().filter(|letter| !"zjJ".contains(*letter)).collect();
    found.set("command", case.splice(&[(flags.span, &quote(&kept))])?);
    Some(())
}

/// `command`: `sed -i '' …` of BSD as GNU sed wants it.
pub(super) fn bsd_sed(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["sed"])?;
    let at = run.args().iter().position(|arg| text(arg) == Some("-i"))?;
    let empty = run.args().get(at + 1).filter(|arg| text(arg) == Some(""))?;
    found.set("command", case.without(&[empty])?);
    Some(())
}

/// `path`, which a program prints in full, as the command names it.
pub(super) fn as_typed(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let name = path.rsplit('/').next()?;
    let same = |typed: &&str| {
        *typed == path || case.on_disk(typed).is_some_and(|place| place.as_os_str() == path.as_str())
    };
    let typed = one(case
        .runs()
        .flat_map(|run| run.args())
        .filter_map(text)
        .filter(|arg| arg.ends_with(name))
        .filter(same))?;
    found.set("path", typed);
    Some(())
}
