//! Whether `curl` or `wget` only shows what a public page says. Stricter than it need be: an address can carry something
//! away as well, or make the other end do something.

use super::args::Parsed;

/// Options that change neither what is sent nor where the answer goes.
const PLAIN: [&str; 24] = [
    "-f",
    "-s",
    "-S",
    "-L",
    "-I",
    "-i",
    "-v",
    "-m",
    "-w",
    "-4",
    "-6",
    "--connect-timeout",
    "--retry",
    "--compressed",
    "--http1.1",
    "--http2",
    "-N",
    "-#",
    "--tlsv1.2",
    "-q",
    "-nv",
    "--spider",
    "-T",
    "--timeout",
];
/// Parts of an address that are more than a question.
const TELLING: [&str; 24] = [
    "passw",
    "token",
    "secret",
    "apikey",
    "api_key",
    "key=",
    "data=",
    "user=",
    "host=",
    "cmd",
    "exec",
    "exfil",
    "beacon",
    "payload",
    "shell",
    "hook",
    "upload",
    "delete",
    "shutdown",
    "reboot",
    "collab",
    "interact",
    "ngrok",
    "requestbin",
];
/// Last parts of names that only a house or a firm knows, or that hide who answers.
const CLOSED: [&str; 9] = ["local", "internal", "lan", "corp", "intranet", "consul", "home", "onion", "arpa"];

/// Nothing is sent but the question for pages that anyone may see, and nothing is written.
pub(super) fn only_shows(parsed: &Parsed<'_, '_>) -> bool {
    let is_wget = parsed.entry.flags.get("--output-document").is_some();
    let plain = parsed.flags.iter().all(|given| {
        let named = |name: &str| given.flag.names.iter().any(|own| own == name);
        let value = given.value.as_ref().map(|value| value.known());
        let sends_file = !is_wget && (named("-T") || named("-q"));
        if named("-o") || named("--output-document") {
            matches!(value, Some(Some("/dev/null" | "-")))
        } else if named("-H") {
            matches!(value, Some(Some(header)) if header.to_ascii_lowercase().starts_with("accept"))
        } else {
            !sends_file && value != Some(None) && PLAIN.iter().any(|name| named(name))
        }
    });
    let keeps = is_wget && !parsed.has("--output-document") && !parsed.has("--spider");
    plain
        && !keeps
        && parsed.doubtful.is_empty()
        && !parsed.words.is_empty()
        && parsed.words.iter().all(|url| url.known().is_some_and(is_public))
}

/// An address of a named host on the open network that tells it nothing.
fn is_public(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = match lower.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some(_) => return false,
        None => lower.as_str(),
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Some((_, last)) = host.rsplit_once('.') else { return false };
    host.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-')
        && last.chars().all(|c| c.is_ascii_alphabetic())
        && !last.is_empty()
        && !CLOSED.contains(&last)
        && rest.len() <= 160
        && !TELLING.iter().any(|part| rest.contains(part))
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_a_plain_question_to_the_open_network_is_public() {
        for url in ["https://example.org", "wttr.in/Berlin", "https://api.example.org/v1/items?page=2"] {
            assert!(is_public(url), "{url}");
        }
        for url in [
            "http://192.0.2.7/x",
            "localhost:8080",
            "http://vault.internal/v1/kv",
            "file:///etc/passwd",
            "https://u:p@example.org",
            "https://example.org:8443/",
            "https://example.org/?password=x",
            "https://abc.ngrok.io/",
            "ftp://example.org/x",
            "https:///x",
        ] {
            assert!(!is_public(url), "{url}");
        }
    }
}
