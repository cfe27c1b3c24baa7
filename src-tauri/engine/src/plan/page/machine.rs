//! What of the machine decides between the ways that a page shows. Plain data, filled by the engine; the reading itself looks at
//! nothing.

use std::collections::HashSet;

use super::words::{System, words};

/// The machine that a page is read for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// `linux`, `macos`, `windows` …
    pub kernel: String,
    /// `ID` of /etc/os-release.
    pub id: String,
    /// `ID_LIKE` of it.
    pub like: Vec<String>,
    /// `VERSION_ID` of it.
    pub version: String,
    pub codename: String,
    /// For people: "Debian GNU/Linux 12".
    pub name: String,
    /// As Rust names it: `x86_64`, `aarch64` …
    pub arch: String,
    /// Names of the programs on `PATH`.
    pub programs: HashSet<String>,
    pub user: String,
    pub home: String,
}

/// How well what is said of a system fits this machine; a better one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Fit {
    Not,
    /// "Other systems": where nothing better is said.
    Rest,
    /// The right system, another version of it.
    OtherVersion,
    /// A close relative, or the whole family ("Linux").
    Family,
    Exact,
    ExactVersion,
}

impl Machine {
    /// Fills what /etc/os-release says.
    pub fn with_os_release(mut self, text: &str) -> Self {
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = value.trim().trim_matches(['"', '\'']).to_owned();
            match key.trim() {
                "ID" => self.id = value.to_lowercase(),
                "ID_LIKE" => self.like = value.split_whitespace().map(str::to_lowercase).collect(),
                "VERSION_ID" => self.version = value,
                "VERSION_CODENAME" => self.codename = value.to_lowercase(),
                "PRETTY_NAME" => self.name = value,
                _ => {}
            }
        }
        self
    }

    pub fn has(&self, program: &str) -> bool {
        self.programs.contains(program)
    }

    /// The name of its system, for people.
    pub(super) fn named(&self) -> &str {
        if self.name.is_empty() {
            if self.id.is_empty() { &self.kernel } else { &self.id }
        } else {
            &self.name
        }
    }

    pub(super) fn fit(&self, system: &System, version: Option<&str>) -> Fit {
        let is = |ids: &[String]| ids.contains(&self.id);
        if system.other {
            return Fit::Rest;
        }
        if is(&system.is) {
            return match version {
                None => Fit::Exact,
                Some(version) if self.is_version(version) => Fit::ExactVersion,
                Some(_) => Fit::OtherVersion,
            };
        }
        let related = is(&system.family)
            || system.is.iter().any(|id| self.like.contains(id))
            || match system.kernel.as_deref() {
                Some("unix") => self.kernel != "windows",
                Some(kernel) => kernel == self.kernel,
                None => false,
            };
        if related { Fit::Family } else { Fit::Not }
    }

    fn is_version(&self, version: &str) -> bool {
        version == self.codename
            || (!self.version.is_empty()
                && (version == self.version
                    || version.strip_prefix(self.version.as_str()).is_some_and(|rest| rest.starts_with('.'))))
    }

    /// Which system a program belongs to, where it is not this one and the program is not installed here.
    pub(super) fn is_foreign(&self, program: &str) -> Option<&'static str> {
        let unknown = self.id.is_empty() && self.kernel.is_empty();
        if unknown || self.has(program) {
            return None;
        }
        let mut owners = words().foreign.iter().filter(|(_, programs)| programs.contains(program)).peekable();
        let first = owners.peek().map(|(name, _)| name.as_str())?;
        let own = owners.any(|(name, _)| {
            words().systems.iter().any(|system| system.name == *name && self.fit(system, None) > Fit::Rest)
        });
        (!own).then_some(first)
    }
}
