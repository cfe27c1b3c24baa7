//! A site of a test's own: answers by path with whole HTTP responses, byte for byte, from threads.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What stands behind a path.
#[derive(Debug, Clone)]
pub enum Behind {
    Page {
        media_type: &'static str,
        body: Vec<u8>,
    },
    Status(u16),
    /// To another path, or a whole address.
    Leads(String),
    /// A body that never ends.
    Endless,
    /// A body that begins, and then nothing comes.
    Stalls,
}

impl Behind {
    pub fn page(media_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self::Page { media_type, body: body.into() }
    }
}

/// Lives as long as the test's process.
#[derive(Debug, Clone)]
pub struct Site {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    /// # Panics
    /// When no port can be had.
    #[allow(clippy::expect_used)]
    pub fn open(behind: impl Fn(&str) -> Behind + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
        let port = listener.local_addr().expect("a bound port").port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (seen, behind) = (Arc::clone(&asked), Arc::new(behind));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, behind) = (Arc::clone(&seen), Arc::clone(&behind));
                std::thread::spawn(move || {
                    // A client that hangs up is none of this site's trouble.
                    let _ = serve(stream, behind.as_ref(), &seen);
                });
            }
        });
        Self { port, asked }
    }

    pub fn at(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The paths that it was asked for.
    ///
    /// # Panics
    /// When a connection's thread panicked.
    #[allow(clippy::expect_used)]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no thread panics holding it").clone()
    }
}

fn serve(
    mut stream: TcpStream,
    behind: &(impl Fn(&str) -> Behind + ?Sized),
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let answer = behind(&path);
    if let Ok(mut seen) = seen.lock() {
        seen.push(path);
    }
    match answer {
        Behind::Page { media_type, body } => {
            let head = format!("content-type: {media_type}\r\ncontent-length: {}", body.len());
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n{head}\r\n\r\n")?;
            stream.write_all(&body)
        }
        Behind::Status(status) => {
            write!(stream, "HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        }
        Behind::Leads(to) => write!(
            stream,
            "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"
        ),
        Behind::Endless => {
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n")?;
            loop {
                stream.write_all(&[b'a'; 64 << 10])?;
            }
        }
        Behind::Stalls => {
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\necho")?;
            stream.flush()?;
            std::thread::sleep(Duration::from_secs(60));
            Ok(())
        }
    }
}
