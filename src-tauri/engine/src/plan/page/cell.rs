//! The smallest parts of a page that get a role: one command, one file's contents, one thing to do by hand, one block that is
//! none of these; each with what the page says of it.

use std::collections::HashSet;
use std::ops::Range;

use planwright_page::{CodeStyle, Document, Inline};

use super::file::{FileFound, FileMode, file_for, is_path, paths_in};
use super::inline::{Told, commands_in};
use super::likeness::{Vocabulary, command_words};
use super::machine::Machine;
use super::outline::{Key, Lead, Scope, Spot, What, sentences};
use super::shape::{Shape, Typed, shape};
use super::verdict::{self, Role, Verdict, shortened};
use super::words::{other_release, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Matter {
    Typed(Typed),
    File {
        path: String,
        mode: FileMode,
        content: String,
    },
    /// What a person has to do.
    Manual(String),
    /// Neither: shown text.
    Shown(String),
}

#[derive(Debug, Clone)]
pub(super) struct Cell<'d> {
    /// Place of its block among all.
    pub(super) spot: usize,
    pub(super) section: usize,
    pub(super) range: Range<usize>,
    pub(super) matter: Matter,
    pub(super) scopes: Vec<Scope>,
    pub(super) lead: Option<Lead>,
    /// The weightiest of what is said of it.
    pub(super) verdict: Option<Verdict>,
    said: Vec<Verdict>,
    /// A command in a sentence.
    pub(super) inline: bool,
    /// An inline command that no word tells outright to run.
    pub(super) hinted: bool,
    /// For people: what the page says before it.
    pub(super) prose: String,
    /// A comment of ours before its block.
    pub(super) comment: Option<&'d str>,
    /// The whole block is one script or one exported step.
    pub(super) whole: bool,
    /// Its block's lines were typed at prompts.
    pub(super) prompted: bool,
}

impl Cell<'_> {
    pub(super) fn typed_text(&self) -> &str {
        match &self.matter {
            Matter::Typed(typed) => &typed.text,
            Matter::File { content, .. } => content,
            Matter::Manual(text) | Matter::Shown(text) => text,
        }
    }

    /// Cells of one key stand behind the same words.
    pub(super) fn run_key(&self) -> (usize, Option<usize>, Option<Key>) {
        let remark = self
            .scopes
            .iter()
            .rev()
            .find(|scope| matches!(scope.key, Key::Remark(..)))
            .map(|scope| scope.key.clone());
        let lead = self.lead.as_ref().map(|lead| lead.place);
        // Without words between them each line may be a way of its own.
        let line = match &self.matter {
            Matter::Typed(typed)
                if remark.is_none()
                    && words()
                        .manager_of(&command_words(&typed.text))
                        .is_some_and(|one| !one.verbs.is_empty()) =>
            {
                Some(Key::Remark(self.spot, typed.lines.start))
            }
            _ => remark,
        };
        (if self.inline { usize::MAX } else { 0 }, lead, line)
    }

    pub(super) fn judge(&mut self, verdict: Option<Verdict>) {
        self.said.extend(verdict);
        self.settle();
    }

    /// Takes back what is said of it where `of` holds; the rest counts.
    pub(super) fn unsay(&mut self, of: impl Fn(&Verdict) -> bool) {
        self.said.retain(|verdict| !of(verdict));
        self.settle();
    }

    fn settle(&mut self) {
        // Of two of the same weight the first counts.
        self.verdict = self.said.iter().rev().max_by_key(|verdict| (verdict.role, verdict.aside)).cloned();
    }
}

