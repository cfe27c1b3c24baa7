//! What a command writes, and the folders that must be there for it.

use planwright_shell::Word;

use super::super::case::{Case, Run, text};
use super::super::template::Findings;
use super::files::{missing_folder, missing_parent, parent};

/// `path` must be what the command writes to by `>` or `>>`; the folder alone may be literal (`out/$name.txt`).
pub(super) fn output_redirect(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    let folder = format!("{}/", parent(path)?);
    let is_path = |target: &Word| match text(target) {
        Some(text) => text == path,
        None => target.raw.strip_prefix(&folder).is_some_and(|name| !name.contains('/')),
    };
    case.redirect_targets().any(|(target, writes)| writes && is_path(target)).then_some(())
}

/// As [`missing_folder`] or [`missing_parent`], as the message names a `folder` or a `path`.
pub(super) fn output_folder(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    if found.get("folder").is_some() {
        // Only `tar -C folder`: the same message names a missing archive.
        let folder = found.get("folder")?;
        let run = case.only_run(&["tar"])?;
        let args = run.known_args()?;
        let named =
            args.windows(2).any(|pair| matches!(pair, ["-C" | "--directory", place] if *place == folder));
        return named.then(|| missing_folder(case, found))?;
    }
    let path = found.get("path")?;
    let outputs = ["-o", "--output", "-O", "--output-document", "-d"];
    let creates = |flags: &str| !flags.starts_with("--") && flags.contains('c') && flags.contains('f');
    let is_archive = case.only_run(&["tar"]).and_then(|run| run.known_args()).is_some_and(
        |args| matches!(args.as_slice(), [flags, archive, ..] if creates(flags) && *archive == path),
    );
    let is_output = is_archive
        || case
            .runs()
            .filter_map(|run| run.known_args())
            .any(|args| args.windows(2).any(|pair| outputs.contains(&pair[0]) && pair[1] == path));
    is_output.then(|| missing_parent(case, found))?
}

/// `path` is something that the command writes: by redirection, `tee`, or as the target of a copy.
pub(super) fn output_of_command(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?;
    let target = |run: &Run<'_>| match run.program() {
        "tee" => run.args().iter().any(|arg| text(arg) == Some(path)),
        "cp" => text(run.last_word()) == Some(path),
        _ => false,
    };
    (written(case, path) || case.runs().any(|run| target(&run))).then_some(())
}

/// Whether the command writes `path` by a redirection.
pub(super) fn written(case: &Case<'_>, path: &str) -> bool {
    case.redirect_targets().any(|(target, writes)| writes && text(target) == Some(path))
}

/// What a copy or a move makes at `path`: a file in a folder, or the folder itself.
pub(super) fn new_place(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    if case.message.contains("cannot create directory") {
        // `cp -r src dist/app/` makes `app` itself: made beforehand, it would get a `src` inside.
        found.set("path", path.trim_end_matches('/'));
    } else if case.message.contains("Not a directory") && !path.ends_with('/') {
        return None;
    }
    Some(())
}

/// Where programs are told what to write: behind an option, or by its place among the words that are no options.
enum Output {
    Behind(&'static [&'static str]),
    First,
    Last,
}

const USUAL: Output =
    Output::Behind(&["-o", "--output", "-O", "-out", "--out", "--outfile", "--output-file"]);

const OUTPUTS: [(&str, Output); 11] = [
    ("ssh-keygen", Output::Behind(&["-f"])),
    ("pg_dump", Output::Behind(&["-f", "--file"])),
    ("ffmpeg", Output::Last),
    ("convert", Output::Last),
    ("magick", Output::Last),
    ("sox", Output::Last),
    ("zip", Output::First),
    ("sqlite3", Output::First),
    ("mysqldump", Output::Behind(&["--result-file", "-r"])),
    ("keytool", Output::Behind(&["-keystore", "-file"])),
    ("wkhtmltopdf", Output::Last),
];

/// `parent`: the missing folder of what a program was told to write, which its message names.
pub(super) fn output_place(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    case.folder.as_ref()?;
    let mut missing = Vec::new();
    for run in case.runs() {
        let Some(args) = run.known_args() else { continue };
        let own = OUTPUTS.iter().find(|(program, _)| *program == run.program()).map(|(_, output)| output);
        let path = match own.unwrap_or(&USUAL) {
            Output::Behind(options) => {
                args.windows(2).find(|pair| options.contains(&pair[0])).map(|pair| pair[1])
            }
            Output::First => args.iter().find(|arg| !arg.starts_with('-')).copied(),
            Output::Last => args.last().filter(|arg| !arg.starts_with('-')).copied(),
        };
        let Some(folder) = path.filter(|path| !path.contains("://")).and_then(parent) else { continue };
        if case.everything.contains(&format!("{folder}/")) && !case.exists(folder) {
            missing.push(folder.to_owned());
        }
    }
    found.set("folder", super::super::case::one(missing)?);
    missing_folder(case, found)
}
