//! Options and words that a program does not know, where the right one can be told.

use super::super::case::{Case, one, text};
use super::super::near::nearest;
use super::super::template::{Findings, quote};

/// Long options of programs that do not list them when one is wrong.
const OPTIONS: [(&str, &[&str]); 22] = [
    (
        "ls",
        &[
            "--all",
            "--almost-all",
            "--author",
            "--color",
            "--directory",
            "--group-directories-first",
            "--human-readable",
            "--inode",
            "--recursive",
            "--reverse",
            "--size",
            "--sort",
            "--time",
            "--full-time",
        ],
    ),
    (
        "cp",
        &[
            "--archive",
            "--backup",
            "--force",
            "--interactive",
            "--link",
            "--no-clobber",
            "--parents",
            "--preserve",
            "--recursive",
            "--symbolic-link",
            "--update",
            "--verbose",
        ],
    ),
    (
        "mv",
        &[
            "--backup",
            "--force",
            "--interactive",
            "--no-clobber",
            "--target-directory",
            "--update",
            "--verbose",
        ],
    ),
    ("mkdir", &["--mode", "--parents", "--verbose"]),
    ("touch", &["--date", "--no-create", "--reference", "--time"]),
    (
        "cat",
        &["--number", "--number-nonblank", "--show-all", "--show-ends", "--show-tabs", "--squeeze-blank"],
    ),
    ("head", &["--bytes", "--lines", "--quiet", "--silent", "--verbose"]),
    ("tail", &["--bytes", "--follow", "--lines", "--quiet", "--retry", "--silent", "--verbose"]),
    ("wc", &["--bytes", "--chars", "--lines", "--words", "--max-line-length"]),
    (
        "sort",
        &[
            "--check",
            "--field-separator",
            "--general-numeric-sort",
            "--human-numeric-sort",
            "--ignore-case",
            "--key",
            "--numeric-sort",
            "--output",
            "--reverse",
            "--unique",
            "--version-sort",
        ],
    ),
    ("uniq", &["--count", "--ignore-case", "--repeated", "--unique"]),
    ("cut", &["--bytes", "--characters", "--complement", "--delimiter", "--fields", "--output-delimiter"]),
    (
        "grep",
        &[
            "--after-context",
            "--before-context",
            "--color",
            "--context",
            "--count",
            "--exclude",
            "--exclude-dir",
            "--extended-regexp",
            "--files-with-matches",
            "--fixed-strings",
            "--ignore-case",
            "--include",
            "--invert-match",
            "--line-number",
            "--line-regexp",
            "--max-count",
            "--only-matching",
            "--perl-regexp",
            "--quiet",
            "--recursive",
            "--silent",
            "--word-regexp",
        ],
    ),
    ("du", &["--all", "--apparent-size", "--human-readable", "--max-depth", "--summarize", "--total"]),
    ("df", &["--all", "--human-readable", "--inodes", "--local", "--print-type", "--total"]),
    ("date", &["--date", "--iso-8601", "--reference", "--rfc-3339", "--utc"]),
    (
        "tar",
        &[
            "--append",
            "--bzip2",
            "--create",
            "--directory",
            "--exclude",
            "--extract",
            "--file",
            "--gzip",
            "--list",
            "--strip-components",
            "--verbose",
            "--xz",
        ],
    ),
    (
        "curl",
        &[
            "--compressed",
            "--cookie",
            "--data",
            "--fail",
            "--form",
            "--head",
            "--header",
            "--include",
            "--insecure",
            "--location",
            "--max-time",
            "--output",
            "--remote-name",
            "--request",
            "--retry",
            "--show-error",
            "--silent",
            "--user",
            "--verbose",
        ],
    ),
    (
        "wget",
        &[
            "--continue",
            "--directory-prefix",
            "--header",
            "--no-check-certificate",
            "--no-verbose",
            "--output-document",
            "--quiet",
            "--recursive",
            "--timeout",
            "--tries",
            "--user-agent",
        ],
    ),
    (
        "pip",
        &[
            "--editable",
            "--index-url",
            "--no-cache-dir",
            "--no-deps",
            "--no-index",
            "--quiet",
            "--requirement",
            "--target",
            "--upgrade",
            "--user",
            "--verbose",
        ],
    ),
    ("chmod", &["--recursive", "--reference", "--verbose", "--changes", "--quiet"]),
    ("tree", &["--dirsfirst", "--noreport", "--gitignore", "--prune"]),
];