/// Every cell of the page, judged by what it is and by what the page says of it.
pub(super) fn cells<'d>(document: &'d Document, spots: &[Spot<'d>], machine: &Machine) -> Vec<Cell<'d>> {
    let vocabulary = Vocabulary { machine, own: own_programs(spots) };
    let exported = spots.iter().any(|spot| matches!(spot.what, What::Comment(text) if text.trim().starts_with("step ") && text.contains('=')));
    let mut cells: Vec<Cell<'d>> = Vec::new();
    let mut comment: Option<&'d str> = None;
    let mut section = None;
    for spot in spots {
        // A comment does not reach over a heading.
        if section.replace(spot.section) != Some(spot.section) {
            comment = None;
        }
        match &spot.what {
            What::Comment(text) => comment = Some(text),
            What::Prose { text, inline } => {
                if !exported {
                    told(&mut cells, spot, text, inline, &vocabulary);
                }
            }
            What::Code(code) => {
                let ours = comment.take().filter(|text| is_ours(text));
                let start = cells.len();
                block(&mut cells, spot, code, &vocabulary, ours, exported);
                for cell in &mut cells[start..] {
                    cell.comment = ours;
                }
            }
        }
    }
    let home = cells
        .iter()
        .find_map(|cell| if let Matter::Typed(typed) = &cell.matter { typed.host.clone() } else { None });
    let released = released_sections(document);
    for cell in &mut cells {
        if cell.comment.is_some_and(|text| text.trim().starts_with("step ")) || exported {
            continue;
        }
        release(cell, &released);
        by_content(cell, machine, home.as_deref());
        by_surroundings(cell, machine);
    }
    keys_of_sources(&mut cells);
    cells
}

/// The keys of a package source that is for another release go with it.
fn keys_of_sources(cells: &mut [Cell<'_>]) {
    let blocks: HashSet<usize> = cells
        .iter()
        .filter(|cell| cell.typed_text().contains("sources.list"))
        .filter(|cell| cell.verdict.as_ref().is_some_and(|verdict| verdict.role == Role::OtherSystem))
        .map(|cell| cell.spot)
        .collect();
    for cell in cells.iter_mut().filter(|cell| blocks.contains(&cell.spot)) {
        if command_words(cell.typed_text()).first() == Some(&"apt-key") {
            let why = "it is the key of a package source that is for another release".to_owned();
            cell.judge(Some(Verdict { role: Role::OtherSystem, aside: None, why }));
        }
    }
}

fn is_ours(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    matches!(word, "step" | "expected" | "plan")
}

/// First words of what is typed at prompts: the page itself says that these are programs.
fn own_programs(spots: &[Spot<'_>]) -> HashSet<String> {
    let mut own = HashSet::new();
    for spot in spots {
        let What::Code(code) = spot.what else { continue };
        for line in code.text.lines() {
            let Some(typed) = line.trim_start().strip_prefix("$ ") else { continue };
            if let Some(first) = command_words(typed).first()
                && first.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter))
            {
                own.insert((*first).to_owned());
            }
        }
    }
    own
}

fn cell<'d>(spot: &Spot<'_>, matter: Matter, range: Range<usize>) -> Cell<'d> {
    Cell {
        spot: spot.place,
        section: spot.section,
        range,
        matter,
        scopes: spot.scopes.clone(),
        lead: spot.lead.clone(),
        verdict: None,
        said: Vec::new(),
        inline: false,
        hinted: false,
        prose: String::new(),
        comment: None,
        whole: false,
        prompted: false,
    }
}

