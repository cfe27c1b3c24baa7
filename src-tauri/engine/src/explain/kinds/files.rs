//! Paths, permissions, owners and settings.

use super::{listed, shortened};

pub(super) fn path(value: &str) -> String {
    match value {
        "." | "./" => "this folder".to_owned(),
        ".." | "../" => "the folder above".to_owned(),
        "~" | "~/" => "your home folder".to_owned(),
        "/" => "the root of all folders".to_owned(),
        "-" => "what comes in".to_owned(),
        _ => shortened(value),
    }
}

pub(super) fn out_path(value: &str) -> String {
    match value {
        "-" => "what the program prints".to_owned(),
        "/dev/null" => "nowhere".to_owned(),
        _ => path(value),
    }
}

/// What three bits allow, as verbs for one or for several.
fn rights(bits: u32, several: bool) -> String {
    let verbs: Vec<String> = [(4, "read"), (2, "write"), (1, "run")]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, verb)| if several { verb.to_owned() } else { format!("{verb}s") })
        .collect();
    if verbs.is_empty() { "nothing".to_owned() } else { listed(&verbs) }
}

/// `640`: the owner reads and writes, the group reads, others nothing.
fn octal(value: &str) -> Option<String> {
    let digits = value.strip_prefix('0').filter(|rest| rest.len() >= 3).unwrap_or(value);
    if !(3..=4).contains(&digits.len()) || !digits.chars().all(|c| ('0'..='7').contains(&c)) {
        return None;
    }
    let bits = u32::from_str_radix(digits, 8).ok()?;
    let (owner, group, others) = (bits >> 6 & 7, bits >> 3 & 7, bits & 7);
    let mut told = if owner == group && group == others {
        format!("everyone: {}", rights(owner, true))
    } else if group == others {
        format!("the owner {}, all others {}", rights(owner, false), rights(others, true))
    } else {
        format!(
            "the owner {}, the group {}, others {}",
            rights(owner, false),
            rights(group, false),
            rights(others, true)
        )
    };
    let special = [(4, "run as its owner"), (2, "run as its group, or new files in it get its group")];
    for (bit, says) in special.into_iter().chain([(1, "only owners may delete in it")]) {
        if bits >> 9 & bit != 0 {
            told.push_str(&format!("; {says}"));
        }
    }
    Some(told)
}

fn who(letters: &str) -> Option<String> {
    if letters.is_empty() || letters == "a" || letters == "ugo" {
        return Some("everyone".to_owned());
    }
    let names: Option<Vec<String>> = letters
        .chars()
        .map(|c| match c {
            'u' => Some("the owner".to_owned()),
            'g' => Some("the group".to_owned()),
            'o' => Some("others".to_owned()),
            'a' => Some("everyone".to_owned()),
            _ => None,
        })
        .collect();
    names.map(|names| listed(&names))
}

fn symbolic_right(letter: char) -> Option<String> {
    Some(
        match letter {
            'r' => "read",
            'w' => "write",
            'x' => "run",
            'X' => "enter folders (and run what is a program already)",
            _ => return None,
        }
        .to_owned(),
    )
}

/// `u+x`, `go-w`, `a=r`.
fn symbolic(clause: &str) -> Option<String> {
    match clause {
        "u+s" => return Some("it runs as its owner, whoever starts it".to_owned()),
        "g+s" => return Some("it runs as its group; in a folder new files get its group".to_owned()),
        "+t" | "o+t" | "a+t" => return Some("in it only owners may delete their files".to_owned()),
        _ => {}
    }
    let at = clause.find(['+', '-', '='])?;
    let (whom, rest) = clause.split_at(at);
    let whom = who(whom)?;
    let rights: Option<Vec<String>> = rest.get(1..)?.chars().map(symbolic_right).collect();
    let rights = rights?;
    Some(match (rest.get(..1)?, rights.is_empty()) {
        ("+", false) => format!("{whom} may {}", listed(&rights)),
        ("-", false) => format!("{whom} may no longer {}", listed(&rights)),
        ("=", false) => format!("{whom} may {} and nothing else", listed(&rights)),
        ("=", true) => format!("{whom} may do nothing"),
        _ => return None,
    })
}

