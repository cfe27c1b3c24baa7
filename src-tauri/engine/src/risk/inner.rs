//! Text inside a command that is itself read as shell text: `bash -c`, `eval`, the body of a function.

use std::path::PathBuf;

use planwright_shell::{Facts, SimpleCommand, Span, Word};

use super::endless;
use super::judge::{DEEPEST, Judge};
use super::plain;
use super::runs::Run;
use crate::protocol::Risk;

impl Judge<'_> {
    /// Shell text inside the command, as the reader found it. A shell of its own sees only what was exported.
    pub(super) fn nested(&mut self, text: &str, facts: &Facts, span: Span, same_shell: bool) {
        let variables =
            if same_shell { self.variables.clone() } else { self.variables.of_new_shell(&self.anchors.home) };
        let outer = std::mem::replace(&mut self.variables, variables);
        self.variables.forget_uncertain(text, &facts.commands);
        for (name, texts) in std::mem::take(&mut self.given) {
            self.variables.set_loop(&name, &texts);
        }
        self.inner.extend(facts.inner.iter().cloned());
        self.functions.add(facts);
        let place = self.found.place_of(text, span);
        let moved = |command| match place {
            Some(place) => shifted(command, place),
            None => moved_to(command, span),
        };
        let moved: Vec<SimpleCommand> = facts.commands.iter().map(moved).collect();
        self.within(&moved);
        self.variables = outer;
        self.variables.all_unknown = true;
    }

    /// The commands of a text that is run by the command at hand, in the folder where that stands: a `cd` of the subshell
    /// around it holds for all of them.
    pub(super) fn within(&mut self, commands: &[SimpleCommand]) {
        let outer: Vec<bool> =
            self.folders.iter_mut().map(|(_, subshell)| std::mem::take(subshell)).collect();
        self.depth += 1;
        self.text(commands);
        self.depth -= 1;
        for ((_, subshell), was) in self.folders.iter_mut().zip(outer) {
            *subshell = was;
        }
    }

    /// The commands of one text. What it may run once more after a later `cd` (the body of a loop or of a function, a trap, an
    /// alias) is judged once more, in all folders that it goes to; texts inside not once more again, which would double with
    /// every level.
    pub(super) fn text(&mut self, commands: &[SimpleCommand]) {
        let body = std::mem::take(&mut self.in_body);
        let (went, lost) = (self.went.len(), self.lost);
        self.commands(commands);
        let later: Vec<PathBuf> = self.went.get(went..).unwrap_or_default().to_vec();
        let moved = !later.is_empty() || self.lost != lost;
        if self.again || !moved || !(body || comes_back(self.command, commands)) {
            return;
        }
        let (runs, folders) = (self.runs.len(), self.folders.clone());
        self.folders.extend(later.into_iter().map(|folder| (folder, false)));
        self.again = true;
        self.commands(commands);
        self.again = false;
        self.runs.truncate(runs);
        self.folders = folders;
    }

    /// Something runs that cannot be read: dangerous, and no grant can cover it.
    pub(super) fn unread(&mut self, why: &str, span: Span) {
        self.runs.push(Run::unread());
        self.found.add(Risk::Dangerous, why, span);
    }

    /// Judges `text` as shell text that stands at `span`, if it is plain enough to be read.
    pub(super) fn shell_text(&mut self, text: &str, span: Span) {
        self.found.add(Risk::Caution, "runs text as shell commands", span);
        self.shell_text_as_it_is(text, span);
    }

    /// The same for a program that adds nothing to what the text does, as `watch`.
    pub(super) fn shell_text_as_it_is(&mut self, text: &str, span: Span) {
        if let Some(why) = endless::alarm(text) {
            self.found.add(Risk::Dangerous, why, span);
        }
        let same_shell = std::mem::take(&mut self.same_shell);
        let outer = (self.told.clone(), self.own_files, self.before_in_pipeline.clone(), self.piped.clone());
        let nested = self.inner.iter().find(|inner| inner.text == text).map(|inner| inner.facts.clone());
        if let Some(facts) = nested.filter(|facts| facts.doubts.is_empty() && self.depth < DEEPEST) {
            self.nested(text, &facts, span, same_shell);
            (self.told, self.own_files, self.before_in_pipeline, self.piped) = outer;
            return;
        }
        match plain::read(text, self.found.place_of(text, span).unwrap_or(span)) {
            Some(commands) if self.depth < DEEPEST => self.within(&commands),
            Some(_) | None => {
                self.unread("runs text that could not be analysed", span);
            }
        }
        (self.told, self.own_files, self.before_in_pipeline, self.piped) = outer;
        self.variables.all_unknown = true;
    }
}

/// A carried function's command as if it stood where the function is called.
pub(super) fn moved(command: &SimpleCommand, span: Span) -> SimpleCommand {
    let mut command = moved_to(command, span);
    command.context.in_function = false;
    command
}

/// The command as if all of it stood at `span`.
fn moved_to(command: &SimpleCommand, span: Span) -> SimpleCommand {
    let mut command = command.clone();
    command.span = span;
    words_of(&mut command).for_each(|word| word.span = span);
    command
}

/// The command of a text that stands at `place`.
fn shifted(command: &SimpleCommand, place: Span) -> SimpleCommand {
    let shift = |span: Span| {
        let moved = |at: u32| at.saturating_add(place.start).min(place.end);
        Span { start: moved(span.start), end: moved(span.end) }
    };
    let mut command = command.clone();
    command.span = shift(command.span);
    words_of(&mut command).for_each(|word| word.span = shift(word.span));
    command
}

fn words_of(command: &mut SimpleCommand) -> impl Iterator<Item = &mut Word> {
    let targets = command.redirects.iter_mut().map(|redirect| &mut redirect.target);
    let values = command.assignments.iter_mut().map(|assignment| &mut assignment.value);
    command.words.iter_mut().chain(targets).chain(values)
}

/// Whether something in the text may run later than where it stands.
fn comes_back(text: &str, commands: &[SimpleCommand]) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| matches!(word, "done" | "trap" | "alias"))
        || commands.iter().any(|command| command.context.in_function)
}