fn block<'d>(
    cells: &mut Vec<Cell<'d>>,
    spot: &Spot<'d>,
    code: &'d planwright_page::Code,
    vocabulary: &Vocabulary<'_>,
    ours: Option<&str>,
    exported: bool,
) {
    if code.text.trim().is_empty() && ours.is_none() {
        return;
    }
    let shown = |role: Role, why: String| {
        let mut one = cell(spot, Matter::Shown(code.text.clone()), spot.range.clone());
        one.prose.clone_from(&spot.prose);
        one.judge(Some(Verdict { role, aside: None, why }));
        one
    };
    match ours.map(str::trim) {
        Some("expected") => {
            if let Some(Matter::Typed(last)) = cells.last_mut().map(|last| &mut last.matter) {
                last.shown = code.text.lines().map(str::to_owned).collect();
            }
            cells.push(shown(Role::Output, "the page marks it as output".to_owned()));
            return;
        }
        Some(text) if text.starts_with("step ") && text.contains('=') => {
            let typed = Typed { text: code.text.clone(), ..Typed::default() };
            let mut one = cell(spot, Matter::Typed(typed), spot.range.clone());
            one.whole = true;
            one.prose.clone_from(&spot.prose);
            cells.push(one);
            return;
        }
        _ => {}
    }
    let led = spot.lead.as_ref().is_some_and(|lead| {
        sentences(&lead.text).last().is_some_and(|last| words().lead("run", last).is_some())
    });
    let read = shape(code, vocabulary, led);
    let typed = match read {
        Shape::Commands(typed)
            if exported && super::shape::promise(code) == super::shape::Promise::Nothing =>
        {
            drop(typed);
            cells.push(shown(Role::Output, "it is shown beside a step".to_owned()));
            return;
        }
        Shape::Commands(typed) => typed,
        Shape::Foreign(language) => {
            let why = format!(
                "it is for Windows (a block of {language}), and this is {}",
                vocabulary.machine.named()
            );
            cells.push(shown(Role::OtherSystem, why));
            return;
        }
        Shape::Session(why) => return cells.push(shown(Role::OtherLanguage, why)),
        Shape::Output(why) => return cells.push(shown(Role::Output, why)),
        Shape::Other(why) => {
            if let Some(FileFound { path, mode, why }) = file_for(spot, code) {
                let matter = Matter::File { path, mode, content: with_line_end(&code.text) };
                let mut one = cell(spot, matter, spot.range.clone());
                one.prose.clone_from(&spot.prose);
                one.judge(Some(Verdict { role: Role::File, aside: None, why }));
                return cells.push(one);
            }
            let is_output = cells
                .last()
                .is_some_and(|last| last.section == spot.section && matches!(last.matter, Matter::Typed(_)))
                && super::shape::promise(code) != super::shape::Promise::Other
                && spot
                    .lead
                    .as_ref()
                    .is_none_or(|lead| lead.carried || words().lead("output", &lead.text).is_some());
            let role = if is_output { Role::Output } else { Role::OtherLanguage };
            if is_output
                && let Some(Matter::Typed(last)) = cells.last_mut().map(|last| &mut last.matter)
                && last.shown.is_empty()
            {
                last.shown = code.text.lines().map(str::to_owned).collect();
            }
            return cells.push(shown(
                role,
                if is_output { "it follows a command as what is shown".to_owned() } else { why },
            ));
        }
    };
    // A script that is written down as a file is contents, not typed.
    if code.style != CodeStyle::Whole
        && let Some(found) = script_file(spot, code)
    {
        let matter = Matter::File { path: found.path, mode: found.mode, content: with_line_end(&code.text) };
        let mut one = cell(spot, matter, spot.range.clone());
        one.prose.clone_from(&spot.prose);
        one.judge(Some(Verdict { role: Role::File, aside: None, why: found.why }));
        return cells.push(one);
    }
    let prompted = code.text.lines().any(|line| {
        super::prompt::prompt(line.trim_start()).is_some_and(|found| found.sign == super::prompt::Sign::User)
    });
    let mut remark: Option<(usize, String)> = None;
    let count = typed.len();
    for (nth, one) in typed.into_iter().enumerate() {
        let range = line_range(code, &one.lines).unwrap_or_else(|| spot.range.clone());
        if !one.remark.is_empty() {
            remark = Some((one.lines.start, one.remark.clone()));
        } else if one.apart {
            remark = None;
        }
        let behind = trailing_remark(&one.text);
        let mut new = cell(spot, Matter::Typed(one), range);
        if let Some((line, text)) = &remark {
            new.scopes.push(Scope { key: Key::Remark(spot.place, *line), text: text.clone() });
        }
        if let Some(text) = behind {
            new.scopes.push(Scope { key: Key::Remark(spot.place, usize::MAX - nth), text });
        }
        if let Some(title) = &code.title {
            new.scopes.push(Scope { key: Key::Remark(spot.place, usize::MAX / 2), text: title.clone() });
        }
        new.whole = code.style == CodeStyle::Whole && count == 1;
        new.prompted = prompted;
        if nth == 0 {
            new.prose.clone_from(&spot.prose);
        }
        cells.push(new);
    }
}

