//! What the exit status of a command means: done, an answer ("nothing was found"), or failed, and then which part of it.
//! Bash tells of a pipeline the status of its last part only, and of `a && b` not which of them ended it. Pure: it sees
//! what the shell knew at its end, runs nothing, and knows no plan.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use planwright_shell::{Facts, SimpleCommand, Value};

use crate::keyboard::Part;
use crate::knowledge::{Statuses, statuses};
use crate::runner::Passed;

/// A part that is ended because nobody reads what it writes any more: 128 and SIGPIPE.
const NOBODY_READS: i32 = 141;
/// What programs say that ignore this signal.
const NOBODY_READS_IN_WORDS: [&str; 3] = ["roken pipe", "BrokenPipe", "EPIPE"];
/// Of `timeout` when the time was over; and when its command had to be killed.
const TIME_OVER: [i32; 2] = [124, 137];
/// Programs that fetch what another command uses.
const FETCHERS: [&str; 2] = ["curl", "wget"];
/// How a command begins that asks.
const ASKING: [&str; 3] = ["[", "test ", "(("];
/// Longest part of a command that is quoted, in characters.
const QUOTED: usize = 80;

/// The commands of one part of a pipeline.
type Stage<'f> = Vec<&'f SimpleCommand>;

/// How a command ended, in words where it is not plainly done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Done,
    /// Its status is an answer.
    Answer(&'static str),
    Failed(String),
}

/// A command that came to an end of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended<'a> {
    pub(crate) command: &'a str,
    pub(crate) code: i32,
    /// The statuses of the parts of the pipeline that ran last; empty where they are not known.
    pub(crate) pipe: &'a [i32],
    /// The last word of what ran last in the shell itself, where it is known.
    pub(crate) last_word: Option<&'a str>,
    /// The pipelines before the last in which a part failed.
    pub(crate) passed: &'a [Passed],
    /// The pipelines at the end of a substitution in which a part failed.
    pub(crate) within: &'a [Passed],
    pub(crate) stderr: &'a str,
}

