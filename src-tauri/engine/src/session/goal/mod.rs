//! The pursuit of a goal (G3): the third walk of a session's owner, beside the walk through a plan and the turn of a
//! conversation. Ask for a signal, take up its to-dos, carry out its action on the way of every call, ask again. What comes next
//! is read off the record each time, so that a restart goes on exactly where the last moment was.

mod action;
mod asking;
mod branches;
mod completion;
mod consult;
mod control;
mod questions;
mod reports;

pub(super) use control::NO_STRONGER;

use super::run::Next;
use super::{Session, not_now};
use crate::goal::loops;
use crate::protocol::{
    ActionType, CallState, EngineError, Event, GoalAction, GoalBudget, GoalEnd, GoalPause, GoalState,
    LoopKind, StuckCause,
};
use crate::session::conversation::caps;

/// What the record asks for next.
#[derive(Debug)]
enum Move {
    /// The user works on an action.
    WaitForHand,
    WaitForWords,
    Act(Box<GoalAction>),
    /// Sub-goals are under way, and the goal waits for what they find.
    Branch,
    /// The model said that it is done.
    Check,
    Ask,
}

impl Move {
    fn of(goal: &GoalState) -> Self {
        if goal.taken_over.is_some() {
            return Self::WaitForHand;
        }
        if goal.question.is_some() {
            return Self::WaitForWords;
        }
        match goal.actions.last() {
            Some(action) if !matches!(action.state, CallState::Ended { .. }) => {
                Self::Act(Box::new(action.clone()))
            }
            _ if goal.branches().next().is_some() => Self::Branch,
            _ if goal.checking => Self::Check,
            _ => Self::Ask,
        }
    }
}

impl Session {
    /// Works towards the goal until it ends or pauses.
    pub(super) async fn pursue(&mut self) -> Result<(), EngineError> {
        while self.move_on().await? == Next::Continue {}
        Ok(())
    }

    async fn move_on(&mut self) -> Result<Next, EngineError> {
        if self.control.closing || !self.goal()?.is_under_way() {
            return Ok(Next::End);
        }
        if self.control.cancel {
            return self.end_goal(GoalEnd::Cancelled).await;
        }
        if self.control.pause {
            return self.pause_goal(GoalPause::User).await;
        }
        if self.is_out_of_room().await {
            let message = self.no_room_in_words();
            return self.pause_goal(GoalPause::NoRoom { message }).await;
        }
        self.control.stop.renew();
        match Move::of(self.goal()?) {
            Move::WaitForHand => self.wait_for_hand().await,
            Move::WaitForWords => self.wait_for_words().await,
            Move::Act(action) => self.act(*action).await,
            Move::Branch => self.work_on_branches().await,
            Move::Check => self.check().await,
            Move::Ask => match self.spent() {
                Some(budget) => self.end_goal(GoalEnd::OutOfBudget { budget }).await,
                None => self.ask_unless_looping().await,
            },
        }
    }

    /// What has run out, so that no model is asked any more.
    fn spent(&self) -> Option<GoalBudget> {
        let goal = self.state.goal.as_ref()?;
        if goal.iteration >= goal.iterations_allowed {
            return Some(GoalBudget::Iterations { allowed: goal.iterations_allowed });
        }
        let cap = caps::reached(&self.state.usage, &self.shared.settings())?;
        Some(GoalBudget::Cap { cap })
    }

    /// Going in circles is first said to the model, and the second time the end.
    async fn ask_unless_looping(&mut self) -> Result<Next, EngineError> {
        let goal = self.goal()?;
        // A signal that was none is no new sight of the work.
        let noticed = if goal.rejected.is_none() { loops::notice(goal) } else { None };
        if let Some(noticed) = noticed {
            let (kind, iteration) = (noticed.kind, goal.iteration);
            let reflected_before = noticed.reflected_before;
            let told = Event::GoalLoopNoticed { kind, iteration, actions: noticed.actions, reflected_before };
            self.emit(vec![told]).await?;
            if reflected_before {
                let words = looped_in_words(kind).to_owned();
                return self.end_goal(GoalEnd::Stuck { cause: StuckCause::Loop, words }).await;
            }
        }
        self.ask_for_signal().await
    }

    fn goal(&self) -> Result<&GoalState, EngineError> {
        self.state.goal.as_ref().ok_or_else(|| not_now("No goal is being worked on."))
    }

    async fn pause_goal(&mut self, reason: GoalPause) -> Result<Next, EngineError> {
        self.emit(vec![Event::GoalPaused { reason }]).await?;
        Ok(Next::End)
    }

    async fn end_goal(&mut self, end: GoalEnd) -> Result<Next, EngineError> {
        let mut events = self.ends_of_branches()?;
        events.push(self.ended(end)?);
        self.emit_of_goal(events).await?;
        Ok(Next::End)
    }

    /// The end with its short account.
    fn ended(&self, end: GoalEnd) -> Result<Event, EngineError> {
        let goal = self.goal()?;
        let actions = goal.actions.len() + goal.omitted_actions as usize;
        let consulted =
            goal.actions.iter().filter(|action| action.action.kind == ActionType::AiConsult).count();
        let mut summary = format!(
            "{}, {}",
            counted(goal.iterations_begun() as usize, "iteration"),
            counted(actions, "action")
        );
        if consulted > 0 {
            summary.push_str(&format!(", another model asked {}", counted(consulted, "time")));
        }
        summary.push('.');
        if !goal.assessment.is_empty() {
            summary.push_str(&format!(" {}", goal.assessment));
        }
        Ok(Event::GoalEnded { end, summary, report: None })
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn looped_in_words(kind: LoopKind) -> &'static str {
    match kind {
        LoopKind::SameAction => "The same action gave the same result again and again.",
        LoopKind::Cycle => "The same actions came again and again.",
        LoopKind::NoProgress => "No to-do moved for ten iterations, twice.",
    }
}
