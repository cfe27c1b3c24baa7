//! How one line that is no Markdown of the parser's is written, in the notation of each site generator. The words are tables.

use super::info::words;
use crate::document::Container;
use crate::words::admonition;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'t> {
    Plain,
    /// Of the notation, and nothing of the page.
    Blank,
    /// A tag or comment that goes on until a line with this.
    Unfinished(&'static str),
    Fence {
        mark: char,
        length: usize,
        info: &'t str,
    },
    Marks(Vec<Mark>),
    Colons(usize),
    Classes(&'t str),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Opens(Opens),
    Closes(String),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opens {
    pub(super) what: What,
    pub(super) ends: EndsAt,
    /// Its content is code of this language, as it stands.
    pub(super) code: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    Container(Container),
    /// With `code`, each fence in it is a tab.
    Tabs {
        code: bool,
    },
    Tab(String),
    Hidden,
    Nothing,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum EndsAt {
    Indented,
    Colons(usize),
    Name(String),
    Fence,
}

pub(super) fn read(text: &str) -> Line<'_> {
    let line = text.trim();
    let first = line.as_bytes().first().copied().unwrap_or(b' ');
    match first {
        b'{' => braces(line),
        b'<' => tags(line),
        b':' => colons(line),
        b'=' => indented(line, &["===", "===!", "===+"]),
        b'!' => indented(line, &["!!!"]),
        b'?' => indented(line, &["???", "???+"]),
        b'i' | b'e' if text.starts_with(['i', 'e']) => import(line),
        _ => fence(text),
    }
}

fn fence(text: &str) -> Line<'_> {
    let mut rest = text.trim_start_matches(['>', ' ', '\t']);
    // An item of a list may begin with a fence.
    while let Some(item) = rest.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (digits.len() < rest.len()).then(|| digits.strip_prefix(['.', ')'])).flatten()
    }) {
        if !item.starts_with([' ', '\t']) {
            return Line::Plain;
        }
        rest = item.trim_start();
    }
    let Some(mark) = rest.chars().next().filter(|c| matches!(c, '`' | '~')) else { return Line::Plain };
    let length = rest.len() - rest.trim_start_matches(mark).len();
    let info = rest[length..].trim();
    if length < 3 || (mark == '`' && info.contains('`')) {
        return Line::Plain;
    }
    Line::Fence { mark, length, info }
}

fn import(line: &str) -> Line<'_> {
    let quoted = |text: &str| text.trim_start().starts_with(['"', '\'']);
    if let Some(rest) = line.strip_prefix("import ") {
        if quoted(rest) || rest.split_once(" from ").is_some_and(|(_, from)| quoted(from)) {
            return Line::Blank;
        }
        if rest.trim() == "{" {
            return Line::Unfinished("from ");
        }
    }
    if line.starts_with("export const ") || line.starts_with("export default ") {
        return if line.ends_with(['{', '[', '(', '>']) { Line::Unfinished("}") } else { Line::Blank };
    }
    Line::Plain
}

/// `=== "Label"`, `!!! note "Title"`, `??? tip`.
fn indented<'t>(line: &'t str, starts: &[&str]) -> Line<'t> {
    let Some((start, rest)) = line.split_once(' ') else { return Line::Plain };
    if !starts.contains(&start) {
        return Line::Plain;
    }
    let parts = words(rest);
    let quoted = parts.iter().find(|part| part.starts_with(['"', '\''])).map(|part| unquoted(part));
    let what = match (start.as_bytes().first(), quoted) {
        (Some(b'='), Some(label)) => What::Tab(label),
        (Some(b'='), None) => return Line::Plain,
        (Some(b'?'), title) => What::Container(Container::Details {
            summary: title.unwrap_or_else(|| parts.first().copied().unwrap_or_default().to_owned()),
        }),
        (_, title) => {
            match parts.first().filter(|kind| kind.chars().all(|c| c.is_alphanumeric() || "-_".contains(c))) {
                Some(kind) => boxed(kind, title),
                None => return Line::Plain,
            }
        }
    };
    opens(what, EndsAt::Indented)
}

fn opens(what: What, ends: EndsAt) -> Line<'static> {
    Line::Marks(vec![Mark::Opens(Opens { what, ends, code: None })])
}

fn boxed(kind: &str, title: Option<String>) -> What {
    let kind = admonition(kind).map_or_else(|| kind.to_ascii_lowercase(), str::to_owned);
    What::Container(Container::Admonition { kind, title: title.filter(|title| !title.is_empty()) })
}

