//! Which form a page is in: by its name, then by how it looks. And the reader of each form.

use crate::document::{Document, Form};
use crate::lines::lines;

/// How much of a page is looked at for its form.
const SAMPLE_LINES: usize = 400;

/// Endings of names whose form is sure.
const ENDINGS: &[(&str, Form)] = &[
    ("md", Form::Markdown),
    ("markdown", Form::Markdown),
    ("mdown", Form::Markdown),
    ("mkd", Form::Markdown),
    ("qmd", Form::Markdown),
    ("rmd", Form::Markdown),
    ("mdx", Form::Mdx),
    ("rst", Form::ReStructuredText),
    ("rest", Form::ReStructuredText),
    ("adoc", Form::AsciiDoc),
    ("asciidoc", Form::AsciiDoc),
    ("asc", Form::AsciiDoc),
    ("org", Form::Org),
    ("html", Form::Html),
    ("htm", Form::Html),
    ("xhtml", Form::Html),
    ("sh", Form::Script),
    ("bash", Form::Script),
    ("zsh", Form::Script),
    ("ksh", Form::Script),
];

pub(crate) fn read(form: Form, text: String) -> Document {
    match form {
        Form::Binary => Document { form, text, ..Document::default() },
        Form::Html => crate::html::read(text),
        Form::Markdown | Form::Mdx => crate::markdown::read(text, form),
        Form::ReStructuredText => crate::rst::read(text),
        Form::AsciiDoc => crate::asciidoc::read(text),
        Form::Org => crate::org::read(text),
        Form::Plain => crate::plain::read(text),
        Form::Script | Form::Transcript => crate::plain::whole(text, form),
    }
}

pub(crate) fn of(text: &str, name: &str) -> Form {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let named =
        ending.and_then(|ending| ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form));
    match named {
        // Signatures of keys end in `.asc` too.
        Some(Form::AsciiDoc) if text.starts_with("-----BEGIN") => Form::Plain,
        Some(form) => form,
        None => looks(text),
    }
}

/// The form of a text without a name, by marks that only this form has.
fn looks(text: &str) -> Form {
    let start = text.trim_start();
    if start.starts_with("#!") && start.lines().next().is_some_and(|line| line.contains("sh")) {
        return Form::Script;
    }
    let head = start.get(..400).unwrap_or(start).to_ascii_lowercase();
    if ["<!doctype html", "<html"].iter().any(|mark| head.starts_with(mark)) || head.contains("<html") {
        return Form::Html;
    }
    let first = start.lines().next().unwrap_or_default();
    if first.starts_with("$ ") || first.split_once(['$', '#']).is_some_and(|(user, _)| is_prompt(user)) {
        return Form::Transcript;
    }
    let mut scores = [(Form::Markdown, 0), (Form::ReStructuredText, 0), (Form::AsciiDoc, 0), (Form::Org, 0)];
    let mut above = "";
    let sample = lines(text, 0..text.len());
    for line in sample.iter().take(SAMPLE_LINES).map(|line| line.text.trim_end()) {
        for (form, score) in &mut scores {
            *score += marks(*form, line, above);
        }
        above = line;
    }
    let best = scores.iter().max_by_key(|(form, score)| (*score, *form == Form::Markdown));
    match best {
        Some((form, score)) if *score >= 3 => *form,
        _ => Form::Plain,
    }
}

fn marks(form: Form, line: &str, above: &str) -> u32 {
    let trimmed = line.trim_start();
    match form {
        Form::Markdown => {
            let hashes = line.len() - line.trim_start_matches('#').len();
            let heading = (1..=6).contains(&hashes) && line[hashes..].starts_with(' ');
            match () {
                () if trimmed.starts_with("```") => 3,
                // One hash is a comment of many languages too.
                () if heading => {
                    if hashes > 1 {
                        3
                    } else {
                        1
                    }
                }
                () if line.contains("](") => 2,
                // Lists are of every form.
                () if line.matches("**").count() > 1 => 1,
                () => 0,
            }
        }
        Form::ReStructuredText => match () {
            () if trimmed.starts_with(".. ") && (trimmed.contains("::") || trimmed.starts_with(".. _")) => 4,
            () if line.contains("``") && !trimmed.starts_with("```") => 1,
            () if line.contains(":`") || line.contains("`_") => 2,
            () if line.ends_with("::") && !line.trim_end_matches("::").is_empty() => 2,
            () => 0,
        },
        Form::AsciiDoc => {
            let equals = line.len() - line.trim_start_matches('=').len();
            match () {
                () if trimmed.starts_with("[source")
                    || trimmed.starts_with("[NOTE]")
                    || trimmed.starts_with("[TIP]") =>
                {
                    4
                }
                () if (1..=5).contains(&equals)
                    && line[equals..].starts_with(' ')
                    && line.len() > equals + 1 =>
                {
                    2
                }
                () if line == "----" && (above.starts_with('[') || above.starts_with('.')) => 3,
                () => 0,
            }
        }
        Form::Org => match () {
            () if trimmed.get(..2) == Some("#+") && trimmed.contains([':', '_']) => 4,
            () if line.starts_with("** ") => 2,
            () => 0,
        },
        Form::Mdx | Form::Html | Form::Plain | Form::Script | Form::Transcript | Form::Binary => 0,
    }
}

/// `user@host:~`, before the sign of a prompt.
fn is_prompt(user: &str) -> bool {
    user.len() > 3
        && user.contains('@')
        && user.contains([':', ' ', ']'])
        && !user.contains("](")
        && user.len() < 60
}
