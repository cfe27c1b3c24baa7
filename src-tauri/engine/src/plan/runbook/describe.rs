//! What to call a command and which kind it looks like, when its author does not say. For display only: nothing may
//! decide safety by it. Works on the text by eye, as a person skims it.

use super::titles;
use crate::protocol::{Action, StepKind};

/// Longest title made here, in characters.
pub(crate) const MAX_TITLE: usize = 60;

/// A short title in the imperative: "Install the packages", "Go to app".
pub(crate) fn title(command: &str) -> String {
    if let Some(name) = set_to_an_output(command) {
        return shorten(&format!("Set {name}"));
    }
    let parts = simple_commands(command);
    let is_more_than_options = |words: &&Vec<String>| words.first().is_none_or(|word| word != "set");
    let second_best = || parts.iter().find(is_more_than_options).or(parts.first());
    let Some(words) = parts.iter().find(|words| says_more(words)).or_else(second_best) else {
        return shorten(command.lines().next().unwrap_or("Run a command"));
    };
    shorten(&name_of(words))
}

/// The variable that becomes what a command prints.
fn set_to_an_output(command: &str) -> Option<&str> {
    let (name, value) = command.trim_start().split_once('=')?;
    let is_name =
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let is_output =
        ["$(", "\"$(", "`"].iter().any(|opening| value.starts_with(opening)) && !value.starts_with("$((");
    (is_name && is_output).then_some(name)
}

/// Title and kind of what is done, where nobody gave them.
pub(crate) fn of_action(action: &Action) -> (String, StepKind) {
    match action {
        Action::Shell { command } | Action::Tool { command, .. } => (title(command), kind(command)),
        Action::Manual { instruction } => {
            (first_sentence(instruction).unwrap_or_else(|| shorten(instruction)), StepKind::Configure)
        }
    }
}

/// Whether [`title`] says more of the command than its text does.
pub(crate) fn is_plain(title: &str) -> bool {
    title.starts_with("Run ") || title == "Print a message"
}

/// Whether a sentence tells what to do ("Tell git about the file") and so serves as a title, rather than what is
/// ("The draft was never merged").
pub(crate) fn tells_what_to_do(sentence: &str) -> bool {
    const VERBS: &[&str] = &[
        "activate",
        "add",
        "allow",
        "apply",
        "ask",
        "begin",
        "build",
        "bring",
        "call",
        "change",
        "check",
        "choose",
        "clean",
        "clear",
        "clone",
        "commit",
        "compare",
        "compile",
        "compress",
        "configure",
        "connect",
        "convert",
        "copy",
        "count",
        "create",
        "define",
        "delete",
        "deploy",
        "disable",
        "download",
        "edit",
        "enable",
        "enter",
        "export",
        "fetch",
        "fill",
        "find",
        "fix",
        "format",
        "generate",
        "get",
        "give",
        "go",
        "import",
        "initialise",
        "initialize",
        "install",
        "keep",
        "leave",
        "let",
        "link",
        "list",
        "load",
        "log",
        "look",
        "make",
        "merge",
        "migrate",
        "mount",
        "move",
        "name",
        "open",
        "pack",
        "prepare",
        "print",
        "publish",
        "pull",
        "push",
        "put",
        "read",
        "register",
        "reload",
        "remove",
        "rename",
        "replace",
        "restart",
        "restore",
        "run",
        "save",
        "see",
        "seed",
        "send",
        "serve",
        "set",
        "show",
        "sort",
        "start",
        "stop",
        "switch",
        "sync",
        "take",
        "tell",
        "test",
        "tidy",
        "try",
        "turn",
        "unpack",
        "update",
        "upgrade",
        "upload",
        "use",
        "verify",
        "wait",
        "watch",
        "write",
    ];
    let first = sentence.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    VERBS.contains(&first.to_lowercase().as_str())
}

/// The kind of the part that does most: `cd app && npm install` installs.
pub(crate) fn kind(command: &str) -> StepKind {
    let weight = |kind: &StepKind| match kind {
        StepKind::Install => 7,
        StepKind::Test => 6,
        StepKind::Repair => 5,
        StepKind::Refactor => 4,
        StepKind::Execute => 3,
        StepKind::Configure => 2,
        StepKind::Validate => 1,
        StepKind::Analyze => 0,
    };
    simple_commands(command)
        .iter()
        .map(|words| kind_of(words))
        .max_by_key(weight)
        .unwrap_or(StepKind::Execute)
}

