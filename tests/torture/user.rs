//! Somebody at a goal, who answers what they are asked, does some of it by hand, and sees the program killed at a moment of
//! each kind. After each start the session is held against its record as the kill had left it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;
use planwright_tests::chat_server::ChatServer;
use serde_json::{Value, json};

use crate::branches::{self, Looked};
use crate::goals::check_actions;
use crate::life::{Desk, Ended, Life, Moment, Running};
use crate::record::Record;
use crate::{Args, Figures, script};

/// What goes on when the program is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Model,
    Question,
    VerifyQuestion,
    Approval,
    Hand,
    Action,
    /// Sub-goals are under way, and no action of theirs.
    SubGoals,
    SubGoalAction,
    Paused,
    /// Between two of them, before the first or after the last.
    Between,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Model => "while the model was asked",
            Self::Question => "with a question open",
            Self::VerifyQuestion => "with the check's question open",
            Self::Approval => "with an approval open",
            Self::Hand => "with an action in the user's hand",
            Self::Action => "while an action ran",
            Self::SubGoals => "with sub-goals under way",
            Self::SubGoalAction => "while an action of a sub-goal ran",
            Self::Paused => "in a pause",
            Self::Between => "between these",
        })
    }
}

/// Where a life is aimed at; what it hits is read off the record.
const AIMS: [Phase; 10] = [
    Phase::Model,
    Phase::Question,
    Phase::VerifyQuestion,
    Phase::Approval,
    Phase::Hand,
    Phase::Action,
    Phase::SubGoals,
    Phase::SubGoalAction,
    Phase::Paused,
    Phase::Between,
];

/// No answer of a program that lives takes so long.
const TOO_LONG: Duration = Duration::from_secs(60);

pub(crate) fn kill(args: &Args, folder: &Path) -> Result<Figures, String> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let threads = threads.map_err(|error| error.to_string())?;
    let mut rng = Rng::with_seed(args.seed);
    let mut figures = Figures::default();
    let desk = Desk::new(&args.program, folder, &folder.join("data"));
    let mut looked = Looked::new(folder);
    let (ran, at) = (desk.ran().display().to_string(), looked.folder().display().to_string());
    let asked = Arc::new(AtomicUsize::new(0));
    let noted = Arc::clone(&asked);
    let server = threads.block_on(ChatServer::start(move |_, body| {
        noted.fetch_add(1, Ordering::SeqCst);
        script::answer(body, &ran, &at)
    }));
    let mut record = Record::default();
    let mut before = None;
    while figures.kills < args.attended || figures.plans == 0 || before.is_some() {
        let aim = (figures.kills < args.attended).then(|| Aim::some(&mut rng, &figures));
        let (mut found, asked_before) = (Value::Null, asked.load(Ordering::SeqCst));
        let life = desk.live_attended(&mut record, &server.url(), |running, denied| {
            found = User::at(running, denied, &asked, &desk).sit(aim.as_ref());
        });
        let asked_here = asked.load(Ordering::SeqCst) - asked_before;
        if let Some(before) = &before {
            is_as_before(before, &found["state"])
                .map_err(|problem| format!("{problem}\n{}", life.last_words()))?;
        }
        before = after(&desk, &mut record, &mut looked, life, asked_here, &mut figures)?;
    }
    match server.refused().first() {
        Some(refused) => Err(format!("a provider would have refused: {refused}")),
        None => Ok(figures),
    }
}

struct Aim {
    phase: Phase,
    /// How often the phase is let pass first.
    passes: usize,
    /// How long after its begin.
    and: Duration,
    /// For a pause: after how many signals the user asks for one.
    signals: usize,
}

impl Aim {
    /// Half of them at what was hit least, so that what is short or rare is hit as often as the rest.
    fn some(rng: &mut Rng, figures: &Figures) -> Self {
        let hit = |phase: &Phase| figures.phases.get(phase).copied().unwrap_or_default();
        let rarest = AIMS.into_iter().min_by_key(hit).filter(|_| rng.bool());
        let phase = rarest.unwrap_or_else(|| AIMS[rng.usize(..AIMS.len())]);
        let often = match phase {
            Phase::Model | Phase::Action | Phase::Between | Phase::SubGoals | Phase::SubGoalAction => 5,
            Phase::Question | Phase::Hand | Phase::Paused => 2,
            Phase::VerifyQuestion | Phase::Approval => 1,
        };
        let and = Duration::from_micros(rng.u64(..12_000));
        Self { phase, passes: rng.usize(..often), and, signals: rng.usize(..12) }
    }
}

