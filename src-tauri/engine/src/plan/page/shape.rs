//! A block of code as what somebody typed and what was shown: commands with their remarks and their output, or no commands at
//! all, with the reason.

use std::ops::Range;

use planwright_page::{Code, CodeStyle};

use super::likeness::{Likeness, Vocabulary, command_words};
use super::machine::Machine;
use super::pending::{Open, Pending, begins_a_statement};
use super::prompt::{Prompt, Sign, prompt};
use super::words::words;

/// One command of a block, whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    pub text: String,
    /// Lines of the block.
    pub lines: Range<usize>,
    /// Remark lines right above it.
    pub remark: String,
    /// A blank line stands between it and the command before.
    pub apart: bool,
    /// What the page shows behind it.
    pub shown: Vec<String>,
    pub host: Option<String>,
    pub as_root: bool,
    /// A system whose prompt it has.
    pub windows: bool,
    /// It was typed at a prompt.
    pub prompted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Commands(Vec<Typed>),
    /// Text that is not for a shell; for people.
    Other(String),
    /// Of another kind of shell.
    Foreign(String),
    Output(String),
    /// What another interpreter showed.
    Session(String),
}

/// What kind of block a language's name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    Shell,
    Transcript,
    Nothing,
    Other,
}

pub(super) fn promise(code: &Code) -> Promise {
    let language = code.language.as_deref().unwrap_or_default();
    if words().is_language("shell", language) {
        Promise::Shell
    } else if words().is_language("transcript", language) {
        Promise::Transcript
    } else if words().is_language("plain", language) {
        Promise::Nothing
    } else {
        Promise::Other
    }
}

/// Reads a block. `led` says that the words before it speak of running something.
pub(super) fn shape(code: &Code, vocabulary: &Vocabulary<'_>, led: bool) -> Shape {
    let language = code.language.as_deref().unwrap_or_default();
    let named = |kind: &str| words().is_language(kind, language);
    if named("windows") {
        return Shape::Foreign(language.to_owned());
    }
    if named("output") {
        return Shape::Output(format!("the block is marked as {language}"));
    }
    // `[sudo] make`: with rights where they are needed, which is nobody's to guess.
    let text = code.text.replace("[sudo] ", "sudo ");
    let lines: Vec<&str> = without_callouts(unindented(&text));
    let signs: Vec<Option<Prompt>> = lines.iter().map(|line| prompt(line)).collect();
    let has = |wanted: &[Sign]| signs.iter().flatten().any(|found| wanted.contains(&found.sign));
    let promise = promise(code);
    // `> bin/start` as the first line is a prompt, whatever the output behind it looks like.
    let first = lines.iter().zip(&signs).find(|(line, _)| !line.trim().is_empty());
    let begins_typed = first.is_some_and(|(line, found)| {
        found.as_ref().is_some_and(|found| {
            let rest = line[found.length..].trim();
            found.sign == Sign::Angle && rest.contains('/') && vocabulary.of(rest) >= Likeness::Shaped
        })
    });
    if begins_typed {
        let read = transcript(&lines, &signs, Typing::Bare(Sign::Angle), vocabulary);
        return if read.is_empty() { no_commands(&lines, promise) } else { Shape::Commands(read) };
    }
    if named("session") || (has(&[Sign::Other]) && !has(&[Sign::User, Sign::Root])) {
        let is_more_than_start = promise != Promise::Other || named("session");
        if is_more_than_start && !starts_with_command(&lines, &signs, vocabulary) {
            return Shape::Session("it is typed into another program, not into a shell".to_owned());
        }
    }
    if promise == Promise::Other {
        let all_known = lines.iter().any(|line| !line.trim().is_empty())
            && lines
                .iter()
                .filter(|line| !line.trim().is_empty())
                .all(|line| is_surely_shell(line, vocabulary.machine));
        if !all_known {
            return Shape::Other(format!("a block of {language}"));
        }
    }
    if code.style == CodeStyle::Whole && !has(&[Sign::User, Sign::Root]) {
        // A script: the shell reader splits it.
        let typed = Typed { text: code.text.clone(), lines: 0..lines.len(), ..Typed::default() };
        return Shape::Commands(vec![typed]);
    }
    let Some(typing) = typing(&lines, &signs, promise, vocabulary) else {
        let read = listing(&lines, promise, vocabulary, led);
        return match read.is_empty() {
            true => no_commands(&lines, promise),
            false => Shape::Commands(each_way(read, vocabulary)),
        };
    };
    let read = transcript(&lines, &signs, typing, vocabulary);
    if read.is_empty() { no_commands(&lines, promise) } else { Shape::Commands(each_way(read, vocabulary)) }
}

