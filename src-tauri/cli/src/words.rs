//! Values as people read them. What a plan or a command says is shown, never obeyed by the terminal.

pub(crate) use planwright_engine::plan::card::harmless;
use planwright_engine::protocol::{ExitStatus, QuestionEstimate, Risk, ServiceEnd, SessionStatus};

pub(crate) fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "safe",
        Risk::Caution => "caution",
        Risk::Dangerous => "dangerous",
        Risk::Blocked => "blocked",
    }
}

pub(crate) fn status(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Empty => "empty",
        SessionStatus::Draft => "draft",
        SessionStatus::Ready => "ready",
        SessionStatus::Running => "running",
        SessionStatus::Interrupted => "interrupted",
        SessionStatus::WaitingForYou => "waiting for you",
        SessionStatus::Paused => "paused",
        SessionStatus::Completed => "done",
        SessionStatus::Failed => "failed",
        SessionStatus::Cancelled => "cancelled",
        SessionStatus::Damaged => "damaged",
    }
}

/// How a service came to its end, behind its name.
pub(crate) fn service_end(end: &ServiceEnd) -> String {
    match end {
        ServiceEnd::Itself { exit_status: ExitStatus::Code { code } } => {
            format!("ended by itself with status {code}")
        }
        ServiceEnd::Itself { exit_status: ExitStatus::Signal { name, .. } } => {
            format!("was ended by {}", one_line(name))
        }
        ServiceEnd::Itself { .. } => "ended by itself".to_owned(),
        ServiceEnd::Stopped => "was stopped".to_owned(),
        ServiceEnd::NotReady => "was stopped, for it was not ready".to_owned(),
        ServiceEnd::Replaced => "was stopped, for its step ran again".to_owned(),
        ServiceEnd::SessionEnded => "ended with the session".to_owned(),
        ServiceEnd::Lost => "ended when Planwright did".to_owned(),
    }
}

/// That the stronger model could go on, and what that may cost.
pub(crate) fn stronger(offer: &QuestionEstimate) -> String {
    let price = match offer.cost_micros {
        Some(micros) => format!("about ${:.3} an answer", f64::from(micros) / 1_000_000.0),
        None => "at a price that is not known here".to_owned(),
    };
    format!("The stronger model {} could go on, {price}:", one_line(&offer.model))
}

pub(crate) fn steps(count: usize) -> String {
    if count == 1 { "1 step".to_owned() } else { format!("{count} steps") }
}

/// "8 ms", "1.4 s", "2 min 5 s", "1 h 12 min".
pub(crate) fn duration(millis: u32) -> String {
    let seconds = millis / 1000;
    match (seconds, seconds / 60) {
        (0, _) => format!("{millis} ms"),
        (1..60, _) => format!("{seconds}.{} s", millis % 1000 / 100),
        (_, minutes @ 0..60) => format!("{minutes} min {} s", seconds % 60),
        (_, minutes) => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

/// With its line breaks, and nothing else that steers a terminal.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n")
}

pub(crate) fn one_line(text: &str) -> String {
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Broken between words so that no line is wider than `width` characters, unless a word is.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

pub(crate) fn sessions(count: usize) -> String {
    if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") }
}

/// A size in KiB as people read it.
pub(crate) fn size(kib: u32) -> String {
    match kib {
        0..1024 => format!("{kib} KB"),
        1024..1_048_576 => format!("{:.1} MB", f64::from(kib) / 1024.0),
        _ => format!("{:.1} GB", f64::from(kib) / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines() {
        assert_eq!(lines("a\nb\x1b[2J\r\nc"), "a\nb\\x1b[2J\nc");
    }

    #[test]
    fn durations() {
        for (millis, wanted) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1.0 s"),
            (59_990, "59.9 s"),
            (125_000, "2 min 5 s"),
            (4_320_000, "1 h 12 min"),
        ] {
            assert_eq!(duration(millis), wanted);
        }
    }

    #[test]
    fn text_cannot_steer_the_terminal() {
        assert_eq!(one_line("a\n\r\tb \u{1b}[2J\u{202e}"), "a b \\x1b[2J\\u{202e}");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible x", 4), ["incomprehensible", "x"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
