//! The marks meet the blocks: what a block stands in, what its classes say, and what is hidden goes.

use std::ops::Range;

use super::marks::{Mark, Prepared};
use crate::builder::Builder;
use crate::document::BlockKind;

impl Prepared {
    /// Gives blocks the containers that the marks stand for, and takes out what is hidden. Ranges are still of the view.
    pub(super) fn settle(&self, builder: &mut Builder) {
        let mut next = 0;
        let mut open: Vec<&Mark> = Vec::new();
        let mut classes = self.classes.iter().peekable();
        for section in builder.sections_mut() {
            let mut at = |place: &Range<usize>| {
                while let Some(mark) = self.marks.get(next).filter(|mark| mark.range.start <= place.start) {
                    open.push(mark);
                    next += 1;
                }
                open.retain(|mark| mark.range.end > place.start);
                let hidden = open.iter().any(|mark| mark.hidden);
                (hidden, open.iter().filter_map(|mark| mark.container.clone()).collect::<Vec<_>>())
            };
            if let Some(heading) = &section.heading {
                let (_, mut outer) = at(&heading.range);
                outer.append(&mut section.within);
                section.within = outer;
            }
            let mut kept = Vec::with_capacity(section.blocks.len());
            for mut block in std::mem::take(&mut section.blocks) {
                let (hidden, mut outer) = at(&block.range);
                if hidden {
                    continue;
                }
                outer.append(&mut block.within);
                block.within = outer;
                kept.push(block);
            }
            section.blocks = kept;
            for position in 0..section.blocks.len() {
                let following =
                    section.blocks.get(position + 1).map_or(usize::MAX, |block| block.range.start);
                let block = &mut section.blocks[position];
                while let Some((_, text)) =
                    classes.next_if(|(place, _)| *place >= block.range.end && *place <= following)
                {
                    if let BlockKind::Code(code) = &mut block.kind {
                        for class in text.split_whitespace() {
                            match class.trim_start_matches('.').strip_prefix("language-") {
                                Some(language) => code.language = Some(language.to_ascii_lowercase()),
                                None => code
                                    .attributes
                                    .push(("class".to_owned(), class.trim_start_matches('.').to_owned())),
                            }
                        }
                    }
                }
                while classes.next_if(|(place, _)| *place < block.range.end).is_some() {}
            }
        }
    }
}
