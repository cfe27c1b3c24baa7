//! Pages by their address: which are taken, what is read of them, and every way in which there is none.

use std::time::{Duration, Instant};

use planwright_engine::address::{Address, FetchError, FetchLimits, Fetched, contents, fetch, text_of};
use planwright_engine::protocol::{EngineError, ErrorCode};
use planwright_tests::site::{Behind, Site};

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

async fn get(text: &str) -> Result<Fetched, FetchError> {
    fetch(&address(text), &FetchLimits::default()).await
}

/// The code that an error is told with, and its words.
fn told(error: FetchError) -> (ErrorCode, String) {
    let error = EngineError::from(error);
    (error.code, error.message)
}

#[test]
fn what_is_no_address_of_a_page() {
    for (text, words) in [
        ("file:///etc/passwd", "it begins with file:"),
        ("ftp://example.com/page.md", "it begins with ftp:"),
        ("javascript:alert(1)", "it begins with javascript:"),
        ("page.md", "cannot be read"),
        ("https://", "cannot be read"),
        ("https://me:word@example.com/page.md", "name or password"),
        ("https://me@example.com/page.md", "name or password"),
    ] {
        let (code, message) = told(Address::parse(text).unwrap_err());
        assert_eq!(code, ErrorCode::InvalidInput, "{text}");
        assert!(message.contains(words) && !message.contains(":word@"), "{text}: {message}");
    }
    assert!(
        Address::is_meant("https://a.b/c") && Address::is_meant("file:///c") && Address::is_meant("ftp://a")
    );
    assert!(!Address::is_meant("page.md") && !Address::is_meant("a/b://c") && !Address::is_meant("://x"));
}

#[test]
fn keys_in_an_address_are_not_shown() {
    let shown = address("https://example.com/page.md?v=2&token=abc123&X-Signature=def456#top").to_string();
    assert_eq!(shown, "https://example.com/page.md?v=2&token=…&X-Signature=…");
}

#[test]
fn pages_about_files_are_read_as_the_files() {
    for (page, text) in [
        (
            "https://github.com/o/r/blob/main/docs/a.md",
            "https://raw.githubusercontent.com/o/r/main/docs/a.md",
        ),
        ("https://github.com/o/r/blob/v1/a.md?plain=1#L3", "https://raw.githubusercontent.com/o/r/v1/a.md"),
        ("https://github.com/o/r/raw/main/a.sh", "https://raw.githubusercontent.com/o/r/main/a.sh"),
        ("https://github.com/o/r", "https://raw.githubusercontent.com/o/r/HEAD/README.md"),
        ("https://github.com/o/r.git", "https://raw.githubusercontent.com/o/r/HEAD/README.md"),
        ("https://www.github.com/o/r/", "https://raw.githubusercontent.com/o/r/HEAD/README.md"),
        ("https://github.com/o/r/tree/dev", "https://raw.githubusercontent.com/o/r/dev/README.md"),
        ("https://github.com/o/r/tree/dev/docs", "https://raw.githubusercontent.com/o/r/dev/docs/README.md"),
        ("https://gitlab.com/g/s/p/-/blob/main/a.md", "https://gitlab.com/g/s/p/-/raw/main/a.md"),
        (
            "https://git.example.org/g/p/-/blob/main/a.md?ref_type=heads",
            "https://git.example.org/g/p/-/raw/main/a.md",
        ),
        ("https://gist.github.com/me/0a1b2c", "https://gist.github.com/me/0a1b2c/raw"),
    ] {
        assert_eq!(text_of(&address(page))[0].to_string(), text, "{page}");
    }
    for same in [
        "https://github.com/",
        "https://github.com/o",
        "https://github.com/topics/shell",
        "https://github.com/o/r/issues/3",
        "https://github.com/o/r/wiki/Install",
        "https://raw.githubusercontent.com/o/r/main/a.md",
        "https://gitlab.com/g/p",
        "https://example.com/o/r/blob/main/a.md",
    ] {
        assert_eq!(text_of(&address(same)), [address(same)], "{same}");
    }
    assert!(text_of(&address("https://github.com/o/r")).len() > 1, "a README has several names");
}

