//! A command as a manual writes it: `tool [options] <file>...`. What stands in brackets may be left out, so a reader who installs
//! something leaves it out; anything else only shows how a command is put together.

use std::ops::Range;

/// Words of a command in brackets of a manual, none in quotes. `None` where the text is no such command.
pub(super) fn optional_parts(command: &str) -> Option<Vec<Range<usize>>> {
    if command.contains('\n') {
        return None;
    }
    let mut parts = Vec::new();
    let mut quote = None;
    let mut begins_word = true;
    let mut before = "";
    let mut at = 0;
    while let Some(letter) = command[at..].chars().next() {
        match letter {
            '\'' | '"' if quote.is_none() => quote = Some(letter),
            _ if quote == Some(letter) => quote = None,
            '[' if quote.is_none() && begins_word && !tests(before) && !is_value(before, &command[at..]) => {
                if let Some(end) = end_of(&command[at..]) {
                    parts.push(at..at + end);
                    at += end;
                    begins_word = false;
                    continue;
                }
            }
            _ => {}
        }
        begins_word = quote.is_none() && letter.is_whitespace();
        at += letter.len_utf8();
        if begins_word {
            before = command[..at].split_whitespace().next_back().unwrap_or_default();
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// Without what may be left out.
pub(super) fn without(command: &str, parts: &[Range<usize>]) -> String {
    let mut kept = command.to_owned();
    parts.iter().rev().for_each(|part| kept.replace_range(part.clone(), ""));
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a word alone says that more may follow: `cargo ...`.
pub(super) fn goes_on(command: &str) -> bool {
    command.split_whitespace().skip(1).any(|word| matches!(word, "..." | "…" | "[...]" | "[…]"))
}

/// `--branch [release_tag]`, `[your-name]`: a value that the reader writes in.
fn is_value(before: &str, text: &str) -> bool {
    let inside = text[1..].split(']').next().unwrap_or_default();
    let is_name = inside.contains('_') && inside.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_');
    before.starts_with("--") && is_name || inside.to_lowercase().starts_with("your")
}

/// Behind this word `[` is a program.
fn tests(before: &str) -> bool {
    before.is_empty()
        || before.ends_with([';', '&', '|', '(', '{'])
        || matches!(
            before,
            "if" | "while" | "until" | "!" | "then" | "do" | "else" | "elif" | "sudo" | "time"
        )
}

/// Where the bracket at the start ends, if what it holds are words and not a pattern's letters.
fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0;
    let end = text.char_indices().find_map(|(at, letter)| {
        depth += match letter {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at + 1)
    })?;
    let behind = text[end..].trim_start_matches("...");
    let is_word = behind.is_empty() || behind.starts_with(char::is_whitespace);
    let inside = text[1..end - 1].trim();
    let says = inside.len() > 1 && inside.starts_with(|c: char| c.is_ascii_alphabetic() || "-<[".contains(c))
        || inside.len() == 1 && inside.chars().all(|c| c.is_ascii_alphabetic());
    (is_word && says).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_left_out_is_found() {
        for (command, kept) in [
            ("npm install [-g] shelljs", "npm install shelljs"),
            ("http-server [path] [options]", "http-server"),
            ("az [ group ] [ subgroup ] list", "az list"),
            ("git clone [--depth [n]] url", "git clone url"),
            ("tool run [FILE]...", "tool run..."),
        ] {
            let parts = optional_parts(command).expect(command);
            assert_eq!(without(command, &parts).replace(" ...", "..."), kept);
        }
    }

    #[test]
    fn patterns_tests_and_extra_parts_stay() {
        for command in [
            "pip install 'flask[async]' black[d]",
            "[ -f x ] && echo y",
            "if [ -f x ]; then echo y; fi",
            "true && [ -f x ]",
            "ls [abc]*.txt",
            "echo '[x] done'",
            "[[ -n x ]]",
        ] {
            assert_eq!(optional_parts(command), None, "{command}");
        }
        assert!(goes_on("cargo ...") && !goes_on("go test ./..."));
    }
}
