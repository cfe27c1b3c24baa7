//! Values found in a failure, and texts with `{name}` in them that are filled from those values.
//! In commands a value is quoted for the shell; in sentences it stands as it is.

use std::collections::BTreeMap;

use regex::bytes::Regex;

/// What a rule knows about one failure, by name.
#[derive(Debug, Default, Clone)]
pub(super) struct Findings(BTreeMap<String, String>);

impl Findings {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Adds the named groups of the first match; `None` where there is none.
    pub(super) fn take(&mut self, pattern: &Regex, text: &[u8]) -> Option<()> {
        let groups = pattern.captures(text)?;
        for name in pattern.capture_names().flatten() {
            if let Some(value) = groups.name(name) {
                // `path1` is another place where the message may name the `path`.
                let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
                self.set(name, std::str::from_utf8(value.as_bytes()).ok()?);
            }
        }
        Some(())
    }

    /// Fills a sentence for people. `None` when a name has no value.
    pub(super) fn sentence(&self, text: &str) -> Option<String> {
        self.fill(text, |value| value.to_owned())
    }

    /// Fills a piece of shell: `{name}` as one quoted word, `{name:raw}` as it is.
    pub(super) fn shell(&self, text: &str) -> Option<String> {
        self.fill(text, quote)
    }

    fn fill(&self, text: &str, shape: impl Fn(&str) -> String) -> Option<String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let close = open + rest[open..].find('}')?;
            filled.push_str(&rest[..open]);
            let name = &rest[open + 1..close];
            match name.strip_suffix(":raw") {
                Some(name) => filled.push_str(self.get(name)?),
                None => filled.push_str(&shape(self.get(name)?)),
            }
            rest = &rest[close + 1..];
        }
        filled.push_str(rest);
        Some(filled)
    }
}

/// One word for bash that means exactly `text`; left bare where that is safe.
pub(super) fn quote(text: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c) || (!c.is_ascii() && c.is_alphanumeric())
    };
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_quote_and_sentences_do_not() {
        let mut found = Findings::default();
        found.set("path", "my notes/it's");
        assert_eq!(found.shell("mkdir -p {path}").as_deref(), Some(r"mkdir -p 'my notes/it'\''s'"));
        assert_eq!(found.sentence("{path} is missing").as_deref(), Some("my notes/it's is missing"));
        assert_eq!(found.shell("{path:raw}").as_deref(), Some("my notes/it's"));
        assert_eq!(found.shell("{other}"), None);
    }

    #[test]
    fn quoting_stops_expansion() {
        assert_eq!(quote("$(reboot)"), "'$(reboot)'");
        assert_eq!(quote("plain-name.txt"), "plain-name.txt");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("~root"), "'~root'");
    }
}
