//! The `parse` mode: answers `ParseRequest` lines on stdin with `ParseResponse` lines on stdout until stdin ends.
//!
//! The text is hostile. It is read under a memory limit, on a thread with a deep stack; the asker keeps the time and
//! kills this process when an answer does not come. Nothing is run and nothing is written but the answers. It ends by
//! itself when it has grown or has answered much, for the asker starts another when it asks again.

use std::fs::File;
use std::io::{BufRead, Write};
use std::os::fd::AsFd;

use planwright_shell::{Doubt, DoubtKind, Facts, ParseRequest, ParseResponse, read};
use rustix::process::{Resource, Rlimit, setrlimit};

const MEMORY: u64 = 512 * 1024 * 1024;
const STACK: usize = 64 * 1024 * 1024;
/// Seconds of one process's life: enough for a million questions. Ends one that loops after its asker was killed.
const CPU: u64 = 60;
/// After so many answers a new process is better than whatever this one has kept.
const MOST_ANSWERS: usize = 50_000;
/// Bytes that may be held between two questions.
const MOST_HELD: usize = 64 * 1024 * 1024;
/// Answers between two looks at what is held.
const LOOK_EVERY: usize = 16;

pub(crate) fn main() -> i32 {
    let limits = limit(Resource::As, MEMORY)
        .and_then(|()| limit(Resource::Cpu, CPU))
        .and_then(|()| limit(Resource::Core, 0));
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
    // Not through the standard buffer, which hands on an answer in pieces: each would wake the asker.
    let mut out = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let mut said = Vec::new();
    for (count, line) in std::io::stdin().lock().split(b'\n').take(MOST_ANSWERS).enumerate() {
        said.clear();
        serde_json::to_writer(&mut said, &answer(&line?))?;
        said.push(b'\n');
        out.write_all(&said)?;
        if count % LOOK_EVERY == 0 && held() > MOST_HELD {
            break;
        }
    }
    Ok(())
}

/// Bytes of this process in memory; 0 where that cannot be told.
fn held() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|told| told.split(' ').nth(1)?.parse::<usize>().ok())
        .unwrap_or(0);
    pages.saturating_mul(rustix::param::page_size())
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
