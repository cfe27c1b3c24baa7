//! Whether a line of a page looks like a command. Words and signs only: what a command means is decided elsewhere, and whether it
//! is shell at all the shell reader says.

use std::collections::HashSet;

use super::machine::Machine;
use super::words::words;

/// How sure it is that a line is a command; more is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// Prose, output, data or another language.
    Not,
    /// One plain word more or less; only what stands around it can tell.
    Open,
    /// Shaped like one: options, a path to run, an assignment.
    Shaped,
    /// It begins with a program that is known.
    Known,
}

/// What is known of programs on this page.
pub(super) struct Vocabulary<'a> {
    pub(super) machine: &'a Machine,
    /// Words that the page itself uses as programs.
    pub(super) own: HashSet<String>,
}

impl Vocabulary<'_> {
    fn knows(&self, program: &str) -> bool {
        words().known.contains(program)
            || self.own.contains(program)
            || self.machine.has(program)
            || words().foreign.values().any(|programs| programs.contains(program))
            || words().managers.iter().any(|one| one.programs.iter().any(|name| name == program))
    }

    pub(super) fn of(&self, line: &str) -> Likeness {
        let line = line.trim();
        if let Some(file) = emptied(line) {
            // `> ./configure` is more likely a prompt and its command.
            return if self.of(file) < Likeness::Shaped { Likeness::Open } else { Likeness::Not };
        }
        if is_element(line) || is_whole_statement(line) {
            return Likeness::Known;
        }
        let line = line.strip_prefix('\\').unwrap_or(line);
        let stripped = command_words(line);
        let Some(&first) = stripped.first() else {
            return if is_assignment(line.split_whitespace().next().unwrap_or_default()) {
                Likeness::Shaped
            } else {
                Likeness::Not
            };
        };
        // `sudo -u name -i` names no program: it opens that user's shell.
        if first.starts_with('-') && line.starts_with("sudo ") {
            return Likeness::Known;
        }
        let second = stripped.get(1).copied().unwrap_or_default();
        // An assignment with a remark behind it.
        if first.starts_with('#') && line.split_whitespace().next().is_some_and(is_assignment) {
            return Likeness::Shaped;
        }
        if is_version_of_something(&stripped) || is_only_a_file(&stripped) {
            return Likeness::Not;
        }
        if is_assignment(first) && !STOPS.contains(&second) {
            return Likeness::Shaped;
        }
        if reads_as_words(line, first, second) {
            return Likeness::Not;
        }
        let name = first.trim_end_matches(';').trim_start_matches(['(', '{']);
        if is_keyword_line(line, name) {
            return Likeness::Known;
        }
        if matches!(
            name,
            "for" | "while" | "if" | "until" | "case" | "function" | "do" | "select" | "let" | "let's"
        ) {
            return Likeness::Not;
        }
        if self.knows(name) {
            return Likeness::Known;
        }
        if is_runnable_path(name) || is_assignment(name) {
            return Likeness::Shaped;
        }
        // `tool/install -to ~/bin`: a program in a folder that is here.
        let is_path_here = name.contains('/')
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.chars().all(|sign| sign.is_ascii_alphanumeric() || "._+-/".contains(sign));
        if is_path_here && second.starts_with('-') {
            return Likeness::Shaped;
        }
        let is_name = name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._+-".contains(letter));
        if !is_name {
            return match (is_expanded(name), second.starts_with(['-', '/', '.'])) {
                (true, true) => Likeness::Shaped,
                (true, false) => Likeness::Open,
                (false, _) => Likeness::Not,
            };
        }
        // `tool_conf > /etc/tool.conf`
        let writes = line.contains(" > /") || line.contains(" >> /");
        if writes {
            return Likeness::Shaped;
        }
        let has_option = stripped.iter().skip(1).any(|word| {
            word.starts_with("--") && word.len() > 2
                || word.starts_with('-') && word[1..].starts_with(|c: char| c.is_ascii_alphabetic())
        });
        if has_option && !line.contains(": ") { Likeness::Shaped } else { Likeness::Open }
    }
}

