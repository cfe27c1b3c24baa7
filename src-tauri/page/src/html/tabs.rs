//! Tabs in HTML, as the common tools write them: labels first or label by label, then panels.

use super::events::{Element, Event};

pub(super) fn is_panel(element: &Element) -> bool {
    element.get("role") == Some("tabpanel")
        || element.classes().any(|class| {
            matches!(
                class,
                "sd-tab-content" | "tabbed-block" | "tab-pane" | "sphinx-tabs-panel" | "tab-content-item"
            )
        })
}

pub(super) fn is_label(element: &Element) -> bool {
    element.get("role") == Some("tab")
        || element.classes().any(|class| matches!(class, "sd-tab-label" | "sphinx-tabs-tab" | "nav-link"))
        || (element.name == "label" && element.get("for").is_some_and(|of| of.starts_with("__tabbed")))
}

/// Open groups of tabs: labels that were read and how many panels followed.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    labels: Vec<Label>,
    used: usize,
    group: Option<u32>,
}

#[derive(Debug)]
struct Label {
    id: String,
    controls: String,
    text: String,
}

impl Tabs {
    pub(super) fn label(&mut self, element: &Element, text: String) {
        // Labels behind panels belong to the next group, unless each stands before its own panel.
        if self.used == self.labels.len() && self.used > 1 && element.get("role") == Some("tab") {
            *self = Self::default();
        }
        let get = |name| element.get(name).unwrap_or_default().to_owned();
        self.labels.push(Label { id: get("id"), controls: get("aria-controls"), text });
    }

    /// The group and the label of the next panel.
    pub(super) fn panel(&mut self, element: &Element, new_group: impl FnOnce() -> u32) -> (u32, String) {
        let by_id = self.labels.iter().find(|label| {
            (!label.id.is_empty() && element.get("aria-labelledby") == Some(&label.id))
                || (!label.controls.is_empty() && element.get("id") == Some(&label.controls))
        });
        let label = by_id.or(self.labels.get(self.used)).map(|label| label.text.clone());
        self.used += 1;
        let group = *self.group.get_or_insert_with(new_group);
        (group, label.or_else(|| element.get("aria-label").map(str::to_owned)).unwrap_or_default())
    }
}

/// The text of an element's events.
pub(super) fn text_of(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        if let Event::Text { text: part, .. } = event {
            text.push_str(part);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
