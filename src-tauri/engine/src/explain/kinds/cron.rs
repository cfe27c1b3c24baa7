//! Times: the five fields of cron, points in time, and the form of dates.

use super::{listed, shortened};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 8] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// `30 2 * * 1`: at 02:30 on Mondays.
pub(super) fn times(value: &str) -> Option<String> {
    let fields: Vec<&str> = value.split_whitespace().collect();
    match fields.as_slice() {
        [word] => named(word).map(str::to_owned),
        [minute, hour, day, month, weekday] => five(minute, hour, day, month, weekday),
        _ => None,
    }
}

/// A whole line: times, then a command.
pub(super) fn line(value: &str) -> Option<String> {
    let fields: Vec<&str> = value.split_whitespace().collect();
    let (count, first) = if value.trim_start().starts_with('@') { (1, 1) } else { (5, 5) };
    let command = fields.get(first..).filter(|rest| !rest.is_empty())?.join(" ");
    let told = times(&fields.get(..count)?.join(" "))?;
    Some(format!("a line for cron: {told}, runs {}", shortened(&command)))
}

fn named(word: &str) -> Option<&'static str> {
    Some(match word {
        "@reboot" => "each time the machine starts",
        "@hourly" => "every hour",
        "@daily" | "@midnight" => "every day at midnight",
        "@weekly" => "every Sunday at midnight",
        "@monthly" => "on the first of each month at midnight",
        "@yearly" | "@annually" => "on the first of January at midnight",
        _ => return None,
    })
}

fn five(minute: &str, hour: &str, day: &str, month: &str, weekday: &str) -> Option<String> {
    for (field, from, to) in [(minute, 0, 59), (hour, 0, 23), (day, 1, 31), (month, 1, 12), (weekday, 0, 7)] {
        is_field(field, from, to).then_some(())?;
    }
    let clock = clock(minute, hour)?;
    let mut when = Vec::new();
    if weekday != "*" {
        when.push(format!("on {}", names(weekday, |day| DAYS.get(day).map(|day| format!("{day}s")))?));
    }
    if day != "*" {
        let days = names(day, |day| Some(day.to_string()))?;
        when.push(format!("on day {days} of the month"));
    }
    let days = match when.as_slice() {
        [] => String::new(),
        when => format!(" {}", when.join(", and ")),
    };
    let month = match month {
        "*" => String::new(),
        month => {
            format!(" in {}", names(month, |month| Some((*MONTHS.get(month.checked_sub(1)?)?).to_owned()))?)
        }
    };
    let daily = if days.is_empty() && clock.starts_with("at ") { " every day" } else { "" };
    Some(format!("{clock}{daily}{days}{month}"))
}

/// Numbers, ranges, lists and steps within the bounds of the field.
fn is_field(field: &str, from: usize, to: usize) -> bool {
    let within = |text: &str| text.parse::<usize>().is_ok_and(|number| (from..=to).contains(&number));
    field.split(',').all(|part| {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let step = step.is_none_or(|step| step.parse::<usize>().is_ok_and(|step| step > 0));
        let range = range == "*"
            || within(range)
            || range.split_once('-').is_some_and(|(first, last)| within(first) && within(last));
        step && range
    })
}

fn clock(minute: &str, hour: &str) -> Option<String> {
    let number = |text: &str| text.parse::<usize>().ok();
    Some(match (minute, hour) {
        ("*", "*") => "every minute".to_owned(),
        (minute, "*") if minute.starts_with("*/") => format!("every {} minutes", minute.strip_prefix("*/")?),
        ("0", "*") => "every hour, on the hour".to_owned(),
        (minute, "*") => {
            format!("every hour at minute {}", names(minute, |minute| Some(minute.to_string()))?)
        }
        (minute, hour) if hour.starts_with("*/") => {
            format!("every {} hours at minute {}", hour.strip_prefix("*/")?, number(minute)?)
        }
        (minute, hour) => match (number(minute), hour.split_once('-')) {
            (Some(minute), None) => {
                let hours: Option<Vec<String>> = hour
                    .split(',')
                    .map(|hour| number(hour).map(|hour| format!("{hour:02}:{minute:02}")))
                    .collect();
                format!("at {}", listed(&hours?))
            }
            (Some(minute), Some((first, last))) => {
                format!(
                    "every hour from {:02}:{minute:02} to {:02}:{minute:02}",
                    number(first)?,
                    number(last)?
                )
            }
            (None, _) => {
                let every = minute.strip_prefix("*/")?;
                format!("every {every} minutes in the hours {}", names(hour, |hour| Some(hour.to_string()))?)
            }
        },
    })
}

/// A field as names: `1-5` as `Mondays to Fridays`.
fn names(field: &str, name: impl Fn(usize) -> Option<String>) -> Option<String> {
    let parts: Option<Vec<String>> = field
        .split(',')
        .map(|part| match part.split_once('-') {
            Some((first, last)) => {
                Some(format!("{} to {}", name(first.parse().ok()?)?, name(last.parse().ok()?)?))
            }
            None => match part.strip_prefix("*/") {
                Some(step) => Some(format!("every {step}th")),
                None => name(part.parse().ok()?),
            },
        })
        .collect();
    parts.map(|parts| listed(&parts))
}

/// `now`, `+10`, `23:00`: when a machine is turned off, or a command is to run.
pub(super) fn when(value: &str) -> Option<String> {
    if value == "now" {
        return Some("at once".to_owned());
    }
    if let Some(minutes) = value.strip_prefix('+') {
        return super::numbers::duration(minutes, "minute").map(|told| format!("in {told}"));
    }
    let clock = value.split_once(':').is_some_and(|(hour, minute)| {
        hour.parse::<u8>().is_ok_and(|hour| hour < 24) && minute.parse::<u8>().is_ok_and(|minute| minute < 60)
    });
    clock.then(|| format!("at {value}"))
}

/// `+%Y-%m-%d`: year-month-day.
pub(super) fn date_format(value: &str) -> Option<String> {
    let format = value.strip_prefix('+').unwrap_or(value);
    let mut told = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            told.push(c);
            continue;
        }
        told.push_str(match chars.next()? {
            'Y' => "year",
            'y' => "year in two digits",
            'm' => "month",
            'd' | 'e' => "day",
            'H' => "hour",
            'I' => "hour of twelve",
            'M' => "minute",
            'S' => "second",
            'F' => "year-month-day",
            'T' => "hour:minute:second",
            'R' => "hour:minute",
            's' => "seconds since 1970",
            'N' => "nanoseconds",
            'a' | 'A' => "weekday",
            'b' | 'B' | 'h' => "month's name",
            'j' => "day of the year",
            'V' => "week",
            'u' => "number of the weekday",
            'z' | 'Z' => "time zone",
            'p' => "am or pm",
            'c' => "date and time",
            'D' => "month/day/year",
            '%' => "%",
            'n' => " ",
            _ => return None,
        });
    }
    (!told.is_empty()).then_some(told)
}
