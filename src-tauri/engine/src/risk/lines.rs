//! Perl on the command line: its options are read here as Perl reads them, for one of them changes files in place and
//! others open files in ways of their own.

use super::args::Parsed;
use super::computes;
use super::judge::Judge;
use super::words::{Arg, Text};
use crate::protocol::Risk;

/// A call whose every option is known.
struct Call<'a> {
    code: Vec<&'a str>,
    /// Runs for each line of the files.
    loops: bool,
    in_place: bool,
    files: &'a [Arg],
}

fn call(args: &[Arg]) -> Option<Call<'_>> {
    let mut found = Call { code: Vec::new(), loops: false, in_place: false, files: &[] };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let Some(text) = arg.known() else { break };
        if text == "--" {
            at += 1;
            break;
        }
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else { break };
        at += 1;
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(1..)?;
            match letter {
                'n' | 'p' => found.loops = true,
                'a' | 'w' => {}
                'l' | '0' => {
                    rest = rest.trim_start_matches(|c: char| {
                        c.is_ascii_hexdigit() && !c.is_alphabetic() || c == 'x'
                    });
                }
                'i' => {
                    // All that follows is the ending of the copy.
                    let plain = |c: char| c.is_ascii_alphanumeric() || "._~-".contains(c);
                    rest.chars().all(plain).then_some(())?;
                    (found.in_place, rest) = (true, "");
                }
                'e' | 'E' => {
                    let code = if rest.is_empty() {
                        at += 1;
                        args.get(at - 1)?.known()?
                    } else {
                        rest
                    };
                    found.code.push(code);
                    rest = "";
                }
                'F' => {
                    let pattern = if rest.is_empty() {
                        at += 1;
                        args.get(at - 1)?.known()?
                    } else {
                        rest
                    };
                    is_plain_separator(pattern).then_some(())?;
                    rest = "";
                }
                'M' | 'm' => {
                    is_known_module(rest).then_some(())?;
                    rest = "";
                }
                _ => return None,
            }
        }
    }
    found.files = args.get(at..)?;
    (!found.code.is_empty()).then_some(found)
}

/// What Perl puts into the program as it stands when it begins with a slash or a quote.
fn is_plain_separator(pattern: &str) -> bool {
    let inner = match pattern.strip_prefix('/') {
        Some(rest) => rest.strip_suffix('/'),
        None => Some(pattern),
    };
    inner.is_some_and(|inner| !inner.contains(['/', '\'', '"', '(', ')', '{', '}', '$', '@', '`', '\0']))
}

fn is_known_module(module: &str) -> bool {
    const MODULES: [&str; 18] = [
        "strict",
        "warnings",
        "utf8",
        "feature",
        "List::Util",
        "Scalar::Util",
        "POSIX",
        "Data::Dumper",
        "JSON::PP",
        "Text::Wrap",
        "Time::Local",
        "Time::Piece",
        "Math::Trig",
        "bigint",
        "bignum",
        "integer",
        "5.010",
        "open",
    ];
    let (name, names) = module.split_once('=').unwrap_or((module, ""));
    MODULES.contains(&name) && names.chars().all(|c| c.is_ascii_alphanumeric() || "_,:".contains(c))
}

/// A file that Perl opens for its loop by nothing but its name: `|` at either end would run it.
fn is_plain_name(arg: &Arg) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || "./_~".contains(c));
    match &arg.text {
        Text::Known { text, .. } => {
            !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./@+~ ,=:%".contains(c))
                && !text.starts_with(' ')
                && !text.ends_with(' ')
        }
        // `*.txt` may fit `| id #.txt`.
        Text::Glob { pattern, .. } => edge(pattern.chars().next()) && edge(pattern.chars().last()),
        Text::Unknown { .. } => false,
    }
}

fn understood<'a>(j: &Judge<'_>, parsed: &Parsed<'_, 'a>) -> Option<Call<'a>> {
    let call = call(parsed.all)?;
    let pure = computes::only_computes(
        computes::Language::Perl,
        &call.code.join("\n"),
        &computes::Around { shadowed: &|_| true, readable: &|_| false },
    );
    (pure && !j.elevated && call.files.iter().all(is_plain_name)).then_some(call)
}

/// Whether it only computes; the files that it reads are for the caller to judge.
pub(super) fn only_computes(j: &Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    understood(j, parsed).is_some_and(|call| !call.in_place)
}

/// Judges the files of a call that is understood: read, or changed in place. `false` when it is not understood.
pub(super) fn judge(j: &mut Judge<'_>, parsed: &Parsed<'_, '_>) -> bool {
    let separators = parsed.flags.iter().filter(|given| given.flag.names.iter().any(|name| name == "-F"));
    for given in separators {
        if !given.value.as_ref().and_then(Arg::known).is_some_and(is_plain_separator) {
            j.found.add(
                Risk::Dangerous,
                "what divides its lines may run as a part of the program",
                given.span,
            );
        }
    }
    let Some(call) = understood(j, parsed) else { return false };
    for file in call.files {
        if call.in_place {
            j.found.add(Risk::Caution, "changes the files themselves", file.span);
            j.write(file);
        } else if call.loops {
            j.read(file);
        }
    }
    true
}