/// The first sentence of a comment or of prose, when it is short enough to be a title.
pub(crate) fn first_sentence(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let end =
        [". ", ": ", "; ", "! ", "? "].iter().filter_map(|stop| line.find(stop)).min().unwrap_or(line.len());
    let sentence = line[..end].trim_end_matches(['.', ':', ';', '!', ',']).trim();
    (sentence.chars().any(char::is_alphanumeric) && sentence.chars().count() <= MAX_TITLE)
        .then(|| capital(sentence))
}

/// At most [`MAX_TITLE`] characters, in one line.
pub(crate) fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_TITLE {
        return line;
    }
    let head: String = line.chars().take(MAX_TITLE - 1).collect();
    // Cut between words where a word ends in the second half.
    let cut = head.rfind(' ').filter(|&at| at > head.len() / 2).unwrap_or(head.len());
    format!("{}…", head[..cut].trim_end())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn says_more(words: &[String]) -> bool {
    !matches!(
        words[0].as_str(),
        "cd" | "pushd" | "set" | "export" | "mkdir" | "echo" | "printf" | "[" | "test"
    )
}

fn name_of(words: &[String]) -> String {
    let program = base(&words[0]);
    let argument = words.iter().skip(1).find(|word| !word.starts_with('-')).map(String::as_str);
    match (program, argument) {
        ("cd" | "pushd", Some(folder)) => format!("Go to {folder}"),
        ("mkdir", Some(folder)) => format!("Make the folder {folder}"),
        ("export" | "declare" | "readonly" | "local", Some(assignment)) => {
            format!("Set {}", assignment.split('=').next().unwrap_or(assignment))
        }
        ("unset", Some(name)) => format!("Unset {name}"),
        ("source" | ".", Some(file)) if file.ends_with("/activate") => {
            format!("Activate {}", file.trim_end_matches("/activate").trim_end_matches("/bin"))
        }
        ("source" | ".", Some(file)) => format!("Load {file}"),
        ("git", Some("clone")) => match words.iter().skip(2).find(|word| !word.starts_with('-')) {
            Some(from) => {
                let from = from.trim_end_matches(".git");
                format!("Clone {}", from.rsplit(['/', ':']).next().unwrap_or(from))
            }
            None => "Run git clone".to_owned(),
        },
        ("for" | "while" | "until", _) => "Run a loop".to_owned(),
        ("if" | "case" | "select", _) => "Decide what to run".to_owned(),
        ("function", Some(name)) => format!("Define {}", name.trim_end_matches("()")),
        ("echo" | "printf", _) => match words.iter().position(|word| word.starts_with('>')) {
            Some(at) => written_file(words, at),
            None => "Print a message".to_owned(),
        },
        ("cat" | "tee", _) => match words.iter().position(|word| word.starts_with('>')) {
            Some(at) => written_file(words, at),
            None if program == "tee" => {
                argument.map_or_else(|| plain_run(words), |file| format!("Write {file}"))
            }
            None => titles::known(program, words).unwrap_or_else(|| plain_run(words)),
        },
        _ if program.ends_with("()") => format!("Define {}", program.trim_end_matches("()")),
        _ => match words[0].split_once('=') {
            Some((name, _)) if is_name(name) => format!("Set {name}"),
            Some(_) | None => titles::known(program, words).unwrap_or_else(|| plain_run(words)),
        },
    }
}

fn written_file(words: &[String], redirect: usize) -> String {
    let attached = words[redirect].trim_start_matches(['>', '|']);
    let file = if attached.is_empty() { words.get(redirect + 1).map(String::as_str) } else { Some(attached) };
    let verb = if words[redirect].starts_with(">>") { "Add to" } else { "Write" };
    file.map_or_else(|| "Write a file".to_owned(), |file| format!("{verb} {file}"))
}

