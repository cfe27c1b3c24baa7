//! What sudo, ssh and git call for a password: hands their question to the engine and its answer to them, on stdout. Where
//! to ask follows from the worker that it runs below, so nothing with which to ask stands in a command's environment. The
//! answer is wiped from this process before it ends, and this process leaves no dump.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use rustix::process::DumpableBehavior;
use serde::Serialize;
use zeroize::Zeroizing;

/// How the processes of a worker are called, the one above first; told by the kernel to everybody, also where one of
/// them belongs to another user.
const WORKERS: [&str; 2] = ["planwright-keep", "planwright-work"];
/// The most processes between a program and its command's worker.
const GENERATIONS: usize = 512;
/// The engine listens as soon as the command has its orders; a program may be quicker.
const TRIES: u32 = 100;
const AGAIN: Duration = Duration::from_millis(20);
/// The longest reply: an answer, or words for why there is none.
const REPLY_BYTES: usize = 4096;

#[derive(Serialize)]
struct Question<'a> {
    prompt: &'a str,
    confirm: bool,
}

/// Returns the exit code: 0 with an answer (or a yes), 1 without.
pub(crate) fn main() -> i32 {
    let words: Vec<_> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let prompt = words.join(" ");
    let hint = std::env::var("SSH_ASKPASS_PROMPT").unwrap_or_default();
    if hint == "none" {
        // ssh only tells something, such as that a key wants to be touched; it waits for no answer.
        eprintln!("{prompt}");
        return 0;
    }
    // Without it a crash could write the answer to a file.
    if let Err(error) = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        eprintln!("Planwright: no password was asked for: {error}.");
        return 1;
    }
    match ask(&prompt, hint == "confirm") {
        Ok(reply) => match reply.split_first() {
            Some((b'A', answer)) => i32::from(tell(answer).is_err()),
            Some((_, words)) => {
                eprintln!("Planwright: {}", String::from_utf8_lossy(words));
                1
            }
            // The command is being ended.
            None => 1,
        },
        Err(error) => {
            eprintln!("Planwright: no password could be asked for: {error}.");
            1
        }
    }
}

fn ask(prompt: &str, confirm: bool) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut stream = connect()?;
    let mut line = serde_json::to_vec(&Question { prompt, confirm })?;
    line.push(b'\n');
    stream.write_all(&line)?;
    // Of its full size from the start: a buffer that grows leaves copies behind.
    let mut reply = Zeroizing::new(vec![0; REPLY_BYTES]);
    let mut length = 0;
    while length < reply.len() {
        match stream.read(&mut reply[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    reply.truncate(length);
    Ok(reply)
}

/// To the engine, and to nobody who only took its name.
fn connect() -> io::Result<UnixStream> {
    let nobody = || io::Error::other("it was not called by a command of Planwright's");
    let (worker, engine) = above().ok_or_else(nobody)?;
    let address = SocketAddr::from_abstract_name(format!("planwright-askpass-{worker}"))?;
    let mut tries = 1;
    let stream = loop {
        match UnixStream::connect_addr(&address) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused && tries < TRIES => {
                tries += 1;
                std::thread::sleep(AGAIN);
            }
            other => break other?,
        }
    };
    if peer(&stream)? != engine {
        return Err(nobody());
    }
    Ok(stream)
}

/// The worker that this runs below, and the engine that started it.
fn above() -> Option<(i32, i32)> {
    let (_, parent) = process("self")?;
    let mut line =
        std::iter::successors(Some(parent), |pid| process(&pid.to_string()).map(|(_, parent)| parent))
            .take(GENERATIONS)
            .filter_map(|pid| process(&pid.to_string()).map(|(name, parent)| (pid, name, parent)));
    let is_worker = |name: &str| WORKERS.contains(&name);
    let (first, _, mut engine) = line.find(|(_, name, _)| is_worker(name))?;
    let mut worker = first;
    // The process above the one that supervises is the one that the engine knows.
    for (pid, name, parent) in line {
        if !is_worker(&name) {
            break;
        }
        (worker, engine) = (pid, parent);
    }
    Some((worker, engine))
}

/// Name and parent.
fn process(pid: &str) -> Option<(String, i32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything, brackets too.
    let (front, back) = text.split_at(text.rfind(')')?);
    let name = front.split_once('(')?.1.to_owned();
    let parent = back.split_whitespace().nth(2)?.parse().ok()?;
    Some((name, parent))
}

/// The process that listens at the other end.
#[allow(unsafe_code)]
fn peer(stream: &UnixStream) -> io::Result<i32> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).map_err(io::Error::other)?;
    let place = (&raw mut credentials).cast();
    // SAFETY: `place` is valid for `length` bytes, and the socket is open, for the whole call.
    let failed = unsafe {
        libc::getsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, place, &raw mut length)
    };
    if failed == 0 { Ok(credentials.pid) } else { Err(io::Error::last_os_error()) }
}

/// Past the buffer of the standard library's stdout, which nobody wipes.
fn tell(mut answer: &[u8]) -> rustix::io::Result<()> {
    let stdout = io::stdout();
    while !answer.is_empty() {
        answer = &answer[rustix::io::write(&stdout, answer)?..];
    }
    rustix::io::write(&stdout, b"\n").map(|_| ())
}
