//! The headless program's own time per tool round (SPEC section 12: at most 3 ms): a scripted model asks for the same
//! small command again and again over one connection. From the server's last byte of an answer to the last byte of the
//! next question, less what the bare command takes, is the program's own.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use crate::Failure;
use crate::measure::{Times, heading, load, memory_of_tree, verdict};

const ROUNDS: usize = 100;
/// What the first rounds cost is the start of things.
const WARM_UP: usize = 5;
const COMMAND: &str = "true";
const FLOOD: &str = "yes 'a line of output as programs write them' | head -c 200000000";

#[tokio::main]
pub(crate) async fn measure() -> Result<(), Failure> {
    heading(&load());
    // On both sides of the conversation, for the machine's pace changes.
    let mut bare = bare()?;
    let measured = conversation(vec![COMMAND.to_owned(); ROUNDS]).await?;
    bare.extend(self::bare()?);
    let bare = Times::from(bare);
    bare.row("bash -c true");
    measured.first_request.row("headless: exec to the first request of a model");
    measured.rounds.row("a tool round without the server's time");
    let flood = conversation(vec![FLOOD.to_owned()]).await?;
    flood.rounds.row("200 MB of lines through one tool call");
    println!();
    verdict("200 MB through one tool call", flood.rounds.median(), 600.0, "ms");
    verdict("memory of all processes in it at most", flood.memory, 36.0, "MiB");
    verdict("exec to the first request", measured.first_request.median(), 25.0, "ms");
    verdict("own time per tool round", measured.rounds.median() - bare.median(), 3.0, "ms");
    verdict("memory of all processes at most", measured.memory, 30.0, "MiB");
    println!("load of this machine at the end: {}", load());
    Ok(())
}

struct Measured {
    first_request: Times,
    /// Each round from the answer's last byte to the next question's, in order of length.
    rounds: Times,
    /// Most that the program and all its processes had, MiB.
    memory: f64,
}

fn bare() -> Result<Vec<Duration>, std::io::Error> {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let mut bash = Command::new("bash");
            bash.args(["--noprofile", "--norc", "-c", COMMAND]).status().map(|_| start.elapsed())
        })
        .collect()
}

/// One conversation of the headless program in which a model calls for each of these commands.
async fn conversation(commands: Vec<String>) -> Result<Measured, Failure> {
    let count = commands.len();
    let calls = commands.iter().enumerate();
    let mut replies: Vec<Reply> =
        calls.map(|(number, command)| Reply::kept_stream(&tool_call(number, command))).collect();
    replies.push(Reply::kept_stream(&last_words()));
    let server = ModelServer::start(replies).await;
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let mut child = Command::new(planwright_tests::cli())
        .args(["--json", "chat", "--max-rounds", "1000", "Run it as often as the model says."])
        .current_dir(folder.path())
        .env("PLANWRIGHT_HOME", folder.path().join("home"))
        .env("PLANWRIGHT_BASE_URL", format!("{}/v1", server.url()))
        .env("PLANWRIGHT_PROVIDER", "local")
        .env("PLANWRIGHT_MODEL", "scripted")
        .stdout(Stdio::null())
        .spawn()?;
    let mut memory: f64 = 0.0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill()?;
            return Err("the conversation did not end".into());
        }
        memory = memory.max(memory_of_tree(child.id()));
        // Seldom: each look takes time from the program.
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let requests = server.requests();
    if !status.success() || requests.len() <= count {
        return Err(format!("the conversation ended ({status}) after {} requests", requests.len()).into());
    }
    let rounds: Vec<Duration> = requests
        .windows(2)
        .skip(WARM_UP.min(count - 1))
        .filter_map(|pair| Some(pair[1].at.saturating_duration_since(pair[0].answered_at?)))
        .collect();
    let first = requests.first().ok_or("no request")?.at - start;
    Ok(Measured { first_request: vec![first].into(), rounds: rounds.into(), memory })
}

fn tool_call(number: usize, command: &str) -> String {
    let arguments = json!({ "command": command }).to_string();
    let call = json!({
        "index": 0, "id": format!("call_{number}"), "type": "function",
        "function": { "name": "shell", "arguments": arguments }
    });
    body(&json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
}

fn last_words() -> String {
    body(&json!({ "role": "assistant", "content": "Done." }), "stop")
}

fn body(delta: &Value, reason: &str) -> String {
    let chunk = |delta: &Value, reason: Option<&str>| {
        let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
        format!("data: {chunk}\n\n")
    };
    let (said, stop) = (chunk(delta, None), chunk(&json!({}), Some(reason)));
    format!("{said}{stop}data: [DONE]\n\n")
}
