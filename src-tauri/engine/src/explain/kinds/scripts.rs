//! Small programs in a word, sed, awk, jq, SQL and ffmpeg's filters: in words where they are simple, by name where not.

use super::{listed, patterns, shortened};

/// `s/a/b/g;/x/d`
pub(super) fn sed(script: &str) -> String {
    let told: Option<Vec<String>> = sed_commands(script)
        .and_then(|commands| commands.iter().map(|command| sed_command(command)).collect());
    match told {
        Some(told) if !told.is_empty() && told.len() <= 4 => told.join("; then "),
        _ => "editing commands for each line".to_owned(),
    }
}

/// Splits at `;` and line ends that stand between commands; `None` where that cannot be told.
fn sed_commands(script: &str) -> Option<Vec<String>> {
    if script.contains(['{', '}']) {
        return None;
    }
    let mut commands = vec![String::new()];
    let mut rest = script.trim();
    while let Some(c) = rest.chars().next() {
        let last = commands.last_mut()?;
        let starts_substitution = matches!(c, 's' | 'y') && !last.ends_with('\\');
        if c == ';' || c == '\n' {
            commands.push(String::new());
            rest = rest.get(1..)?;
        } else if c == '/' {
            let end = closing(rest.get(1..)?, '/')?;
            last.push_str(rest.get(..end + 2)?);
            rest = rest.get(end + 2..)?;
        } else if starts_substitution {
            let sign = rest.chars().nth(1)?;
            let from = 1 + sign.len_utf8();
            let middle = closing(rest.get(from..)?, sign)?;
            let to = from + middle + sign.len_utf8();
            let end = closing(rest.get(to..)?, sign)?;
            let whole = to + end + sign.len_utf8();
            last.push_str(rest.get(..whole)?);
            rest = rest.get(whole..)?;
        } else {
            last.push(c);
            rest = rest.get(c.len_utf8()..)?;
        }
    }
    commands.retain(|command| !command.trim().is_empty());
    Some(commands)
}

/// Where `sign` stands next, not escaped, in bytes.
fn closing(text: &str, sign: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let found = c == sign && !escaped;
        escaped = c == '\\' && !escaped;
        found.then_some(at)
    })
}

fn sed_command(command: &str) -> Option<String> {
    let command = command.trim();
    let (place, rest) = sed_place(command)?;
    let what = match rest.trim() {
        "d" => "deletes".to_owned(),
        "p" => "prints".to_owned(),
        "q" => return Some(format!("stops after {}", place.unwrap_or_else(|| "the first line".into()))),
        "=" => "prints the numbers of".to_owned(),
        rest if rest.starts_with('s') => return substitution(rest, place.as_deref()),
        rest => {
            let text = rest.get(1..)?.trim_start_matches(['\\', ' ', '\n']);
            let how = match rest.chars().next()? {
                'a' => "adds a line behind",
                'i' => "adds a line before",
                'c' => "puts a line in the place of",
                _ => return None,
            };
            let place = place.unwrap_or_else(|| "every line".into());
            return Some(format!("{how} {place}: {}", shortened(text)));
        }
    };
    Some(format!("{what} {}", place.unwrap_or_else(|| "every line".into())))
}

/// The lines that a command is for, and the rest of it.
fn sed_place(command: &str) -> Option<(Option<String>, &str)> {
    let Some((first, rest)) = sed_line(command) else { return Some((None, command)) };
    let Some(behind) = rest.strip_prefix(',') else {
        let negated = rest.strip_prefix('!');
        let place = if negated.is_some() { format!("all but {first}") } else { first };
        return Some((Some(place), negated.unwrap_or(rest)));
    };
    let (last, rest) = sed_line(behind)?;
    Some((Some(format!("{first} to {last}")), rest))
}

