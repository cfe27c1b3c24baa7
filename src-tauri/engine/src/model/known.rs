//! What is known of models without asking: prices and sizes as their providers publish them, and each provider's usual
//! model. Data only; what is not known is `None`, never guessed.

use std::sync::LazyLock;

use serde::Deserialize;

use super::ProviderKind;
use crate::protocol::Price;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) context_tokens: Option<u32>,
    pub(super) price: Option<Price>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    anthropic: Vec<Model>,
    openai: Vec<Model>,
    moonshot: Vec<Model>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    name: String,
    context: Option<u32>,
    price: Option<Cents>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cents {
    input: u32,
    output: u32,
    cached: u32,
}

fn read() -> Result<Table, toml::de::Error> {
    toml::from_str(include_str!("known.toml"))
}

/// A test reads the table too, so that it is never empty for a reason.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    read().unwrap_or_else(|error| {
        tracing::error!(%error, "the table of models cannot be read");
        Table::default()
    })
});

/// What is known of a model by its name; all `None` for a stranger and for every local one, for a server on this machine
/// may well pass questions on to one that costs.
pub(super) fn known(kind: ProviderKind, name: &str) -> Known {
    let models = match kind {
        ProviderKind::Anthropic => &TABLE.anthropic,
        ProviderKind::OpenAi => &TABLE.openai,
        ProviderKind::Moonshot => &TABLE.moonshot,
        ProviderKind::Local => return Known::default(),
    };
    let fits = |model: &&Model| name.strip_prefix(model.name.as_str()).is_some_and(is_release);
    let found = models.iter().filter(fits).max_by_key(|model| model.name.len());
    found.map_or_else(Known::default, |model| Known {
        context_tokens: model.context,
        price: model.price.map(|cents| Price {
            input_cents: cents.input,
            output_cents: cents.output,
            cached_cents: cents.cached,
        }),
    })
}

/// Whether the rest of a name only says which release of the model it is.
fn is_release(rest: &str) -> bool {
    let date = |text: &str| {
        text.len() >= 4 && text.starts_with("20") && text.chars().all(|c| c.is_ascii_digit() || c == '-')
    };
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|release| release == "latest" || date(release))
}

impl ProviderKind {
    /// The model that a provider is asked for when none is named; `None` for local servers, which offer their own.
    pub fn usual_model(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("gpt-5-mini"),
            Self::Anthropic => Some("claude-sonnet-5-5"),
            Self::Moonshot => Some("kimi-k2.6"),
            Self::Local => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_knows_the_usual_models() {
        let table = read().unwrap();
        assert!(table.anthropic.len() > 5 && table.openai.len() > 5 && table.moonshot.len() > 3);
        for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic, ProviderKind::Moonshot] {
            let known = known(kind, kind.usual_model().unwrap());
            assert!(known.price.is_some() && known.context_tokens.is_some(), "{kind:?}");
        }
    }

    #[test]
    fn the_longest_name_counts_and_only_releases_of_it() {
        let input = |name: &str| known(ProviderKind::OpenAi, name).price.map(|price| price.input_cents);
        assert_eq!(input("gpt-5"), Some(125));
        assert_eq!(input("gpt-5-2025-08-07"), Some(125));
        assert_eq!(input("gpt-5-mini-2025-08-07"), Some(25));
        assert_eq!(input("gpt-4o-latest"), Some(250));
        for stranger in ["gpt-5.9", "gpt-5-huge", "gpt-55", "gpt", "", "my-gpt-5"] {
            assert_eq!(input(stranger), None, "{stranger}");
        }
        let known = known(ProviderKind::Anthropic, "claude-sonnet-4-5-20250929");
        assert_eq!(known.context_tokens, Some(200_000));
        assert_eq!(super::known(ProviderKind::Local, "gpt-5"), Known::default());
    }
}
