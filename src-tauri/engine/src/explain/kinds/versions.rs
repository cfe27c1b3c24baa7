//! Names that carry a version: commits, branches, images, packages.

use super::shortened;

fn plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_./@+#=:%{}".contains(c))
}

/// `HEAD~3`, `origin/main`, `v1..v2`, `stash@{0}`.
pub(super) fn revision(value: &str) -> Option<String> {
    if let Some((from, to)) = value.split_once("...") {
        let (from, to) = (or_head(from)?, or_head(to)?);
        return Some(format!("from where {from} and {to} parted"));
    }
    if let Some((from, to)) = value.split_once("..") {
        return Some(format!("what {} has and {} has not", or_head(to)?, or_head(from)?));
    }
    if let Some((revision, path)) = value.split_once(':').filter(|(_, path)| !path.is_empty()) {
        return Some(format!("{path} as it is in {}", or_head(revision)?));
    }
    if let Some(rest) = value.strip_prefix("stash@{").and_then(|rest| rest.strip_suffix('}')) {
        return Some(match rest {
            "0" => "the newest of what is put aside".to_owned(),
            number => format!("number {number} of what is put aside, counted from 0"),
        });
    }
    if matches!(value, "@{u}" | "@{upstream}") {
        return Some("the branch that this one follows".to_owned());
    }
    if let Some((base, rest)) = value.split_once("@{") {
        let place = rest.strip_suffix('}')?;
        let base = if base.is_empty() { "this branch".to_owned() } else { or_head(base)? };
        let number = place.bytes().all(|byte| byte.is_ascii_digit());
        return Some(if number {
            format!("{base} as it was {place} moves ago")
        } else {
            format!("{base} as it was {place}")
        });
    }
    back(value)
}

/// `main..topic`, as `git diff` takes it: between the two.
pub(super) fn difference(value: &str) -> Option<String> {
    match value.split_once("..") {
        Some((from, to)) if !to.starts_with('.') => {
            Some(format!("between {} and {}", or_head(from)?, or_head(to)?))
        }
        _ => revision(value),
    }
}

fn or_head(name: &str) -> Option<String> {
    if name.is_empty() { Some("the current commit".to_owned()) } else { back(name) }
}

/// `main~2`, `HEAD^`: so many commits back.
fn back(value: &str) -> Option<String> {
    let end = value.find(['~', '^']).unwrap_or(value.len());
    let (base, steps) = value.split_at(end);
    let count: Option<u32> = match steps {
        "" => Some(0),
        steps if steps.chars().all(|c| c == '^') => u32::try_from(steps.len()).ok(),
        "~" => Some(1),
        steps => steps.strip_prefix('~').and_then(|count| count.parse().ok()),
    };
    let base = match base {
        "HEAD" | "@" | "" => "the current commit".to_owned(),
        "FETCH_HEAD" => "what was brought last".to_owned(),
        "ORIG_HEAD" => "where the branch was before the last big change".to_owned(),
        "-" => "the branch that you were on before".to_owned(),
        hash if is_hash(hash) => format!("the commit {hash}"),
        name if plain(name) => name.to_owned(),
        _ => return None,
    };
    Some(match count {
        Some(0) => base,
        Some(1) => format!("the commit before {base}"),
        Some(count) => format!("{count} commits before {base}"),
        None => format!("a commit before {base} ({})", shortened(value)),
    })
}

fn is_hash(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// `main`, `main:release`, `+main`, `:old`.
pub(super) fn refspec(value: &str) -> Option<String> {
    let (forced, value) =
        value.strip_prefix('+').map_or(("", value), |rest| (", even if it does not fit", rest));
    let name = |text: &str| match text {
        "HEAD" => Some("the current branch".to_owned()),
        text => plain(text).then(|| text.strip_prefix("refs/heads/").unwrap_or(text).to_owned()),
    };
    Some(match value.split_once(':') {
        None => format!("{}{forced}", name(value)?),
        Some(("", there)) => format!("the branch {} at the other end, which is deleted", name(there)?),
        Some((here, there)) => {
            let here = if here.contains(['~', '^']) { revision(here)? } else { name(here)? };
            format!("{here}, as {} at the other end{forced}", name(there)?)
        }
    })
}

/// `nginx:1.25`, `ghcr.io/a/b@sha256:…`
pub(super) fn image(value: &str) -> Option<String> {
    if !plain(value) {
        return None;
    }
    if let Some((name, digest)) = value.split_once('@') {
        let short: String = digest.chars().take(19).collect();
        return Some(format!("{name}, exactly the one with the sum {short}…"));
    }
    let tag = value.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
    Some(match tag {
        Some((name, "latest")) => format!("{name}, its newest version"),
        Some((name, tag)) => format!("{name}, version {tag}"),
        None => value.to_owned(),
    })
}

/// `requests==2.31`, `left-pad@1.3`, `nginx=1.18*`, `./x.deb`, `pkg[extra]`.
pub(super) fn package(value: &str) -> Option<String> {
    if value.starts_with(['.', '/', '~']) || value.ends_with(".deb") || value.ends_with(".rpm") {
        return Some(format!("the file {}", shortened(value)));
    }
    if value.contains("://") {
        return Some(format!("from {}", shortened(value)));
    }
    let signs =
        [("==", "version"), (">=", "at least version"), ("<=", "at most version"), ("~=", "a version like")];
    for (sign, says) in signs.into_iter().chain([("=", "version"), (">", "newer than"), ("<", "older than")])
    {
        if let Some((name, version)) = value.split_once(sign) {
            return Some(format!("{}, {says} {}", extras(name), shortened(version)));
        }
    }
    // `@scope/name@1.2`
    let (scope, rest) = value.strip_prefix('@').map_or(("", value), |rest| ("@", rest));
    Some(match rest.split_once('@') {
        Some((name, "latest")) => format!("{scope}{name}, its newest version"),
        Some((name, version)) => format!("{scope}{name}, version {}", shortened(version)),
        None => extras(value),
    })
}

fn extras(name: &str) -> String {
    match name.split_once('[').and_then(|(name, rest)| Some((name, rest.strip_suffix(']')?))) {
        Some((name, extras)) => format!("{name} with {}", extras.replace(',', " and ")),
        None => shortened(name),
    }
}
