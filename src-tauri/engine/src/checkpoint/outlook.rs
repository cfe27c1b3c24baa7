//! What can be taken back, said before a step runs and with its checkpoint.

use std::collections::BTreeSet;
use std::path::Path;

use super::manifest::Gap;
use super::scan::Scope;
use crate::protocol::{Assessment, Coverage, Effects, Risk, UndoOutlook};

/// How much of a step is covered, and what of it is not, in words.
pub(super) fn coverage(scope: &Scope, gaps: &BTreeSet<Gap>, effects: &Effects) -> (Coverage, Vec<String>) {
    let mut why: Vec<&str> = Vec::new();
    if effects.uses_network {
        why.push("what it does over the network");
    }
    if effects.installs_packages {
        why.push("packages that it installs");
    }
    if effects.raises_privilege {
        why.push("what it does with other rights outside this folder");
    }
    let outside = |path: &std::path::PathBuf| !path.starts_with(&scope.root);
    if effects.writes_outside && !scope.targets.iter().any(outside) {
        why.push("what it writes outside this folder");
    }
    // Of a folder that is too wide the files that it is known to touch are kept, and here these are all.
    let all_known = effects.only_files && reaches_all(scope, effects);
    let gaps: BTreeSet<Gap> = gaps.iter().copied().filter(|gap| !(all_known && *gap == Gap::Wide)).collect();
    let told = why.iter().copied().chain(serious(&gaps)).map(not_kept).collect();
    why.extend(gaps.iter().map(|gap| gap.words()));
    let covers = if scope.wide && scope.targets.is_empty() {
        Coverage::Nothing {
            why: "this folder is too wide to keep whole, and it is not known which files it touches"
                .to_owned(),
        }
    } else if why.is_empty() {
        Coverage::Whole
    } else {
        Coverage::Partly { why: format!("not kept: {}", why.join("; ")) }
    };
    (covers, told)
}

/// Whether every path that it is known to touch is looked after.
fn reaches_all(scope: &Scope, effects: &Effects) -> bool {
    !effects.touches.is_empty()
        && scope.targets.len() == effects.touches.iter().collect::<BTreeSet<_>>().len()
}

/// What cannot be taken back of a step, beyond what was known before it ran: it has closed a folder, or made more than is
/// looked at. Contents that were not kept afterwards are not missed; taken back, they go to the trash as they are.
pub(super) fn new_gaps(before: &BTreeSet<Gap>, after: &BTreeSet<Gap>) -> Vec<String> {
    let hides = |gap: &Gap| matches!(gap, Gap::Unread | Gap::TooMany | Gap::Mount);
    let new: BTreeSet<Gap> = after.difference(before).copied().filter(hides).collect();
    serious(&new).map(not_kept).collect()
}

fn serious(gaps: &BTreeSet<Gap>) -> impl Iterator<Item = &'static str> {
    gaps.iter().filter(|gap| gap.is_serious()).map(|gap| gap.words())
}

fn not_kept(words: &str) -> String {
    format!("not kept: {words}")
}

/// Says so in the assessment where all that a command is known to do is done to files that are kept.
pub(crate) fn tell_what_is_kept(assessment: &mut Assessment, root: &Path, home: &Path) {
    let effects = &assessment.effects;
    let only_files = !effects.uses_network && !effects.installs_packages && !effects.raises_privilege;
    let scope = Scope::new(root, home, &effects.touches);
    let all_reached = reaches_all(&scope, effects);
    if assessment.risk < Risk::Caution
        || effects.touches.is_empty()
        || !only_files
        || !all_reached
        || !effects.only_files
    {
        return;
    }
    match assessment.undo {
        UndoOutlook::NotNeeded => {}
        UndoOutlook::Kept
        | UndoOutlook::ByHand { .. }
        | UndoOutlook::Partly { .. }
        | UndoOutlook::Cannot { .. } => {
            assessment.undo = UndoOutlook::Kept;
        }
    }
}