#[test]
fn a_redirect_never_leaves_a_secured_connection() {
    let secured = address("https://example.com/a/b");
    assert_eq!(secured.led("../c.md").unwrap(), address("https://example.com/c.md"));
    assert_eq!(
        address("http://example.com/a").led("https://example.com/a").unwrap(),
        address("https://example.com/a")
    );
    for to in ["http://example.com/a/b", "//user:word@example.com/x", "file:///etc/passwd", "https://"] {
        let (code, message) = told(secured.led(to).unwrap_err());
        assert_eq!(code, ErrorCode::PageLedAstray, "{to}: {message}");
    }
}

#[test]
fn type_and_bytes_decide_what_a_page_is() {
    let name = |url: &str, kind: &str, bytes: &[u8]| {
        contents(&address(url), kind, bytes).map(|contents| contents.name).map_err(|error| told(error).1)
    };
    for (url, kind, bytes, wanted) in [
        ("https://a.b/docs/install", "text/html", "<!doctype html><p>x", "install.html"),
        ("https://a.b/", "text/html", "<p>x", "page.html"),
        ("https://a.b/setup.php", "text/html", "<p>x", "setup.html"),
        ("https://a.b/setup.php", "text/plain", "echo x", "setup.php"),
        ("https://a.b/install.sh", "text/html", "#!/bin/sh\necho x", "install.sh"),
        ("https://a.b/install.md", "text/html", "<!doctype html><h1>x", "install.html"),
        ("https://a.b/install.md", "text/markdown", "# x", "install.md"),
        ("https://a.b/install", "text/markdown", "# x", "install.md"),
        ("https://a.b/install", "text/plain", "<!DOCTYPE html><h1>x", "install.html"),
        ("https://a.b/install.md", "", "<h1>x</h1>", "install.md"),
        ("https://a.b/run", "application/x-sh", "echo x", "run.sh"),
        ("https://a.b/install.md", "application/octet-stream", "# x", "install.md"),
    ] {
        assert_eq!(name(url, kind, bytes.as_bytes()).as_deref(), Ok(wanted), "{url} {kind}");
    }
    for (kind, bytes, words) in [
        ("application/zip", b"PK\x03\x04".as_slice(), "an archive (application/zip)"),
        ("application/octet-stream", b"\x7fELF\x02", "a program (application/octet-stream)"),
        ("", b"%PDF-1.7", "a PDF document,"),
        ("image/svg+xml", b"<svg>", "an image (image/svg+xml)"),
        ("text/plain", b"\x89PNG\r\n", "an image (text/plain)"),
        ("application/octet-stream", b"ab\0cd", "something that is no text"),
        ("text/html", b" \n", "with nothing"),
    ] {
        let message = name("https://a.b/x.md", kind, bytes).unwrap_err();
        assert!(message.contains(words), "{kind}: {message}");
    }
    assert!(name("https://a.b/x.txt", "text/plain", b"\xff\xfee\0c\0").is_ok(), "wide letters have noughts");
}

#[tokio::test]
async fn redirects_are_followed_and_told() {
    let site = Site::open(|path| match path {
        "/short" => Behind::Leads("/moved".into()),
        "/moved" => Behind::Leads("/page.md".into()),
        _ => Behind::page("text/markdown", "# Page\n"),
    });
    let page = get(&site.at("/short")).await.unwrap();
    assert_eq!(page.address.to_string(), site.at("/page.md"));
    assert_eq!(page.led, [address(&site.at("/moved")), address(&site.at("/page.md"))]);
    let page = get(&site.at("/page.md")).await.unwrap();
    assert_eq!((page.led.len(), page.bytes.as_slice()), (0, b"# Page\n".as_slice()));
}

