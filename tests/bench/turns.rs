//! Memory over 10 000 turns of one conversation (SPEC section 12: flat within 10 % once the program is warm). A server in a
//! process of its own keeps nothing and says the same to every question, so that all that grows is the engine's.

use std::process::{Child, Command as Program, Stdio};
use std::sync::Arc;

use planwright_engine::engine::{Attendance, Engine, EngineConfig, Updates};
use planwright_engine::model::{MemoryKeys, ModelProvider, Models, Provider, ProviderKind};
use planwright_engine::protocol::{Command, Event, Route, SessionId, TurnEnd, Update};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::Failure;
use crate::measure::{load, memory_of, verdict};

const TURNS: usize = 10_000;
/// The conversation is condensed for the first time, and what the program keeps at hand is full.
const WARM: usize = 2_000;
/// Between two looks.
const EVERY: usize = 500;
/// Names the server's process, and is where it is told to listen.
const SERVES: &str = "PLANWRIGHT_BENCH_SERVES";

pub(crate) fn measure() -> Result<(), Failure> {
    if std::env::var_os(SERVES).is_some() {
        return serve();
    }
    converse()
}

/// Ended with the benchmark, however that ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn converse() -> Result<(), Failure> {
    println!("load of this machine: {}", load());
    let folders = tempfile::tempdir()?;
    let told = folders.path().join("address");
    let mut server = Program::new(std::env::current_exe()?);
    server.arg("turns").env(SERVES, &told).stdout(Stdio::null());
    let _server = Server(server.spawn()?);
    let address = loop {
        match std::fs::read_to_string(&told) {
            Ok(address) if !address.is_empty() => break address,
            Ok(_) | Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    };
    let url = format!("http://{address}/v1");
    let provider = Provider::new(ProviderKind::Local, Some(&url), "scripted".to_owned(), None)?;
    let engine = Engine::spawn(EngineConfig {
        home: folders.path().join("home"),
        worker: planwright_tests::worker(),
        attendance: Attendance::User,
        models: Models::of(Some(Arc::new(provider) as Arc<dyn ModelProvider>)),
        keys: Arc::new(MemoryKeys::default()),
    })
    .await?;
    let mut updates = engine.subscribe();
    let session = engine.create_session(None, Some(folders.path().display().to_string())).await?.id;
    let (mut warm, mut most) = (0.0_f64, 0.0_f64);
    for turn in 1..=TURNS {
        let text = format!("What is {turn} and {turn}?");
        engine.submit(session, Command::Say { text, route: Route::Chat, replaces: None }).await?;
        ended(&mut updates, session).await?;
        if turn % EVERY == 0 {
            let memory = memory_of(std::process::id());
            println!("after {turn:>6} turns {memory:>9.3} MiB");
            if turn <= WARM { warm = warm.max(memory) } else { most = most.max(memory) }
        }
    }
    println!();
    let grown = (most / warm - 1.0) * 100.0;
    verdict("memory after 10 000 turns, over that when warm", grown, 10.0, "%");
    println!("load of this machine at the end: {}", load());
    if grown > 10.0 { Err(format!("memory grew by {grown:.1} %").into()) } else { Ok(()) }
}

async fn ended(updates: &mut Updates, session: SessionId) -> Result<(), Failure> {
    loop {
        let update = updates.next().await.ok_or("the engine has ended")?;
        let Update::Event { record } = &update else { continue };
        match &record.event {
            Event::TurnEnded { end: TurnEnd::Done, .. } if record.session_id == session => return Ok(()),
            Event::TurnEnded { end, .. } => return Err(format!("a turn ended by {end:?}").into()),
            _ => {}
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let told = std::env::var_os(SERVES).ok_or("nobody to tell")?;
    std::fs::write(told, listener.local_addr()?.to_string())?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            // A client that goes away ends its connection and nothing else.
            let _ = answer(stream).await;
        });
    }
}

/// One connection, question by question.
async fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let delta = json!({ "choices": [{ "index": 0, "delta": { "content": "It is the double of it." }, "finish_reason": null }] });
    let stop = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let said = format!("data: {delta}\n\ndata: {stop}\n\ndata: [DONE]\n\n");
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut question = vec![0; length];
        stream.read_exact(&mut question).await?;
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
            said.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(said.as_bytes()).await?;
        stream.flush().await?;
    }
}
