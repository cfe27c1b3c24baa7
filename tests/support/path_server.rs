//! A model server that answers by path and question, with a function: for what servers tell beside the dialect.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A question: its path and its body, `Null` where there is none.
pub type Asked = (String, Value);

/// Gives a whole HTTP response; `None` is one that says that there is nothing here.
type Answer = dyn Fn(&str, &Value) -> Option<Vec<u8>> + Send + Sync;

#[derive(Debug)]
pub struct PathServer {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for PathServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl PathServer {
    /// # Panics
    /// When no port can be had.
    #[allow(clippy::expect_used)]
    pub async fn start(answer: impl Fn(&str, &Value) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let port = listener.local_addr().expect("a bound port").port();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let (seen, answer) = (Arc::clone(&asked), Arc::<Answer>::from(Box::new(answer) as Box<Answer>));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                tokio::spawn(async move {
                    // A client that hangs up is none of this server's trouble.
                    let _ = serve(stream, answer.as_ref(), &seen).await;
                });
            }
        });
        Self { port, asked, task }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything it was asked.
    ///
    /// # Panics
    /// When a connection's task panicked.
    #[allow(clippy::expect_used)]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no task panics holding it").clone()
    }

    /// How many completions it was asked for.
    pub fn completions(&self) -> usize {
        self.asked().iter().filter(|(path, _)| path.ends_with("/chat/completions")).count()
    }
}

async fn serve(mut stream: TcpStream, answer: &Answer, seen: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length: usize = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok())
        .unwrap_or_default();
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            break;
        }
    }
    let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let body: Value = serde_json::from_slice(&bytes[end..]).unwrap_or(Value::Null);
    let reply = answer(&path, &body).unwrap_or_else(|| status(404, &json!({ "error": "not here" })));
    if let Ok(mut seen) = seen.lock() {
        seen.push((path, body));
    }
    stream.write_all(&reply).await?;
    stream.shutdown().await
}

/// A JSON document.
pub fn document(body: &Value) -> Vec<u8> {
    status(200, body)
}

pub fn status(status: u16, body: &Value) -> Vec<u8> {
    response(status, "application/json", &body.to_string())
}

/// An answer that says this.
pub fn says(text: &str) -> Vec<u8> {
    completion(&json!({ "role": "assistant", "content": text }), "stop")
}

/// An answer that calls a tool.
pub fn calls(name: &str, arguments: &Value) -> Vec<u8> {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": function });
    completion(&json!({ "role": "assistant", "tool_calls": [call] }), "tool_calls")
}

fn completion(delta: &Value, reason: &str) -> Vec<u8> {
    let delta = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 10, "completion_tokens": 5 } });
    let body = format!("data: {delta}\n\ndata: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    response(200, "text/event-stream", &body)
}

fn response(status: u16, content_type: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-type: {content_type}\r\n\r\n{body}")
        .into_bytes()
}
