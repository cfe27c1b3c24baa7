//! A model server that talks: it reads the conversation it is sent, refuses one that a real provider would refuse, and
//! answers as its script says. Connections are kept, as real ones are.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the server says to one request.
#[derive(Debug, Clone, Default)]
pub struct Say {
    text: String,
    calls: Vec<(String, String)>,
    /// Between two pieces of the text.
    pace: Duration,
    stop: Option<&'static str>,
    /// The answer ends without a reason.
    without_reason: bool,
    /// Input tokens that are claimed.
    tokens: u32,
    status: Option<(u16, String)>,
}

impl Say {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), tokens: 10, ..Self::default() }
    }

    /// A call of a tool, with its arguments as JSON.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::default().and_call(tool, arguments)
    }

    #[must_use]
    pub fn and_call(self, tool: &str, arguments: Value) -> Self {
        self.and_raw_call(tool, &arguments.to_string())
    }

    /// A call whose arguments are whatever this text is.
    #[must_use]
    pub fn and_raw_call(mut self, tool: &str, arguments: &str) -> Self {
        self.calls.push((tool.to_owned(), arguments.to_owned()));
        self
    }

    /// The text in pieces of a word, this long apart.
    #[must_use]
    pub fn slowly(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Another reason to stop than the usual one, in the OpenAI dialect's words.
    #[must_use]
    pub fn stopping_for(self, reason: &'static str) -> Self {
        Self { stop: Some(reason), ..self }
    }

    #[must_use]
    pub fn without_reason(self) -> Self {
        Self { without_reason: true, ..self }
    }

    #[must_use]
    pub fn counting(self, tokens: u32) -> Self {
        Self { tokens, ..self }
    }

    pub fn refusal(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "type": "invalid_request_error" } }).to_string();
        Self { status: Some((status, body)), ..Self::default() }
    }
}

type Script = dyn FnMut(usize, &Value) -> Say + Send;

/// One server with one script; the script gets the number of the request, from 0, and its body.
#[derive(Debug)]
pub struct ChatServer {
    port: u16,
    seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Seen {
    bodies: Vec<Value>,
    refused: Vec<String>,
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[allow(clippy::expect_used)]
impl ChatServer {
    /// # Panics
    /// When no port can be had.
    pub async fn start(script: impl FnMut(usize, &Value) -> Say + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let port = listener.local_addr().expect("a bound port").port();
        let seen = Arc::<Mutex<Seen>>::default();
        let script: Arc<Mutex<Box<Script>>> = Arc::new(Mutex::new(Box::new(script)));
        let noted = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, script) = (Arc::clone(&noted), Arc::clone(&script));
                tokio::spawn(async move {
                    // A client that hangs up is what some tests want.
                    let _ = serve(stream, &seen, &script).await;
                });
            }
        });
        Self { port, seen, task }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The bodies of all requests so far.
    ///
    /// # Panics
    /// When a connection's task panicked.
    pub fn bodies(&self) -> Vec<Value> {
        self.seen.lock().expect("no task panics holding it").bodies.clone()
    }

    /// Why conversations were refused; a provider would have refused them too.
    ///
    /// # Panics
    /// When a connection's task panicked.
    pub fn refused(&self) -> Vec<String> {
        self.seen.lock().expect("no task panics holding it").refused.clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Seen>,
    script: &Mutex<Box<Script>>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut left = Vec::new();
    while let Some((path, body)) = read(&mut stream, &mut left).await? {
        if !path.starts_with("post") {
            let models = json!({ "data": [{ "id": "scripted" }] }).to_string();
            answer_whole(&mut stream, 200, &models).await?;
            continue;
        }
        let anthropic = path.contains("/messages");
        let problem = if anthropic { problem_of_anthropic(&body) } else { problem_of_openai(&body) };
        let say = {
            let Ok(mut seen) = seen.lock() else { return Ok(()) };
            seen.bodies.push(body.clone());
            match problem {
                Some(problem) => {
                    seen.refused.push(problem.clone());
                    Say::refusal(400, &problem)
                }
                None => {
                    let number = seen.bodies.len() - 1;
                    drop(seen);
                    let Ok(mut script) = script.lock() else { return Ok(()) };
                    script(number, &body)
                }
            }
        };
        match &say.status {
            Some((status, body)) => answer_whole(&mut stream, *status, body).await?,
            None => {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
                stream.write_all(head.as_bytes()).await?;
                let pieces = if anthropic { anthropic_pieces(&say) } else { openai_pieces(&say) };
                if say.pace.is_zero() {
                    chunk(&mut stream, &pieces.concat()).await?;
                } else {
                    for piece in pieces {
                        chunk(&mut stream, &piece).await?;
                        tokio::time::sleep(say.pace).await;
                    }
                }
                stream.write_all(b"0\r\n\r\n").await?;
            }
        }
    }
    Ok(())
}

async fn answer_whole(stream: &mut TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await
}

async fn chunk(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await
}

fn openai_pieces(say: &Say) -> Vec<String> {
    let piece = |delta: Value, reason: Value| {
        let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
        format!("data: {chunk}\n\n")
    };
    let mut pieces: Vec<String> =
        words(&say.text).into_iter().map(|text| piece(json!({ "content": text }), Value::Null)).collect();
    for (index, (name, arguments)) in say.calls.iter().enumerate() {
        let function = json!({ "name": name, "arguments": arguments });
        let call = json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function });
        pieces.push(piece(json!({ "tool_calls": [call] }), Value::Null));
    }
    let usual = if say.calls.is_empty() { "stop" } else { "tool_calls" };
    if !say.without_reason {
        pieces.push(piece(json!({}), json!(say.stop.unwrap_or(usual))));
    }
    let usage = json!({ "prompt_tokens": say.tokens, "completion_tokens": 5 });
    pieces.push(format!("data: {}\n\n", json!({ "choices": [], "usage": usage })));
    pieces.push("data: [DONE]\n\n".to_owned());
    pieces
}

