//! Marks inside a paragraph of reStructuredText.

use crate::document::InlineKind;
use crate::spans::{Kind, Notation, Special, address, pair};

/// Roles whose text is typed as it stands.
const CODE_ROLES: &[&str] = &[
    "code", "command", "samp", "kbd", "file", "option", "envvar", "program", "literal", "bash", "sh",
    "shell", "console", "regexp", "mod", "pypi",
];

pub(super) const NOTATION: Notation = Notation {
    pairs: &[pair("``", "``", Kind::Code), pair("**", "**", Kind::Strong), pair("*", "*", Kind::Plain)],
    starts: b"`:|h",
    special,
};

fn special(text: &str) -> Option<Special> {
    if text.starts_with("``") {
        return None;
    }
    if let Some(inner) = text.strip_prefix('`') {
        return ticks(inner, 1, None);
    }
    if let Some(rest) = text.strip_prefix(':') {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "-_:+.".contains(c)))?;
        let role = rest[..end].strip_suffix(':')?;
        let inner = rest[end..].strip_prefix('`')?;
        return ticks(inner, 1 + end + 1, Some(role.rsplit(':').next().unwrap_or(role)));
    }
    if let Some(inner) = text.strip_prefix('|') {
        let end =
            inner.find('|').filter(|end| *end > 0 && *end < 80 && !inner[..*end].contains(['\n', ' ']))?;
        return Some(Special { length: end + 2, shown: 0..end + 2, kind: None });
    }
    let length = address(text)?;
    Some(Special {
        length,
        shown: 0..length,
        kind: Some(InlineKind::Link { target: text[..length].to_owned() }),
    })
}

/// What stands between single backticks: a link, a role's text, or what people who know Markdown mean as code.
fn ticks(inner: &str, before: usize, role: Option<&str>) -> Option<Special> {
    let end = inner.find('`').filter(|end| *end > 0 && *end < 2000)?;
    let (body, behind) = (&inner[..end], &inner[end + 1..]);
    let underscores = behind.len() - behind.trim_start_matches('_').len();
    let target = body.strip_suffix('>').and_then(|body| body.rsplit_once('<'));
    let (label, target) = match target {
        Some((label, target)) if !label.trim().is_empty() => (label.trim_end(), target),
        Some((_, target)) => (target, target),
        None => (body, body),
    };
    let shown = before..before + label.len();
    let shown = if body.starts_with('<') && target.len() == label.len() {
        before + 1..before + 1 + label.len()
    } else {
        shown
    };
    let length = before + end + 1 + underscores;
    let kind = match role {
        Some(role) if CODE_ROLES.contains(&role) => Some(InlineKind::Code),
        Some(_) => None,
        None if underscores > 0 => Some(InlineKind::Link { target: target.to_owned() }),
        None => Some(InlineKind::Code),
    };
    let shown = if matches!(kind, Some(InlineKind::Code)) { before..before + body.len() } else { shown };
    Some(Special { length, shown, kind })
}
