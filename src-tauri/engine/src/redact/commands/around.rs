//! Secrets that are told by what stands around them: headers and fields, addresses, statements of databases, and what is
//! printed into a program or a file that keeps passwords.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::table::Part;
use super::{add, looks_made, unquoted};

/// Headers, fields of forms and of JSON, in one word; all of them where the program is known to take them.
pub(super) fn fields(text: &str, place: Range<usize>, is_known: bool, found: &mut Vec<Range<usize>>) {
    const NAME: &str = "(?:[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|pwd)|(?:[a-z0-9]+[_.-])*pass)";
    static JSON: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(&format!(r#"(?i)\\?["']{NAME}\\?["']\s*:\s*\\?["']([^"'\\]+)"#)).ok());
    static FORM: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(&format!(r#"(?i)(?:^|[?&,;{{=\s"'@]){NAME}=([^&\s"',;]+)"#)).ok());
    static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        const NAMES: &str = "token|key|secret|auth|authorization|cookie|password|session";
        let name = format!("[a-z0-9-]*(?:{NAMES})[a-z0-9-]*");
        let scheme = r"(?:(?:bearer|basic|token|digest|apikey)\s+)?";
        Regex::new(&format!(r#"(?i)(?:^|^-H|[="']){name}:\s*["']?{scheme}([^\s"'][^"'\n]*)"#)).ok()
    });
    let word = &text[place.clone()];
    let patterns = [(&JSON, ':', false), (&FORM, '=', !is_known), (&HEADER, ':', !is_known)];
    for (pattern, sign, only_made) in patterns {
        let Some(pattern) = pattern.as_ref().filter(|_| word.contains(sign)) else { continue };
        let values = pattern.captures_iter(word).filter_map(|found| found.get(1));
        for value in values.filter(|value| !only_made || looks_made(value.as_str())) {
            add(text, place.start + value.start()..place.start + value.end(), Part::Whole, found);
        }
    }
}

/// What says by the text around it that it is secret, whatever the command.
pub(super) fn anywhere(text: &str, found: &mut Vec<Range<usize>>) {
    /// A pattern, what a text has that may match, and whether only what looks made counts.
    static PATTERNS: LazyLock<Vec<(Regex, &str, bool)>> = LazyLock::new(|| {
        [
            // A user made in a database.
            (r#"(?i)\b(?:identified\s+(?:with\s+\S+\s+)?by|password)(?:\s+|\s*\(\s*)(?:\\?['"])+([^'"\n\\]+)['"\\]"#, "", false),
            // A line of a program or of settings.
            (r#"(?i)(?:password|passwd|passphrase|secret(?:_?key)?|token|api_?key)\\?["']?\s*[:=]\s*\\?["']([^"'\s\\]+)\\?["']"#, "", false),
            // One of settings without quotes.
            (r#"(?im)(?:^|["'])\s*(?:-\s+)?[\w.-]*(?:password|passwd|passphrase|secret_?key|api_?key|auth_?token|access_?token)\s*:\s+([^\s"'#,&|!>-][^\s"'#,]*)\s*(?:$|["'])"#, ":", false),
            // Set in a program's own settings, or handed to whoever keeps secrets.
            (r#"(?i)\bconfig\s+(?:[\w:/.-]+\s+)*?\S*(?:password|token|secret|_auth|api[_-]?key)[\w.-]*\s+([^\s-]\S*)"#, "config", false),
            (r"\bsecrets\s+set\s+(?:-\S+\s+)*\w+=(\S+)", "secrets", false),
            (r#"--password-command[=\s]+["']?(?:echo|printf)\s+([^"'\s]+)"#, "--password-command", false),
            (r#"\bsend\s+(?:--\s+)?[\\"'{]*([^\s"'\\{}]+)"#, "expect", false),
            // A key in the place of a name, and in what is asked of an address.
            (r"://([^/\s:@]+)@", "://", true),
            (r#"(?i)[?&](?:sig|signature|x-amz-signature|key|code)=([^&\s"'#]+)"#, "=", true),
            // By their place in the command of one program.
            (r"\bsmbclient\s+//\S+\s+([^\s-]\S*)", "smbclient", false),
            (r"\bsqlplus\s+(?:-\w+\s+)*[^\s/]+/([^\s@]+)", "sqlplus", false),
            (r#"(?m)(?:^|[\s"'])[^\s:"']+:(?:\d+|\*):[^\s:"']+:[^\s:"']+:([^\s"':]+)(?:$|[\s"'])"#, "pgpass", false),
            (r"--encrypt\s+(\S+)\s+(\S+)\s+\d+", "--encrypt", false),
            (r"\b(?:github-oauth|gitlab-oauth|gitlab-token|bearer|http-basic)\.\S+\s+(?:\S+\s+)??(\S+)\s*(?:$|[\n;&|])", "composer", false),
        ]
        .into_iter()
        .filter_map(|(pattern, sign, made)| Some((Regex::new(pattern).ok()?, sign, made)))
        .collect()
    });
    for (pattern, _, made) in PATTERNS.iter().filter(|(_, sign, _)| text.contains(sign)) {
        let matches = pattern.captures_iter(text);
        let values = matches.flat_map(|found| found.iter().skip(1).flatten().collect::<Vec<_>>());
        for value in values.filter(|value| !made || looks_made(value.as_str())) {
            add(text, value.range(), Part::Whole, found);
        }
    }
}

/// What is printed into a program that reads a password from its input.
pub(super) fn piped(text: &str, found: &mut Vec<Range<usize>>) {
    static PIPED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        const READER: &str = r"(?:sudo\s[^\n|]*-\w*S|[^\n|]*--password-stdin|[^\n|]*--with-token|[^\n|]*--passphrase-fd[= ]0|[^\n|]*-pass(?:in|out)?\s+stdin|(?:sudo\s+)?(?:chpasswd|passwd|smbpasswd|kinit|cryptsetup|wpa_passphrase|secret-tool)\b|read\s[^\n|]*(?i:(?:pass|token|secret)\w*|key\b))";
        const VALUE: &str = r#"("[^"\n]+"|'[^'\n]+'|[^\s|;&"'<>]+)"#;
        const PRINTER: &str = r#"\b(?:echo|printf)\s+(?:-\w+\s+)?(?:['"]?%s(?:\\n)?['"]?\s+)?"#;
        const FILE: &str =
            r"\S*(?i:password|passwd|passphrase|token|secret|pgpass|netrc|vault_pass|api_?key)\b";
        [
            format!(r"{PRINTER}{VALUE}\s*\|\s*{READER}"),
            format!(r"(?:{READER})[^\n|]*<<<\s*{VALUE}"),
            // A here-document; its last line is a word in capitals.
            format!(r"(?s:{READER}[^\n|<]*<<-?\s*\S+[^\n]*\n(.*?)\n[A-Z_]+(?:\n|$))"),
            format!(r"{PRINTER}{VALUE}\s*>>?\s*{FILE}"),
            format!(
                r"(?i:password|passwd|passphrase|token|secret|key)[\w-]*[=\s]\s*<\({PRINTER}{VALUE}\s*\)"
            ),
        ]
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    });
    // The patterns are slow, and hardly any text has either.
    if !(text.contains("<<") || text.contains("echo") || text.contains("printf")) {
        return;
    }
    for value in PIPED.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|found| found.get(1))
    {
        add(text, unquoted(text, value.range()), Part::Whole, found);
    }
}