impl Ended<'_> {
    /// Nothing needs to be known of the command to say so.
    pub(crate) fn is_plainly_done(&self) -> bool {
        self.code == 0
            && self.passed.is_empty()
            && self.within.is_empty()
            && self.pipe.iter().all(|status| *status == 0)
    }

    /// `facts`: what the reader found in the command.
    pub(crate) fn verdict(&self, facts: &Facts) -> Verdict {
        if self.is_plainly_done() {
            return Verdict::Done;
        }
        let stages = self.stages(facts);
        let failed = self.failed_part(self.pipe, &stages);
        if let Some(reason) =
            failed.or_else(|| self.failed_before_and(facts)).or_else(|| self.failed_within(facts))
        {
            return Verdict::Failed(reason);
        }
        if self.code == 0 {
            return Verdict::Done;
        }
        let answered = self.gave_the_status(facts, &stages).filter(|_| !is_negated(self.command));
        if let Some(answer) = answered {
            return Verdict::Answer(answer);
        }
        let over = facts.commands.iter().find_map(|command| time_over(command, self.code));
        Verdict::Failed(over.unwrap_or_else(|| format!("It ended with status {}.", self.code)))
    }

    /// The commands of each part of the pipeline that ran last, where one with as many parts is found.
    fn stages<'f>(&self, facts: &'f Facts) -> Vec<Stage<'f>> {
        // The outermost is numbered first.
        let found = pipelines(facts).into_iter().find(|stages| stages.len() == self.pipe.len());
        found.unwrap_or_else(|| vec![Stage::new(); self.pipe.len()])
    }

    /// What the part of `pipe` says that failed while the last part did not.
    fn failed_part(&self, pipe: &[i32], stages: &[Stage<'_>]) -> Option<String> {
        let (_, earlier) = pipe.split_last()?;
        if is_ignored(self.command) || NOBODY_READS_IN_WORDS.iter().any(|words| self.stderr.contains(words)) {
            return None;
        }
        let (at, status) = earlier.iter().enumerate().find(|(at, status)| {
            let commands = stages.get(*at).map(Vec::as_slice).unwrap_or_default();
            !matches!(**status, 0 | NOBODY_READS)
                && !commands.iter().any(|command| is_let_pass(command, **status))
        })?;
        let first = stages.get(at).and_then(|commands| commands.first());
        if let Some(over) = first.and_then(|command| time_over(command, *status)) {
            return Some(over);
        }
        let (number, count) = (at + 1, pipe.len());
        let which = match first {
            Some(command) => {
                format!("`{}`, part {number} of {count} of the pipeline,", quoted(self.command, command))
            }
            None => format!("Part {number} of {count} of the pipeline"),
        };
        Some(format!("{which} ended with status {status}; bash tells only how the last part ended."))
    }

    /// The same of a pipeline behind which `&&` went on.
    fn failed_before_and(&self, facts: &Facts) -> Option<String> {
        let pipelines = pipelines(facts);
        self.passed.iter().find_map(|passed| {
            let is_it = |stages: &&Vec<Stage<'_>>| {
                stages.len() == passed.pipe.len() && self.goes_on_with(stages, &passed.next)
            };
            self.failed_part(&passed.pipe, pipelines.iter().find(is_it)?)
        })
    }

    /// The same of what is fetched within a substitution, unless it is asked about there (`[ -z "$(curl …)" ]`).
    fn failed_within(&self, facts: &Facts) -> Option<String> {
        if is_ignored(self.command) {
            return None;
        }
        let pipelines = pipelines_of(facts.commands.iter().filter(|command| command.context.in_substitution));
        let is_asked = |passed: &&Passed| ASKING.iter().any(|word| passed.next.starts_with(word));
        self.within.iter().filter(|passed| !is_asked(passed)).find_map(|passed| {
            let of_length = pipelines.iter().filter(|stages| stages.len() == passed.pipe.len());
            let parts = of_length.flat_map(|stages| stages.iter().zip(&passed.pipe));
            let mut commands =
                parts.flat_map(|(stage, status)| stage.iter().map(move |command| (command, *status)));
            let (command, status) = commands.find(|(command, status)| {
                !matches!(*status, 0 | NOBODY_READS) && fetches(command) && !is_let_pass(command, *status)
            })?;
            let fetch = quoted(self.command, command);
            Some(format!("`{fetch}`, whose output is used in the command, ended with status {status}."))
        })
    }

    /// Whether `&& next` stands behind a pipeline.
    fn goes_on_with(&self, stages: &[Stage<'_>], next: &str) -> bool {
        let end = stages.iter().flatten().map(|command| command.span.end as usize).max().unwrap_or(0);
        let behind: String = self.command.chars().skip(end).collect();
        // Between may stand what belongs to the last part: a redirection, the end of a group.
        let (between, then) = behind.split_once("&&").unwrap_or_default();
        let first = |text: &str| text.split_whitespace().next().map(str::to_owned);
        !between.contains([';', '\n', '|']) && first(then).is_some() && first(then) == first(next)
    }

    /// What the status says where the command that gave it is known, and gave it as an answer.
    fn gave_the_status(&self, facts: &Facts, stages: &[Vec<&SimpleCommand>]) -> Option<&'static str> {
        if let Some([command]) = stages.last().map(Vec::as_slice).filter(|_| self.pipe.len() > 1) {
            return self.answer(command, false);
        }
        let own: Vec<&SimpleCommand> =
            own_commands(facts).into_iter().filter(|command| !command.context.in_subshell).collect();
        let last = own.last()?;
        if let ([command], None) = (own.as_slice(), self.last_word) {
            return self.answer(command, false);
        }
        let word = self.last_word?;
        let ran: Vec<&&SimpleCommand> =
            own.iter().filter(|command| last_word(command) == Some(word)).collect();
        if ran.is_empty() {
            // `[[ … ]]` and `(( … ))` leave no word. What stands behind them is known not to have run.
            let asks = ["[[", "(("].iter().any(|sign| self.command.contains(sign));
            let skipped =
                own.iter().all(|command| command.context.conditional && last_word(command).is_some());
            return (self.code == 1 && asks && skipped).then_some("it is not so");
        }
        let asked_before = |command: &SimpleCommand| command.span != last.span && last.context.conditional;
        let answers = ran.iter().map(|command| self.answer(command, asked_before(command)));
        answers.collect::<Option<Vec<_>>>()?.first().copied()
    }

    fn answer(&self, command: &SimpleCommand, asked_before: bool) -> Option<&'static str> {
        let (entry, part) = known(command)?;
        let says_it = !entry.assertion && !part.is_some_and(|part| part.has(&entry.silent));
        (entry.answers.contains(&self.code) && (says_it || asked_before)).then_some(entry.says.as_str())
    }
}

