//! What the words of a command mean to its program, for the Teacher alone. It lies beside the tables of the verdicts and is
//! never read by them: words can be added here without a verdict changing.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::kind::Kind;

/// A program or sub-command, in words.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Meaning {
    /// What it does, in words that follow its name. Empty: as the table of verdicts has it, or the machine's manual.
    pub(crate) says: String,
    /// Other names of the very same thing.
    pub(crate) same: Vec<String>,
    /// What holds of this program (or of its sub-command: `docker compose`) holds here too.
    pub(crate) like: Option<String>,
    /// What its words mean that are no options, in order.
    pub(crate) args: Vec<Operand>,
    /// What the last word means when there are at least two.
    pub(crate) last: Option<Operand>,
    /// What the word means when it is the only one.
    pub(crate) only: Option<Operand>,
    /// What words behind `--` mean, where that is something else.
    pub(crate) behind: Option<Operand>,
    /// Options, and words that act as options (`from ADDRESS`, `if=FILE`).
    pub(crate) flags: Options,
    pub(crate) sub: BTreeMap<String, Meaning>,
    /// A command that takes back what this one did. See `explain::undo` for what may stand in it.
    pub(crate) undo: Option<String>,
    /// From the word of this number on, another command stands in its words.
    pub(crate) inner: Option<usize>,
    /// From the word of this number on, no word is an option: they are handed on as they stand.
    pub(crate) rest: Option<usize>,
    /// The first word may be letters of options without a dash: `tar xzf`.
    pub(crate) bundle: bool,
    /// Options are words behind one dash, never letters in a bundle: `find -name`.
    pub(crate) long_dash: bool,
}

impl Meaning {
    pub(crate) fn sub_command(&self, name: &str) -> Option<&Meaning> {
        self.sub.get(name).or_else(|| self.sub.values().find(|sub| sub.same.iter().any(|own| own == name)))
    }

    /// What the word number `index` of `count` means; the first `skipped` have been given by options.
    pub(crate) fn operand(&self, index: usize, count: usize, skipped: usize) -> Option<&Operand> {
        let only = self.only.as_ref().filter(|_| count == 1 && skipped == 0);
        only.or_else(|| operand_of(&self.args, self.last.as_ref(), index, count, skipped))
    }
}

pub(crate) fn operand_of<'a>(
    args: &'a [Operand],
    last: Option<&'a Operand>,
    index: usize,
    count: usize,
    skipped: usize,
) -> Option<&'a Operand> {
    if count > 1 && index + 1 == count && last.is_some() {
        return last;
    }
    let repeated = || args.last().filter(|last| last.many);
    args.get(index + skipped).or_else(repeated)
}

/// What a word means: `<mode> {}`, `<path>... deletes this`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Operand {
    pub(crate) kind: Kind,
    /// The following words mean the same.
    pub(crate) many: bool,
    /// `{}` stands for the value in words.
    pub(crate) says: String,
}

