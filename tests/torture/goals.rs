//! Goal sessions that are killed at random moments and resumed: what was shown is recorded, no action is begun twice, every
//! one that was cut off says so, and what a model used is counted as the record says.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use fastrand::Rng;
use planwright_tests::chat_server::{ChatServer, Say};
use serde_json::{Value, json};

use crate::life::{Desk, Ended, Life};
use crate::record::Record;
use crate::{Args, Figures, moment};

/// Iterations after which the goal is reached.
const LAST: u64 = 9;

pub(crate) fn kill(args: &Args, folder: &Path) -> Result<Figures, String> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let threads = threads.map_err(|error| error.to_string())?;
    let mut rng = Rng::with_seed(args.seed);
    let mut figures = Figures::default();
    let desk = Desk::new(&args.program, folder, &folder.join("data"));
    let ran = desk.ran().display().to_string();
    let server = threads.block_on(ChatServer::start(move |_, body| answer(body, &ran)));
    let mut record = Record::default();
    let begun = Instant::now();
    to_the_end(&desk, &server, &mut record, &mut figures)?;
    let usual = begun.elapsed();
    while figures.kills < args.goals {
        let moment = moment(&mut rng, usual);
        let life = desk.live_for_goal(&mut record, &server.url(), |running| running.kill_at(moment));
        figures.kills += u32::from(life.ended == Ended::Killed);
        after(&desk, &mut record, life, &mut figures)?;
    }
    to_the_end(&desk, &server, &mut record, &mut figures)?;
    match server.refused().first() {
        Some(refused) => Err(format!("a provider would have refused: {refused}")),
        None => Ok(figures),
    }
}

/// The model knows nothing but what it is told: its answer follows from the iteration that it is asked in.
fn answer(body: &Value, ran: &str) -> Say {
    let text = body["messages"].to_string();
    let told = text.rsplit_once("This is iteration ").map_or("", |(_, rest)| rest);
    let digits: String = told.chars().take_while(char::is_ascii_digit).collect();
    let iteration: u64 = digits.parse().unwrap_or(LAST);
    let status = |at: u64| if iteration > at { "completed" } else { "pending" };
    let todos = json!([
        { "id": "first", "title": "Begin", "status": status(2), "priority": "high" },
        { "id": "last", "title": "End", "status": status(LAST - 1), "priority": "low" },
    ]);
    let run = |command: &str| {
        let content = format!("echo a{iteration} >> {ran}; {command}");
        Some(json!({ "type": "shell", "content": content, "rationale": "it is next" }))
    };
    let (status, action) = match iteration {
        1 => ("planning", None),
        2 => ("executing", run("seq 2000")),
        3 => ("executing", run("mkdir -p doomed/in && rm -rf doomed")),
        4 => ("executing", Some(json!({ "type": "eval", "content": "6 * 7", "rationale": "to know" }))),
        5 => ("executing", run("sleep 0.03")),
        6 => ("executing", run("echo kept > file")),
        7 => {
            ("executing", Some(json!({ "type": "user_input", "content": "Go on?", "rationale": "to know" })))
        }
        8 => ("reflecting", run("mkdir -p sub && cd sub && export WORD=kept")),
        _ => ("complete", None),
    };
    let mut signal =
        json!({ "status": status, "todos": todos, "selfAssessment": format!("In iteration {iteration}.") });
    if let Some(action) = action {
        signal["nextAction"] = action;
    }
    Say::text(signal.to_string())
}

fn after(desk: &Desk, record: &mut Record, life: Life, figures: &mut Figures) -> Result<(), String> {
    figures.lives += 1;
    figures.shown += life.shown.len() as u64;
    figures.silent += u32::from(life.shown.is_empty());
    let outcome = life
        .is_expected()
        .and_then(|()| record.reopen(&desk.data()))
        .and_then(|()| record.check_shown(&life.shown))
        .and_then(|()| check_actions(record, |action| desk.runs_of(action)))
        .and_then(|()| record.check_usage(&desk.data()));
    outcome.map_err(|problem| format!("{problem}\n{}", life.last_words()))?;
    if record.count("goal-ended") > 0 {
        figures.plans += 1;
        figures.interrupted += record.interrupted();
        figures.paused += record.count("goal-paused");
        desk.clear();
        record.start_over();
    }
    Ok(())
}

fn to_the_end(
    desk: &Desk,
    server: &ChatServer,
    record: &mut Record,
    figures: &mut Figures,
) -> Result<(), String> {
    let goals = figures.plans;
    let life = desk.live_for_goal(record, &server.url(), |_| ());
    after(desk, record, life, figures)?;
    if figures.plans > goals { Ok(()) } else { Err("the last goal did not come to its end".to_owned()) }
}

/// An action begins once, after its to-dos, and the next is asked for only when it has ended. `runs`: how often its command has
/// really begun.
pub(crate) fn check_actions(record: &Record, runs: impl Fn(&str) -> u32) -> Result<(), String> {
    let mut begun: BTreeMap<&str, bool> = BTreeMap::new();
    for event in record.events() {
        let kind = event["type"].as_str().unwrap_or_default();
        let open = begun.iter().find(|(_, ended)| !**ended).map(|(id, _)| *id);
        match kind {
            "call-started" => {
                let id = event["callId"].as_str().unwrap_or_default();
                if begun.insert(id, false).is_some() {
                    return Err(format!("the action {id} was begun twice"));
                }
            }
            "call-finished" => {
                begun.insert(event["result"]["callId"].as_str().unwrap_or_default(), true);
            }
            "goal-signal-received" | "goal-ended" => {
                if let Some(open) = open {
                    return Err(format!("the action {open} was cut off and does not say so before {kind}"));
                }
            }
            _ => {}
        }
    }
    for iteration in 1..=LAST {
        // The agent's, and the user's own.
        for action in [format!("a{iteration}"), format!("h{iteration}")] {
            let ran = runs(&action);
            if ran > 1 {
                return Err(format!("the action {action} ran {ran} times"));
            }
        }
    }
    Ok(())
}