fn sed_line(text: &str) -> Option<(String, &str)> {
    if let Some(rest) = text.strip_prefix('$') {
        return Some(("the last line".to_owned(), rest));
    }
    if let Some(rest) = text.strip_prefix('/') {
        let end = closing(rest, '/')?;
        let pattern = patterns::regex(rest.get(..end)?, false);
        return Some((format!("lines with {pattern}"), rest.get(end + 1..)?));
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text.get(..end).filter(|number| !number.is_empty())?;
    Some((format!("line {number}"), text.get(end..)?))
}

fn substitution(command: &str, place: Option<&str>) -> Option<String> {
    let sign = command.chars().nth(1)?;
    let rest = command.get(1 + sign.len_utf8()..)?;
    let middle = closing(rest, sign)?;
    let (from, behind) = (rest.get(..middle)?, rest.get(middle + sign.len_utf8()..)?);
    let end = closing(behind, sign)?;
    let (to, flags) = (behind.get(..end)?, behind.get(end + sign.len_utf8()..)?.trim());
    if flags.chars().any(|c| !"gpiIM0123456789".contains(c)) {
        return None;
    }
    let from = from.replace(&format!("\\{sign}"), &sign.to_string());
    let to = to.replace(&format!("\\{sign}"), &sign.to_string());
    let every = if flags.contains('g') { "every" } else { "the first" };
    let what = patterns::regex(&from, false);
    // "every run of blanks", not "every a run of blanks".
    let what = what.strip_prefix("a ").map_or(what.clone(), str::to_owned);
    let case = if flags.contains(['i', 'I']) { ", capital or small," } else { "" };
    let place = place.map_or_else(|| "in each line".to_owned(), |place| format!("in {place}"));
    let print = if flags.contains('p') { ", and prints the lines that it changed" } else { "" };
    Some(if to.is_empty() {
        format!("takes {every} {what}{case} away {place}{print}")
    } else {
        format!("puts \"{}\" in the place of {every} {what}{case} {place}{print}", shortened(&to))
    })
}

/// `{print $1}`
pub(super) fn awk(program: &str) -> String {
    awk_simple(program.trim()).unwrap_or_else(|| "a small program that is run on each line".to_owned())
}

fn awk_simple(program: &str) -> Option<String> {
    if let Some((before, sum)) = program.split_once("END") {
        let field = before.trim().strip_prefix('{')?.trim_end().strip_suffix('}')?.split_once("+=")?;
        let printed = sum.trim().strip_prefix('{')?.trim_end().strip_suffix('}')?.trim();
        let same = printed.strip_prefix("print")?.trim().starts_with(field.0.trim());
        return same.then(|| format!("adds up {} and prints the sum", awk_value(field.1.trim())));
    }
    let (condition, action) = match program.find('{') {
        Some(at) => {
            (program.get(..at)?.trim(), Some(program.get(at..)?.strip_prefix('{')?.strip_suffix('}')?))
        }
        None => (program, None),
    };
    let place = match condition {
        "" => String::new(),
        condition => format!(" of lines {}", awk_condition(condition)?),
    };
    let Some(action) = action.map(str::trim) else {
        return (!place.is_empty()).then(|| format!("prints {}", place.trim_start_matches(" of ")));
    };
    let printed = action.strip_prefix("print")?.trim_end_matches(';').trim();
    if printed.contains(['>', '|', '(', ';', '{']) || printed.starts_with('f') {
        return None;
    }
    if printed.is_empty() {
        return Some(match place.is_empty() {
            true => "prints every line".to_owned(),
            false => format!("prints {}", place.trim_start_matches(" of ")),
        });
    }
    let values: Vec<String> = printed.split(',').map(|value| awk_value(value.trim())).collect();
    Some(format!("prints {}{}", listed(&values), if place.is_empty() { " of each line" } else { &place }))
}

fn awk_condition(condition: &str) -> Option<String> {
    if let Some(pattern) = condition.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        return Some(format!("with {}", patterns::regex(pattern, true)));
    }
    let signs = [
        (">=", "at least"),
        ("<=", "at most"),
        ("==", "equal to"),
        ("!=", "not"),
        (">", "more than"),
        ("<", "less than"),
    ];
    if condition.contains("&&") || condition.contains("||") || condition.contains('(') {
        return None;
    }
    let (sign, says) = signs.into_iter().find(|(sign, _)| condition.contains(sign))?;
    let (left, right) = condition.split_once(sign)?;
    let left = match left.trim() {
        "NR" => "whose number".to_owned(),
        "NF" => "whose count of fields".to_owned(),
        field => format!("where {}", awk_value(field)),
    };
    Some(format!("{left} is {says} {}", right.trim()))
}

fn awk_value(value: &str) -> String {
    match value {
        "$0" => "the whole line".to_owned(),
        "$1" => "the first field".to_owned(),
        "$2" => "the second field".to_owned(),
        "$3" => "the third field".to_owned(),
        "$NF" => "the last field".to_owned(),
        "NR" => "the line's number".to_owned(),
        "NF" => "the count of fields".to_owned(),
        value => match value.strip_prefix('$').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit())) {
            Some(number) => format!("field {number}"),
            None => shortened(value),
        },
    }
}

/// `.items[].name`
pub(super) fn jq(filter: &str) -> String {
    let plain = |path: &str| {
        path.starts_with('.') && path.chars().all(|c| c.is_alphanumeric() || "._[]-".contains(c))
    };
    match filter {
        "." => "everything, laid out to be read".to_owned(),
        ".[]" => "each of the entries".to_owned(),
        "keys" => "the names of the entries".to_owned(),
        "length" => "how many entries there are".to_owned(),
        path if plain(path) => {
            let steps: Vec<String> = path.split('.').filter(|step| !step.is_empty()).map(jq_step).collect();
            steps.into_iter().rev().collect::<Vec<_>>().join(" of ")
        }
        _ => "a small program that picks and shapes the data".to_owned(),
    }
}

