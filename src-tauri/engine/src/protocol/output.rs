use serde::{Deserialize, Serialize};

/// A part of an attempt's output, in rows: lines, and of one that is very long its pieces. A line that was written over
/// is as it became.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OutputRows {
    /// The number of the first of `rows`.
    pub from: u32,
    /// ANSI kept, without the line's end.
    pub rows: Vec<String>,
    /// All rows there are now.
    pub total: u32,
}

/// What to look for in an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OutputQuery {
    /// As it is, no pattern.
    pub text: String,
    pub match_case: bool,
}

/// Where a text stands in an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OutputMatches {
    /// The row of each place, in order; one that holds several is named as often. The first 10 000.
    pub rows: Vec<u32>,
    /// All places.
    pub total: u32,
}
