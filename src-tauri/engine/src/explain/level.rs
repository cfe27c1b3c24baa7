//! What is known of one program or sub-command, from all sources, in their order: our tables, the machine's own manual.

use std::sync::Arc;

use crate::knowledge::{self, Entry, Kind, Meaning, Opt, Role, Takes, Value};
use crate::manual::{Manuals, Page};
use crate::protocol::MeaningSource;

/// Phrases of the tables of verdicts that say that an option is known to be harmless, and not what it does.
const VAGUE: [&str; 24] = [
    "in this way",
    "in another way",
    "in its own way",
    "in this form",
    "with this",
    "with these",
    "with these settings",
    "with this setting",
    "of this one",
    "of this kind",
    "only these",
    "only some",
    "of these",
    "of this",
    "as this says",
    "in these ways",
    "this one",
    "with more words",
    "chooses what is shown",
    "in this order or form",
    "packages",
    "what the program does is not known",
    "in parts",
    "shown otherwise",
];

/// Words with where they are from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) text: String,
    pub(super) source: MeaningSource,
}

impl Told {
    pub(super) fn table(text: impl Into<String>) -> Self {
        Self { text: text.into(), source: MeaningSource::Tables }
    }
}

/// One option as far as it is known. `told` is empty where only its form is known: that it takes a value.
#[derive(Debug, Clone)]
pub(super) struct FlagFound {
    pub(super) told: Option<Told>,
    pub(super) value: Value,
    pub(super) opt: Option<&'static Opt>,
    /// The words are those of the table of verdicts, which never hold the value.
    pub(super) names_value: bool,
}

#[derive(Debug)]
pub(super) struct Level {
    entry: Option<&'static Entry>,
    /// The table is shared by programs of several names, of which this is not the first: its words may be another's.
    shared: bool,
    meanings: Vec<&'static Meaning>,
    page: Option<Arc<Page>>,
    page_path: String,
}

impl Level {
    /// The program of this name.
    pub(super) fn of_program(name: &str, manuals: &dyn Manuals) -> Self {
        let entry = knowledge::program(name);
        Self {
            entry,
            shared: entry.is_some_and(|entry| entry.aliases.iter().any(|alias| alias == name)),
            meanings: knowledge::meanings(name),
            page: manuals.page(name),
            page_path: name.to_owned(),
        }
    }

    /// Its sub-command of this name, where it has one.
    pub(super) fn sub(&self, name: &str, manuals: &dyn Manuals) -> Option<Self> {
        if name.starts_with('-') || name.is_empty() {
            return None;
        }
        let entry = self.entry.and_then(|entry| entry.sub_command(name));
        let meanings: Vec<&'static Meaning> =
            self.meanings.iter().filter_map(|own| own.sub_command(name)).collect();
        let like = meanings.iter().filter_map(|own| own.like.as_deref()).flat_map(knowledge::meanings_at);
        let meanings: Vec<&'static Meaning> = meanings.iter().copied().chain(like).collect();
        let page_path = format!("{}-{name}", self.page_path);
        // A page alone makes a sub-command only of what takes sub-commands at all.
        let takes_subs = self.entry.is_some_and(|entry| !entry.sub.is_empty())
            || self.meanings.iter().any(|own| !own.sub.is_empty());
        let page = (takes_subs || self.entry.is_none()).then(|| manuals.page(&page_path)).flatten();
        if entry.is_none() && meanings.is_empty() && page.is_none() {
            return None;
        }
        let shared = entry.is_some_and(|entry| entry.aliases.iter().any(|alias| alias == name));
        Some(Self { entry, shared, meanings, page, page_path })
    }

    pub(super) fn is_known(&self) -> bool {
        self.entry.is_some() || !self.meanings.is_empty() || self.page.is_some()
    }

