//! The page about what can go wrong, and the section of it that a code has. It stands in the programs themselves: whoever needs
//! it may have no network.

use serde::Serialize;

use super::{ErrorCode, GoalEnd, GoalPause, PauseReason, StuckReason};

pub const TROUBLESHOOTING: &str = include_str!("../../../../docs/troubleshooting.md");

/// What the page says about the code of an error, of a model's error, or of an end; `None` for what is no code.
pub fn about_code(code: &str) -> Option<&'static str> {
    sections().find(|(codes, _)| codes.contains(&code)).map(|(_, text)| text)
}

/// The sections under codes; one may be about several.
fn sections() -> impl Iterator<Item = (Vec<&'static str>, &'static str)> {
    TROUBLESHOOTING.split("\n### `").skip(1).filter_map(|section| {
        let (codes, text) = section.split_once('\n')?;
        let end = text.find("\n#").unwrap_or(text.len());
        Some((codes.split(['`', ',', ' ']).filter(|code| !code.is_empty()).collect(), text[..end].trim()))
    })
}

/// The name that a value has on the wire, which is its code on the page. Empty for what has none.
fn wire_name(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.get("type").unwrap_or(&value).as_str().unwrap_or_default().to_owned()
}

impl ErrorCode {
    pub fn name(self) -> String {
        wire_name(&self)
    }
}

impl StuckReason {
    pub fn code(&self) -> String {
        wire_name(self)
    }
}

impl PauseReason {
    pub fn code(&self) -> String {
        wire_name(self)
    }
}

impl GoalPause {
    pub fn code(&self) -> String {
        match self {
            Self::ModelFailed { code, .. } => code.clone(),
            _ => wire_name(self),
        }
    }
}

impl GoalEnd {
    pub fn code(&self) -> String {
        wire_name(self)
    }
}

/// Of a run that ends because a step failed.
pub const STEP_FAILED: &str = "step-failed";

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
        of_engine.chain(of_models).chain(of_turns.map(str::to_owned)).chain(of_ends()).collect()
    }

    /// Ends that somebody may want to know more about; a stop by the user and a goal that is reached explain themselves.
    fn of_ends() -> Vec<String> {
        let enums = [
            (include_str!("plan.rs"), "pub enum PauseReason {"),
            (include_str!("plan.rs"), "pub enum StuckReason {"),
            (include_str!("goal_state.rs"), "pub enum GoalPause {"),
            (include_str!("goal_state.rs"), "pub enum GoalEnd {"),
        ];
        let names = enums.into_iter().flat_map(|(source, start)| {
            let (_, variants) = source.split_once(start).unwrap();
            let (variants, _) = variants.split_once("\n}").unwrap();
            let variant = |line: &'static str| {
                let name = line.strip_prefix("    ")?.split([',', ' ', '{']).next()?;
                name.starts_with(|first: char| first.is_ascii_uppercase()).then(|| kebab(name))
            };
            variants.lines().filter_map(variant)
        });
        names
            .filter(|name| !["user", "model-failed", "complete", "cancelled"].contains(&name.as_str()))
            .collect()
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
        let titles: Vec<&str> = sections().flat_map(|(codes, _)| codes).collect();
        assert_eq!(titles.iter().map(|code| (*code).to_owned()).collect::<BTreeSet<_>>(), codes);
        assert_eq!(titles.len(), codes.len(), "a code has two sections");
        for code in &codes {
            let about = about_code(code).unwrap();
            assert!(
                about.len() > 40 && about.ends_with(['.', '`']) && !about.contains("\n#"),
                "{code}: {about}"
            );
        }
        assert_eq!(about_code("no-such-code"), None);
        assert_eq!(ErrorCode::DataFolderReadOnly.name(), "data-folder-read-only");
        assert_eq!(StuckReason::StepRetries { allowed: 3 }.code(), "step-retries");
        assert_eq!(PauseReason::User.code(), "user");
        let failed = GoalPause::ModelFailed { code: "rate-limit".into(), message: String::new() };
        assert_eq!((failed.code(), GoalPause::Unattended.code()), ("rate-limit".into(), "unattended".into()));
        assert_eq!(GoalEnd::Cancelled.code(), "cancelled");
        assert!(codes.contains(STEP_FAILED));
    }
}
