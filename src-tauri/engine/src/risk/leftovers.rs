//! What programs leave behind and make again, or nobody misses: told by the name that `find` is asked for. Deletes and
//! judges nothing by itself.

use super::args::Parsed;

/// Names of leftovers as people write them for `find -name`.
const NAMES: [&str; 22] = [
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".ipynb_checkpoints",
    ".DS_Store",
    "._.DS_Store",
    "._*",
    "Thumbs.db",
    "*.pyc",
    "*.pyo",
    "*.py[co]",
    "*.o",
    "*.class",
    "*.tmp",
    "*.swp",
    "*.swo",
    "*.orig",
    "*.rej",
    "*~",
    "*.crdownload",
    "*.part",
];

/// The name of leftovers that everything this `find` acts on bears; `None` where it may act on more.
pub(super) fn asked_for<'p>(parsed: &'p Parsed<'_, '_>) -> Option<&'p str> {
    let widens = |text: &str| matches!(text, "-o" | "-or" | "-not" | "!" | "(" | ")" | ",");
    if parsed.given.iter().chain(&parsed.words).any(|arg| arg.known().is_none_or(widens)) {
        return None;
    }
    let at =
        |name: &str| parsed.flags.iter().position(|given| given.flag.names.iter().any(|own| own == name));
    let acts = |name: &str| name == "-delete" || name.starts_with("-exec") || name.starts_with("-ok");
    let first_deed = parsed.flags.iter().position(|given| given.flag.names.iter().any(|own| acts(own)))?;
    // What stands before the name is done to everything.
    let named = at("-name").filter(|named| *named < first_deed)?;
    let name = parsed.flags.get(named)?.value.as_ref()?.known()?;
    NAMES.iter().any(|leftover| *leftover == name).then_some(name)
}
