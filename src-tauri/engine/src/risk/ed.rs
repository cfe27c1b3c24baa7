//! What an `ed` script does besides changing the lines of its file.

use super::judge::Judge;
use super::words::Arg;
use crate::protocol::Risk;
use planwright_shell::Span;

/// Judges each command of `script`; what stands between `a`, `i` or `c` and a dot is text.
pub(super) fn script(j: &mut Judge<'_>, script: &str, span: Span) {
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        let Some((command, rest)) = command(line) else {
            j.found.add(Risk::Dangerous, "its own commands could not be read", span);
            return;
        };
        match command {
            'a' | 'i' | 'c' if rest.is_empty() => while lines.next().is_some_and(|line| line != ".") {},
            'w' | 'W' if rest.trim().is_empty() || rest == "q" => {}
            'w' | 'W' | 'f' | 'e' | 'E' if !rest.contains('!') && rest.starts_with(' ') => {
                let name = rest.trim().to_owned();
                j.write(&Arg { text: super::Text::Known { text: name, tilde: false }, span });
            }
            'r' if rest.starts_with(' ') && !rest.contains('!') => {}
            's' | 'd' | 'm' | 't' | 'j' | 'k' | 'p' | 'n' | 'l' | 'q' | 'Q' | 'u' | 'H' | 'h' | 'P' | '='
            | '\n' => {}
            _ => j.found.add(Risk::Dangerous, "its own commands may run programs or change files", span),
        }
    }
}

/// The letter behind the address and what follows it; a line of an address alone has none.
fn command(line: &str) -> Option<(char, &str)> {
    let mut rest = line.trim_start();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ".$,;%+-^ ".contains(c));
        if let Some(mark) = rest.strip_prefix('\'') {
            rest = mark.get(1..)?;
            continue;
        }
        let Some(delimiter) = rest.chars().next().filter(|c| matches!(c, '/' | '?')) else { break };
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let ends = *c == delimiter && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        // The last delimiter may be left out.
        rest = end.map_or("", |(end, _)| rest.get(end + 1..).unwrap_or_default());
    }
    match rest.chars().next() {
        None => Some(('\n', "")),
        Some(command) => Some((command, rest.get(command.len_utf8()..)?)),
    }
}