impl TryFrom<String> for Operand {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let Some((kind, says)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
            return Ok(Self { kind: Kind::Text, many: false, says: text });
        };
        let (many, says) = match says.strip_prefix("...") {
            Some(says) => (true, says),
            None => (false, says),
        };
        let says = says.trim();
        let says = if says.is_empty() { "{}" } else { says };
        Ok(Self { kind: Kind::named(kind)?, many, says: says.to_owned() })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Opt {
    pub(crate) names: Vec<String>,
    pub(crate) says: String,
    pub(crate) value: Value,
    /// With it the words mean this instead.
    pub(crate) args: Option<Vec<Operand>>,
    /// Its value is what otherwise the first word is: `grep -e PATTERN`.
    pub(crate) takes_place: bool,
    /// What takes back what is done with it; empty when nothing does.
    pub(crate) undo: Option<String>,
    /// It says where something is done, and so holds for what takes it back too: `--user`.
    pub(crate) scope: bool,
    /// What is changed with it that would not be changed without.
    pub(crate) changes: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    None,
    Of(Kind),
    /// Only when attached.
    Optional(Kind),
    /// The next word, unless that is an option.
    Maybe(Kind),
    /// Another command, up to `;` or `+` or the end.
    Command,
    /// A module that is run with all that follows: `python3 -m venv .venv`.
    Module,
}

#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, OptData>")]
pub(crate) struct Options {
    pub(crate) list: Vec<Opt>,
    by_name: HashMap<String, usize>,
}

impl Options {
    /// By its name as written, or with `=` at its end where the value is attached so (`if=`).
    pub(crate) fn get(&self, name: &str) -> Option<&Opt> {
        self.by_name.get(name).and_then(|&index| self.list.get(index))
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OptData {
    Says(String),
    More(OptTable),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OptTable {
    says: String,
    args: Option<Vec<Operand>>,
    #[serde(default)]
    takes_place: bool,
    undo: Option<String>,
    #[serde(default)]
    scope: bool,
    changes: Option<String>,
}

impl TryFrom<BTreeMap<String, OptData>> for Options {
    type Error = String;

    fn try_from(data: BTreeMap<String, OptData>) -> Result<Self, String> {
        let mut options = Self::default();
        for (key, data) in data {
            let table = match data {
                OptData::Says(says) => OptTable { says, ..OptTable::default() },
                OptData::More(table) => table,
            };
            let (names, kinds): (Vec<&str>, Vec<&str>) =
                key.split(' ').partition(|word| !word.starts_with('<'));
            let value = match kinds.as_slice() {
                [] => Value::None,
                [kind] => value_named(kind.trim_matches(['<', '>']))?,
                _ => return Err(format!("\"{key}\" has two kinds of value")),
            };
            for name in &names {
                if options.by_name.insert((*name).to_owned(), options.list.len()).is_some() {
                    return Err(format!("\"{name}\" is there twice"));
                }
            }
            options.list.push(Opt {
                names: names.into_iter().map(str::to_owned).collect(),
                says: table.says,
                value,
                args: table.args,
                takes_place: table.takes_place,
                undo: table.undo,
                scope: table.scope,
                changes: table.changes,
            });
        }
        Ok(options)
    }
}

fn value_named(kind: &str) -> Result<Value, String> {
    Ok(match (kind, kind.strip_prefix('?'), kind.strip_prefix('~')) {
        ("command", ..) => Value::Command,
        ("module", ..) => Value::Module,
        (_, Some(kind), _) => Value::Optional(Kind::named(kind)?),
        (_, None, Some(kind)) => Value::Maybe(Kind::named(kind)?),
        (_, None, None) => Value::Of(Kind::named(kind)?),
    })
}

/// One file per family, as the build made it of the TOML file.
macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/meanings/", $name, ".json"))
    };
}

const FAMILIES: [(&str, &str); 12] = [
    ("files", table!("files")),
    ("text", table!("text")),
    ("archives", table!("archives")),
    ("network", table!("network")),
    ("git", table!("git")),
    ("containers", table!("containers")),
    ("packages", table!("packages")),
    ("system", table!("system")),
    ("code", table!("code")),
    ("databases", table!("databases")),
    ("media", table!("media")),
    ("shell", table!("shell")),
];
const VALUES: &str = table!("values");
const SAFER: &str = table!("safer");

/// A family that does not parse is left out, and its words are not known; a test reads every one.
static MEANINGS: LazyLock<HashMap<String, &'static Meaning>> = LazyLock::new(|| {
    let mut meanings = HashMap::new();
    for (_, text) in FAMILIES {
        let family: BTreeMap<String, Meaning> = serde_json::from_str(text).unwrap_or_default();
        for (name, meaning) in family {
            // It lives as long as the program.
            let meaning: &'static Meaning = Box::leak(Box::new(meaning));
            for same in &meaning.same {
                meanings.insert(same.clone(), meaning);
            }
            meanings.insert(name, meaning);
        }
    }
    meanings
});

type Named = BTreeMap<String, BTreeMap<String, String>>;

static NAMED: LazyLock<Named> = LazyLock::new(|| serde_json::from_str(VALUES).unwrap_or_default());

/// The words of a program: with those that it is like, nearest first. Empty where there are none.
pub(crate) fn meanings(name: &str) -> Vec<&'static Meaning> {
    // `python3.12` is `python3` or `python`.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let versioned = || (stem != name).then(|| MEANINGS.get(stem).copied()).flatten();
    let next = MEANINGS.get(name).copied().or_else(versioned);
    with_likes(next)
}

/// The words of a program or sub-command, as `docker compose`, with those that it is like.
pub(crate) fn meanings_at(path: &str) -> Vec<&'static Meaning> {
    with_likes(by_path(path))
}

