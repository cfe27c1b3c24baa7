//! A file that is emptied before it is read: `sort list > list`.

use std::collections::HashSet;

use planwright_shell::{RedirectKind, SimpleCommand};

use super::judge::Judge;
use super::targets::Target;
use super::words::Arg;
use crate::protocol::Risk;

/// Programs whose words are files, whatever they are called.
const READ: [&str; 12] =
    ["sort", "uniq", "cut", "sed", "awk", "grep", "tr", "cat", "head", "tail", "tac", "jq"];
/// Programs whose words are texts, not files that they read.
const SAY: [&str; 12] =
    ["echo", "printf", "[", "[[", "test", "exec", "touch", "rm", "ls", "stat", ":", "true"];

pub(super) fn check(j: &mut Judge<'_>, command: &SimpleCommand, args: &[Arg]) {
    let Some((program, rest)) = args.split_first() else { return };
    let reads =
        |name: &str, file: &str| !SAY.contains(&name) && (READ.contains(&name) || file.contains(['.', '/']));
    let words: HashSet<&str> = rest.iter().filter_map(Arg::known).collect();
    let written = command.redirects.iter().filter(|redirect| {
        matches!(redirect.kind, RedirectKind::Write | RedirectKind::WriteBoth) && redirect.fd == 1
    });
    // `tail -f log >> log`: what it adds it reads again.
    let follows = |stage: &[String], file: &str| {
        stage.first().is_some_and(|name| name == "tail")
            && stage.iter().any(|word| matches!(word.as_str(), "-f" | "-F" | "--follow"))
            && stage.iter().any(|word| word == file)
    };
    let own: Vec<String> = args.iter().filter_map(Arg::known).map(str::to_owned).collect();
    let added = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Append);
    let added = added.map(|redirect| redirect.target.raw.as_str());
    let teed = rest.iter().filter_map(Arg::known).filter(|_| program.known() == Some("tee"));
    let grows = added
        .chain(teed)
        .any(|file| follows(&own, file) || j.pipeline.iter().any(|stage| follows(stage, file)));
    if grows {
        j.found.add(Risk::Dangerous, "fills a file without end", program.span);
    }
    let comes_in = |raw: &str| {
        command.redirects.iter().any(|own| own.kind == RedirectKind::Read && own.target.raw == raw)
    };
    // `uniq list | tee list`: it is emptied while it is read.
    let shared = rest.iter().find(|word| {
        program.known() == Some("tee")
            && !words.contains("-a")
            && word.known().is_some_and(|file| {
                j.pipeline.iter().any(|stage| {
                    stage.first().is_some_and(|name| name != "tee" && reads(name, file))
                        && stage.iter().skip(1).any(|own| own == file)
                })
            })
    });
    if let Some(span) = shared.filter(|_| command.context.piped_from).map(|word| word.span) {
        j.found.add(Risk::Dangerous, "empties the file before it is read", span);
    }
    for redirect in written {
        let raw = redirect.target.raw.as_str();
        if raw.starts_with("/dev/") {
            continue;
        }
        // Every stage of a pipeline begins at once.
        let earlier = || {
            j.pipeline.iter().any(|stage| {
                stage.first().is_some_and(|name| reads(name, raw))
                    && stage.iter().skip(1).any(|word| word == raw)
            })
        };
        let here = || program.known().is_some_and(|name| reads(name, raw)) && words.contains(raw);
        if !(here() || comes_in(raw) || command.context.piped_from && earlier()) {
            continue;
        }
        let there = j.variables.expand(&redirect.target, j.workspace.environment);
        let kept = there.iter().any(|arg| match j.target(arg) {
            Target::At(paths) => paths.iter().all(|path| !j.made.contains(path)),
            Target::Inside { .. } | Target::Unknown => true,
        });
        if kept {
            j.found.add(Risk::Dangerous, "empties the file before it is read", redirect.target.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn a_file_is_not_read_and_emptied_at_once() {
        check(
            Risk::Dangerous,
            r#"
            cat notes.md | sort > notes.md
            jq '.version="2.0"' package.json > package.json
            sort names.txt > names.txt
            sed 's/a/b/' src/a.rs > src/a.rs
            uniq notes.txt | tee notes.txt > /dev/null
            tr a b < x | cat - y > y"#,
        );
        check(
            Risk::Caution,
            r#"
            jq . package.json > out.json
            sort names.txt >> names.txt.sorted
            echo names.txt > names.txt
            sort names.txt > sorted.txt && mv sorted.txt names.txt
            sort names.txt | tee sorted.txt
            sort -o names.txt names.txt"#,
        );
    }
}