/// `option` (with its dashes) → `near`: the one near option that the message lists or the program is known to have.
pub(super) fn near_option(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("option")?;
    let typed = if typed.starts_with('-') { typed.to_owned() } else { format!("--{typed}") };
    let typed = typed.split('=').next()?.to_owned();
    if typed.chars().count() < 5 || !typed.starts_with("--") {
        return None;
    }
    let word = one(case.runs().flat_map(|run| run.args()).filter(|arg| {
        text(arg).is_some_and(|arg| {
            arg == typed || arg.strip_prefix(typed.as_str()).is_some_and(|rest| rest.starts_with('='))
        })
    }))?;
    let run = case.runs().find(|run| run.args().iter().any(|arg| arg.span == word.span))?;
    let listed = listed_options(&case.everything);
    let program = match run.program() {
        "pip3" => "pip",
        "python3" | "python" if run.has_arg(&["pip"]) => "pip",
        name => name,
    };
    let known =
        OPTIONS.iter().filter(|(name, _)| *name == program).flat_map(|(_, options)| options.iter().copied());
    let pool: Vec<&str> =
        listed.iter().map(String::as_str).filter(|option| *option != typed).chain(known).collect();
    let bare = typed.trim_start_matches('-');
    let near = nearest(bare, pool.iter().map(|option| option.trim_start_matches('-')))?;
    // Options that force or delete are never guessed.
    if near.starts_with("force")
        || near.starts_with("delete")
        || near.starts_with("hard")
        || near.starts_with("no-") != bare.starts_with("no-")
    {
        return None;
    }
    let value = text(word)?.strip_prefix(typed.as_str()).unwrap_or_default().to_owned();
    found.set("near", format!("--{near}"));
    found.set("typed", typed);
    found.set("command", case.splice(&[(word.span, &quote(&format!("--{near}{value}")))])?);
    Some(())
}

/// Long options named in a usage text, `--[no-]name` as both.
fn listed_options(said: &str) -> Vec<String> {
    let mut options = Vec::new();
    let usage = said.find("usage:").or_else(|| said.find("Usage:")).or_else(|| said.find("Valid options"));
    let Some(usage) = usage else { return options };
    for piece in said[usage..].split(|c: char| c.is_whitespace() || ",;()<>|'\"".contains(c)) {
        let Some(start) = piece.find("--") else { continue };
        let option = &piece[start..];
        let stem = option
            .strip_prefix("--[no-]")
            .map(|rest| format!("--{rest}"))
            .unwrap_or_else(|| option.to_owned());
        let end = stem.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(stem.len());
        if end > 3 {
            options.push(stem[..end].to_owned());
        }
    }
    options
}

/// `typed` and `near` come from the program itself. The word is replaced where it stands alone or before a `=`.
pub(super) fn suggested_word(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let (typed, near) = (found.get("typed")?.to_owned(), found.get("near")?.to_owned());
    if typed == near || near.starts_with("--force") || near.starts_with("--delete") {
        return None;
    }
    // Programs also propose what only shares a few letters.
    let far = strsim::osa_distance(&typed, &near) > (typed.len().max(near.len()) / 3).max(1);
    if far && !near.starts_with(&typed) {
        return None;
    }
    let command = case.replace_word(&typed, &quote(&near)).or_else(|| {
        let word = one(case
            .runs()
            .flat_map(|run| run.args())
            .filter(|arg| text(arg).is_some_and(|arg| arg.starts_with(&format!("{typed}=")))))?;
        let value = text(word)?.strip_prefix(typed.as_str())?;
        case.splice(&[(word.span, &quote(&format!("{near}{value}")))])
    })?;
    found.set("command", command);
    Some(())
}
