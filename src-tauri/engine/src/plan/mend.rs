//! Back to the page (P3f): what a run mended, as changes of the page's text. Only commands change, each where the page has
//! it and with the prompt, the list mark or the indentation that stands before it; what has no place is told instead.

use std::ops::Range;

use planwright_page::{Document, Form};

use crate::protocol::{
    EngineError, ErrorCode, Plan, PlanInput, PlanOrigin, Step, StepId, StepOrigin, StepPlace, StepState,
};

/// A page before and after, byte for byte as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    pub before: String,
    pub after: String,
    pub mended: Mended,
}

/// The page of a plan as its run has mended it. What is not changed stays as it is to the byte, line ends and all.
///
/// # Errors
/// A page that is not UTF-8: what is written in another encoding is not written back.
pub fn patched(bytes: &[u8], plan: &Plan) -> Result<Patched, EngineError> {
    let name = page_name(plan);
    let Ok(before) = std::str::from_utf8(bytes) else {
        let message = format!(
            "{name} is not in UTF-8, so it cannot be mended here. Save it as UTF-8 and import it again."
        );
        return Err(EngineError::new(ErrorCode::NotText, message));
    };
    let marked = before.len() - before.trim_start_matches('\u{feff}').len();
    let page = Document::read_text(&before[marked..], name);
    let mended = mended(&page, plan);
    let line_end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut after = String::with_capacity(before.len() + 256);
    let (mut from, mut offsets) = (0, Offsets { text: before, at: marked, read: 0 });
    for edit in &mended.edits {
        let (start, end) = (offsets.of(edit.range.start), offsets.of(edit.range.end));
        after.push_str(&before[from..start]);
        after.push_str(&edit.text.replace('\n', line_end));
        from = end;
    }
    after.push_str(&before[from..]);
    Ok(Patched { before: before.to_owned(), after, mended })
}

/// The name of the file, or the address.
pub fn page_name(plan: &Plan) -> &str {
    match &plan.origin {
        PlanOrigin::Runbook { name } | PlanOrigin::Json { name } | PlanOrigin::Model { name, .. } => name,
        PlanOrigin::User => "",
    }
}

/// From places of the text as it was read, where every line ends in `\n`, to those of the file.
struct Offsets<'t> {
    text: &'t str,
    at: usize,
    read: usize,
}

impl Offsets<'_> {
    /// Places come in order.
    fn of(&mut self, place: usize) -> usize {
        let bytes = self.text.as_bytes();
        while self.read < place && self.at < bytes.len() {
            self.at += if bytes[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
            self.read += 1;
        }
        self.at
    }
}

/// What a page becomes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mended {
    /// From front to back and apart from each other; bytes of [`Document::text`].
    pub edits: Vec<Edit>,
    /// Commands that the run changed or added and that have no place on the page.
    pub by_hand: Vec<String>,
    /// Commands that `edits` change or add.
    pub changes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

/// What a plan that has run says of the page that it came from: commands that were changed and done, and repairs that were
/// done, each before or behind the command that they were for.
fn mended(page: &Document, plan: &Plan) -> Mended {
    let mut mended = Mended::default();
    let places = plan.page.as_deref().map(|reading| reading.steps.as_slice()).unwrap_or_default();
    let mut found: Vec<(&StepId, Spot)> = Vec::new();
    let mut from = 0;
    for place in places.iter().filter(|place| !place.text.is_empty()) {
        let spot = locate(page, place, from).or_else(|| locate(page, place, 0));
        if let Some(spot) = spot {
            from = spot.end();
            found.push((&place.step_id, spot));
        }
    }
    let spot_of = |id: &StepId| found.iter().find(|(known, _)| *known == id).map(|(_, spot)| spot);
    for (at, step) in plan.steps.iter().enumerate() {
        if !matches!(step.state, StepState::Completed { .. }) || step.action.is_manual() {
            continue;
        }
        let now = as_on_page(step.action.command(), &plan.inputs);
        let edit = match &step.origin {
            StepOrigin::Original => {
                let Some(place) = places.iter().find(|place| place.step_id == step.id) else { continue };
                if step.changed.is_none() || now == place.text {
                    continue;
                }
                spot_of(&step.id).and_then(|spot| spot.replaced(page, &place.text, &now))
            }
            StepOrigin::Repair { for_step, .. } => {
                let anchor = root(plan, for_step);
                let is_before = plan.steps.iter().position(|one| one.id == *anchor).is_none_or(|of| at < of);
                spot_of(anchor).and_then(|spot| spot.joined(page, &now, is_before)).map(|edit| vec![edit])
            }
        };
        match edit {
            Some(edits) => {
                mended.edits.extend(edits);
                mended.changes += 1;
            }
            None => mended.by_hand.push(now),
        }
    }
    // Those for one place stay in the order of the plan.
    mended.edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    mended
}

/// The step of the page that a repair is for, through repairs of repairs.
fn root<'p>(plan: &'p Plan, id: &'p StepId) -> &'p StepId {
    let mut id = id;
    for _ in 0..plan.steps.len() {
        match plan.step(id).map(|step: &Step| &step.origin) {
            Some(StepOrigin::Repair { for_step, .. }) => id = for_step,
            Some(StepOrigin::Original) | None => break,
        }
    }
    id
}

/// The command with the page's blanks where the plan has variables.
fn as_on_page(command: &str, inputs: &[PlanInput]) -> String {
    let mut text = command.to_owned();
    for input in inputs.iter().filter(|input| !input.token.is_empty()) {
        let (name, token) = (&input.name, &input.token);
        for variable in [
            format!("'\"${{{name}}}\"'"),
            format!("\"${{{name}}}\""),
            format!("\"${name}\""),
            format!("${{{name}}}"),
        ] {
            text = text.replace(&variable, token);
        }
    }
    text
}