/// The file of a line that only opens one: `> a.log`, `>>a 2>&1`.
fn emptied(line: &str) -> Option<&str> {
    let behind = line.strip_prefix('>')?;
    let more = behind.trim_start_matches(['>', '|']);
    let mut words = more.split_whitespace();
    let file = words.next()?;
    // `> word` may be anything that stands behind a mark; no number, name of a package or sentence is a file.
    let rest = words.next();
    let is_file = file.contains(['.', '/', '$'])
        || !behind.starts_with(' ')
        || rest.is_some_and(|rest| rest.starts_with("2>"));
    let is_plain = file.starts_with(|c: char| c.is_ascii_alphabetic() || "./~$_\"'".contains(c))
        && !file.contains(['@', '>', '<', '=', '(', ',', '!', '?'])
        && !file.ends_with(['.', ':']);
    let rest_is_plain = rest.is_none_or(|rest| rest.starts_with("2>") || rest.starts_with('#'));
    (is_file && is_plain && rest_is_plain).then_some(file)
}

/// The words of a line from its program on: `sudo` with its options, assignments and what notebooks put before a command left out.
pub(in crate::plan) fn command_words(line: &str) -> Vec<&str> {
    let line = line.trim().trim_start_matches(['!', '%']).trim_start();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    loop {
        match words.as_slice() {
            [first, _, ..] if is_assignment(first) && is_whole_value(first) => {
                words.remove(0);
            }
            [
                "sudo" | "env" | "time" | "nohup" | "command" | "exec" | "!" | "then" | "do" | "else" | "("
                | "{",
                next,
                ..,
            ] if starts_a_program(next) && (words[0] == "sudo" || !next.starts_with('-')) => {
                let wrapper = words.remove(0);
                while words.len() > 1 && wrapper == "sudo" && words[0].starts_with('-') {
                    let takes = matches!(words[0], "-u" | "-g" | "--user") && words.len() > 2;
                    words.remove(0);
                    if takes {
                        words.remove(0);
                    }
                }
            }
            _ => return words,
        }
    }
}

/// `env | sort` and `exec 3>log` start nothing else; neither does `command -v name`, whose option is its own.
fn starts_a_program(word: &str) -> bool {
    !word.starts_with(['|', '&', ';']) && !word.contains(['<', '>'])
}

/// `tool 1.2.3`: a line of a list of versions.
fn is_version_of_something(words: &[&str]) -> bool {
    let is_version = |word: &str| {
        word.split('.').count() > 1
            && word.split('.').all(|part| !part.is_empty() && part.chars().all(|sign| sign.is_ascii_digit()))
    };
    matches!(words, [program, version] if *program != "sleep" && !program.contains('/') && is_version(version))
}

/// The name of a file that holds words or data.
fn is_only_a_file(words: &[&str]) -> bool {
    const DATA: [&str; 12] =
        [".txt", ".md", ".rst", ".json", ".yaml", ".yml", ".toml", ".conf", ".cfg", ".ini", ".csv", ".xml"];
    matches!(words, [name] if !name.contains('/') && DATA.iter().any(|end| name.ends_with(end)))
}

/// The value ends with the word: it is no list, opens no quote, and is no command's output with words of its own.
fn is_whole_value(word: &str) -> bool {
    !word.contains("$(")
        && (!word.contains("=(") || word.ends_with(')'))
        && ['\'', '"'].iter().all(|quote| word.matches(*quote).count() % 2 == 0)
}

/// `NAME=value`, `NAME+=value` or `NAME[place]=value` as the shell reads it.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        let name = name.trim_end_matches('+');
        let name = match name.split_once('[') {
            Some((name, place)) if place.ends_with(']') => name,
            _ => name,
        };
        is_variable(name) && !value.starts_with('=')
    })
}

