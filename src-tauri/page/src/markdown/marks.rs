//! What site generators add to Markdown, line by line: tabs, admonitions, shortcodes, components. Each becomes a mark with the
//! lines it spans, and its own lines go from what the parser sees. Fences that never close are closed here too.

use std::ops::Range;

use super::syntax::{self, EndsAt, Line as Syntax, Opens, What};
use crate::builder::DEEPEST;
use crate::document::Container;
use crate::lines::{Line, indent, lines};
use crate::view::View;

#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) view: View,
    pub(super) marks: Vec<Mark>,
    /// Classes that stand behind a block, with where (Kramdown's `{: .output}`).
    pub(super) classes: Vec<(usize, String)>,
}

/// What holds for the blocks of a part of the view.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) range: Range<usize>,
    pub(super) container: Option<Container>,
    pub(super) hidden: bool,
}

#[derive(Debug)]
struct OpenMark {
    index: usize,
    ends: Ends,
    /// Columns of indentation that its content has too many; None until its first line is seen.
    dedent: Option<usize>,
    /// Columns of indentation of its own line.
    columns: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Ends {
    /// At a line of this many colons.
    Colons(usize),
    /// At a fence of these.
    Fence(char, usize),
    /// At the first line that is indented less.
    Indent(usize),
    /// At the closing tag, shortcode or Liquid tag of this name.
    Name(String),
}

struct Scanner<'t> {
    text: &'t str,
    view: View,
    marks: Vec<Mark>,
    classes: Vec<(usize, String)>,
    open: Vec<OpenMark>,
    fence: Option<Fence>,
    /// Groups of tabs that are open, with the depth of marks they stand at.
    groups: Vec<(usize, u32)>,
    next_group: u32,
    /// Fences in such a group are tabs (VitePress, Mintlify).
    code_groups: Vec<usize>,
    /// The last indented tab: its indentation, its group and where it ended, which a next one may follow.
    sibling: Option<(usize, u32, usize)>,
    closings: Closings,
    /// The line before which the open fence is closed, for nothing else closes it.
    close_before: Option<usize>,
    /// Where such a line was looked for last, and what was found.
    looked: Option<(usize, Option<usize>)>,
}

#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    quoted: bool,
    tab: Option<usize>,
}

pub(super) fn prepare(text: &str, body: Range<usize>) -> Prepared {
    let found = lines(text, body.clone());
    let mut scanner = Scanner {
        text,
        view: View::with_capacity(body.len()),
        marks: Vec::new(),
        classes: Vec::new(),
        open: Vec::new(),
        fence: None,
        groups: Vec::new(),
        next_group: 1,
        code_groups: Vec::new(),
        sibling: None,
        closings: Closings::of(&found),
        close_before: None,
        looked: None,
    };
    let mut index = 0;
    while let Some(line) = found.get(index) {
        index = scanner.line(&found, index, *line);
    }
    let end = scanner.view.text.len();
    for open in std::mem::take(&mut scanner.open) {
        scanner.marks[open.index].range.end = end;
    }
    Prepared { view: scanner.view, marks: scanner.marks, classes: scanner.classes }
}

/// For each kind of fence the last line that could close one, so that an open end is told at once.
struct Closings {
    backticks: Option<usize>,
    tildes: Option<usize>,
}

