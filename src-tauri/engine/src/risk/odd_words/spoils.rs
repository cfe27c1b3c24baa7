//! What is written over, emptied, ended, or asked too much of because of a word.

use planwright_shell::Span;

use crate::knowledge::Deed;
use crate::protocol::Risk;
use crate::risk::args::{Parsed, behind};
use crate::risk::judge::Judge;
use crate::risk::place::{Place, place};
use crate::risk::scripts;
use crate::risk::targets::Target;
use crate::risk::words::{Arg, Text};

pub(super) fn check(j: &mut Judge<'_>, name: &str, parsed: &Parsed<'_, '_>, args: &[Arg], span: Span) {
    match name {
        "xargs" | "parallel" => {
            let many = ["-P", "--max-procs", "-j", "--jobs"]
                .iter()
                .filter_map(|name| parsed.value(name))
                .find(|value| {
                    value
                        .known()
                        .and_then(|text| text.parse::<u64>().ok())
                        .is_some_and(|many| many == 0 || many >= 100)
                });
            let asks = parsed.inner.iter().copied().flatten().next().and_then(Arg::known);
            let asks =
                asks.and_then(crate::knowledge::program).is_some_and(|entry| entry.does(Deed::Network));
            let here = args.iter().any(|arg| j.found.fragment(arg.span).contains("localhost"));
            if let Some(value) = many.filter(|_| asks && !here) {
                j.found.add(Risk::Dangerous, "asks another machine as often at once as it can", value.span);
            }
        }
        // `fuser -k` on one port after the other.
        "fuser" => {
            let several = parsed.words.iter().find(|word| matches!(&word.text, Text::Glob { .. }));
            if let Some(span) = several.filter(|_| parsed.has("-k")).map(|word| word.span) {
                j.found.add(Risk::Dangerous, "ends whoever uses any of several things", span);
            }
        }
        // On another machine others may be using it.
        "systemctl" if j.elsewhere && !parsed.has("--user") => {
            let verb = args.iter().find(|arg| !arg.may_be_flag());
            if let Some(verb) = verb.filter(|verb| matches!(verb.known(), Some("stop" | "disable" | "mask")))
            {
                j.found.add(Risk::Dangerous, "stops a service of another machine", verb.span);
            }
        }
        // `rename 's/.*/x/' * --force`: its options stand anywhere.
        "rename" => {
            let mut rest = parsed.inner.iter().copied().flatten();
            if let Some(force) = rest.find(|arg| matches!(arg.known(), Some("-f" | "--force"))) {
                j.found.add(Risk::Dangerous, "over files that are there", force.span);
            }
        }
        "npm" | "yarn" | "pnpm" => {
            let words: Vec<&str> = args.iter().filter_map(Arg::known).collect();
            if words.contains(&"audit") && words.contains(&"fix") && words.contains(&"--force") {
                j.found.add(Risk::Dangerous, "takes versions that may not fit what the project needs", span);
            }
        }
        "cpio" => {
            if let Some(folder) = behind(args, &["-D", "--directory"]).cloned() {
                j.write(&folder);
            }
        }
        "prlimit" => {
            if let Some(pid) = parsed.value("-p").filter(|pid| pid.known() == Some("1")) {
                j.found.add(
                    Risk::Dangerous,
                    "changes what the first process of the machine may do",
                    pid.span,
                );
            }
        }
        "bq" => {
            let asks = parsed.words.first().and_then(|word| word.known()) == Some("query");
            for word in parsed.words.iter().skip(1).filter(|_| asks) {
                let risk = word.known().map_or(Risk::Dangerous, scripts::sql);
                j.found.add(risk, "changes or deletes what is in a database", word.span);
            }
        }
        // `python3 -m json.tool IN OUT`
        "python" | "python3" => {
            let module = parsed.value("-m").and_then(Arg::known);
            let words: Vec<&Arg> = parsed.inner.iter().copied().flatten().collect();
            let is_flag = |arg: &Arg| arg.known().is_some_and(|text| text.starts_with("--"));
            let is_width = |at: usize| at > 0 && words[at - 1].known() == Some("--indent");
            if matches!(module, Some("json.tool"))
                && let Some((_, out)) =
                    words.iter().enumerate().filter(|(at, arg)| !is_flag(arg) && !is_width(*at)).nth(1)
            {
                j.found.add(Risk::Caution, "writes it to a file", out.span);
                j.write(out);
            }
        }
        // `pytest --basetemp=~/x`: what is there goes first.
        "pytest" | "py.test" => {
            let folder = args.iter().enumerate().find_map(|(at, arg)| {
                let text = arg.known().unwrap_or_else(|| j.found.fragment(arg.span));
                match text.trim_matches('"').strip_prefix("--basetemp") {
                    Some("") => args.get(at + 1).cloned(),
                    Some(rest) => Some(arg.with(rest.trim_start_matches('=').trim_matches('"').to_owned())),
                    None => None,
                }
            });
            if let Some(folder) = folder {
                let own = matches!(j.target(&folder), Target::At(paths)
                    if paths.iter().all(|path| matches!(place(path, &j.anchors), Place::Workspace | Place::Temporary)))
                    && folder.known().is_some_and(|text| !text.contains('$'));
                if !own {
                    j.found.add(Risk::Dangerous, "empties this folder first", folder.span);
                }
            }
        }
        // `unzip x.zip .bashrc -d ~`
        "unzip" | "tar" | "bsdtar" => {
            let hidden = args.iter().find(|arg| {
                let text = j.found.fragment(arg.span).trim_matches(['"', '\'']);
                [".bashrc", ".zshrc", ".profile", ".bash_profile", ".ssh", ".gitconfig"]
                    .iter()
                    .any(|own| text == *own || text.starts_with(&format!("{own}/")))
            });
            let unpacks = name == "unzip" || parsed.has("-x");
            if let Some(span) = hidden.filter(|_| unpacks).map(|arg| arg.span) {
                j.found.add(Risk::Dangerous, "unpacks over files that are read at every start", span);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::protocol::Risk;
    use crate::risk::tests::check;

    #[test]
    fn words_spoil_something() {
        check(
            Risk::Dangerous,
            r#"
            python3 -m json.tool data.json ~/.vimrc
            pytest -q --basetemp="$HOME/Documents" tests
            pytest --basetemp ~/Documents
            unzip -qo ~/Downloads/theme.zip '.bashrc' '.ssh/*' -d ~
            sudo prlimit -p 1 --nofile=16:16
            npm audit fix --force
            rename 's/.*/x/' a b --force
            for p in 3000 5432; do fuser -k $p/tcp; done
            bq query --nouse_legacy_sql 'CREATE OR REPLACE TABLE s.orders AS SELECT * FROM s.t'"#,
        );
        check(
            Risk::Caution,
            r#"
            python3 -m json.tool data.json out.json
            pytest -q --basetemp=build/tmp tests
            unzip -qo theme.zip 'css/*' -d theme
            npm audit fix
            fuser -k 3000/tcp"#,
        );
        check(Risk::Safe, "python3 -m json.tool data.json\ntar -tf x.tar .bashrc");
    }
}