struct User<'a> {
    running: &'a mut Running,
    /// The check has been answered with a no before: the second answer is a yes.
    denied: bool,
    asked: &'a AtomicUsize,
    desk: &'a Desk,
    phase: Phase,
    /// What they will say next.
    says: Option<Value>,
    /// The command of what they were asked about last.
    command: String,
    /// The question that is open.
    question: Option<Value>,
    /// How many more signals they let pass before they ask for a pause.
    pauses_after: Option<usize>,
    /// Sub-goals that are under way, their actions, and those of them that run.
    branches: BTreeSet<u64>,
    branch_actions: BTreeSet<String>,
    branch_runs: BTreeSet<String>,
}

impl<'a> User<'a> {
    fn at(running: &'a mut Running, denied: bool, asked: &'a AtomicUsize, desk: &'a Desk) -> Self {
        Self {
            running,
            denied,
            asked,
            desk,
            phase: Phase::Between,
            says: None,
            command: String::new(),
            question: None,
            pauses_after: None,
            branches: BTreeSet::new(),
            branch_actions: BTreeSet::new(),
            branch_runs: BTreeSet::new(),
        }
    }

    /// How the session was found at the start. Returns when the goal has ended or the program was killed.
    fn sit(mut self, aim: Option<&Aim>) -> Value {
        let Some(found) = self.running.next_line(Duration::from_secs(30)) else { return Value::Null };
        self.pauses_after = aim.filter(|aim| aim.phase == Phase::Paused).map(|aim| aim.signals);
        self.look_at(&found["state"]);
        let (mut passed, mut heard) = (0, Instant::now());
        let (mut phase_before, mut asked_before) = (None, self.asked.load(Ordering::SeqCst));
        loop {
            let asked = self.asked.load(Ordering::SeqCst);
            if asked > asked_before && self.phase == Phase::Between {
                self.phase = Phase::Model;
            }
            asked_before = asked;
            if phase_before != Some(self.phase) {
                phase_before = Some(self.phase);
                if let Some(aim) = aim.filter(|aim| aim.phase == self.phase) {
                    if passed == aim.passes {
                        self.running.kill_at(Moment::Shown { lines: 0, and: aim.and });
                        return found;
                    }
                    passed += 1;
                }
            }
            if let Some(says) = self.says.take() {
                self.running.tell(&says);
            }
            match self.running.next_line(Duration::from_millis(1)) {
                Some(line) if line["type"] == "goal-ended" => return found,
                Some(line) => {
                    heard = Instant::now();
                    self.hear(&line);
                }
                None if self.running.is_over() => return found,
                None => assert!(heard.elapsed() < TOO_LONG, "nothing goes on: {}", self.phase),
            }
        }
    }

    /// What waits when the session is opened waits on.
    fn look_at(&mut self, state: &Value) {
        let goal = &state["goal"];
        for sub in goal["subGoals"].as_array().into_iter().flatten().filter(|sub| sub["end"].is_null()) {
            self.branches.extend(sub["task"]["number"].as_u64());
            let actions = sub["actions"].as_array().into_iter().flatten();
            self.branch_actions.extend(actions.filter_map(|action| action["id"].as_str().map(str::to_owned)));
        }
        self.question = Some(goal["question"].clone()).filter(Value::is_object);
        if goal.is_null() {
            let request = json!({
                "goal": "Empty the pond",
                "verify": { "type": "question", "question": "Is it empty?" },
                "maxIterations": 30,
            });
            self.says = Some(json!({ "type": "pursue", "request": request }));
        } else if goal["phase"]["type"] == "paused" {
            self.phase = Phase::Paused;
            self.says = Some(json!({ "type": "resume", "mode": null }));
        } else if let Some(id) = goal["takenOver"].as_str() {
            let actions = goal["actions"].as_array().into_iter().flatten();
            let taken = actions.into_iter().find(|action| action["id"] == id);
            self.command = taken.map(|action| action["action"]["content"].to_string()).unwrap_or_default();
            self.takes_over(id);
        } else if let Some(approval) = state["approvals"].get(0) {
            self.is_asked(approval);
        } else if goal["question"].is_object() {
            self.is_questioned(&goal["question"]);
        }
    }

