use serde::{Deserialize, Serialize};

/// A part of a command that wants a person at a keyboard, where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct KeyboardNeed {
    pub effect: KeyboardEffect,
    /// The part of the command as written.
    pub fragment: String,
    /// What it wants, without a subject and without a full stop: "opens an editor on the screen".
    pub wants: String,
    /// What to do instead; a whole sentence.
    pub instead: String,
}

/// What comes of such a part when nobody is at the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum KeyboardEffect {
    /// It cannot work, or ends at once having done nothing: it is not started.
    NotStarted,
    /// It asks before each thing it does, and no answer is a no. It runs; when it did ask, that is a failure whatever
    /// its status says.
    AnswersNo,
}
