//! English as far as the detection needs it: sentences and clauses, who is asking, and the forms of a verb.

use std::collections::BTreeSet;

/// A word in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// Tells or orders.
    Says,
    /// Asks for an answer, not for work.
    Asks,
}

#[derive(Debug)]
pub(super) struct Sentence {
    pub(super) tone: Tone,
    pub(super) words: Vec<Word>,
    /// Its clauses without the courtesies before their verbs; none in a question.
    pub(super) clauses: Vec<Vec<Word>>,
}

/// How a verb stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Also with an "s" or "ing".
    Base,
    /// With "ed".
    Past,
}

/// What may stand before an order without changing it.
const COURTESIES: &str = "please kindly hey hi hello ok okay so now then also first next finally afterwards just lets let's \
    and or again lastly quickly second third";
/// Longer ones: what is asked politely is an order.
const WISHES: [&[&str]; 25] = [
    &["can", "you"],
    &["could", "you"],
    &["would", "you"],
    &["will", "you"],
    &["can", "we"],
    &["could", "we"],
    &["i", "want", "you", "to"],
    &["i", "want", "to"],
    &["i", "need", "you", "to"],
    &["i", "need", "to"],
    &["i'd", "like", "you", "to"],
    &["i'd", "like", "to"],
    &["i", "would", "like", "you", "to"],
    &["i", "would", "like", "to"],
    &["we", "need", "to"],
    &["we", "want", "to"],
    &["we", "should"],
    &["you", "should"],
    &["help", "me", "to"],
    &["help", "me"],
    &["after", "that"],
    &["go", "ahead"],
    &["try", "to"],
    &["make", "sure", "to"],
    &["would", "you", "mind"],
];
/// Begin a sentence that wants to know.
const QUESTIONS: &str = "what what's whats why how how's when where where's which who who's whose is are was were do does did \
    has have had should would could can will may might am isn't aren't doesn't didn't explain describe \
    tell show compare summarise summarize";
/// A verb after one of these is no order: "the fix", "npm install", "do not move", "how to install".
const UNWANTED_AFTER: &str = "the a an this that these those my our your its his her their no not don't dont never without can't \
    cannot won't doesn't didn't couldn't npm pnpm yarn pip pip3 cargo apt apt-get dnf brew go gem make \
    git bundle composer poetry port last of";

/// Whether a word is in a list of words with one space between them.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Sentences end at a full stop, a question or exclamation mark, or a line's end. Text in backticks is left out: it is
/// code that is talked about.
pub(super) fn sentences(message: &str) -> Vec<Sentence> {
    let plain = without_code(message);
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut letters = plain.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let ends = match letter {
            '\n' | '?' | '!' => true,
            // Not the one in a file's name or a number.
            '.' => letters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            sentences.extend(sentence(&plain[start..at], letter == '?'));
            start = at + letter.len_utf8();
        }
    }
    sentences.extend(sentence(&plain[start..], false));
    sentences
}

fn sentence(text: &str, has_mark: bool) -> Option<Sentence> {
    let words = words(text);
    if words.is_empty() {
        return None;
    }
    let (order, was_polite) = without_courtesy(&words);
    let begins_as_question = order.first().is_some_and(|word| has(QUESTIONS, &word.text));
    let wants_to_know = ["know", "understand", "ask", "see"];
    let asks = match order.first() {
        None => has_mark,
        Some(first) if was_polite => begins_as_question || wants_to_know.contains(&first.text.as_str()),
        Some(_) => begins_as_question || has_mark,
    };
    if asks {
        return Some(Sentence { tone: Tone::Asks, words, clauses: Vec::new() });
    }
    let clauses = clauses(text).iter().map(|clause| without_courtesy(clause).0.to_vec()).collect();
    Some(Sentence { tone: Tone::Says, words, clauses })
}

/// Parts of a sentence between commas, semicolons, "and" and "then".
fn clauses(text: &str) -> Vec<Vec<Word>> {
    let mut clauses = Vec::new();
    for part in text.split([',', ';', ':']) {
        let words = words(part);
        let parts = words.split(|word| ["and", "then", "&"].contains(&word.text.as_str()));
        clauses.extend(parts.filter(|part| !part.is_empty()).map(<[Word]>::to_vec));
    }
    clauses
}

fn words(text: &str) -> Vec<Word> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '.' | '/' | '&');
    text.split(|c: char| !is_part(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '&'))
        .filter(|word| !word.is_empty())
        // The number of a line in a list.
        .filter(|word| !word.chars().all(|c| c.is_ascii_digit()))
        .map(|word| Word { text: word.to_lowercase().replace('’', "'") })
        .collect()
}

