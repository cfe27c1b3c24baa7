//! What the engine tells this process to do: a line of JSON, and behind it the command's environment as `NAME=value`
//! with a NUL behind each. Orders that are not whole are not followed.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

const CHUNK: usize = 16 * 1024;
/// What the engine says to end a command.
const TOO_LATE: &[u8] = b"cancel";

#[derive(Debug)]
pub(crate) struct Orders<Spec> {
    pub(crate) spec: Spec,
    /// All of the command's environment; none of it is this process's own.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What came right behind: a cancel, or the first of what is typed.
    pub(crate) behind: Vec<u8>,
}

/// A spec as it is sent, with how much environment stands behind it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header<Spec> {
    #[serde(flatten)]
    spec: Spec,
    environment_bytes: usize,
}

/// Standard input, unbuffered: what comes behind the orders is for whoever carries them out.
pub(crate) struct Stdin;

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(io::stdin(), buffer)?)
    }
}

/// Waits for the orders. `None` when the engine went without giving any; an error is in words for people.
pub(crate) fn read<Spec: DeserializeOwned>(from: &mut impl Read) -> Result<Option<Orders<Spec>>, String> {
    let mut input = Vec::new();
    let end = loop {
        let searched = input.len();
        if more(from, &mut input)? == 0 {
            return if input.is_empty() { Ok(None) } else { Err(cut_off()) };
        }
        let Some(at) = input[searched..].iter().position(|byte| *byte == b'\n') else { continue };
        match searched + at {
            // Came when the command that it was for had ended.
            end if &input[..end] == TOO_LATE => drop(input.drain(..=end)),
            end => break end,
        }
        if let Some(end) = input.iter().position(|byte| *byte == b'\n') {
            break end;
        }
    };
    let Header { spec, environment_bytes } =
        serde_json::from_slice(&input[..end]).map_err(|error| unreadable(&error))?;
    let whole = (end + 1).checked_add(environment_bytes).ok_or_else(cut_off)?;
    while input.len() < whole {
        if more(from, &mut input)? == 0 {
            return Err(cut_off());
        }
    }
    let environment = input[end + 1..whole].split(|byte| *byte == 0).filter_map(variable).collect();
    Ok(Some(Orders { spec, environment, behind: input.split_off(whole) }))
}

fn more(from: &mut impl Read, input: &mut Vec<u8>) -> Result<usize, String> {
    let length = input.len();
    input.resize(length + CHUNK, 0);
    let read = loop {
        match from.read(&mut input[length..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    input.truncate(length + read.as_ref().copied().unwrap_or(0));
    read.map_err(|error| unreadable(&error))
}

fn variable(entry: &[u8]) -> Option<(OsString, OsString)> {
    let equals = entry.iter().position(|byte| *byte == b'=')?;
    Some((OsStr::from_bytes(&entry[..equals]).to_owned(), OsStr::from_bytes(&entry[equals + 1..]).to_owned()))
}

fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("The command could not be read: {error}.")
}

fn cut_off() -> String {
    "The command did not arrive whole.".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"command":"true","environmentBytes":10}"#;

    #[derive(Debug, Deserialize)]
    struct Spec {
        command: String,
    }

    fn read(from: &mut impl Read) -> Result<Option<Orders<Spec>>, String> {
        super::read(from)
    }

    fn sent(environment: &[u8]) -> Vec<u8> {
        [LINE.as_bytes(), b"\n", environment].concat()
    }

    /// Gives one byte at a time.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(1).min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn orders_come_whole_however_they_are_cut() {
        let bytes = sent(b"A=\xff=\0BC=d\0");
        for orders in [read(&mut bytes.as_slice()), read(&mut Trickle(&bytes))] {
            let orders = orders.unwrap().unwrap();
            assert_eq!((orders.spec.command.as_str(), orders.behind.as_slice()), ("true", b"".as_slice()));
            assert_eq!(
                orders.environment,
                [("A".into(), OsStr::from_bytes(b"\xff=").to_owned()), ("BC".into(), "d".into())]
            );
        }
    }

    #[test]
    fn what_stands_behind_is_kept_apart() {
        let orders = read(&mut sent(b"A=1\0BC=23\0cancel\n").as_slice()).unwrap().unwrap();
        assert_eq!(orders.behind, b"cancel\n");
    }

    #[test]
    fn orders_that_are_cut_off_are_not_followed() {
        let bytes = sent(b"A=1\0BC=23\0");
        assert!(read(&mut [].as_slice()).unwrap().is_none());
        for length in 1..bytes.len() {
            assert!(read(&mut &bytes[..length]).is_err(), "{length}");
        }
    }
}
