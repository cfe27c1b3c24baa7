//! Aliases, put into a text before it is judged: what runs has none that bash would still have to expand.

use std::collections::BTreeMap;

use planwright_shell::{Facts, SimpleCommand, Span, Word};

use super::ShellReader;

/// Deepest row of aliases that stand for each other, and the longest text that comes of them.
const DEEPEST: usize = 8;
const LONGEST: usize = planwright_shell::MAX_TEXT;

/// `text` with the words of the aliases in the place of their names, where bash expands them at a terminal: what begins a
/// command and is written bare; behind an alias that ends with a blank the next word, too; within an alias's words the others.
/// A text that cannot be read without doubt, or becomes too long, is left as it is.
pub(crate) async fn expanded(reader: &ShellReader, text: &str, aliases: &BTreeMap<String, String>) -> String {
    expand(reader, text, aliases, DEEPEST).await
}

async fn expand(
    reader: &ShellReader,
    text: &str,
    aliases: &BTreeMap<String, String>,
    deepest: usize,
) -> String {
    if deepest == 0 || !aliases.keys().any(|name| text.contains(name)) {
        return text.to_owned();
    }
    let names = names(&reader.read(text).await, aliases);
    let mut within = BTreeMap::new();
    for Word { raw, .. } in &names {
        let mut others = aliases.clone();
        if let Some(words) = others.remove(raw) {
            within.insert(raw.clone(), Box::pin(expand(reader, &words, &others, deepest - 1)).await);
        }
    }
    let with = replaced(text, &names, &within);
    with.filter(|with| with.len() <= LONGEST).unwrap_or_else(|| text.to_owned())
}

/// The words that are aliases, in their order.
fn names(facts: &Facts, aliases: &BTreeMap<String, String>) -> Vec<Word> {
    if !facts.doubts.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Word> =
        facts.commands.iter().flat_map(|command| of_one(command, aliases)).cloned().collect();
    found.sort_by_key(|word| word.span.start);
    found
}

fn of_one<'a>(command: &'a SimpleCommand, aliases: &BTreeMap<String, String>) -> &'a [Word] {
    let mut count = 0;
    for word in &command.words {
        let Some(words) = aliases.get(&word.raw).filter(|_| word.bare) else { break };
        count += 1;
        if !words.ends_with([' ', '\t']) {
            break;
        }
    }
    &command.words[..count]
}

/// `None` where a word does not stand in the text as it was read.
fn replaced(text: &str, words: &[Word], with: &BTreeMap<String, String>) -> Option<String> {
    let signs: Vec<char> = text.chars().collect();
    let mut text = String::new();
    let mut at = 0;
    for Word { raw, span: Span { start, end }, .. } in words {
        let (start, end) = (usize::try_from(*start).ok()?, usize::try_from(*end).ok()?);
        if signs.get(start..end)?.iter().copied().ne(raw.chars()) {
            return None;
        }
        text.extend(signs.get(at..start)?);
        text += with.get(raw)?;
        at = end;
    }
    text.extend(&signs[at..]);
    Some(text)
}