/// `:::tip[Title]`, `::: code-group`, `:::{tab-item} Label`, `::: {.callout-note}`.
fn colons(line: &str) -> Line<'_> {
    let rest = line.trim_start_matches(':');
    let count = line.len() - rest.len();
    if count < 3 {
        return Line::Plain;
    }
    let rest = rest.trim();
    if rest.is_empty() {
        return Line::Colons(count);
    }
    let (name, argument) = match rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        Some((inner, after)) => {
            (inner.trim_start_matches('.').split([' ', '.']).next().unwrap_or(inner), after)
        }
        None => rest.find([' ', '[', '{']).map_or((rest, ""), |at| rest.split_at(at)),
    };
    let name = name.trim_start_matches("callout-");
    let argument = match argument.trim().strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((title, _)) => title,
        None => argument.trim(),
    };
    let attribute = attribute(rest, "title").or_else(|| attribute(rest, "label"));
    let title = attribute.or_else(|| (!argument.is_empty()).then(|| argument.to_owned()));
    opens(named(name, title, rest).unwrap_or(What::Nothing), EndsAt::Colons(count))
}

/// What a component, shortcode or directive of that name is, where it is one that this reader knows.
fn named(name: &str, title: Option<String>, arguments: &str) -> Option<What> {
    let lower = name.to_ascii_lowercase().replace(['-', '_'], "");
    let title = || title.clone();
    Some(match lower.as_str() {
        "tabs" | "tabset" | "tabpane" | "tabgroup" | "synctabs" | "pivot" => What::Tabs { code: false },
        "codegroup" | "codetabs" | "codeblocks" => What::Tabs { code: true },
        "tab" | "tabitem" | "tabpanel" | "tabcontent" => What::Tab(title().unwrap_or_default()),
        // The systems by name are the tabs of some generators.
        "linux" | "mac" | "windows" | "macos" | "ubuntu" | "debian" | "fedora" => What::Tab(name.to_owned()),
        "details" | "accordion" | "accordionitem" | "expand" | "expandable" | "collapse" | "dropdown"
        | "spoiler" => What::Container(Container::Details { summary: title().unwrap_or_default() }),
        "alert" | "callout" | "notice" | "hint" | "admonition" | "aside" | "blockquote" => {
            let given = ["type", "style", "color", "kind"].iter().find_map(|key| attribute(arguments, key));
            let first = words(arguments).into_iter().map(unquoted).find(|word| admonition(word).is_some());
            boxed(&given.or(first).unwrap_or_else(|| "note".to_owned()), title())
        }
        "toctree" | "figure" | "image" | "comment" | "contents" => What::Hidden,
        _ => boxed(admonition(&lower)?, title()),
    })
}

/// A directive in a fence, as MyST writes it: its content is text. None where the fence holds code.
pub(super) fn directive(info: &str) -> Option<Opens> {
    let (name, argument) = info.strip_prefix('{')?.split_once('}')?;
    let argument = argument.trim();
    let what = named(name.trim(), (!argument.is_empty()).then(|| argument.to_owned()), argument)?;
    Some(Opens { what, ends: EndsAt::Fence, code: None })
}

/// `{{< name … >}}`, `{% name … %}`, `{: .class }`, `{/* … */}`.
fn braces(line: &str) -> Line<'_> {
    if line.starts_with("{/*") {
        return if line.ends_with("*/}") { Line::Blank } else { Line::Unfinished("*/}") };
    }
    if let Some(classes) = line.strip_prefix("{:").and_then(|rest| rest.strip_suffix('}')) {
        return Line::Classes(classes);
    }
    // GitBook's caption of a file stands on one line.
    if line.starts_with("{% filename %}") {
        return Line::Blank;
    }
    let inner =
        [("{{<", ">}}"), ("{{%", "%}}"), ("{%", "%}"), ("{{#", "}}")].iter().find_map(|(open, close)| {
            let inner = line.strip_prefix(open)?.strip_suffix(close)?;
            (!inner.contains(close)).then_some(inner)
        });
    let Some(inner) = inner else { return Line::Plain };
    let inner = inner.trim_matches(['-', ' ', '/']).trim();
    let closes = line.trim_start_matches(['{', '<', '%', '-', ' ']).starts_with('/');
    let (name, arguments) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    if closes {
        return Line::Marks(vec![Mark::Closes(name.to_ascii_lowercase())]);
    }
    if let Some(ended) = name.strip_prefix("end").filter(|_| line.starts_with("{%")) {
        return Line::Marks(vec![Mark::Closes(ended.to_ascii_lowercase())]);
    }
    if line.ends_with("/>}}") || line.ends_with("/%}}") {
        return Line::Blank;
    }
    let positional = words(arguments).into_iter().find(|word| !word.contains('=')).map(unquoted);
    let titled = ["title", "header", "name", "label", "summary", "tabName"];
    let title = titled.iter().find_map(|key| attribute(arguments, key)).or_else(|| positional.clone());
    let language = attribute(arguments, "lang").or_else(|| attribute(arguments, "language"));
    let ends = EndsAt::Name(name.to_ascii_lowercase());
    if matches!(name, "highlight" | "codeblock" | "code" | "prism") {
        let code = Some(language.or(positional).unwrap_or_default());
        return Line::Marks(vec![Mark::Opens(Opens { what: What::Nothing, ends, code })]);
    }
    match named(name, title, arguments) {
        Some(what) => {
            let code = language.filter(|_| matches!(what, What::Tab(_)));
            Line::Marks(vec![Mark::Opens(Opens { what, ends, code })])
        }
        None => Line::Blank,
    }
}

