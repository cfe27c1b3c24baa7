//! Pages by their address: which addresses are taken, where the text behind one is, and fetching it within bounds. One document
//! is fetched and nothing that it names; what it says is read elsewhere.

mod error;
mod fetch;
mod forge;
mod kind;

use std::fmt;

use url::Url;

pub use error::FetchError;
pub use fetch::{FetchLimits, Fetched, fetch};
pub use forge::text_of;
pub use kind::{Contents, contents};

/// Parts of the names of parameters that are keys to a page: they are used, and neither shown nor kept.
const KEYS: &[&str] =
    &["token", "key", "secret", "sig", "signature", "password", "credential", "auth", "code"];

/// An address that may be fetched: http or https, a host, and nobody's password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// # Errors
    /// What keeps the text from being such an address.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let url = Url::parse(text.trim())
            .map_err(|error| FetchError::NoAddress { why: format!("it cannot be read ({error})") })?;
        Self::of(url)
    }

    fn of(mut url: Url) -> Result<Self, FetchError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::NoAddress { why: format!("it begins with {}:", url.scheme()) });
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(FetchError::NoAddress { why: "it names no host".to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::Credentials);
        }
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// Whether a word is meant as an address of any kind, rather than as a file's name.
    pub fn is_meant(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        })
    }

    /// Where a redirect leads.
    ///
    /// # Errors
    /// When it leads to what is no address, or from a secured connection to one that everybody can read and change.
    pub fn led(&self, location: &str) -> Result<Self, FetchError> {
        let to = self
            .0
            .join(location)
            .map_err(|error| FetchError::NoAddress { why: format!("it cannot be read ({error})") })
            .and_then(Self::of)
            .map_err(|error| FetchError::LedAstray { from: self.to_string(), why: error.to_string() })?;
        if self.0.scheme() == "https" && to.0.scheme() == "http" {
            return Err(FetchError::Downgrade { to: to.to_string() });
        }
        Ok(to)
    }

    pub(in crate::address) fn url(&self) -> &Url {
        &self.0
    }

    /// The last part of its path; empty where there is none.
    fn file_name(&self) -> &str {
        self.0.path().rsplit('/').next().unwrap_or_default()
    }

    fn is_on_this_machine(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}

impl fmt::Display for Address {
    /// As it is shown and kept: a key in it is not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(query) = self.0.query() else { return f.write_str(self.0.as_str()) };
        let mut bare = self.0.clone();
        bare.set_query(None);
        f.write_str(bare.as_str())?;
        for (at, pair) in query.split('&').enumerate() {
            f.write_str(if at == 0 { "?" } else { "&" })?;
            match pair.split_once('=') {
                Some((name, _)) if is_key(name) => write!(f, "{name}=…")?,
                _ => f.write_str(pair)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn is_key(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    KEYS.iter().any(|key| name.contains(key))
}