/// Where a command stands on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    /// Of each of its lines, without what stands before.
    lines: Vec<Range<usize>>,
    /// It stands in a sentence, not in lines of its own.
    inline: bool,
}

fn locate(page: &Document, place: &StepPlace, from: usize) -> Option<Spot> {
    let (start, end) = (place.start as usize, place.end as usize);
    let text = page.text.get(start..end)?;
    let wanted: Vec<String> = own_lines(&place.text)
        .map(|line| written(page, line.trim()))
        .filter(|line| !line.is_empty())
        .collect();
    let first = wanted.first()?;
    // Whole lines, so that a prompt before the range is seen.
    let start = page.text[..start].rfind('\n').map_or(0, |at| at + 1);
    let text = page.text.get(start..end).unwrap_or(text);
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut at = start;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            lines.push((at, line.trim_end()));
        }
        at += line.len();
    }
    let own = |(at, line): &(usize, &str), wanted: &str| {
        let found = line.find(wanted)?;
        let behind = line[found + wanted.len()..].trim_start();
        let is_all = behind.is_empty() || behind.starts_with(['#', ';', '`', '<', '|', '&']);
        (leads(&line[..found]) && is_all).then_some(at + found..at + found + wanted.len())
    };
    let whole = lines.windows(wanted.len()).find_map(|window| {
        let lines: Option<Vec<_>> =
            window.iter().zip(&wanted).map(|(line, wanted)| own(line, wanted)).collect();
        lines.filter(|lines| lines.first().is_some_and(|line| line.start >= from))
    });
    if let Some(lines) = whole {
        return Some(Spot { lines, inline: false });
    }
    let mut inside = text.match_indices(first.as_str()).filter(|(at, _)| start + at >= from);
    match (wanted.len(), inside.next(), inside.next()) {
        (1, Some((at, found)), None) => {
            let line = start + at..start + at + found.len();
            Some(Spot { lines: Vec::from([line]), inline: true })
        }
        _ => None,
    }
}

/// The lines of a command without the options that the plan put before it.
fn own_lines(command: &str) -> impl Iterator<Item = &str> {
    command.lines().skip_while(|line| line.starts_with("set -") || line.starts_with("set +"))
}

/// A command as the page's form writes it.
fn written(page: &Document, command: &str) -> String {
    if page.form == Form::Html {
        command.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    } else {
        command.to_owned()
    }
}

/// What may stand before a command on its line: blanks, a prompt, a list's mark.
fn leads(before: &str) -> bool {
    let sign = before.trim_end();
    sign.is_empty()
        || (before.len() > sign.len() || before.ends_with('>'))
            && sign.ends_with(['$', '#', '>', '%', '❯', '»', '-', '*', '|'])
}

impl Spot {
    fn end(&self) -> usize {
        self.lines.last().map_or(0, |line| line.end)
    }

    fn first(&self) -> Range<usize> {
        self.lines.first().cloned().unwrap_or_default()
    }

    /// What stands before its first line.
    fn lead<'t>(&self, page: &'t Document) -> &'t str {
        let start = self.first().start;
        let line = page.text[..start].rfind('\n').map_or(0, |at| at + 1);
        &page.text[line..start]
    }

    /// `None` where the new text has no place.
    fn replaced(&self, page: &Document, before: &str, after: &str) -> Option<Vec<Edit>> {
        let was: Vec<&str> = own_lines(before).map(str::trim).filter(|line| !line.is_empty()).collect();
        let now: Vec<&str> =
            own_lines(after).map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
        if self.inline && now.len() != 1 {
            return None;
        }
        if was.len() == now.len() && self.lines.len() == now.len() {
            let lines =
                self.lines.iter().zip(was.iter().zip(&now)).filter(|(_, (was, now))| was != &&now.trim());
            let edits =
                lines.map(|(range, (_, now))| Edit { range: range.clone(), text: written(page, now.trim()) });
            return Some(edits.collect());
        }
        let range = self.first().start..self.end();
        Some(vec![Edit { range, text: self.written_in_lines(page, &now) }])
    }

    /// Another command before or behind it.
    fn joined(&self, page: &Document, command: &str, before: bool) -> Option<Edit> {
        let lines: Vec<&str> =
            own_lines(command).map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
        let (start, end) = (self.first().start, self.end());
        if self.inline {
            let [only] = lines.as_slice() else { return None };
            let only = written(page, only.trim());
            let and = written(page, "&&");
            return Some(if before {
                Edit { range: start..start, text: format!("{only} {and} ") }
            } else {
                Edit { range: end..end, text: format!(" {and} {only}") }
            });
        }
        let lead = self.lead(page);
        let text = self.written_in_lines(page, &lines);
        if before {
            let line = start - lead.len();
            return Some(Edit { range: line..line, text: format!("{lead}{text}\n") });
        }
        let behind = page.text[end..].find('\n').map_or(page.text.len(), |at| end + at);
        Some(Edit { range: behind..behind, text: format!("\n{lead}{text}") })
    }

    /// Lines of a command; those behind the first stand where its first does, without its prompt.
    fn written_in_lines(&self, page: &Document, lines: &[&str]) -> String {
        let indent: String = self.lead(page).chars().take_while(|letter| letter.is_whitespace()).collect();
        let lines: Vec<String> = lines.iter().map(|line| written(page, line)).collect();
        lines.join(&format!("\n{indent}"))
    }
}

#[cfg(test)]
#[path = "mend_tests.rs"]
mod tests;
