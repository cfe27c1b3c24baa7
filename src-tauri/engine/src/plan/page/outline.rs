//! Where each block of a page stands: under which headings, labels, tabs and list items, behind which sentence. The page's own
//! structure and nothing of what it means.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use planwright_page::{Block, BlockKind, Cell, Code, Container, Document, Inline, InlineKind};

use super::likeness::command_words;
use super::words::words;

/// Longest label: "Debian, Ubuntu and other relatives of theirs:".
const LABEL_WORDS: usize = 9;

/// Tabs that are rows and columns of tables are numbered from here.
const TABLES: u32 = 1 << 31;

/// One thing that a block stands in, from the outermost in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) key: Key,
    pub(super) text: String,
}

/// Whether something stands in a numbered list.
pub(super) fn in_steps(scopes: &[Scope]) -> bool {
    scopes.iter().any(|scope| matches!(scope.key, Key::Item { ordered: true, .. }))
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Section(usize),
    Tab {
        group: u32,
        label: String,
    },
    Item {
        list: u32,
        number: u32,
        ordered: bool,
    },
    Admonition(String, usize),
    Details(usize),
    /// A short paragraph that names what follows: bold, or with a colon. By the place of its block.
    Label(usize),
    /// A remark in a block: the block and the line.
    Remark(usize, usize),
}

/// A paragraph that leads to a block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lead {
    pub(super) text: String,
    pub(super) inline: Vec<Inline>,
    /// Another block stands between.
    pub(super) carried: bool,
    /// Place of the paragraph among the blocks.
    pub(super) place: usize,
    /// A label right above the paragraph, with its place.
    pub(super) above: Option<(usize, String)>,
}

/// A block with where it stands.
#[derive(Debug, Clone)]
pub(super) struct Spot<'d> {
    /// Place among all blocks of the page.
    pub(super) place: usize,
    pub(super) section: usize,
    pub(super) range: Range<usize>,
    pub(super) scopes: Vec<Scope>,
    pub(super) lead: Option<Lead>,
    /// The paragraph behind it.
    pub(super) after: Option<(String, Vec<Inline>)>,
    pub(super) what: What<'d>,
    /// All prose since the last block or heading; for people.
    pub(super) prose: String,
}

#[derive(Debug, Clone)]
pub(super) enum What<'d> {
    Code(&'d Code),
    Prose { text: &'d str, inline: Cow<'d, [Inline]> },
    Comment(&'d str),
}

pub(super) fn outline(document: &Document) -> Vec<Spot<'_>> {
    let mut walk = Walk::new(document);
    let blocks: Vec<(usize, &Block)> = document.blocks().collect();
    let mut spots = Vec::new();
    for (place, (section, block)) in blocks.iter().enumerate() {
        walk.enter(*section);
        if let BlockKind::Table { header, rows } = &block.kind {
            let walked = (walk.scopes(*section, block, place), *section);
            spots.extend(in_table(*header, rows, place, &walked));
        }
        let Some(what) = what_of(block) else { continue };
        let scopes = walk.scopes(*section, block, place);
        let lead = walk.lead(block, place);
        let after =
            blocks.get(place + 1).filter(|(next, _)| next == section).and_then(|(_, next)| {
                match &next.kind {
                    BlockKind::Prose { text, inline } => Some((text.clone(), inline.clone())),
                    _ => None,
                }
            });
        let prose =
            if matches!(what, What::Code(_)) { std::mem::take(&mut walk.prose) } else { String::new() };
        spots.push(Spot {
            place,
            section: *section,
            range: block.range.clone(),
            scopes,
            lead,
            after,
            what,
            prose,
        });
        walk.pass(block, place);
    }
    spots
}

fn what_of(block: &Block) -> Option<What<'_>> {
    match &block.kind {
        BlockKind::Code(code) => Some(What::Code(code)),
        BlockKind::Prose { text, inline } => Some(What::Prose { text, inline: Cow::Borrowed(inline) }),
        BlockKind::Comment { text } => Some(What::Comment(text)),
        BlockKind::Table { .. } => None,
    }
}