    fn hear(&mut self, line: &Value) {
        match line["type"].as_str().unwrap_or_default() {
            "goal-question-asked" => {
                self.question = Some(line["question"].clone());
                self.is_questioned(&line["question"]);
            }
            "approval-needed" => self.is_asked(&line["approval"]),
            "goal-action-taken-over" => self.takes_over(line["actionId"].as_str().unwrap_or_default()),
            "goal-paused" => {
                self.phase = Phase::Paused;
                self.says = Some(json!({ "type": "resume", "mode": null }));
            }
            // What was open before the pause is open again.
            "goal-resumed" => match self.question.clone() {
                Some(question) => self.is_questioned(&question),
                None => self.phase = self.between(),
            },
            "goal-sent-back" => self.denied = true,
            "goal-question-answered" => {
                self.question = None;
                self.phase = self.between();
            }
            "goal-signal-received" | "sub-goal-signal-received" => {
                self.phase = self.between();
                self.pauses_by(line);
            }
            "sub-goal-action-proposed" => {
                self.branch_actions.extend(line["actionId"].as_str().map(str::to_owned));
            }
            "sub-goal-started" => {
                self.branches.extend(line["task"]["number"].as_u64());
                self.phase = self.between();
            }
            "sub-goal-ended" => {
                self.branches.retain(|number| line["number"] != *number);
                self.phase = self.between();
            }
            "call-started" => match line["callId"].as_str().filter(|id| self.branch_actions.contains(*id)) {
                Some(id) => {
                    self.branch_runs.insert(id.to_owned());
                    self.phase = self.between();
                }
                None => self.phase = Phase::Action,
            },
            "call-finished" => {
                self.branch_runs.retain(|id| line["result"]["callId"] != **id);
                self.phase = self.between();
            }
            "goal-started" | "approval-resolved" | "goal-action-handed-back" => self.phase = self.between(),
            _ => {}
        }
    }

    fn between(&self) -> Phase {
        match (self.branch_runs.is_empty(), self.branches.is_empty()) {
            (false, _) => Phase::SubGoalAction,
            (true, false) => Phase::SubGoals,
            (true, true) => Phase::Between,
        }
    }

    /// They ask for a pause where nothing is asked of them at once.
    fn pauses_by(&mut self, line: &Value) {
        let action = &line["signal"]["nextAction"];
        let is_quiet = line["type"] == "sub-goal-signal-received"
            || action["type"] == "eval"
            || action["content"].as_str().is_some_and(|content| content.contains("sleep"));
        match &mut self.pauses_after {
            Some(0) if is_quiet => self.says = Some(json!({ "type": "pause" })),
            Some(left) => *left = left.saturating_sub(1),
            None => {}
        }
    }

    fn is_questioned(&mut self, question: &Value) {
        let (phase, text) = match question["askedBy"].as_str() {
            Some("agent") => (Phase::Question, "Go on."),
            _ if self.denied => (Phase::VerifyQuestion, "yes"),
            _ => (Phase::VerifyQuestion, "not yet"),
        };
        self.phase = phase;
        // Once, instead of the answer.
        self.says = Some(match self.pauses_after.take_if(|left| *left == 0) {
            Some(_) => json!({ "type": "pause" }),
            None => json!({ "type": "answer-question", "questionId": question["id"], "text": text }),
        });
    }

    fn is_asked(&mut self, approval: &Value) {
        self.phase = Phase::Approval;
        self.command = approval["action"]["command"].to_string();
        self.says = Some(if self.command.contains("a6 ") || self.command.contains("a7 ") {
            json!({ "type": "take-over", "actionId": approval["stepId"] })
        } else {
            let answer = json!({ "type": "allow-once", "editedCommand": null });
            json!({ "type": "answer", "approvalId": approval["id"], "answer": answer })
        });
    }

    /// The one is done by hand, the other as a command of their own.
    fn takes_over(&mut self, id: &str) {
        self.phase = Phase::Hand;
        let own = format!("echo h7 >> {}", self.desk.ran().display());
        let command = self.command.contains("a7 ").then_some(own);
        let note = if command.is_none() { "I did it." } else { "" };
        self.says = Some(json!({ "type": "hand-back", "actionId": id, "note": note, "command": command }));
    }
}