/// Shell text that the page gives a script's name.
fn script_file(spot: &Spot<'_>, code: &planwright_page::Code) -> Option<FileFound> {
    let found = file_for(spot, code)?;
    let is_script = code.text.starts_with("#!");
    let is_settings =
        code.text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#')).all(
            |line| {
                super::likeness::is_assignment(
                    line.trim().trim_start_matches("export ").split_whitespace().next().unwrap_or_default(),
                )
            },
        );
    let is_profile = ["bashrc", "zshrc", "profile", "bash_profile", "zshenv", "config.fish", ".env"]
        .iter()
        .any(|name| found.path.ends_with(name));
    (is_script || is_settings || is_profile && found.mode == FileMode::Append).then_some(found)
}

fn with_line_end(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    format!("{text}\n")
}

fn line_range(code: &planwright_page::Code, lines: &Range<usize>) -> Option<Range<usize>> {
    let first = code.lines.get(lines.start)?;
    let last = code.lines.get(lines.end.checked_sub(1)?.min(code.lines.len().checked_sub(1)?))?;
    (first.start <= last.end).then(|| first.start..last.end)
}

/// `make  # on Linux` → "on Linux".
fn trailing_remark(text: &str) -> Option<String> {
    if text.contains('\n') {
        return None;
    }
    let at = text.find(" # ").or_else(|| text.find("\t# ")).or_else(|| {
        text.find(" #").filter(|at| text[at + 2..].starts_with(|next: char| next.is_uppercase()))
    })?;
    let before = &text[..at];
    (before.matches('\'').count() % 2 == 0 && before.matches('"').count() % 2 == 0)
        .then(|| text[at..].trim_start_matches([' ', '\t', '#']).trim().to_owned())
}

/// Commands in sentences, and what only a person can do.
fn told<'d>(
    cells: &mut Vec<Cell<'d>>,
    spot: &Spot<'d>,
    text: &str,
    inline: &[Inline],
    vocabulary: &Vocabulary<'_>,
) {
    let mut any = false;
    for Told { text: typed, range, sentence, plainly } in commands_in(text, inline, vocabulary) {
        let typed = Typed { text: typed, ..Typed::default() };
        let mut one = cell(spot, Matter::Typed(typed), range);
        one.lead =
            Some(Lead { text: sentence.clone(), inline: Vec::new(), carried: false, place: spot.place });
        one.inline = true;
        one.hinted = !plainly;
        one.prose = sentence;
        any |= plainly;
        cells.push(one);
    }
    if any {
        return;
    }
    let in_step = spot.scopes.iter().any(|scope| matches!(scope.key, Key::Item { ordered: true, .. }));
    for sentence in sentences(text) {
        let found = ["login", "reboot"].iter().find_map(|kind| {
            words()
                .manual
                .get(*kind)
                .and_then(|phrases| phrases.find(sentence))
                .filter(|_| begins_with_order(sentence, in_step))
        });
        let edits = || {
            let said = words().manual.get("edit").and_then(|phrases| phrases.find(sentence))?;
            let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
            let names_file = !paths_in(text, inline, start..start + sentence.len()).is_empty();
            let names_setting = inline
                .iter()
                .any(|one| one.at >= start && one.at < start + sentence.len() && is_setting(one.text.trim()));
            (names_file || names_setting).then_some(said)
        };
        let opens = || {
            let said = words().manual.get("browser").and_then(|phrases| phrases.find(sentence))?;
            in_step.then_some(said)
        };
        if let Some(said) = found.or_else(edits).or_else(opens) {
            let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
            let mut one = cell(
                spot,
                Matter::Manual(text.get(start..).unwrap_or(sentence).trim().to_owned()),
                spot.range.clone(),
            );
            one.lead = Some(Lead {
                text: sentence.to_owned(),
                inline: Vec::new(),
                carried: false,
                place: spot.place,
            });
            one.judge(Some(Verdict {
                role: Role::Manual,
                aside: None,
                why: format!("\u{201c}{}\u{201d} ({said})", shortened(sentence)),
            }));
            one.inline = true;
            cells.push(one);
            return;
        }
    }
}

/// `DB_PASSWORD`.
fn is_setting(word: &str) -> bool {
    word.len() > 3
        && word.contains('_')
        && word.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
}

