//! `find`: what it does with what it finds.

use planwright_shell::Span;

use super::args::Parsed;
use super::delete::remove;
use super::judge::{How, Judge};
use super::words::{Arg, Text};
use crate::protocol::Risk;

pub(super) fn find(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>, how: How<'_>) {
    // What was found stands for everything below the folders that are searched, by the names that are asked for.
    if !parsed.inner.is_empty() {
        let names = ["-name", "-iname", "-path", "-ipath"].iter().filter_map(|name| parsed.value(name));
        for name in names {
            let text = name.known().unwrap_or_default().trim_start_matches('*').replace('*', "x");
            j.read(&name.with(format!("/{}", text.trim_start_matches('/').trim_start_matches("."))));
            j.read(&name.with(format!("/x{text}")));
        }
    }
    let starts: Vec<&str> = parsed.words.iter().filter_map(|arg| arg.known()).collect();
    let unknown = parsed.words.len() != starts.len();
    for inner in &parsed.inner {
        let mut args: Vec<Arg> = Vec::new();
        for arg in *inner {
            if !arg.known().is_some_and(|text| text.contains("{}")) {
                args.push(arg.clone());
            } else if unknown || arg.known() != Some("{}") {
                args.push(Arg {
                    text: Text::Unknown { prefix: String::new(), split: false },
                    span: arg.span,
                });
            } else {
                let folders = if starts.is_empty() { vec!["."] } else { starts.clone() };
                args.extend(folders.iter().map(|start| Arg {
                    text: Text::Glob { pattern: format!("{start}/*"), tilde: start.starts_with('~') },
                    span: arg.span,
                }));
            }
        }
        if args.is_empty() {
            let span = parsed.flags.first().map_or(Span { start: 0, end: 0 }, |given| given.span);
            j.unread("which program runs is not known", span);
        }
        let encrypts = ["openssl", "gpg", "age", "ccrypt", "ccencrypt", "7z", "mcrypt"];
        if let Some(program) =
            args.first().filter(|arg| arg.known().is_some_and(|name| encrypts.contains(&name)))
        {
            j.found.add(Risk::Dangerous, "encrypts whatever it finds", program.span);
        }
        j.run(&args, how);
    }
    if parsed.has("-delete") {
        remove(j, parsed, true);
    }
}
