//! What a page leaves to its reader: `<your-domain>`, `YOUR_TOKEN`, `{{version}}`, `path/to/file`. Finds them and names them; what
//! stands in their place is decided by where they stand.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::words::words;
use crate::protocol::InputKind;

/// A placeholder in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blank {
    pub token: String,
    /// The shell variable that stands for its value.
    pub name: String,
    pub kind: InputKind,
    pub range: Range<usize>,
}

// The pattern is a constant, and a test reads with it.
#[allow(clippy::expect_used)]
static BLANKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?<brace>\{\{\s*[A-Za-z_][\w\x20.-]*\}\})
        | (?<angle><[A-Za-z][A-Za-z0-9_\x20.:/'’-]{0,58}[A-Za-z0-9_.]>|<[A-Z]>)
        | (?<curly>\{[a-z]+(?:_[a-z]+)+\})
        | (?<square>\[(?:your|my|the|insert|replace|enter)[\x20_-][A-Za-z0-9_\x20-]{1,40}\])
        | (?<titled>\[[A-Z][A-Za-z0-9]*(?:[\x20-][A-Za-z0-9]+){1,4}\]|\[[a-z]+(?:_[a-z]+)+\])
        | (?<reserved>[\w.+-]+@example\.(?:com|org|net)\b|\b(?:[a-z0-9-]+\.)*example\.(?:com|org|net)\b)
        | (?<path>(?:/|\./|~/|\b)path[/_]to[/_][\w./-]*\w)
        | (?<mail>\b(?:your|you|my|user|name|me|someone|admin|youremail|your[._-]?e?mail)[\w.-]*@[\w-]+(?:\.[\w-]+)*)
        | (?<host>\b(?:your|my)(?:[-_.](?:\w+[-_.])*)?(?:domain|server|host|hostname|site|app|instance|ip|address|registry|bucket|company|org|publicdns)[-\w]*(?:\.[a-z]{2,})*\b)
        | (?<yours>\b(?:INSERT|REPLACE|CHANGE|ENTER|YOUR|MY)(?:_[A-Z0-9]+)+\b|\bYOUR(?:[A-Z]{2,})\b|\bYour(?:[A-Z][a-z]+)+\b|\b(?:your|my)(?:password|passwd|secret|token|apikey)\b|\bCHANGEME\b|\bCHANGE_ME\b|\bREPLACEME\b|\b(?:your|my)[-_](?:[a-z0-9]+[-_])*(?:name|username|user|password|token|key|secret|id|project|repo|repository|email|version|path|folder|directory|file|database|db|api|region|account|client|license|workspace|tenant|subscription|cluster|namespace|env|environment|zone|port|machine|org|organization|group|model|script|module|package|branch|fork|handle|choice|choosing|favorite|own)(?:[-_][a-z0-9]+)*\b)
        | (?<named>\bNAME_OF_[A-Z0-9_]+\b|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:NAME|HERE|VENV|USERNAME|PASSWORD|TOKEN|ADDRESS|VERSION)\b)
        | (?<macro>%[A-Z]{4,}\b%?)
        | (?<device>/dev/(?:sd|hd|vd|nvme|mmcblk|disk|rdisk|loop)(?:[XxYyZN?]\w*|<\w+>)(?:\b|$))
        | (?<user>\busername\b|\bUSERNAME\b|\bmyprog(?:ram)?\b)
        | (?<marks>\bx{3,}\b|\bX{3,}\b|\bX\.Y(?:\.Z)?\b|\d+(?:\.\d+)*(?:\.X{1,2})+\b)
        ",
    )
    .expect("the pattern is well formed")
});

// As above.
#[allow(clippy::expect_used)]
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"--(?<option>(?:[a-z]+-)*(?:password|passwd))(?:=|\x20+)["']?(?<value>[A-Za-z]{3,16}[0-9]{0,4}|[0-9]{3,12})(?:["'\s]|$)"#)
        .expect("the pattern is well formed")
});

