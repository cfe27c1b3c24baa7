//! A goal as a person reads it: what the model says of it, the to-dos as they move, why each action, and how it ended.

use std::io::{self, Write as _};

use planwright_engine::protocol::{
    AskedBy, Event, GoalBudget, GoalEnd, GoalPause, SentBack, SignalStatus, Todo, TodoAuthor, TodoStatus,
};

use super::{ASKS, BAD, BOLD, DIM, GOOD, INDENT, MENDS, Screen};
use crate::words;

impl Screen {
    /// `false`: the event is none of a goal.
    pub(super) fn goal_event(&mut self, event: &Event) -> io::Result<bool> {
        match event {
            Event::GoalStarted { request, .. } => {
                writeln!(self.out, "{BOLD}{}{BOLD:#}", words::one_line(&request.goal))?;
            }
            Event::GoalSignalReceived { iteration, signal, .. } => {
                let said = words::one_line(&signal.self_assessment);
                let estimate = signal.completion_estimate.map(|percent| format!(", {percent} %")).unwrap_or_default();
                let status = status_in_words(signal.status);
                writeln!(self.out, "\n{MENDS}{iteration}. {status}{MENDS:#}{DIM}{estimate}{DIM:#} {said}")?;
            }
            Event::GoalSignalRejected { attempt, allowed, error, .. } => {
                let error = words::one_line(error);
                self.note(BAD, "signal", &format!("could not be read ({attempt}/{allowed}): {error}"))?;
            }
            Event::TodosChanged { author, todos, .. } => self.todos(*author, todos)?,
            Event::GoalActionProposed { action, .. } => {
                writeln!(self.out, "{INDENT}{DIM}{}{DIM:#}", words::one_line(&action.rationale))?;
            }
            Event::GoalActionTakenOver { .. } => self.note(ASKS, "yours", "the action is taken over")?,
            Event::GoalActionHandedBack { .. } => self.note(GOOD, "back", "the action is handed back")?,
            Event::GoalQuestionAsked { question } => {
                writeln!(self.out, "{ASKS}?{ASKS:#} {}", words::harmless(&question.text))?;
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
            Event::GoalPaused { reason } => {
                writeln!(self.out, "\n{ASKS}Paused.{ASKS:#} {}", words::one_line(&pause_in_words(reason)))?;
            }
            Event::GoalEnded { end, summary } => self.goal_ended(end, summary)?,
            Event::GoalQuestionAnswered { .. } | Event::GoalLoopNoticed { .. } | Event::GoalResumed { .. } => {}
            _ => return Ok(false),
        }
        Ok(true)
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
                writeln!(self.out, "\n{BAD}Out of budget, not done:{BAD:#} {allowed} iterations are used. {summary}")
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
        GoalPause::Unattended => "It waits for somebody, and nobody is here. Go on at a terminal or in the window.".to_owned(),
        GoalPause::NoRoom { message } | GoalPause::ModelFailed { message, .. } => message.clone(),
    }
}
