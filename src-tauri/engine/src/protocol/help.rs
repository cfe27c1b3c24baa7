//! The page about what can go wrong, and the section of it that a code has. It stands in the programs themselves: whoever needs
//! it may have no network.

use super::ErrorCode;

pub const TROUBLESHOOTING: &str = include_str!("../../../../docs/troubleshooting.md");

/// What the page says about an error's code, or a model's error's; `None` for what is no code.
pub fn about_code(code: &str) -> Option<&'static str> {
    let (_, behind) = TROUBLESHOOTING.split_once(&format!("\n### `{code}`\n"))?;
    let end = behind.find("\n#").unwrap_or(behind.len());
    Some(behind[..end].trim())
}

impl ErrorCode {
    /// As it goes over the wire, and as the page names it.
    pub fn name(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// From the sources, so that a new code without a section is noticed.
    fn codes() -> BTreeSet<String> {
        let (_, variants) = include_str!("error.rs").split_once("pub enum ErrorCode {").unwrap();
        let (variants, _) = variants.split_once('}').unwrap();
        let of_engine = variants
            .lines()
            .map(str::trim)
            .filter(|line| line.ends_with(',') && !line.starts_with('/'))
            .map(|line| kebab(line.trim_end_matches(',')));
        let (_, names) =
            include_str!("../model/error.rs").split_once("pub fn code(&self) -> &'static str {").unwrap();
        let (names, _) = names.split_once("\n    }\n").unwrap();
        let of_models =
            names.split("=> \"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
        let of_turns = [crate::protocol::TurnEnd::REFUSED_AGAIN, crate::protocol::TurnEnd::UNUSABLE_PLAN];
        of_engine.chain(of_models).chain(of_turns.map(str::to_owned)).collect()
    }

    fn kebab(name: &str) -> String {
        let mut out = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() && !out.is_empty() {
                out.push('-');
            }
            out.push(letter.to_ascii_lowercase());
        }
        out
    }

    #[test]
    fn every_code_has_a_section_and_no_section_is_of_a_code_that_is_gone() {
        let codes = codes();
        assert!(codes.contains("no-model") && codes.contains("rate-limit") && codes.len() > 35, "{codes:?}");
        let titles = TROUBLESHOOTING.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
        assert_eq!(titles.map(str::to_owned).collect::<BTreeSet<_>>(), codes);
        for code in &codes {
            let about = about_code(code).unwrap();
            assert!(
                about.len() > 40 && about.ends_with(['.', '`']) && !about.contains("\n#"),
                "{code}: {about}"
            );
        }
        assert_eq!(about_code("no-such-code"), None);
        assert_eq!(ErrorCode::DataFolderReadOnly.name(), "data-folder-read-only");
    }
}
