//! A long goal: the program keeps its size, prompts keep theirs, and what they say of the goal is never condensed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use planwright_engine::journal::Journal;
use planwright_engine::protocol::{MAX_TODO_CHANGES, MOST_ITERATIONS};
use planwright_tests::chat_server::Say;
use serde_json::{Value, json};

use crate::talk::Server;
use crate::{Desk, ended};

/// As many as a goal may take.
const ITERATIONS: usize = MOST_ITERATIONS as usize;
/// Iterations in which a to-do is done: so many that the list stays as short as one may be.
const EACH: usize = 11;
/// When everything that is kept in a bounded number has begun to be left out.
const WARM: usize = MAX_TODO_CHANGES * EACH;

/// What the model was told, and how large the program was then.
struct Look {
    kilobytes: usize,
    told: String,
}

fn goal() -> String {
    let rules: String = (1..=30).map(|at| format!("\n{at}. Count the fish of pond {at}, twice.")).collect();
    format!("Count all the fish by these rules:{rules}")
}

/// The list as the model has it after its `number`th signal, from 0.
fn todos(number: usize) -> Vec<Value> {
    let status = |at: usize| match at.cmp(&(number / EACH)) {
        std::cmp::Ordering::Less => "completed",
        std::cmp::Ordering::Equal => "in-progress",
        std::cmp::Ordering::Greater => "pending",
    };
    let todo = |at: usize| json!({ "id": format!("t{at}"), "title": format!("Count the fish of pond {at}, twice: {}", "carefully ".repeat(8).trim_end()), "status": status(at), "priority": "medium" });
    (0..=ITERATIONS / EACH).map(todo).collect()
}

fn nth(number: usize) -> Say {
    let (kind, content) = match number % 5 {
        0 => ("shell", format!("seq {number} {}", number + 2_000)),
        1 => ("file_read", "pond.txt".to_owned()),
        _ => ("eval", format!("let text = \"\"; for at in 0..900 {{ text += \"{number} \"; }} text")),
    };
    let action = json!({ "type": kind, "content": content, "rationale": "it is next" });
    let words = format!("Iteration {number}: {}", "the fish move while they are counted. ".repeat(10));
    Say::text(json!({ "status": "executing", "todos": todos(number), "nextAction": action, "selfAssessment": words }).to_string())
}

/// The memory that a process has taken for itself. The pages of its program's file, some 35 MB, would hide what grows.
fn kilobytes_of(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// The to-dos that a prompt names, each as it stands there.
fn todos_of(told: &str) -> Vec<Value> {
    let list = told.split_once("\nTo-dos (list ").map_or("", |(_, rest)| rest);
    let lines = list.lines().skip(1).take_while(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_thousand_iterations_keep_their_size_and_alter_nothing() {
    let process = Arc::new(AtomicU32::new(0));
    let looks = Arc::new(Mutex::new(Vec::new()));
    let (of, noted) = (Arc::clone(&process), Arc::clone(&looks));
    let server = Server::new(move |number, body| {
        let messages = body["messages"].as_array().unwrap();
        let told = messages.last().unwrap()["content"].as_str().unwrap().to_owned();
        noted.lock().unwrap().push(Look { kilobytes: kilobytes_of(of.load(Ordering::SeqCst)), told });
        nth(number)
    });
    let desk = Desk::new();
    desk.write("pond.txt", "a fish\n".repeat(2_000));
    let (mut url, goal, iterations) = (String::new(), goal(), ITERATIONS.to_string());
    let call = ["--json", "agent", &goal, "--context", "They swim.", "--max-iterations", &iterations];
    let child = desk.command(&server.args(&mut url, &call)).spawn().unwrap();
    process.store(child.id(), Ordering::SeqCst);
    let ended = ended(child);
    assert_eq!(ended.code, Some(4), "{}", ended.all());

    let looks = looks.lock().unwrap();
    assert_eq!(looks.len(), ITERATIONS);
    for (number, look) in looks.iter().enumerate() {
        let said = format!("Goal: {goal}\nWhat the user says about it: They swim.\n");
        assert!(look.told.starts_with(&said), "{number}: {}", look.told);
        let expected = number.checked_sub(1).map(todos).unwrap_or_default();
        assert_eq!(todos_of(&look.told), expected, "before signal {number}");
    }
    let largest =
        |from: usize, to: usize, of: fn(&Look) -> usize| looks[from..to].iter().map(of).max().unwrap();
    let (bytes, kilobytes) = (|look: &Look| look.told.len(), |look: &Look| look.kilobytes);
    let prompt = (largest(WARM - 50, WARM, bytes), largest(WARM, ITERATIONS, bytes));
    println!("prompt: {} bytes before iteration {WARM}, {} at most until {ITERATIONS}", prompt.0, prompt.1);
    assert!(prompt.1 * 10 <= prompt.0 * 11, "{prompt:?}");
    let memory = (largest(WARM - 10, WARM + 10, kilobytes), largest(WARM, ITERATIONS, kilobytes));
    let last = looks[ITERATIONS - 1].kilobytes;
    println!(
        "memory: {} kB at iteration {WARM}, {} kB at most until {ITERATIONS}, {last} kB then",
        memory.0, memory.1
    );
    assert!(memory.0 > 0 && memory.1 * 10 <= memory.0 * 11, "{memory:?}");

    let threads = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let state = threads.block_on(async {
        let journal = Journal::open_read_only(&desk.data()).unwrap();
        let session = journal.sessions("").await.unwrap()[0].id;
        journal.load(session).await.unwrap().value
    });
    let kept = state.goal.unwrap();
    assert_eq!((kept.request.goal, kept.iteration as usize), (goal, ITERATIONS));
    assert_eq!(serde_json::to_value(kept.todos).unwrap(), json!(todos(ITERATIONS - 1)));
}
