use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a step's shell leaves to the next one, as in a terminal (E9). Never carried: `BASH_ENV ENV SHELLOPTS BASHOPTS
/// BASH_FUNC_* LD_*`, which would change what bash runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ShellState {
    /// Absolute.
    pub cwd: String,
    /// Exported variables that differ from the engine's own environment; `None` is an unset one.
    pub environment: BTreeMap<String, Option<String>>,
    /// Variables that are set but not exported, each as one `declare` statement that makes it again.
    pub variables: BTreeMap<String, String>,
    /// Functions, each as its full definition.
    pub functions: BTreeMap<String, String>,
    /// What stands for other words where a command begins. The session puts those words there itself, before they are judged.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<String, String>,
    /// Octal, as `022`; empty for the engine's own.
    pub umask: String,
    /// Options that are on (of `set -o` and `shopt`), which a fresh shell has off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The positional parameters (`$1` …).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The folders that `popd` leads back to, the next one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// What is done on a signal, an error or the shell's end, each as one `trap` statement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<String>,
}
