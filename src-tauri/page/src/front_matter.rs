//! What stands above a page between `---` or `+++`: kept raw, and flat as keys and values. Only the simple YAML and TOML
//! that pages have there; what is more than that is in the raw text.

use crate::document::FrontMatter;
use crate::lines::{indent, lines};

/// How far down the closing fence is looked for.
const MOST_LINES: usize = 400;

/// The front matter of a text, if it begins with one.
pub(crate) fn read(text: &str) -> Option<FrontMatter> {
    let fence = ["---", "+++"].into_iter().find(|fence| {
        text.strip_prefix(fence).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('\n'))
    })?;
    let found = lines(text, 0..text.len().min(first_bytes(text)));
    let close = found.iter().skip(1).take(MOST_LINES).find(|line| {
        let end = line.text.trim_end();
        end == fence || (fence == "---" && end == "...")
    })?;
    let body = text[..close.start].split_once('\n')?.1;
    // A rule, a paragraph and a rule is a page that begins with a rule.
    if fence == "---" && !body.trim().is_empty() && !body.lines().any(|line| key(line, ':').is_some()) {
        return None;
    }
    let values = flat(body, if fence == "---" { ':' } else { '=' });
    let end = (close.end() + 1).min(text.len());
    Some(FrontMatter { raw: body.to_owned(), range: 0..end, values })
}

/// Enough of the text for the front matter, on a character boundary.
fn first_bytes(text: &str) -> usize {
    text.char_indices().map(|(at, _)| at).find(|at| *at >= 64 * 1024).unwrap_or(text.len())
}

/// The key and the value of a line.
fn key(line: &str, mark: char) -> Option<(&str, &str)> {
    let (key, value) = line.trim().split_once(mark)?;
    let key = key.trim().trim_matches(['"', '\'']);
    let named = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-. @$".contains(c));
    (named && (mark == '=' || value.is_empty() || value.starts_with([' ', '\t'])))
        .then_some((key, value.trim()))
}

fn flat(body: &str, mark: char) -> Vec<(String, String)> {
    let mut values = Vec::new();
    // Open keys with their indentation, items of lists as their number.
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut table = String::new();
    for line in body.lines() {
        let (mut depth, mut rest) = (indent(line, 8), line.trim());
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        if mark == '=' && rest.starts_with('[') {
            table = rest.trim_matches(['[', ']', ' ']).to_owned();
            continue;
        }
        while let Some(item) =
            (mark == ':').then(|| rest.strip_prefix("- ").or((rest == "-").then_some(""))).flatten()
        {
            while path
                .last()
                .is_some_and(|(at, name)| *at > depth || (*at == depth && name.parse::<usize>().is_ok()))
            {
                path.pop();
            }
            let parent = dotted(&path, &table, "");
            let position = match counts.iter_mut().find(|(list, _)| *list == parent) {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => {
                    counts.push((parent, 0));
                    0
                }
            };
            path.push((depth, position.to_string()));
            depth += 1 + item.len() - item.trim_start().len() + 1;
            rest = item.trim();
        }
        while path.last().is_some_and(|(at, name)| *at >= depth && name.parse::<usize>().is_err()) {
            path.pop();
        }
        while path.last().is_some_and(|(at, _)| *at >= depth) {
            path.pop();
        }
        match key(rest, mark) {
            Some((name, "" | "|" | ">" | "|-" | ">-")) if mark == ':' => path.push((depth, name.to_owned())),
            Some((name, value)) => values.push((dotted(&path, &table, name), scalar(value))),
            None if !rest.is_empty() => match (dotted(&path, &table, ""), values.last_mut()) {
                // A value over several lines.
                (name, Some((last, value))) if name.is_empty() || name == *last => {
                    value.push(' ');
                    value.push_str(&scalar(rest));
                }
                (name, _) => values.push((name, scalar(rest))),
            },
            None => {}
        }
    }
    values
}

fn dotted(path: &[(usize, String)], table: &str, name: &str) -> String {
    let parts = path.iter().map(|(_, part)| part.as_str());
    std::iter::once(table)
        .chain(parts)
        .chain([name])
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(".")
}

/// A value without its quotes or the comment behind it.
fn scalar(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some((inner, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inner.to_owned();
        }
    }
    value.split(" #").next().unwrap_or(value).trim().to_owned()
}
