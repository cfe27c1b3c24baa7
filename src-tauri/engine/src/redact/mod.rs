//! Hides secrets in what commands and tools say, before it is kept, shown, sent to a model or logged: values that are
//! known to be secret, in the forms that programs print them in, and what looks like a key whoever it belongs to.
//! It holds the secrets in memory and never prints them. It never changes what runs: a command, its environment and the
//! shell state stay as they are.

mod forms;
mod log;
mod names;
mod patterns;
mod shapes;
mod stream;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::Regex;

pub use log::{LogWriter, log_panics, log_writer};
pub(crate) use names::looks_secret;
use patterns::Patterns;
pub use stream::RedactedStream;

/// What stands where a secret was.
pub const HIDDEN: &str = "[secret hidden]";

/// Values below this many bytes are not looked for: they would be found in everything.
pub const SHORTEST: usize = 4;

/// The secrets that are known, shared by everything that passes text on. Clones know the same.
#[derive(Clone, Default)]
pub struct Redactor(Arc<Shared>);

struct Shared {
    known: RwLock<Known>,
    /// How many values are known; a stream looks here whether there is more to hide than when it began.
    count: AtomicUsize,
}

struct Known {
    values: BTreeSet<Vec<u8>>,
    /// All of them, and what looks like a key.
    all: Arc<Patterns>,
    /// The known values alone.
    only_known: Arc<Patterns>,
}

impl Default for Shared {
    fn default() -> Self {
        static NOTHING_KNOWN: LazyLock<[Arc<Patterns>; 2]> =
            LazyLock::new(|| [true, false].map(|shapes| Arc::new(Patterns::of(&BTreeSet::new(), shapes))));
        let [all, only_known] = NOTHING_KNOWN.clone();
        let known = Known { values: BTreeSet::new(), all, only_known };
        Self { known: RwLock::new(known), count: AtomicUsize::new(0) }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.0.count.load(Ordering::Acquire))
    }
}

impl Redactor {
    /// From now on this value is hidden, also by streams that have begun. Blanks at its ends do not count; one shorter
    /// than [`SHORTEST`] is not taken.
    pub fn know(&self, value: &str) {
        self.know_all(std::iter::once(value.trim()));
    }

    /// Takes up the values of those variables whose names say that they are secret.
    pub fn know_environment<'a>(&self, variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>) {
        let texts = variables.into_iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        self.know_all(texts.map(|(name, value)| (name, value.trim())).filter_map(secret_value));
    }

    /// Takes up what a command sets variables to, such as `export TOKEN=…`, where the name says that it is secret.
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
        let values = values.filter(|value| value.len() >= SHORTEST).map(str::as_bytes);
        let fresh: Vec<&[u8]> = {
            let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
            values.filter(|value| !known.values.contains(*value)).collect()
        };
        if fresh.is_empty() {
            return;
        }
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        known.values.extend(fresh.into_iter().map(<[u8]>::to_vec));
        known.all = Arc::new(Patterns::of(&known.values, true));
        known.only_known = Arc::new(Patterns::of(&known.values, false));
        self.0.count.store(known.values.len(), Ordering::Release);
    }

    /// A whole text with its secrets hidden.
    pub fn text(&self, text: &str) -> String {
        stream::whole(&self.patterns(), text)
    }

    /// A whole text with only the known values hidden: for words that people write on purpose, which may hold a key that
    /// they mean to give.
    pub fn known_in(&self, text: &str) -> String {
        let only_known = Arc::clone(&self.0.known.read().unwrap_or_else(PoisonError::into_inner).only_known);
        stream::whole(&only_known, text)
    }

    /// For output that comes in pieces.
    pub fn stream(&self) -> RedactedStream {
        RedactedStream::new(self.clone())
    }

    fn patterns(&self) -> Arc<Patterns> {
        Arc::clone(&self.0.known.read().unwrap_or_else(PoisonError::into_inner).all)
    }

    fn count(&self) -> usize {
        self.0.count.load(Ordering::Acquire)
    }
}

fn secret_value<'a>((name, value): (&str, &'a str)) -> Option<&'a str> {
    names::is_worth_hiding(name, value).then_some(value)
}
