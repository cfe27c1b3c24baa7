use serde::{Deserialize, Serialize};

use super::{FileDiff, Step, StepId, Time};

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
    /// What a reader of the page would stumble over, in its order.
    #[serde(default)]
    pub findings: Vec<PageFinding>,
    /// The file that the page is, absolute; none for one that was pasted or fetched.
    #[serde(default)]
    pub path: Option<String>,
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
    /// What the page has there, before anything was filled in or changed; empty for what is no command.
    #[serde(default)]
    pub text: String,
}

/// Something of a page that a reader would stumble over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PageFinding {
    pub kind: PageFindingKind,
    /// Of the page, from 1.
    pub line: u32,
    /// The step that it is about; none where it is no step.
    pub step_id: Option<StepId>,
    /// For people: what it is and what to do.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum PageFindingKind {
    /// A block of commands that cannot be read as shell.
    Unreadable,
    /// A blank that the page nowhere declares.
    UndeclaredInput,
    /// A file that a step needs and that neither is there nor comes about before.
    MissingFile,
    /// A program that this machine lacks and that no step before installs.
    MissingProgram,
    Dangerous,
}

/// A page as it stands beside its plan. Bytes are those of [`StepPlace`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PageView {
    pub parts: Vec<PagePart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PagePart {
    pub kind: PagePartKind,
    /// Of prose one, of a table one a row.
    pub lines: Vec<PageLine>,
    /// Lists that it stands in.
    pub depth: u32,
    /// The number or dot of the list item that begins with it.
    pub mark: Option<String>,
    /// The tab, note or fold that it stands in, where it is the first that does.
    pub label: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum PagePartKind {
    Heading { level: u32 },
    Prose,
    Code,
    Table,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PageLine {
    pub start: u32,
    pub end: u32,
    pub text: String,
}

/// What the run mended, as a change of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PagePatch {
    /// The difference; its path is the page's file, else the page's name.
    pub diff: FileDiff,
    /// Commands of the page that it changes or adds.
    pub changes: u32,
    /// What the run changed and nobody can tell where it belongs on the page.
    pub by_hand: Vec<String>,
    /// The page is a file that the patch can be written to.
    pub is_file: bool,
}

/// The page was changed as its run was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct MendedPage {
    /// What an undo names.
    pub step_id: StepId,
    pub path: String,
    pub changes: u32,
    pub at: Time,
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

impl PageRole {
    /// Whether what has it is to be done.
    pub fn is_taken(self) -> bool {
        match self {
            Self::Run | Self::File | Self::Manual => true,
            Self::Alternative
            | Self::Optional
            | Self::Aside
            | Self::OtherSystem
            | Self::Output
            | Self::OtherLanguage
            | Self::Unreadable => false,
        }
    }
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