/// "Run" and the words up to the first option: the program, its sub-command and what it is about.
fn plain_run(words: &[String]) -> String {
    let shown: Vec<&str> = std::iter::once(base(&words[0]))
        .chain(words.iter().skip(1).map(String::as_str).take_while(|word| !word.starts_with(['<', '>'])))
        .collect();
    let whole = format!("Run {}", shown.join(" "));
    if whole.chars().count() <= 40 {
        return whole;
    }
    let until_option = shown.iter().skip(1).take_while(|word| !word.starts_with('-')).take(3);
    format!("Run {}", std::iter::once(&shown[0]).chain(until_option).copied().collect::<Vec<_>>().join(" "))
}

fn kind_of(words: &[String]) -> StepKind {
    use StepKind as K;
    let program = base(&words[0]);
    let argument = words.iter().skip(1).find(|word| !word.starts_with('-')).map_or("", String::as_str);
    let has = |flag: &str| words.iter().skip(1).any(|word| word == flag);
    let writes = words.iter().any(|word| word.starts_with('>') && !word.starts_with(">&"));
    if has("--version") || (words.len() == 2 && has("-V")) {
        return K::Validate;
    }
    match program {
        "apt" | "apt-get" | "aptitude" | "dnf" | "yum" | "zypper" | "apk" | "brew" | "pacman" | "snap"
        | "flatpak" | "dpkg" | "rpm" | "gem" | "pip" | "pip3" | "pipx" | "conda" | "composer" | "uv" => {
            match argument {
                "list" | "show" | "search" | "info" | "freeze" | "policy" => K::Analyze,
                "run" => K::Execute,
                "check" => K::Validate,
                _ => K::Install,
            }
        }
        "npm" | "pnpm" | "yarn" | "bun" => match argument {
            "install" | "i" | "ci" | "add" | "update" => K::Install,
            "" if program == "yarn" => K::Install,
            "test" | "t" => K::Test,
            "run" if words.iter().any(|word| word.starts_with("test")) => K::Test,
            "run" if words.iter().any(|word| word.starts_with("lint") || word.starts_with("check")) => {
                K::Validate
            }
            "ls" | "list" | "outdated" | "view" => K::Analyze,
            "config" | "init" | "set" => K::Configure,
            _ => K::Execute,
        },
        "python" | "python3" => match words.get(1..3) {
            Some([flag, module]) if flag == "-m" => match module.as_str() {
                "pip" => K::Install,
                "venv" | "virtualenv" => K::Configure,
                "pytest" | "unittest" => K::Test,
                _ => K::Execute,
            },
            _ if argument == "manage.py" && has("test") => K::Test,
            _ => K::Execute,
        },
        "cargo" => match argument {
            "test" | "nextest" => K::Test,
            "install" | "fetch" | "add" => K::Install,
            "check" | "clippy" | "fmt" => K::Validate,
            _ => K::Execute,
        },
        "go" => match argument {
            "test" => K::Test,
            "get" | "install" | "mod" => K::Install,
            "vet" => K::Validate,
            _ => K::Execute,
        },
        "make" | "just" | "mvn" | "gradle" | "gradlew" | "rake" => match argument {
            "test" | "tests" | "check" => K::Test,
            "install" => K::Install,
            _ => K::Execute,
        },
        "pytest" | "tox" | "nox" | "jest" | "vitest" | "mocha" | "ctest" | "phpunit" | "rspec" | "bats" => {
            K::Test
        }
        "bundle" | "bundler" | "poetry" | "pipenv" => match argument {
            "install" | "add" | "sync" | "lock" | "" => K::Install,
            _ => K::Execute,
        },
        "test" | "[" | "[[" | "eslint" | "ruff" | "mypy" | "shellcheck" | "flake8" | "tsc" | "diff"
        | "cmp" | "sha256sum" | "md5sum" | "visudo" => K::Validate,
        "nginx" | "sshd" | "apachectl" if has("-t") || argument == "configtest" => K::Validate,
        "ls" | "grep" | "rg" | "head" | "tail" | "wc" | "pwd" | "which" | "du" | "df" | "ps" | "uname"
        | "whoami" | "id" | "env" | "printenv" | "stat" | "file" | "date" | "hostname" | "free" | "ss"
        | "command" | "type" | "echo" | "printf" | "cat" | "tree" | "less"
            if !writes =>
        {
            K::Analyze
        }
        "git" => match argument {
            "branch" if words.iter().skip(2).any(|word| !word.starts_with("--")) => K::Execute,
            "remote" if words.len() > 2 && !has("-v") => K::Configure,
            "status" | "log" | "diff" | "show" | "branch" | "remote" | "describe" => K::Analyze,
            "config" | "init" => K::Configure,
            "mv" => K::Refactor,
            _ => K::Execute,
        },
        "cat" | "echo" | "printf" | "tee" | "cd" | "pushd" | "popd" | "export" | "unset" | "source" | "."
        | "alias" | "umask" | "mkdir" | "touch" | "ln" | "cp" | "chmod" | "chown" | "useradd" | "adduser"
        | "groupadd" | "usermod" | "sysctl" | "hostnamectl" | "timedatectl" | "ufw" | "set" | "ulimit"
        | "virtualenv" => K::Configure,
        "systemctl" => match argument {
            "status" | "is-active" | "list-units" => K::Analyze,
            "enable" | "disable" | "daemon-reload" | "mask" | "unmask" => K::Configure,
            _ => K::Execute,
        },
        "sed" if has("-i") => K::Configure,
        _ if words[0].split_once('=').is_some_and(|(name, _)| is_name(name)) => K::Configure,
        _ => K::Execute,
    }
}

