//! The `parse` mode: answers `ParseRequest` lines on stdin with `ParseResponse` lines on stdout until stdin ends.
//!
//! The text is hostile. It is read under a memory limit, on a thread with a deep stack; the asker keeps the time and
//! kills this process when an answer does not come. Nothing is run and nothing is written but the answers.

use std::io::{BufRead, Write};

use planwright_shell::{Doubt, DoubtKind, Facts, ParseRequest, ParseResponse, read};
use rustix::process::{Resource, Rlimit, setrlimit};

const MEMORY: u64 = 512 * 1024 * 1024;
const STACK: usize = 64 * 1024 * 1024;

pub(crate) fn main() -> i32 {
    let limits = limit(Resource::As, MEMORY).and_then(|()| limit(Resource::Core, 0));
    if let Err(error) = limits {
        eprintln!("cannot limit the reader: {error}");
        return 1;
    }
    // A panic of the parser is caught and becomes a doubt; its message would only be noise.
    std::panic::set_hook(Box::new(|_| {}));
    match std::thread::Builder::new().stack_size(STACK).spawn(answer_all).map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => 0,
        Ok(Ok(Err(error))) => {
            eprintln!("cannot answer: {error}");
            1
        }
        Ok(Err(_)) | Err(_) => 1,
    }
}

fn limit(resource: Resource, most: u64) -> rustix::io::Result<()> {
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
}

fn answer_all() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().split(b'\n') {
        serde_json::to_writer(&mut out, &answer(&line?))?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &[u8]) -> ParseResponse {
    match serde_json::from_slice::<ParseRequest>(line) {
        Ok(request) => {
            ParseResponse { id: request.id, facts: read(&request.text, request.max_text as usize) }
        }
        Err(error) => {
            let text = format!("The question to the reader could not be understood: {error}");
            let doubt = Doubt { kind: DoubtKind::Exhausted, text, line: None };
            ParseResponse { id: 0, facts: Facts { doubts: vec![doubt], ..Facts::default() } }
        }
    }
}
