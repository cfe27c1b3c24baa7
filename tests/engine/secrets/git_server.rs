//! A repository behind a name and a password, over plain HTTP or over TLS with an authority made for it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub(super) struct GitServer {
    address: SocketAddr,
    _repository: tempfile::TempDir,
}

impl GitServer {
    pub(super) fn start(user: &str, password: &str) -> Self {
        let repository = repository();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (root, wanted) = (repository.path().to_owned(), format!("Basic {}", base64(user, password)));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that hangs up is served no further.
                drop(serve(stream, &root, &wanted));
            }
        });
        Self { address, _repository: repository }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/r.git", self.address)
    }
}

/// The same over TLS. Ended when dropped.
pub(super) struct TlsGitServer {
    server: Child,
    port: String,
    folder: tempfile::TempDir,
}

impl TlsGitServer {
    pub(super) fn start(user: &str, password: &str) -> Self {
        let folder = repository();
        // An authority that nobody knows, and a certificate by it for this server.
        let make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem && \
                    openssl req -newkey rsa:2048 -nodes -subj /CN=server -keyout key.pem -out request.pem && \
                    echo subjectAltName=IP:127.0.0.1 > names && openssl x509 -req -in request.pem -CA ca.pem \
                    -CAkey ca.key -CAcreateserial -days 2 -extfile names -out certificate.pem";
        let made = Command::new("sh").args(["-c", make]).current_dir(folder.path()).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/secrets/https_server.py");
        let mut server = Command::new("python3")
            .arg(script)
            .arg(folder.path())
            .args(["certificate.pem", "key.pem"].map(|name| folder.path().join(name)))
            .args([user, password])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { server, port: port.trim().to_owned(), folder }
    }

    pub(super) fn url(&self) -> String {
        format!("https://127.0.0.1:{}/r.git", self.port)
    }

    /// The certificate of its authority.
    pub(super) fn authority(&self) -> String {
        self.folder.path().join("ca.pem").display().to_string()
    }
}

impl Drop for TlsGitServer {
    fn drop(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }
}

fn repository() -> tempfile::TempDir {
    let repository = tempfile::tempdir().unwrap();
    let script = "git init -q -b main w && cd w && echo from the server > file && git add file && \
                  git -c user.name=a -c user.email=a@b commit -qm x && cd .. && git clone -q --bare w r.git && \
                  git -C r.git update-server-info";
    let made = Command::new("sh").args(["-c", script]).current_dir(repository.path()).status().unwrap();
    assert!(made.success());
    repository
}

fn base64(user: &str, password: &str) -> String {
    let mut encode = Command::new("base64");
    encode.arg("-w0").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut encode = encode.spawn().unwrap();
    encode.stdin.take().unwrap().write_all(format!("{user}:{password}").as_bytes()).unwrap();
    String::from_utf8(encode.wait_with_output().unwrap().stdout).unwrap()
}

fn serve(mut stream: TcpStream, root: &Path, wanted: &str) -> std::io::Result<()> {
    let mut path = String::new();
    let mut allowed = false;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some(rest) = line.strip_prefix("GET /") {
            path = rest.split([' ', '?']).next().unwrap_or_default().to_owned();
        }
        allowed |= line
            .split_once(": ")
            .is_some_and(|(name, value)| name.eq_ignore_ascii_case("authorization") && value == wanted);
    }
    let (status, body) = match std::fs::read(root.join(&path)) {
        _ if !allowed => ("401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"test\"", Vec::new()),
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(&body)
}