/// The commands of a table that says for each system, or for each manager, how something is installed: each row is a way, and
/// each column.
fn in_table<'d>(
    header: bool,
    rows: &'d [Vec<Cell>],
    place: usize,
    (scopes, section): &(Vec<Scope>, usize),
) -> Vec<Spot<'d>> {
    let heads = rows.first().filter(|_| header);
    let is_code = |cell: &Cell| matches!(cell.inline.as_slice(), [one] if one.kind == InlineKind::Code && one.text.trim() == cell.text.trim());
    // Without marks a call that gets packages is one all the same.
    let calls = |cell: &Cell| words().installs(&command_words(&cell.text));
    let is_command = |cell: &Cell| is_code(cell) || cell.inline.is_empty() && calls(cell);
    let installs = |cell: &Cell| is_command(cell) && calls(cell);
    if !rows.iter().any(|row| row.iter().skip(1).any(installs)) {
        return Vec::new();
    }
    let numbered = |kind: u32| u32::try_from(place).unwrap_or_default() << 2 | kind;
    let mut spots = Vec::new();
    for row in &rows[usize::from(header)..] {
        let Some(first) = row.first().filter(|first| !is_command(first)) else { continue };
        let commands: Vec<usize> = (1..row.len()).filter(|at| is_command(&row[*at])).collect();
        for at in &commands {
            let mut scopes = scopes.clone();
            scopes.push(tab(TABLES | numbered(0), first.text.trim()));
            if let Some(head) = heads.and_then(|heads| heads.get(*at)).filter(|_| commands.len() > 1) {
                scopes.push(tab(TABLES | numbered(1), head.text.trim()));
            }
            spots.push(Spot {
                place,
                section: *section,
                range: row[*at].range.clone(),
                scopes,
                lead: None,
                after: None,
                what: What::Prose { text: &row[*at].text, inline: code_of(&row[*at]) },
                prose: String::new(),
            });
        }
    }
    spots
}

/// The marked code of a cell; where nothing is marked all of it.
fn code_of(cell: &Cell) -> Cow<'_, [Inline]> {
    if !cell.inline.is_empty() {
        return Cow::Borrowed(&cell.inline);
    }
    let (text, range) = (cell.text.clone(), cell.range.clone());
    Cow::Owned(vec![Inline { kind: InlineKind::Code, text, at: 0, range }])
}

struct Walk<'d> {
    document: &'d Document,
    /// Sections that hold others.
    parents: HashSet<usize>,
    /// Sections with a heading that stand in no other.
    parts: usize,
    section: Option<usize>,
    /// The paragraph that may lead to what follows, and what it stands in.
    lead: Option<(Lead, Vec<Container>)>,
    /// A bold paragraph, which names all that follows in its section.
    bold: Option<(usize, String, Vec<Container>)>,
    /// What a list stands behind.
    lists: HashMap<u32, (usize, String)>,
    /// The first words of each item.
    items: HashMap<(u32, u32), String>,
    /// Parts that comments mark (`sec data-title=… `), by their place.
    marked: Vec<(usize, String)>,
    prose: String,
}

impl<'d> Walk<'d> {
    fn new(document: &'d Document) -> Self {
        Self {
            document,
            parents: document.sections.iter().filter_map(|section| section.parent).collect(),
            parts: document
                .sections
                .iter()
                .filter(|section| section.parent.is_none() && section.heading.is_some())
                .count(),
            section: None,
            lead: None,
            bold: None,
            lists: HashMap::new(),
            items: HashMap::new(),
            marked: Vec::new(),
            prose: String::new(),
        }
    }

    fn enter(&mut self, section: usize) {
        if self.section != Some(section) {
            self.section = Some(section);
            self.lead = None;
            self.bold = None;
            self.prose.clear();
        }
    }

