//! Pages by their address: fetched, told, read and run as files are.

use planwright_tests::site::{Behind, Site};

use crate::{Desk, commands_started};

const DOCUMENT: &str = "<!doctype html><html><head><title>Gizmo | The site</title><style>pre { color: red }</style>\
    <script>document.write('<pre>echo script</pre>')</script></head><body>\
    <header><pre><code class=\"language-sh\">echo header</code></pre></header>\
    <nav><p>Run <code>echo nav</code></p></nav>\
    <div role=\"navigation\"><pre>$ echo menu</pre></div>\
    <aside><pre><code class=\"language-sh\">echo aside</code></pre></aside>\
    <h1>Gizmo</h1><h2>Install</h2><p>Run this:</p>\
    <pre><code class=\"language-sh\">echo page &gt; out</code></pre>\
    <div hidden><pre><code class=\"language-sh\">echo hidden</code></pre></div>\
    <footer><pre><code class=\"language-sh\">echo footer</code></pre></footer></body></html>";

fn site() -> Site {
    Site::open(|path| match path {
        "/page.md" => Behind::page("text/plain; charset=utf-8", "# Tidy\n\n```sh\necho one > out\n```\n"),
        "/short" => Behind::Leads("/page.md".into()),
        "/round" => Behind::Leads("/round".into()),
        "/docs/install" => Behind::page("text/html; charset=utf-8", DOCUMENT),
        "/gizmo.zip" => Behind::page("application/zip", "PK\x03\x04"),
        "/private" => Behind::page(
            "text/html",
            "<html><body><h1>Sign in</h1><form><input name=user><input type=\"password\" name=p></form></body></html>",
        ),
        "/app" => Behind::page("text/html", "<html><body><div id=root></div><p>Loading</p></body></html>"),
        "/endless.md" => Behind::Endless,
        _ => Behind::Status(404),
    })
}

#[test]
fn a_page_is_run_from_its_address() {
    let (desk, site) = (Desk::new(), site());
    let run = desk.call(&["run", &site.at("/page.md"), "--json"]);
    assert_eq!((run.code, desk.lines("out")), (Some(0), 1), "{}", run.all());
    assert_eq!(commands_started(&run.json()), ["echo one > out"]);
    assert!(!run.stderr.contains("led to"), "{}", run.stderr);
}

#[test]
fn where_an_address_led_is_told() {
    let (desk, site) = (Desk::new(), site());
    let import = desk.call(&["import", &site.at("/short"), "--json"]);
    assert_eq!(import.code, Some(0), "{}", import.all());
    assert!(
        import.stderr.contains(&format!("The address led to {}", site.at("/page.md"))),
        "{}",
        import.stderr
    );
    assert_eq!(import.json()[0]["origin"]["name"], site.at("/page.md"));
}

#[test]
fn of_a_site_only_the_page_itself_is_read() {
    let (desk, site) = (Desk::new(), site());
    let run = desk.call(&["run", &site.at("/docs/install"), "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert_eq!(commands_started(&run.json()), ["echo page > out"]);
    assert_eq!(site.asked(), ["/docs/install"], "nothing else is loaded");
}

#[test]
fn what_is_no_page_says_so_and_makes_nothing() {
    let (desk, site) = (Desk::new(), site());
    for (path, code, words) in [
        ("/gone", "page-refused", "has no page at this address"),
        ("/round", "page-led-astray", "in a circle"),
        ("/gizmo.zip", "no-page", "an archive (application/zip), not with a page"),
        ("/private", "no-page", "a form to sign in"),
        ("/app", "no-commands", "a program of the page puts them in"),
        ("/endless.md", "too-large", "larger than 5 MB"),
    ] {
        let call = desk.call(&["run", &site.at(path), "--json"]);
        assert_eq!(call.code, Some(2), "{path}: {}", call.all());
        assert!(call.all().contains(&format!("\"{code}\"")), "{path}: {}", call.all());
        assert!(call.all().contains(words), "{path}: {}", call.all());
    }
    let sessions = desk.call(&["sessions", "--json"]);
    assert_eq!(sessions.stdout, "", "no session was made");
}

#[test]
fn only_addresses_of_the_web_are_taken() {
    let desk = Desk::new();
    let page = desk.page(&["echo one > out"]);
    let credentials = "http://me:sesame@127.0.0.1/page.md".to_owned();
    for (address, words) in [
        (format!("file://{}", page.display()), "it begins with file:"),
        ("ftp://127.0.0.1/page.md".to_owned(), "it begins with ftp:"),
        (credentials, "name or password"),
    ] {
        let call = desk.call(&["run", &address]);
        assert_eq!((call.code, desk.lines("out")), (Some(2), 0), "{address}: {}", call.all());
        assert!(call.stderr.contains(words) && !call.stderr.contains("sesame"), "{}", call.stderr);
    }
}