/// `./setup.py or ./setup.sh`: a line that is two ways.
fn each_way(read: Vec<Typed>, vocabulary: &Vocabulary<'_>) -> Vec<Typed> {
    let parted = |one: Typed| -> Vec<Typed> {
        let is_command = |text: &str| {
            vocabulary.of(text) >= Likeness::Shaped && text.matches(['"', '\'']).count().is_multiple_of(2)
        };
        let ways: Vec<&str> = one.text.split(" or ").map(str::trim).collect();
        if ways.len() < 2 || one.text.contains(['\n', '#']) || !ways.iter().all(|way| is_command(way)) {
            return vec![one];
        }
        let other = |(nth, way): (usize, &&str)| {
            let remark = if nth == 0 { one.remark.clone() } else { "or".to_owned() };
            Typed { text: (*way).to_owned(), remark, apart: nth == 0 && one.apart, ..one.clone() }
        };
        ways.iter().enumerate().map(other).collect()
    };
    read.into_iter().flat_map(parted).collect()
}

/// Without the numbers at the ends of lines by which the text below speaks of them: `make [1]`, `make <1>`.
fn without_callouts(lines: Vec<&str>) -> Vec<&str> {
    let parted = |line: &'_ str| -> Option<(usize, usize)> {
        let trimmed = line.trim_end();
        let inner = trimmed.strip_suffix(']').or_else(|| trimmed.strip_suffix('>'))?;
        let at = inner.rfind(['[', '<'])?;
        let before = line[..at].trim_end();
        let is_apart = before.len() < at && !before.is_empty();
        Some((before.len(), inner[at + 1..].parse().ok()?)).filter(|_| is_apart)
    };
    let numbers: Vec<usize> =
        lines.iter().filter_map(|line| parted(line)).map(|(_, number)| number).collect();
    let counts = numbers.len() > 1 && numbers.iter().enumerate().all(|(place, number)| *number == place + 1);
    match counts {
        true => lines.iter().map(|line| parted(line).map_or(*line, |(end, _)| &line[..end])).collect(),
        false => lines,
    }
}

/// A text that is what a terminal showed: its first written line has a prompt of a user.
pub fn transcript_of(text: &str) -> Option<Vec<Typed>> {
    let lines = unindented(text);
    let first = lines.iter().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with("# "))?;
    let found = prompt(first)?;
    if !matches!(found.sign, Sign::User) || first[found.length..].trim().is_empty() {
        return None;
    }
    let signs: Vec<Option<Prompt>> = lines.iter().map(|line| prompt(line)).collect();
    let machine = Machine::default();
    let vocabulary = Vocabulary { machine: &machine, own: std::collections::HashSet::new() };
    Some(transcript(&lines, &signs, Typing::User, &vocabulary)).filter(|typed| !typed.is_empty())
}

fn no_commands(lines: &[&str], promise: Promise) -> Shape {
    if lines.iter().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Shape::Other("it holds remarks alone".to_owned());
    }
    match promise {
        Promise::Shell | Promise::Transcript => Shape::Output("none of its lines is a command".to_owned()),
        Promise::Nothing | Promise::Other => Shape::Other("none of its lines is a command".to_owned()),
    }
}

/// Which signs are prompts here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typing {
    /// `$` and its like; `#` too where it can only be one.
    User,
    Bare(Sign),
}

fn typing(
    lines: &[&str],
    signs: &[Option<Prompt>],
    promise: Promise,
    vocabulary: &Vocabulary<'_>,
) -> Option<Typing> {
    let typed = |wanted: Sign| {
        signs.iter().zip(lines).any(|(found, line)| {
            found
                .as_ref()
                .is_some_and(|found| found.sign == wanted && !line[found.length..].trim().is_empty())
        })
    };
    if typed(Sign::User) || typed(Sign::Root) || typed(Sign::Windows) {
        return Some(Typing::User);
    }
    let first = signs
        .iter()
        .zip(lines)
        .find(|(_, line)| !line.trim().is_empty())
        .and_then(|(found, _)| found.as_ref());
    let bare = first
        .map(|found| found.sign)
        .filter(|sign| matches!(sign, Sign::Hash | Sign::Percent | Sign::Angle))?;
    let rest_of = |line: &str, found: &Option<Prompt>| {
        found.as_ref().map_or(String::new(), |found| line[found.length..].to_owned())
    };
    let marked: Vec<String> = lines
        .iter()
        .zip(signs)
        .filter(|(_, found)| found.as_ref().is_some_and(|found| found.sign == bare))
        .map(|(line, found)| rest_of(line, found))
        .collect();
    let all_marked = lines.iter().zip(signs).all(|(line, found)| {
        line.trim().is_empty() || found.as_ref().is_some_and(|found| found.sign == bare)
    });
    // A `%` before every line is a prompt; before one of several it may be a sign of output.
    let least = if bare == Sign::Percent && all_marked { Likeness::Shaped } else { Likeness::Known };
    let commands = marked.iter().filter(|rest| vocabulary.of(rest) >= least).count();
    let is_prompt = match bare {
        // Beside lines without it `#` begins a remark.
        Sign::Hash if promise == Promise::Transcript => commands > 0,
        Sign::Hash => all_marked && commands == marked.len() && commands > 0,
        _ => commands > 0 && (commands * 2 >= marked.len() || promise == Promise::Transcript),
    };
    is_prompt.then_some(Typing::Bare(bare))
}

