//! What stands in a file, and the call that is for it.

use super::super::case::{Case, text};
use super::super::template::Findings;

/// openssl's calls by the first line of what they read.
const CALLS: [(&str, &str); 5] = [
    ("CERTIFICATE REQUEST", "req"),
    ("NEW CERTIFICATE REQUEST", "req"),
    ("X509 CRL", "crl"),
    ("PKCS7", "pkcs7"),
    ("PUBLIC KEY", "pkey -pubin"),
];

/// Components that a path in a patch can be relieved of.
const MOST_LEVELS: usize = 4;

/// `kind` and `command`: openssl's call for what the file says that it holds.
pub(super) fn openssl_call(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run().filter(|run| run.program() == "openssl")?;
    let args = run.known_args()?;
    let file = args.windows(2).find(|pair| pair[0] == "-in").map(|pair| pair[1])?;
    let source = case.read(file)?;
    let kind = source
        .lines()
        .find_map(|line| line.trim().strip_prefix("-----BEGIN ")?.strip_suffix("-----"))?
        .to_owned();
    let (_, wanted) = CALLS.iter().find(|(known, _)| *known == kind)?;
    let call = run.subcommand()?;
    if wanted.split(' ').next() == text(call) {
        return None;
    }
    found.set("command", case.splice(&[(call.span, wanted)])?);
    found.set("kind", kind.to_lowercase());
    Some(())
}

/// `level` and `command`: how much of the patch's paths has to go, so that they are there.
pub(super) fn patch_level(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["patch"]).filter(|run| !run.has_arg(&["-d", "-R"]))?;
    let args = run.known_args()?;
    let named = args.windows(2).find(|pair| pair[0] == "-i").map(|pair| pair[1].to_owned());
    let read = || case.redirect_targets().find(|(_, writes)| !writes).and_then(|(word, _)| text(word));
    let patch = named.or_else(|| read().map(str::to_owned))?;
    let source = case.read(&patch)?;
    let path = source
        .lines()
        .find_map(|line| line.strip_prefix("--- "))
        .map(|line| line.split('\t').next().unwrap_or(line).split(' ').next().unwrap_or(line))?;
    let parts: Vec<&str> = path.split('/').collect();
    let level = (0..parts.len().min(MOST_LEVELS)).find(|level| case.exists(&parts[*level..].join("/")))?;
    let option = format!("-p{level}");
    let given = run.args().iter().find(|word| {
        text(word)
            .and_then(|word| word.strip_prefix("-p"))
            .is_some_and(|level| level.chars().all(|sign| sign.is_ascii_digit()) && !level.is_empty())
    });
    let command = match given {
        Some(word) => case.splice(&[(word.span, option.as_str())])?,
        None => case.insert_after(run.head(), &format!(" {option}"))?,
    };
    found.set("level", level.to_string());
    found.set("command", command);
    Some(())
}

/// The patch of the command has the line ends of Windows.
pub(super) fn patch_of_windows(case: &Case<'_>, _: &mut Findings) -> Option<()> {
    let run = case.only_run(&["git"])?;
    let args = run.known_args()?;
    let patch = args.iter().skip(1).rfind(|arg| !arg.starts_with('-'))?;
    case.read(patch)?.contains("\r\n").then_some(())
}