/// What a page gives as the value of an option for a password, and what is plainly no password that anybody has, is its
/// reader's to say.
fn secrets(text: &str) -> impl Iterator<Item = Blank> {
    SECRETS.captures_iter(text).filter_map(|one| {
        let (option, value) = (one.name("option")?.as_str(), one.name("value")?);
        let is_answer = option.starts_with("no-") || option.starts_with("ask-") || value.as_str() == "stdin";
        (!is_answer).then(|| Blank {
            token: value.as_str().to_owned(),
            name: variable(option),
            kind: InputKind::Secret,
            range: value.range(),
        })
    })
}

/// Words between angles that are a page's markup, not its blanks.
const MARKUP: [&str; 30] = [
    "a", "b", "i", "p", "br", "div", "span", "html", "body", "head", "title", "h1", "h2", "h3", "script",
    "style", "link", "meta", "ul", "li", "table", "tr", "td", "code", "pre", "img", "form", "input",
    "button", "template",
];

/// Files that programs in a page's commands read by such a name.
const HANDLES: [&str; 7] = ["<STDIN>", "<stdin>", "<STDOUT>", "<stdout>", "<STDERR>", "<stderr>", "<ARGV>"];

/// Those of them that a command might have as a blank.
const IN_COMMANDS: [&str; 12] =
    ["a", "b", "i", "title", "code", "form", "input", "button", "template", "table", "link", "script"];

/// The blanks of a text, in order.
pub fn blanks(text: &str, in_shell: bool) -> Vec<Blank> {
    let mut found = Vec::new();
    for one in BLANKS.captures_iter(text) {
        let Some(whole) = one.get(0) else { continue };
        let token = whole.as_str();
        let before = text[..whole.start()].chars().next_back();
        let behind = text[whole.end()..].chars().next();
        if one.name("angle").is_some() {
            let inside = &token[1..token.len() - 1];
            let name = inside.to_lowercase();
            let is_markup = text.contains(&format!("</{inside}>"))
                || MARKUP.contains(&name.as_str()) && !(in_shell && IN_COMMANDS.contains(&name.as_str()));
            // `cmd <file >out` is no blank; `<file>` is.
            let is_redirect = in_shell
                && inside.contains(' ')
                && !inside.to_lowercase().contains("your")
                && before == Some(' ')
                && behind.is_some_and(|letter| letter == ' ')
                && inside.starts_with(' ');
            // `#include <stdio.h>`, and `while (<F>)` of a program.
            let line = text[..whole.start()].rsplit('\n').next().unwrap_or_default();
            let is_included =
                line.trim_start().strip_prefix('#').is_some_and(|word| word.trim() == "include");
            let is_code =
                HANDLES.contains(&token) || is_included || before == Some('(') && behind == Some(')');
            if is_markup
                || is_code
                || is_redirect
                || inside.contains("://") && !inside.contains("your")
                || before == Some('<')
            {
                continue;
            }
        }
        // A name that is kept for examples is real enough to be looked at, and then meant as it stands.
        if one.name("reserved").is_some()
            && (is_address(text, whole.start()) || in_shell && only_asks(text, whole.start()))
        {
            continue;
        }
        // `[ -f x ]`, `[Tab]` in words, and a table's own brackets.
        if one.name("titled").is_some()
            && !(in_shell && before.is_some_and(|sign| sign == ' ' || sign == '=' || sign == '/'))
        {
            continue;
        }
        // A whole word or part of a path; elsewhere it belongs to a format.
        let stands_alone = before.is_none_or(|letter| letter.is_whitespace() || "/=@:".contains(letter))
            && behind.is_none_or(|letter| letter.is_whitespace() || "/.@:".contains(letter));
        if one.name("curly").is_some() && !(in_shell && stands_alone) {
            continue;
        }
        // `docker inspect -f '{{range .Mounts}}…{{end}}'` is a program's own template.
        if one.name("brace").is_some() && is_of_a_template(token) {
            continue;
        }
        // `POSTGRES_PASSWORD: x` names a setting.
        let names_setting = one.name("named").is_some() && text[whole.end()..].starts_with(": ");
        if names_setting {
            continue;
        }
        // `username@host`, `chown username`, and neither `--username` nor a key of a table.
        let is_operand = before.is_some_and(|sign| sign.is_whitespace() || "/@=:".contains(sign))
            && behind.is_none_or(|sign| sign.is_whitespace() || "/@:".contains(sign));
        if one.name("user").is_some() && !(in_shell && is_operand) {
            continue;
        }
        // `$NAME` and `NAME=` are the shell's own.
        let is_variable = matches!(before, Some('$')) || before == Some('{') && one.name("brace").is_none();
        let in_word = before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        let is_version =
            one.name("marks").is_some() && token.starts_with(|first: char| first.is_ascii_digit());
        let marked = is_version
            || one.name("brace").is_some()
            || one.name("angle").is_some() && is_surely_blank(token);
        let is_assigned =
            behind == Some('=') && (one.name("named").is_some() || one.name("yours").is_some()) && in_shell;
        if is_variable || is_assigned || in_word && !marked {
            continue;
        }
        if one.name("named").is_some() && (behind == Some('=') || token.len() < 6) {
            continue;
        }
        found.push(Blank {
            token: token.to_owned(),
            name: variable(token),
            kind: kind_of(token),
            range: whole.range(),
        });
    }
    if in_shell {
        let is_new = |one: &Blank| {
            let meets =
                |known: &Blank| known.range.end > one.range.start && one.range.end > known.range.start;
            !found.iter().any(meets)
        };
        let secrets: Vec<Blank> = secrets(text).filter(is_new).collect();
        found.extend(secrets);
        found.sort_by_key(|blank| blank.range.start);
    }
    found
}

