//! What was meant as one word and came in several, and a script whose parts stand too close to each other.

use planwright_shell::Span;

use super::super::case::{Case, text};
use super::super::template::{Findings, quote};

/// `at` → `command`: a `;` where sed's first command ends, or a `/` where its pattern does.
pub(super) fn sed_parts(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let at = found.get("at")?.parse::<usize>().ok()?.checked_sub(1)?;
    let run = case.only_run(&["sed"])?;
    let word = run.args().iter().find(|word| text(word).is_some_and(|word| !word.starts_with('-')))?;
    let script: Vec<char> = text(word)?.chars().collect();
    let parted = parted(&script, at).or_else(|| closed(&script))?;
    found.set("command", case.splice(&[(word.span, quote(&parted).as_str())])?);
    Some(())
}

/// `2d3d` → `2d;3d`: behind a command that takes nothing more another begins.
fn parted(script: &[char], at: usize) -> Option<String> {
    let ends = script.get(at.checked_sub(1)?).is_some_and(|sign| "dDpPnNgGhHx=".contains(*sign));
    let begins = script.get(at).is_some_and(|sign| sign.is_ascii_digit() || matches!(sign, '/' | '$' | 's'));
    (ends && begins).then(|| {
        let (first, second) = script.split_at(at);
        first.iter().chain(&[';']).chain(second).collect()
    })
}

/// `/word d` → `/word/d`.
fn closed(script: &[char]) -> Option<String> {
    let script: String = script.iter().collect();
    let (pattern, command) = script.strip_prefix('/')?.split_once(' ')?;
    let is_one = matches!(command, "d" | "p" | "D" | "P") && !pattern.contains('/');
    is_one.then(|| format!("/{pattern}/{command}"))
}

/// `command`: the words of jq's filter as one, up to the file that is there.
pub(super) fn whole_filter(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.sole_run().filter(|run| run.program() == "jq")?;
    let takes_values =
        ["--arg", "--argjson", "--slurpfile", "--rawfile", "--indent", "-f", "--from-file", "-L"];
    if run.has_arg(&takes_values) {
        return None;
    }
    let operands: Vec<_> =
        run.args().iter().filter(|word| text(word).is_none_or(|word| !word.starts_with('-'))).collect();
    let (file, filter) = operands.split_last()?;
    let (first, others) = filter.split_first()?;
    let last = others.last()?;
    if !case.exists(text(file)?) || others.iter().any(|word| text(word).is_none_or(|word| case.exists(word)))
    {
        return None;
    }
    let words = filter.iter().map(|word| text(word)).collect::<Option<Vec<&str>>>()?;
    let span = Span { start: first.span.start, end: last.span.end };
    found.set("command", case.splice(&[(span, quote(&words.join(" ")).as_str())])?);
    Some(())
}

/// `command`: the value of awk's variable as one word.
pub(super) fn whole_value(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let run = case.only_run(&["awk", "gawk", "mawk"])?;
    let args = run.args();
    let option = args.iter().position(|word| text(word) == Some("-v"))?;
    let program = args.iter().position(|word| text(word).is_some_and(|word| word.contains('{')))?;
    let value = args.get(option + 1..program).filter(|words| words.len() > 1)?;
    let words = value.iter().map(text).collect::<Option<Vec<&str>>>()?;
    let is_value = words[0].contains('=') && words[1..].iter().all(|word| !word.starts_with('-'));
    let span = Span { start: value[0].span.start, end: value[value.len() - 1].span.end };
    is_value.then_some(())?;
    found.set("command", case.splice(&[(span, quote(&words.join(" ")).as_str())])?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_parted_where_a_command_ends() {
        let script = |text: &str| text.chars().collect::<Vec<char>>();
        assert_eq!(parted(&script("2d3d"), 2).as_deref(), Some("2d;3d"));
        assert_eq!(parted(&script("1p/x/d"), 2).as_deref(), Some("1p;/x/d"));
        assert_eq!(parted(&script("s/a/b"), 3), None);
        assert_eq!(closed(&script("/foo d")).as_deref(), Some("/foo/d"));
        assert_eq!(closed(&script("/foo/ d")), None);
    }
}
