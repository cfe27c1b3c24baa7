//! Hides secrets in what commands and tools say, before it is kept, shown, sent to a model or logged: values that are
//! known to be secret, in the forms that programs print them in, what looks like a key whoever it belongs to, and in
//! whole texts what stands where commands have their secrets.
//! It holds the secrets in memory and never prints them. It never changes what runs: a command, its environment and the
//! shell state stay as they are.

mod commands;
mod forms;
mod log;
mod names;
mod patterns;
mod shapes;
mod stream;
#[cfg(test)]
mod tests;
mod withheld;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::Regex;
use serde_json::Value;

pub use log::{LogWriter, log_panics, log_writer};
pub(crate) use names::looks_secret;
use patterns::Patterns;
pub use stream::RedactedStream;

/// What stands where a secret was.
pub const HIDDEN: &str = "[secret hidden]";

/// Values below this many bytes are not looked for: they would be found in everything.
pub const SHORTEST: usize = 6;

/// The secrets that are known, shared by everything that passes text on. Clones know the same.
#[derive(Clone, Default)]
pub struct Redactor(Arc<Shared>);

struct Shared {
    known: RwLock<Known>,
    /// How many values are known; a stream looks here whether there is more to hide than when it began.
    count: AtomicUsize,
    /// The forms of those that are to be written nowhere.
    withheld: RwLock<BTreeSet<Vec<u8>>>,
}

struct Known {
    values: BTreeSet<Vec<u8>>,
    /// All of them, and what looks like a key.
    patterns: Arc<Patterns>,
}

impl Default for Shared {
    fn default() -> Self {
        static NOTHING_KNOWN: LazyLock<Arc<Patterns>> =
            LazyLock::new(|| Arc::new(Patterns::of(&BTreeSet::new())));
        let known = Known { values: BTreeSet::new(), patterns: Arc::clone(&NOTHING_KNOWN) };
        Self { known: RwLock::new(known), count: AtomicUsize::new(0), withheld: RwLock::default() }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.0.count.load(Ordering::Acquire))
    }
}

impl Redactor {
    /// From now on this value is hidden, also by streams that have begun. Blanks at its ends do not count; one shorter
    /// than [`SHORTEST`], or that stands for "none", is not taken.
    pub fn know(&self, value: &str) {
        self.know_all(std::iter::once(value.trim()));
    }

    /// Takes up the secrets that stand in a command, behind options and in what it sets variables to.
    pub(crate) fn know_command(&self, command: &str) {
        self.know_assignments(command);
        let places = commands::places(command);
        let words = places.iter().flat_map(|place| {
            // As `-pVALUE`, which is no word of its own where the value is.
            let start = command[..place.start].rfind([' ', '\t', '\n', '"', '\'']).map_or(0, |at| at + 1);
            let attached = command[start..place.start].starts_with('-') && place.start - start <= 3;
            [Some(place.clone()), attached.then_some(start..place.end)]
        });
        self.know_all(words.flatten().map(|place| command[place].trim()));
    }

    /// Takes up the values of those variables whose names say that they are secret.
    pub fn know_environment<'a>(&self, variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>) {
        let texts = variables.into_iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        self.know_all(texts.map(|(name, value)| (name, value.trim())).filter_map(secret_value));
    }

    /// Takes up what a text sets variables to, such as `export TOKEN=…`, where the name says that it is secret.
    pub fn know_assignments(&self, command: &str) {
        static ASSIGNMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r#"\b([A-Za-z_][A-Za-z0-9_]*)=(?:"([^"$`\\]+)"|'([^']+)'|([^\s"'$`\\;&|()<>]+))"#).ok()
        });
        let Some(assignment) = ASSIGNMENT.as_ref().filter(|_| command.contains('=')) else { return };
        let found = assignment.captures_iter(command).filter_map(|found| {
            let value = found.get(2).or(found.get(3)).or(found.get(4))?;
            secret_value((found.get(1)?.as_str(), value.as_str().trim()))
        });
        self.know_all(found);
    }

    fn know_all<'a>(&self, values: impl Iterator<Item = &'a str>) {
        let values =
            values.filter(|value| value.len() >= SHORTEST && !names::is_none(value)).map(str::as_bytes);
        let fresh: Vec<&[u8]> = {
            let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
            values.filter(|value| !known.values.contains(*value)).collect()
        };
        if fresh.is_empty() {
            return;
        }
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        known.values.extend(fresh.into_iter().map(<[u8]>::to_vec));
        known.patterns = Arc::new(Patterns::of(&known.values));
        self.0.count.store(known.values.len(), Ordering::Release);
    }

    /// A whole text with its secrets hidden: the one filter for all that leaves this program.
    pub fn text(&self, text: &str) -> String {
        stream::whole(&self.patterns(), &without(text, &commands::places(text)))
    }

    /// The same of every text in it.
    pub(crate) fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(values) => values.into_iter().map(|value| self.json(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.json(value))).collect()
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    /// For output that comes in pieces.
    pub fn stream(&self) -> RedactedStream {
        RedactedStream::new(self.clone())
    }

    fn patterns(&self) -> Arc<Patterns> {
        Arc::clone(&self.0.known.read().unwrap_or_else(PoisonError::into_inner).patterns)
    }

    fn count(&self) -> usize {
        self.0.count.load(Ordering::Acquire)
    }
}

/// Where secrets stand in a command, whoever knows them: from front to back and apart from each other.
pub(crate) fn secrets_in(command: &str) -> Vec<Range<usize>> {
    let mut places = commands::places(command);
    places.extend(stream::places(&Redactor::default().patterns(), command));
    commands::merged(places).into_iter().filter(|place| command.get(place.clone()).is_some()).collect()
}

/// What somebody proposed who was shown `shown` with its secrets hidden, with them in their places again; `None` where it
/// cannot be told which stands where.
pub(crate) fn put_back(shown: &str, proposed: &str) -> Option<String> {
    let marks = proposed.matches(HIDDEN).count();
    if marks == 0 {
        return Some(proposed.to_owned());
    }
    let mut secrets: Vec<&str> = secrets_in(shown).into_iter().map(|place| &shown[place]).collect();
    if secrets.iter().all(|secret| *secret == secrets[0]) {
        secrets.truncate(1);
    }
    match secrets.as_slice() {
        [only] => Some(proposed.replace(HIDDEN, only)),
        all if all.len() == marks => {
            Some(all.iter().fold(proposed.to_owned(), |text, secret| text.replacen(HIDDEN, secret, 1)))
        }
        _ => None,
    }
}

fn without<'t>(text: &'t str, places: &[Range<usize>]) -> Cow<'t, str> {
    if places.is_empty() {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        shown.push_str(&text[at..place.start]);
        shown.push_str(HIDDEN);
        at = place.end;
    }
    shown.push_str(&text[at..]);
    shown.into()
}

fn secret_value<'a>((name, value): (&str, &'a str)) -> Option<&'a str> {
    names::is_worth_hiding(name, value).then_some(value)
}
