use serde::{Deserialize, Serialize};

use super::{Step, StepId};

/// How a page was read, beside the steps that came of it. Bytes are of the page's text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PageReading {
    /// Where each step stands on the page, and the words that decided; those that are left out among them, in the order of
    /// the page.
    pub steps: Vec<StepPlace>,
    pub choices: Vec<PageChoice>,
    /// What is no step, in the order of the page.
    pub left_out: Vec<LeftOut>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct StepPlace {
    pub step_id: StepId,
    /// Its block's place among those of the page.
    pub block: u32,
    pub start: u32,
    pub end: u32,
    pub role: PageRole,
    pub why: String,
}

/// What a block of a page is for; exactly one a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum PageRole {
    Run,
    /// Contents for a file that the page names.
    File,
    /// Done by a person.
    Manual,
    /// Another way is taken.
    Alternative,
    Optional,
    /// Uninstalling, upgrading, trouble, contributing, use.
    Aside,
    OtherSystem,
    /// What is shown after a command.
    Output,
    OtherLanguage,
    Unreadable,
}

/// Ways that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PageChoice {
    pub name: String,
    pub ways: Vec<PageWay>,
    /// Which of the ways is taken, from 0.
    pub chosen: u32,
    /// What decided, for people.
    pub decided: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PageWay {
    pub name: String,
    /// Its commands and contents, as the page shows them.
    pub texts: Vec<String>,
    /// The blocks that it is made of.
    pub blocks: Vec<u32>,
    /// Why it cannot be taken here.
    pub unfit: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// Its place among the blocks of the page; a block has one entry a role.
    pub block: u32,
    pub role: PageRole,
    pub why: String,
    pub text: String,
    pub start: u32,
    pub end: u32,
    /// The step that it would come after; none at the beginning.
    pub after: Option<StepId>,
    /// What it would be when it is taken in; empty where it is nothing to run.
    pub steps: Vec<Step>,
}
