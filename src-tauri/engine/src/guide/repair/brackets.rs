//! Small programs in one argument (`python3 -c`, `jq`, a query): what they leave open, and what the shell takes out of them.

use planwright_shell::{Span, Word};

use super::super::case::{Case, Run, one};
use super::super::template::Findings;

/// Options behind which a program's text stands.
const CODE: [&str; 9] = ["-c", "-e", "-E", "-r", "--eval", "--command", "-ne", "-pe", "-lne"];

/// Programs whose first operand, or for databases any, is a text in a language of its own.
const LANGUAGES: [&str; 9] = ["jq", "yq", "awk", "gawk", "mawk", "sqlite3", "psql", "mysql", "bc"];

/// The words that are programs of their own.
fn code<'a>(case: &'a Case<'_>) -> Vec<&'a Word> {
    case.runs().flat_map(|run| code_of(&run)).collect()
}

fn code_of<'a>(run: &Run<'a>) -> Vec<&'a Word> {
    let args = run.args();
    let quoted = |word: &&Word| word.raw.len() > 2 && word.raw.starts_with(['\'', '"']);
    let behind = |at: usize| at > 0 && CODE.contains(&args[at - 1].raw.as_str());
    let is_language = LANGUAGES.contains(&run.program());
    let words = args.iter().enumerate().filter(|(at, _)| is_language || behind(*at)).map(|(_, word)| word);
    words.filter(quoted).collect()
}

/// `command`: with the brackets closed that the one piece of code leaves open at its end.
pub(super) fn close_code(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let word = one(code(case))?;
    let quote = word.raw.chars().next()?;
    let inside = word.raw.strip_prefix(quote)?.strip_suffix(quote)?;
    let missing = left_open(inside)?;
    let end = word.span.end - 1;
    found.set("command", case.splice(&[(Span { start: end, end }, &missing)])?);
    found.set("missing", missing);
    Some(())
}

/// The closing brackets that a text lacks at its end; `None` where it lacks none, or one elsewhere.
fn left_open(text: &str) -> Option<String> {
    // A bracket with nothing in it yet is left to the person.
    if text.trim_end().ends_with(['(', '[', '{']) {
        return None;
    }
    let mut open = Vec::new();
    let mut string: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (string, c) {
            (_, '\\') => {
                chars.next();
            }
            (Some(quote), c) if c == quote => string = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => string = Some(c),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ')' | ']' | '}') if open.pop() != Some(c) => return None,
            _ => {}
        }
    }
    (string.is_none() && !open.is_empty()).then(|| open.iter().rev().collect())
}

/// `command`: the code in single quotes, where the shell has put nothing in the place of its own variables.
pub(super) fn single_quotes(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let expands = |word: &&Word| {
        let inside = word.raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        inside.is_some_and(|inside| {
            let dollar = inside.match_indices('$').any(|(at, _)| {
                !inside[..at].ends_with('\\')
                    && inside[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric() || "_{@".contains(c))
            });
            dollar && !inside.contains('\'') && !inside.contains("$(") && !inside.contains("\\\"")
        })
    };
    let word = one(code(case).into_iter().filter(expands))?;
    let inside = word.raw.strip_prefix('"')?.strip_suffix('"')?;
    found.set("command", case.splice(&[(word.span, &format!("'{}'", inside.replace("\\$", "$")))])?);
    Some(())
}

/// `name`: imported at the beginning of the Python program that lacks it. Only of what every Python has.
pub(super) fn import_first(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    const MODULES: [&str; 34] = [
        "os",
        "sys",
        "re",
        "json",
        "math",
        "time",
        "random",
        "datetime",
        "subprocess",
        "pathlib",
        "shutil",
        "glob",
        "itertools",
        "collections",
        "functools",
        "socket",
        "struct",
        "base64",
        "hashlib",
        "csv",
        "urllib",
        "string",
        "platform",
        "tempfile",
        "threading",
        "logging",
        "statistics",
        "decimal",
        "uuid",
        "secrets",
        "zlib",
        "sqlite3",
        "textwrap",
        "operator",
    ];
    let name = found.get("name")?.to_owned();
    let word = one(code(case))?;
    let quote = word.raw.chars().next()?;
    let is_module = word.raw.contains(&format!("{name}.")) && MODULES.contains(&name.as_str());
    // `from __future__` has to stay the first.
    if !is_module || word.raw.contains("__future__") || !word.raw.ends_with(quote) {
        return None;
    }
    let start = word.span.start + 1;
    found.set("command", case.splice(&[(Span { start, end: start }, &format!("import {name}; "))])?);
    Some(())
}

/// `name` and `command`: the field of the file, for which jq wants a dot in front.
pub(super) fn jq_field(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = case.only_run(&["jq"])?;
    let file = super::super::case::text(run.last_word())?;
    let has_field = case.read(file)?.contains(&format!("\"{name}\""));
    let word = run.args().iter().find(|word| word.raw.trim_matches(['\'', '"']).starts_with(&name))?;
    let behind = &word.raw.trim_start_matches(['\'', '"'])[name.len()..];
    if !has_field || behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '(')) {
        return None;
    }
    let at = word.span.start + u32::from(word.raw.starts_with(['\'', '"']));
    found.set("command", case.splice(&[(Span { start: at, end: at }, ".")])?);
    Some(())
}

/// `value` and `command`: a text of a query that was left without its quotes, behind a comparison.
pub(super) fn quote_value(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let value = found.get("value")?.to_owned();
    let word = one(code(case).into_iter().filter(|word| word.raw.contains(&value)))?;
    if !word.raw.starts_with('"') {
        return None;
    }
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let compared = |(at, found): &(usize, &str)| {
        let before = word.raw[..*at].trim_end();
        let behind = &word.raw[at + found.len()..];
        before.ends_with(['=', '>', '<'])
            && !word.raw[..*at].ends_with(part)
            && !behind.starts_with(|c: char| part(c) || matches!(c, '.' | '('))
    };
    let (at, _) = one(word.raw.match_indices(value.as_str()).filter(compared))?;
    let start = word.span.start + word.raw[..at].chars().count() as u32;
    let span = Span { start, end: start + value.chars().count() as u32 };
    found.set("command", case.splice(&[(span, &format!("'{value}'"))])?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_open_at_the_end_is_closed() {
        assert_eq!(left_open("print(f(1)").as_deref(), Some(")"));
        assert_eq!(left_open("f({a: [1, 2").as_deref(), Some("]})"));
        assert_eq!(left_open("print(')')"), None);
        assert_eq!(left_open("print(']'").as_deref(), Some(")"));
        assert_eq!(left_open("print((1]"), None);
        assert_eq!(left_open("print('a"), None);
    }
}