fn anthropic_pieces(say: &Say) -> Vec<String> {
    let event = |name: &str, mut data: Value| {
        data["type"] = json!(name);
        format!("event: {name}\ndata: {data}\n\n")
    };
    let usage = json!({ "input_tokens": say.tokens, "output_tokens": 1 });
    let message =
        json!({ "id": "m", "role": "assistant", "content": [], "model": "scripted", "usage": usage });
    let mut pieces = vec![event("message_start", json!({ "message": message }))];
    let mut index = 0;
    if !say.text.is_empty() {
        let block = json!({ "type": "text", "text": "" });
        pieces.push(event("content_block_start", json!({ "index": index, "content_block": block })));
        for text in words(&say.text) {
            let delta = json!({ "type": "text_delta", "text": text });
            pieces.push(event("content_block_delta", json!({ "index": index, "delta": delta })));
        }
        pieces.push(event("content_block_stop", json!({ "index": index })));
        index += 1;
    }
    for (name, arguments) in &say.calls {
        let block = json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} });
        pieces.push(event("content_block_start", json!({ "index": index, "content_block": block })));
        let delta = json!({ "type": "input_json_delta", "partial_json": arguments });
        pieces.push(event("content_block_delta", json!({ "index": index, "delta": delta })));
        pieces.push(event("content_block_stop", json!({ "index": index })));
        index += 1;
    }
    let reason = if say.calls.is_empty() { "end_turn" } else { "tool_use" };
    let delta = json!({ "stop_reason": reason });
    pieces.push(event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": 5 } })));
    pieces.push(event("message_stop", json!({})));
    pieces
}

fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(' ').collect()
}

/// What the provider would say against the conversation: every call followed at once by its results, in order.
fn problem_of_openai(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array()?;
    let mut wanted: Vec<String> = Vec::new();
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                if wanted.first().map(String::as_str) != Some(id) {
                    return Some(format!("message {at}: a result for {id:?}, wanted {wanted:?}"));
                }
                wanted.remove(0);
            }
            _ if !wanted.is_empty() => return Some(format!("message {at}: no result for {wanted:?}")),
            "assistant" if before == "assistant" => {
                return Some(format!("message {at}: two answers in a row"));
            }
            "assistant" => {
                let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
                wanted =
                    calls.iter().map(|call| call["id"].as_str().unwrap_or_default().to_owned()).collect();
                for call in &calls {
                    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                    if serde_json::from_str::<Value>(arguments).is_err() {
                        return Some(format!("message {at}: arguments that are no JSON"));
                    }
                }
                if calls.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
                    return Some(format!("message {at}: an empty answer"));
                }
            }
            "system" if at == 0 => {}
            "user" => {}
            other => return Some(format!("message {at}: role {other:?}")),
        }
        before = role;
    }
    if !wanted.is_empty() {
        return Some(format!("no result for {wanted:?} at the end"));
    }
    (before == "assistant").then(|| "the last word is the assistant's".to_owned())
}

fn problem_of_anthropic(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array()?;
    let mut wanted: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != if at % 2 == 0 { "user" } else { "assistant" } {
            return Some(format!("message {at}: role {role:?} out of turn"));
        }
        let content = message["content"].as_array().cloned().unwrap_or_default();
        if content.is_empty() {
            return Some(format!("message {at}: empty"));
        }
        let mut calls = Vec::new();
        for (nth, block) in content.iter().enumerate() {
            match (block["type"].as_str().unwrap_or_default(), role) {
                ("tool_result", "user") => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    if nth != 0 && content[nth - 1]["type"] != "tool_result" {
                        return Some(format!("message {at}: a result behind other content"));
                    }
                    if wanted.first().map(String::as_str) != Some(id) {
                        return Some(format!("message {at}: a result for {id:?}, wanted {wanted:?}"));
                    }
                    wanted.remove(0);
                }
                ("text", _) => {
                    if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
                        return Some(format!("message {at}: an empty text"));
                    }
                }
                ("tool_use", "assistant") => {
                    if !block["input"].is_object() {
                        return Some(format!("message {at}: an input that is no object"));
                    }
                    calls.push(block["id"].as_str().unwrap_or_default().to_owned());
                }
                ("thinking" | "redacted_thinking", "assistant") => {}
                (other, _) => return Some(format!("message {at}: {other:?} in a message of the {role}")),
            }
        }
        if !wanted.is_empty() {
            return Some(format!("message {at}: no result for {wanted:?}"));
        }
        wanted = calls;
    }
    let last = messages.last().and_then(|message| message["role"].as_str()).unwrap_or_default();
    (last != "user").then(|| "the last word is not the user's".to_owned())
}

/// The request line in lower case, and the body; `None` when the client is gone.
async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> std::io::Result<Option<(String, Value)>> {
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
        .unwrap_or_default();
    while bytes.len() < end + length {
        if stream.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    }
    let body = serde_json::from_slice(&bytes[end..end + length]).unwrap_or(Value::Null);
    bytes.drain(..end + length);
    Ok(Some((head, body)))
}