/// A line of nothing but tags of components. Tags of HTML are the parser's, but for what folds and what is hidden.
pub(super) fn tags(line: &str) -> Line<'_> {
    let mut marks = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let Some(inner) = rest.strip_prefix('<') else { return Line::Plain };
        let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let length = inner.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(inner.len());
        let (name, after) = inner.split_at(length);
        let component = name.starts_with(|c: char| c.is_ascii_uppercase());
        if !component && !matches!(name, "details" | "div" | "section" | "tabs" | "tab" | "code-group") {
            return Line::Plain;
        }
        let Some(end) = tag_end(after) else {
            return if component { Line::Unfinished(">") } else { Line::Plain };
        };
        let (attributes, mut following) = (&after[..end], after[end + 1..].trim_start());
        let key = name.to_ascii_lowercase();
        if closes {
            marks.push(Mark::Closes(key));
        } else if !attributes.trim_end().ends_with('/') {
            let titled = ["label", "title", "summary", "header", "name", "tabName", "value"];
            let mut title = titled.iter().find_map(|known| attribute(attributes, known));
            if key == "details" {
                // Only with its summary is it known where the text begins.
                let Some((summary, behind)) = following.strip_prefix("<summary").and_then(|text| {
                    let text = &text[tag_end(text)? + 1..];
                    text.split_once("</summary>")
                }) else {
                    return Line::Unfinished("</summary>");
                };
                title = Some(without_tags(summary));
                following = behind.trim_start();
            }
            let hidden = !component && is_hidden(attributes);
            let what = if hidden { Some(What::Hidden) } else { named(&key, title, attributes) };
            match what {
                Some(what) => marks.push(Mark::Opens(Opens { what, ends: EndsAt::Name(key), code: None })),
                None if component => {}
                // Other divisions stay the parser's.
                None => return Line::Plain,
            }
        }
        rest = following;
    }
    Line::Marks(marks)
}

/// Where a tag ends: the first `>` outside quotes and braces.
fn tag_end(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0u32);
    for (at, c) in text.char_indices() {
        match c {
            '"' | '\'' | '`' if quote == Some(c) => quote = None,
            '"' | '\'' | '`' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => {}
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '>' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

pub(super) fn is_hidden(attributes: &str) -> bool {
    let plain: String = attributes.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let style: String = attribute(&plain, "style").unwrap_or_default().replace(' ', "");
    plain.split(' ').any(|word| word == "hidden" || word.starts_with("hidden="))
        || plain.contains("aria-hidden=\"true\"")
        || ["display:none", "visibility:hidden", "font-size:0", "opacity:0"]
            .iter()
            .any(|mark| style.contains(mark))
}

/// The value of `key="value"`, `key='value'` or `key={"value"}`.
fn attribute(text: &str, key: &str) -> Option<String> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(key).map(|at| at + from) {
        from = at + key.len();
        let stands_alone =
            text[..at].chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || "-_".contains(c)));
        let Some(value) = text[from..].trim_start().strip_prefix('=').filter(|_| stands_alone) else {
            continue;
        };
        let value = value.trim_start().trim_start_matches(['{', ' ']);
        return match value.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => value[1..].split(quote).next().map(str::to_owned),
            _ => value.split([' ', '}', '>', '/']).next().map(str::to_owned),
        };
    }
    None
}

fn unquoted(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_owned()
}

fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => out.push(c),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}
