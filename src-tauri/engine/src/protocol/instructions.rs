use serde::{Deserialize, Serialize};

/// What the files of one folder say about how to work there (`AGENTS.md` and the like), for models. It grants nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Instructions {
    /// Absolute.
    pub folder: String,
    pub files: Vec<InstructionFile>,
    /// Stands for all of their text: another text is another question.
    pub digest: String,
    /// They were answered for before, when they said something else.
    pub changed: bool,
    pub reading: InstructionsUse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct InstructionFile {
    pub name: String,
    /// What a model is told of it: secrets hidden, its beginning where it is long.
    pub text: String,
    /// How long it is altogether.
    pub bytes: u32,
    /// It is longer than what is told of it.
    #[serde(default)]
    pub cut: bool,
}

/// Whether a folder's instructions are read to models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum InstructionsUse {
    /// The user has not said yet; nothing is asked of a model meanwhile.
    Asked,
    Read,
    Left,
}

/// Whether the user is asked about instructions that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum InstructionsRule {
    /// Once for each folder and text. With nobody to ask they are left.
    #[default]
    Ask,
    Always,
    Never,
}
