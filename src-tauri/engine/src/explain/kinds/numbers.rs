//! Numbers with their units: sizes, durations, counts, signals.

use super::shortened;

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn number(value: &str) -> Option<String> {
    let bare = value.trim_start_matches(['+', '-']);
    bare.parse::<f64>().ok().filter(|_| bare.starts_with(|c: char| c.is_ascii_digit() || c == '.'))?;
    Some(value.to_owned())
}

/// `1 second`, `2 seconds`.
pub(super) fn counted(number: &str, unit: &str) -> String {
    if number == "1" { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

/// `10M` as `10 MiB`; `usual` is the unit of a bare number.
pub(super) fn size(value: &str, usual: &str) -> Option<String> {
    let (sign, value) = match value.strip_prefix(['+', '-']) {
        Some(rest) => (if value.starts_with('+') { "more by " } else { "less by " }, rest),
        None => ("", value),
    };
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (amount, unit) = value.split_at(end);
    amount.parse::<f64>().ok()?;
    let unit = if unit.is_empty() { usual } else { unit };
    let unit = match unit {
        "%FREE" => return Some(format!("{amount} % of what is free")),
        "%" => return Some(format!("{amount} %")),
        "" | "c" | "B" | "b" if usual.is_empty() && unit != "b" => {
            return Some(format!("{sign}{}", counted(amount, "byte")));
        }
        "K" | "k" | "KiB" | "Ki" => "KiB",
        "M" | "m" | "MiB" | "Mi" => "MiB",
        "G" | "g" | "GiB" | "Gi" => "GiB",
        "T" | "t" | "TiB" | "Ti" => "TiB",
        "KB" | "kB" => "kB",
        "MB" => "MB",
        "GB" => "GB",
        "TB" => "TB",
        _ => return None,
    };
    Some(format!("{sign}{amount} {unit}"))
}

/// `5`, `1.5h`, `1h30m`, `2days`; a bare number counts `usual`.
pub(super) fn duration(value: &str, usual: &str) -> Option<String> {
    if matches!(value, "infinity" | "inf") {
        return Some("for ever".to_owned());
    }
    let mut parts = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, behind) = rest.split_at(end);
        amount.parse::<f64>().ok()?;
        let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let unit = match unit.trim() {
            "" => usual,
            "s" | "sec" | "second" | "seconds" => "second",
            "m" | "min" | "minute" | "minutes" => "minute",
            "h" | "hour" | "hours" => "hour",
            "d" | "day" | "days" => "day",
            "w" | "week" | "weeks" => "week",
            "ms" => "millisecond",
            _ => return None,
        };
        parts.push(counted(amount, unit));
        rest = behind;
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

pub(super) fn milliseconds(value: &str) -> Option<String> {
    digits(value).then(|| counted(value, "millisecond"))
}

/// `find -mtime`: `+7` more than, `-1` less than, `3` exactly.
pub(super) fn age(value: &str) -> Option<String> {
    let bare = value.trim_start_matches(['+', '-']);
    if !digits(bare) {
        return None;
    }
    Some(match value.chars().next() {
        Some('+') => format!("more than {bare}"),
        Some('-') => format!("less than {bare}"),
        _ => bare.to_owned(),
    })
}

/// `find -size`: `+100M`.
pub(super) fn find_size(value: &str) -> Option<String> {
    let (how, bare) = match (value.strip_prefix('+'), value.strip_prefix('-')) {
        (Some(bare), _) => ("larger than", bare),
        (_, Some(bare)) => ("smaller than", bare),
        (None, None) => ("of", value),
    };
    let told = match bare.strip_suffix('b').unwrap_or(bare) {
        "0" => return Some(if how == "of" { "that are empty" } else { "that are not empty" }.to_owned()),
        blocks if digits(blocks) => format!("{blocks} blocks of 512 bytes"),
        _ => size(bare, "")?,
    };
    Some(format!("{how} {told}"))
}

/// `head -n -5`: all but the last five lines.
pub(super) fn head_count(value: &str) -> Option<String> {
    match value.strip_prefix('-') {
        Some(rest) if digits(rest) => Some(format!("all but the last {}", counted(rest, "line"))),
        None if digits(value) => Some(format!("the first {}", lines(value))),
        _ => None,
    }
}

/// `tail -n +5`: from the fifth line on.
pub(super) fn tail_count(value: &str) -> Option<String> {
    match value.strip_prefix('+') {
        Some(rest) if digits(rest) => Some(format!("all from line {rest} on")),
        None => {
            let bare = value.strip_prefix('-').unwrap_or(value);
            digits(bare).then(|| format!("the last {}", lines(bare)))
        }
        Some(_) => None,
    }
}

fn lines(count: &str) -> String {
    if count == "1" { "line".to_owned() } else { format!("{count} lines") }
}

pub(super) fn signal(value: &str) -> Option<String> {
    let name = value.strip_prefix("SIG").unwrap_or(value).to_ascii_uppercase();
    Some(
        match name.as_str() {
            "0" => "no signal: only asks whether it is there",
            "1" | "HUP" => "HUP: its terminal is gone; many services read their settings again",
            "2" | "INT" => "INT: stop, as Ctrl C does",
            "3" | "QUIT" => "QUIT: stop and leave a core dump",
            "6" | "ABRT" => "ABRT: stop at once and leave a core dump",
            "9" | "KILL" => "KILL: ends at once; the program cannot tidy up",
            "10" | "USR1" => "USR1: a sign whose meaning the program chooses",
            "12" | "USR2" => "USR2: a sign whose meaning the program chooses",
            "13" | "PIPE" => "PIPE: nobody reads its output any more",
            "14" | "ALRM" => "ALRM: its alarm clock rings",
            "15" | "TERM" => "TERM: a request to end, with time to tidy up",
            "17" | "CHLD" => "CHLD: one of its own processes ended",
            "18" | "CONT" => "CONT: go on after a stop",
            "19" | "STOP" => "STOP: stand still until CONT",
            "20" | "TSTP" => "TSTP: stand still, as Ctrl Z does",
            "28" | "WINCH" => "WINCH: the window has another size",
            _ => return None,
        }
        .to_owned(),
    )
}

/// A process by its number, a job of the shell, or the shell itself.
pub(super) fn process(value: &str) -> Option<String> {
    if let Some(job) = value.strip_prefix('%') {
        return Some(match job {
            "" | "%" | "+" => "the last job of this shell".to_owned(),
            job => format!("the job {} of this shell", shortened(job)),
        });
    }
    match value {
        "-1" => Some("every process that you may signal".to_owned()),
        _ => {
            let bare = value.strip_prefix('-').unwrap_or(value);
            let what = if bare == value { "process" } else { "process group" };
            digits(bare).then(|| format!("the {what} with the number {bare}"))
        }
    }
}
