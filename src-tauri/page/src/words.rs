//! The few words of markup that several forms share.

/// Kinds of boxes set apart from the text, each with the name it is known by.
const ADMONITIONS: &[(&str, &str)] = &[
    ("abstract", "note"),
    ("admonition", "note"),
    ("attention", "attention"),
    ("bug", "bug"),
    ("callout", "note"),
    ("caution", "caution"),
    ("check", "success"),
    ("danger", "danger"),
    ("error", "error"),
    ("example", "example"),
    ("failure", "error"),
    ("hint", "hint"),
    ("important", "important"),
    ("info", "info"),
    ("note", "note"),
    ("question", "question"),
    ("quote", "quote"),
    ("seealso", "seealso"),
    ("success", "success"),
    ("tip", "tip"),
    ("todo", "todo"),
    ("versionadded", "versionadded"),
    ("versionchanged", "versionchanged"),
    ("deprecated", "deprecated"),
    ("warning", "warning"),
    ("secondary", "note"),
    ("warn", "warning"),
    ("notice", "note"),
];

/// The kind of admonition of that name.
pub(crate) fn admonition(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    ADMONITIONS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}
