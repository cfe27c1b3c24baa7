//! What was typed or pasted wrongly, mended in the text of the command.

use super::super::case::{Case, text};
use super::super::template::{Findings, quote};

/// `command`: with plain quotes, dashes and blanks.
pub(super) fn straight_quotes(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = &case.failure.command;
    let mut plain = String::with_capacity(asked.len());
    let mut chars = asked.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '“' | '”' | '„' => plain.push('"'),
            '‘' | '’' => plain.push('\''),
            '\u{a0}' => plain.push(' '),
            '\u{200b}' => {}
            '–' | '—' | '−' if plain.is_empty() || plain.ends_with(' ') => {
                // Two dashes became one long one: `–help`; but `–v` and `–xzf` were short all along.
                let letters: String =
                    chars.clone().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
                let program = plain.split_whitespace().find(|word| *word != "sudo").unwrap_or_default();
                let usual = [
                    "all", "help", "user", "name", "path", "file", "type", "yes", "port", "host", "hard",
                    "soft",
                ];
                let long = c == '—' && letters.len() > 1
                    || letters.len() > 4
                    || letters.len() > 1
                        && (usual.contains(&letters.as_str())
                            || super::super::advice::knows_option(program, &format!("--{letters}")));
                plain.push_str(if long { "--" } else { "-" });
            }
            other => plain.push(other),
        }
    }
    // An apostrophe in a word is no quote: then nobody can tell.
    let closed =
        plain.matches('"').count().is_multiple_of(2) && plain.matches('\'').count().is_multiple_of(2);
    (closed && plain != *asked).then(|| found.set("command", plain))
}

/// `name` → `near` and `rest`: a program and what was glued to it.
pub(super) fn missing_blank(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    case.runs().find(|run| text(run.head()) == Some(&name))?;
    for (at, _) in name.char_indices().skip(1) {
        let (program, rest) = name.split_at(at);
        let there = super::is_builtin(program) || case.has_program(program);
        let option = rest
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-'));
        let place = rest == ".." || rest == "." || rest.starts_with("../");
        let known = crate::knowledge::program(program);
        let sub = known.is_some_and(|entry| entry.sub_command(rest).is_some());
        // `git-lfs` is a program's name: an option behind one that has sub-commands would be a long one.
        let plain = known.is_some_and(|entry| entry.sub.is_empty() || rest.starts_with("--"));
        let dashed = rest
            .strip_prefix('-')
            .is_some_and(|rest| known.is_some_and(|entry| entry.sub_command(rest).is_some()));
        let fits = option && (plain || dashed)
            || place && program == "cd"
            || program == "ps" && matches!(rest, "aux" | "auxf")
            || sub && (rest.len() > 2 || rest.len() == 2 && program.len() > 4);
        if there && fits {
            // `git-status`: the dash stands where the blank belongs.
            let named = rest
                .strip_prefix('-')
                .filter(|rest| known.is_some_and(|entry| entry.sub_command(rest).is_some()));
            found.set("near", program);
            found.set("rest", named.unwrap_or(rest));
            return Some(());
        }
    }
    None
}

/// `mode`: `-a ` where the redirection appends.
pub(super) fn tee_mode(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let mode = if found.get("how")? == ">>" { "-a " } else { "" };
    found.set("mode", mode);
    Some(())
}

