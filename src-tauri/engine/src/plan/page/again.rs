//! What a page shows more than once: a command in a sentence and in a block, the same program got in another way, other contents
//! for the same file. Its way holds each of these once.

use std::collections::{HashMap, HashSet};

use super::cell::{Cell, Matter};
use super::file::{FileMode, is_read_at_start};
use super::likeness::command_words;
use super::needed::made_by;
use super::obtained::Obtained;
use super::packages::Getting;
use super::verdict::{Role, Verdict, shortened};
use super::words::words;

/// A command in a sentence that a block shows as well is that block's.
pub(super) fn drop_said_again(cells: &mut Vec<Cell<'_>>) {
    let shown: HashSet<String> = cells
        .iter()
        .filter(|cell| !cell.inline && cell.is_taken())
        .flat_map(|cell| cell.typed_text().lines().map(normal).collect::<Vec<_>>())
        .collect();
    let mut seen = HashSet::new();
    cells.retain(|cell| {
        let Matter::Typed(typed) = &cell.matter else { return true };
        !cell.inline || !shown.contains(&normal(&typed.text)) && seen.insert(normal(&typed.text))
    });
    let has_blocks = cells
        .iter()
        .any(|cell| !cell.inline && matches!(cell.matter, Matter::Typed(_)) && cell.verdict.is_none());
    if has_blocks {
        cells.retain(|cell| !cell.hinted);
    } else {
        // What a sentence tells to copy is in something that the page does not get.
        cells.retain(|cell| !cell.inline || !cell.shell_text().starts_with("cp "));
    }
}