fn is_of_a_template(token: &str) -> bool {
    const WORDS: [&str; 9] = ["block", "else", "end", "if", "json", "join", "range", "upstreams", "with"];
    let inner = token.trim_matches(['{', '}']).trim();
    inner.split_whitespace().next().is_some_and(|first| WORDS.contains(&first))
}

/// Where a text has what its page tells to replace, longer texts first; never the program itself.
pub fn told(text: &str, replaced: &[String]) -> Vec<Blank> {
    let mut tokens: Vec<&String> = replaced.iter().collect();
    tokens.sort_by_key(|token| std::cmp::Reverse(token.len()));
    let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '-';
    let mut found: Vec<Blank> = Vec::new();
    for token in tokens {
        for (start, _) in text.match_indices(token.as_str()) {
            let range = start..start + token.len();
            let (before, behind) = (text[..start].chars().next_back(), text[range.end..].chars().next());
            let is_first = text[..start].trim_end_matches([' ', '\t']).is_empty();
            let is_free =
                found.iter().all(|one| one.range.end <= range.start || range.end <= one.range.start);
            if is_free && !is_first && !before.is_some_and(is_part) && !behind.is_some_and(is_part) {
                let (name, kind) = (variable(token), kind_of(token));
                found.push(Blank { token: token.clone(), name, kind, range });
            }
        }
    }
    found
}

/// Whether an address of the network stands there, and no mere name.
fn is_address(text: &str, at: usize) -> bool {
    let host = text[at..].split(|sign: char| !(sign.is_ascii_alphanumeric() || ".-".contains(sign))).next();
    let host = host.unwrap_or_default();
    let bare = host.strip_prefix("www.").unwrap_or(host);
    text[..at].ends_with("://") && matches!(bare, "example.com" | "example.org" | "example.net")
}

/// Whether the command of this line only looks at what it is given, or keeps it in a repository of its own.
fn only_asks(text: &str, at: usize) -> bool {
    const LOOKING: [&str; 12] = [
        "curl",
        "dig",
        "git",
        "host",
        "http",
        "nc",
        "nslookup",
        "openssl",
        "ping",
        "telnet",
        "traceroute",
        "wget",
    ];
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    let part = line.rsplit(['|', ';', '&']).next().unwrap_or(line);
    let mut words = part.split_whitespace().skip_while(|word| *word == "sudo");
    words.next().is_some_and(|first| LOOKING.contains(&first))
}

/// A text as the shell reader may see it: each blank that would be syntax (`<this>` is two redirections) is a plain word.
#[derive(Debug)]
pub struct Masked {
    pub text: String,
    /// Each word with the blank that it stands for, the longest word first.
    words: Vec<(String, String)>,
}

