//! The marks meet the blocks: what a block stands in, what its classes say, and what is hidden goes.

use std::collections::HashMap;
use std::ops::Range;

use super::marks::{Mark, Prepared};
use crate::builder::Builder;
use crate::document::{BlockKind, Container};

impl Prepared {
    /// Gives blocks the containers that the marks stand for, and takes out what is hidden. Ranges are still of the view.
    pub(super) fn settle(&self, builder: &mut Builder) {
        let mut next = 0;
        let mut open: Vec<&Mark> = Vec::new();
        let mut classes = self.classes.iter().peekable();
        let mut begun: HashMap<(u32, u32), usize> = HashMap::new();
        for section in builder.sections_mut() {
            let mut at = |place: &Range<usize>| {
                while let Some(mark) = self.marks.get(next).filter(|mark| mark.range.start <= place.start) {
                    open.push(mark);
                    next += 1;
                }
                open.retain(|mark| mark.range.end > place.start);
                let hidden = open.iter().any(|mark| mark.hidden);
                let containers =
                    open.iter().filter_map(|mark| Some((mark.range.start, mark.container.clone()?)));
                (hidden, containers.collect::<Vec<_>>())
            };
            if let Some(heading) = &section.heading {
                let (_, marked) = at(&heading.range);
                section.within = nested(std::mem::take(&mut section.within), marked, &begun);
            }
            let mut kept = Vec::with_capacity(section.blocks.len());
            for mut block in std::mem::take(&mut section.blocks) {
                let (hidden, marked) = at(&block.range);
                if hidden {
                    continue;
                }
                for item in block.within.iter().filter_map(item) {
                    begun.entry(item).or_insert(block.range.start);
                }
                block.within = nested(std::mem::take(&mut block.within), marked, &begun);
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

fn item(container: &Container) -> Option<(u32, u32)> {
    match container {
        Container::Item { list, number, .. } => Some((*list, *number)),
        _ => None,
    }
}

/// A block's own containers and the marked ones, each with its beginning, from the outermost: what begins within an item of a
/// list, behind the first block of that item, is in the item.
fn nested(
    own: Vec<Container>,
    marked: Vec<(usize, Container)>,
    begun: &HashMap<(u32, u32), usize>,
) -> Vec<Container> {
    let begins_before = |container: &Container, start: usize| {
        item(container).and_then(|item| begun.get(&item)).is_some_and(|begin| *begin <= start)
    };
    let mut all = Vec::with_capacity(own.len() + marked.len());
    let mut marked = marked.into_iter().peekable();
    for (place, container) in own.iter().enumerate() {
        let is_around = |start: usize| !own[place..].iter().any(|own| begins_before(own, start));
        while let Some((_, outer)) = marked.next_if(|(start, _)| is_around(*start)) {
            all.push(outer);
        }
        all.push(container.clone());
    }
    all.extend(marked.map(|(_, inner)| inner));
    all
}
