use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::verbs::Verbs;
use crate::protocol::Risk;

/// One program or sub-command.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Entry {
    /// What it does, in words that follow its name: "lists files".
    pub(crate) summary: String,
    /// With no flag that raises it. `safe` only for what only reads.
    pub(crate) risk: Risk,
    #[serde(default)]
    pub(crate) does: Vec<Deed>,
    /// Other names of the same thing.
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    /// What the words mean that are no flags; the last one repeats.
    #[serde(default)]
    pub(crate) args: Vec<Role>,
    /// What the last word means when there are at least two.
    pub(crate) last: Option<Role>,
    /// Risk when there is no such word at all: `git branch` alone only lists.
    pub(crate) bare: Option<Risk>,
    /// So many words still count as none: `git config user.name` only shows.
    #[serde(default)]
    pub(crate) bare_words: usize,
    #[serde(default)]
    pub(crate) flags: Flags,
    #[serde(default)]
    pub(crate) other_flags: OtherFlags,
    /// Its own flags stand before the sub-command only: after it the same letters are the sub-command's.
    #[serde(default)]
    pub(crate) flags_first: bool,
    #[serde(default)]
    pub(crate) sub: BTreeMap<String, Entry>,
    /// Options with which it only tells what it would do.
    #[serde(default)]
    pub(crate) reports: Vec<String>,
    /// Words that decide its risk; where none fits, `risk` holds.
    pub(crate) verbs: Option<Verbs>,
    /// Set when it runs a command that stands in its own words.
    pub(crate) wraps: Option<Wrapper>,
    /// Judged by code of its own besides this data.
    pub(crate) rules: Option<Rules>,
    pub(crate) undo: Option<String>,
    pub(crate) no_undo: Option<String>,
    pub(crate) changes: Option<String>,
    pub(crate) expect: Option<String>,
    /// The Teacher explains the name and its words as one.
    #[serde(default)]
    pub(crate) whole: bool,
}

impl Entry {
    /// The sub-command of this name or alias.
    pub(crate) fn sub_command(&self, name: &str) -> Option<&Entry> {
        self.sub
            .get(name)
            .or_else(|| self.sub.values().find(|sub| sub.aliases.iter().any(|alias| alias == name)))
    }

    /// Meaning of the word number `index` of `count` that are no flags.
    pub(crate) fn role(&self, index: usize, count: usize) -> Role {
        match self.last {
            Some(last) if count > 1 && index + 1 == count => last,
            Some(_) | None => self.args.get(index).or(self.args.last()).copied().unwrap_or(Role::Text),
        }
    }

    /// Whether `words` are so few that it only shows something.
    pub(crate) fn is_bare(&self, words: usize) -> bool {
        self.bare.is_some() && words <= self.bare_words
    }

