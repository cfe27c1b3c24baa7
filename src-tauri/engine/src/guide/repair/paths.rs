//! The file that was meant where the typed path has another shape than its own: quotes that keep `~` from meaning anything,
//! a sign too many, the signs of another system, another folder. Only for programs that read what is named to them.

use std::sync::OnceLock;

use planwright_shell::{Value, Word};
use regex::Regex;

use super::super::case::{Case, Run, one, text};
use super::super::template::{Findings, quote};
use super::files::{CHANGERS, LOST};
use super::outputs::written;

/// Most folders that are looked into for a file of that name.
const MAX_FOLDERS: usize = 200;

/// Folders that nobody means: what is in them is made by programs.
const MADE: [&str; 8] =
    ["node_modules", "target", "build", "dist", "venv", "env", "__pycache__", "site-packages"];

/// A path of the command that the message says is not there.
#[derive(Debug)]
struct Lost<'a> {
    word: &'a Word,
    /// As the program saw it, but for a `~`.
    path: &'a str,
    tilde: bool,
}

impl Lost<'_> {
    /// Where `path` is, `~` looked up.
    fn exists(&self, case: &Case<'_>, path: &str) -> bool {
        match path.strip_prefix("~/") {
            Some(rest) => case
                .machine
                .home()
                .is_some_and(|home| !rest.is_empty() && case.machine.exists(&home.join(rest))),
            None => !path.is_empty() && case.exists(path),
        }
    }

    fn list(&self, case: &Case<'_>, folder: &str) -> Vec<String> {
        match folder.strip_prefix('~') {
            Some(rest) => case
                .machine
                .home()
                .map_or_else(Vec::new, |home| case.machine.list(&home.join(rest.trim_start_matches('/')))),
            None => case.list(if folder.is_empty() { "." } else { folder }).unwrap_or_default(),
        }
    }
}

/// The word for a path; a leading `~` stays outside of the quotes.
fn written_as(path: &str) -> String {
    path.strip_prefix("~/").map_or_else(|| quote(path), |rest| format!("~/{}", quote(rest)))
}

/// The one path of the command that is complained of and is not there.
fn lost<'a>(case: &'a Case<'_>) -> Option<Lost<'a>> {
    case.folder.as_ref()?;
    static COMPLAINT: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = COMPLAINT
        .get_or_init(|| Regex::new(&format!("{LOST}|(?i:not a directory|malformed|invalid filename)")).ok())
        .as_ref()?;
    let complaints: Vec<&str> = case.everything.lines().filter(|line| pattern.is_match(line)).collect();
    let home = case.machine.home();
    let complained_of = |path: &str, tilde: bool| {
        let full = match (path.strip_prefix('~').filter(|_| tilde), &home) {
            (Some(rest), Some(home)) => format!("{}{rest}", home.display()),
            _ => path.to_owned(),
        };
        complaints.iter().any(|line| stands_in(line, &full))
    };
    let mut all = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let in_place = |run: &Run<'_>| run.args().iter().any(|arg| arg.raw.starts_with("-i"));
    let reads = |run: &Run<'_>| match run.program() {
        "cd" | "pushd" => true,
        "sed" => !in_place(run),
        program => !CHANGERS.contains(&program),
    };
    for run in case.runs().filter(reads) {
        let copies = matches!(run.program(), "cp" | "scp" | "rsync");
        let mut before = "";
        for word in run.args() {
            let Value::Known { text: path, tilde } = &word.value else { continue };
            let output = matches!(before, "-o" | "--output" | "-O" | "--out" | "-d" | "-w")
                || copies && std::ptr::eq(word, run.last_word());
            before = path;
            if output || path.starts_with('-') || path.contains("://") && !path.starts_with("file://") {
                continue;
            }
            let lost = Lost { word, path, tilde: *tilde };
            let is_there = if *tilde { lost.exists(case, path) } else { case.exists(path) };
            // A file with a slash behind it is none.
            let there = is_there && (!path.ends_with('/') || case.is_dir(path));
            if !there && complained_of(path, *tilde) && !written(case, path) && !seen.contains(&path.as_str())
            {
                seen.push(path);
                all.push(lost);
            }
        }
    }
    one(all)
}

