//! What all readers write into: sections and blocks in the order of the page, and what is open around them.

use std::ops::Range;

use crate::document::{Block, BlockKind, Container, Document, Form, FrontMatter, Heading, Inline, Section};
use crate::inlines::Rendered;

/// How deep containers are kept; no page needs more, and each block carries its own.
pub(crate) const DEEPEST: usize = 48;

#[derive(Debug)]
pub(crate) struct Builder {
    sections: Vec<Section>,
    within: Vec<Container>,
    /// Open containers deeper than is kept.
    deeper: usize,
    lists: u32,
    groups: u32,
    pub(crate) title: Option<String>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            sections: vec![Section::default()],
            within: Vec::new(),
            deeper: 0,
            lists: 0,
            groups: 0,
            title: None,
        }
    }
}

impl Builder {
    pub(crate) fn open(&mut self, container: Container) {
        if self.within.len() < DEEPEST { self.within.push(container) } else { self.deeper += 1 }
    }

    pub(crate) fn close(&mut self) {
        match self.deeper {
            0 => _ = self.within.pop(),
            _ => self.deeper -= 1,
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.within.len() + self.deeper
    }

    pub(crate) fn close_to(&mut self, depth: usize) {
        self.within.truncate(depth);
        self.deeper = depth.saturating_sub(self.within.len()).min(self.deeper);
    }

    pub(crate) fn new_list(&mut self) -> u32 {
        self.lists += 1;
        self.lists
    }

    pub(crate) fn new_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    pub(crate) fn heading(&mut self, level: u32, rendered: Rendered, range: Range<usize>) {
        let rendered = rendered.trimmed();
        if rendered.text.is_empty() {
            return;
        }
        // Up from the last section, for what is beside it or below it was passed already.
        let mut parent = self.sections.len().checked_sub(1);
        while let Some(section) = parent.and_then(|index| self.sections.get(index)) {
            match &section.heading {
                Some(heading) if heading.level < level => break,
                _ => parent = section.parent,
            }
        }
        let (text, inline) = (rendered.text, rendered.inline);
        self.sections.push(Section {
            heading: Some(Heading { text, inline, level, range }),
            parent,
            within: self.within.clone(),
            blocks: Vec::new(),
        });
    }

    pub(crate) fn prose(&mut self, rendered: Rendered, range: Range<usize>) {
        let rendered = rendered.trimmed();
        if !rendered.text.is_empty() {
            self.block(BlockKind::Prose { text: rendered.text, inline: rendered.inline }, range);
        }
    }

    pub(crate) fn block(&mut self, kind: BlockKind, range: Range<usize>) {
        let within = self.within.clone();
        if let Some(section) = self.sections.last_mut() {
            section.blocks.push(Block { range, within, kind });
        }
    }

    pub(crate) fn finish(self, form: Form, text: String, front_matter: Option<FrontMatter>) -> Document {
        Document {
            form,
            text,
            title: self.title,
            front_matter,
            sections: self.sections,
            ..Document::default()
        }
    }

    /// Gives every section and block to `change`, which may move ranges and add containers.
    pub(crate) fn sections_mut(&mut self) -> &mut [Section] {
        &mut self.sections
    }
}

/// Every range of a block, for moving it.
pub(crate) fn ranges_mut(block: &mut Block) -> Vec<&mut Range<usize>> {
    fn of(inline: &mut [Inline]) -> impl Iterator<Item = &mut Range<usize>> {
        inline.iter_mut().map(|one| &mut one.range)
    }
    let mut ranges = vec![&mut block.range];
    match &mut block.kind {
        BlockKind::Prose { inline, .. } => ranges.extend(of(inline)),
        BlockKind::Code(code) => ranges.extend(code.lines.iter_mut()),
        BlockKind::Table { rows, .. } => {
            for cell in rows.iter_mut().flatten() {
                ranges.push(&mut cell.range);
                ranges.extend(of(&mut cell.inline));
            }
        }
        BlockKind::Comment { .. } => {}
    }
    ranges
}
