//! Phrases of the word tables: words in a row that are looked for in a sentence, with a little slack. Knows no language; the
//! tables do.

use std::collections::HashMap;
use std::ops::Range;

/// A text as words in small letters, each with its place.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    words: Vec<(String, Range<usize>)>,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = Vec::new();
        let mut start = None;
        for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
            let inside = letter.is_alphanumeric()
                || matches!(letter, '\'' | '’' | '-' | '_' | '+' | '.' | '/' | '&' | '#' | '*' | '@');
            match (start, inside) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    push(&mut words, text, from..at);
                    start = None;
                }
                (None, false) | (Some(_), true) => {}
            }
        }
        Self { words }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn get(&self, place: usize) -> Option<&str> {
        self.words.get(place).map(|(word, _)| word.as_str())
    }

    pub(super) fn range(&self, words: &Range<usize>) -> Range<usize> {
        let start = self.words.get(words.start).map_or(0, |(_, range)| range.start);
        let end = words
            .end
            .checked_sub(1)
            .and_then(|last| self.words.get(last))
            .map_or(start, |(_, range)| range.end);
        start..end.max(start)
    }
}

fn push(words: &mut Vec<(String, Range<usize>)>, text: &str, range: Range<usize>) {
    let word = &text[range.clone()];
    // A full stop or a mark at the end is not of the word; one inside is ("cmd.exe", "f.a.q").
    let kept = word
        .trim_end_matches(['.', '\'', '’', '*', '-', '/', '#', '_'])
        .trim_start_matches(['\'', '’', '*', '_', '#']);
    if kept.is_empty() {
        return;
    }
    let start = range.start + (kept.as_ptr() as usize - word.as_ptr() as usize);
    let small =
        if kept.is_ascii() { kept.to_ascii_lowercase() } else { kept.to_lowercase().replace('’', "'") };
    words.push((small, start..start + kept.len()));
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Begins(String),
    Any,
    /// Up to four words.
    Gap,
    Start,
    End,
}

/// One phrase of a table.
#[derive(Debug, Clone)]
pub(super) struct Phrase {
    tokens: Vec<Token>,
}

impl Phrase {
    pub(super) fn parse(text: &str) -> Self {
        let tokens = text
            .split_whitespace()
            .map(|word| match word {
                "^" => Token::Start,
                "$" => Token::End,
                "_" => Token::Any,
                ".." => Token::Gap,
                "*" => Token::Begins(String::new()),
                _ => match word.strip_suffix('*') {
                    Some(stem) => Token::Begins(stem.to_lowercase()),
                    None => Token::Word(word.trim_end_matches(',').to_lowercase()),
                },
            })
            .collect();
        Self { tokens }
    }

    /// The first words of the sentence that the phrase fits.
    pub(super) fn find(&self, words: &Words) -> Option<Range<usize>> {
        (0..words.len()).find_map(|start| fit(&self.tokens, words, start).map(|end| start..end))
    }
}

fn fit(tokens: &[Token], words: &Words, place: usize) -> Option<usize> {
    let Some((token, rest)) = tokens.split_first() else { return Some(place) };
    match token {
        Token::Start => (place == 0).then(|| fit(rest, words, place)).flatten(),
        Token::End => (place == words.len()).then(|| fit(rest, words, place)).flatten(),
        Token::Gap => (0..=4)
            .find_map(|skipped| fit(rest, words, place + skipped).filter(|_| place + skipped <= words.len())),
        Token::Any => words.get(place).and_then(|_| fit(rest, words, place + 1)),
        Token::Word(wanted) => {
            words.get(place).filter(|word| word == wanted).and_then(|_| fit(rest, words, place + 1))
        }
        Token::Begins(stem) => words
            .get(place)
            .filter(|word| word.starts_with(stem.as_str()))
            .and_then(|_| fit(rest, words, place + 1)),
    }
}

/// Phrases of one kind, by the word that they begin with, so that most are never looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct Phrases {
    all: Vec<Phrase>,
    by_word: HashMap<String, Vec<usize>>,
    /// Those that begin with no word of their own.
    open: Vec<usize>,
}

impl Phrases {
    pub(super) fn of(texts: &[String]) -> Self {
        let mut phrases = Self::default();
        for (place, text) in texts.iter().enumerate() {
            let phrase = Phrase::parse(text);
            match phrase.tokens.as_slice() {
                [Token::Word(word), ..] | [Token::Start, Token::Word(word), ..] => {
                    phrases.by_word.entry(word.clone()).or_default().push(place);
                }
                _ => phrases.open.push(place),
            }
            phrases.all.push(phrase);
        }
        phrases
    }

    /// What of `text` the earliest phrase that fits fits, as it is written there.
    pub(super) fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.find_in(text, &Words::of(text))
    }

    pub(super) fn find_in<'t>(&self, text: &'t str, words: &Words) -> Option<&'t str> {
        let begun = words.words.iter().filter_map(|(word, _)| self.by_word.get(word)).flatten();
        let mut candidates: Vec<usize> = self.open.iter().chain(begun).copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let found = candidates.into_iter().find_map(|place| self.all.get(place)?.find(words))?;
        text.get(words.range(&found))
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(phrase: &str, text: &str) -> bool {
        Phrases::of(&[phrase.to_owned()]).is_in(text)
    }

    #[test]
    fn phrases_fit_whole_words_with_slack_only_where_they_say_so() {
        for (phrase, text) in [
            ("uninstall*", "Uninstalling the thing"),
            ("if .. error*", "If you get some errors, run"),
            ("^ or", "Or, with yarn:"),
            ("alternatives $", "The alternatives"),
            ("don't", "if you don’t"),
            ("cmd.exe", "in cmd.exe."),
            ("_ users", "Windows users"),
        ] {
            assert!(finds(phrase, text), "{phrase} / {text}");
        }
        for (phrase, text) in [
            ("mac", "machine"),
            ("^ or", "this or that"),
            ("if .. error*", "if a b c d e errors"),
            ("update", "updates"),
            ("alternatives $", "alternatives to it"),
        ] {
            assert!(!finds(phrase, text), "{phrase} / {text}");
        }
    }

    #[test]
    fn what_fits_is_returned_as_it_is_written() {
        let found = Phrases::of(&["you should see".to_owned()]);
        assert_eq!(found.find("Now You  should see: x"), Some("You  should see"));
    }
}
