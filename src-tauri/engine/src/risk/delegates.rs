//! What programs are handed that their table has no role for: a command among their words, a text for a shell, a file with
//! a program in it, a name that another machine is asked about.

use super::awk;
use super::judge::{CallContext, Judge};
use super::place::Trust;
use super::targets::Target;
use super::words::Arg;
use crate::knowledge;
use crate::protocol::Risk;

/// Programs of which the tables know no more than that they may run a command which stands in their words.
const CARRIERS: [&str; 25] = [
    "mise",
    "rtx",
    "direnv",
    "asdf",
    "pyenv",
    "rbenv",
    "nodenv",
    "goenv",
    "jenv",
    "nvm",
    "fnm",
    "volta",
    "conda",
    "mamba",
    "entr",
    "watchexec",
    "lerna",
    "nx",
    "turbo",
    "yarn",
    // Names that another program has as well, one that runs its words.
    "ts",
    "plink",
    "rofi",
    "wofi",
    "fuzzel",
];
/// The terminals' own option for what is to run in them.
const IN_A_TERMINAL: [&str; 4] = ["-e", "-x", "--command", "--execute"];
/// Options whose value a program gives to a shell, by its name.
const GIVEN_TO_A_SHELL: [(&str, &[&str]); 6] = [
    ("nodemon", &["--exec", "-x"]),
    ("cargo", &["-s", "--shell"]),
    ("cargo-watch", &["-s", "--shell"]),
    ("entr", &["-s"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("expect", &["-c"]),
];

/// Options that name a file with a program in it.
const PROGRAM_FILES: [(&str, &[&str]); 14] = [
    ("awk", &["-f", "-E", "--file"]),
    ("gawk", &["-f", "-E", "--file"]),
    ("mawk", &["-f"]),
    ("sed", &["-f", "--file"]),
    ("gradle", &["-I", "--init-script"]),
    ("cmake", &["-P"]),
    ("go", &["run"]),
    ("jest", &["-c", "--config"]),
    ("eslint", &["-c", "--config", "--rulesdir"]),
    ("prettier", &["--plugin", "--config"]),
    ("vitest", &["-c", "--config"]),
    ("webpack", &["-c", "--config"]),
    ("rollup", &["-c", "--config"]),
    ("pytest", &["-c", "--rootdir", "--confcutdir"]),
];
/// Options that name a file which is written.
const WRITTEN: [(&str, &[&str]); 2] =
    [("openssl", &["-out", "-keyout", "-writerand", "-CAserial"]), ("perf", &["-o", "--output"])];

/// Options that name a setting, which may say anything.
const SETTINGS: [(&str, &[&str]); 1] = [("wget", &["-e", "--execute"])];

impl Judge<'_> {
    /// Judges what the program `name` is handed.
    pub(super) fn delegates(&mut self, name: &str, words: &[Arg], how: CallContext<'_>) {
        if (CARRIERS.contains(&name) || is_terminal(name)) && !self.carrying {
            self.carrying = true;
            self.carried(words, how);
            self.carrying = false;
        }
        self.texts_to_run(name, words);
        for file in behind(&PROGRAM_FILES, name, words) {
            self.program_file(name, &file);
        }
        for file in behind(&WRITTEN, name, words) {
            self.write(&file);
        }
        // `wget -e output_document=…`
        for setting in behind(&SETTINGS, name, words) {
            if setting.known().is_none_or(|text| !text.trim_start().starts_with("robots")) {
                self.found.add(Risk::Dangerous, "changes how it works and where it writes", setting.span);
            }
        }
        let asks =
            name == "getent" && words.first().and_then(Arg::known).is_some_and(|what| what.contains("hosts"));
        for word in words.iter().filter(|word| asks && word.is_unknown()) {
            if self.found.fragment(word.span).contains(['(', '`']) {
                self.found.add(
                    Risk::Dangerous,
                    "what it sends to another machine is only known when it runs",
                    word.span,
                );
            }
        }
    }

    /// A file whose program runs: one that anybody may have put there is as bad as any from outside.
    fn program_file(&mut self, name: &str, file: &Arg) {
        if file.known().is_none_or(|text| text.starts_with('-')) || self.trust(file) != Some(Trust::Stranger)
        {
            return;
        }
        let own = match self.target(file) {
            Target::At(paths) => paths.iter().all(|path| {
                let text = self.authored.iter().find(|(own, _)| own == path).map(|(_, text)| text);
                name.ends_with("awk")
                    && self.settled.contains(path)
                    && text.is_some_and(|text| awk::does(text) == awk::Does::Prints)
            }),
            Target::Inside { .. } | Target::Unknown => false,
        };
        if !own && !self.elsewhere {
            self.found.add(Risk::Dangerous, "takes a program from outside the workspace", file.span);
        }
    }

    /// Judges a text among the words that the program gives to a shell: `nodemon --exec TEXT`.
    fn texts_to_run(&mut self, name: &str, words: &[Arg]) {
        let listed = GIVEN_TO_A_SHELL.iter().find(|(own, _)| *own == name).map(|(_, options)| *options);
        let Some(options) = listed.or_else(|| is_terminal(name).then_some(&IN_A_TERMINAL[..])) else {
            return;
        };
        let watches = name != "cargo" || words.first().and_then(Arg::known) == Some("watch");
        for (at, word) in words.iter().enumerate().filter(|_| watches) {
            let attached = |option: &&str| word.known()?.strip_prefix(*option)?.strip_prefix('=');
            let text = match options.iter().find_map(attached) {
                Some(text) => Some(word.with(text.to_owned())),
                None if options.iter().any(|option| word.known() == Some(*option)) => {
                    words.get(at + 1).cloned()
                }
                None => None,
            };
            let Some(text) = text else { continue };
            match text.known() {
                Some(known) if name == "expect" => {
                    for line in known.split([';', '\n']).map(str::trim) {
                        let run = line.strip_prefix("spawn ").or(line.strip_prefix("exec "));
                        run.into_iter().for_each(|run| self.shell_text(run, text.span));
                    }
                }
                Some(known) => self.shell_text(known, text.span),
                None => self.unread("runs text that is only known when it runs", text.span),
            }
            // What follows is for the program in the terminal.
            if listed.is_none() {
                return;
            }
        }
    }
}

fn is_terminal(name: &str) -> bool {
    let terminal = knowledge::program("xterm");
    terminal.zip(knowledge::program(name)).is_some_and(|(terminal, own)| std::ptr::eq(terminal, own))
}

/// The values of the options that `table` lists for the program `name`.
fn behind(table: &[(&str, &[&str])], name: &str, words: &[Arg]) -> Vec<Arg> {
    let Some((_, options)) = table.iter().find(|(own, _)| *own == name) else { return Vec::new() };
    let value = |(at, word): (usize, &Arg)| {
        let text = word.known()?;
        options.iter().find_map(|option| match text.strip_prefix(option)? {
            "" => words.get(at + 1).cloned(),
            rest if option.starts_with("--") => rest.strip_prefix('=').map(|rest| word.with(rest.to_owned())),
            rest if option.len() == 2 => Some(word.with(rest.to_owned())),
            _ => None,
        })
    };
    words.iter().enumerate().filter_map(value).collect()
}