fn with_likes(mut next: Option<&'static Meaning>) -> Vec<&'static Meaning> {
    let mut found = Vec::new();
    while let Some(meaning) = next.filter(|_| found.len() < 4) {
        found.push(meaning);
        next = meaning.like.as_deref().and_then(by_path);
    }
    found
}

fn by_path(path: &str) -> Option<&'static Meaning> {
    let mut names = path.split(' ');
    let program = MEANINGS.get(names.next()?).copied()?;
    names.try_fold(program, Meaning::sub_command)
}

/// What a value of this list of named ones stands for.
pub(crate) fn named_value(list: &str, value: &str) -> Option<&'static str> {
    NAMED.get(list)?.get(value).map(String::as_str)
}

#[cfg(test)]
fn is_list(list: &str) -> bool {
    NAMED.contains_key(list)
}

/// When there is a safer way, and which.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Safer {
    /// The program, with its sub-command if it has one: `git push`.
    pub(crate) of: Vec<String>,
    /// All of these options are there; `|` stands between those that mean the same.
    #[serde(default)]
    pub(crate) with: Vec<String>,
    /// Those options have no value.
    #[serde(default)]
    pub(crate) bare: bool,
    /// None of these is there.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// One of its words is one of these; `*` stands for anything at its beginning or end.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Its output goes to one of these.
    #[serde(default)]
    pub(crate) into: Vec<String>,
    pub(crate) why: String,
    /// The command to use instead. See `explain::undo` for what may stand in it.
    pub(crate) instead: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct SaferTable {
    rule: Vec<Safer>,
}

static SAFER_WAYS: LazyLock<SaferTable> = LazyLock::new(|| serde_json::from_str(SAFER).unwrap_or_default());

pub(crate) fn safer_ways() -> &'static [Safer] {
    &SAFER_WAYS.rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_of_meanings_is_well_formed() {
        assert!(serde_json::from_str::<Named>(VALUES).is_ok_and(|lists| !lists.is_empty()));
        let safer: SaferTable = serde_json::from_str(SAFER).unwrap();
        assert!(safer.rule.iter().all(|rule| !rule.why.ends_with('.') && !rule.of.is_empty()));
        let mut seen = BTreeMap::new();
        for (family, text) in FAMILIES {
            let entries: BTreeMap<String, Meaning> =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{family}: {error}"));
            for (name, meaning) in &entries {
                for name in meaning.same.iter().chain([name]) {
                    let twice = seen.insert(name.clone(), family);
                    assert_eq!(twice, None, "{name} is in {family} too");
                }
                check(name, meaning);
            }
        }
    }

    fn check(place: &str, meaning: &Meaning) {
        let like = meaning.like.as_deref();
        assert!(
            like.is_none_or(|like| by_path(like).is_some()),
            "{place} is like {like:?}, which is not there"
        );
        let operands = meaning.args.iter().chain(&meaning.last).chain(&meaning.behind).chain(&meaning.only);
        let operands =
            operands.chain(meaning.flags.list.iter().filter_map(|own| own.args.as_ref()).flatten());
        operands.for_each(|operand| check_kind(place, &operand.kind));
        for own in &meaning.flags.list {
            let whole = format!("{place} {}", own.names.join(" "));
            assert!(!own.says.is_empty() && !own.says.ends_with('.'), "{whole}");
            match &own.value {
                Value::Of(kind) | Value::Optional(kind) | Value::Maybe(kind) => check_kind(&whole, kind),
                Value::None => assert!(!own.says.contains("{}"), "{whole} has no value"),
                Value::Command | Value::Module => {}
            }
        }
        for (name, sub) in &meaning.sub {
            check(&format!("{place} {name}"), sub);
        }
    }

    fn check_kind(place: &str, kind: &Kind) {
        if let Kind::Named(list) = kind {
            assert!(is_list(list), "{place}: no list of values \"{list}\"");
        }
    }

    #[test]
    fn operands_are_read_from_their_short_form() {
        let many = Operand::try_from("<path>... deletes this".to_owned()).unwrap();
        assert_eq!(many, Operand { kind: Kind::Path, many: true, says: "deletes this".into() });
        assert_eq!(Operand::try_from("<mode>".to_owned()).unwrap().says, "{}");
        assert!(Operand::try_from("<Mo de> x".to_owned()).is_err());
    }
}
