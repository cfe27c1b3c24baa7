//! What sudo, ssh and git call for a password: hands their question to the engine and its answer to them, on stdout. It
//! knows only the token of the command that it was called in. The answer is wiped from this process before it ends, and
//! this process leaves no dump.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};

use rustix::process::DumpableBehavior;
use serde::Serialize;
use zeroize::Zeroizing;

/// Where to ask, and with which token; there means that this is an askpass call, whatever the arguments are.
pub(crate) const VARIABLE: &str = "PLANWRIGHT_ASKPASS";
/// The longest reply: an answer, or words for why there is none.
const REPLY_BYTES: usize = 4096;

#[derive(Serialize)]
struct Question<'a> {
    token: &'a str,
    prompt: &'a str,
    confirm: bool,
}

/// Returns the exit code: 0 with an answer (or a yes), 1 without.
pub(crate) fn main(variable: &OsStr) -> i32 {
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
    match ask(variable, &prompt, hint == "confirm") {
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

fn ask(variable: &OsStr, prompt: &str, confirm: bool) -> io::Result<Zeroizing<Vec<u8>>> {
    let place = variable.to_str().and_then(|text| text.split_once(':'));
    let (name, token) = place.ok_or(io::ErrorKind::InvalidInput)?;
    let mut stream = UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)?;
    let mut line = serde_json::to_vec(&Question { token, prompt, confirm })?;
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

/// Past the buffer of the standard library's stdout, which nobody wipes.
fn tell(mut answer: &[u8]) -> rustix::io::Result<()> {
    let stdout = io::stdout();
    while !answer.is_empty() {
        answer = &answer[rustix::io::write(&stdout, answer)?..];
    }
    rustix::io::write(&stdout, b"\n").map(|_| ())
}
