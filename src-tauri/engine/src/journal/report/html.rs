//! The report as one HTML page that stands alone: no script, nothing loaded, no address in it. It is made from the Markdown
//! alone, so there is one report; whatever came of the Markdown as HTML, as a link or as a picture is text here.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Parser, Tag, TagEnd, html};

/// Forbids by the browser's own hand what the page does not do.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
const STYLE: &str = include_str!("report.css");
const FALLBACK: &str = "Report";

/// Draws a report that [`super::report`] wrote.
pub fn page(markdown: &str) -> String {
    let events: Vec<Event<'_>> = Parser::new(markdown).filter_map(harmless).collect();
    let (title, sections) = headings(&events);
    let title = title.unwrap_or_else(|| FALLBACK.to_owned());
    let mut body = String::new();
    html::push_html(&mut body, numbered(events, &sections).into_iter());
    let mut contents = String::new();
    for (at, section) in sections.iter().enumerate() {
        contents.push_str(&format!("<li><a href=\"#part-{at}\">{}</a></li>\n", escaped(section)));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<nav aria-label=\"Contents\">\n<p>Planwright</p>\n<ul>\n{contents}</ul>\n</nav>\n\
         <main>\n{body}</main>\n</body>\n</html>\n",
        escaped(&title)
    )
}

/// What the Markdown should not hold becomes the text that it is.
fn harmless(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        | Event::End(TagEnd::Link | TagEnd::Image | TagEnd::HtmlBlock) => None,
        other => Some(other),
    }
}

/// The page's title and the names of its parts, in order.
fn headings(events: &[Event<'_>]) -> (Option<String>, Vec<String>) {
    let (mut title, mut sections) = (None, Vec::new());
    let mut open: Option<(HeadingLevel, String)> = None;
    for event in events {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { level, .. }), _) => open = Some((*level, String::new())),
            (Event::Text(text) | Event::Code(text), Some((_, words))) => words.push_str(text),
            (Event::End(TagEnd::Heading(_)), _) => match open.take() {
                Some((HeadingLevel::H1, words)) if title.is_none() => title = Some(words),
                Some((HeadingLevel::H2, words)) => sections.push(words),
                Some(_) | None => {}
            },
            _ => {}
        }
    }
    (title, sections)
}

/// Each part gets a name for the contents to point at; it never comes from the text.
fn numbered<'a>(events: Vec<Event<'a>>, sections: &[String]) -> Vec<Event<'a>> {
    let mut parts = 0..sections.len();
    events
        .into_iter()
        .map(|event| match event {
            Event::Start(Tag::Heading { level, classes, .. }) => {
                let part = if level == HeadingLevel::H2 { parts.next() } else { None };
                let id = part.map(|at| CowStr::from(format!("part-{at}")));
                Event::Start(Tag::Heading { level, id, classes, attrs: Vec::new() })
            }
            other => other,
        })
        .collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
