//! One simple command as this module sees it: the program that really runs, behind `sudo` and the like, and its words.

use planwright_shell::{SimpleCommand, Value};

/// Programs that run the rest of their words, with the flags whose value is a word of its own, and how many words
/// stand before the rest.
const WRAPPERS: [(&str, &[&str], usize); 14] = [
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-r", "-t", "-T", "-U", "--user", "--group", "--prompt"],
        0,
    ),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("nice", &["-n"], 0),
    ("ionice", &["-c", "-n"], 0),
    ("nohup", &[], 0),
    ("time", &["-f", "-o"], 0),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("setsid", &[], 0),
    ("command", &[], 0),
    ("exec", &["-a"], 0),
    ("builtin", &[], 0),
    ("busybox", &[], 0),
];

#[derive(Debug)]
pub(crate) struct Part<'a> {
    /// Its name without the folder.
    pub(crate) program: &'a str,
    path: &'a str,
    /// The words behind it; one that is only known when it runs is none.
    words: Vec<Option<&'a str>>,
    /// Variables set for it.
    set: Vec<&'a str>,
}

impl<'a> Part<'a> {
    /// `None` when it is not known which program runs.
    pub(crate) fn of(simple: &'a SimpleCommand) -> Option<Self> {
        let mut set: Vec<&str> = simple.assignments.iter().map(|set| set.name.as_str()).collect();
        let mut words: Vec<Option<&str>> = simple.words.iter().map(|word| known(&word.value)).collect();
        loop {
            let program = words.first().copied()??;
            let name = program.rsplit('/').next().unwrap_or(program);
            let Some((_, valued, before)) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name) else {
                return Some(Self { program: name, path: program, words: words.split_off(1), set });
            };
            let mut at = 1;
            while let Some(word) = words.get(at).copied().flatten() {
                if name == "sudo" && matches!(word, "-i" | "--login" | "-s" | "--shell") {
                    // With nothing behind it, a shell of root's.
                    if words.len() == at + 1 {
                        return Some(Self { program: "su", path: "su", words: Vec::new(), set });
                    }
                    at += 1;
                } else if matches!((name, word), ("sudo", "-e" | "--edit")) {
                    return Some(Self {
                        program: "sudoedit",
                        path: "sudoedit",
                        words: words.split_off(at + 1),
                        set,
                    });
                } else if name == "command" && matches!(word, "-v" | "-V") {
                    return None;
                } else if word == "--" {
                    at += 1;
                    break;
                } else if word.starts_with('-') {
                    at += if valued.contains(&word) { 2 } else { 1 };
                } else if let Some((variable, _)) =
                    word.split_once('=').filter(|_| matches!(name, "sudo" | "env"))
                {
                    set.push(variable);
                    at += 1;
                } else {
                    break;
                }
            }
            if at + before >= words.len() {
                return None;
            }
            words = words.split_off(at + before);
        }
    }

    /// As the command names it.
    pub(super) fn path(&self) -> &'a str {
        self.path
    }

    /// The first word that is no flag.
    pub(crate) fn first(&self) -> Option<&'a str> {
        self.words.iter().copied().flatten().find(|word| !word.starts_with('-'))
    }

    /// Whether one of these flags is given, alone, among others or with a value.
    pub(crate) fn has(&self, flags: &[String]) -> bool {
        let given = self.words.iter().copied().flatten().filter(|word| word.starts_with('-'));
        given
            .take_while(|word| *word != "--")
            .any(|given| flags.iter().any(|flag| super::is_flag(flag, given)))
    }

    pub(super) fn has_word(&self, text: &str) -> bool {
        self.words.contains(&Some(text))
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.set.contains(&name)
    }

    /// The flags, and the words that are none. `--` ends the flags; what is not known may be anything, so it counts
    /// as a word. `until`: flags behind this many words are another
    /// program's.
    pub(super) fn split(&self, valued: &[String], until: Option<usize>) -> (Vec<&'a str>, Vec<&'a str>) {
        let (mut flags, mut operands) = (Vec::new(), Vec::new());
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            match word {
                Some("--") => {
                    operands.extend(words.map(|word| word.unwrap_or_default()));
                    break;
                }
                Some(_) if until.is_some_and(|until| operands.len() >= until) => {}
                Some(flag) if flag.starts_with('-') && flag.len() > 1 => {
                    flags.push(*flag);
                    if valued.iter().any(|valued| valued == flag) {
                        words.next();
                    }
                }
                Some(word) => operands.push(*word),
                None => operands.push(""),
            }
        }
        (flags, operands)
    }
}

fn known(value: &Value) -> Option<&str> {
    match value {
        Value::Known { text, .. } => Some(text),
        Value::Several { .. } | Value::Glob { .. } | Value::Unknown { .. } => None,
    }
}