/// The state that the record gave when the program was gone; none when the goal had ended, and the next one is to begin.
fn after(
    desk: &Desk,
    record: &mut Record,
    looked: &mut Looked,
    life: Life,
    asked_here: usize,
    figures: &mut Figures,
) -> Result<Option<Value>, String> {
    figures.lives += 1;
    figures.shown += life.shown.len() as u64;
    figures.silent += u32::from(life.shown.is_empty());
    let used_before = record.count("model-used");
    let outcome = life
        .is_expected()
        .and_then(|()| record.reopen(&desk.data()))
        .and_then(|()| record.check_shown(&life.shown))
        .and_then(|()| check_actions(record, |action| desk.runs_of(action)))
        .and_then(|()| branches::check(record, looked))
        .and_then(|()| record.check_usage(&desk.data()))
        .and_then(|()| record.state(&desk.data()));
    let state = outcome.map_err(|problem| format!("{problem}\n{}", life.last_words()))?;
    if life.ended == Ended::Killed {
        figures.kills += 1;
        let is_asking = asked_here > (record.count("model-used") - used_before) as usize;
        *figures.phases.entry(phase_of(&state["goal"], is_asking)).or_default() += 1;
    }
    // Killed before its goal was set, a session is left, and another is made.
    if !state["goal"].is_object() {
        return Ok(None);
    }
    if state["goal"]["phase"]["type"] != "ended" {
        return Ok(Some(state));
    }
    let end = &state["goal"]["phase"]["end"];
    if *end != json!({ "type": "complete", "verified": true }) {
        return Err(format!("the goal ended with {end}\n{}", life.last_words()));
    }
    figures.plans += 1;
    figures.interrupted += record.interrupted();
    figures.paused += record.count("goal-paused");
    desk.clear();
    looked.start_over();
    record.start_over();
    Ok(None)
}

/// What went on when the program was killed, by its record.
fn phase_of(goal: &Value, is_asking: bool) -> Phase {
    let last = goal["actions"].as_array().and_then(|actions| actions.last());
    let runs = |action: &Value| action["state"]["type"] == "running";
    let subs = || goal["subGoals"].as_array().into_iter().flatten().filter(|sub| sub["end"].is_null());
    match (goal["phase"]["type"].as_str(), goal["phase"]["what"].as_str()) {
        (_, Some("question")) => Phase::Question,
        (_, Some("verify-question")) => Phase::VerifyQuestion,
        (_, Some("approval")) => Phase::Approval,
        (_, Some("hand")) => Phase::Hand,
        (Some("paused"), _) => Phase::Paused,
        _ if last.is_some_and(runs) => Phase::Action,
        _ if subs().filter_map(|sub| sub["actions"].as_array()).flatten().any(runs) => Phase::SubGoalAction,
        _ if subs().next().is_some() => Phase::SubGoals,
        _ if is_asking => Phase::Model,
        _ => Phase::Between,
    }
}

/// Whether a session was found as its record had left it: the same but for what a start has to say of an end that nobody
/// announced, namely that what ran is interrupted and that nobody leads the goal.
fn is_as_before(before: &Value, found: &Value) -> Result<(), String> {
    let mut expected = before.clone();
    let mut found = found.clone();
    let subs = expected["goal"]["subGoals"].as_array().map_or(0, Vec::len);
    let lists = (0..subs).map(|at| format!("/goal/subGoals/{at}/actions"));
    for list in lists.chain(["/goal/actions".to_owned()]) {
        let actions = |state: &Value| state.pointer(&list).and_then(Value::as_array).map_or(0, Vec::len);
        if actions(&expected) != actions(&found) {
            return Err(format!("{} of {list} became {}", actions(&expected), actions(&found)));
        }
        for at in 0..actions(&expected) {
            let place = format!("{list}/{at}/state");
            if expected.pointer(&place).is_some_and(|state| state["type"] == "running") {
                let now = found.pointer_mut(&place).map(Value::take).unwrap_or_default();
                if now["result"]["outcome"] != "interrupted" {
                    return Err(format!("an action that ran is found as {now}"));
                }
                expected.pointer_mut(&place).map(Value::take);
            }
        }
    }
    if expected["goal"]["phase"]["type"] == "working" {
        expected["goal"]["phase"] = json!({ "type": "paused", "reason": { "type": "interrupted" } });
    }
    let differ = |name: &str| (expected[name] != found[name]).then(|| name.to_owned());
    // The number grows by what the start had to say; the events before it are looked at with the record.
    let names =
        expected.as_object().into_iter().flat_map(|fields| fields.keys()).filter(|name| *name != "seq");
    let different: BTreeMap<String, (&Value, &Value)> = names
        .filter_map(|name| differ(name).map(|name| (name.clone(), (&expected[&name], &found[&name]))))
        .collect();
    if different.is_empty() { Ok(()) } else { Err(format!("recorded and found differ: {different:?}")) }
}
