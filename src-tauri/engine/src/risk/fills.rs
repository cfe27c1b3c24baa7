//! Filling a disk or the memory: what prints without end goes into a file or to what holds all of it, or more than anybody
//! keeps is written at once.

use planwright_shell::{RedirectKind, Span};

use super::args::Parsed;
use super::judge::{CallContext, Judge};
use crate::protocol::Risk;

/// So many bytes are more than work needs.
const MUCH: u64 = 20_000_000_000;
/// Programs that hand on what comes in, as much as there is.
const PASSERS: [&str; 20] = [
    "cat", "tee", "base64", "xxd", "od", "tr", "sed", "pv", "rev", "gzip", "bzip2", "xz", "zstd", "lz4",
    "openssl", "shuf", "nl", "split", "sponge", "dd",
];

/// Programs that hold everything before they show anything.
const HOLDERS: [&str; 7] = ["sort", "tac", "shuf", "column", "tail", "sponge", "tsort"];
/// Programs that hold a line: a file of nothing but zeros is one line without end.
const LINE_HOLDERS: [&str; 13] =
    ["grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "mawk", "cut", "rev", "uniq", "paste", "nl"];

pub(super) fn check(
    j: &mut Judge<'_>,
    name: &str,
    parsed: &Parsed<'_, '_>,
    span: Span,
    how: CallContext<'_>,
) {
    let keeps = how.redirects.iter().any(|redirect| {
        redirect.target.raw != "/dev/null"
            && redirect.fd == 1
            && matches!(
                redirect.kind,
                RedirectKind::Write
                    | RedirectKind::Append
                    | RedirectKind::ReadWrite
                    | RedirectKind::WriteBoth
                    | RedirectKind::AppendBoth
            )
    });
    let words: Vec<&str> = parsed.all.iter().filter_map(|arg| arg.known()).collect();
    let comes_from = |kind: fn(&str) -> bool| {
        how.redirects.iter().any(|redirect| {
            redirect.kind == RedirectKind::Read && kind(redirect.target.raw.trim_matches('"'))
        })
    };
    let from = comes_from(is_endless_file);
    let source = prints_without_end(name, &words) || from && PASSERS.contains(&name);
    let first = j.pipeline.first().and_then(|stage| stage.split_first());
    let fed = how.context.piped_from
        && first.is_some_and(|(program, rest)| {
            let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
            prints_without_end(program, &rest)
        });
    // Every stage between hands on all of it.
    let hands_on = |stage: &Vec<String>| {
        stage.first().is_some_and(|program| PASSERS.contains(&program.as_str()))
            && !stage.iter().any(|word| word.starts_with("count="))
    };
    let passes = fed && j.pipeline.iter().skip(1).all(hands_on);
    // As far as this one.
    let reaches = fed
        && j.pipeline
            .iter()
            .skip(1)
            .take_while(|stage| stage.first().is_none_or(|own| own != name))
            .all(hands_on);
    if source && how.context.background {
        j.found.add(Risk::Caution, "goes on without end in the background", span);
    }
    let keeps = keeps
        || matches!(name, "tee" | "split" | "sponge")
            && words.iter().any(|word| !word.starts_with('-') && *word != "/dev/null");
    let whole = name != "dd" && (source || passes) && keeps;
    if whole || name == "dd" && copies_too_much(&words, passes || from) {
        j.found.add(Risk::Dangerous, "fills a file without end", span);
    }
    let holds = HOLDERS.contains(&name) && (reads_endless(&words) || from || reaches)
        || LINE_HOLDERS.contains(&name) && (words.iter().any(|word| is_zeros(word)) || comes_from(is_zeros));
    if holds {
        j.found.add(Risk::Dangerous, "holds in memory what never ends", span);
    }
    let sized = match name {
        "head" => {
            (source || how.context.piped_from || reads_endless(&words)) && (keeps || how.context.piped_into)
        }
        "fallocate" => true,
        "mkfile" | "xfs_mkfile" => true,
        _ => false,
    };
    let options: &[&str] = match name {
        "head" => &["-c", "--bytes"],
        "fallocate" => &["-l", "--length"],
        _ => &[],
    };
    let much = |text: &str| bytes(text).is_none_or(|bytes| bytes >= MUCH);
    let said = value(&words, options);
    if sized
        && (said.is_some_and(much)
            || name.ends_with("mkfile")
                && words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()) && much(word)))
    {
        j.found.add(Risk::Dangerous, "fills the disk", span);
    }
}