fn base(program: &str) -> &str {
    if program == "." { program } else { program.rsplit('/').next().unwrap_or(program) }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The simple commands of the first 2 000 characters, each as its words without quotes; wrappers such as sudo and
/// assignments before a program left out, comments and here-document bodies too.
fn simple_commands(command: &str) -> Vec<Vec<String>> {
    let head: String = command.chars().take(2000).collect();
    let mut parts = vec![Vec::new()];
    let mut here_end: Option<String> = None;
    for line in head.replace("\\\n", " ").lines() {
        if let Some(end) = &here_end {
            if line.trim() == end {
                here_end = None;
            }
            continue;
        }
        let mut words = Words::default();
        words.read(line);
        here_end = words.here_end.take();
        parts.append(&mut words.parts);
    }
    parts.into_iter().map(without_wrappers).filter(|words| !words.is_empty()).collect()
}

#[derive(Default)]
struct Words {
    parts: Vec<Vec<String>>,
    here_end: Option<String>,
}

impl Words {
    fn read(&mut self, line: &str) {
        let mut part = Vec::new();
        let mut word = String::new();
        let mut quote: Option<char> = None;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (Some(_), _) => word.push(letter),
                (None, '\'' | '"') => quote = Some(letter),
                (None, '\\') => word.extend(letters.next()),
                (None, '#') if word.is_empty() => break,
                (None, '&') if word.ends_with('>') || letters.peek() == Some(&'>') => word.push(letter),
                (None, ';' | '&' | '|') => {
                    part.extend(take(&mut word));
                    self.parts.push(std::mem::take(&mut part));
                }
                (None, '>' | '<')
                    if !word.ends_with(['>', '<']) && !word.chars().all(|c| c.is_ascii_digit()) =>
                {
                    part.extend(take(&mut word));
                    word.push(letter);
                }
                (None, _) if letter.is_whitespace() => part.extend(take(&mut word)),
                (None, _) => word.push(letter),
            }
        }
        part.extend(take(&mut word));
        self.here_end = here_end(&part);
        self.parts.push(part);
    }
}

fn take(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
}

fn here_end(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word.starts_with("<<") && !word.starts_with("<<<"))?;
    let attached = words[at].trim_start_matches('<').trim_start_matches('-');
    if attached.is_empty() { words.get(at + 1).cloned() } else { Some(attached.to_owned()) }
}

