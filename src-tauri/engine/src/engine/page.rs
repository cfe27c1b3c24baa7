//! The page that a session's plan is from: as it is shown beside the plan, and as the run has mended it.

use planwright_page::{BlockKind, Container, Document};

use super::Engine;
use crate::plan::mend::{page_name, patched};
use crate::plan::runbook::decode;
use crate::protocol::{
    EngineError, ErrorCode, PageLine, PagePart, PagePartKind, PagePatch, PageView, Plan, QuestionEstimate,
    SessionId,
};
use crate::{session, tools};

impl Engine {
    /// The page as it was read, part by part.
    ///
    /// # Errors
    /// `NotNow` where the plan is from no page, `FileUnreadable` where it is not kept any more.
    pub async fn page_view(&self, id: SessionId) -> Result<PageView, EngineError> {
        let (plan, bytes) = self.page_of(id).await?;
        let decoded = decode(&bytes)?;
        Ok(view(&Document::read_text(&decoded.text, page_name(&plan))))
    }

    /// What the run mended, as a change of the page. Nothing is written: `Command::MendPage` does that.
    ///
    /// # Errors
    /// Those of [`Self::page_view`], and a page in another encoding than UTF-8.
    pub async fn page_patch(&self, id: SessionId) -> Result<PagePatch, EngineError> {
        let (plan, bytes) = self.page_of(id).await?;
        let patch = patched(&bytes, &plan)?;
        let path = plan.page.as_deref().and_then(|page| page.path.clone());
        let shown = path.as_deref().unwrap_or_else(|| page_name(&plan));
        Ok(PagePatch {
            diff: tools::diff(shown, Some(&patch.before), &patch.after),
            changes: patch.mended.changes,
            by_hand: patch.mended.by_hand,
            is_file: path.is_some(),
        })
    }

    /// What having the page of a draft sorted by the model may cost. `None` where there is no model, or where the rules
    /// left nothing open: no other way, and nothing left out that could be done.
    ///
    /// # Errors
    /// Those of [`Self::page_view`].
    pub async fn sorting_estimate(&self, id: SessionId) -> Result<Option<QuestionEstimate>, EngineError> {
        let Some(model) = self.shared.models.main() else { return Ok(None) };
        let (plan, bytes) = self.page_of(id).await?;
        let is_open = plan.page.as_deref().is_some_and(|page| {
            !page.choices.is_empty() || page.left_out.iter().any(|one| !one.steps.is_empty())
        });
        if !is_open {
            return Ok(None);
        }
        // What is no draft, or too long, is not offered.
        let question = session::sorting_question(&plan, &bytes).ok();
        Ok(question.map(|question| question.estimate(model.as_ref())))
    }

    async fn page_of(&self, id: SessionId) -> Result<(Plan, Vec<u8>), EngineError> {
        let plan = self.open_session(id).await?.plan.filter(|plan| plan.page.is_some());
        let plan = plan.ok_or_else(|| EngineError::new(ErrorCode::NotNow, "This plan is from no page."))?;
        let bytes = self.shared.journal.read_page(id).await?;
        Ok((plan, bytes))
    }
}

/// Every part in order, as plain text with its place.
fn view(page: &Document) -> PageView {
    let mut parts = Vec::new();
    let mut before: &[Container] = &[];
    for section in &page.sections {
        if let Some(heading) = &section.heading {
            parts.push(PagePart {
                kind: PagePartKind::Heading { level: heading.level },
                lines: vec![line(heading.range.start, heading.range.end, &heading.text)],
                depth: 0,
                mark: None,
                label: None,
            });
        }
        for block in &section.blocks {
            let (kind, lines) = match &block.kind {
                BlockKind::Prose { text, .. } => {
                    (PagePartKind::Prose, vec![line(block.range.start, block.range.end, text)])
                }
                BlockKind::Code(code) => {
                    let lines = code.text.lines().enumerate().map(|(number, text)| {
                        let range = code.lines.get(number).cloned().unwrap_or(block.range.clone());
                        line(range.start, range.end, text)
                    });
                    (PagePartKind::Code, lines.collect())
                }
                BlockKind::Table { rows, .. } => {
                    let rows = rows.iter().map(|row| {
                        let cells: Vec<&str> = row.iter().map(|cell| cell.text.trim()).collect();
                        let start = row.first().map_or(block.range.start, |cell| cell.range.start);
                        let end = row.last().map_or(block.range.end, |cell| cell.range.end);
                        line(start, end, &cells.join("   "))
                    });
                    (PagePartKind::Table, rows.collect())
                }
                BlockKind::Comment { .. } => continue,
            };
            parts.push(part(kind, lines, before, &block.within));
            before = &block.within;
        }
        before = &[];
    }
    PageView { parts }
}

fn part(kind: PagePartKind, lines: Vec<PageLine>, before: &[Container], within: &[Container]) -> PagePart {
    // What the part before stood in already was told there.
    let same = before.iter().zip(within).take_while(|(one, other)| one == other).count();
    let fresh = &within[same..];
    let is_item = |container: &&Container| matches!(container, Container::Item { .. });
    let mark = fresh.iter().rev().find(is_item).map(|item| match item {
        Container::Item { ordered: true, number, .. } => format!("{number}."),
        _ => "\u{2022}".to_owned(),
    });
    let labels: Vec<String> = fresh
        .iter()
        .filter_map(|container| match container {
            Container::Tab { label, .. } => Some(label.clone()),
            Container::Admonition { kind, title } => Some(title.clone().unwrap_or_else(|| kind.clone())),
            Container::Details { summary } => Some(summary.clone()),
            Container::Item { .. } | Container::Quote => None,
        })
        .collect();
    PagePart {
        kind,
        lines,
        depth: u32::try_from(within.iter().filter(is_item).count()).unwrap_or(u32::MAX),
        mark,
        label: (!labels.is_empty()).then(|| labels.join(" \u{00b7} ")),
    }
}

fn line(start: usize, end: usize, text: &str) -> PageLine {
    let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    PageLine { start: offset(start), end: offset(end), text: text.to_owned() }
}