/// An order, not a remark about what happens.
fn begins_with_order(sentence: &str, in_step: bool) -> bool {
    let first = sentence
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .trim_matches(|letter: char| !letter.is_alphanumeric())
        .to_lowercase();
    let orders = matches!(
        first.as_str(),
        "log"
            | "logout"
            | "sign"
            | "reboot"
            | "restart"
            | "close"
            | "reopen"
            | "open"
            | "re-login"
            | "relogin"
            | "now"
            | "then"
            | "please"
            | "finally"
            | "next"
    );
    orders && sentence.split_whitespace().count() <= 30 || in_step && orders
}

/// A section of another system that is a numbered list ends with it: what stands behind the list is for everyone again.
fn released_sections(document: &Document) -> HashSet<usize> {
    let is_ordered = |block: &planwright_page::Block| {
        block.within.iter().any(|one| matches!(one, planwright_page::Container::Item { ordered: true, .. }))
    };
    document
        .sections
        .iter()
        .enumerate()
        .filter(|(_, section)| {
            section.blocks.first().is_some_and(is_ordered)
                && section.blocks.iter().any(|block| !is_ordered(block))
        })
        .map(|(place, _)| place)
        .collect()
}

fn release(cell: &mut Cell<'_>, released: &HashSet<usize>) {
    let in_list = cell.scopes.iter().any(|scope| matches!(scope.key, Key::Item { ordered: true, .. }));
    if !in_list {
        cell.scopes.retain(|scope| !matches!(scope.key, Key::Section(at) if released.contains(&at)));
    }
}

/// What a command itself says of where it belongs.
fn by_content(cell: &mut Cell<'_>, machine: &Machine, home: Option<&str>) {
    let Matter::Typed(typed) = &cell.matter else { return };
    let other = |why: String| Some(Verdict { role: Role::OtherSystem, aside: None, why });
    if typed.windows || reads_as_windows(&typed.text) {
        let verdict = other(format!("it is for Windows, and this is {}", machine.named()));
        return cell.judge(verdict);
    }
    if let (Some(host), Some(home)) = (&typed.host, home)
        && host != home
    {
        let verdict = other(format!("its prompt is of another machine ({host})"));
        return cell.judge(verdict);
    }
    let lines: Vec<&str> = typed.text.lines().collect();
    for part in lines.iter().flat_map(|line| line.split(['|', ';', '&', '('])) {
        let typed_words = command_words(part);
        let Some(program) = typed_words.first() else { continue };
        if let Some(system) = machine.is_foreign(program) {
            let verdict = other(format!("{program} belongs to {system}, and this is {}", machine.named()));
            return cell.judge(verdict);
        }
    }
    let all: Vec<&str> = command_words(&typed.text);
    let program = all.first().copied().unwrap_or_default();
    let sources = typed.text.contains("sources.list")
        || typed.text.contains("preferences.d")
        || typed.text.contains("apt-pinning");
    if sources && let Some(release) = other_release(machine, &typed.text) {
        let verdict = other(format!(
            "it is about the release \u{201c}{release}\u{201d}, and this is {}",
            machine.named()
        ));
        return cell.judge(verdict);
    }
    if typed.text.contains("ppa:") && machine.id != "ubuntu" && !machine.id.is_empty() {
        let verdict = other(format!("a PPA is for Ubuntu, and this is {}", machine.named()));
        return cell.judge(verdict);
    }
    if all.iter().any(|word| word.contains("raspberrypi-kernel") || word.starts_with("linux-headers-raspi"))
        && machine.id != "raspbian"
    {
        let verdict = other(format!("it is for a Raspberry Pi, and this is {}", machine.named()));
        return cell.judge(verdict);
    }
    let table = words();
    if table.editors.contains(program) && all.len() > 1 {
        return edited(cell);
    }
    let joined = all.join(" ");
    let person = table.person.iter().find(|(_, starts)| {
        starts.iter().any(|start| {
            joined == *start || joined.strip_prefix(start.as_str()).is_some_and(|rest| rest.starts_with(' '))
        })
    });
    if let Some((kind, _)) = person
        && !typed.text.contains('\n')
        && !(program == "su" && joined.contains(" -c"))
        && !joined.contains("&&")
    {
        let instruction = match kind.as_str() {
            "reboot" => format!("Restart the machine (`{}`). Go on here afterwards.", typed.text.trim()),
            _ => format!("Do `{}` in a terminal of your own, or log out and in again.", typed.text.trim()),
        };
        let why = format!("{joined} ends or replaces the session, so it is done by hand");
        cell.matter = Matter::Manual(instruction);
        return cell.judge(Some(Verdict { role: Role::Manual, aside: None, why }));
    }
    let starts_session = all.len() == 1 && table.interactive.contains(program);
    if starts_session {
        let why = format!("{program} alone opens a program that waits for words");
        cell.judge(Some(Verdict { role: Role::OtherLanguage, aside: None, why }));
    }
}