impl Closings {
    fn of(found: &[Line<'_>]) -> Self {
        let last = |mark: char| {
            found.iter().rposition(|line| {
                let bare = line.text.trim_start_matches(['>', ' ', '\t']).trim_end();
                bare.len() >= 3 && bare.chars().all(|c| c == mark)
            })
        };
        Self { backticks: last('`'), tildes: last('~') }
    }

    fn may_close(&self, mark: char, opener: usize) -> bool {
        let last = if mark == '`' { self.backticks } else { self.tildes };
        last.is_some_and(|last| last > opener)
    }
}

impl<'t> Scanner<'t> {
    /// Takes one line, or more where a construct spans them; answers the next one.
    fn line(&mut self, found: &[Line<'t>], index: usize, line: Line<'t>) -> usize {
        let blank = line.is_blank();
        if !blank {
            self.close_indented(line);
            self.first_line(line);
        }
        if let (true, Some(fence)) =
            (self.close_before == Some(index), self.fence.take_if(|_| self.close_before == Some(index)))
        {
            let fence: String = std::iter::repeat_n(fence.mark, fence.length).collect();
            self.view.insert(&format!("{fence}\n"), line.start);
        }
        let dedent: usize = self.open.iter().filter_map(|open| open.dedent).sum();
        let line = if dedent > 0 { line.dedented(dedent) } else { line };
        if let Some(fence) = self.fence {
            self.in_fence(fence, line);
            return index + 1;
        }
        if blank {
            self.keep(line);
            return index + 1;
        }
        match syntax::read(line.text) {
            Syntax::Plain => self.keep(line),
            Syntax::Blank => self.blank(line),
            Syntax::Unfinished(until) => return self.joined(found, index, line, until),
            Syntax::Fence { mark, length, info } => self.open_fence(line, index, (mark, length), info, found),
            Syntax::Marks(marks) => self.apply(line, marks),
            Syntax::Colons(count) => self.close_colons(line, count),
            Syntax::Classes(classes) => {
                self.classes.push((self.view.text.len(), classes.to_owned()));
                self.blank(line);
            }
        }
        index + 1
    }

    /// A tag, an import or a comment over several lines.
    fn joined(&mut self, found: &[Line<'t>], index: usize, line: Line<'t>, until: &str) -> usize {
        let mut text = String::new();
        for (at, next) in found.iter().enumerate().skip(index).take(30) {
            text.push_str(next.trimmed());
            text.push(' ');
            if text.len() > 4000 {
                break;
            }
            if !next.text.contains(until) {
                continue;
            }
            match if text.starts_with('<') { syntax::tags(text.trim()) } else { Syntax::Blank } {
                Syntax::Unfinished(_) => continue,
                Syntax::Marks(marks) => self.apply(line, marks),
                Syntax::Blank => self.blank(line),
                Syntax::Plain | Syntax::Fence { .. } | Syntax::Colons(_) | Syntax::Classes(_) => break,
            }
            return at + 1;
        }
        self.keep(line);
        index + 1
    }

    fn apply(&mut self, line: Line<'t>, marks: Vec<syntax::Mark>) {
        self.blank(line);
        for mark in marks {
            match mark {
                syntax::Mark::Closes(name) => self.close_named(&name),
                syntax::Mark::Opens(opens) => self.open_mark(line, opens),
            }
        }
    }

    fn keep(&mut self, line: Line<'t>) {
        let end = (line.end() + 1).min(self.text.len());
        self.view.copy(&self.text[line.start..end], line.start);
    }

    fn blank(&mut self, line: Line<'_>) {
        self.view.insert("\n", line.start);
    }

    fn in_fence(&mut self, fence: Fence, line: Line<'t>) {
        if fence.mark == ' ' {
            // Code between tags of Liquid or shortcodes: it ends at the closing tag.
            if let Syntax::Marks(marks) = syntax::read(line.text)
                && marks
                    .iter()
                    .any(|mark| matches!(mark, syntax::Mark::Closes(name) if self.innermost_is(name)))
            {
                self.view.insert(&format!("{:1$}~~~~~~~~\n", "", fence.indent), line.start);
                self.fence = None;
                self.apply(line, marks);
            } else {
                self.keep(line);
            }
            return;
        }
        let quotes = if fence.quoted {
            line.text.trim_start_matches(['>', ' ', '\t'])
        } else {
            line.text.trim_start()
        };
        let left = fence.quoted && !line.text.trim_start().starts_with('>');
        let outdented = fence.indent > 3 && !line.is_blank() && indent(line.text, 4) + 3 < fence.indent;
        let bare = quotes.trim_end();
        let closes = bare.len() >= fence.length && bare.chars().all(|c| c == fence.mark);
        if closes || left || outdented {
            self.fence = None;
        }
        self.keep(line);
        if let (Some(index), None) = (fence.tab, self.fence) {
            self.marks[index].range.end = self.view.text.len();
        }
    }

    fn innermost_is(&self, name: &str) -> bool {
        self.open.last().is_some_and(|open| matches!(&open.ends, Ends::Name(known) if known == name))
    }

    fn open_fence(
        &mut self,
        line: Line<'t>,
        index: usize,
        (mark, length): (char, usize),
        info: &str,
        found: &[Line<'t>],
    ) {
        if let Some(opens) = syntax::directive(info) {
            self.blank(line);
            self.push(opens.what, Ends::Fence(mark, length), indent(line.text, 4));
            return;
        }
        let closing = self.open.iter().rposition(|open| open.ends == Ends::Fence(mark, length));
        if let Some(at) = closing.filter(|_| info.is_empty()) {
            self.blank(line);
            self.close_to(at);
            return;
        }
        let tab = self.fence_tab(info);
        let quoted = line.text.trim_start().starts_with('>');
        let indent = indent(line.text, 4);
        self.keep(line);
        self.close_before =
            if self.closings.may_close(mark, index) { None } else { self.unclosed(found, index) };
        self.fence = Some(Fence { mark, length, indent, quoted, tab });
    }

    /// A fence that nobody closes ends where a reader would end it: before the next heading that stands alone.
    fn unclosed(&mut self, found: &[Line<'_>], opener: usize) -> Option<usize> {
        if let Some((from, result)) = self.looked
            && from <= opener
            && result.is_none_or(|heading| heading >= opener + 2)
        {
            return result;
        }
        let blank = |at: usize| found.get(at).is_none_or(Line::is_blank);
        let result = (opener + 2..found.len()).find(|at| {
            let text = found[*at].text;
            let hashes = text.len() - text.trim_start_matches('#').len();
            (1..=6).contains(&hashes) && text[hashes..].starts_with(' ') && blank(at - 1) && blank(at + 1)
        });
        // Blank lines before the heading are of the page.
        let result = result.map(|heading| {
            (opener + 1..heading).rev().find(|at| !blank(*at)).map_or(opener + 1, |last| last + 1)
        });
        self.looked = Some((opener, result));
        result
    }

    /// People indent what stands in a component; the parser would take it for code.
    fn first_line(&mut self, line: Line<'_>) {
        let outer: usize = self.open.iter().filter_map(|open| open.dedent).sum();
        let columns = indent(line.text, 4).saturating_sub(outer);
        if let Some(open) = self.open.last_mut()
            && open.dedent.is_none()
        {
            open.dedent = Some(columns.saturating_sub(open.columns));
        }
    }

    fn fence_tab(&mut self, info: &str) -> Option<usize> {
        let depth = self.code_groups.last().copied()?;
        let (_, group) = self.groups.iter().rev().find(|(at, _)| *at == depth).copied()?;
        let read = super::info::read(info);
        let label = read.title.or(read.language).unwrap_or_default();
        self.marks.push(Mark {
            range: self.view.text.len()..usize::MAX,
            container: Some(Container::Tab { group, label }),
            hidden: false,
        });
        Some(self.marks.len() - 1)
    }

    fn open_mark(&mut self, line: Line<'t>, opens: Opens) {
        let columns = indent(line.text, 4);
        match opens.ends {
            EndsAt::Indented => self.push(opens.what, Ends::Indent(columns + 4), columns),
            EndsAt::Colons(count) => self.push(opens.what, Ends::Colons(count), columns),
            EndsAt::Name(name) => self.push(opens.what, Ends::Name(name), columns),
            EndsAt::Fence => {}
        }
        if let Some(language) = opens.code {
            self.view.insert(&format!("{:1$}~~~~~~~~ {language}\n", "", columns), line.start);
            self.fence = Some(Fence { mark: ' ', length: 8, indent: columns, quoted: false, tab: None });
        }
    }

    fn push(&mut self, what: What, ends: Ends, columns: usize) {
        let start = self.view.text.len();
        let depth = self.open.len();
        let mut hidden = false;
        let container = match what {
            What::Container(container) => Some(container),
            What::Nothing => None,
            What::Hidden => {
                hidden = true;
                None
            }
            What::Tabs { code } => {
                self.groups.push((depth, self.next_group));
                self.next_group += 1;
                if code {
                    self.code_groups.push(depth);
                }
                None
            }
            What::Tab(label) => {
                let group = self.group(&ends, depth, start);
                Some(Container::Tab { group, label })
            }
        };
        if depth >= DEEPEST {
            // Nobody nests so deep: what is hidden stays so to the end, the rest is text as any other.
            let already = self.marks.last().is_some_and(|mark| mark.hidden && mark.range.end == usize::MAX);
            if hidden && !already {
                self.marks.push(Mark { range: start..usize::MAX, container: None, hidden });
            }
            return;
        }
        self.marks.push(Mark { range: start..start, container, hidden });
        let dedent = match &ends {
            Ends::Indent(_) => Some(4),
            Ends::Name(_) => None,
            Ends::Colons(_) | Ends::Fence(..) => Some(0),
        };
        self.open.push(OpenMark { index: self.marks.len() - 1, ends, dedent, columns });
    }

    /// Tabs in a group that is open share it; others share it with the tab right before them.
    fn group(&mut self, ends: &Ends, depth: usize, start: usize) -> u32 {
        if let Some((_, group)) = self.groups.last().filter(|(at, _)| *at < depth) {
            return *group;
        }
        let columns = match ends {
            Ends::Indent(columns) => *columns,
            Ends::Colons(_) | Ends::Fence(..) | Ends::Name(_) => 0,
        };
        if let Some((at, group, end)) = self.sibling
            && at == columns
            && self.view.text.get(end..start).is_some_and(|between| between.trim().is_empty())
        {
            return group;
        }
        self.next_group += 1;
        self.next_group - 1
    }

    fn close_indented(&mut self, line: Line<'_>) {
        let mut shift = 0;
        let mut cut = None;
        let columns = indent(line.text, 4);
        for (at, open) in self.open.iter().enumerate() {
            if let Ends::Indent(needed) = open.ends
                && columns < needed + shift
            {
                cut = Some(at);
                break;
            }
            shift += open.dedent.unwrap_or(0);
        }
        if let Some(at) = cut {
            if self.fence.take().is_some() {
                self.view.insert("\n", line.start);
            }
            self.close_to(at);
        }
    }

    fn close_colons(&mut self, line: Line<'t>, count: usize) {
        let at =
            self.open.iter().rposition(|open| matches!(open.ends, Ends::Colons(needed) if needed <= count));
        match at {
            Some(at) => {
                self.blank(line);
                self.close_to(at);
            }
            None => self.blank(line),
        }
    }

    fn close_named(&mut self, name: &str) {
        let at =
            self.open.iter().rposition(|open| matches!(&open.ends, Ends::Name(needed) if needed == name));
        if let Some(at) = at {
            self.close_to(at);
        }
    }

    /// Closes the open marks from the `at`th on.
    fn close_to(&mut self, at: usize) {
        let end = self.view.text.len();
        for open in self.open.drain(at..) {
            let mark = &mut self.marks[open.index];
            mark.range.end = end;
            if let (Some(Container::Tab { group, .. }), Ends::Indent(columns)) = (&mark.container, &open.ends)
            {
                self.sibling = Some((*columns, *group, end));
            } else if let Some(Container::Tab { group, .. }) = &mark.container {
                self.sibling = Some((0, *group, end));
            }
        }
        self.groups.retain(|(depth, _)| *depth < at);
        self.code_groups.retain(|depth| *depth < at);
    }
}