fn jq_step(step: &str) -> String {
    let Some((name, index)) = step.split_once('[') else { return format!("\"{step}\"") };
    let name = if name.is_empty() { "the list".to_owned() } else { format!("\"{name}\"") };
    match index.trim_end_matches(']') {
        "" => format!("each entry of {name}"),
        "0" => format!("the first entry of {name}"),
        "-1" => format!("the last entry of {name}"),
        index => format!("entry {index} (counted from 0) of {name}"),
    }
}

/// The first words of a statement say what it does.
pub(super) fn sql(text: &str) -> String {
    if text.starts_with('.') {
        let named = crate::knowledge::named_value("sqlite", text);
        return named.map_or_else(|| format!("runs: {}", shortened(text)), str::to_owned);
    }
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == ';' || c == '(').collect();
    let upper: Vec<String> = words.iter().take(3).map(|word| word.to_uppercase()).collect();
    let at = |index: usize| words.get(index).map_or("", |word| word.trim_matches(['"', '`', '\'']));
    let behind = |word: &str| {
        let place = words.iter().position(|own| own.eq_ignore_ascii_case(word))?;
        words.get(place + 1).map(|name| name.trim_matches(['"', '`', '\'', ',']).to_owned())
    };
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    match upper.as_slice() {
        ["SELECT", ..] => match behind("from") {
            Some(table) => format!("reads rows of {table}"),
            None => "asks for a value".to_owned(),
        },
        ["INSERT", ..] => {
            behind("into").map_or("adds rows".to_owned(), |table| format!("adds rows to {table}"))
        }
        ["UPDATE", ..] => format!("changes rows of {}", at(1)),
        ["DELETE", ..] => {
            let all = if behind("where").is_some() { "rows" } else { "all rows" };
            behind("from").map_or("deletes rows".to_owned(), |table| format!("deletes {all} of {table}"))
        }
        ["CREATE", what @ ("DATABASE" | "TABLE" | "USER" | "ROLE" | "INDEX" | "SCHEMA" | "VIEW"), ..] => {
            format!("makes the {} {}", what.to_lowercase(), at(2))
        }
        ["DROP", what @ ("DATABASE" | "TABLE" | "USER" | "ROLE" | "INDEX" | "SCHEMA" | "VIEW"), ..] => {
            format!(
                "deletes the {} {}",
                what.to_lowercase(),
                words.last().copied().filter(|w| !w.is_empty()).unwrap_or(at(2))
            )
        }
        ["ALTER", what, ..] => format!("changes the {} {}", what.to_lowercase(), at(2)),
        ["GRANT", ..] => "gives rights to a user".to_owned(),
        ["REVOKE", ..] => "takes rights away from a user".to_owned(),
        ["SHOW", what, ..] => format!("lists: {}", what.to_lowercase()),
        ["VACUUM", ..] => "gives back the room of deleted rows".to_owned(),
        ["EXPLAIN", ..] => "tells how a question would be answered".to_owned(),
        ["TRUNCATE", ..] => "deletes all rows of a table".to_owned(),
        _ => format!("runs: {}", shortened(text)),
    }
}

/// `scale=1280:-1,fps=10`
pub(super) fn filter(text: &str) -> String {
    let told: Vec<String> = text.split(',').map(one_filter).collect();
    told.join("; ")
}

fn one_filter(filter: &str) -> String {
    let (name, value) = filter.split_once('=').unwrap_or((filter, ""));
    let side = |text: &str| match text {
        "-1" | "-2" => "in proportion".to_owned(),
        text => format!("{text} points"),
    };
    let fields: Vec<&str> = value.split(':').collect();
    match (name, fields.as_slice()) {
        ("scale", [width, height]) => format!("width {}, height {}", side(width), side(height)),
        ("fps", [rate]) => format!("{rate} pictures a second"),
        ("crop", [width, height, ..]) => format!("cuts out a part of {width} by {height} points"),
        ("transpose", ["1"]) => "turns it right by 90°".to_owned(),
        ("transpose", ["2"]) => "turns it left by 90°".to_owned(),
        ("hflip", _) => "mirrors it left to right".to_owned(),
        ("vflip", _) => "turns it upside down".to_owned(),
        ("volume", [factor]) => format!("as loud as {factor}"),
        ("atempo", [factor]) => format!("{factor} times as fast"),
        ("setpts", _) => "plays it at another speed".to_owned(),
        ("select", _) => "only some of the pictures".to_owned(),
        ("subtitles", [file, ..]) => format!("draws the subtitles of {file} into the picture"),
        ("loudnorm", _) => "evens the loudness".to_owned(),
        ("drawtext", _) => "writes a text into the picture".to_owned(),
        ("thumbnail", _) => "picks a picture that stands for the film".to_owned(),
        _ => format!("the filter {}", shortened(filter)),
    }
}
