//! Whether a message asks for a plan (P1), judged by its words before any model is asked. A pure function of the text:
//! it reads no file and knows no session. Its word can be overridden by the user; it decides nothing itself.
//!
//! Work that is only talked or asked about does not count: each sentence is looked at by itself, and one that asks
//! something gives no points for the verbs in it.

mod words;

use crate::protocol::{Detection, DetectionReason};
use words::{Form, Tone, Word};

/// The score from which on a plan is made.
pub const THRESHOLD: u32 = 3;
/// What is looked at of a message, in bytes: the wish stands at its beginning, and pasted text comes after it.
const LOOKED_AT: usize = 16 * 1024;

/// Work of several steps whatever it is done to.
const GREAT_WORK: &str = "refactor restructure rearchitect redesign rewrite implement develop install reinstall upgrade \
    downgrade migrate deploy provision bootstrap scaffold port dockerize dockerise containerize containerise";
/// Work that may be one command or many.
const WORK: &str = "move extract fix repair convert configure integrate optimise optimize reorganise reorganize organise \
    organize consolidate modularise modularize automate merge split";
/// The same in two words.
const TWO_WORD_WORK: [(&str, &str, u32); 8] = [
    ("set", "up", 3),
    ("spin", "up", 2),
    ("clean", "up", 2),
    ("tidy", "up", 2),
    ("roll", "out", 3),
    ("break", "up", 2),
    ("pull", "out", 2),
    ("get", "rid", 2),
];
/// Begin a clause that wants something done, besides the verbs above.
const ORDERS: &str = "add append apply archive back build bump change check clean clone commit compile compress connect \
    copy create delete disable download drop edit enable encrypt ensure export find format generate get \
    import initialise initialize launch link make mirror mount open publish pull push put register \
    release remove rename replace reset resize restart restore run save schedule send set sort start \
    stop switch sync test tidy unpack update upload verify write";
/// Make something that is not there yet; of a [`WHOLE_PROGRAM`] it is work of several steps.
const MAKING: &str = "build create make write start code program";
const WHOLE_PROGRAM: &str = "app application website webapp site blog api backend frontend service server game bot plugin \
    extension dashboard library tool";
/// Words of structure and design.
const DESIGN: &str = "architecture architectural microservice microservices monolith monorepo decouple decoupling \
    infrastructure schema pipeline abstraction layering framework design modular";
/// What is asked when one change pulls others after it.
const DEPENDENCY: [&str; 14] = [
    "depend on",
    "depends on",
    "depending on each other",
    "dependency",
    "dependencies",
    "dependents",
    "would break",
    "will break",
    "breaks if",
    "break if",
    "affected by",
    "impact of",
    "ripple",
    "circular import",
];
/// Files without naming them.
const MANY_FILES: [&str; 12] = [
    "multiple files",
    "several files",
    "many files",
    "all files",
    "all the files",
    "every file",
    "each file",
    "whole codebase",
    "entire codebase",
    "across the codebase",
    "whole project",
    "entire project",
];
/// The user names the thing.
const ASKS_FOR_PLAN: [&str; 6] =
    ["make a plan", "write a plan", "create a plan", "plan the steps", "step by step", "step-by-step"];

/// Scores a message. `reasons` say in words what gave points: the work, how much of it, the files, what it is about.
pub fn should_create_plan(message: &str) -> Detection {
    let sentences = words::sentences(beginning(message));
    let mut reasons = Vec::new();
    for sentence in &sentences {
        match sentence.tone {
            Tone::Says => work(&sentence.words, &mut reasons),
            Tone::Asks => {}
        }
    }
    let only_asks = sentences.iter().all(|sentence| sentence.tone == Tone::Asks);
    let orders: usize = sentences.iter().map(|sentence| sentence.clauses.iter().filter(orders).count()).sum();
    let mut clauses = sentences.iter().flat_map(|sentence| &sentence.clauses);
    if let Some(program) = clauses.find_map(|clause| new_program(clause)) {
        reasons.push(reason(format!("it wants something new and whole: \"{program}\""), 3));
    }
    match orders {
        0 | 1 => {}
        2 => reasons.push(reason("it asks for two things", 2)),
        many => reasons.push(reason(format!("it asks for {many} things"), 3)),
    }
    let lower = format!(" {} ", beginning(message).to_lowercase());
    files(&lower, beginning(message), only_asks, &mut reasons);
    if let Some(word) = sentences.iter().flat_map(|it| &it.words).find(|it| words::has(DESIGN, &it.text)) {
        reasons.push(reason(format!("it is about design: \"{}\"", word.text), if only_asks { 1 } else { 2 }));
    }
    if let Some(phrase) = DEPENDENCY.iter().find(|phrase| has_phrase(&lower, phrase)) {
        reasons.push(reason(format!("it is about what hangs together: \"{phrase}\""), 2));
    }
    if let Some(phrase) = ASKS_FOR_PLAN.iter().find(|phrase| has_phrase(&lower, phrase)) {
        reasons.push(reason(format!("it says \"{phrase}\""), if only_asks { 1 } else { 3 }));
    }
    let score = reasons.iter().map(|reason| reason.points).sum();
    if reasons.is_empty() && only_asks && !sentences.is_empty() {
        reasons.push(reason("it only asks something", 0));
    }
    Detection { score, threshold: THRESHOLD, should_plan: score >= THRESHOLD, reasons }
}