pub(super) fn mode(value: &str) -> Option<String> {
    if let Some(told) = octal(value) {
        return Some(told);
    }
    let clauses: Option<Vec<String>> = value.split(',').map(symbolic).collect();
    clauses.filter(|clauses| !clauses.is_empty()).map(|clauses| clauses.join("; "))
}

/// `022`: what is taken away from new files.
pub(super) fn umask(value: &str) -> Option<String> {
    let bits = u32::from_str_radix(value, 8).ok().filter(|bits| *bits <= 0o777)?;
    let left = format!("{:03o}", 0o777 & !bits);
    octal(&left)
}

/// `alice:staff`, `alice`, `:staff`, `alice:`.
pub(super) fn owner(value: &str) -> Option<String> {
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "-_.@$".contains(c));
    let (user, group) = value.split_once(':').map_or((value, None), |(user, group)| (user, Some(group)));
    if value.is_empty() || !plain(user) || !group.is_none_or(plain) {
        return None;
    }
    match (user, group) {
        ("", Some("") | None) => None,
        ("", Some(group)) => Some(format!("to the group {group}")),
        (user, None) => Some(format!("to the user {user}")),
        (user, Some("")) => Some(format!("to the user {user} and their own group")),
        (user, Some(group)) => Some(format!("to the user {user} and the group {group}")),
    }
}

/// `u:alice:rwx`
pub(super) fn acl(value: &str) -> Option<String> {
    let entries: Option<Vec<String>> = value.split(',').map(acl_entry).collect();
    entries.map(|entries| entries.join("; "))
}

fn acl_entry(entry: &str) -> Option<String> {
    let (start, entry) = match entry.strip_prefix("d:").or_else(|| entry.strip_prefix("default:")) {
        Some(entry) => ("for new files in it, ", entry),
        None => ("", entry),
    };
    let fields: Vec<&str> = entry.split(':').collect();
    let whom = match fields.first().copied()? {
        "u" | "user" => "the user",
        "g" | "group" => "the group",
        "o" | "other" => "others",
        "m" | "mask" => "at most everyone",
        _ => return None,
    };
    let name = fields.get(1).copied().unwrap_or_default();
    let whom = match (whom, name) {
        ("the user", "") => "the owner".to_owned(),
        (whom, "") => whom.to_owned(),
        (whom, name) => format!("{whom} {name}"),
    };
    let Some(letters) = fields.get(2) else { return Some(format!("{start}the entry of {whom}")) };
    let rights: Option<Vec<String>> = letters.chars().filter(|c| *c != '-').map(symbolic_right).collect();
    let rights = rights?;
    let rights = if rights.is_empty() { "do nothing".to_owned() } else { listed(&rights) };
    Some(format!("{start}{whom} may {rights}"))
}

/// `find -perm`: `644` exactly, `-4000` all of these, `/222` any of these.
pub(super) fn find_permission(value: &str) -> Option<String> {
    match (value.strip_prefix('-'), value.strip_prefix('/')) {
        (Some("4000" | "u+s"), _) | (_, Some("4000" | "u=s")) => Some("that run as their owner".to_owned()),
        (Some("2000" | "g+s"), _) | (_, Some("2000" | "g=s")) => Some("that run as their group".to_owned()),
        (Some(rest), _) => mode(rest).map(|told| format!("with at least these permissions: {told}")),
        (_, Some(rest)) => mode(rest).map(|told| format!("with any of these permissions: {told}")),
        (None, None) => mode(value).map(|told| format!("with exactly these permissions: {told}")),
    }
}

/// `NAME=value`
pub(super) fn setting(value: &str) -> Option<String> {
    match value.split_once('=') {
        Some((name, "")) => Some(format!("{name} set to nothing")),
        Some((name, text)) => Some(format!("{name} set to {}", shortened(text))),
        None => Some(shortened(value)),
    }
}
