use std::fmt;

use serde::{Deserialize, Serialize};

/// What a plan asks of its user before it runs. A command has it as a shell variable and in no other way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PlanInput {
    /// The shell variable that stands for its value.
    pub name: String,
    /// For people.
    pub label: String,
    /// As the page writes it; empty for one that is declared.
    pub token: String,
    pub kind: InputKind,
    pub required: bool,
    /// It stands where no variable can: the step has to be changed by hand.
    pub by_hand: bool,
    /// The values that there may be; for `Choice` alone.
    #[serde(default)]
    pub choices: Vec<String>,
    /// What this machine offers.
    #[serde(default)]
    pub suggestions: Vec<String>,
    #[serde(default)]
    pub value: Option<InputValue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    #[default]
    Text,
    Secret,
    Path,
    Number,
    Choice,
    /// `yes` or `no`.
    YesNo,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum InputValue {
    Plain {
        text: String,
    },
    /// The program holds it in memory; it is written nowhere.
    Secret,
}

/// A value on its way in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct GivenValue {
    pub name: String,
    /// Empty: it has none any more.
    pub value: String,
}

impl fmt::Debug for GivenValue {
    /// Without the value: it may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenValue").field("name", &self.name).finish_non_exhaustive()
    }
}
