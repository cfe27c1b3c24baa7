//! Finding out whether a service is ready: by its port, by a file, by what it writes. Looks only. What was there before
//! the start is never taken for the service's.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::protocol::{OutputChunk, Readiness, Stream};
use crate::runner::Live;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// A port of this machine answers at once, or does not.
const ANSWER: Duration = Duration::from_millis(500);
/// The first part of the output is kept for the step's result; the whole is in its file.
const KEPT_BYTES: usize = 64 * 1024;
/// A line without end is looked at in parts.
const LINE_BYTES: usize = 64 * 1024;

/// One service's check.
#[derive(Debug)]
pub(super) struct Check {
    what: What,
    /// Why the last look found it not ready.
    seen: String,
}

#[derive(Debug)]
enum What {
    Port(u16),
    Line,
    File { path: PathBuf, before: Option<Stamp> },
}

/// Tells a file from the one that was there before.
type Stamp = (u64, Option<SystemTime>);

impl Check {
    /// The error, for people, says why the check could not tell this service from something else.
    pub(super) async fn before_start(ready: &Readiness, cwd: &str) -> Result<Self, String> {
        let what = match ready {
            Readiness::Port { port } => {
                if answers(*port).await.is_ok() {
                    return Err(format!(
                        "Something else answers on port {port} already, so the service could not use it. Stop that \
                         first, or choose another port."
                    ));
                }
                What::Port(*port)
            }
            Readiness::Line { .. } | Readiness::Address => What::Line,
            Readiness::File { path } => {
                let path = Path::new(cwd).join(path);
                let before = stamp(&path).ok();
                What::File { path, before }
            }
        };
        Ok(Self { what, seen: String::new() })
    }