/// What a second run of which is wrong or of no use is run once.
pub(super) fn drop_repeated(cells: &mut [Cell<'_>]) {
    let once = &words().once;
    let mut seen = HashSet::new();
    let mut folder = String::new();
    for cell in
        cells.iter_mut().filter(|cell| cell.verdict.is_none() && !cell.whole && cell.comment.is_none())
    {
        let Matter::Typed(typed) = &cell.matter else { continue };
        let text = normal(&typed.text);
        // In another folder of its own it is another one.
        if let ["cd", to] = command_words(&text).as_slice()
            && to.starts_with(['/', '~'])
        {
            folder = (*to).to_owned();
        }
        let words = command_words(&text).join(" ");
        if once.iter().any(|verb| words.starts_with(&format!("{verb} ")))
            && !seen.insert((folder.clone(), text))
        {
            let why = "the page has shown it before".to_owned();
            cell.judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
        }
    }
}

/// Commands of a block that are told again one by one, in their order, are explained there.
pub(super) fn drop_told_again(cells: &mut [Cell<'_>]) {
    const LEAST: usize = 3;
    let taken: Vec<(usize, usize, String)> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.is_step_of_way() && !cell.whole && cell.comment.is_none())
        .map(|(place, cell)| (place, cell.spot, normal(cell.typed_text())))
        .collect();
    let mut again: HashSet<usize> = HashSet::new();
    let mut at = 0;
    while at < taken.len() {
        let spot = taken[at].1;
        let block: Vec<&str> =
            taken[at..].iter().take_while(|one| one.1 == spot).map(|one| one.2.as_str()).collect();
        let behind = at + block.len();
        let mut next = behind;
        while block.len() >= LEAST && next < taken.len() {
            // Somewhere else the same commands do something else.
            if taken[next].2.starts_with("cd ") && !block.contains(&taken[next].2.as_str()) {
                break;
            }
            let begun = block.iter().position(|text| *text == taken[next].2);
            let count = begun.map_or(0, |begun| {
                block[begun..].iter().zip(&taken[next..]).take_while(|(text, one)| **text == one.2).count()
            });
            if count >= LEAST {
                again.extend(taken[next..next + count].iter().map(|one| one.0));
            }
            next += count.max(1);
        }
        at = behind;
    }
    for place in again {
        let why = "the page has shown it before".to_owned();
        cells[place].judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
    }
}

/// What builds or installs, once more with other options, is another form of it.
pub(super) fn drop_variants(cells: &mut [Cell<'_>]) {
    let mut before: Vec<(usize, Vec<String>)> = Vec::new();
    // Blocks of which a line is another form of one before, with that one's block.
    let mut forms: Vec<(usize, usize)> = Vec::new();
    for cell in cells.iter_mut().filter(|cell| cell.is_step_of_way() && !cell.whole && cell.comment.is_none())
    {
        let text = normal(cell.shell_text());
        let typed: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let Some(program) = command_words(&text).first().map(|first| (*first).to_owned()) else { continue };
        let is_build = words().builds.contains(program.trim_start_matches("./"));
        let form = words().form_of(&typed);
        // Another source is another build.
        let goes_elsewhere = matches!(command_words(&text)[..], ["cd", to, ..] if !to.starts_with(".."));
        let is_source = |one: Obtained| matches!(one.manner.as_str(), "git" | "download");
        let is_other = Obtained::of(&text).is_some_and(is_source)
            || goes_elsewhere
            || matches!(program.as_str(), "tar" | "unzip");
        if !is_build && form.is_none() && !text.contains("| ") {
            if is_other {
                before.clear();
            }
            continue;
        }
        let adds = |known: &[String]| {
            let rest: Vec<&String> = typed.iter().filter(|word| !known.contains(word)).collect();
            // An option, or what stands behind one.
            let is_value = |word: &String| {
                let at = typed.iter().position(|one| one == word).and_then(|at| at.checked_sub(1));
                at.is_some_and(|at| typed[at].starts_with("--"))
            };
            let is_option = |word: &&String| word.starts_with('-') || word.contains('=') || is_value(word);
            // `cmake -DX=y .` beside `cmake -S . -B build`: no more than other settings.
            let sets = |word: &&String| word.starts_with("-D") || word.contains('=');
            let only_sets =
                is_build && known.first() == typed.first() && !rest.is_empty() && rest.iter().all(sets);
            let is_form = form.is_some_and(|form| {
                known != typed
                    && known.starts_with(&typed[..form])
                    && known[form..].iter().all(|word| word.starts_with("--"))
                    && typed[form..].first().is_some_and(|word| word.starts_with('-'))
            });
            only_sets
                || is_form
                || is_build && known == typed
                || known.iter().all(|word| typed.contains(word))
                    && match is_build {
                        true => !rest.is_empty() && rest.iter().all(is_option),
                        false => {
                            typed.starts_with(known)
                                && typed.len() > known.len()
                                && typed[known.len()].starts_with('-')
                        }
                    }
        };
        let form = before.iter().find(|(spot, known)| *spot != cell.spot && adds(known));
        if let Some((spot, known)) = form {
            forms.push((cell.spot, *spot));
            let why = format!("it is another form of \u{201c}{}\u{201d}", shortened(&known.join(" ")));
            cell.judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
            continue;
        }
        if is_other {
            before.clear();
        }
        before.push((cell.spot, typed));
    }
    drop_rest_of_forms(cells, &forms);
}

/// What stands around another form of a command as it stood around that command goes with it.
fn drop_rest_of_forms(cells: &mut [Cell<'_>], forms: &[(usize, usize)]) {
    for (spot, first) in forms {
        let shown: HashSet<String> = cells
            .iter()
            .filter(|cell| cell.spot == *first && cell.is_step_of_way())
            .map(|cell| normal(cell.typed_text()))
            .collect();
        for cell in cells.iter_mut().filter(|cell| cell.spot == *spot && cell.is_step_of_way()) {
            if shown.contains(&normal(cell.typed_text())) {
                let why = "the page has shown it before".to_owned();
                cell.judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
            }
        }
    }
}

/// What has been cloned is there; another clone of it goes into the same folder, and fails.
pub(super) fn drop_cloned_again(cells: &mut [Cell<'_>]) {
    let mut cloned: HashSet<String> = HashSet::new();
    for cell in cells.iter_mut().filter(|cell| cell.is_step_of_way() && !cell.whole && cell.comment.is_none())
    {
        let text = cell.shell_text().to_owned();
        if matches!(command_words(&text)[..], ["cd", ..]) {
            cloned.clear();
        }
        if matches!(command_words(&text)[..], ["git", "clone", ..])
            && !text.contains(['\n', ';', '&', '|'])
            && made_by(&text).into_iter().any(|folder| !cloned.insert(folder))
        {
            let why = "the page has cloned it before".to_owned();
            cell.judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
        }
    }
}

/// What has been got is not got in another way, and its extra parts are nobody's need yet.
pub(super) fn drop_got_again(cells: &mut [Cell<'_>]) {
    let mut got: HashMap<String, String> = HashMap::new();
    for cell in
        cells.iter_mut().filter(|cell| cell.verdict.is_none() && !cell.whole && cell.comment.is_none())
    {
        let Matter::Typed(typed) = &cell.matter else { continue };
        if typed.text.contains(['\n', '|', '&', ';', '$']) {
            continue;
        }
        let Some(getting) = Getting::of(&typed.text).filter(|one| one.family().is_some()) else { continue };
        // A folder or a file is another one wherever the page has gone.
        let is_here = |name: &String| {
            name.starts_with('.') || name.contains("://") || name.contains('/') && !name.starts_with('@')
        };
        if getting.packages.is_empty() || getting.packages.iter().any(is_here) {
            continue;
        }
        let before: Option<Vec<&String>> = getting.packages.iter().map(|name| got.get(name)).collect();
        let Some(before) = before.and_then(|all| all.first().map(|first| (*first).clone())) else {
            let text = typed.text.trim().to_owned();
            got.extend(getting.packages.into_iter().map(|name| (name, text.clone())));
            continue;
        };
        let before = shortened(&before);
        let (role, why) = match getting.has_extras {
            true => (Role::Optional, format!("it adds parts to what \u{201c}{before}\u{201d} gets")),
            false => (Role::Alternative, format!("\u{201c}{before}\u{201d} gets it already")),
        };
        cell.judge(Some(Verdict { role, aside: None, why }));
    }
}

/// Contents in the place of others, with nothing run in between, show another way to write the file.
pub(super) fn drop_written_again(cells: &mut [Cell<'_>]) {
    let mut written: HashSet<String> = HashSet::new();
    let mut started: HashMap<String, String> = HashMap::new();
    for cell in cells.iter_mut() {
        let is_taken = cell.is_taken();
        match &cell.matter {
            Matter::File { path, content, .. } if is_taken && is_read_at_start(path) => {
                match started.get(content.trim()) {
                    Some(before) if before != path => {
                        let why = format!("{before} gets it already");
                        cell.judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
                    }
                    Some(_) => {}
                    None => drop(started.insert(content.trim().to_owned(), path.clone())),
                }
            }
            Matter::Typed(_) if is_taken => written.clear(),
            Matter::File { path, mode: FileMode::Write, .. } if is_taken && !written.insert(path.clone()) => {
                let why = format!("the page has given contents for {path} before");
                cell.judge(Some(Verdict { role: Role::Alternative, aside: None, why }));
            }
            Matter::File { .. } | Matter::Typed(_) | Matter::Manual(_) | Matter::Shown(_) => {}
        }
    }
}

fn normal(text: &str) -> String {
    let text = text.split(" # ").next().unwrap_or_default();
    let mut words = text.trim().trim_start_matches("$ ").split_whitespace().peekable();
    if words.next_if_eq(&"sudo").is_some() {
        while words.next_if(|word| word.starts_with('-')).is_some() {}
    }
    words.collect::<Vec<_>>().join(" ")
}