#[tokio::test]
async fn redirects_that_lead_nowhere_end() {
    let site = Site::open(|path| match path {
        "/round" => Behind::Leads("/about".into()),
        "/about" => Behind::Leads("/round".into()),
        "/file" => Behind::Leads("file:///etc/passwd".into()),
        "/5" => Behind::page("text/markdown", "# Page\n"),
        number => {
            let number: u32 = number.trim_start_matches(['/', '-']).parse().unwrap();
            Behind::Leads(format!("/{}", number + 1))
        }
    });
    for (path, words) in [("/round", "in a circle"), ("/file", "begins with file:"), ("/6", "on and on")] {
        let (code, message) = told(get(&site.at(path)).await.unwrap_err());
        assert_eq!(code, ErrorCode::PageLedAstray, "{path}");
        assert!(message.contains(words), "{path}: {message}");
    }
    assert_eq!(get(&site.at("/0")).await.unwrap().led.len(), 5);
    assert!(site.asked().len() < 20, "{:?}", site.asked());
}

#[tokio::test]
async fn what_the_server_says_is_told() {
    let site = Site::open(|path| match path {
        "/zip" => Behind::page("application/zip", "PK\x03\x04"),
        status => Behind::Status(status.trim_start_matches('/').parse().unwrap()),
    });
    for (path, code, words) in [
        ("/404", ErrorCode::PageRefused, "has no page at this address"),
        ("/403", ErrorCode::PageRefused, "not give this page to everybody"),
        ("/429", ErrorCode::PageRefused, "Wait some minutes"),
        ("/503", ErrorCode::PageRefused, "a fault of its own"),
        ("/304", ErrorCode::PageRefused, "(status 304)"),
        ("/zip", ErrorCode::NoPage, "an archive (application/zip), not with a page"),
    ] {
        let (found, message) = told(get(&site.at(path)).await.unwrap_err());
        assert_eq!(found, code, "{path}: {message}");
        assert!(message.contains(words), "{path}: {message}");
    }
}

#[tokio::test]
async fn a_body_without_end_and_one_that_stalls_are_given_up() {
    let site = Site::open(|path| match path {
        "/endless" => Behind::Endless,
        "/large" => Behind::page("text/plain", vec![b'a'; 3000]),
        _ => Behind::Stalls,
    });
    let limits = FetchLimits { bytes: 1 << 20, whole: Duration::from_secs(30), ..FetchLimits::default() };
    let (code, message) = told(fetch(&address(&site.at("/endless")), &limits).await.unwrap_err());
    assert_eq!(code, ErrorCode::TooLarge, "{message}");
    let limits = FetchLimits { bytes: 2000, ..FetchLimits::default() };
    let large = fetch(&address(&site.at("/large")), &limits).await.unwrap_err();
    assert!(matches!(large, FetchError::TooLarge { .. }), "{large:?}");

    let limits = FetchLimits { whole: Duration::from_millis(300), ..FetchLimits::default() };
    let since = Instant::now();
    let (code, message) = told(fetch(&address(&site.at("/stalls")), &limits).await.unwrap_err());
    assert_eq!(code, ErrorCode::PageUnreachable);
    assert!(message.contains("within 1 seconds") || message.contains("did not send the page"), "{message}");
    assert!(since.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn nobody_there_is_told_apart_from_a_refusal() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (code, message) = told(get(&format!("http://127.0.0.1:{port}/page.md")).await.unwrap_err());
    assert_eq!(code, ErrorCode::PageUnreachable);
    assert!(message.contains("nothing answers there"), "{message}");
    // Ends the same without any network: a name that no host can have.
    let (code, message) = told(get("http://no-such-host.invalid/page.md").await.unwrap_err());
    assert_eq!(code, ErrorCode::PageUnreachable, "{message}");
    // Plain words where a secured connection is asked for.
    let site = Site::open(|_| Behind::page("text/plain", "x"));
    let (code, message) = told(get(&site.at("/").replace("http:", "https:")).await.unwrap_err());
    assert_eq!(code, ErrorCode::PageUnreachable, "{message}");
}