fn reason(text: impl Into<String>, points: u32) -> DetectionReason {
    DetectionReason { text: text.into(), points }
}

/// Verbs of work in a sentence that says something, each once in a message.
fn work(words: &[Word], reasons: &mut Vec<DetectionReason>) {
    for (at, word) in words.iter().enumerate() {
        let earlier = &words[..at];
        let found = TWO_WORD_WORK
            .iter()
            .find(|(verb, particle, _)| {
                words::form_of(&word.text, verb).is_some_and(|form| words::is_wanted(form, earlier))
                    && words[at + 1..].iter().take(4).any(|it| it.text == *particle)
            })
            .map(|(verb, particle, points)| (format!("{verb} {particle}"), *points))
            .or_else(|| {
                let wanted = word.text == "setup" && words::is_wanted(Form::Base, earlier);
                wanted.then(|| ("set up".to_owned(), 3))
            })
            .or_else(|| one_word(word, earlier, GREAT_WORK, 3))
            .or_else(|| one_word(word, earlier, WORK, 2));
        let Some((verb, points)) = found else { continue };
        let text = format!("it says \"{verb}\"");
        if reasons.iter().all(|known| known.text != text) {
            reasons.push(reason(text, points));
        }
    }
}

fn one_word(word: &Word, earlier: &[Word], verbs: &str, points: u32) -> Option<(String, u32)> {
    let verb = verbs
        .split(' ')
        .find(|verb| words::form_of(&word.text, verb).is_some_and(|form| words::is_wanted(form, earlier)))?;
    Some((verb.to_owned(), points))
}

/// Whether a clause begins with a verb that wants something done.
fn orders(clause: &&Vec<Word>) -> bool {
    let Some(first) = clause.first() else { return false };
    let is = |verbs: &str| words::has(verbs, &first.text);
    is(GREAT_WORK) || is(WORK) || is(ORDERS) || TWO_WORD_WORK.iter().any(|(verb, ..)| first.text == *verb)
}

/// "a … app" after a verb of making; "the app" is one that is there.
fn new_program(clause: &[Word]) -> Option<&str> {
    let (first, rest) = clause.split_first()?;
    if !words::has(MAKING, &first.text) {
        return None;
    }
    let mut is_new = false;
    for word in rest {
        if words::has(WHOLE_PROGRAM, &word.text) && is_new {
            return Some(&word.text);
        }
        match word.text.as_str() {
            "a" | "an" | "another" | "new" => is_new = true,
            "the" | "my" | "our" | "this" | "that" | "for" | "in" | "of" | "to" | "on" => is_new = false,
            _ => {}
        }
    }
    None
}

fn files(lower: &str, message: &str, only_asks: bool, reasons: &mut Vec<DetectionReason>) {
    let named = words::file_names(message);
    let points = |points: u32| if only_asks { 1 } else { points };
    match named.len() {
        0 | 1 => {
            if let Some(phrase) = MANY_FILES.iter().find(|phrase| has_phrase(lower, phrase)) {
                reasons.push(reason(format!("it is about many files: \"{phrase}\""), points(2)));
            }
        }
        2 => reasons.push(reason("it names two files", points(2))),
        many => reasons.push(reason(format!("it names {many} files"), points(3))),
    }
}

/// The phrase as whole words.
fn has_phrase(lower: &str, phrase: &str) -> bool {
    lower.match_indices(phrase).any(|(at, _)| {
        let ends = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        ends(lower[..at].chars().next_back()) && ends(lower[at + phrase.len()..].chars().next())
    })
}

fn beginning(message: &str) -> &str {
    let mut end = message.len().min(LOOKED_AT);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    &message[..end]
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