fn is_endless_file(name: &str) -> bool {
    is_zeros(name) || matches!(name, "/dev/urandom" | "/dev/random")
}

fn is_zeros(name: &str) -> bool {
    matches!(name, "/dev/zero" | "/dev/full")
}

fn reads_endless(words: &[&str]) -> bool {
    words.iter().any(|word| is_endless_file(word))
}

fn prints_without_end(name: &str, words: &[&str]) -> bool {
    name == "yes" || PASSERS.contains(&name) && !matches!(name, "dd" | "tee") && reads_endless(words)
}

/// `dd` from what never ends, without saying how much, or too much of it.
fn copies_too_much(words: &[&str], comes_in: bool) -> bool {
    let given = |name: &str| words.iter().rev().find_map(|word| word.strip_prefix(name));
    let endless = given("if=").map_or(comes_in, is_endless_file);
    let kept = given("of=").is_none_or(|file| file != "/dev/null") && (given("of=").is_some() || comes_in);
    if !endless || !kept {
        return false;
    }
    let block = given("bs=").or(given("obs=")).map_or(Some(512), bytes);
    match (block, given("count=").map(bytes)) {
        (Some(block), Some(Some(count))) => block.saturating_mul(count) >= MUCH,
        _ => true,
    }
}

fn value<'w>(words: &[&'w str], options: &[&str]) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(at, word)| {
        options.iter().find_map(|option| {
            let rest = word.strip_prefix(option)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value),
                None if rest.is_empty() => words.get(at + 1).copied(),
                None if option.len() == 2 => Some(rest),
                None => None,
            }
        })
    })
}

/// `500G`, `10MiB`, `1x1024`: how many bytes; `None` when it can't be told.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim_matches(['"', '\'']);
    if let Some((a, b)) = text.split_once(['x', '*']) {
        return Some(bytes(a)?.saturating_mul(bytes(b)?));
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.chars().next().map(|c| c.to_ascii_uppercase()) {
        None | Some('C' | 'B' | 'W') => 1,
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some('G') => 1 << 30,
        Some('T') => 1 << 40,
        Some('P' | 'E' | 'Z' | 'Y') => 1 << 50,
        Some(_) => return None,
    };
    Some(number.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn a_disk_is_not_filled_unasked() {
        check(
            Risk::Dangerous,
            r#"
            yes "$(yes)" | head -c 500G > fill.bin
            yes | head --bytes=100G > fill
            head -c200G /dev/urandom > x
            cat /dev/zero > x
            cat /dev/zero | tee x
            cat < /dev/zero > x
            yes > x
            yes | base64 > x
            yes | sed s/y/n/ | cat >> x
            yes | tee x > /dev/null
            base64 /dev/urandom > x
            dd if=/dev/zero of=fill bs=1M
            dd if=/dev/zero of=fill bs=1M count=500000
            dd if=/dev/urandom of=fill bs=1G count=100
            dd of=fill < /dev/zero
            cat /dev/zero | dd of=fill
            tail /dev/zero
            sort < /dev/urandom
            tac /dev/zero
            grep x /dev/zero
            yes | sort
            cat /dev/zero | tail
            yes | tr y n | tac
            fallocate -l 500G fill
            fallocate --length=2T fill"#,
        );
        check(
            Risk::Caution,
            r#"
            head -c 10M /dev/urandom > sample.bin
            dd if=/dev/zero of=disk.img bs=1M count=1024
            dd if=/dev/zero of=blank bs=4k count=10
            yes | head -100 > ys.txt
            yes | head -3 | sort > ys.txt
            head -c 100 /dev/urandom | sort > ys.txt
            yes > /dev/null &
            fallocate -l 1G swap.img
            yes | npm init > log.txt"#,
        );
    }
}
