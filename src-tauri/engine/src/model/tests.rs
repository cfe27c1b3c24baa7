use std::time::Duration;

use super::ProviderKind;
use super::error::retry_after;
use super::http::Address;

#[test]
fn addresses_end_in_their_version() {
    let url = |kind, text: &str| Address::new(kind, Some(text)).map(|address| address.join("models")).ok();
    for (kind, text, expected) in [
        (ProviderKind::Local, "http://127.0.0.1:8080", Some("http://127.0.0.1:8080/v1/models")),
        (ProviderKind::Local, "http://127.0.0.1:8080/", Some("http://127.0.0.1:8080/v1/models")),
        (ProviderKind::OpenAi, "https://host/v1/", Some("https://host/v1/models")),
        (
            ProviderKind::OpenAi,
            "https://host/openai/deployments",
            Some("https://host/openai/deployments/models"),
        ),
        (ProviderKind::Anthropic, "https://host", Some("https://host/v1/models")),
        (ProviderKind::Anthropic, "https://host/v1", Some("https://host/v1/models")),
        (ProviderKind::Anthropic, "https://host/anthropic", Some("https://host/anthropic/v1/models")),
        (ProviderKind::OpenAi, "file:///etc/passwd", None),
        (ProviderKind::OpenAi, "", None),
    ] {
        assert_eq!(url(kind, text).as_deref(), expected, "{text}");
    }
}

#[test]
fn only_this_machine_is_this_machine() {
    for (text, here) in [
        ("http://127.0.0.1:1", true),
        ("http://127.9.9.9:1", true),
        ("http://[::1]:1", true),
        ("http://localhost:1", true),
        ("http://localhost.example.com", false),
        ("http://10.0.0.1", false),
        ("https://127.0.0.1.example.com", false),
    ] {
        let address = Address::new(ProviderKind::Local, Some(text)).unwrap();
        assert_eq!(address.is_on_this_machine(), here, "{text}");
    }
}

#[test]
fn an_address_is_printed_without_its_password() {
    let address = Address::new(ProviderKind::Local, Some("https://user:hush@host/v1?key=hush")).unwrap();
    assert!(!format!("{address:?}").contains("hush"));
}

#[test]
fn waits_are_read_in_seconds_and_as_dates() {
    let now: jiff::Timestamp = "2026-11-22T01:00:00Z".parse().unwrap();
    for (text, expected) in [
        ("3", Some(3.0)),
        (" 0.5 ", Some(0.5)),
        ("-1", None),
        ("NaN", None),
        ("soon", None),
        ("Sun, 22 Nov 2026 01:00:30 GMT", Some(30.0)),
        ("Sun, 22 Nov 2026 00:00:00 GMT", Some(0.0)),
    ] {
        assert_eq!(retry_after(text, now), expected.map(Duration::from_secs_f64), "{text}");
    }
}