/// What is left when greetings and polite turns at the beginning are taken off, and whether one of the latter was.
fn without_courtesy(words: &[Word]) -> (&[Word], bool) {
    let (mut rest, mut was_polite) = (words, false);
    loop {
        let wish = WISHES.iter().find(|wish| {
            rest.len() >= wish.len() && wish.iter().zip(rest).all(|(wanted, word)| word.text == **wanted)
        });
        if let Some(wish) = wish {
            (rest, was_polite) = (&rest[wish.len()..], true);
        } else if rest.first().is_some_and(|word| has(COURTESIES, &word.text)) {
            rest = &rest[1..];
        } else {
            return (rest, was_polite);
        }
    }
}

/// Whether a verb in this form, after these words, is something that is to be done.
pub(super) fn is_wanted(form: Form, earlier: &[Word]) -> bool {
    let before = earlier.last().map(|word| word.text.as_str());
    match form {
        Form::Base => {
            let asks_how = earlier.len() > 1
                && before == Some("to")
                && ["how", "where", "when"].contains(&earlier[earlier.len() - 2].text.as_str());
            !asks_how && before.is_none_or(|before| !has(UNWANTED_AFTER, before))
        }
        // "It was moved" is told; "it must be moved" is wanted.
        Form::Past => before == Some("be") || before == Some("get"),
    }
}

/// Whether `word` is `verb`, whole, in one of its forms.
pub(super) fn form_of(word: &str, verb: &str) -> Option<Form> {
    if (word, verb) == ("rewritten", "rewrite") {
        return Some(Form::Past);
    }
    let rest = match word.strip_prefix(verb) {
        Some("" | "s" | "es" | "ing") => return Some(Form::Base),
        Some("ed" | "d") => return Some(Form::Past),
        Some(rest) => Some(rest),
        None => None,
    };
    // split, splitting; set, setting
    if let (Some(rest), Some(last)) = (rest, verb.chars().next_back())
        && rest.strip_prefix(last).is_some_and(|rest| rest == "ing")
    {
        return Some(Form::Base);
    }
    // move, moving; tidy, tidied
    if verb.strip_suffix('e').is_some_and(|stem| word.strip_prefix(stem) == Some("ing")) {
        return Some(Form::Base);
    }
    let stem = verb.strip_suffix('y')?;
    match word.strip_prefix(stem) {
        Some("ies") => Some(Form::Base),
        Some("ied") => Some(Form::Past),
        Some(_) | None => None,
    }
}

/// Endings of files that people name in messages.
const ENDINGS: &str = "rs ts tsx js jsx mjs cjs py rb go java kt c h cc cpp hpp cs swift php pl lua r sql sh bash zsh ps1 \
    html css scss vue svelte md txt rst csv tsv json toml yaml yml xml ini cfg conf env lock log pdf png \
    jpg jpeg gif svg zip gz tar db docx xlsx ipynb";
/// Names that end like files and are none.
const NO_FILES: &str = "node.js next.js vue.js nuxt.js three.js d3.js express.js react.js asp.net";
const FILES_WITHOUT_ENDING: &str =
    "dockerfile makefile readme license changelog jenkinsfile gemfile procfile .gitignore .env";

/// The different files and folders that a message names, in code or not.
pub(super) fn file_names(message: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '~' | '@' | ':' | '*');
    message
        .split(|c: char| !is_part(c))
        .map(|word| word.trim_end_matches(['.', ':', '-']).trim_start_matches([':', '-', '@']).to_lowercase())
        .filter(|word| is_file(word))
        .collect()
}

fn is_file(word: &str) -> bool {
    if word.contains("://") || has(NO_FILES, word) {
        return false;
    }
    let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or(word);
    if has(FILES_WITHOUT_ENDING, name) {
        return true;
    }
    let is_path = ["./", "../", "~/", "/"].iter().any(|start| word.starts_with(start)) || word.ends_with('/');
    if is_path && name.chars().any(char::is_alphanumeric) {
        return true;
    }
    name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && has(ENDINGS, ending))
}

/// The message with fenced and inline code taken out.
fn without_code(message: &str) -> String {
    let mut plain = String::with_capacity(message.len());
    for (number, part) in message.split("```").enumerate() {
        if number % 2 == 1 {
            plain.push('\n');
            continue;
        }
        let mut pieces = part.split('`').peekable();
        let mut in_code = false;
        while let Some(piece) = pieces.next() {
            // A lone backtick opens nothing.
            if !in_code || pieces.peek().is_none() {
                plain.push_str(piece);
            } else {
                plain.push_str(" x ");
            }
            in_code = !in_code;
        }
    }
    plain
}