/// Whether a line names the path, and not a longer one that begins with it.
fn stands_in(line: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        !before.is_some_and(|c| part(c) || c == '.') && !after.is_some_and(|c| part(c) || c == '/')
    })
}

/// `path` → `near` and `command`: the same path in the shape that it has here.
pub(super) fn other_shape(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let lost = lost(case)?;
    let near = shapes(case, &lost).into_iter().find(|near| {
        (near != lost.path || !lost.tilde && near.starts_with("~/")) && lost.exists(case, near)
    })?;
    settle(case, found, &lost, &near)
}

fn settle(case: &Case<'_>, found: &mut Findings, lost: &Lost<'_>, near: &str) -> Option<()> {
    found.set("command", case.splice(&[(lost.word.span, &written_as(near))])?);
    found.set("path", lost.path);
    found.set("near", near);
    Some(())
}

/// What the path can have been meant to be, the likeliest first.
fn shapes(case: &Case<'_>, lost: &Lost<'_>) -> Vec<String> {
    let path = lost.path;
    let mut shapes = Vec::new();
    // In quotes `~` is a name like any other, and so it is where it came out of a variable.
    if path.starts_with("~/") && !lost.tilde {
        shapes.push(path.to_owned());
    }
    if lost.word.raw.contains('\\') {
        shapes.push(lost.word.raw.trim_matches(['"', '\'']).replace("\\\\", "\\").replace('\\', "/"));
    }
    if let Some(rest) = path.strip_prefix("file://") {
        shapes.push(rest.trim_start_matches("localhost").to_owned());
    }
    shapes.push(path.trim_end_matches(['/', ',', ';', '.', ':', ')', '"', '\'', '`', '>']).to_owned());
    shapes.push(path.trim_start_matches(['(', '"', '\'', '`', '<', '@', '=']).to_owned());
    if let Some(place) = without_line(path) {
        shapes.push(place.to_owned());
    }
    if path.contains('%') {
        shapes.extend(decoded(path));
    }
    shapes.push(path.trim_start_matches('/').to_owned());
    let top = path.split('/').next().unwrap_or_default();
    const SYSTEM: [&str; 14] = [
        "etc", "usr", "var", "tmp", "home", "opt", "proc", "sys", "dev", "mnt", "srv", "root", "media",
        "boot",
    ];
    if SYSTEM.contains(&top) {
        shapes.push(format!("/{path}"));
    }
    // Already in the folder that the path begins with.
    if let Some(rest) = path.strip_prefix(top).and_then(|rest| rest.strip_prefix('/'))
        && case.folder.as_ref().and_then(|folder| folder.file_name()).is_some_and(|name| name == top)
    {
        shapes.push(rest.to_owned());
    }
    shapes.extend(same_but_for_signs(case, lost));
    shapes
}

/// `src/main.c` of `src/main.c:12:5`.
fn without_line(path: &str) -> Option<&str> {
    let (before, number) = path.rsplit_once(':')?;
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(without_line(before).unwrap_or(before))
}

/// `my file.txt` of `my%20file.txt`.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| std::str::from_utf8(after.get(..2)?).ok()).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if byte != 0 => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The one name in its folder that says the same with other signs between its parts: `my_file-01.txt`, `My File 1.txt`.
fn same_but_for_signs(case: &Case<'_>, lost: &Lost<'_>) -> Option<String> {
    let (folder, name) = match lost.path.rsplit_once('/') {
        Some((folder, name)) => (Some(folder), name),
        None => (None, lost.path),
    };
    let typed = plain(name);
    let names = lost.list(case, folder.unwrap_or("."));
    let near = one(names.iter().filter(|other| typed.len() > 2 && plain(other) == typed))?;
    Some(match folder {
        Some(folder) => format!("{folder}/{near}"),
        None => near.clone(),
    })
}

