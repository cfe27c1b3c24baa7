//! Signs that code of a general language does harm, or hides what it does. Data and how it is compared; what follows from a
//! sign is for others to say.

use std::sync::LazyLock;

use serde::Deserialize;

const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/programs/code.json"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sign: Vec<Sign>,
}

/// One entry of the table; its first lines say what each field means.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    any: Vec<String>,
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    languages: Vec<String>,
    #[serde(default)]
    whole: bool,
}

impl Sign {
    fn is_in(&self, language: &str, text: &str) -> bool {
        let here = self.languages.is_empty() || self.languages.iter().any(|own| own == language);
        let found = |word: &String| if self.whole { begins_a_word(word, text) } else { text.contains(word) };
        here && self.any.iter().any(found)
            && (self.with.is_empty() || self.with.iter().any(|word| text.contains(word)))
    }
}

static SIGNS: LazyLock<Result<Table, serde_json::Error>> = LazyLock::new(|| serde_json::from_str(TABLE));

/// Whether code, in small letters, shows a sign of harm. A table that does not parse makes a sign of everything.
pub(crate) fn shows_harm(language: &str, text: &str) -> bool {
    SIGNS.as_ref().map_or(true, |table| table.sign.iter().any(|sign| sign.is_in(language, text)))
}

/// Whether `word` stands in `text` where no letter, digit or `$` goes before it; a word that is a sign may stand anywhere.
fn begins_a_word(word: &str, text: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !word.starts_with(char::is_alphabetic)
            || !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_can_be_read() {
        let table: Table = serde_json::from_str(TABLE).unwrap();
        assert_eq!(table.sign.len(), 15);
        for sign in &table.sign {
            assert!(!sign.any.is_empty(), "{sign:?}");
            for word in sign.any.iter().chain(&sign.with) {
                assert_eq!(*word, word.to_lowercase());
                assert!(word.len() > 1 || word == "`", "{word:?} is found in any code");
            }
        }
    }

    #[test]
    fn signs_count_in_their_language_and_beside_each_other() {
        for (language, text, harm) in [
            ("python", "import shutil; shutil.rmtree(x)", true),
            ("python", "open(x)", false),
            ("python", "open(x, 'w')", true),
            ("python", "urllib.urlopen(x)", true),
            ("python", "print(urllib)", false),
            ("julia", "norm(x)", false),
            ("julia", "rm(x)", true),
            ("python", "rm(x)", false),
            ("perl", "open(f, '>x')", true),
            ("ruby", "file.write('a', 'b')", false),
            ("ruby", "file.write('/a', 'b')", true),
        ] {
            assert_eq!(shows_harm(language, text), harm, "{language}: {text}");
        }
    }
}
