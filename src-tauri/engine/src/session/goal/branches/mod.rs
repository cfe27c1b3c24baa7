//! Sub-goals at work, side by side. Each one's next move is read off the record, as the goal's is; what takes long (a question
//! to a model, a command, a file) is a job, and the session's owner takes up what comes of it, one after the other. So the
//! owner stays the only one who changes anything, and nothing waits for anything but its own job.

mod jobs;
mod reading;

use std::collections::BTreeSet;

use futures_util::StreamExt as _;

use super::Next;
use crate::brain::text::clip;
use crate::goal::{loops, signal, sub_goal};
use crate::model::ModelError;
use crate::protocol::{
    CallState, EngineError, ErrorCode, Event, GoalAction, GoalState, LoopKind, MAX_SIGNAL_MENDS, Settings,
    Signal, SignalStatus, StepId, StuckCause, SubGoal, SubGoalBudget, SubGoalEnd, SubGoalWish, TodoAuthor,
    TodoStatus, Usage,
};
use crate::session::conversation::caps;
use crate::session::{Session, not_now};
use jobs::{Done, Jobs};

/// Most of an answer that was no signal that is kept, in characters.
const REJECTED: usize = 2_000;

/// What the record asks for next of a sub-goal that is under way.
#[derive(Debug)]
enum Move {
    End(SubGoalEnd),
    /// To be said to its model, and the second time its end.
    TellOfLoop {
        kind: LoopKind,
        again: bool,
    },
    Act(Box<GoalAction>),
    Ask,
}

impl Move {
    fn of(goal: &GoalState, sub: &SubGoal, usage: &Usage, settings: &Settings) -> Self {
        let is_cancelled =
            |id: &str| goal.todos.iter().any(|todo| todo.id == id && todo.status == TodoStatus::Cancelled);
        if is_cancelled(&sub.task.todo_id) {
            return Self::End(SubGoalEnd::Cancelled);
        }
        match sub.actions.last() {
            Some(action) if !matches!(action.state, CallState::Ended { .. }) => {
                return Self::Act(Box::new(action.clone()));
            }
            Some(_) | None => {}
        }
        // Its last word stands, so that nothing is asked after it.
        match sub.status {
            SignalStatus::Complete => return Self::End(SubGoalEnd::Complete),
            SignalStatus::Stuck => {
                let words = sub.assessment.clone();
                return Self::End(SubGoalEnd::Stuck { cause: StuckCause::SaidSo, words });
            }
            SignalStatus::Planning | SignalStatus::Executing | SignalStatus::Reflecting => {}
        }
        let session = || Some(SubGoalBudget::Session { cap: caps::reached(usage, settings)? });
        if let Some(budget) = sub_goal::spent(sub).or_else(session) {
            return Self::End(SubGoalEnd::OutOfBudget { budget });
        }
        let told = sub.looped.as_ref().is_some_and(|looped| looped.iteration == sub.iteration);
        match loops::notice(sub).filter(|_| sub.rejected.is_none() && !told) {
            Some(noticed) => Self::TellOfLoop { kind: noticed.kind, again: noticed.reflected_before },
            None => Self::Ask,
        }
    }
}

impl Session {
    /// Works the sub-goals that are under way until all have ended, or the user wants something else.
    pub(super) async fn work_on_branches(&mut self) -> Result<Next, EngineError> {
        let mut jobs = Jobs::new();
        let mut busy = BTreeSet::new();
        loop {
            if !self.control.interrupts() && !self.is_out_of_room().await {
                self.begin_jobs(&mut jobs, &mut busy).await?;
            }
            if jobs.is_empty() {
                return Ok(Next::Continue);
            }
            let begun = std::sync::Arc::clone(&self.control.branched);
            let next = async move {
                let done = tokio::select! {
                    done = jobs.next() => done,
                    () = begun.notified() => None,
                };
                (jobs, done)
            };
            let (left, done) = self.attend(Box::pin(next)).await?;
            jobs = left;
            if let Some((number, done)) = done {
                busy.remove(&number);
                if let Some(job) = self.take_up_job(number, done).await? {
                    busy.insert(number);
                    jobs.push(job);
                }
            }
        }
    }