impl Masked {
    pub fn of(text: &str) -> Self {
        let mut words: Vec<(String, String)> = Vec::new();
        let mut shown = text.to_owned();
        // From behind, for a word need not be as long as its blank.
        for blank in blanks(text, true).into_iter().rev() {
            let is_plain = |letter: char| letter.is_alphanumeric() || "_-./@:".contains(letter);
            if blank.token.chars().all(is_plain) {
                continue;
            }
            let word = match words.iter().find(|(_, token)| *token == blank.token) {
                Some((word, _)) => word.clone(),
                None => {
                    let mut word = format!("blank_{}_{}", words.len(), blank.name);
                    while text.contains(&word) {
                        word.push('_');
                    }
                    words.push((word.clone(), blank.token));
                    word
                }
            };
            shown.replace_range(blank.range, &word);
        }
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        Self { text: shown, words }
    }

    /// What the reader made of the text, with the blanks in their places again.
    pub fn restored(&self, read: &str) -> String {
        self.words.iter().fold(read.to_owned(), |text, (word, token)| text.replace(word, token))
    }
}

/// In the middle of a word angles are a placeholder's only where no type (`Vec<String>`) is written so.
fn is_surely_blank(token: &str) -> bool {
    let inside = token.trim_matches(['<', '>']);
    let lower = inside.to_lowercase();
    inside.contains('-')
        || ["your", "my_", "my "].iter().any(|start| lower.starts_with(start))
        || inside.len() > 2 && inside.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
}

