//! A model server whose every byte is scripted: raw TCP, one reply a request, in order; the last one is repeated.
//! A connection ends with its reply unless that is a kept one.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server does with one connection, after it has read the request.
#[derive(Debug, Clone)]
pub struct Reply {
    acts: Vec<Act>,
    keeps: bool,
}

#[derive(Debug, Clone)]
enum Act {
    Send(Vec<u8>),
    Pause(Duration),
    /// Sends the same again and again until the client goes.
    Forever(Vec<u8>, Duration),
}

impl Reply {
    /// `head` lines as `name: value`.
    pub fn status(status: u16, head: &[&str], body: impl Into<Vec<u8>>) -> Self {
        let mut text = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n").into_bytes();
        for line in head {
            text.extend_from_slice(line.as_bytes());
            text.extend_from_slice(b"\r\n");
        }
        text.extend_from_slice(b"\r\n");
        text.extend(body.into());
        Self { acts: vec![Act::Send(text)], keeps: false }
    }

    /// An event stream, sent whole, after which the connection waits for the next request.
    pub fn kept_stream(body: &str) -> Self {
        let head = "HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\n";
        let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        Self { acts: vec![Act::Send(text.into_bytes())], keeps: true }
    }

    /// Not even a head.
    pub fn silent() -> Self {
        Self { acts: vec![Act::Pause(Duration::from_secs(600))], keeps: false }
    }

    /// An event stream, sent whole.
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200, &["content-type: text/event-stream"], body)
    }

    /// An event stream, sent one byte at a time.
    pub fn byte_by_byte(body: &[u8]) -> Self {
        let mut reply = Self::stream("");
        for byte in body {
            reply = reply.pause(Duration::from_micros(20)).then([*byte]);
        }
        reply
    }

    #[must_use]
    pub fn then(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.acts.push(Act::Send(bytes.into()));
        self
    }

    #[must_use]
    pub fn pause(mut self, time: Duration) -> Self {
        self.acts.push(Act::Pause(time));
        self
    }

    #[must_use]
    pub fn forever(mut self, bytes: impl Into<Vec<u8>>, every: Duration) -> Self {
        self.acts.push(Act::Forever(bytes.into(), every));
        self
    }

    /// A whole answer of the OpenAI dialect.
    pub fn openai(text: &str) -> Self {
        let chunk = |delta: Value, reason: Value| {
            let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
            format!("data: {chunk}\n\n")
        };
        let body = chunk(json!({ "role": "assistant", "content": text }), Value::Null)
            + chunk(json!({}), json!("stop")).as_str()
            + "data: [DONE]\n\n";
        Self::stream(body)
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// The request line and the headers, in lower case.
    pub head: String,
    pub body: Value,
    /// When its last byte was there.
    pub at: Instant,
    /// When the last byte of the reply was handed to the system.
    pub answered_at: Option<Instant>,
}

#[derive(Debug)]
pub struct ModelServer {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Connections whose client is still there.
    open: Arc<std::sync::atomic::AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ModelServer {
    /// # Panics
    /// When no port can be had.
    #[allow(clippy::expect_used)]
    pub async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let port = listener.local_addr().expect("a bound port").port();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let open = Arc::<std::sync::atomic::AtomicUsize>::default();
        let (seen, alive) = (Arc::clone(&requests), Arc::clone(&open));
        let task = tokio::spawn(async move {
            let script = Arc::new(Mutex::new(Script { replies: replies.into_iter(), last: None }));
            while let Ok((stream, _)) = listener.accept().await {
                let (script, seen, alive) = (Arc::clone(&script), Arc::clone(&seen), Arc::clone(&alive));
                tokio::spawn(async move {
                    alive.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    // A client that hangs up is what some tests want.
                    let _ = serve(stream, &script, &seen).await;
                    alive.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                });
            }
        });
        Self { port, requests, open, task }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Connections that are not ended yet.
    pub fn open(&self) -> usize {
        self.open.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// # Panics
    /// When a connection's task panicked.
    #[allow(clippy::expect_used)]
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no task panics holding it").clone()
    }
}

/// The replies that are still to come, and the one that is repeated after them.
struct Script {
    replies: std::vec::IntoIter<Reply>,
    last: Option<Reply>,
}

impl Script {
    fn next(&mut self) -> Option<Reply> {
        if let Some(reply) = self.replies.next() {
            self.last = Some(reply);
        }
        self.last.clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &Mutex<Script>,
    seen: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    loop {
        let request = read(&mut stream).await?;
        let number = seen.lock().map(|mut seen| {
            seen.push(request);
            seen.len() - 1
        });
        let number = number.ok();
        let Some(reply) = script.lock().ok().and_then(|mut script| script.next()) else { return Ok(()) };
        for act in &reply.acts {
            match act {
                Act::Send(bytes) => stream.write_all(bytes).await?,
                Act::Pause(time) => wait(&mut stream, *time).await?,
                Act::Forever(bytes, every) => loop {
                    stream.write_all(bytes).await?;
                    wait(&mut stream, *every).await?;
                },
            }
        }
        let answered = Instant::now();
        if let (Some(number), Ok(mut seen)) = (number, seen.lock())
            && let Some(request) = seen.get_mut(number)
        {
            request.answered_at = Some(answered);
        }
        if !reply.keeps {
            return stream.shutdown().await;
        }
    }
}

/// Waits, or ends when the client hangs up.
async fn wait(stream: &mut TcpStream, time: Duration) -> std::io::Result<()> {
    let mut byte = [0];
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        _ = stream.read(&mut byte) => Err(std::io::ErrorKind::ConnectionReset.into()),
    }
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
        .unwrap_or_default();
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            break;
        }
    }
    let body = serde_json::from_slice(&bytes[end..]).unwrap_or(Value::Null);
    Ok(Request { head, body, at: Instant::now(), answered_at: None })
}
