//! Sets of characters and of columns.

use super::{listed, shortened};

/// A set for `tr`, or what divides fields.
pub(super) fn characters(value: &str) -> String {
    match value {
        "" => "nothing".to_owned(),
        " " => "blanks".to_owned(),
        "a-z" | "[a-z]" | "[:lower:]" => "small letters".to_owned(),
        "A-Z" | "[A-Z]" | "[:upper:]" => "capital letters".to_owned(),
        "0-9" | "[0-9]" | "[:digit:]" => "digits".to_owned(),
        "a-zA-Z" | "A-Za-z" | "[:alpha:]" => "letters".to_owned(),
        "a-zA-Z0-9" | "A-Za-z0-9" | "[:alnum:]" => "letters and digits".to_owned(),
        "[:space:]" => "blanks and line ends".to_owned(),
        "[:punct:]" => "signs as . and ,".to_owned(),
        r"\n" => "line ends".to_owned(),
        r"\r" => "carriage returns".to_owned(),
        r"\t" | "\t" => "tabs".to_owned(),
        r"\0" | r"\000" => "zero bytes".to_owned(),
        r"\r\n" => "line ends of Windows".to_owned(),
        value if value.chars().count() == 1 => format!("\"{value}\""),
        value => format!("the characters {}", shortened(value)),
    }
}

/// `1,3-5`, `2-`, `-3`.
pub(super) fn fields(value: &str) -> Option<String> {
    let number =
        |text: &str| (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(());
    let parts: Option<Vec<String>> = value
        .split(',')
        .map(|part| match part.split_once('-') {
            None => number(part).map(|()| part.to_owned()),
            Some(("", last)) => number(last).map(|()| format!("all up to {last}")),
            Some((first, "")) => number(first).map(|()| format!("all from {first} on")),
            Some((first, last)) => number(first).and(number(last)).map(|()| format!("{first} to {last}")),
        })
        .collect();
    parts.map(|parts| listed(&parts))
}

/// `2`, `2,2`, `3nr`, `1,1n`.
pub(super) fn sort_key(value: &str) -> Option<String> {
    let (first, last) = value.split_once(',').map_or((value, None), |(first, last)| (first, Some(last)));
    let split = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        (text.get(..end).unwrap_or_default().to_owned(), text.get(end..).unwrap_or_default().to_owned())
    };
    let ((from, mut how), to) = (split(first), last.map(split));
    if from.is_empty() {
        return None;
    }
    let mut told = match &to {
        Some((to, more)) => {
            how.push_str(more);
            if *to == from { format!("field {from}") } else { format!("fields {from} to {to}") }
        }
        None => format!("field {from} and what follows"),
    };
    for letter in how.chars() {
        told.push_str(match letter {
            'n' | 'g' => ", as numbers",
            'h' => ", as sizes",
            'r' => ", the largest first",
            'f' => ", capital and small letters alike",
            'V' => ", as versions",
            'b' => ", without leading blanks",
            'M' => ", as months",
            _ => return None,
        });
    }
    Some(told)
}
