use planwright_shell::Facts;
use serde::Deserialize;

use super::{Bindings, Question, rule};
use crate::protocol::{
    AllowedBy, Approval, Grant, GrantId, GrantLifetime, GrantRule, Proposer, Risk, Time, ToolName,
};

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
    grants: Vec<FileGrant>,
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
    Program(Vec<String>),
    Exact(String),
    /// Every call of one tool; never a dangerous one, for a tool names no place.
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

    /// Whether an interrupted command of this risk may be started again with nobody to decide.
    pub fn reaches(&self, risk: Risk) -> bool {
        risk == Risk::Safe || self.approve.is_some_and(|ceiling| risk <= ceiling.into())
    }

    /// What the file says to a question; `None` is a no.
    pub fn answer(&self, approval: &Approval, facts: &Facts) -> Option<AllowedBy> {
        if approval.assessment.risk == Risk::Blocked {
            return None;
        }
        if self.approve.is_some_and(|ceiling| approval.assessment.risk <= ceiling.into()) {
            return Some(AllowedBy::Policy);
        }
        let question = Question {
            action: &approval.action,
            facts,
            assessment: &approval.assessment,
            proposer: &Proposer::Plan,
            in_confirmed_plan: false,
            grants: &[],
            bindings: &Bindings::default(),
            ask_from: Risk::Caution,
            ask_edits: true,
        };
        self.grants
            .iter()
            .any(|grant| {
                grant.reaches(approval.assessment.risk) && rule::covers(&grant.as_grant(), &question)
            })
            .then_some(AllowedBy::Policy)
    }
}

impl FileGrant {
    fn reaches(&self, risk: Risk) -> bool {
        match self {
            Self::Program(_) | Self::Exact(_) => risk < Risk::Blocked,
            Self::Tool(_) => risk < Risk::Dangerous,
        }
    }

    fn as_grant(&self) -> Grant {
        let rule = match self {
            Self::Program(words) => GrantRule::Program { words: words.clone() },
            Self::Exact(command) => GrantRule::Exact { command: command.clone() },
            Self::Tool(tool) => GrantRule::Tool { tool: tool.clone() },
        };
        Grant {
            id: GrantId::new(),
            allow: true,
            rule,
            lifetime: GrantLifetime::Always,
            bound_to: String::new(),
            created_at: Time::now(),
            last_used_at: None,
            uses: 0,
            expires_at: None,
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
