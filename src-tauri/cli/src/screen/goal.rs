//! A goal as a person reads it: what the model says of it, the to-dos as they move, why each action, and how it ended.

use std::io::{self, Write as _};

use anstyle::Style;
use planwright_engine::protocol::{
    AskedBy, CallOutcome, Event, GoalBudget, GoalEnd, GoalPause, SentBack, SignalStatus, SubGoalEnd, Todo,
    TodoAuthor, TodoStatus,
};

use super::{ASKS, BAD, BOLD, DIM, GOOD, INDENT, MENDS, Screen, WIDTH};
use crate::{show, words};

impl Screen {
    /// `false`: the event is none of a goal.
    pub(super) fn goal_event(&mut self, event: &Event) -> io::Result<bool> {
        match event {
            Event::GoalStarted { request, .. } => {
                writeln!(self.out, "{BOLD}{}{BOLD:#}", words::one_line(&request.goal))?;
            }
            Event::GoalSignalReceived { iteration, signal, .. } => {
                let said = words::one_line(&signal.self_assessment);
                let estimate =
                    signal.completion_estimate.map(|percent| format!(", {percent} %")).unwrap_or_default();
                let status = status_in_words(signal.status);
                writeln!(self.out, "\n{MENDS}{iteration}. {status}{MENDS:#}{DIM}{estimate}{DIM:#} {said}")?;
            }
            Event::GoalSignalRejected { attempt, allowed, error, .. } => {
                self.note(BAD, "signal", &unread(*attempt, *allowed, error))?;
            }
            Event::TodosChanged { author, todos, .. } => self.todos(*author, todos)?,
            Event::GoalActionProposed { action, .. } => {
                writeln!(self.out, "{INDENT}{DIM}{}{DIM:#}", words::one_line(&action.rationale))?;
            }
            Event::GoalActionTakenOver { .. } => self.note(ASKS, "yours", "the action is taken over")?,
            Event::GoalActionHandedBack { .. } => self.note(GOOD, "back", "the action is handed back")?,
            Event::GoalQuestionAsked { question } => {
                writeln!(self.out, "{ASKS}?{ASKS:#} {}", words::lines(&question.text))?;
                if question.asked_by == AskedBy::Verify {
                    writeln!(self.out, "{INDENT}{DIM}\"yes\", or what is missing{DIM:#}")?;
                }
            }
            Event::GoalGuidance { text } => self.note(GOOD, "you say", &words::one_line(text))?,
            Event::GoalLoopNoticed { reflected_before: false, .. } => {
                self.note(ASKS, "circles", "it is told that it goes in circles")?;
            }
            Event::GoalSentBack { reason } => {
                let why = match reason {
                    SentBack::OpenTodos { ids } => format!("to-dos are open: {}", ids.join(", ")),
                    SentBack::VerifyFailed { .. } => "the check failed".to_owned(),
                    SentBack::VerifyDenied { text } => text.clone(),
                };
                self.note(ASKS, "not yet", &words::one_line(&why))?;
            }
            Event::SubGoalStarted { task } => {
                self.of_branch(task.number, BOLD, &words::one_line(&task.goal))?;
            }
            Event::SubGoalSignalReceived { number, signal, .. } => {
                self.of_branch(*number, DIM, &words::one_line(&signal.self_assessment))?;
            }
            Event::SubGoalSignalRejected { number, attempt, allowed, error, .. } => {
                self.of_branch(*number, BAD, &format!("an answer {}", unread(*attempt, *allowed, error)))?;
            }
            Event::SubGoalActionProposed { number, action_id, action, .. } => {
                self.branches.insert(action_id.clone(), (*number, words::one_line(&action.content)));
            }
            Event::CallStarted { call_id, action, .. } => {
                let Some(&(number, _)) = self.branches.get(call_id) else { return Ok(false) };
                self.of_branch(number, Style::new(), &format!("$ {}", words::one_line(action.command())))?;
            }
            Event::CallFinished { result, .. } => {
                let Some((number, asked)) = self.branches.remove(&result.call_id) else { return Ok(false) };
                let first = words::one_line(result.content.lines().next().unwrap_or_default());
                match result.outcome {
                    CallOutcome::Success => {}
                    CallOutcome::Error => self.of_branch(number, BAD, &format!("failed: {first}"))?,
                    CallOutcome::Declined => self.of_branch(number, BAD, &format!("{asked}: {first}"))?,
                    CallOutcome::Interrupted => self.of_branch(number, ASKS, "stopped")?,
                }
            }
            Event::SubGoalLoopNoticed { number, reflected_before: false, .. } => {
                self.of_branch(*number, ASKS, "is told that it goes in circles")?;
            }
            Event::SubGoalLoopNoticed { .. } => {}
            Event::SubGoalEnded { number, end, synthesis, .. } => {
                let (style, how) = match end {
                    SubGoalEnd::Complete => (GOOD, "done".to_owned()),
                    SubGoalEnd::Stuck { .. }
                    | SubGoalEnd::OutOfBudget { .. }
                    | SubGoalEnd::ModelFailed { .. }
                    | SubGoalEnd::Cancelled => (ASKS, words::one_line(&end.to_string())),
                };
                self.of_branch(*number, style, &format!("{how}. {}", words::one_line(synthesis)))?;
            }
            Event::GoalPaused { reason } => {
                writeln!(self.out, "\n{ASKS}Paused.{ASKS:#} {}", words::one_line(&pause_in_words(reason)))?;
                self.explained(&reason.code())?;
            }
            Event::GoalEnded { end, summary, report } => {
                self.goal_ended(end, summary)?;
                self.explained(&end.code())?;
                if let Some(report) = report {
                    writeln!(self.out, "{DIM}The whole account is in {}{DIM:#}", words::one_line(report))?;
                }
            }
            Event::GoalQuestionAnswered { .. }
            | Event::GoalLoopNoticed { .. }
            | Event::GoalResumed { .. } => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Where the troubleshooting page has more about an end.
    pub(super) fn explained(&mut self, code: &str) -> io::Result<()> {
        match show::about(code) {
            Some(more) => writeln!(self.out, "{DIM}{more}{DIM:#}"),
            None => Ok(()),
        }
    }

    /// A line of a sub-goal's, which stands among those of the others.
    pub(super) fn of_branch(&mut self, number: u32, style: Style, text: &str) -> io::Result<()> {
        let head = format!("[agent {number}]");
        let indent = INDENT.len() + head.len() + 1;
        for (nth, line) in words::wrap(text, WIDTH.saturating_sub(indent).max(40)).iter().enumerate() {
            let head = if nth == 0 { head.as_str() } else { "" };
            let width = indent - INDENT.len() - 1;
            writeln!(self.out, "{INDENT}{MENDS}{head:width$}{MENDS:#} {style}{line}{style:#}")?;
        }
        Ok(())
    }

    fn todos(&mut self, author: TodoAuthor, todos: &[Todo]) -> io::Result<()> {
        if author == TodoAuthor::User {
            writeln!(self.out, "{INDENT}{DIM}as you changed them:{DIM:#}")?;
        }
        for todo in todos {
            let mark = match todo.status {
                TodoStatus::Pending => "[ ]",
                TodoStatus::InProgress => "[>]",
                TodoStatus::Completed => "[x]",
                TodoStatus::Cancelled => "[-]",
            };
            writeln!(self.out, "{INDENT}{mark} {}", words::one_line(&todo.title))?;
        }
        Ok(())
    }

    fn goal_ended(&mut self, end: &GoalEnd, summary: &str) -> io::Result<()> {
        let summary = words::one_line(summary);
        match end {
            GoalEnd::Complete { verified: true } => {
                writeln!(self.out, "\n{GOOD}Done, and checked.{GOOD:#} {summary}")
            }
            GoalEnd::Complete { verified: false } => writeln!(self.out, "\n{GOOD}Done.{GOOD:#} {summary}"),
            GoalEnd::Stuck { words: why, .. } => {
                writeln!(self.out, "\n{BAD}Stuck.{BAD:#} {} {summary}", words::one_line(why))
            }
            GoalEnd::OutOfBudget { budget: GoalBudget::Iterations { allowed } } => {
                writeln!(
                    self.out,
                    "\n{BAD}Out of budget, not done:{BAD:#} {allowed} iterations are used. {summary}"
                )
            }
            GoalEnd::OutOfBudget { budget: GoalBudget::Cap { .. } } => {
                writeln!(
                    self.out,
                    "\n{BAD}Out of budget, not done:{BAD:#} the session's cap on tokens or money is reached. {summary}"
                )
            }
            GoalEnd::Cancelled => writeln!(self.out, "\n{ASKS}Cancelled.{ASKS:#} {summary}"),
        }
    }
}

fn status_in_words(status: SignalStatus) -> &'static str {
    match status {
        SignalStatus::Planning => "planning",
        SignalStatus::Executing => "executing",
        SignalStatus::Reflecting => "reflecting",
        SignalStatus::Stuck => "stuck",
        SignalStatus::Complete => "complete",
    }
}

fn pause_in_words(reason: &GoalPause) -> String {
    match reason {
        GoalPause::User => "Go on with `resume`.".to_owned(),
        GoalPause::Interrupted => "The program ended while it was worked on. Go on with `resume`.".to_owned(),
        GoalPause::Declined { .. } => "An action was not allowed.".to_owned(),
        GoalPause::Unattended => {
            "It waits for somebody, and nobody is here. Go on at a terminal or in the window.".to_owned()
        }
        GoalPause::NoRoom { message } | GoalPause::ModelFailed { message, .. } => message.clone(),
    }
}

/// The last of them is not asked for again.
fn unread(attempt: u32, allowed: u32, error: &str) -> String {
    let error = words::one_line(error);
    match attempt <= allowed {
        true => format!("could not be read, so it is asked for again ({attempt} of {allowed}): {error}"),
        false => format!("could not be read again: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_for_more_often_than_is_allowed() {
        let told = [1, 2, 3].map(|attempt| unread(attempt, 2, "no JSON"));
        assert_eq!(
            told,
            [
                "could not be read, so it is asked for again (1 of 2): no JSON",
                "could not be read, so it is asked for again (2 of 2): no JSON",
                "could not be read again: no JSON",
            ]
        );
    }
}