pub(super) fn is_variable(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// `name[a key]=value`, whose key may have blanks.
fn is_element(line: &str) -> bool {
    line.split_once('[').is_some_and(|(name, rest)| {
        is_variable(name)
            && rest.split_once(']').is_some_and(|(_, value)| {
                let value = value.strip_prefix('+').unwrap_or(value);
                value.starts_with('=') && !value.starts_with("==") && !value.starts_with("= ")
            })
    })
}

/// A loop or a choice from its first word to its last.
fn is_whole_statement(line: &str) -> bool {
    let begins = |word: &str| line.split_whitespace().next() == Some(word);
    let third = line.split_whitespace().nth(2);
    begins("for") && third == Some("in") && line.contains("; do ") && line.ends_with("done")
        || begins("case") && third == Some("in") && line.ends_with("esac")
}

fn is_keyword_line(line: &str, first: &str) -> bool {
    match first {
        "for" => line.split_whitespace().nth(2) == Some("in") || line.contains("(("),
        "while" | "until" => {
            line.contains("do") && (line.contains(';') || line.contains('[') || line.contains("read"))
                || line.ends_with("do")
                || line.contains("[ ")
        }
        "if" => {
            line.contains('[')
                || line.contains("then") && line.contains(';')
                || line.contains("command -v")
                || line.contains("! ")
        }
        "case" => line.trim_end().ends_with("in"),
        "function" => line.contains('{') || line.contains("()"),
        "[" | "[[" => line.contains(" ]") && line.contains(" -") || line.contains(" ]") && line.contains('='),
        "select" => line.split_whitespace().nth(2) == Some("in"),
        "let" => is_assignment(line.split_whitespace().nth(1).unwrap_or_default()),
        "." => line.split_whitespace().nth(1).is_some_and(|path| path.contains(['/', '.', '$'])),
        ":" => true,
        _ => first.ends_with("()") || line.starts_with("((") && line.contains("))"),
    }
}

/// A program's name that the shell makes: of a variable, of what a command prints, or of quotes around a path.
fn is_expanded(word: &str) -> bool {
    let of_variable = |text: &str| {
        text.strip_prefix('$').is_some_and(|rest| {
            rest.starts_with(|letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '{' | '('))
        })
    };
    let of_path = |text: &str| ["./", "../", "/", "~/"].iter().any(|start| text.starts_with(start));
    match word.strip_prefix(['"', '\'']) {
        Some(quoted) => of_variable(quoted) || of_path(quoted),
        None => of_variable(word) || word.starts_with('`') && word.len() > 1 || word.starts_with("~/"),
    }
}

fn is_runnable_path(word: &str) -> bool {
    if word.contains("://") || word.ends_with('/') || word.starts_with("//") {
        return false;
    }
    // An absolute path is mostly that of a file; of a program where programs lie.
    let begins =
        ["./", "../", "$HOME/", "${HOME}/", "$PWD/", "\"$HOME/"].iter().any(|start| word.starts_with(start))
            || word.contains("/init.d/");
    let script = [".sh", ".py", ".bash", ".pl", ".rb"].iter().any(|end| word.ends_with(end));
    const PLACES: [&str; 4] = ["/bin/", "/sbin/", "/libexec/", "/scripts/"];
    let inside = ["bin/", "scripts/", "script/", "tools/", "node_modules/.bin/"]
        .iter()
        .any(|part| word.starts_with(part))
        || PLACES.iter().any(|place| word.contains(place));
    (begins && word.len() > 2) || script || inside
}

/// Second words that no command line has.
const STOPS: &[&str] = &[
    "the", "a", "an", "sure", "you", "your", "this", "that", "is", "are", "it", "of", "and", "was", "were",
    "be", "will", "can", "should", "has", "have", "from", "these", "those", "its", "our", "my", "we",
    "which", "into", "using", "also", "has:", "must", "not", "no", "or", "but", "with", "any", "each",
    "some", "=>", "->", "=", ":", "==", "by", "like", "as", "if", "when",
];

