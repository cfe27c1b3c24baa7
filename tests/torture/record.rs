//! What is on the disk after a life, and the rules that it must keep.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use planwright_engine::journal::Journal;
use planwright_engine::protocol::{EngineError, SessionId, SessionState};
use serde_json::Value;

use crate::attended::as_shown;

/// The record of the plan under way, as it was read last.
#[derive(Default)]
pub(crate) struct Record {
    /// Sessions of plans before this one.
    earlier: BTreeSet<SessionId>,
    session: Option<SessionId>,
    /// Each as a line of `--json` shows it.
    events: Vec<Value>,
}

impl Record {
    /// Opens the data folder as the next start does, and reads.
    pub(crate) fn reopen(&mut self, data: &Path) -> Result<(), String> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
        let before = std::mem::take(&mut self.events);
        self.events = runtime.block_on(self.read(data))?;
        if self.events.starts_with(&before) {
            return Ok(());
        }
        let lost = before.iter().zip(&self.events).find(|(before, now)| before != now);
        Err(format!("{} recorded events became {}: {lost:?}", before.len(), self.events.len()))
    }

    async fn read(&mut self, data: &Path) -> Result<Vec<Value>, String> {
        let said = |error: EngineError| format!("the record cannot be read: {error}");
        let (journal, damage) = Journal::open(data).map_err(said)?;
        if !damage.is_empty() {
            return Err(format!("the record is damaged: {damage:?}"));
        }
        let sessions = journal.sessions("").await.map_err(said)?;
        let new = sessions.iter().map(|session| session.id).find(|id| !self.earlier.contains(id));
        self.session = self.session.or(new);
        // Killed before its session was made there is none.
        let Some(session) = self.session else { return Ok(Vec::new()) };
        let read = journal.events(session, 0).await.map_err(said)?;
        if let Some(damage) = read.damage {
            return Err(format!("the session is damaged: {damage:?}"));
        }
        Ok(read.value.iter().map(as_shown).collect())
    }

    /// The session to take up; none when there is no plan in the record yet.
    pub(crate) fn resumable(&mut self) -> Option<String> {
        if self.count("plan-generated") == 0 {
            self.start_over();
        }
        self.session.map(|session| session.to_string())
    }

    /// The next session is another plan's.
    pub(crate) fn start_over(&mut self) {
        self.earlier.extend(self.session.take());
        self.events.clear();
    }

    pub(crate) fn events(&self) -> &[Value] {
        &self.events
    }

    /// The session of the goal that is to be taken up; none when there is none in the record yet.
    pub(crate) fn resumable_goal(&mut self) -> Option<String> {
        if self.count("goal-started") == 0 {
            self.start_over();
        }
        self.session.map(|session| session.to_string())
    }

    /// The state, by the record alone; null when there is no session yet.
    pub(crate) fn state(&self, data: &Path) -> Result<Value, String> {
        if self.session.is_none() {
            return Ok(Value::Null);
        }
        serde_json::to_value(self.folded(data)?).map_err(|error| error.to_string())
    }

    fn folded(&self, data: &Path) -> Result<SessionState, String> {
        let session = self.session.ok_or("there is no session yet")?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
        let state = runtime.block_on(async {
            let journal = Journal::open_read_only(data)?;
            journal.load(session).await.map(|read| read.value)
        });
        state.map_err(|error: EngineError| format!("the state cannot be read: {error}"))
    }

    /// How many results say that they were interrupted.
    pub(crate) fn interrupted(&self) -> u32 {
        let cut = |event: &&Value| event["result"]["outcome"] == "interrupted";
        u32::try_from(self.events.iter().filter(cut).count()).unwrap()
    }

    /// What the state says of to-dos and of the models' use is what the events say.
    pub(crate) fn check_usage(&self, data: &Path) -> Result<(), String> {
        if self.session.is_none() {
            return Ok(());
        }
        let state = self.folded(data)?;
        if state.usage.calls != self.count("model-used") {
            let (state, events) = (state.usage.calls, self.count("model-used"));
            return Err(format!("{state} uses of a model are counted, and {events} are recorded"));
        }
        for sub in state.goal.iter().flat_map(|goal| &goal.sub_goals) {
            let (number, counted) = (sub.task.number, sub.usage.calls);
            let of_it = |event: &&Value| event["type"] == "model-used" && event["subGoal"] == number;
            let recorded = self.events.iter().filter(of_it).count();
            if counted as usize != recorded {
                return Err(format!(
                    "{counted} uses are counted for the sub-goal {number}, and {recorded} are recorded"
                ));
            }
        }
        let last = self.events.iter().rev().find(|event| event["type"] == "todos-changed");
        let todos = state.goal.map(|goal| serde_json::to_value(goal.todos).unwrap_or_default());
        match (last.map(|event| &event["todos"]), todos) {
            (Some(recorded), Some(todos)) if *recorded != todos => {
                Err(format!("the to-dos are {todos}, and {recorded} are recorded"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn count(&self, kind: &str) -> u32 {
        u32::try_from(self.events.iter().filter(|event| event["type"] == kind).count()).unwrap()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.count("plan-completed") + self.count("plan-failed") > 0
    }

    /// Whatever was shown is recorded, word for word, at its own number; and it was shown in that order.
    pub(crate) fn check_shown(&self, shown: &[Value]) -> Result<(), String> {
        let mut last = 0;
        for line in shown {
            let number = line["seq"].as_u64().unwrap_or_default();
            if number <= last {
                return Err(format!("event {number} was shown after event {last}"));
            }
            last = number;
            let place = usize::try_from(number).unwrap() - 1;
            let mut line = line.clone();
            // Told beside what is recorded: the plan that the changes make.
            if line["type"] == "plan-revised" {
                line.as_object_mut().unwrap().remove("plan");
            }
            match self.events.get(place) {
                Some(recorded) if *recorded == line => {}
                Some(other) => return Err(format!("shown was {line}, recorded is {other}")),
                None => {
                    return Err(format!(
                        "event {number} was shown and is lost ({} are there)",
                        self.events.len()
                    ));
                }
            }
        }
        Ok(())
    }

    /// A step runs again only after the record says how it ended before, and never more often than the record says.
    /// `runs`: how often it has really begun.
    pub(crate) fn check_steps(&self, runs: impl Fn(&str) -> u32) -> Result<(), String> {
        let mut steps: BTreeMap<&str, Story> = BTreeMap::new();
        for event in &self.events {
            let kind = event["type"].as_str().unwrap_or_default();
            let result = event["result"]["stepId"].as_str();
            let Some(id) = event["stepId"].as_str().or(result) else { continue };
            match kind {
                "step-started" => {
                    if let Some((cut, _)) = steps.iter().find(|(_, story)| story.is_open) {
                        return Err(format!("{cut} was cut off and does not say so; then {id} was started"));
                    }
                    let story = steps.entry(id).or_default();
                    if story.is_done {
                        return Err(format!("{id} was done and was started again"));
                    }
                    story.started += 1;
                    story.is_open = true;
                }
                "step-completed" | "step-failed" | "step-interrupted" | "step-cancelled" => {
                    let story = steps.entry(id).or_default();
                    story.is_open = false;
                    story.is_done = kind == "step-completed";
                }
                _ => {}
            }
        }
        for (id, story) in steps {
            // What a repair runs leaves no line.
            let ran = runs(id);
            if ran > story.started {
                return Err(format!("{id} ran {ran} times, and the record says {}", story.started));
            }
            if story.is_done && ran == 0 && !is_made_here(id) {
                return Err(format!("{id} is said to be done and never ran"));
            }
        }
        Ok(())
    }

    /// No step is left without its end: what ran when there was no room left is told of all the same.
    pub(crate) fn nothing_is_open(&self) -> Result<(), String> {
        let started = self.count("step-started");
        let ended: u32 = ["step-completed", "step-failed", "step-interrupted", "step-cancelled"]
            .into_iter()
            .map(|kind| self.count(kind))
            .sum();
        // A command on the blocked floor fails without having started; there is none in these plans.
        if started == ended { Ok(()) } else { Err(format!("{started} steps were started and {ended} ended")) }
    }
}

/// What is known of a step.
#[derive(Default)]
struct Story {
    started: u32,
    is_open: bool,
    is_done: bool,
}

/// Steps that a repair brought have ids of their own.
fn is_made_here(id: &str) -> bool {
    id.len() == 36
}
