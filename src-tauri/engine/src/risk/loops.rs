//! What becomes of the names that a loop goes through: `${f%.png}`, `$(basename "$f")`. A name is known by its pattern
//! alone, and so is what is made of it; where more than the last part of a path could change, nothing is known.

use planwright_shell::{Assignment, RedirectKind, SimpleCommand, Value};

use super::judge::{Judge, SURVEYED};
use super::listed::lists_own_names;
use super::words::{Arg, Text};

/// What `${…}` makes of names like `texts`; `raw` is all of it, with its braces.
pub(super) fn shaped<'v>(raw: &str, of: impl Fn(&str) -> Option<&'v [String]>) -> Option<Vec<String>> {
    let inner = match raw.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
        Some(inner) => inner,
        // `$1`, `$@`
        None => raw.strip_prefix('$').filter(|name| name.len() == 1)?,
    };
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
    let (name, rest) = if matches!(inner, "@" | "*") { (inner, "") } else { inner.split_at(end) };
    let texts = of(name)?;
    let each = |shape: &dyn Fn(&str) -> Option<String>| texts.iter().map(|text| shape(text)).collect();
    let plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    match rest {
        "" | "[@]" | "[*]" => Some(texts.to_vec()),
        "##*/" => each(&|text| last_part(text).map(str::to_owned)),
        "%/*" => {
            each(&|text| text.rsplit_once('/').map(|(folder, _)| folder.to_owned()).filter(|f| !f.is_empty()))
        }
        // All from the first dot on: of `.x` nothing would be left.
        "%%.*" | "%.*" => each(&|text| (!hidden(text)).then(|| without_ending(text))),
        _ => {
            if let Some(ending) = rest.strip_prefix("%%").or_else(|| rest.strip_prefix('%')) {
                return plain(ending).then(|| each(&|text| shorter(text, ending))).flatten();
            }
            if let Some(start) = rest.strip_prefix("##").or_else(|| rest.strip_prefix('#')) {
                // What stood before the folder is gone, and what is left lies below the same place.
                let folder =
                    start.strip_suffix('/').filter(|folder| plain(folder) && !folder.starts_with('.'))?;
                return each(&|text| {
                    let rest = text.strip_prefix(folder)?.strip_prefix('/')?;
                    (!rest.is_empty() && !rest.starts_with('/')).then(|| rest.to_owned())
                });
            }
            let (from, to) = rest.strip_prefix("//").or_else(|| rest.strip_prefix('/'))?.split_once('/')?;
            let named = to.contains(|c: char| c.is_ascii_alphanumeric());
            (plain(from) && plain(to) && named)
                .then(|| each(&|text| Some(text.replacen(from, to, 1))))
                .flatten()
        }
    }
}

/// What `$(basename "$f" .png)` or `$(dirname "$f")` prints; `inner` is what stands in the brackets.
pub(super) fn printed<'v>(inner: &str, of: impl Fn(&str) -> Option<&'v [String]>) -> Option<Vec<String>> {
    let mut words = inner.split_whitespace();
    let program = words.next()?;
    let mut operand = words.next()?;
    if operand == "--" {
        operand = words.next()?;
    }
    let ending = words.next().map(|ending| ending.trim_matches(['"', '\'']));
    let odd =
        ending.is_some_and(|ending| !ending.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)));
    if odd || words.next().is_some() {
        return None;
    }
    let operand = operand.trim_matches('"');
    let raw = match operand.strip_prefix("${") {
        Some(_) => operand.to_owned(),
        None => format!("${{{}}}", operand.strip_prefix('$')?),
    };
    let texts = shaped(&raw, of)?;
    match program {
        "basename" => texts
            .iter()
            .map(|text| {
                let name = last_part(text)?;
                Some(ending.and_then(|ending| shorter(name, ending)).unwrap_or_else(|| name.to_owned()))
            })
            .collect(),
        "dirname" if ending.is_none() => {
            let folder = |text: &String| match text.rsplit_once('/') {
                Some(("", _)) => None,
                Some((folder, _)) => Some(folder.to_owned()),
                // A pattern of bare names may stand for names deeper down.
                None => Some(".".to_owned()),
            };
            texts.iter().map(folder).collect()
        }
        _ => None,
    }
}

/// The name without its folders, which is never empty and never leads up.
fn last_part(text: &str) -> Option<&str> {
    let name = text.rsplit('/').next().filter(|name| !name.is_empty())?;
    (!matches!(name, "." | "..")).then_some(name)
}

fn hidden(text: &str) -> bool {
    last_part(text).is_none_or(|name| name.starts_with('.'))
}

