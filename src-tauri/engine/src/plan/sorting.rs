//! A page's blocks as somebody else sorts them (P3e): by their numbers, and in no other way. What is written here sorts and names;
//! it has no field that could become a command.

use std::collections::{BTreeMap, HashSet};

use crate::protocol::{PageReading, PageRole, StepId};

/// What each block is for, in the eyes of `by`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sorting {
    /// Who sorted, for people: a model's name.
    pub by: String,
    pub blocks: Vec<SortedBlock>,
    pub choices: Vec<SortedChoice>,
    pub inputs: Vec<NamedInput>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedBlock {
    pub block: u32,
    pub role: PageRole,
    /// For people; may be empty.
    pub why: String,
}

/// Ways that exclude each other; the one whose blocks are to do is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedChoice {
    pub name: String,
    pub ways: Vec<(String, Vec<u32>)>,
}

/// A text of a block that is the reader's to replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedInput {
    pub block: u32,
    pub token: String,
    /// What to call it where it is asked for; empty where nothing better is known.
    pub label: String,
}

/// The blocks of a reading with where each begins on the page and what it is for now, in the order of the page.
pub fn blocks(reading: &PageReading) -> BTreeMap<u32, (u32, PageRole)> {
    let left: HashSet<&StepId> =
        reading.left_out.iter().flat_map(|one| &one.steps).map(|step| &step.id).collect();
    let taken = reading.steps.iter().filter(|place| !left.contains(&place.step_id));
    let steps = taken.map(|place| (place.block, (place.start, place.role)));
    let left_out = reading.left_out.iter().map(|one| (one.block, (one.start, one.role)));
    // A block that is in part left out is first of all what is done of it.
    left_out.chain(steps).collect()
}

/// The page with a mark `[[7]]` before block 7, from 1.
pub fn numbered(text: &str, reading: &PageReading) -> String {
    let mut marks: Vec<(usize, u32)> =
        blocks(reading).into_iter().map(|(block, (start, _))| (start as usize, block)).collect();
    marks.sort_unstable();
    let mut numbered = String::with_capacity(text.len() + marks.len() * 8);
    let mut from = 0;
    for (start, block) in marks {
        let Some(before) = text.get(from..start) else { continue };
        numbered.push_str(before);
        numbered.push_str(&format!("[[{}]] ", block + 1));
        from = start;
    }
    numbered.push_str(text.get(from..).unwrap_or_default());
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{LeftOut, StepPlace};

    fn reading() -> PageReading {
        let place = |block: u32, start: u32| StepPlace {
            step_id: format!("s{block}").as_str().into(),
            block,
            start,
            end: start + 2,
            role: PageRole::Run,
            why: String::new(),
            text: String::new(),
        };
        let left = LeftOut {
            block: 1,
            role: PageRole::Aside,
            why: String::new(),
            text: String::new(),
            start: 8,
            end: 9,
            after: None,
            steps: Vec::new(),
        };
        PageReading {
            steps: vec![place(0, 2), place(0, 2), place(2, 99)],
            left_out: vec![left],
            ..PageReading::default()
        }
    }

    #[test]
    fn each_block_has_its_number_before_it() {
        assert_eq!(numbered("a\nb\u{e9}\nc\nd\n", &reading()), "a\n[[1]] b\u{e9}\nc\n[[2]] d\n");
        let found: Vec<(u32, PageRole)> =
            blocks(&reading()).into_iter().map(|(block, (_, role))| (block, role)).collect();
        assert_eq!(found, [(0, PageRole::Run), (1, PageRole::Aside), (2, PageRole::Run)]);
    }
}