/// English or output rather than a command, by signs that no command line has.
fn reads_as_words(line: &str, first: &str, second: &str) -> bool {
    let lower = second.to_ascii_lowercase();
    // "mkdir a b" makes two folders, "test the thing" is a sentence.
    let third = line.split_whitespace().skip_while(|word| *word != second).nth(1).unwrap_or_default();
    let goes_on = third.len() > 1 && third.chars().all(|letter| letter.is_alphabetic() || letter == '.');
    let plain_command = matches!(
        first,
        "[" | "[[" | "export" | "set" | "echo" | "printf" | "cd" | "git" | "curl" | ":" | "." | "alias"
    );
    let stops =
        STOPS.contains(&lower.trim_end_matches(',')) && (goes_on || !lower.starts_with(char::is_alphabetic));
    if !plain_command && stops && !first.starts_with("./") {
        return true;
    }
    if line.contains(" ... ") && !line.contains(['|', ';', '"', '\'']) {
        return true;
    }
    if first.ends_with(':') && !first.contains(['/', '(']) && first.len() > 1
        || first.ends_with(',')
        || first.ends_with('!')
        || first.ends_with("...")
    {
        return true;
    }
    let capital = first.starts_with(|letter: char| letter.is_uppercase())
        && first.chars().skip(1).any(|letter| letter.is_lowercase())
        && !first.contains(['/', '=', '_', '-', '.']);
    if capital
        && line.split_whitespace().count() > 1
        && !matches!(first, "Rscript" | "Xvfb" | "VBoxManage" | "MSBuild")
    {
        return true;
    }
    if first.starts_with([
        '<', '>', '|', '*', '+', '"', '\'', '`', '@', '}', ')', ']', ',', '=', '&', '├', '└', '│', '─', '•',
        '✓', '✔', '⠋', '┌', '╭',
    ]) {
        return !is_expanded(first);
    }
    if first.starts_with('{') && first.len() > 1
        || first.starts_with('[') && first.len() > 2 && !first.starts_with("[[")
    {
        return true;
    }
    if first.starts_with('-') || first.starts_with('#') || first.contains("://") {
        return true;
    }
    if first.contains('(')
        && !first.starts_with('(')
        && !first.starts_with("$(")
        && !first.ends_with("()")
        && !first.contains("=(")
        && !first.contains("=$(")
    {
        return true;
    }
    // A sentence ends with a full stop at a word, and has no sign of a shell.
    let sentence =
        (line.ends_with('.') || line.ends_with(".)") || line.ends_with('!') || line.ends_with('?'))
            && !line.ends_with(" .")
            && !line.ends_with("/.")
            && !line.ends_with("..")
            && line.split_whitespace().count() > 4
            && !line.contains(" -")
            && !line.contains(['|', '>', '$', '&', ';', '"', '\'']);
    sentence || (line.ends_with("...") && line.split_whitespace().count() > 1 && !line.contains("./..."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_words_output_and_data() {
        let machine = Machine::default();
        let vocabulary = Vocabulary { machine: &machine, own: HashSet::from(["tidywick".to_owned()]) };
        for line in [
            "npm install",
            "sudo apt-get install -y git",
            "env | sort",
            "exec 3>log; echo first >&3",
            "FOO=1 make",
            "./configure --prefix=/usr",
            "export A=b",
            "for f in *.txt; do wc $f; done",
            "[ -f x ] && rm x",
            "tidywick init",
            "unheard --of it",
            "git add .",
            ". venv/bin/activate",
            "!pip install x",
            "cd ..",
            "$EDITOR -f x",
            "mkdir a b",
            "touch a",
            "\"$BIN/tool\" --version",
            "$(brew --prefix)/bin/x y",
            "pid=$!",
            "OLD=$IFS; IFS=:",
            "m[k]=v",
            "arr=(one \"two three\")",
            "let Y=5+6",
            "((Z=Y*2)); echo $Z",
            "select x in a b c; do echo $x; break; done",
            "for a in \"$@\"; do echo \"<$a>\"; done",
            "case $x in a) echo 1 ;; *) echo 2 ;; esac",
            "m[\"a b\"]=v",
            "\\ls -l",
            "(: \"${X:?}\")",
        ] {
            assert!(vocabulary.of(line) >= Likeness::Shaped, "{line}: {:?}", vocabulary.of(line));
        }
        for line in [
            "\"$SSH_ASKPASS\" \"Password: \" > given",
            "FOO=bar $CMD",
            "`which python3` x",
            "\"./my tool\" go",
            "${PYTHON:-python3} x.py",
        ] {
            assert_eq!(vocabulary.of(line), Likeness::Open, "{line}");
        }
        for line in ["> a.log", ">> /var/log/x", ">f 2>&1", "> f 2>/dev/null", ">| ~/x.txt # new"] {
            assert_eq!(vocabulary.of(line), Likeness::Open, "{line}");
        }
        for line in [
            "> ./configure",
            "> app@1.0.0 build",
            "> tsc -p .",
            "> 5.2",
            "> quoted words.",
            "> make",
            ">>> import a.b",
        ] {
            assert!(vocabulary.of(line) < Likeness::Shaped, "{line}");
            assert_eq!(emptied(line).filter(|file| vocabulary.of(file) < Likeness::Shaped), None, "{line}");
        }
        for line in [
            "make sure you have it",
            "Collecting Django",
            "checking init:",
            "all ok!",
            "├── src",
            "<html>",
            "key: value",
            "{ \"a\": 1 }",
            "import os is fine.",
            "test the thing",
            "Version 1.2 of it",
            "- item",
            "name = value",
            "print(1)",
            "for example you may",
            "The end of the file.",
            "let us begin",
            "let x = 5;",
            "select the right one",
            "name= is empty",
            "for a in the list",
            "case in point: done in a moment",
            "note [1] = the first",
        ] {
            assert!(vocabulary.of(line) < Likeness::Shaped, "{line}: {:?}", vocabulary.of(line));
        }
    }
}
