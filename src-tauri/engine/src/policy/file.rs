use serde::Deserialize;

use super::rule::{WouldRun, matches_all};
use crate::protocol::{AllowedBy, Approval, GrantRule, Risk, ToolName};

/// What a headless run may be allowed without anybody to ask.
///
/// ```toml
/// approve = "caution"           # a ceiling: "safe", "caution" or "dangerous"; the blocked floor stays
/// [[grants]]
/// program = ["git", "fetch"]    # or: exact = "make install", or: tool = "edit_file"
/// ```
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyFile {
    approve: Option<Ceiling>,
    manual: Manual,
    grants: Vec<FileGrant>,
}

/// What becomes of a step that is done by hand where nobody is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manual {
    #[default]
    Stop,
    Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ceiling {
    Safe,
    Caution,
    Dangerous,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileGrant {
    /// A program and its sub-command, with any arguments that are not dangerous.
    Program(Vec<String>),
    /// One command to the letter, dangerous ones too.
    Exact(String),
    /// Every call of one tool that is not dangerous.
    Tool(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the policy file cannot be used: {0}")]
pub struct PolicyError(String);

impl PolicyFile {
    /// # Errors
    /// When the text is not TOML of this form; unknown keys are refused, so that a misspelt limit is never ignored.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let file: Self =
            toml::from_str(text).map_err(|error| PolicyError(error.to_string().trim().to_owned()))?;
        for grant in &file.grants {
            if let FileGrant::Tool(tool) = grant
                && ToolName::parse(tool).is_none()
            {
                return Err(PolicyError(format!("there is no tool \"{tool}\"")));
            }
        }
        Ok(file)
    }

    /// The same file with another answer to steps that are done by hand.
    #[must_use]
    pub fn with_manual(self, manual: Manual) -> Self {
        Self { manual, ..self }
    }

    pub(crate) fn skips_manual(&self) -> bool {
        self.manual == Manual::Skip
    }

    /// Whether an interrupted command of this risk may be started again with nobody to decide.
    pub fn reaches(&self, risk: Risk) -> bool {
        risk == Risk::Safe || self.approve.is_some_and(|ceiling| risk <= ceiling.into())
    }

    /// What the file says to a question; `None` is a no.
    pub fn answer(&self, approval: &Approval, would_run: &WouldRun) -> Option<AllowedBy> {
        if approval.assessment.risk == Risk::Blocked {
            return None;
        }
        if self.approve.is_some_and(|ceiling| approval.assessment.risk <= ceiling.into()) {
            return Some(AllowedBy::Policy);
        }
        self.grants
            .iter()
            .any(|grant| {
                grant.reaches(approval.assessment.risk)
                    && matches_all(&grant.rule(), &approval.action, would_run)
            })
            .then_some(AllowedBy::Policy)
    }
}

impl FileGrant {
    /// A text says what happens and whoever wrote it down has read it; a beginning of one, or a tool, says too little
    /// to allow what is dangerous.
    fn reaches(&self, risk: Risk) -> bool {
        match self {
            Self::Exact(_) => risk < Risk::Blocked,
            Self::Program(_) | Self::Tool(_) => risk < Risk::Dangerous,
        }
    }

    fn rule(&self) -> GrantRule {
        match self {
            Self::Program(words) => GrantRule::Program { words: words.clone() },
            Self::Exact(command) => GrantRule::Exact { command: command.clone() },
            Self::Tool(tool) => GrantRule::Tool { tool: tool.clone() },
        }
    }
}

impl From<Ceiling> for Risk {
    fn from(ceiling: Ceiling) -> Self {
        match ceiling {
            Ceiling::Safe => Self::Safe,
            Ceiling::Caution => Self::Caution,
            Ceiling::Dangerous => Self::Dangerous,
        }
    }
}
