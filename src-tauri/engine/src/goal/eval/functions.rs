//! What a script has beside the language: reading the outputs of programs. Each function gives a new value and changes
//! none, also where the language's own of that name would change the text in place.

use std::cmp::Ordering;

use regex::{Captures, Regex, RegexBuilder};
use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Position};

use super::{EvalErrorKind, TEXT, Watch, value};

/// What is said of them when a script asks for something else.
pub(super) const NAMES: &str = "lines, words, trim, split, replace, matches, find, find_all, capture, capture_all, \
    replace_all, parse_json, to_json, number, numbers, bytes, human, sum, min, max, sorted";

/// A compiled pattern's size, in bytes, and its length as text.
const COMPILED: usize = 256 * 1024;
const PATTERN: usize = 1000;

type Answer<T> = Result<T, Box<EvalAltResult>>;

pub(super) fn register(engine: &mut Engine, watch: Watch) {
    engine
        .register_fn("lines", |text: &str| texts(text.lines()))
        .register_fn("words", |text: &str| texts(text.split_whitespace()))
        .register_fn("trim", |text: &str| text.trim().to_owned())
        .register_fn("split", |text: &str, at: &str| texts(text.split(at)))
        .register_fn("replace", replace)
        .register_fn("chars", |text: &str| -> Array { text.chars().map(Dynamic::from).collect() })
        .register_fn("parse_json", parse_json)
        .register_fn("to_json", |item: Dynamic| to_json(&item))
        .register_fn("number", number)
        .register_fn("numbers", numbers)
        .register_fn("bytes", bytes)
        .register_fn("human", |count: i64| human(count as f64))
        .register_fn("human", human)
        .register_fn("sum", sum)
        .register_fn("min", |items: Array| extreme(items, Ordering::Less))
        .register_fn("max", |items: Array| extreme(items, Ordering::Greater))
        .register_fn("sorted", sorted);
    patterns(engine, watch);
}

fn patterns(engine: &mut Engine, watch: Watch) {
    engine
        .register_fn("matches", |text: &str, pattern: &str| -> Answer<bool> {
            Ok(compiled(pattern)?.is_match(text))
        })
        .register_fn("find", |text: &str, pattern: &str| -> Answer<Dynamic> {
            Ok(compiled(pattern)?.find(text).map_or(Dynamic::UNIT, |found| found.as_str().into()))
        })
        .register_fn("find_all", move |text: &str, pattern: &str| -> Answer<Array> {
            all(watch, compiled(pattern)?.find_iter(text), |found| found.as_str().into())
        })
        .register_fn("capture", |text: &str, pattern: &str| -> Answer<Dynamic> {
            let found = compiled(pattern)?.captures(text).map(|found| groups(&found));
            Ok(found.map_or(Dynamic::UNIT, Dynamic::from))
        })
        .register_fn("capture_all", move |text: &str, pattern: &str| -> Answer<Array> {
            all(watch, compiled(pattern)?.captures_iter(text), |found| groups(&found).into())
        })
        .register_fn("replace_all", move |text: &str, pattern: &str, with: &str| -> Answer<String> {
            let (mut out, mut from) = (String::new(), 0);
            for found in compiled(pattern)?.captures_iter(text) {
                let Some(whole) = found.get(0) else { continue };
                out.push_str(&text[from..whole.start()]);
                found.expand(with, &mut out);
                from = whole.end();
                in_bounds(watch, out.len(), TEXT)?;
            }
            out.push_str(&text[from..]);
            Ok(out)
        });
}

/// The engine's own answer to a pattern is linear in the text, but a search for all of them need not be: each one is a
/// chance to stop.
fn all<T>(watch: Watch, found: impl Iterator<Item = T>, of: impl Fn(T) -> Dynamic) -> Answer<Array> {
    let mut items = Array::new();
    for one in found {
        items.push(of(one));
        in_bounds(watch, items.len(), super::ARRAY)?;
    }
    Ok(items)
}

fn in_bounds(watch: Watch, size: usize, most: usize) -> Answer<()> {
    if watch.is_late() {
        let token = Dynamic::from_int(EvalErrorKind::Time as i64);
        return Err(EvalAltResult::ErrorTerminated(token, Position::NONE).into());
    }
    if size > most {
        return Err(EvalAltResult::ErrorDataTooLarge(String::new(), Position::NONE).into());
    }
    Ok(())
}

fn compiled(pattern: &str) -> Answer<Regex> {
    if pattern.len() > PATTERN {
        return wrong(format!("the pattern is longer than {PATTERN} bytes; use a shorter one"));
    }
    let built =
        RegexBuilder::new(pattern).multi_line(true).size_limit(COMPILED).dfa_size_limit(COMPILED).build();
    built.or_else(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            wrong("the pattern is too big when compiled; count less".to_owned())
        }
        other => wrong(format!("the pattern is wrong: {other}")),
    })
}

/// The groups of a match, the whole first; one that took no part is `()`.
fn groups(found: &Captures<'_>) -> Array {
    found.iter().map(|group| group.map_or(Dynamic::UNIT, |group| group.as_str().into())).collect()
}