/// An editor opened on a file, with what the page shows in it.
fn edited(cell: &mut Cell<'_>) {
    let Matter::Typed(typed) = &cell.matter else { return };
    let all = command_words(&typed.text);
    let Some(path) = all
        .iter()
        .skip(1)
        .rfind(|word| !word.starts_with('-') && !word.starts_with('+'))
        .map(|word| (*word).to_owned())
    else {
        return;
    };
    let shown: Vec<&str> = typed.shown.iter().map(String::as_str).collect();
    if shown.iter().any(|line| !line.trim().is_empty()) {
        let mode = match &cell.lead {
            Some(lead) if words().file("append", &lead.text).is_some() => FileMode::Append,
            _ => FileMode::Write,
        };
        let content = with_line_end(&shown.join("\n"));
        let why = format!("it is shown in an editor of {path}");
        cell.matter = Matter::File { path, mode, content };
        return cell.judge(Some(Verdict { role: Role::File, aside: None, why }));
    }
    let instruction =
        match cell.lead.as_ref().map(|lead| lead.text.trim().to_owned()).filter(|text| !text.is_empty()) {
            Some(text) => format!("Edit {path}: {}", text.trim_end_matches(':')),
            None => format!("Edit {path}."),
        };
    let why = format!("`{}` opens an editor", typed.text.trim());
    cell.matter = Matter::Manual(instruction);
    cell.judge(Some(Verdict { role: Role::Manual, aside: None, why }));
}

fn reads_as_windows(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let variable = text.split('%').nth(1).is_some_and(|name| {
        name.len() > 2 && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    }) && text.matches('%').count() >= 2;
    first.contains('\\') && !first.contains("\\ ") && !first.starts_with('\\')
        || variable
        || text.contains("$env:")
        || text.contains("\\Scripts\\")
        || text.contains(":\\")
        || first.ends_with(".exe")
        || first.ends_with(".bat")
        || first.ends_with(".ps1")
        || first.split_once('-').is_some_and(|(verb, noun)| {
            matches!(
                verb,
                "Set"
                    | "Get"
                    | "New"
                    | "Invoke"
                    | "Start"
                    | "Enable"
                    | "Add"
                    | "Remove"
                    | "Install"
                    | "Import"
                    | "Expand"
                    | "Write"
            ) && noun.starts_with(|letter: char| letter.is_uppercase())
        })
}

/// What headings, labels and the sentence before it say.
fn by_surroundings(cell: &mut Cell<'_>, machine: &Machine) {
    let content = cell.verdict.as_ref().map(|verdict| verdict.role);
    let scopes = verdict::of_scopes(&cell.scopes, machine);
    let named = cell.scopes.iter().any(|scope| matches!(scope.key, Key::Remark(..)));
    let lead = cell
        .lead
        .as_ref()
        .filter(|_| !named || content.is_none())
        .and_then(|lead| verdict::of_lead(lead, machine));
    for verdict in [scopes, lead].into_iter().flatten() {
        // What is no command or file stays what it is, whatever is said of it.
        if matches!(content, Some(Role::Output | Role::OtherLanguage | Role::Unreadable)) {
            continue;
        }
        cell.judge(Some(verdict));
    }
}

/// Whether a word of a path names a folder that was gone into.
pub(super) fn within_folder(path: &str, folder: Option<&str>) -> String {
    match (folder, path.split_once('/')) {
        (Some(folder), Some((first, rest))) if first == folder && !rest.is_empty() && is_path(rest) => {
            rest.to_owned()
        }
        _ => path.to_owned(),
    }
}
