use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What is sent, as fields that are written out already: a long conversation is written once, without being copied into
/// a tree of values before.
#[derive(Debug, Default)]
pub(in crate::model) struct Body(Vec<(&'static str, Box<RawValue>)>);

impl Body {
    /// Adds a field. One that cannot be written is left out: nothing that is put here has maps with keys other than
    /// text, or a way to fail of its own.
    pub(super) fn put(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) {
        self.0.extend(to_raw_value(value).ok().map(|value| (name, value)));
    }

    pub(in crate::model) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| *own == name)
    }

    pub(in crate::model) fn remove(&mut self, name: &str) {
        self.0.retain(|(own, _)| *own != name);
    }
}

impl Serialize for Body {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
