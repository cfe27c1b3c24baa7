//! The sub-goals of the tortured goals: what their model says, what they look at, and what the record must say of them.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use planwright_tests::chat_server::Say;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use serde_json::{Value, json};

use crate::record::Record;

/// The to-dos that are handed to sub-goals, in one signal.
pub(crate) const HANDED_ON: [&str; 3] = ["pond", "shed", "barn"];
/// The iteration of a sub-goal in which it says what it found.
const LAST: u64 = 4;

/// What a sub-goal looks at: each of its iterations has a file of its own, and whoever opens one is counted. A command that
/// only reads leaves no other trace.
pub(crate) struct Looked {
    folder: PathBuf,
    watch: OwnedFd,
    opened: BTreeMap<String, u32>,
}

impl Looked {
    pub(crate) fn new(folder: &Path) -> Self {
        let folder = folder.join("looked");
        std::fs::create_dir(&folder).unwrap();
        for id in HANDED_ON {
            for iteration in 1..LAST {
                std::fs::write(folder.join(format!("{id}-{iteration}")), "water\n").unwrap();
            }
        }
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        // With the closings, so that two openings are never told as one.
        inotify::add_watch(&watch, &folder, WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE).unwrap();
        Self { folder, watch, opened: BTreeMap::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn count(&mut self) {
        let mut room = [const { MaybeUninit::uninit() }; 8192];
        let mut openings = Reader::new(&self.watch, &mut room);
        while let Ok(event) = openings.next() {
            assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "openings were lost");
            if let Some(name) = event.file_name().filter(|_| event.events().contains(ReadFlags::OPEN)) {
                *self.opened.entry(name.to_string_lossy().into_owned()).or_default() += 1;
            }
        }
    }

    /// Another goal begins.
    pub(crate) fn start_over(&mut self) {
        self.count();
        self.opened.clear();
    }
}

/// Which to-do a sub-goal's question is about; none of a question of the goal's own.
pub(crate) fn asks_about(text: &str) -> Option<&'static str> {
    HANDED_ON.into_iter().find(|id| text.contains(&format!("Your sub-goal: {}", goal_of(id))))
}

fn goal_of(id: &str) -> String {
    format!("Look into the {id}")
}

fn found(id: &str) -> String {
    format!("Found water in the {id}.")
}

/// The `subGoals` of the signal that begins them.
pub(crate) fn wanted() -> Value {
    HANDED_ON.map(|id| json!({ "todoId": id, "goal": goal_of(id) })).to_vec().into()
}

/// The first of which the goal's model has not been told what was found.
pub(crate) fn untold(text: &str) -> Option<&'static str> {
    HANDED_ON.into_iter().find(|id| !text.contains(&found(id)))
}

pub(crate) fn answer(id: &str, iteration: u64, looked: &str) -> Say {
    let file = format!("{looked}/{id}-{iteration}");
    let (kind, content) = match (id, iteration) {
        ("shed", 2) => ("file_read", file),
        ("barn", 2) => ("eval", "6 * 7".to_owned()),
        _ => ("shell", format!("cat {file}; sleep 0.02")),
    };
    let todo = |at: u64| if iteration > at { "completed" } else { "pending" };
    let todos = json!([{ "id": "look", "title": "Look", "status": todo(2), "priority": "low" }]);
    if iteration >= LAST {
        return Say::text(
            json!({ "status": "complete", "todos": todos, "selfAssessment": found(id) }).to_string(),
        );
    }
    let action = json!({ "type": kind, "content": content, "rationale": "it is next" });
    let words = format!("In iteration {iteration}.");
    let signal =
        json!({ "status": "executing", "todos": todos, "nextAction": action, "selfAssessment": words });
    Say::text(signal.to_string())
}

/// One sub-goal, as the record tells it.
#[derive(Default)]
struct Story<'a> {
    todo: &'a str,
    iteration: u64,
    has_ended: bool,
}

/// Each is begun once for its to-do, asked for each of its iterations once, and ends once with what it found; the goal goes on
/// and ends only after that. None of its files was opened twice, and none is said to be read that was not.
pub(crate) fn check(record: &Record, looked: &mut Looked) -> Result<(), String> {
    looked.count();
    let mut stories: BTreeMap<u64, Story> = BTreeMap::new();
    let mut commands: BTreeMap<&str, &str> = BTreeMap::new();
    for event in record.events() {
        let kind = event["type"].as_str().unwrap_or_default();
        let open = stories.iter().find(|(_, story)| !story.has_ended).map(|(number, _)| *number);
        match (kind, open) {
            ("goal-signal-received" | "goal-ended", Some(number)) => {
                return Err(format!("the sub-goal {number} is lost: it had not ended before {kind}"));
            }
            ("sub-goal-started", _) => {
                let task = &event["task"];
                let number = task["number"].as_u64().unwrap_or_default();
                let todo = task["todoId"].as_str().unwrap_or_default();
                if stories.values().any(|story| story.todo == todo) || stories.contains_key(&number) {
                    return Err(format!("the sub-goal {number} for {todo} was begun twice"));
                }
                stories.insert(number, Story { todo, ..Story::default() });
                continue;
            }
            ("call-finished", _) if event["result"]["outcome"] == "success" => {
                let id = event["result"]["callId"].as_str().unwrap_or_default();
                if let Some(file) = commands.get(id)
                    && !looked.opened.contains_key(*file)
                {
                    return Err(format!("{file} is said to be read and never was"));
                }
            }
            _ => {}
        }
        if !kind.starts_with("sub-goal-") {
            continue;
        }
        let number = event["number"].as_u64().unwrap_or_default();
        let Some(story) = stories.get_mut(&number).filter(|story| !story.has_ended) else {
            return Err(format!("{kind} of the sub-goal {number}, which is not under way"));
        };
        match kind {
            "sub-goal-signal-received" => {
                story.iteration += 1;
                if event["iteration"] != story.iteration {
                    return Err(format!("the sub-goal {number} is in another iteration: {event}"));
                }
            }
            "sub-goal-action-proposed" if event["action"]["type"] == "shell" => {
                let content = event["action"]["content"].as_str().unwrap_or_default();
                let file = content.split([';', '/']).find(|part| part.starts_with(story.todo));
                let id = event["actionId"].as_str().unwrap_or_default();
                commands.insert(id, file.ok_or_else(|| format!("no file in {content}"))?);
            }
            "sub-goal-action-proposed" => {}
            "sub-goal-ended" => {
                story.has_ended = true;
                if event["end"]["type"] != "complete" || event["synthesis"] != found(story.todo) {
                    return Err(format!("the sub-goal {number} ended otherwise: {event}"));
                }
            }
            _ => return Err(format!("the sub-goal {number} was not to come to this: {event}")),
        }
    }
    let by_command = |file: &str| commands.values().any(|at| *at == file);
    match looked.opened.iter().find(|(file, times)| **times > 1 && by_command(file)) {
        Some((file, times)) => Err(format!("{file} was read {times} times")),
        None => Ok(()),
    }
}