/// Letters and numbers alone: no case, no signs between, no zeros before a number.
fn plain(name: &str) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut plain = String::with_capacity(name.len());
    for part in stem.split(['-', '_', ' ', '.']) {
        let numbers = part.trim_start_matches(|c: char| !c.is_ascii_digit());
        let (letters, numbers) = part.split_at(part.len() - numbers.len());
        plain.push_str(&letters.to_lowercase());
        let end = numbers.find(|c: char| !c.is_ascii_digit()).unwrap_or(numbers.len());
        let number = numbers[..end].trim_start_matches('0');
        // `1-0` is not `10`, and `v0` is not `v`.
        if plain.ends_with(|c: char| c.is_ascii_digit()) && end > 0 {
            plain.push('-');
        }
        plain.push_str(if number.is_empty() && end > 0 { "0" } else { number });
        plain.push_str(&numbers[end..].to_lowercase());
    }
    format!("{plain}.{}", ending.to_lowercase())
}

/// `path` → `near` and `command`: the file of that name in the one other folder that has it, further up or further down.
pub(super) fn elsewhere(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let lost = lost(case)?;
    let (above, name) = lost.path.rsplit_once('/').unwrap_or(("", lost.path));
    if !name.contains('.') || name.starts_with('.') || above.is_empty() && lost.path.starts_with('/') {
        return None;
    }
    let mut places = Vec::new();
    let mut folder = above;
    // The deepest folder of the path that is there, and those above it.
    loop {
        // Above the first folder of a path from the root there is nothing to look through.
        if folder.is_empty() && lost.path.starts_with('/') {
            break;
        }
        if folder.is_empty() || folder == "~" || lost.exists(case, folder) {
            places.extend(below(case, &lost, folder));
        }
        folder = match folder.rsplit_once('/') {
            Some((up, _)) => up,
            None if folder.is_empty() || lost.path.starts_with(['/', '~']) => break,
            None => "",
        };
    }
    if !above.is_empty() && !above.starts_with(['/', '~']) {
        places.push(name.to_owned());
    }
    if above.is_empty() {
        places.push(format!("../{name}"));
    } else if !above.starts_with(['/', '~']) {
        let folders = lost.list(case, "").into_iter().filter(|name| is_meant(name)).take(MAX_FOLDERS);
        places.extend(folders.map(|folder| format!("{folder}/{}", lost.path)));
    }
    if lost.path.starts_with("~/") {
        places.push(format!("~/{name}"));
    }
    let mut there: Vec<String> = places.into_iter().filter(|place| lost.exists(case, place)).collect();
    there.sort();
    there.dedup();
    let near = one(there)?;
    settle(case, found, &lost, &near)
}

/// Whether a folder is one that people fill.
fn is_meant(name: &str) -> bool {
    !name.starts_with('.') && !MADE.contains(&name) && !name.contains('.')
}

/// `name` in `folder` itself and two levels below it.
fn below(case: &Case<'_>, lost: &Lost<'_>, folder: &str) -> Vec<String> {
    let name = lost.path.rsplit('/').next().unwrap_or_default();
    let join = |folder: &str, name: &str| match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    };
    let mut folders = vec![folder.to_owned()];
    let first: Vec<String> =
        lost.list(case, folder).into_iter().filter(|name| is_meant(name)).take(MAX_FOLDERS).collect();
    for inner in &first {
        folders.push(join(folder, inner));
    }
    if first.len() < 20 {
        for inner in &first {
            let place = join(folder, inner);
            let inside =
                lost.list(case, &place).into_iter().filter(|name| is_meant(name)).take(MAX_FOLDERS / 10);
            folders.extend(inside.map(|inner| join(&place, &inner)));
        }
    }
    folders.into_iter().map(|folder| join(&folder, name)).collect()
}