fn transcript(
    lines: &[&str],
    signs: &[Option<Prompt>],
    typing: Typing,
    vocabulary: &Vocabulary<'_>,
) -> Vec<Typed> {
    let mut done: Vec<Typed> = Vec::new();
    let mut remark: Vec<String> = Vec::new();
    let mut apart = false;
    let mut in_other = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let found = signs[at].as_ref().filter(|found| match (found.sign, typing) {
            (Sign::User | Sign::Root | Sign::Windows, _) => true,
            (sign, Typing::Bare(bare)) => sign == bare,
            // Beside `$` a `#` is a remark unless what follows can only be a command.
            (Sign::Hash, Typing::User) => is_root_command(&line[found.length..], vocabulary),
            (Sign::Percent | Sign::Angle | Sign::Other, Typing::User) => false,
        });
        let Some(found) = found else {
            if signs[at].as_ref().is_some_and(|found| found.sign == Sign::Other) {
                in_other = true;
            }
            if let Some(words) = line.strip_prefix("# ").filter(|_| !in_other) {
                remark.push(words.trim().to_owned());
            } else if line.trim().is_empty() {
                apart = true;
                if let Some(last) = done.last_mut().filter(|last| !last.shown.is_empty()) {
                    last.shown.push(String::new());
                }
            } else if let Some(last) = done.last_mut() {
                // What looked like a remark was printed in the middle of output.
                last.shown.extend(remark.drain(..).map(|misread| format!("# {misread}")));
                last.shown.push(line.to_owned());
            }
            at += 1;
            continue;
        };
        in_other = false;
        let first = at;
        let mut text = line[found.length..].trim_start().to_owned();
        let mut pending = Pending::default();
        pending.line(&text);
        at += 1;
        while at < lines.len() {
            let next = lines[at];
            let more = next.strip_prefix("> ").or(if next == ">" { Some("") } else { None });
            let is_prompt = signs[at]
                .as_ref()
                .is_some_and(|found| matches!(found.sign, Sign::User | Sign::Root | Sign::Windows));
            let more = match (pending.open(), more) {
                (Open::Nothing, _) => break,
                // A prompt ends a compound that was misread as open; an open quote or here-document goes on.
                (Open::Compound, None) if is_prompt => break,
                (_, Some(stripped)) => stripped,
                (_, None) => next,
            };
            text.push('\n');
            text.push_str(more);
            pending.line(more);
            at += 1;
        }
        if text.trim_start().starts_with('#') && !text.contains('\n') {
            remark.push(text.trim_start_matches(['#', ' ']).trim().to_owned());
            continue;
        }
        if text.trim().is_empty() {
            continue;
        }
        done.push(Typed {
            text: text.trim_end().to_owned(),
            lines: first..at,
            remark: std::mem::take(&mut remark).join("\n"),
            apart: std::mem::take(&mut apart),
            shown: Vec::new(),
            host: found.host.clone(),
            as_root: matches!(found.sign, Sign::Root | Sign::Hash),
            windows: found.sign == Sign::Windows,
            prompted: true,
        });
    }
    for one in &mut done {
        while one.shown.last().is_some_and(|line| line.trim().is_empty()) {
            one.shown.pop();
        }
    }
    done
}

