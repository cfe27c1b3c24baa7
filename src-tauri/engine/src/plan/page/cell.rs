//! The smallest parts of a page that get a role: one command, one file's contents, one thing to do by hand, one block that is
//! none of these; each with what the page says of it.

use std::collections::HashSet;
use std::ops::Range;

use planwright_page::{CodeStyle, Document};

use super::content::{by_content, keys_of_sources, shown_to_fail};
use super::file::{FileFound, FileMode, file_for, is_path};
use super::likeness::{Vocabulary, command_words};
use super::machine::Machine;
use super::outline::{Key, Lead, Scope, Spot, What, in_steps, sentences};
use super::shape::{Shape, Typed, shape};
use super::told::told;
use super::verdict::{self, Role, Verdict};
use super::words::words;

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

    /// Its command; nothing where it is no command.
    pub(super) fn shell_text(&self) -> &str {
        match &self.matter {
            Matter::Typed(typed) => &typed.text,
            Matter::File { .. } | Matter::Manual(_) | Matter::Shown(_) => "",
        }
    }

    /// Whether it does something that the page's way needs.
    pub(super) fn is_step_of_way(&self) -> bool {
        self.is_taken() && !matches!(self.matter, Matter::Shown(_) | Matter::Manual(_))
    }

    /// A step of an exported page, which says itself what it is.
    pub(super) fn is_step(&self) -> bool {
        self.comment.is_some_and(says_step)
    }

    /// Whether the page's way has it, as far as is known by now.
    pub(super) fn is_taken(&self) -> bool {
        self.verdict.as_ref().is_none_or(|verdict| verdict.role.is_taken())
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
            Matter::Typed(typed) if remark.is_none() && words().installs(&command_words(&typed.text)) => {
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
    let exported = spots.iter().any(|spot| matches!(spot.what, What::Comment(text) if says_step(text)));
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
    if !exported {
        super::inside::bring_in(&mut cells, machine);
    }
    let released = released_sections(document);
    for cell in &mut cells {
        if exported {
            continue;
        }
        release(cell, &released, machine);
        by_content(cell, machine, home.as_deref());
        by_surroundings(cell, machine);
    }
    keys_of_sources(&mut cells);
    shown_to_fail(&mut cells);
    cells
}

/// A comment that makes the block behind it a step, whatever else the page says.
fn says_step(text: &str) -> bool {
    text.split_whitespace().next() == Some("step") && text.contains('=')
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

pub(super) fn cell<'d>(spot: &Spot<'_>, matter: Matter, range: Range<usize>) -> Cell<'d> {
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
                last.shown = code.text.split('\n').map(str::to_owned).collect();
            }
            cells.push(shown(Role::Output, "the page marks it as output".to_owned()));
            return;
        }
        Some(text) if says_step(text) => {
            let typed = Typed { text: code.text.clone(), ..Typed::default() };
            let mut one = cell(spot, Matter::Typed(typed), spot.range.clone());
            one.whole = true;
            one.prose.clone_from(&spot.prose);
            cells.push(one);
            return;
        }
        _ => {}
    }
    if exported && super::shape::promise(code) == super::shape::Promise::Nothing {
        return cells.push(shown(Role::Output, "it is shown beside a step".to_owned()));
    }
    let language = code.language.as_deref().unwrap_or_default();
    if words().is_language("other-shell", language)
        && !vocabulary.machine.programs.is_empty()
        && file_for(spot, code).is_none()
    {
        let why = format!("it is written for {language}, and commands run in bash");
        return cells.push(shown(Role::OtherLanguage, why));
    }
    // Contents for that shell's own file are written where it is there.
    let is_for_a_shell = matches!(
        super::shape::promise(code),
        super::shape::Promise::Shell | super::shape::Promise::Transcript
    );
    if let Some(shell) =
        words().dialect_of(&code.text).filter(|_| is_for_a_shell && file_for(spot, code).is_none())
    {
        let why = format!("it is written for {shell}, and commands run in bash");
        return cells.push(shown(Role::OtherLanguage, why));
    }
    let lead = spot.lead.as_ref().filter(|lead| !lead.carried);
    if let Some(command) =
        lead.and_then(|lead| super::packages::listed(&lead.text, &code.text, vocabulary.machine))
    {
        let typed = Typed { text: command, ..Typed::default() };
        let mut one = cell(spot, Matter::Typed(typed), spot.range.clone());
        one.prose.clone_from(&spot.prose);
        return cells.push(one);
    }
    if lead.is_some_and(|lead| super::packages::are_listed(&lead.text, &code.text)) {
        return cells.push(shown(Role::OtherLanguage, "it lists packages".to_owned()));
    }
    let led = spot.lead.as_ref().is_some_and(|lead| {
        sentences(&lead.text).last().is_some_and(|last| words().lead("run", last).is_some())
    });
    let read = shape(code, vocabulary, led);
    let typed = match read {
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
    if shows_a_look(spot, &typed) {
        return cells.push(shown(Role::Output, "it shows what is there then".to_owned()));
    }
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
    // "Run either of these": each line is a way.
    let either = typed.len() > 1
        && typed.iter().all(|one| one.remark.is_empty())
        && spot.lead.as_ref().filter(|lead| !lead.carried).is_some_and(|lead| {
            sentences(&lead.text).last().is_some_and(|last| words().lead("either", last).is_some())
        });
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
        if either && nth > 0 {
            new.scopes.push(Scope { key: Key::Remark(spot.place, nth), text: "or".to_owned() });
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

/// "The folder looks like this then:", and a terminal in which somebody only looks.
fn shows_a_look(spot: &Spot<'_>, typed: &[Typed]) -> bool {
    const LOOKING: [&str; 8] = ["cd", "ls", "tree", "pwd", "cat", "ll", "stat", "file"];
    let is_led = spot.lead.as_ref().filter(|lead| !lead.carried).is_some_and(|lead| {
        let last = sentences(&lead.text).last().copied().unwrap_or_default();
        words().lead("output", last).is_some()
    });
    let only_looks =
        |one: &Typed| command_words(&one.text).first().is_some_and(|program| LOOKING.contains(program));
    is_led && typed.iter().any(|one| !one.shown.is_empty()) && typed.iter().all(only_looks)
}

/// Shell text that the page gives a script's name.
fn script_file(spot: &Spot<'_>, code: &planwright_page::Code) -> Option<FileFound> {
    let found = file_for(spot, code)?;
    let is_script = code.text.starts_with("#!");
    let mut said =
        code.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    let is_settings = said.peek().is_some()
        && said.all(|line| {
            let first = line.trim_start_matches("export ").split_whitespace().next();
            super::likeness::is_assignment(first.unwrap_or_default())
        });
    let is_profile = found.path.starts_with("/etc/")
        || found.path.starts_with("~/")
        || words().shell_of(&found.path).is_some()
        || found.path.ends_with(".env");
    // A command that writes to the file itself is a command.
    let name = found.path.rsplit('/').next().unwrap_or(&found.path);
    let writes_itself = code.text.contains('>') && code.text.contains(name) || code.text.contains("tee ");
    let is_file = is_script || is_settings || is_profile && found.mode == FileMode::Append;
    (is_file && !writes_itself).then_some(found)
}

pub(super) fn with_line_end(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    format!("{text}\n")
}

fn line_range(code: &planwright_page::Code, lines: &Range<usize>) -> Option<Range<usize>> {
    let first = code.lines.get(lines.start)?;
    let last = code.lines.get(lines.end.checked_sub(1)?.min(code.lines.len().checked_sub(1)?))?;
    (first.start <= last.end).then_some(first.start..last.end)
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
    (before.matches('\'').count().is_multiple_of(2) && before.matches('"').count().is_multiple_of(2))
        .then(|| text[at..].trim_start_matches([' ', '\t', '#']).trim().to_owned())
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

fn release(cell: &mut Cell<'_>, released: &HashSet<usize>, machine: &Machine) {
    let ends_with_list = |scope: &Scope| {
        matches!(scope.key, Key::Section(at) if released.contains(&at))
            && verdict::system(&scope.text, machine, false).is_some()
    };
    if !in_steps(&cell.scopes) {
        cell.scopes.retain(|scope| !ends_with_list(scope));
    }
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
        .and_then(|lead| verdict::of_lead(lead, machine))
        .filter(|_| {
            let looks = cell.lead.as_ref().is_some_and(|lead| verdict::only_looks(&lead.text));
            !(looks && super::needed::makes_something(cell.shell_text()))
        });
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