    /// Returns when the service is ready.
    pub(super) async fn until_ready(&mut self, heard: &mut watch::Receiver<Heard>) {
        loop {
            let found = match &self.what {
                What::Port(port) => answers(*port).await.map_err(|error| format!("Port {port}: {error}.")),
                What::File { path, before } => match stamp(path) {
                    Ok(now) if Some(now) != *before => Ok(()),
                    Ok(_) => Err(format!("{} is the one from before.", path.display())),
                    Err(error) => Err(format!("{}: {error}.", path.display())),
                },
                What::Line => {
                    self.seen = "No such line was written.".to_owned();
                    let is_found = heard.wait_for(|heard| heard.found).await.is_ok();
                    if !is_found {
                        // It is over; whoever waits hears of that.
                        std::future::pending::<()>().await;
                    }
                    Ok(())
                }
            };
            match found {
                Ok(()) => return,
                Err(seen) => self.seen = seen,
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    pub(super) fn seen(&self) -> String {
        self.seen.clone()
    }
}

/// Returns when so much time has passed in which nobody was asked for anything: who types a password takes their time.
pub(super) async fn too_long(within: Duration, is_asking: impl Fn() -> bool) {
    let mut left = within;
    while !left.is_zero() {
        let begun = Instant::now();
        tokio::time::sleep(left.min(PAUSE)).await;
        if !is_asking() {
            left = left.saturating_sub(begun.elapsed());
        }
    }
}

async fn answers(port: u16) -> io::Result<()> {
    let places: [SocketAddr; 2] = [(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()];
    let mut refusal = None;
    for place in places {
        match tokio::time::timeout(ANSWER, TcpStream::connect(place)).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => refusal = refusal.or(Some(error)),
            Err(_) => refusal = refusal.or(Some(io::ErrorKind::TimedOut.into())),
        }
    }
    Err(refusal.unwrap_or_else(|| io::ErrorKind::ConnectionRefused.into()))
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    let file = std::fs::symlink_metadata(path)?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&file);
    #[cfg(not(unix))]
    let number = file.len();
    Ok((number, file.modified().ok()))
}

#[derive(Debug)]
enum Wanted {
    Text(String),
    Address,
}

impl Wanted {
    fn is_in(&self, line: &str) -> bool {
        match self {
            Self::Text(text) => line.contains(text.as_str()),
            Self::Address => tells_address(line),
        }
    }
}

/// Whether a server says in this line where it can be reached: `http://localhost:5173/`, `listening on port 3000`.
fn tells_address(line: &str) -> bool {
    const HOSTS: [&str; 5] = ["localhost:", "127.0.0.1:", "0.0.0.0:", "[::1]:", "[::]:"];
    let line = line.to_lowercase();
    let number_behind = |start: usize| {
        let rest = line[start..].trim_start_matches([':', ' ', '=']);
        rest.starts_with(|letter: char| letter.is_ascii_digit())
    };
    let host =
        HOSTS.iter().any(|host| line.match_indices(host).any(|(at, _)| number_behind(at + host.len())));
    let listens = ["listening", "running", "started", "serving", "ready", "available"];
    let port = || {
        ["port", ":"]
            .iter()
            .any(|word| line.match_indices(word).any(|(at, _)| number_behind(at + word.len())))
    };
    host || listens.iter().any(|word| line.contains(word)) && port()
}

/// What a service has written, as far as it matters here.
#[derive(Debug)]
pub(super) struct Heard {
    /// Such a line is waited for.
    wanted: Option<Wanted>,
    found: bool,
    text: String,
    /// The lines of each stream that have no end yet.
    lines: [String; 2],
}

impl Heard {
    pub(super) fn new(ready: &Readiness) -> Self {
        let wanted = match ready {
            Readiness::Line { text } => Some(Wanted::Text(text.clone())),
            Readiness::Address => Some(Wanted::Address),
            Readiness::Port { .. } | Readiness::File { .. } => None,
        };
        Self { wanted, found: false, text: String::new(), lines: Default::default() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the wanted line was found in this.
    fn hear(&mut self, chunks: &[OutputChunk]) -> bool {
        for chunk in chunks {
            let room = KEPT_BYTES.saturating_sub(self.text.len());
            self.text.push_str(&chunk.text[..chunk.text.floor_char_boundary(room)]);
            let Some(wanted) = self.wanted.as_ref().filter(|_| !self.found) else { continue };
            let line = match chunk.stream {
                Stream::Stdout => &mut self.lines[0],
                Stream::Stderr => &mut self.lines[1],
            };
            line.push_str(&chunk.text);
            self.found =
                line.split('\n').any(|line| wanted.is_in(&anstream::adapter::strip_str(line).to_string()));
            let begun = line.rfind('\n').map_or(0, |end| end + 1);
            let begun = begun.max(line.ceil_char_boundary(line.len().saturating_sub(LINE_BYTES)));
            line.drain(..begun);
        }
        self.found
    }
}

/// Hears every line that a service writes, whatever becomes of it on its way to a window.
pub(super) fn listening(heard: watch::Sender<Heard>, mut show: Live) -> Live {
    Box::new(move |chunks| {
        heard.send_if_modified(|heard| !heard.found && heard.hear(&chunks));
        show(chunks);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(chunks: &[(Stream, &str)]) -> bool {
        let mut heard = Heard::new(&Readiness::Line { text: "ready on :80".to_owned() });
        chunks.iter().any(|(stream, text)| {
            heard.hear(&[OutputChunk {
                stream: *stream,
                text: (*text).to_owned(),
                at_millis: 0,
                from_byte: 0,
                bytes: 0,
            }])
        })
    }

    #[test]
    fn a_server_says_where_it_is() {
        for line in [
            "  \u{2192}  Local:   http://localhost:5173/",
            " * Running on http://127.0.0.1:5000",
            "Example app listening on port 3000",
            "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...",
            "Server is listening on :8080",
            "App ready at http://[::1]:4321",
        ] {
            assert!(tells_address(line), "{line}");
        }
        for line in [
            "compiling 12 modules",
            "> vite --port",
            "GET http://example.com/ 200",
            "3 ports are free",
            "listening",
        ] {
            assert!(!tells_address(line), "{line}");
        }
    }

    #[test]
    fn a_line_is_found_however_it_comes() {
        use Stream::{Stderr, Stdout};
        assert!(heard(&[(Stdout, "up\nready on :80 now\n")]));
        assert!(heard(&[(Stdout, "rea"), (Stderr, "noise\n"), (Stdout, "dy on :8"), (Stdout, "0")]));
        assert!(heard(&[(Stderr, "\u{1b}[32mready\u{1b}[0m on \u{1b}[1m:80\u{1b}[0m\n")]));
        let long = "x".repeat(200_000);
        assert!(heard(&[(Stdout, &long), (Stdout, "ready on :80")]));
        assert!(!heard(&[(Stdout, "ready\non :80\n")]));
        assert!(!heard(&[(Stdout, "ready "), (Stderr, "on :80\n")]));
    }

    #[tokio::test]
    async fn what_was_there_before_is_not_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().display().to_string();
        let ready = Readiness::File { path: "made".to_owned() };
        std::fs::write(folder.path().join("made"), "old").unwrap();
        let mut check = Check::before_start(&ready, &cwd).await.unwrap();
        let mut heard = watch::channel(Heard::new(&ready)).1;
        let waited = tokio::time::timeout(Duration::from_millis(250), check.until_ready(&mut heard)).await;
        assert!(waited.is_err() && check.seen().contains("from before"));
        std::fs::remove_file(folder.path().join("made")).unwrap();
        std::fs::write(folder.path().join("made"), "new").unwrap();
        check.until_ready(&mut heard).await;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken = Check::before_start(&Readiness::Port { port }, &cwd).await.unwrap_err();
        assert!(taken.contains(&port.to_string()) && taken.contains("already"));
    }
}
