//! The figures as people read them in a terminal, and the last line of a report.

use std::fmt::Write as _;

use crate::protocol::{Metrics, Outcomes, Usage};

/// Widest bar, in characters.
const BAR: u32 = 30;

/// For the end of a session's report.
pub fn in_one_line(metrics: &Metrics) -> String {
    let Metrics { corrections, approvals, cancels, interrupts, turns, rounds, .. } = metrics;
    let mut parts = vec![format!("worked {}", duration(metrics.work_seconds))];
    if corrections.tried > 0 {
        parts.push(format!("{} tried, {} helped", many(corrections.tried, "correction"), corrections.helped));
    }
    if approvals.answered > 0 {
        let denied = approvals.not_now + approvals.never + approvals.instead;
        parts.push(format!("{} answered, {denied} with a no", many(approvals.answered, "question")));
    }
    if *turns > 0 {
        parts.push(format!("{} of {}", many(*turns, "turn"), many(*rounds, "round")));
    }
    if cancels + interrupts > 0 {
        parts.push(format!("{} and {}", many(*cancels, "cancel"), many(*interrupts, "interrupt")));
    }
    format!("In figures: {}.", parts.join("; "))
}

/// The whole, for a terminal.
pub fn in_words(metrics: &Metrics) -> String {
    let mut text = String::new();
    let mut line = |name: &str, said: String| {
        let _ = writeln!(text, "{name:<14}{said}");
    };
    line("Sessions", metrics.sessions.to_string());
    for (name, outcomes) in
        [("Plans", &metrics.plans), ("Conversations", &metrics.conversations), ("Goals", &metrics.goals)]
    {
        line(name, outcomes_in_words(outcomes));
    }
    let corrections = &metrics.corrections;
    line(
        "Corrections",
        format!(
            "{} tried in {}, {} helped",
            corrections.tried,
            many(corrections.plans, "plan"),
            corrections.helped
        ),
    );
    for source in &corrections.by_source {
        line("", format!("{}: {} of {} helped", source.source, source.helped, source.tried));
    }
    let asked = &metrics.approvals;
    line(
        "Questions",
        format!(
            "{} answered: {} once, {} always, {} not now, {} never, {} instead",
            asked.answered,
            asked.allowed_once,
            asked.allowed_always,
            asked.not_now,
            asked.never,
            asked.instead
        ),
    );
    for denied in &asked.denials {
        line("", format!("{} not allowed {}", denied.kind, times(denied.count)));
    }
    line(
        "Stopped",
        format!("{}, {}", many(metrics.cancels, "cancel"), many(metrics.interrupts, "interrupt")),
    );
    let most = metrics.stops_by_hour.iter().copied().max().unwrap_or(0);
    for (hour, count) in metrics.stops_by_hour.iter().enumerate().filter(|(_, count)| **count > 0) {
        line("", format!("{hour:>2} h  {}  {count}", bar(*count, most)));
    }
    line(
        "Turns",
        format!(
            "{}, {} of the model, at most {} in one",
            metrics.turns,
            many(metrics.rounds, "round"),
            metrics.most_rounds
        ),
    );
    line("Work", duration(metrics.work_seconds));
    line("Models", usage_in_words(&metrics.usage));
    let most = metrics.days.iter().map(|day| day.completed).max().unwrap_or(0);
    for (nth, day) in metrics.days.iter().enumerate() {
        let name = if nth == 0 { "Days" } else { "" };
        line(
            name,
            format!(
                "{}  {}  {} completed, {} failed",
                day.day,
                bar(day.completed, most),
                day.completed,
                day.failed
            ),
        );
    }
    text
}

fn outcomes_in_words(outcomes: &Outcomes) -> String {
    let Outcomes { completed, failed, cancelled, open } = outcomes;
    let rate = outcomes.completion_rate().map_or_else(|| "–".to_owned(), |rate| format!("{rate} %"));
    format!("{rate} completed ({completed} completed, {failed} failed, {cancelled} cancelled, {open} open)")
}

fn usage_in_words(usage: &Usage) -> String {
    let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
    let money = format!("${:.2}", f64::from(usage.cost_micros) / 1_000_000.0);
    let unpriced = match usage.unpriced_calls {
        0 => String::new(),
        calls => format!(", {} of unknown price", many(calls, "call")),
    };
    format!("{}, {tokens} tokens, {money}{unpriced}", many(usage.calls, "call"))
}

fn bar(count: u32, most: u32) -> String {
    let length = if most == 0 { 0 } else { (count * BAR).div_ceil(most) };
    format!("{:<width$}", "▇".repeat(length as usize), width = BAR as usize)
}

fn many(count: u32, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn duration(seconds: u32) -> String {
    match (seconds, seconds / 60) {
        (0..60, _) => format!("{seconds} s"),
        (_, minutes @ 0..60) => format!("{minutes} min {} s", seconds % 60),
        (_, minutes) => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}
