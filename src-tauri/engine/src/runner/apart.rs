//! Commands that cannot run in the shell that lives on, and have one of their own.

use super::RunRequest;
use super::unchanged::Foreseen;

/// Another program takes the shell's place, a password may be asked for on behalf of the shell that would then be remembered, or
/// the shell would wait for the end of a text that has none.
pub(super) fn has_a_shell_of_its_own(request: &RunRequest, foreseen: Foreseen) -> bool {
    let command = request.action.command();
    let asks = |text: &str| ["sudo", "pkexec", "doas"].iter().any(|program| text.contains(program));
    request.terminal.is_some()
        || foreseen.reads_start_up
        || asks(command)
        || request.shell.functions.values().chain(&request.shell.traps).any(|text| asks(text))
        || replaces(command)
        || has_open_document(command)
}

/// Whether another program may take the place of the shell (`exec` with more than descriptors), or of what it does itself
/// (`enable`).
fn replaces(command: &str) -> bool {
    let plain = without_quoted(command);
    // In quotes it may be run by `eval`; nothing here says that it is not.
    let is_quoted = words_called(command, "enable") > words_called(&plain, "enable");
    is_quoted
        || calls(&plain, "enable").next().is_some()
        || calls(&plain, "exec").filter(|(before, _)| !is_within_brackets(before)).any(|(_, behind)| {
            let next = behind.split(['\n', ';', '&', '|']).next().unwrap_or_default();
            next.split([' ', '\t', '\\'])
                .find(|word| !word.is_empty())
                .is_some_and(|word| !word.contains(['<', '>']))
        })
}

/// How often a word stands in a text, whatever is around it.
fn words_called(text: &str, word: &str) -> usize {
    text.split(|sign: char| !sign.is_ascii_alphanumeric() && !"_-".contains(sign))
        .filter(|part| *part == word)
        .count()
}

/// What stands before and behind a word where it begins a command.
fn calls<'a>(plain: &'a str, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    const BEFORE: [&str; 13] = [
        "do", "then", "else", "elif", "if", "while", "until", "!", "{", "time", "builtin", "command", "eval",
    ];
    plain.match_indices(word).filter_map(move |(at, _)| {
        let (before, behind) = (&plain[..at], &plain[at + word.len()..]);
        let line = before.trim_end_matches([' ', '\t']);
        let last = line.rsplit([' ', '\t', '\n', ';', '&', '|', '(']).next().unwrap_or_default();
        let begins = last.is_empty() || BEFORE.contains(&last) || last.contains('=') || last.ends_with(')');
        let ends = behind.is_empty() || behind.starts_with([' ', '\t', '\n', ';', '&', '|', '\\', '<', '>']);
        let stands = before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '|', '(', '\\']);
        (stands && begins && ends).then_some((before, behind))
    })
}

/// Whether a bracket of the text before is still open.
fn is_within_brackets(before: &str) -> bool {
    let count = |sign| before.matches(sign).count();
    count('(') > count(')')
}

/// With an empty text in the place of each that stands in quotes.
fn without_quoted(command: &str) -> String {
    let mut plain = String::with_capacity(command.len());
    let mut quote = None;
    let mut signs = command.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some('"'), '\\') => drop(signs.next()),
            // A letter is the same without it; any other sign means nothing behind it.
            (None, '\\') => match signs.next() {
                Some(letter) if letter.is_ascii_alphanumeric() => plain.push(letter),
                Some(_) => plain.push(' '),
                None => {}
            },
            (None, '\'' | '"') => {
                quote = Some(sign);
                plain.push_str("''");
            }
            (None, sign) => plain.push(sign),
            (Some(open), sign) if sign == open => quote = None,
            (Some(_), _) => {}
        }
    }
    plain
}

/// Whether a here-document may have no end, so that it would take in what is said to the shell behind the command.
fn has_open_document(command: &str) -> bool {
    let mut rest = command;
    while let Some(at) = rest.find("<<") {
        rest = &rest[at + 2..];
        if let Some(behind) = rest.strip_prefix('<') {
            rest = behind;
            continue;
        }
        let behind = rest.trim_start_matches('-').trim_start_matches([' ', '\t']);
        let word = behind.split([' ', '\t', '\n', ';', '|', '&', '>', '<', ')']).next().unwrap_or_default();
        let word: String = word.chars().filter(|sign| !['\'', '"', '\\'].contains(sign)).collect();
        if !behind.lines().skip(1).any(|line| line.trim_start_matches('\t') == word) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_replaces_the_shell_or_its_own_commands() {
        for command in [
            "exec bash",
            "exec \"$SHELL\"",
            "cd /tmp && exec zsh -l",
            "if true; then exec sh; fi",
            "A=1 exec env",
            "\\exec ls",
            "command exec ls",
            "case a in a) exec ls;; esac",
            "(true); exec ls",
            "enable -n printf",
            "true; enable -f ./x.so x",
            "builtin enable -n test",
            "eval enable -n printf",
            "eval 'enable -f ./x.so cd'",
            ": # (\nenable -f ./x.so cd",
            "eval exec bash",
        ] {
            assert!(replaces(command), "{command}");
        }
        for command in [
            "exec 3>log",
            "exec > >(tee log) 2>&1",
            "exec <&-",
            "(cd a && exec python3 server.py) &",
            "(exec true)",
            "x=$(exec date)",
            "systemctl enable --now nginx",
            "a2enmod rewrite; a2ensite enable",
            "enable_maintenance",
            "find . -exec ls {} +",
            "docker exec -it web bash",
            "echo 'exec ls'",
        ] {
            assert!(!replaces(command), "{command}");
        }
    }

    #[test]
    fn a_document_without_an_end() {
        assert!(has_open_document("cat <<E\nhello"));
        assert!(!has_open_document("cat <<E\nhello\nE"));
        assert!(!has_open_document("cat <<<E"));
    }
}