    /// Gives every sub-goal that has none its next job; one that has nothing left to do is ended.
    async fn begin_jobs(&mut self, jobs: &mut Jobs, busy: &mut BTreeSet<u32>) -> Result<(), EngineError> {
        loop {
            let settings = self.shared.settings();
            let goal = self.goal()?;
            let idle = goal.branches().find(|sub| !busy.contains(&sub.task.number));
            let Some(sub) = idle else { return Ok(()) };
            let number = sub.task.number;
            match Move::of(goal, sub, &self.state.usage, &settings) {
                Move::End(end) => self.end_branch(number, end).await?,
                Move::TellOfLoop { kind, again } => {
                    let iteration = sub.iteration;
                    let told = Event::SubGoalLoopNoticed { number, kind, iteration, reflected_before: again };
                    self.emit(vec![told]).await?;
                    if again {
                        let words = super::looped_in_words(kind).to_owned();
                        let end = SubGoalEnd::Stuck { cause: StuckCause::Loop, words };
                        self.end_branch(number, end).await?;
                    }
                }
                Move::Act(action) => {
                    if let Some(job) = self.begin_action(number, *action).await? {
                        busy.insert(number);
                        jobs.push(job);
                    }
                }
                Move::Ask => match self.question_of(number)? {
                    Some(job) => {
                        busy.insert(number);
                        jobs.push(job);
                    }
                    None => {
                        let message = "No model is set up to work on this.".to_owned();
                        let end = SubGoalEnd::ModelFailed { code: "no-key".to_owned(), message };
                        self.end_branch(number, end).await?;
                    }
                },
            }
        }
    }

    /// Records what a job came to; `Some`: what follows from it at once.
    async fn take_up_job(&mut self, number: u32, done: Done) -> Result<Option<jobs::Job>, EngineError> {
        match done {
            Done::Said { model, answer } => self.take_up_answer(number, model, answer).await.map(|()| None),
            Done::Judged(action, assessed) => self.begin_command(number, *action, *assessed).await,
            Done::Looked(action, prepared) => self.begin_reading(number, *action, *prepared).await,
            Done::Result(result) => {
                // The next start says what was interrupted.
                if !self.control.closing {
                    self.emit(vec![Event::CallFinished { result: *result, shell: None }]).await?;
                }
                Ok(None)
            }
            Done::Stopped => Ok(None),
        }
    }

    async fn take_up_answer(
        &mut self,
        number: u32,
        model: String,
        answer: Result<String, ModelError>,
    ) -> Result<(), EngineError> {
        let text = match answer {
            Ok(text) => text,
            Err(ModelError::Cancelled) => return Ok(()),
            Err(error @ (ModelError::Malformed { .. } | ModelError::Empty)) => {
                return self.reject_of(number, &error.to_string(), "").await;
            }
            Err(error) => {
                let (code, message) = (error.code().to_owned(), error.to_string());
                return self.end_branch(number, SubGoalEnd::ModelFailed { code, message }).await;
            }
        };
        match signal::parse_of_sub_goal(&text) {
            Ok(signal) => self.take_up_signal_of(number, model, signal).await,
            Err(error) => self.reject_of(number, &error.to_string(), &text).await,
        }
    }

    /// All that a signal changes is one entry of the record: no crash leaves a part of it.
    async fn take_up_signal_of(
        &mut self,
        number: u32,
        model: String,
        signal: Signal,
    ) -> Result<(), EngineError> {
        let iteration = self.branch(number)?.iteration + 1;
        let action = signal.next_action.clone();
        let proposed = action.map(|action| Event::SubGoalActionProposed {
            number,
            action_id: StepId::new(),
            iteration,
            action,
        });
        let received = Event::SubGoalSignalReceived { number, iteration, model, signal };
        self.emit(std::iter::once(received).chain(proposed).collect()).await
    }