fn without_wrappers(words: Vec<String>) -> Vec<String> {
    let mut rest = words.as_slice();
    loop {
        match rest {
            [wrapper, tail @ ..]
                if matches!(
                    wrapper.as_str(),
                    "sudo"
                        | "doas"
                        | "nohup"
                        | "time"
                        | "exec"
                        | "builtin"
                        | "!"
                        | "{"
                        | "("
                        | "then"
                        | "do"
                        | "else"
                ) =>
            {
                // Options of the wrapper itself; `sudo -u name` takes one word more.
                let takes_word = tail.first().is_some_and(|word| word == "-u" || word == "-g");
                let options = tail.iter().take_while(|word| word.starts_with('-')).count();
                rest = &tail[(options + usize::from(takes_word)).min(tail.len())..];
            }
            [first, tail @ ..]
                if !tail.is_empty() && first.split_once('=').is_some_and(|(name, _)| is_name(name)) =>
            {
                rest = tail;
            }
            [only]
                if matches!(
                    only.as_str(),
                    "}" | ")" | "fi" | "done" | "esac" | "else" | "then" | "do" | ";;"
                ) =>
            {
                return Vec::new();
            }
            _ => return rest.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_for_people() {
        for (command, wanted) in [
            ("npm install", "Install the packages"),
            ("sudo -u www-data npm ci", "Install the packages"),
            ("cd app", "Go to app"),
            ("cd app && npm install", "Install the packages"),
            ("mkdir -p build/out", "Make the folder build/out"),
            ("export NODE_ENV=production", "Set NODE_ENV"),
            ("VERSION=1.2", "Set VERSION"),
            ("VERSION=$(curl -s https://example.org/v | tr -d v)", "Set VERSION"),
            ("git push origin --delete old", "Delete old at origin"),
            ("git push --force origin main", "Overwrite main at origin"),
            ("git push origin :old", "Delete old at origin"),
            ("git push origin main", "Push main to origin"),
            ("PORT=80 ./serve", "Run serve"),
            ("source .venv/bin/activate", "Activate .venv"),
            (". ./env.sh", "Load ./env.sh"),
            ("git clone https://example.org/a/tool.git", "Clone tool"),
            ("cat > app.conf <<'EOF'\nport = 80\nEOF", "Write app.conf"),
            ("echo hi >> 'my file'", "Add to my file"),
            ("echo hi", "Print a message"),
            ("deploy() {\n  rsync a b\n}", "Define deploy"),
            ("function deploy {\n  rsync a b\n}", "Define deploy"),
            ("for f in *.txt; do\n  wc \"$f\"\ndone", "Run a loop"),
            ("if true; then echo a; fi", "Decide what to run"),
        ] {
            assert_eq!(title(command), wanted, "{command}");
        }
    }

    #[test]
    fn titles_are_short_and_in_one_line() {
        let long = format!("program {}", "argument ".repeat(40));
        for command in [long.as_str(), "\n\n", "'", "<<", "a\\", "é".repeat(200).as_str(), "#x"] {
            let title = title(command);
            assert!(title.chars().count() <= MAX_TITLE && !title.contains('\n'), "{title:?}");
        }
        assert_eq!(
            title("docker run --rm --name web --publish 8080:80 --volume /srv:/srv nginx:stable"),
            "Start the container web"
        );
    }

    #[test]
    fn kinds() {
        use StepKind as K;
        for (command, wanted) in [
            ("sudo apt-get update && sudo apt-get install -y git", K::Install),
            ("pip install -r requirements.txt", K::Install),
            ("python3 -m pip install x", K::Install),
            ("python3 -m venv .venv", K::Configure),
            ("cd app && npm ci", K::Install),
            ("npm run test:unit", K::Test),
            ("pytest -q", K::Test),
            ("cargo test", K::Test),
            ("ls -la | grep x", K::Analyze),
            ("cat a.txt", K::Analyze),
            ("cat > a.txt <<EOF\nnpm install\nEOF", K::Configure),
            ("git status", K::Analyze),
            ("git mv a b", K::Refactor),
            ("node --version", K::Validate),
            ("nginx -t", K::Validate),
            ("export A=1", K::Configure),
            ("./run.sh", K::Execute),
            ("rm -rf build", K::Execute),
        ] {
            assert_eq!(kind(command), wanted, "{command}");
        }
    }

    #[test]
    fn sentences() {
        assert_eq!(first_sentence("make a folder. Then go."), Some("Make a folder".into()));
        assert_eq!(first_sentence("\nInstall the packages:\n"), Some("Install the packages".into()));
        assert_eq!(first_sentence("----------"), None);
        assert_eq!(first_sentence(&"word ".repeat(30)), None);
    }
}