    pub(crate) fn does(&self, deed: Deed) -> bool {
        self.does.contains(&deed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Deed {
    Reads,
    Writes,
    Deletes,
    Network,
    Installs,
    /// Runs other programs that its words do not show.
    RunsOther,
    Privilege,
    /// Changes the machine beyond files: services, users, packages, the clock.
    System,
}

/// What a word means to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    Text,
    Pattern,
    /// A small program in some language: never understood from here.
    Code,
    Read,
    /// Its name, size and times are shown, or what is in a folder; not what stands in it.
    List,
    Write,
    Create,
    /// Permissions or owner of it are changed.
    Change,
    Delete,
    RemoveEmpty,
    /// Goes away from here.
    Move,
    Command,
    /// A file whose content is run.
    Script,
    Url,
    /// Address of a repository: on this machine or another.
    Remote,
    /// A file here or on another machine.
    Transfer,
    /// Data or `@file` that is sent away.
    Upload,
    Host,
    Package,
    Archive,
}

/// Whether flags that the table does not list can do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OtherFlags {
    #[default]
    Doubtful,
    /// No flag of this program makes it worse than its own risk.
    Harmless,
}

/// Programs that data alone cannot describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rules {
    Rm,
    Ownership,
    Dd,
    Disk,
    Find,
    Sed,
    Awk,
    Tar,
    Git,
    GitConfig,
    Shell,
    Python,
    Script,
    Source,
    Trap,
    Cd,
    Export,
    /// Sets variables to what cannot be known.
    Names,
    Upload,
    /// Reaches another machine with files of this one.
    Far,
    /// Copies to or from a store in a cloud.
    Bucket,
    /// A command for a container of a cluster.
    Cluster,
    Mount,
    Kill,
    Editor,
    /// Text for a database.
    Sql,
    /// Commands for a store of data: its words, or a line each of what comes in.
    Store,
    /// A container that may reach what it is given of this machine.
    Container,
    /// Asks another machine about words of its own.
    Asks,
    /// A text among its flags is a shell's.
    ShellText,
    Alias,
    /// Several words may each stand for a command: `parallel rm ::: a`.
    Parallel,
    /// Packages by name, or by an address or path.
    Packages,
    Set,
    Test,
    Connection,
    Make,
    Move,
    /// Runs a command on each file it finds: `fd -x`.
    Each,
    /// Puts a user into groups.
    Groups,
    /// Ends processes by their names.
    Named,
    /// Makes keys, perhaps over keys that are there.
    KeyFiles,
    /// Opens a protected connection to look at it; what comes in is sent.
    Handshake,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Wrapper {
    /// Words of its own before the command (`timeout 5 …`).
    pub(crate) skip: usize,
    /// `NAME=value` words may stand before the command.
    pub(crate) assignments: bool,
    /// More words come in from elsewhere (`xargs`).
    pub(crate) open: bool,
    /// The words are joined and given to a shell (`watch`).
    pub(crate) shell: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Variable {
    pub(crate) risk: Risk,
    pub(crate) says: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Flag {
    pub(crate) names: Vec<String>,
    pub(crate) says: String,
    pub(crate) value: Takes,
    pub(crate) risk: Option<Risk>,
    pub(crate) does: Vec<Deed>,
    /// Values with which it does no harm.
    pub(crate) tame: Vec<String>,
    /// With it the program does no more than this, whatever its own risk.
    pub(crate) calms: Option<Risk>,
    /// With it the words mean this instead.
    pub(crate) args: Option<Role>,
    /// With it a wrapper opens a shell.
    pub(crate) shell: bool,
    /// With it a wrapper only looks names up.
    pub(crate) only_names: bool,
    /// What takes back what is done with it, instead of what takes back what is done without.
    pub(crate) undo: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Value(Role),
    /// Only when attached: `--color=always`, `-i.bak`.
    Optional(Role),
}

#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, FlagData>")]
pub(crate) struct Flags {
    pub(crate) list: Vec<Flag>,
    by_name: HashMap<String, usize>,
}

impl Flag {
    /// Whether it does no harm with this value: every part of it, `zstd -10`, `127.0.0.1,localhost`.
    pub(crate) fn is_tame(&self, value: &str) -> bool {
        let option = |word: &str| word.starts_with('-') && !word.contains(['/', '=']);
        !self.tame.is_empty()
            && value.split(',').all(|part| {
                let mut words = part.split(' ');
                words.next().is_some_and(|first| self.tame.iter().any(|own| own == first))
                    && words.all(option)
            })
    }
}

impl Flags {
    pub(crate) fn get(&self, name: &str) -> Option<&Flag> {
        self.by_name.get(name).and_then(|&index| self.list.get(index))
    }

    /// Every flag that the abbreviation `prefix` (`--del`) may stand for.
    pub(crate) fn abbreviated<'a, 'b>(
        &'a self,
        prefix: &'b str,
    ) -> impl Iterator<Item = &'a Flag> + use<'a, 'b> {
        self.list.iter().filter(move |flag| flag.names.iter().any(|name| name.starts_with(prefix)))
    }

    /// Whether any flag can do harm that the program itself does not.
    pub(crate) fn any_at_least(&self, risk: Risk) -> bool {
        self.list.iter().any(|flag| flag.risk.is_some_and(|own| own >= risk))
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum FlagData {
    Says(String),
    More(FlagTable),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct FlagTable {
    says: String,
    risk: Option<Risk>,
    #[serde(default)]
    does: Vec<Deed>,
    #[serde(default)]
    tame: Vec<String>,
    calms: Option<Risk>,
    args: Option<Role>,
    #[serde(default)]
    shell: bool,
    #[serde(default)]
    names: bool,
    undo: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum FlagError {
    #[error("flag \"{0}\" has no name")]
    NoName(String),
    #[error("flag \"{0}\" takes a value of an unknown role")]
    Role(String),
    #[error("flag \"{0}\" is there twice")]
    Twice(String),
}

impl TryFrom<BTreeMap<String, FlagData>> for Flags {
    type Error = FlagError;

    /// Keys are names and at the end perhaps the value's role: `-o --output <write>`, `--color <?text>`.
    fn try_from(data: BTreeMap<String, FlagData>) -> Result<Self, FlagError> {
        let mut flags = Self::default();
        for (key, data) in data {
            let table = match data {
                FlagData::Says(says) => FlagTable { says, ..FlagTable::default() },
                FlagData::More(table) => table,
            };
            let (names, roles): (Vec<&str>, Vec<&str>) =
                key.split(' ').partition(|word| !word.starts_with('<'));
            let value = match roles.first() {
                None => Takes::Nothing,
                Some(role) => {
                    let role = role.trim_matches(['<', '>']);
                    let optional = role.strip_prefix('?');
                    let role =
                        role_named(optional.unwrap_or(role)).ok_or_else(|| FlagError::Role(key.clone()))?;
                    if optional.is_some() { Takes::Optional(role) } else { Takes::Value(role) }
                }
            };
            if names.is_empty() || names.iter().any(|name| !name.starts_with('-')) {
                return Err(FlagError::NoName(key));
            }
            for name in &names {
                if flags.by_name.insert((*name).to_owned(), flags.list.len()).is_some() {
                    return Err(FlagError::Twice((*name).to_owned()));
                }
            }
            flags.list.push(Flag {
                names: names.into_iter().map(str::to_owned).collect(),
                says: table.says,
                value,
                risk: table.risk,
                does: table.does,
                tame: table.tame,
                calms: table.calms,
                args: table.args,
                shell: table.shell,
                only_names: table.names,
                undo: table.undo,
            });
        }
        Ok(flags)
    }
}

fn role_named(name: &str) -> Option<Role> {
    Role::deserialize(serde::de::value::StrDeserializer::<serde::de::value::Error>::new(name)).ok()
}