    /// Headings from the outermost in, without the page's own title.
    fn headings(&self, section: usize) -> Vec<Scope> {
        let mut found = Vec::new();
        let mut next = Some(section);
        while let Some(place) = next {
            let Some(one) = self.document.sections.get(place) else { break };
            if let Some(heading) = &one.heading {
                // The first of several parts side by side is named like the page, and is a part.
                let is_part = self.parts > 1 && !self.parents.contains(&place);
                let is_title = one.parent.is_none()
                    && !is_part
                    && self.document.title.as_deref() == Some(heading.text.as_str());
                if !is_title {
                    found.push(Scope { key: Key::Section(place), text: heading.text.clone() });
                }
                for container in one.within.iter().rev() {
                    if let Container::Tab { group, label } = container {
                        found.push(tab(*group, label));
                    }
                }
            }
            next = one.parent.filter(|parent| *parent < place);
        }
        found.reverse();
        found
    }

    fn scopes(&self, section: usize, block: &Block, place: usize) -> Vec<Scope> {
        let mut scopes = self.headings(section);
        scopes
            .extend(self.marked.iter().map(|(at, text)| Scope { key: Key::Label(*at), text: text.clone() }));
        if let Some((at, text, within)) = &self.bold
            && block.within.starts_with(within)
            && *at != place
        {
            scopes.push(Scope { key: Key::Label(*at), text: text.clone() });
        }
        for container in &block.within {
            match container {
                Container::Tab { group, label } => scopes.push(tab(*group, label)),
                Container::Item { ordered, number, list } => {
                    if let Some((at, text)) = self.lists.get(list) {
                        scopes.push(Scope { key: Key::Label(*at), text: text.clone() });
                    }
                    let text = self.items.get(&(*list, *number)).cloned().unwrap_or_default();
                    scopes.push(Scope {
                        key: Key::Item { list: *list, number: *number, ordered: *ordered },
                        text,
                    });
                }
                Container::Admonition { kind, title } => {
                    let text = title.clone().unwrap_or_else(|| kind.clone());
                    scopes.push(Scope { key: Key::Admonition(kind.clone(), place), text });
                }
                Container::Details { summary } => {
                    scopes.push(Scope { key: Key::Details(hash(summary)), text: summary.clone() });
                }
                Container::Quote => {}
            }
        }
        scopes
    }

    fn lead(&self, block: &Block, _place: usize) -> Option<Lead> {
        let (lead, within) = self.lead.as_ref()?;
        let fits = block.within.starts_with(within)
            || within.starts_with(&block.within)
                && lead.text.trim_end().ends_with([':', '：'])
                && !lead.carried
            || is_same_list(within, &block.within);
        fits.then(|| lead.clone())
    }

    /// Takes note of a block that was passed.
    fn pass(&mut self, block: &Block, place: usize) {
        match &block.kind {
            BlockKind::Prose { text, inline } => self.prose(block, text, inline, place),
            BlockKind::Code(_) => {
                if let Some((lead, _)) = &mut self.lead {
                    lead.carried = true;
                }
            }
            BlockKind::Comment { text } => self.comment(text, place),
            BlockKind::Table { .. } => self.lead = None,
        }
    }