fn texts<'a>(parts: impl Iterator<Item = &'a str>) -> Array {
    parts.map(Into::into).collect()
}

/// The language's own checks only what comes out, and that can be the square of what goes in.
fn replace(text: &str, what: &str, with: &str) -> Answer<String> {
    let count = if what.is_empty() { text.len() + 1 } else { text.matches(what).count() };
    if text.len() + count * with.len() > 2 * TEXT {
        return Err(EvalAltResult::ErrorDataTooLarge(String::new(), Position::NONE).into());
    }
    Ok(text.replace(what, with))
}

fn parse_json(text: &str) -> Answer<Dynamic> {
    match serde_json::from_str(text) {
        Ok(read) => Ok(value::dynamic(read)),
        Err(error) => wrong(format!("this is no JSON: {error}")),
    }
}

fn to_json(item: &Dynamic) -> Answer<String> {
    value::json(item).map(|json| json.to_string()).or_else(wrong)
}

/// One number: `1,234`, `-0.5`, `97%`, `1e3`. Anything more is an error; `numbers` and `bytes` take more.
fn number(text: ImmutableString) -> Answer<Dynamic> {
    let plain = text.trim().trim_end_matches('%').trim_end().replace([',', '_'], "");
    match (plain.parse::<i64>(), plain.parse::<f64>()) {
        (Ok(whole), _) => Ok(whole.into()),
        (Err(_), Ok(number)) if number.is_finite() => Ok(number.into()),
        _ => wrong(format!("`{}` is not a number; cut it out first, or use numbers()", short(&text))),
    }
}

/// Every number in the text, in its order.
fn numbers(text: &str) -> Answer<Array> {
    let pattern = compiled(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")?;
    pattern.find_iter(text).map(|found| number(found.as_str().into())).collect()
}

/// A size as programs print it, in bytes. `K`, `Ki` and `KiB` are 1024 as in `df -h` and `du -h`; `kB`, `MB`, `GB` are
/// powers of a thousand as in `apt`.
fn bytes(text: &str) -> Answer<i64> {
    let text = text.trim();
    let unit_at = text.find(|sign: char| sign.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let unit = unit.to_ascii_lowercase();
    let base: f64 = match unit.len() {
        2 if unit.ends_with('b') => 1000.0,
        _ => 1024.0,
    };
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" | "yte" | "ytes" | "bytes" => Some(0),
        letter => {
            ["k", "m", "g", "t", "p", "e"].iter().position(|known| *known == letter).map(|at| at as i32 + 1)
        }
    };
    let number =
        number.trim().replace([',', '_'], "").parse::<f64>().ok().filter(|number| number.is_finite());
    match (number, power) {
        (Some(number), Some(power)) => Ok((number * base.powi(power)).round() as i64),
        _ => wrong(format!("`{}` is not a size like 512, 1.5G or 20 MB", short(text))),
    }
}

/// Bytes for people, in powers of 1024.
fn human(count: f64) -> String {
    let (mut size, mut unit) = (count, "B");
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if size.abs() < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, next);
    }
    if unit == "B" { format!("{size:.0} B") } else { format!("{size:.1} {unit}") }
}

fn sum(items: Array) -> Answer<Dynamic> {
    let whole: Option<Vec<i64>> = items.iter().map(|item| item.as_int().ok()).collect();
    if let Some(total) =
        whole.and_then(|all| all.into_iter().try_fold(0_i64, |total, item| total.checked_add(item)))
    {
        return Ok(total.into());
    }
    items.iter().map(float).sum::<Answer<f64>>().map(Dynamic::from)
}

/// The smallest or the largest of numbers, or of texts; `()` of none.
fn extreme(items: Array, wanted: Ordering) -> Answer<Dynamic> {
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else { return Ok(Dynamic::UNIT) };
    for item in items {
        if order(&item, &best)? == wanted {
            best = item;
        }
    }
    Ok(best)
}

fn sorted(items: Array) -> Answer<Array> {
    // A comparison that fails must not reach the sort.
    for pair in items.windows(2) {
        order(&pair[0], &pair[1])?;
    }
    let mut items = items;
    items.sort_by(|one, other| order(one, other).unwrap_or(Ordering::Equal));
    Ok(items)
}

fn order(one: &Dynamic, other: &Dynamic) -> Answer<Ordering> {
    if let (Ok(one), Ok(other)) = (one.as_int(), other.as_int()) {
        return Ok(one.cmp(&other));
    }
    if let (Ok(one), Ok(other)) = (one.as_immutable_string_ref(), other.as_immutable_string_ref()) {
        return Ok(one.as_str().cmp(other.as_str()));
    }
    Ok(float(one)?.total_cmp(&float(other)?))
}

fn float(item: &Dynamic) -> Answer<f64> {
    match (item.as_int(), item.as_float()) {
        (Ok(whole), _) => Ok(whole as f64),
        (Err(_), Ok(number)) => Ok(number),
        _ => wrong(format!(
            "numbers were needed, not {}; texts become numbers with number()",
            item.type_name()
        )),
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

fn wrong<T>(words: String) -> Answer<T> {
    Err(EvalAltResult::ErrorRuntime(words.into(), Position::NONE).into())
}