/// `command`: a file whose name the shell cut at its signs, in quotes.
pub(super) fn bare_name(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = &case.failure.command;
    let reads =
        ["cat", "less", "head", "tail", "wc", "ls", "cd", "file", "stat", "cp", "vim", "nano", "open"];
    let program = asked.split_whitespace().next()?;
    let reads =
        reads.contains(&program) || matches!(program, "python3" | "bash" | "grep" | "unzip" | "xdg-open");
    if !reads || asked.contains(['"', '\'', '`', '\\', '$']) {
        return None;
    }
    let folder = case.folder.as_ref()?;
    let special = |name: &String| name.contains(['(', ')', '&', ';', '#', '<', '>', '|', '*', '!', '[']);
    let names: Vec<String> = case.machine.list(folder).into_iter().filter(special).collect();
    let stands = |name: &&String| {
        let mut places = asked.match_indices(name.as_str());
        let whole = |(at, name): (usize, &str)| {
            asked[..at].ends_with(' ')
                && asked[at + name.len()..].chars().next().is_none_or(|c| c == ' ' || c == '/')
        };
        places.next().is_some_and(whole) && places.next().is_none()
    };
    let name = one(names.iter().filter(stands))?;
    found.set("command", asked.replacen(name.as_str(), &quote(name), 1));
    found.set("name", name.as_str());
    Some(())
}

/// `command`: what is to be found and where it is looked for, changed round: the first is a file and the second is none.
pub(super) fn swapped(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["grep", "egrep", "fgrep", "rg", "sed", "awk", "jq", "yq"])?;
    let in_place = run.args().iter().any(|arg| arg.raw.starts_with("-i") && run.program() == "sed");
    let operands: Vec<&Word> =
        run.args().iter().filter(|arg| !text(arg).is_some_and(|arg| arg.starts_with('-'))).collect();
    let takes_value = run.args().iter().filter_map(text).any(|arg| {
        matches!(arg, "-e" | "-f" | "-A" | "-B" | "-C" | "-m" | "--arg" | "--argjson" | "-v" | "-F" | "-L")
    });
    let [first, second] = operands[..] else { return None };
    let (left, right) = (text(first)?, text(second)?);
    let is_file = case.exists(left) && !case.is_dir(left);
    if in_place || takes_value || !is_file || case.exists(right) {
        return None;
    }
    found.set("command", case.splice(&[(first.span, &second.raw), (second.span, &first.raw)])?);
    found.set("path", left);
    found.set("word", right);
    Some(())
}

/// `command`: the blanks of an address as addresses write them.
pub(super) fn encoded_address(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let words = case.runs().flat_map(|run| run.args());
    let with_blanks =
        |word: &&Word| text(word).is_some_and(|text| text.contains("://") && text.trim().contains(' '));
    let word = one(words.filter(with_blanks))?;
    let quote = word.raw.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    let inside = word.raw.strip_prefix(quote)?.strip_suffix(quote)?;
    let new = format!("{quote}{}{quote}", inside.trim().replace(' ', "%20"));
    found.set("command", case.splice(&[(word.span, &new)])?);
    Some(())
}

/// `path` → `near`: the one file beside it whose name goes on where this one ends, with the same ending: `tool_1.0_all.deb` for
/// `tool.deb`.
pub(super) fn longer_name(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", &path));
    let (stem, ending) =
        name.split_once('.').filter(|(stem, ending)| stem.len() > 2 && !ending.is_empty())?;
    let goes_on = |other: &&String| {
        other.strip_prefix(stem).is_some_and(|rest| {
            rest.starts_with(['-', '_', '.', '+']) && rest.ends_with(&format!(".{ending}"))
        })
    };
    let names = case.list(folder)?;
    let longer = one(names.iter().filter(goes_on)).filter(|longer| *longer != name)?;
    found.set("near", path.replace(name, longer));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_the_same_are_alike() {
        assert_eq!(plain("photo01.txt"), plain("photo1.txt"));
        assert_eq!(plain("My Notes_v2.MD"), plain("my-notes-v2.md"));
        assert_ne!(plain("photo1.txt"), plain("photo10.txt"));
        assert_ne!(plain("a1-0.txt"), plain("a10.txt"));
    }

    #[test]
    fn places_and_codes_are_read_off() {
        assert_eq!(without_line("src/a.c:12:5"), Some("src/a.c"));
        assert_eq!(without_line("src/a.c:x"), None);
        assert_eq!(decoded("a%20b%C3%A9.txt").as_deref(), Some("a bé.txt"));
        assert_eq!(decoded("100%.txt").as_deref(), Some("100%.txt"));
    }
}