    fn prose(&mut self, block: &Block, text: &str, inline: &[Inline], place: usize) {
        let clean = text.trim();
        if clean.is_empty()
            || clean.starts_with("{%")
            || clean.starts_with('[') && clean.ends_with(']') && !clean.contains(' ')
        {
            return;
        }
        for (nth, container) in block.within.iter().enumerate() {
            let Container::Item { number, list, .. } = container else { continue };
            self.items.entry((*list, *number)).or_insert_with(|| first_words(clean));
            if !self.lists.contains_key(list)
                && let Some((lead, within)) = &self.lead
                && *within == block.within[..nth]
                && !lead.carried
                && is_label(&lead.text)
            {
                self.lists.insert(*list, (lead.place, lead.text.trim().trim_end_matches(':').to_owned()));
            }
        }
        if !self.prose.is_empty() {
            self.prose.push_str("\n\n");
        }
        self.prose.push_str(clean);
        let first = sentences(clean).first().copied().filter(|first| words().numbered.is_in(first));
        if let Some(first) = first {
            self.bold = Some((place, first.trim_end_matches([':', '.']).to_owned(), block.within.clone()));
        } else if is_bold_label(clean, inline) {
            self.bold = Some((place, clean.trim_end_matches(':').to_owned(), block.within.clone()));
        }
        // A sentence that goes on behind a block is read as one with its beginning.
        let continues = clean.starts_with(|first: char| first.is_lowercase())
            && words().lead("or", clean).is_none()
            && self.lead.as_ref().is_some_and(|(lead, within)| {
                lead.carried && *within == block.within && !lead.text.ends_with('.')
            });
        let (text, inline) = match &self.lead {
            Some((lead, _)) if continues => {
                (format!("{} {clean}", lead.text), [lead.inline.clone(), inline.to_vec()].concat())
            }
            _ => (clean.to_owned(), inline.to_vec()),
        };
        let label = self.lead.as_ref().filter(|(lead, within)| {
            !continues && !lead.carried && *within == block.within && is_label(&lead.text)
        });
        let above = label.map(|(lead, _)| (lead.place, lead.text.clone()));
        self.lead = Some((Lead { text, inline, carried: false, place, above }, block.within.clone()));
    }

    /// Old page builders mark parts of a page by comments.
    fn comment(&mut self, text: &str, place: usize) {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("sec ") {
            let title = rest.split("data-title=\"").nth(1).and_then(|rest| rest.split('"').next());
            self.marked.push((place, title.unwrap_or_default().to_owned()));
            self.lead = None;
        } else if text == "endsec" {
            self.marked.pop();
            self.lead = None;
        }
    }
}

fn tab(group: u32, label: &str) -> Scope {
    Scope { key: Key::Tab { group, label: label.to_owned() }, text: label.to_owned() }
}

fn is_same_list(one: &[Container], other: &[Container]) -> bool {
    let item = |within: &[Container]| match within.last() {
        Some(Container::Item { list, number, .. }) => Some((*list, *number)),
        _ => None,
    };
    item(one).is_some() && item(one) == item(other)
}

fn hash(text: &str) -> usize {
    text.bytes().fold(7usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
}

fn first_words(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let until = line.find([':', '.']).filter(|at| *at > 2).map_or(line.len(), |at| at);
    line[..until].trim().chars().take(120).collect()
}

/// A paragraph that is short and ends with a colon, or is nothing else than a name.
pub(super) fn is_label(text: &str) -> bool {
    let text = text.trim();
    text.split_whitespace().count() <= LABEL_WORDS && (text.ends_with(':') || text.ends_with('：'))
}

/// A paragraph that is bold and nothing else.
fn is_bold_label(text: &str, inline: &[Inline]) -> bool {
    let plain = text.trim_end_matches([':', '.']).trim();
    text.split_whitespace().count() <= LABEL_WORDS + 3
        && inline.iter().any(|one| {
            one.kind == InlineKind::Strong
                && one.text.trim().trim_end_matches([':', '.']).len() + 2 >= plain.len()
        })
        && words().lead("condition", text).is_none()
}

/// The sentences of a paragraph.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let ends = match letter {
            '.' | '!' | '?' => {
                let next_is_break = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
                let short = text[start..at].rsplit(char::is_whitespace).next().is_some_and(|word| {
                    matches!(
                        word.trim_start_matches('(').to_lowercase().as_str(),
                        "e.g" | "i.e" | "etc" | "vs" | "cf" | "no" | "approx" | "resp"
                    )
                });
                next_is_break && !short
            }
            '\n' => {
                let next = text[at + 1..].trim_start();
                text[at + 1..].starts_with('\n')
                    || ["- ", "* ", "• "].iter().any(|mark| next.starts_with(mark))
            }
            _ => false,
        };
        if ends {
            let end = at + letter.len_utf8();
            if !text[start..end].trim().is_empty() {
                found.push(text[start..end].trim());
            }
            start = end;
        }
    }
    if !text[start..].trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}
