//! What a page was read as, in a few lines of text: the ways taken, what is left out by role, what is asked for.

use super::inputs::asked;
use crate::protocol::{LeftOut, PageRole, Plan};

/// "4 for other systems · 2 output", the most telling first; empty where nothing is left out.
pub fn summary(left_out: &[LeftOut]) -> String {
    const ROLES: [(PageRole, &str); 9] = [
        (PageRole::OtherSystem, "for other systems"),
        (PageRole::Alternative, "of other ways"),
        (PageRole::Optional, "optional"),
        (PageRole::Aside, "beside the way"),
        (PageRole::Manual, "by hand"),
        (PageRole::File, "contents"),
        (PageRole::OtherLanguage, "in other languages"),
        (PageRole::Output, "output"),
        (PageRole::Unreadable, "unreadable"),
    ];
    let count = |role: PageRole| left_out.iter().filter(|one| one.role == role).count();
    let parts: Vec<String> = ROLES
        .into_iter()
        .filter(|(role, _)| count(*role) > 0)
        .map(|(role, words)| format!("{} {words}", count(role)))
        .collect();
    parts.join(" \u{b7} ")
}

/// A line for each choice, one for what is left out, one for what is asked for. Texts are the page's and not made harmless.
pub(super) fn lines(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    let page = plan.page.as_deref();
    for choice in page.iter().flat_map(|page| &page.choices) {
        if let Some(way) = choice.ways.get(choice.chosen as usize) {
            let count = choice.ways.len();
            lines.push(format!("{}: {}, one of {count} ways ({})", choice.name, way.name, choice.decided));
        }
    }
    if let Some(page) = page.filter(|page| !page.left_out.is_empty()) {
        lines.push(format!("Left out: {}", summary(&page.left_out)));
    }
    let names: Vec<&str> = asked(plan).into_iter().map(|input| input.name.as_str()).collect();
    if !names.is_empty() {
        lines.push(format!("Asks for: {}", names.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_by_role() {
        let one = |role| LeftOut {
            block: 0,
            role,
            why: String::new(),
            text: String::new(),
            start: 0,
            end: 0,
            after: None,
            steps: Vec::new(),
        };
        let left_out = [one(PageRole::Output), one(PageRole::OtherSystem), one(PageRole::OtherSystem)];
        assert_eq!(summary(&left_out), "2 for other systems \u{b7} 1 output");
        assert_eq!(summary(&[]), "");
    }
}