/// A block without prompts: commands up to the first line that can be none; what follows was shown.
fn listing(lines: &[&str], promise: Promise, vocabulary: &Vocabulary<'_>, led: bool) -> Vec<Typed> {
    let least = match promise {
        Promise::Shell | Promise::Transcript => Likeness::Open,
        Promise::Other => Likeness::Known,
        Promise::Nothing => Likeness::Shaped,
    };
    let mut done: Vec<Typed> = Vec::new();
    let mut remark: Vec<String> = Vec::new();
    let (mut apart, mut shown) = (false, false);
    let single = lines.iter().filter(|line| !line.trim().is_empty()).count() == 1;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let trimmed = line.trim();
        if trimmed.is_empty() {
            apart = true;
            if shown && let Some(last) = done.last_mut() {
                last.shown.push(String::new());
            }
            at += 1;
            continue;
        }
        let is_remark = trimmed.starts_with('#') && !trimmed.starts_with("#!")
            || trimmed.starts_with("// ")
            || trimmed.starts_with(":: ")
            || trimmed.starts_with("REM ");
        if is_remark && !shown {
            remark.push(
                trimmed.trim_start_matches(['#', '/', ':', ' ']).trim_start_matches("REM ").trim().to_owned(),
            );
            at += 1;
            continue;
        }
        let likeness = match promise {
            Promise::Shell | Promise::Transcript if begins_a_statement(&lines[at..]) => Likeness::Known,
            _ => vocabulary.of(trimmed),
        };
        let wanted = if shown {
            // Output goes on until something that certainly was typed.
            if promise == Promise::Shell
                && (is_surely_shell(trimmed, vocabulary.machine)
                    || apart
                        && words()
                            .known
                            .contains(command_words(trimmed).first().copied().unwrap_or_default()))
            {
                Likeness::Known
            } else {
                at += 1;
                if let Some(last) = done.last_mut() {
                    last.shown.push(line.to_owned());
                }
                continue;
            }
        } else if done.is_empty() && promise == Promise::Nothing && led && single {
            Likeness::Open
        } else {
            least
        };
        if likeness < wanted {
            if done.is_empty() && promise != Promise::Shell && promise != Promise::Transcript {
                return Vec::new();
            }
            if let Some(last) = done.last_mut() {
                last.shown.push(line.to_owned());
                shown = true;
            } else {
                // Words above the first command are said of it.
                remark.push(trimmed.to_owned());
            }
            at += 1;
            apart = false;
            continue;
        }
        shown = false;
        let first = at;
        let mut text = line.trim_start().trim_start_matches('!').to_owned();
        let mut pending = Pending::default();
        pending.line(&text);
        at += 1;
        while at < lines.len()
            && (pending.open() != Open::Nothing
                || lines[at].trim_start().starts_with("| ")
                || lines[at].trim_start().starts_with("&& "))
        {
            // A new line that begins with an operator belongs to the one before, whatever its writer forgot.
            if pending.open() == Open::Nothing {
                text.push_str(" \\");
            }
            text.push('\n');
            text.push_str(lines[at]);
            pending.line(lines[at]);
            at += 1;
        }
        if pending.misses_a_bracket() {
            at = first + 1;
            line.trim_start().clone_into(&mut text);
        }
        done.push(Typed {
            text: text.trim_end().to_owned(),
            lines: first..at,
            remark: std::mem::take(&mut remark).join("\n"),
            apart: std::mem::take(&mut apart),
            ..Typed::default()
        });
    }
    for one in &mut done {
        while one.shown.last().is_some_and(|line| line.trim().is_empty()) {
            one.shown.pop();
        }
    }
    done
}

fn starts_with_command(lines: &[&str], signs: &[Option<Prompt>], vocabulary: &Vocabulary<'_>) -> bool {
    let mut typed =
        lines.iter().zip(signs).filter(|(line, found)| found.is_none() && !line.trim().is_empty());
    typed.next().is_some_and(|(line, _)| {
        let words = command_words(line);
        // Starting the interpreter itself is part of what is shown.
        vocabulary.of(line) == Likeness::Known
            && !(words.len() == 1 && super::words::words().interactive.contains(words[0]))
    })
}

fn is_root_command(text: &str, vocabulary: &Vocabulary<'_>) -> bool {
    vocabulary.of(text) == Likeness::Known
        && text.split_whitespace().skip(1).any(|word| {
            word.starts_with('-')
                || word.contains(['/', '=', '$', '|', ';', '>', '@']) && !word.starts_with('(')
        })
        && !text.trim_end().ends_with(['.', ':', '?'])
}

fn is_surely_shell(line: &str, machine: &Machine) -> bool {
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let typed = command_words(line);
    line.starts_with('#')
        || words().installs(&typed)
        || matches!(typed.as_slice(), ["cd" | "git" | "mkdir" | "sudo", next, ..] if *next != "version")
        || typed.len() > 1
            && matches!(typed.first(), Some(&("make" | "cargo" | "npm" | "go" | "docker")))
            && machine.kernel != "windows"
}

/// The lines with the indentation that all of them share off.
fn unindented(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.lines().map(|line| line.get(common..).unwrap_or("")).collect()
}