/// `command`: with the quote closed that is opened last.
pub(super) fn close_quote(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = case.failure.command.trim_end();
    let quote = found.get("quote")?.to_owned();
    let other = if quote == "\"" { "'" } else { "\"" };
    let heredoc = asked.contains("<<");
    if asked.matches(quote.as_str()).count() != 1 || asked.contains(other) || asked.contains('\n') || heredoc
    {
        return None;
    }
    // `don't`: the quote is an apostrophe, and closing it would swallow the rest.
    let at = asked.find(quote.as_str())?;
    let inside_word = asked[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    (!inside_word).then(|| found.set("command", format!("{asked}{quote}")))
}

/// `command`: find's type as its letter.
pub(super) fn find_type(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = &case.failure.command;
    let words = [("file", "f"), ("directory", "d"), ("dir", "d"), ("folder", "d"), ("link", "l")];
    let (word, letter) = words.into_iter().find(|(word, _)| asked.contains(&format!("-type {word}")))?;
    found.set("command", asked.replacen(&format!("-type {word}"), &format!("-type {letter}"), 1));
    Some(())
}

/// `path` → `folder`: where the file is.
pub(super) fn folder_of_file(_: &Case<'_>, found: &mut Findings) -> Option<()> {
    let folder = super::files::parent(found.get("path")?).unwrap_or(".").to_owned();
    // Staying here is no repair that anybody wants.
    (folder != ".").then(|| found.set("folder", folder))
}

/// `command`: a script run by its interpreter, where its disk allows no programs.
pub(super) fn noexec_script(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let path = found.get("path")?.to_owned();
    let run = case.runs().find(|run| text(run.head()) == Some(&path))?;
    let place = case.on_disk(&path)?;
    let mounts = case.machine.read(std::path::Path::new("/proc/mounts"))?;
    let of = mounts.lines().filter_map(|line| {
        let mut columns = line.split(' ');
        let (on, options) = (columns.nth(1)?, columns.nth(1)?);
        place.starts_with(on).then_some((on.len(), options))
    });
    let (_, options) = of.max_by_key(|(length, _)| *length)?;
    if !options.split(',').any(|option| option == "noexec") {
        return None;
    }
    let source = case.read(&path)?;
    let line = source.lines().next()?.strip_prefix("#!")?;
    let interpreter = line.trim().trim_start_matches("/usr/bin/env ").rsplit('/').next()?.to_owned();
    found.set("command", case.insert_before(run.head(), &format!("{} ", quote(&interpreter)))?);
    Some(())
}

/// `command`: with the end of the one block that is opened and not closed.
pub(super) fn unfinished_block(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = case.failure.command.trim_end().trim_end_matches(';').trim_end();
    if asked.contains("<<") || asked.contains(['\'', '"', '`', '#']) {
        return None;
    }
    let count = |word: &str| {
        asked.split(|c: char| c.is_whitespace() || c == ';').filter(|part| *part == word).count()
    };
    let open = [("do", "done"), ("then", "fi"), ("in", "esac")].into_iter().filter(|(start, end)| {
        // `in` also stands in `for`, whose `do` counts.
        let starts = if *start == "in" { count("case") } else { count(start) };
        starts == count(end) + 1
    });
    let (_, end) = super::super::case::one(open)?;
    // `elif … then` has a `then` of its own.
    (count("elif") == 0).then(|| found.set("command", format!("{asked}; {end}")))
}

/// `name` (`clone--depth`) → `command`: a sub-command and the option glued to it.
pub(super) fn blank_before_option(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name")?.to_owned();
    let run = case.runs().find(|run| run.args().first().and_then(text) == Some(&name))?;
    let at = name.find("-")?;
    let entry = crate::knowledge::program(run.program())?;
    let (sub, option) = name.split_at(at);
    let is_option = option.starts_with("--") || option.len() == 2;
    (is_option && entry.sub_command(sub).is_some()).then_some(())?;
    let word = run.args().first()?;
    found.set("command", case.splice(&[(word.span, &format!("{sub} {option}"))])?);
    Some(())
}

/// `command`: the bracketed words of an `echo` in quotes.
pub(super) fn quote_parentheses(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = &case.failure.command;
    let (before, words) = asked.split_once(' ')?;
    let plain = |c: char| c.is_alphanumeric() || " ()-_.,:!?/".contains(c);
    let closed = words.matches('(').count() == words.matches(')').count();
    let is_prose = matches!(before, "echo" | "printf") && words.chars().all(plain) && closed;
    // `!` starts a look into the history at a keyboard, so the quotes are single.
    is_prose.then(|| found.set("command", format!("{before} '{words}'")))
}

const KEYWORDS: [&str; 30] = [
    "select", "from", "where", "insert", "into", "values", "update", "delete", "create", "table", "database",
    "index", "alter", "drop", "order", "group", "having", "limit", "offset", "inner", "outer", "join",
    "distinct", "between", "primary", "truncate", "grant", "revoke", "explain", "describe",
];

/// `typed` → `command`: the word of a query that SQL does not know, where one of SQL's own is near to it.
pub(super) fn near_keyword(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let typed = found.get("typed")?.to_owned();
    let lower = typed.to_ascii_lowercase();
    let near = super::super::near::nearest(&lower, KEYWORDS)?;
    // What takes something away is never guessed.
    if matches!(near, "delete" | "drop" | "truncate" | "revoke") {
        return None;
    }
    let near =
        if typed.chars().all(|c| !c.is_lowercase()) { near.to_ascii_uppercase() } else { near.to_owned() };
    let asked = &case.failure.command;
    if asked.matches(typed.as_str()).count() != 1 {
        return None;
    }
    found.set("command", asked.replacen(&typed, &near, 1));
    found.set("near", near);
    Some(())
}

/// `command`: the address with the scheme that was meant.
pub(super) fn near_scheme(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let scheme = found.get("scheme")?.to_owned();
    let pool = ["http", "https", "ftp", "sftp", "ssh", "git", "file"];
    // `htps` is as near to http as to https: a letter left out is likelier than a wrong one too many.
    let near = match scheme.as_str() {
        "htps" | "htpps" | "htttps" | "httpss" | "hhttps" | "ttps" | "httos" | "httsp" => "https",
        "htp" | "hhttp" | "htttp" | "httpp" | "ttp" => "http",
        other => super::super::near::nearest(other, pool)?,
    };
    let asked = &case.failure.command;
    let typed = format!("{scheme}:");
    if asked.matches(typed.as_str()).count() != 1 {
        return None;
    }
    found.set("command", asked.replacen(&typed, &format!("{near}:"), 1));
    found.set("near", near);
    Some(())
}

/// `command`: with the `;` before the `do`, `then` or `done` that stands in the middle of a line.
pub(super) fn missing_separator(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let asked = case.failure.command.trim_end();
    if asked.contains(['\'', '"', '`', '#', '\n']) || asked.contains("<<") {
        return None;
    }
    let mut changed = String::new();
    let mut heads = Vec::new();
    for word in asked.split(' ') {
        let opened = match word {
            "do" | "then" => heads.pop().is_some(),
            "done" | "fi" => true,
            _ => false,
        };
        if matches!(word, "for" | "while" | "until" | "if" | "elif") {
            heads.push(word);
        }
        let glued = changed.is_empty()
            || changed.ends_with([';', '&', '|', '('])
            || changed.ends_with(" do")
            || changed.ends_with(" then")
            || changed.ends_with(" else");
        if opened && !glued {
            changed.push(';');
        }
        if !changed.is_empty() {
            changed.push(' ');
        }
        changed.push_str(word);
    }
    // What is still open would be as unreadable as before.
    let count = |ends: &[&str]| asked.split([' ', ';']).filter(|word| ends.contains(word)).count();
    let is_closed = heads.is_empty()
        && count(&["for", "while", "until"]) == count(&["done"])
        && count(&["if"]) == count(&["fi"]);
    (changed != asked && is_closed).then(|| found.set("command", changed))
}

/// `word` → `command`: the words of a commit's message that were left without quotes.
pub(super) fn unquoted_message(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let word = found.get("word")?.to_owned();
    let run = case.only_run(&["git"])?;
    let args = run.args();
    let at =
        args.iter().position(|arg| text(arg).is_some_and(|arg| matches!(arg, "-m" | "-am" | "--message")))?;
    let words = args.get(at + 1..)?;
    let end =
        words.iter().position(|arg| text(arg).is_none_or(|arg| arg.starts_with('-'))).unwrap_or(words.len());
    let words: Option<Vec<&str>> = words[..end].iter().map(text).collect();
    let words = words?;
    // The first word that git took for a path is the second of the message; a path that is there may be one.
    let is_message = words.get(1) == Some(&word.as_str()) && words[1..].iter().all(|word| !case.exists(word));
    if !is_message {
        return None;
    }
    let span = planwright_shell::Span { start: args[at + 1].span.start, end: args[at + end].span.end };
    let message = super::super::template::quote(&words.join(" "));
    found.set("command", case.splice(&[(span, &message)])?);
    Some(())
}