/// The pipelines of more than one part in the last top-level command, the outermost first.
fn pipelines(facts: &Facts) -> Vec<Vec<Stage<'_>>> {
    let all = pipelines_of(own_commands(facts));
    all.into_iter().filter(|stages| stages.len() > 1).collect()
}

fn fetches(command: &SimpleCommand) -> bool {
    Part::of(command).is_some_and(|part| FETCHERS.contains(&part.program))
}

/// A single command is a pipeline of one part.
fn pipelines_of<'f>(commands: impl IntoIterator<Item = &'f SimpleCommand>) -> Vec<Vec<Stage<'f>>> {
    let mut pipelines = BTreeMap::<u32, Vec<Stage<'f>>>::new();
    for command in commands {
        let stages = pipelines.entry(command.context.pipeline).or_default();
        let stage = command.context.stage as usize;
        stages.resize(stages.len().max(stage + 1), Stage::new());
        stages[stage].push(command);
    }
    pipelines.into_values().collect()
}

/// Of the last top-level command, in the order of the text: those that run when it runs.
fn own_commands(facts: &Facts) -> Vec<&SimpleCommand> {
    let last = facts.pieces.last().map(|piece| piece.span);
    let is_own = |command: &&SimpleCommand| {
        let context = command.context;
        let within = last.is_none_or(|last| last.start <= command.span.start && command.span.end <= last.end);
        within && !context.in_function && !context.in_substitution && !context.background
    };
    let mut own: Vec<&SimpleCommand> = facts.commands.iter().filter(is_own).collect();
    own.sort_by_key(|command| command.span.start);
    own
}

/// A part of a pipeline whose status is no failure of it.
fn is_let_pass(command: &SimpleCommand, status: i32) -> bool {
    known(command)
        .is_some_and(|(entry, _)| entry.answers.contains(&status) || entry.in_pipe.contains(&status))
}

fn known(command: &SimpleCommand) -> Option<(&'static Statuses, Option<Part<'_>>)> {
    match Part::of(command) {
        Some(part) => Some((statuses(part.program, part.first())?, Some(part))),
        // `command -v name` runs nothing.
        None => Some((statuses(text(command.words.first()?)?, None)?, None)),
    }
}

/// `! a` turns the answer round, and says by its status what must be so.
fn is_negated(command: &str) -> bool {
    command.trim_start().starts_with("! ") || [" ! ", "\n! "].iter().any(|sign| command.contains(sign))
}

/// Whoever wrote it does not want to know.
fn is_ignored(command: &str) -> bool {
    ["|| true", "|| :"].iter().any(|ending| command.trim_end().ends_with(ending))
}

/// What `timeout` says by this status.
fn time_over(command: &SimpleCommand, status: i32) -> Option<String> {
    if !TIME_OVER.contains(&status) {
        return None;
    }
    let mut words = command.words.iter().filter_map(|word| text(word));
    words.by_ref().take(3).find(|word| word.rsplit('/').next() == Some("timeout"))?;
    let is_time = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.trim_end_matches(['s', 'm', 'h', 'd']).parse::<f64>().is_ok()
    };
    let given = words.find(is_time)?;
    let unit = if given.ends_with(|c: char| c.is_ascii_digit()) { " s" } else { "" };
    Some(format!("It ran longer than the {given}{unit} that `timeout` gives it, and was ended."))
}

fn last_word(command: &SimpleCommand) -> Option<&str> {
    text(command.words.last()?)
}

fn text(word: &planwright_shell::Word) -> Option<&str> {
    match &word.value {
        Value::Known { text, tilde: false } => Some(text),
        Value::Known { tilde: true, .. }
        | Value::Several { .. }
        | Value::Glob { .. }
        | Value::Unknown { .. } => None,
    }
}

fn quoted(text: &str, command: &SimpleCommand) -> String {
    let (start, end) = (command.span.start as usize, command.span.end as usize);
    let whole: String = text.chars().skip(start).take(end.saturating_sub(start)).collect();
    match whole.trim() {
        short if short.chars().count() <= QUOTED => short.to_owned(),
        long => long.chars().take(QUOTED).chain(['…']).collect(),
    }
}
