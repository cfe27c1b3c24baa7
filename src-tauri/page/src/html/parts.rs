//! Which part of an HTML page is its text, and which elements are none of it: navigation, programs, what is hidden.

use std::ops::Range;

use super::events::{Element, Event};

/// Elements that never hold text of the page.
const NEVER: &[&str] = &[
    "script", "style", "template", "noscript", "svg", "math", "iframe", "object", "canvas", "audio", "video",
    "select", "textarea", "button", "input", "head", "title", "nav", "dialog",
];

/// Elements around the text, when the page does not say where its text is.
const AROUND: &[&str] = &["header", "footer", "aside"];

/// Classes of what tools put into the text: numbers of lines, links to headings, menus.
const TOOLS: &[&str] = &[
    "headerlink",
    "anchor",
    "anchorjs-link",
    "hash-link",
    "header-anchor",
    "copybtn",
    "copy-button",
    "linenos",
    "lineno",
    "line-numbers",
    "line-numbers-rows",
    "gutter",
    "mw-editsection",
    "toc",
    "toctree-wrapper",
    "sidebar",
    "breadcrumb",
    "breadcrumbs",
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
    "navbar",
    "pagination",
    "edit-this-page",
    "theme-edit-this-page",
    "noprint",
    "nav-panel",
    "cookie-banner",
];

/// Why an element is passed over with all that is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    /// Nobody sees it, so all of it goes even where its end is missing.
    Hidden,
    /// It is no text of the page; an element without an end is no reason to lose what follows.
    Furniture,
}

pub(super) fn passed(element: &Element, whole_page: bool) -> Option<Passed> {
    if is_hidden(element) {
        return Some(Passed::Hidden);
    }
    let name = element.name.as_str();
    if matches!(name, "script" | "style" | "template" | "noscript") {
        return Some(Passed::Hidden);
    }
    let tool = || element.classes().any(|class| TOOLS.contains(&class));
    let navigates = || {
        matches!(element.get("role"), Some("navigation" | "banner" | "contentinfo" | "search" | "tooltip"))
    };
    let around = || whole_page && AROUND.contains(&name);
    (NEVER.contains(&name) || tool() || navigates() || around()).then_some(Passed::Furniture)
}

/// Panels of tabs are hidden until they are chosen, and are text all the same.
pub(crate) fn is_hidden(element: &Element) -> bool {
    if super::tabs::is_panel(element) {
        return false;
    }
    let style: String =
        element.get("style").unwrap_or_default().to_ascii_lowercase().split_whitespace().collect();
    let unseen = ["display:none", "visibility:hidden", "opacity:0;", "font-size:0", "text-indent:-9"];
    element.get("hidden").is_some()
        || element.get("aria-hidden") == Some("true")
        || unseen.iter().any(|mark| style.contains(mark))
        || style.ends_with("opacity:0")
}

/// The events of the element that holds the page's text.
pub(super) fn main(events: &[Event]) -> Option<Range<usize>> {
    let mut lengths = Vec::with_capacity(events.len() + 1);
    let mut total = 0;
    for event in events {
        lengths.push(total);
        if let Event::Text { text, .. } = event {
            total += text.trim().len();
        }
    }
    lengths.push(total);
    let size = |range: &Range<usize>| lengths[range.end] - lengths[range.start];
    let candidates: Vec<Range<usize>> = events
        .iter()
        .enumerate()
        .filter_map(|(index, event)| match event {
            Event::Open(element) if element.close > index && holds_text(element) => {
                Some(index..element.close)
            }
            _ => None,
        })
        .collect();
    let most = candidates.iter().map(size).max().filter(|most| *most > 0)?;
    // The innermost of those that hold most of it.
    candidates.into_iter().filter(|range| size(range) * 5 >= most * 3).min_by_key(|range| range.len())
}

fn holds_text(element: &Element) -> bool {
    const IDS: &[&str] = &["content", "main-content", "bodycontent", "mw-content-text", "main", "readme"];
    const CLASSES: &[&str] = &[
        "markdown-body",
        "entry-content",
        "post-content",
        "rst-content",
        "article-content",
        "theme-doc-markdown",
        "md-content__inner",
        "body-content",
        "markdown",
    ];
    matches!(element.name.as_str(), "main" | "article")
        || element.get("role") == Some("main")
        || element.get("itemprop") == Some("articleBody")
        || element.get("id").is_some_and(|id| IDS.contains(&id.to_ascii_lowercase().as_str()))
        || element.classes().any(|class| CLASSES.contains(&class))
}
