//! Directives, comments and the other things that begin with two dots.

use super::{Reader, verbatim};
use crate::document::{BlockKind, CodeStyle, Container};
use crate::lines::Line;
use crate::words;

/// Directives whose content is code of the language that is their argument.
const CODE: &[&str] =
    &["code-block", "sourcecode", "code", "code-cell", "ipython", "literal-block", "tab-code"];
/// Their content is code; the argument is no language.
const LITERAL: &[(&str, Option<&str>)] = &[
    ("parsed-literal", None),
    ("literal", None),
    ("command-output", Some("console")),
    ("doctest", Some("pycon")),
    ("testcode", Some("python")),
    ("jupyter-execute", Some("python")),
    ("console", Some("console")),
    ("bash", Some("bash")),
    ("terminal", Some("console")),
];
/// Nothing of them is text of the page.
const NOTHING: &[&str] = &[
    "toctree",
    "contents",
    "image",
    "figure",
    "index",
    "include",
    "literalinclude",
    "math",
    "graphviz",
    "plot",
    "meta",
    "role",
    "default-role",
    "currentmodule",
    "module",
    "automodule",
    "autoclass",
    "autofunction",
    "sectnum",
    "target-notes",
    "tags",
    "raw-html",
    "video",
    "youtube",
    "bibliography",
];

pub(super) fn is_tab(text: &str) -> bool {
    name(text).is_some_and(|(name, _)| {
        matches!(name, "tab" | "group-tab" | "code-tab" | "tab-item" | "zone" | "platform")
    })
}

/// The name of a directive and what stands behind it.
fn name(text: &str) -> Option<(&str, &str)> {
    let (name, argument) = text.strip_prefix("..")?.trim_start().split_once("::")?;
    let named = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c));
    named.then_some((name.rsplit(':').next().unwrap_or(name), argument.trim()))
}

/// The lines of options in front, and the rest.
fn options<'l, 't>(lines: &'l [Line<'t>]) -> (Vec<(String, String)>, &'l [Line<'t>]) {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((key, value)) = line.trimmed().strip_prefix(':').and_then(|rest| rest.split_once(':'))
        else {
            return (found, &lines[at..]);
        };
        found.push((key.to_ascii_lowercase(), value.trim().to_owned()));
    }
    (found, &[])
}

impl<'t> Reader<'t> {
    pub(super) fn explicit(&mut self, line: Line<'t>, below: &[Line<'t>], group: &mut Option<u32>) {
        let text = line.trimmed();
        let Some((name, argument)) = name(text) else {
            self.no_directive(line, below);
            return;
        };
        let (options, content) = options(below);
        let lower = name.to_ascii_lowercase();
        let option =
            |key: &str| options.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
        if CODE.contains(&lower.as_str()) {
            self.block(line, content, argument, option("caption").or(option("name")), &options);
        } else if lower == "prompt" {
            let language = argument.split_whitespace().next().unwrap_or_default();
            self.block(line, content, language, None, &options);
        } else if let Some((_, language)) = LITERAL.iter().find(|(known, _)| *known == lower) {
            self.block(line, content, language.unwrap_or_default(), None, &options);
        } else if lower == "highlight" {
            self.language =
                Some(argument.to_owned()).filter(|language| language != "none" && language != "default");
        } else if lower == "raw" {
            if let (true, Some(first), Some(last)) = (argument == "html", content.first(), content.last()) {
                let builder = std::mem::take(&mut self.builder);
                self.builder = crate::html::fragment(self.text, first.start..last.end(), builder);
            }
        } else if lower == "code-tab" {
            let (language, label) = argument.split_once(' ').unwrap_or((argument, argument));
            let group = *group.get_or_insert_with(|| self.builder.new_group());
            self.builder.open(Container::Tab { group, label: label.to_owned() });
            self.block(line, content, language, None, &options);
            self.builder.close();
        } else if is_tab(text) {
            let group = *group.get_or_insert_with(|| self.builder.new_group());
            self.inside(content, Some(Container::Tab { group, label: argument.to_owned() }));
        } else if matches!(lower.as_str(), "dropdown" | "collapse" | "details" | "toggle") {
            self.inside(content, Some(Container::Details { summary: argument.to_owned() }));
        } else if let Some(kind) =
            words::admonition(&lower).or(matches!(lower.as_str(), "topic" | "sidebar").then_some("note"))
        {
            let titled = matches!(lower.as_str(), "admonition" | "topic" | "sidebar");
            let title = (titled && !argument.is_empty()).then(|| argument.to_owned());
            // The text may begin behind the name already.
            let mut all = Vec::with_capacity(content.len() + 1);
            if !titled && !argument.is_empty() {
                let start = line.end() - (line.text.len() - line.text.trim_end().len()) - argument.len();
                all.push(Line { text: argument, start });
            }
            let shared = content.iter().filter(|line| !line.is_blank()).map(Line::indent).min().unwrap_or(0);
            all.extend(content.iter().map(|line| line.dedented(shared)));
            self.inside(&all, Some(Container::Admonition { kind: kind.to_owned(), title }));
        } else if !NOTHING.contains(&lower.as_str()) {
            self.inside(content, None);
        }
    }

    fn no_directive(&mut self, line: Line<'t>, below: &[Line<'t>]) {
        let text = line.trimmed().strip_prefix("..").unwrap_or_default().trim_start();
        let reference = text.starts_with('_') || text.starts_with('|') || line.trimmed().starts_with("__");
        if text.starts_with('[') {
            // A footnote: its text is on the page.
            self.inside(below, None);
        } else if !reference {
            let mut comment = text.to_owned();
            for line in below {
                comment.push('\n');
                comment.push_str(line.trimmed());
            }
            let end = below.last().map_or(line.end(), Line::end);
            let comment = comment.trim().to_owned();
            if !comment.is_empty() {
                self.builder.block(BlockKind::Comment { text: comment }, line.start..end);
            }
        }
    }

    fn block(
        &mut self,
        line: Line<'t>,
        content: &[Line<'t>],
        language: &str,
        title: Option<String>,
        options: &[(String, String)],
    ) {
        let Some((mut code, range)) = verbatim::code(content, CodeStyle::Directive, Some(language)) else {
            return;
        };
        code.title = title;
        code.attributes = options.to_vec();
        self.builder.block(BlockKind::Code(code), line.start..range.end);
    }
}