/// `<your-domain>` → `YOUR_DOMAIN`.
pub fn variable(token: &str) -> String {
    let mut name = String::new();
    for letter in token.chars() {
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_uppercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_matches('_').to_owned();
    let name = name.strip_prefix("PATH_TO_").map_or(name.clone(), |rest| format!("PATH_TO_{rest}"));
    // A shell has these already, with other values.
    const TAKEN: [&str; 9] = ["HOME", "HOST", "HOSTNAME", "LANG", "PATH", "PWD", "SHELL", "UID", "USER"];
    let is_no_name = name.is_empty() || name.starts_with(|letter: char| letter.is_ascii_digit());
    if is_no_name || TAKEN.contains(&name.as_str()) { format!("INPUT_{name}") } else { name }
}

pub fn kind_of(token: &str) -> InputKind {
    let plain = token.replace(['_', '<', '>', '{', '}', '[', ']', '.', '/'], " ");
    let spread: String = plain.replace('-', " ");
    let is = |kind: &str| words().placeholder(kind, &plain) || words().placeholder(kind, &spread);
    let looks_like_file = token.contains('/')
        || token
            .trim_end_matches('>')
            .rsplit('.')
            .next()
            .is_some_and(|end| matches!(end, "json" | "pem" | "yml" | "yaml" | "txt" | "csv"));
    if looks_like_file {
        InputKind::Path
    } else if is("secret") && !is("path") && !spread.to_lowercase().contains("public") {
        InputKind::Secret
    } else if is("path") {
        InputKind::Path
    } else if is("number") && spread.to_lowercase().contains("port") {
        InputKind::Number
    } else {
        InputKind::Text
    }
}

/// For people: `YOUR_DOMAIN` → "Your domain".
pub fn label(token: &str) -> String {
    let words: Vec<String> = token
        .trim_matches(['<', '>', '{', '}', '[', ']'])
        .split(|letter: char| !(letter.is_alphanumeric() || "@.'’".contains(letter)))
        .filter(|word| !word.is_empty())
        .map(|word| {
            if word.chars().all(|letter| letter.is_uppercase() || letter.is_ascii_digit()) {
                word.to_lowercase()
            } else {
                word.to_owned()
            }
        })
        .collect();
    let text = words.join(" ");
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => token.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_found_and_the_shells_own_words_are_not() {
        for (text, tokens) in [
            ("git clone https://github.com/<your_username>/x.git", vec!["<your_username>"]),
            ("export RPC_0=INSERT_YOUR_RPC", vec!["INSERT_YOUR_RPC"]),
            ("python3 -m venv NAME_OF_VENV", vec!["NAME_OF_VENV"]),
            ("sudo usermod -aG video username", vec!["username"]),
            ("chown username:username x && tool --username x", vec!["username", "username"]),
            ("app install --db-password=\"pass\" --no-password x --password stdin", vec!["pass"]),
            ("cp path/to/keys.json ./x/", vec!["path/to/keys.json"]),
            ("Django~={{ book.django_version }}", vec!["{{ book.django_version }}"]),
            ("destemail = your@email.here", vec!["your@email.here"]),
            ("certbot -d your-domain.com", vec!["your-domain.com"]),
            ("certbot -d example.com -m me@example.com", vec!["example.com", "me@example.com"]),
            ("curl https://example.com && ping example.org", vec![]),
            ("git clone https://example.com/x.git", vec![]),
            ("git config user.email ada@example.org", vec![]),
            ("x --url [CA URL] --print [latest_release_tag]", vec!["[CA URL]", "[latest_release_tag]"]),
            ("if [ -f X ]; then echo [a]; fi", vec![]),
            ("docker inspect -f '{{range .Mounts}}{{.Name}}{{end}}' x", vec![]),
            ("cat > c.yml <<'E'\nPOSTGRES_PASSWORD: x\nE", vec![]),
            ("wget https://x.org/v0.XX.X/a_0.XX.X.deb", vec!["0.XX.X", "0.XX.X"]),
            ("useradd -p mypassword x", vec!["mypassword"]),
            ("wget x/v<your-version>b.tgz", vec!["<your-version>"]),
            ("wget x/v{{version}}", vec!["{{version}}"]),
            ("black {source_file_or_directory}", vec!["{source_file_or_directory}"]),
            ("export F='{level_name} x' && awk '{print_it}'", vec![]),
            ("echo ${not_a_blank}", vec![]),
            ("echo 'Vec<String>'", vec![]),
            ("echo \"<h2>$name</h2><title>x</title>\" && grep '<h2>' x", vec![]),
            ("echo $YOUR_NAME", vec![]),
            ("YOUR_NAME=x", vec![]),
            ("cat < file > out", vec![]),
            ("cat <<EOF", vec![]),
            ("docker ps --format '{{.Names}}'", vec![]),
            ("perl -ne 'print if <STDIN>' f", vec![]),
            ("perl -e 'my $x = <$fh>; while (<F>) { print <> }'", vec![]),
            ("echo \"exec(open('<stdin>'))\"", vec![]),
            ("cat > a.c <<'E'\n#include <stdio.h>\n# include <a/b.h>\nE", vec![]),
        ] {
            let found: Vec<String> = blanks(text, true).into_iter().map(|blank| blank.token).collect();
            assert_eq!(found, tokens, "{text}");
        }
        assert!(blanks("<p>x</p>", false).is_empty());
    }

    #[test]
    fn a_blank_is_a_word_for_the_shell_reader_and_itself_again() {
        for (text, shown) in [
            ("git clone <your-url>\nmake", "git clone blank_0_YOUR_URL\nmake"),
            ("x=<your key>; y <your key>", "x=blank_0_YOUR_KEY; y blank_0_YOUR_KEY"),
            ("cp path/to/x {{ to }}", "cp path/to/x blank_0_TO"),
            ("cat < file > out", "cat < file > out"),
            ("blank_0_A <A>", "blank_0_A blank_0_A_"),
        ] {
            let masked = Masked::of(text);
            assert_eq!(masked.text, shown);
            assert_eq!(masked.restored(shown), text);
        }
    }

    #[test]
    fn names_labels_and_kinds() {
        assert_eq!(variable("<your-domain>"), "YOUR_DOMAIN");
        assert_eq!(variable("{{ book.version }}"), "BOOK_VERSION");
        assert_eq!(variable("1st"), "INPUT_1ST");
        assert_eq!(variable("<user>"), "INPUT_USER");
        assert_eq!(label("YOUR_API_TOKEN"), "Your api token");
        assert_eq!(kind_of("YOUR_API_TOKEN"), InputKind::Secret);
        assert_eq!(kind_of("path/to/x"), InputKind::Path);
        assert_eq!(kind_of("<your name>"), InputKind::Text);
    }
}
