//! What goes to a worker, its orders, and what comes back, frames: a kind byte, a little-endian `u32` length, that many
//! bytes. The worker is ours but what it carries is not, so every length is checked.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Trail;
use crate::protocol::Stream;

/// No frame is larger: batches are 64 KiB at most, a state 4 MiB.
const FRAME_BYTES: usize = 8 * 1024 * 1024;

/// What the worker is to run.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Spec<'a> {
    pub(super) command: &'a str,
    pub(super) cwd: &'a str,
    /// Bash text that runs before all other, and as it is: it says nothing and cannot fail.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) first: &'a str,
    pub(super) restore: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) options: &'a str,
    /// Its shell ends as it began, so it writes no state down.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) unchanged: bool,
    /// The shell counts as one that somebody sits at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) interactive: bool,
    /// The shell lives on behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) lives: bool,
    /// It goes on in the shell that lives, behind this bash text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) continues: Option<&'a str>,
    /// Which of its shell's commands it is.
    pub(super) number: u32,
    /// Nothing is to be run: what jobs have written meanwhile is asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) look: bool,
    /// Traps of the worker's own may look at its pipelines, where the shell lives on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) watches: bool,
    pub(super) wall_millis: u64,
    pub(super) silence_millis: u64,
    pub(super) one_pipe: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) terminal: Option<Size>,
}

/// Of a terminal, in characters.
#[derive(Debug, Serialize)]
pub(super) struct Size {
    pub(super) rows: u16,
    pub(super) cols: u16,
}

/// A spec as it is sent, with how much environment stands behind it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Header<'a, S> {
    #[serde(flatten)]
    spec: &'a S,
    environment_bytes: usize,
}

/// A line of JSON and the command's whole environment: `NAME=value`, each with a NUL behind it, for not all of it need
/// be text.
pub(crate) fn orders<S: Serialize>(
    spec: &S,
    environment: &BTreeMap<OsString, OsString>,
) -> serde_json::Result<Vec<u8>> {
    let mut block = Vec::new();
    for (name, value) in environment {
        block.extend_from_slice(name.as_encoded_bytes());
        block.push(b'=');
        block.extend_from_slice(value.as_encoded_bytes());
        block.push(0);
    }
    let mut orders = serde_json::to_vec(&Header { spec, environment_bytes: block.len() })?;
    orders.push(b'\n');
    orders.append(&mut block);
    Ok(orders)
}

#[derive(Debug)]
pub(super) enum Frame {
    Report(Report),
    Output(Batch),
    /// What the shell's command of this number has left running wrote.
    Late {
        number: u32,
        stream: Stream,
        bytes: Vec<u8>,
    },
    State {
        own_umask: u32,
        text: Vec<u8>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Report {
    /// `group`: the folder of the command's control group, where it has one.
    Started {
        pid: i32,
        group: Option<PathBuf>,
    },
    /// `work`: when it was at work, in milliseconds since 1970.
    Ended {
        ending: Ending,
        #[serde(flatten)]
        trail: Trail,
        work: Vec<(u64, u64)>,
    },
    /// `stays`: the worker waits for other orders.
    Gone {
        leftovers: u32,
        survivors: u32,
        stays: bool,
        /// Told where the shell lives on.
        jobs: Option<Vec<super::Running>>,
    },
    Failed {
        message: String,
    },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Ending {
    Code { code: i32 },
    Signal { signal: i32 },
    TimedOut,
    Silent,
    Cancelled,
    Unknown,
}

/// Output as it came, in the frame that it came in.
#[derive(Debug)]
pub(super) struct Batch {
    body: Vec<u8>,
    pieces: Vec<(Stream, u32, Range<usize>)>,
}

/// What was written to one stream.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) stream: Stream,
    pub(super) at_millis: u32,
    pub(super) bytes: &'a [u8],
}

/// The next frame; `None` at the end of the stream.
pub(super) fn read_frame(from: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut head = [0; 5];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let [kind, length @ ..] = head;
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_BYTES {
        return Err(damaged());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    match kind {
        b'J' => Ok(Some(Frame::Report(serde_json::from_slice(&body)?))),
        b'O' => Ok(Some(Frame::Output(Batch::of(body)?))),
        b'L' => {
            let (number, rest) = body.split_first_chunk().ok_or_else(damaged)?;
            let (stream, bytes) = rest.split_first().ok_or_else(damaged)?;
            let (number, stream) = (u32::from_le_bytes(*number), stream_of(*stream)?);
            Ok(Some(Frame::Late { number, stream, bytes: bytes.to_vec() }))
        }
        b'S' => {
            let (own_umask, text) = body.split_first_chunk().ok_or_else(damaged)?;
            Ok(Some(Frame::State { own_umask: u32::from_le_bytes(*own_umask), text: text.to_vec() }))
        }
        _ => Err(damaged()),
    }
}

impl Batch {
    fn of(body: Vec<u8>) -> io::Result<Self> {
        let mut pieces = Vec::new();
        let mut rest = body.as_slice();
        while let Some((stream, behind)) = rest.split_first() {
            let (at, behind) = behind.split_first_chunk().ok_or_else(damaged)?;
            let (length, behind) = behind.split_first_chunk().ok_or_else(damaged)?;
            let length = u32::from_le_bytes(*length) as usize;
            let from = body.len() - behind.len();
            rest = behind.get(length..).ok_or_else(damaged)?;
            let stream = stream_of(*stream)?;
            pieces.push((stream, u32::from_le_bytes(*at), from..from + length));
        }
        Ok(Self { body, pieces })
    }

    pub(super) fn pieces(&self) -> impl ExactSizeIterator<Item = Piece<'_>> {
        self.pieces.iter().map(|(stream, at_millis, place)| Piece {
            stream: *stream,
            at_millis: *at_millis,
            bytes: &self.body[place.clone()],
        })
    }
}

fn stream_of(byte: u8) -> io::Result<Stream> {
    match byte {
        1 => Ok(Stream::Stdout),
        2 => Ok(Stream::Stderr),
        _ => Err(damaged()),
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged frame")
}

/// As much as a limit may be.
pub(super) fn millis(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
}
