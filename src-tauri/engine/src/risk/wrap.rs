//! Commands that run a command: the inner one is judged like any other.

use super::args::Parsed;
use super::judge::{How, Judge, assigned};
use super::words::{Arg, Text};
use crate::knowledge::Wrapper;
use crate::protocol::Risk;

pub(super) fn judge(
    judge: &mut Judge<'_>,
    wrapper: Wrapper,
    parsed: &Parsed<'_, '_>,
    program: &Arg,
    how: How<'_>,
) {
    for (arg, name) in assigned(&parsed.words) {
        judge.assignment(&name, arg.span);
    }
    if parsed.flags.iter().any(|given| given.flag.only_names) {
        return;
    }
    if let Some(given) = parsed.flags.iter().find(|given| given.flag.shell) {
        judge.found.add(Risk::Dangerous, given.flag.says.clone(), given.span);
    }
    let Some(inner) = parsed.inner.first().filter(|inner| !inner.is_empty()) else { return };
    let lost = judge.lost;
    // A folder of its own for the inner command: relative paths then lead elsewhere.
    judge.lost |= ["--chdir", "--chroot"].iter().any(|name| parsed.has(name));
    if wrapper.shell && !parsed.has("-x") {
        match inner.iter().map(Arg::known).collect::<Option<Vec<&str>>>() {
            Some(words) => judge.shell_text(&words.join(" "), program.span),
            None => judge.found.add(Risk::Dangerous, "runs text that could not be analysed", program.span),
        }
    } else if wrapper.open {
        judge.run(&opened(parsed, inner), how);
    } else {
        judge.run(inner, how);
    }
    judge.lost = lost;
}

/// The words of an `xargs` command, with what comes in as a word that nobody knows.
fn opened(parsed: &Parsed<'_, '_>, inner: &[Arg]) -> Vec<Arg> {
    let mark = parsed.value("-I").or(parsed.value("-i")).and_then(Arg::known).unwrap_or("{}");
    let unknown =
        |arg: &Arg| Arg { text: Text::Unknown { prefix: String::new(), split: false }, span: arg.span };
    let marks = |arg: &Arg| !mark.is_empty() && arg.known().is_some_and(|text| text.contains(mark));
    let mut words: Vec<Arg> =
        inner.iter().map(|arg| if marks(arg) { unknown(arg) } else { arg.clone() }).collect();
    if let Some(first) = inner.first().filter(|_| !inner.iter().any(marks)) {
        words.push(unknown(first));
    }
    words
}
