//! What the machine itself says of a program: its man pages, and the completion files of fish, which describe options. They are
//! only read, never run: `--help` would have to be, and the sandbox shows files, not what is printed.

mod disk;
mod fish;
mod roff;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub(crate) use disk::DiskManuals;

use crate::knowledge::{Kind, Value};
use crate::protocol::MeaningSource;

/// Where pages come from; a test gives its own folders.
pub(crate) trait Manuals: std::fmt::Debug {
    /// The page of this name: `ls`, or `git-commit` for a sub-command.
    fn page(&self, name: &str) -> Option<Arc<Page>>;
}

/// One page as far as it helps here.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// What the program does, as the page's first line says.
    pub(crate) summary: Option<String>,
    pub(crate) source: MeaningSource,
    options: HashMap<String, PageOption>,
    /// What it lists in a section of commands.
    commands: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageOption {
    /// The first sentence on it. Empty where there is none.
    pub(crate) says: String,
    pub(crate) value: Value,
}

impl Page {
    fn new(source: MeaningSource) -> Self {
        Self { summary: None, source, options: HashMap::new(), commands: BTreeSet::new() }
    }

    pub(crate) fn option(&self, name: &str) -> Option<&PageOption> {
        self.options.get(name)
    }

    /// Every option and every command that it names.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.options.keys().chain(&self.commands).map(String::as_str)
    }

    /// Notes the command that `tag` begins with: `list-units [PATTERN…]`, `cargo-build(1)`.
    fn note_command(&mut self, program: &str, tag: &str) {
        let Some(first) = tag.split([' ', ',', '(', '[', '<']).next() else { return };
        let first = first.strip_prefix(program).and_then(|rest| rest.strip_prefix('-')).unwrap_or(first);
        let is_word = first.len() > 1
            && first.starts_with(|c: char| c.is_ascii_lowercase())
            && first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_:".contains(c));
        // A paragraph that begins with a small letter is no entry.
        if is_word && tag.split_whitespace().count() <= 8 {
            self.commands.insert(first.to_owned());
        }
    }

    /// Notes the options that `tag` names: `-o FILE, --output=FILE`. What is said of one first holds.
    fn note(&mut self, tag: &str, says: &str) {
        let forms: Vec<(Vec<String>, Form)> = forms(tag).collect();
        let form = forms.iter().map(|(_, form)| *form).max().unwrap_or(Form::Alone);
        let value = match form {
            Form::Alone => Value::None,
            Form::Optional => Value::Optional(Kind::Text),
            Form::Value => Value::Of(Kind::Text),
        };
        for name in forms.into_iter().flat_map(|(names, _)| names) {
            let option = PageOption { says: sentence(says), value: value.clone() };
            self.options.entry(name).or_insert(option);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Alone,
    Optional,
    Value,
}

/// Every option of a tag: `-b, --bytes=SIZE`, `--[no-]status`, `--color[=WHEN]`.
fn forms(tag: &str) -> impl Iterator<Item = (Vec<String>, Form)> + '_ {
    let pieces = tag.split([',', '|']).flat_map(|piece| piece.split(" or "));
    let pieces =
        pieces.flat_map(|piece| piece.split(" / ")).map(|piece| piece.trim().trim_end_matches([':', '.']));
    pieces.filter(|piece| piece.starts_with('-') && piece.len() > 1).filter_map(|piece| {
        let (no, piece) = match piece.split_once("[no-]").or_else(|| piece.split_once("[no]")) {
            Some((dashes, rest)) if dashes.trim_matches('-').is_empty() => {
                (Some(if piece.contains("[no-]") { "no-" } else { "no" }), format!("{dashes}{rest}"))
            }
            _ => (None, piece.to_owned()),
        };
        let end = piece.find(['=', '[', '<', ' ', '\t', '(', '{', '"']).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_+.?#@:".contains(c));
        if !plain || name.trim_matches('-').is_empty() {
            return None;
        }
        let mut names = vec![name.to_owned()];
        let bare = name.trim_start_matches('-');
        names.extend(no.map(|no| format!("{}{no}{bare}", &name[..name.len() - bare.len()])));
        Some((names, form(rest)))
    })
}

/// Whether what stands behind an option's name is a value.
fn form(rest: &str) -> Form {
    let words = rest.split_whitespace().count();
    match rest.trim() {
        "" => Form::Alone,
        text if text.starts_with('[') => Form::Optional,
        text if text.starts_with('=') || text.starts_with('<') => Form::Value,
        _ if words <= 2 => Form::Value,
        _ => Form::Alone,
    }
}

/// The longest that is shown of a page, in characters.
const SHOWN: usize = 160;

/// The first sentence, cut where it is long.
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.match_indices(". ").map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).unwrap_or_default();
        let abbreviation = ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|own| before.ends_with(own));
        let next = text.get(at + 2..).and_then(|rest| rest.chars().next());
        !abbreviation && next.is_some_and(|c| c.is_uppercase() || !c.is_alphabetic())
    });
    let first = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let first = first.trim_end_matches([':', ';', ' ']);
    // "entries starting with ." keeps its dot.
    let first = first.strip_suffix('.').filter(|rest| !rest.ends_with(' ')).unwrap_or(first);
    if first.chars().count() <= SHOWN {
        return first.to_owned();
    }
    let cut: String = first.chars().take(SHOWN).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", whole.trim_end_matches([',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_tag() {
        let all = |tag| forms(tag).collect::<Vec<_>>();
        assert_eq!(
            all("-b, --bytes=SIZE"),
            [(vec!["-b".to_owned()], Form::Alone), (vec!["--bytes".to_owned()], Form::Value)]
        );
        assert_eq!(all("--color[=WHEN]"), [(vec!["--color".to_owned()], Form::Optional)]);
        assert_eq!(
            all("--[no-]status"),
            [(vec!["--status".to_owned(), "--no-status".to_owned()], Form::Alone)]
        );
        assert_eq!(all("-[no]header"), [(vec!["-header".to_owned(), "-noheader".to_owned()], Form::Alone)]);
        assert_eq!(all("-m <msg>"), [(vec!["-m".to_owned()], Form::Value)]);
        assert_eq!(all("file"), []);
    }

    #[test]
    fn one_sentence_is_kept() {
        assert_eq!(sentence("Shows e.g. This and\nthat. Then more."), "Shows e.g. This and that");
        assert!(sentence(&"word ".repeat(80)).ends_with("word…"));
    }
}