    pub(super) fn summary(&self) -> Option<Told> {
        let own = self.meanings.iter().map(|own| own.says.as_str()).find(|says| !says.is_empty());
        let entry = self.entry.filter(|_| !self.shared).map(|entry| entry.summary.as_str());
        let entry = entry.filter(|summary| !VAGUE.contains(summary));
        if let Some(text) = own.or(entry) {
            return Some(Told::table(text));
        }
        let page = self.page.as_ref()?;
        Some(Told { text: page.summary.clone()?, source: page.source })
    }

    pub(super) fn entry(&self) -> Option<&'static Entry> {
        self.entry
    }

    pub(super) fn meanings(&self) -> &[&'static Meaning] {
        &self.meanings
    }

    /// Its options stand before a sub-command only.
    pub(super) fn flags_first(&self) -> bool {
        self.entry.is_some_and(|entry| entry.flags_first)
    }

    pub(super) fn has_long_dash(&self) -> bool {
        self.meanings.iter().any(|own| own.long_dash)
    }

    pub(super) fn takes_bundle(&self) -> bool {
        self.meanings.iter().any(|own| own.bundle)
    }

    /// From this word on another command stands in its words.
    pub(super) fn inner(&self) -> Option<usize> {
        let own = self.meanings.iter().find_map(|own| own.inner);
        own.or_else(|| self.entry?.wraps.map(|wrapper| wrapper.skip))
    }

    pub(super) fn takes_assignments(&self) -> bool {
        self.entry.is_some_and(|entry| entry.wraps.is_some_and(|wrapper| wrapper.assignments))
    }

    pub(super) fn rest(&self) -> Option<usize> {
        self.meanings.iter().find_map(|own| own.rest)
    }

    /// A word that acts as an option.
    pub(super) fn keyword(&self, name: &str) -> Option<&'static Opt> {
        self.meanings.iter().find_map(|own| own.flags.get(name))
    }

    /// The option of this name (`-x`, `--long`).
    pub(super) fn flag(&self, name: &str) -> Option<FlagFound> {
        if let Some(opt) = self.meanings.iter().find_map(|own| own.flags.get(name)) {
            let told = Some(Told::table(opt.says.clone()));
            return Some(FlagFound { told, value: opt.value.clone(), opt: Some(opt), names_value: true });
        }
        let flag = self.entry.and_then(|entry| entry.flags.get(name));
        let page = self.page.as_ref().and_then(|page| Some((page.option(name)?, page.source)));
        if flag.is_none() && page.is_none() {
            return None;
        }
        let said = flag.map(|flag| flag.says.as_str()).filter(|says| !VAGUE.contains(says) && !self.shared);
        let told = match (said, &page) {
            (Some(says), _) => Some(Told::table(says)),
            (None, Some((option, source))) => {
                Some(Told { text: option.says.clone(), source: *source }).filter(|told| !told.text.is_empty())
            }
            (None, None) => None,
        };
        let value = match (flag, &page) {
            (Some(flag), _) => value_of(flag.value),
            (None, Some((option, _))) => option.value.clone(),
            (None, None) => Value::None,
        };
        Some(FlagFound { told, value, opt: None, names_value: false })
    }
}

fn value_of(takes: Takes) -> Value {
    match takes {
        Takes::Nothing => Value::None,
        Takes::Value(role) => Value::Of(kind_of(role)),
        Takes::Optional(role) => Value::Optional(kind_of(role)),
    }
}

/// How a value of this role is turned into words.
pub(super) fn kind_of(role: Role) -> Kind {
    match role {
        Role::Read
        | Role::List
        | Role::Change
        | Role::Delete
        | Role::RemoveEmpty
        | Role::Move
        | Role::Script
        | Role::Archive => Kind::Path,
        Role::Write | Role::Create => Kind::OutPath,
        Role::Url => Kind::Url,
        Role::Host => Kind::Host,
        Role::Package => Kind::Package,
        Role::Transfer => Kind::RemotePath,
        Role::Text | Role::Pattern | Role::Code | Role::Command | Role::Remote | Role::Upload => Kind::Text,
    }
}