fn without_ending(text: &str) -> String {
    match text.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/*"),
        None => "*".to_owned(),
    }
}

/// `text` without `ending`; something of its last part is always left.
fn shorter(text: &str, ending: &str) -> Option<String> {
    let short = text.strip_suffix(ending).unwrap_or(text);
    let left = last_part(short)?;
    (!left.starts_with('.')).then(|| short.to_owned())
}

impl Judge<'_> {
    /// Notes the names that come in to a loop: `done < <(find src -name '*.rs')`.
    pub(super) fn note_handed(&mut self, command: &SimpleCommand) {
        let fed = command.redirects.iter().rev().find(|redirect| {
            redirect.fd == 0
                && matches!(
                    redirect.kind,
                    RedirectKind::Read
                        | RedirectKind::ReadWrite
                        | RedirectKind::HereString
                        | RedirectKind::HereDocument
                )
        });
        if let Some(fed) = fed {
            self.handed = if fed.kind == RedirectKind::Read && self.lists_own(&fed.target.raw) {
                vec!["./*".to_owned()]
            } else {
                Vec::new()
            };
        }
    }

    /// The patterns in `value`, made of the names that a loop goes through or of a day, for a variable that nothing else gives
    /// a value. It is empty where the loop was not entered.
    pub(super) fn made_of_names(&self, assignment: &Assignment, value: &[Arg]) -> Option<Vec<String>> {
        let pattern = |arg: &Arg| match &arg.text {
            Text::Glob { pattern, tilde: false } => Some(pattern.clone()),
            Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. } => None,
        };
        let day = || super::flow::prints_a_day(&assignment.value.raw) && !self.defines("date");
        let patterns: Vec<String> = match value.iter().map(pattern).collect() {
            Some(patterns) => patterns,
            None if day() => vec!["*".to_owned()],
            None => return None,
        };
        let plain = !assignment.append && !patterns.is_empty() && self.functions.is_empty();
        (plain && self.is_given_once(&assignment.name)).then_some(patterns)
    }

    /// Whether the text names a variable, other than to ask for it, in one place alone.
    fn is_given_once(&self, name: &str) -> bool {
        if self.command.len() > SURVEYED || self.workspace.environment.contains_key(name) {
            return false;
        }
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let given = self.command.match_indices(name).filter(|(at, found)| {
            let before = self.command.get(..*at).unwrap_or_default();
            let after = self.command.get(at + found.len()..).unwrap_or_default();
            let whole = !before.ends_with(part) && !after.starts_with(part);
            let asked = before.ends_with('$') || before.ends_with("${") && !after.starts_with([':', '=']);
            whole && !asked
        });
        given.count() == 1
    }

    /// Before `read` or `mapfile`: what it would put into its variable, where those can only be names of files.
    pub(super) fn names_to_read(
        &self,
        command: &SimpleCommand,
        args: &[Arg],
    ) -> Option<(String, Vec<String>)> {
        let program = args.first().and_then(Arg::known)?;
        let whole = matches!(program, "read" | "mapfile" | "readarray") && !self.defines(program);
        let own_feed = command.redirects.iter().any(|redirect| redirect.fd == 0);
        let splits = command.assignments.iter().any(|assignment| {
            let blank = |text: &str| text.chars().all(char::is_whitespace);
            !(assignment.name == "IFS"
                && matches!(&assignment.value.value, Value::Known { text, .. } if blank(text)))
        });
        if !whole || splits || own_feed && program == "read" {
            return None;
        }
        let mut words = args.iter().skip(1).map(Arg::known).collect::<Option<Vec<&str>>>()?;
        words.retain(|word| !matches!(*word, "-r" | "-t" | "-rd" | "-d" | "" | "--"));
        let [name] = words.as_slice() else { return None };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return None;
        }
        let piped: Option<Vec<String>> = self
            .piped
            .iter()
            .map(|text| match text {
                Text::Glob { pattern, tilde: false } => Some(pattern.clone()),
                Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. } => None,
            })
            .collect();
        let names = if own_feed {
            let feeds = |raw: &str| lists_own_names(raw) && self.lists_own(raw);
            let fed = command.redirects.iter().rev().find(|redirect| redirect.kind == RedirectKind::Read);
            fed.filter(|fed| feeds(&fed.target.raw)).map(|_| vec!["./*".to_owned()])?
        } else if command.context.stage > 0 {
            piped?
        } else if command.context.piped_from {
            self.handed.clone()
        } else {
            return None;
        };
        (!names.is_empty()).then(|| ((*name).to_owned(), names))
    }
}

#[cfg(test)]
mod tests {
    use super::{printed, shaped};

    #[test]
    fn a_name_keeps_its_folder() {
        let names = ["src/*.png".to_owned()];
        let hidden = ["src/.*".to_owned()];
        let of = |name: &str| match name {
            "f" => Some(names.as_slice()),
            "h" => Some(hidden.as_slice()),
            _ => None,
        };
        for (raw, shape) in [
            ("${f%.png}", Some("src/*")),
            ("${f##*/}", Some("*.png")),
            ("${f%/*}", Some("src")),
            ("${f%.*}", Some("src/*")),
            ("${f#src/}", Some("*.png")),
            ("${f/src/dist}", Some("dist/*.png")),
            ("${f/src/..}", None),
            ("${f/src/.}", None),
            ("${f/png/a/../b}", None),
            ("${f%%/*}", None),
            ("${f#*/}", None),
            ("${f:-/etc}", None),
            ("${f%$x}", None),
            ("${f@P}", None),
            ("${h%.*}", None),
            ("${x%.png}", None),
            ("${#f}", None),
        ] {
            assert_eq!(shaped(raw, of), shape.map(|shape| vec![shape.to_owned()]), "{raw}");
        }
        for (inner, shape) in [
            ("basename \"$f\"", Some("*.png")),
            ("basename \"$f\" .png", Some("*")),
            ("basename ${f%.png}", Some("*")),
            ("dirname \"$f\"", Some("src")),
            ("realpath \"$f\"", None),
            ("basename \"$x\"", None),
            ("basename \"$f\" /x", None),
            ("cat \"$f\"", None),
        ] {
            assert_eq!(printed(inner, of), shape.map(|shape| vec![shape.to_owned()]), "{inner}");
        }
    }
}