    /// As with the goal's own: twice it goes back with the error, then the sub-goal is stuck and the goal goes on.
    async fn reject_of(&mut self, number: u32, error: &str, answer: &str) -> Result<(), EngineError> {
        let sub = self.branch(number)?;
        let attempt = sub.rejected.as_ref().map_or(0, |rejected| rejected.attempt) + 1;
        let rejected = Event::SubGoalSignalRejected {
            number,
            iteration: sub.iteration + 1,
            attempt,
            allowed: MAX_SIGNAL_MENDS,
            error: clip(error, REJECTED),
            answer: clip(self.shared.redactor.text(answer).as_ref(), REJECTED),
        };
        let mut events = vec![rejected];
        if attempt > MAX_SIGNAL_MENDS {
            let words = format!("Its answers could not be read: {}.", clip(error, REJECTED));
            events.push(self.end_of(number, SubGoalEnd::Stuck { cause: StuckCause::Malformed, words })?);
        }
        self.emit(events).await
    }

    async fn end_branch(&mut self, number: u32, end: SubGoalEnd) -> Result<(), EngineError> {
        let ended = self.end_of(number, end)?;
        self.emit(vec![ended]).await
    }

    fn end_of(&self, number: u32, end: SubGoalEnd) -> Result<Event, EngineError> {
        let synthesis = sub_goal::synthesis(self.branch(number)?, &end);
        let synthesis = self.shared.redactor.text(&synthesis);
        let synthesis_id = SubGoal::synthesis_id(number, self.goal()?.id);
        Ok(Event::SubGoalEnded { number, end, synthesis, synthesis_id })
    }

    /// The goal is stopped, and its sub-goals with it.
    pub(super) fn ends_of_branches(&self) -> Result<Vec<Event>, EngineError> {
        let open: Vec<u32> = self.goal()?.branches().map(|sub| sub.task.number).collect();
        open.into_iter().map(|number| self.end_of(number, SubGoalEnd::Cancelled)).collect()
    }

    /// What the events of a signal begin, or why it cannot be.
    pub(super) fn branches_of(
        &self,
        wanted: Vec<SubGoalWish>,
        todos: &[crate::protocol::Todo],
        iteration: u32,
    ) -> Result<Result<Vec<Event>, String>, EngineError> {
        let goal = self.goal()?;
        if let Some(refusal) = sub_goal::refusal(goal, todos, &wanted) {
            return Ok(Err(refusal));
        }
        let settings = self.shared.settings();
        let usage = &self.state.usage;
        let tasks = sub_goal::tasks(goal, iteration, wanted, TodoAuthor::Agent, usage, &settings);
        Ok(Ok(tasks.into_iter().map(|task| Event::SubGoalStarted { task }).collect()))
    }

    /// The user has a to-do worked by a sub-goal; it begins as soon as what is under way is done.
    pub(super) async fn start_sub_goal(&mut self, todo_id: String) -> Result<(), EngineError> {
        let goal = self.goal()?;
        let Some(todo) = goal.todos.iter().find(|todo| todo.id == todo_id) else {
            return Err(EngineError::new(ErrorCode::InvalidInput, "The list has no such to-do."));
        };
        let wanted = vec![SubGoalWish { todo_id, goal: todo.title.clone() }];
        if let Some(refusal) = sub_goal::refusal(goal, &goal.todos, &wanted) {
            return Err(not_now(format!("That is not possible now: {refusal}.")));
        }
        let (settings, usage) = (self.shared.settings(), &self.state.usage);
        caps::refuse_over_cap(usage, &settings)?;
        let tasks = sub_goal::tasks(goal, goal.iteration, wanted, TodoAuthor::User, usage, &settings);
        self.emit(tasks.into_iter().map(|task| Event::SubGoalStarted { task }).collect()).await?;
        self.control.branched.notify_one();
        self.ask_afresh();
        Ok(())
    }

    fn branch(&self, number: u32) -> Result<&SubGoal, EngineError> {
        self.goal()?.sub_goal(number).ok_or_else(|| not_now("There is no such sub-goal."))
    }
}
