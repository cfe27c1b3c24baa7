//! The shell state between steps (E9): read from what bash wrote when a command ended, and written as the text that
//! brings it back. Runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use super::RunRequest;
use super::environment::{BaseEnvironment, is_forbidden, is_kept_by_bash, is_variable_name};
use super::unchanged::is_builtin;
use crate::protocol::ShellState;
use crate::shell::bare_programs;

/// Variables that bash makes in every shell; what a user sets in them is not carried.
const BASHS_OWN: [&str; 24] = [
    "BASH",
    "BASHPID",
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "HOSTNAME",
    "HOSTTYPE",
    "LINENO",
    "MACHTYPE",
    "OSTYPE",
    "PIPESTATUS",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SHELL",
    "SRANDOM",
    "UID",
    "COPROC",
    "MAILCHECK",
];

/// Options that go from step to step: none of them changes how a text is read, and a fresh shell has all of them off.
const OPTIONS: [&str; 10] = [
    "allexport",
    "errexit",
    "errtrace",
    "functrace",
    "noclobber",
    "noglob",
    "nounset",
    "physical",
    "pipefail",
    "xtrace",
];
/// The same of `shopt`.
const SHELL_OPTIONS: [&str; 19] = [
    "array_expand_once",
    "assoc_expand_once",
    "cdable_vars",
    "checkhash",
    "dotglob",
    "execfail",
    "extglob",
    "failglob",
    "globstar",
    "inherit_errexit",
    "lastpipe",
    "localvar_inherit",
    "localvar_unset",
    "nocaseglob",
    "nocasematch",
    "nullglob",
    "shift_verbose",
    "varredir_close",
    "xpg_echo",
];

/// Begins the trap that the worker sets.
const OWN_TRAP: &[u8] = br#"trap -- '{ builtin printf "%s\0" "$?" "${PIPESTATUS[@]}" "${_-}" >|/proc/"#;

/// Bash text that sets an option off; `None` where it is none that is carried.
pub(super) fn option_off(option: &str) -> Option<String> {
    match option {
        name if OPTIONS.contains(&name) => Some(format!("builtin set +o {name}")),
        name if SHELL_OPTIONS.contains(&name) => Some(format!("builtin shopt -u {name}")),
        _ => None,
    }
}

/// Bash text that sets the traps, for a shell that lives on: one that ends behind its command would do at once what is for
/// the end of all of them.
pub(super) fn traps_text(shell: &ShellState) -> String {
    shell.traps.iter().map(|trap| format!("builtin eval {}\n", quoted(trap))).collect()
}

/// Bash text that sets the options, each apart.
pub(super) fn options_text(shell: &ShellState) -> String {
    let set = shell.options.iter().filter_map(|option| match option.as_str() {
        name if OPTIONS.contains(&name) => Some(format!("builtin set -o {name}")),
        name if SHELL_OPTIONS.contains(&name) => Some(format!("builtin shopt -s {name}")),
        _ => None,
    });
    set.collect::<Vec<_>>().join("; ")
}

/// Bash text that makes the aliases known to a command that lists, changes or names them. No other has them: bash would put
/// their words into what was judged without.
pub(super) fn aliases_text(command: &str, shell: &ShellState) -> String {
    if !has_aliases(command) {
        return String::new();
    }
    let define = |(name, words): (&String, &String)| {
        format!("builtin alias -- {}\n", quoted(&format!("{name}={words}")))
    };
    shell.aliases.iter().map(define).collect()
}

/// Whether it is about aliases, and cannot have bash take any for a command.
fn has_aliases(command: &str) -> bool {
    const ABOUT: [&str; 3] = ["alias", "unalias", "type"];
    let is_about = |name: &String| ABOUT.contains(&name.as_str());
    !command.trim().contains('\n')
        && bare_programs(command).is_some_and(|programs| {
            programs.iter().any(is_about) && programs.iter().all(|name| is_about(name) || !is_builtin(name))
        })
}

/// Of `alias name='words'`, as bash prints it.
fn alias(statement: &[u8]) -> Option<(String, String)> {
    let rest = std::str::from_utf8(statement).ok()?.strip_prefix("alias ")?;
    let (name, words) = rest.strip_prefix("-- ").unwrap_or(rest).split_once('=')?;
    let words = words.strip_prefix('\'')?.strip_suffix('\'')?.replace(r"'\''", "'");
    Some((name.to_owned(), words))
}

/// Those that are on, of a list with colons.
fn options_on<'a>(value: Option<Vec<u8>>, of: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    let value = String::from_utf8(value.unwrap_or_default()).unwrap_or_default();
    let on: Vec<&str> = of.iter().copied().filter(|name| value.split(':').any(|on| on == *name)).collect();
    on.into_iter().map(str::to_owned)
}

/// Bash text that restores umask, variables, functions, folders and positional parameters; each apart, so that one which fails harms no other.
pub(crate) fn restore_text(shell: &ShellState) -> String {
    let mut text = String::new();
    if !shell.umask.is_empty() && shell.umask.bytes().all(|byte| matches!(byte, b'0'..=b'7')) {
        text += &format!("builtin umask {}\n", shell.umask);
    }
    for (name, statement) in &shell.variables {
        if !is_forbidden(name) {
            text += &format!("builtin eval {}\n", quoted(statement));
        }
    }
    for definition in shell.functions.values() {
        text += &format!("builtin eval {}\n", quoted(definition));
    }
    for folder in shell.folders.iter().rev() {
        text += &format!("builtin pushd -n {}\n", quoted(folder));
    }
    if !shell.arguments.is_empty() {
        let arguments: Vec<String> = shell.arguments.iter().map(|argument| quoted(argument)).collect();
        // Behind what the worker itself hands over, which takes that away again.
        text += &format!("builtin set -- \"$@\" {}\n", arguments.join(" "));
    }
    text
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Reads what bash wrote. `lived`: in the shell that lives on; `None` when the text is not whole.
pub(super) fn parse(
    text: &[u8],
    own_umask: u32,
    base: &BaseEnvironment,
    request: &RunRequest,
    lived: bool,
) -> Option<ShellState> {
    let (command, before) = (request.action.command(), &request.shell);
    let mut parts = text.split(|byte| *byte == 0);
    let umask = u32::from_str_radix(std::str::from_utf8(parts.next()?).ok()?.trim(), 8).ok()?;
    let cwd = parts.next()?;
    let variables = statements(parts.next()?);
    let locals: BTreeSet<&[u8]> =
        statements(parts.next()?).into_iter().filter_map(Declared::parse).map(|d| d.name).collect();
    let arguments = match parts.next()? {
        // Left from within a function: what it was called with is not the shell's own.
        b"-" => before.arguments.clone(),
        count => {
            let count = std::str::from_utf8(count).ok()?.parse().ok()?;
            let taken: Vec<&[u8]> = parts.by_ref().take(count).collect();
            if taken.len() < count {
                return None;
            }
            taken.into_iter().map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
        }
    };
    let traps = statements(parts.next()?);
    let traps = traps.iter().filter(|trap| !trap.starts_with(OWN_TRAP));
    let mut traps: Vec<String> = traps.filter_map(|trap| String::from_utf8(trap.to_vec()).ok()).collect();
    if !lived {
        // A shell of one command's own was not given them.
        traps.extend(before.traps.iter().filter(|trap| !traps.contains(trap)).cloned().collect::<Vec<_>>());
    }
    let mut aliases = if has_aliases(command) { BTreeMap::new() } else { before.aliases.clone() };
    aliases.extend(statements(parts.next()?).into_iter().filter_map(alias));
    let mut functions = BTreeMap::new();
    loop {
        let name = parts.next()?;
        let Some(definition) = parts.next() else {
            if name != b"end" {
                return None;
            }
            break;
        };
        if let (Ok(name), Ok(definition)) = (std::str::from_utf8(name), std::str::from_utf8(definition)) {
            functions.insert(name.to_owned(), definition.trim_end().to_owned());
        }
    }

    let mut state = ShellState {
        cwd: cwd_after(cwd).unwrap_or_else(|| before.cwd.clone()),
        functions,
        aliases,
        umask: if umask == own_umask { String::new() } else { format!("{umask:03o}") },
        arguments,
        traps,
        ..ShellState::default()
    };
    let mut exported = BTreeSet::new();
    for statement in variables {
        let Some(declared) = Declared::parse(statement) else { continue };
        let (Ok(name), Ok(text)) = (std::str::from_utf8(declared.name), std::str::from_utf8(statement))
        else {
            continue;
        };
        match name {
            "SHELLOPTS" => state.options.extend(options_on(declared.value.and_then(unquoted), &OPTIONS)),
            "BASHOPTS" => state.options.extend(options_on(declared.value.and_then(unquoted), &SHELL_OPTIONS)),
            "DIRSTACK" => state.folders = declared.value.and_then(folders).unwrap_or_default(),
            _ => {}
        }
        if is_forbidden(name) || is_kept_by_bash(name) {
            continue;
        }
        if locals.contains(declared.name) {
            // A function was left by `exit`; what its local variable hides is not known, so it stays as it was.
            if let Some(value) = before.environment.get(name) {
                state.environment.insert(name.to_owned(), value.clone());
            }
            if let Some(statement) = before.variables.get(name) {
                state.variables.insert(name.to_owned(), statement.clone());
            }
            exported.insert(name.to_owned());
        } else if let Some(value) = declared.exported_value() {
            exported.insert(name.to_owned());
            match String::from_utf8(value) {
                Ok(value) if base.get(name) == Some(OsStr::new(&value)) => {}
                Ok(value) => {
                    state.environment.insert(name.to_owned(), Some(value));
                }
                // Not text: cannot be kept, and what was there before is the better guess.
                Err(_) => {}
            }
        } else if !declared.is_exported() && !is_bashs_own(name, text) {
            // One without a value has its attributes, and what is put in it later depends on them.
            state.variables.insert(name.to_owned(), text.to_owned());
        }
    }
    state.options.sort_unstable();
    for name in base.variable_names() {
        if !exported.contains(name) && !is_kept_by_bash(name) && name != "OLDPWD" {
            state.environment.insert(name.to_owned(), None);
        }
    }
    Some(state)
}

/// The folder the shell was in, when it is still there.
fn cwd_after(line: &[u8]) -> Option<String> {
    let cwd = std::str::from_utf8(line).ok()?;
    let cwd = cwd.strip_suffix('\n').unwrap_or(cwd);
    Path::new(cwd).is_dir().then(|| cwd.to_owned())
}

fn is_bashs_own(name: &str, statement: &str) -> bool {
    BASHS_OWN.contains(&name)
        || statement == r"declare -- IFS=$' \t\n'"
        || statement == r#"declare -- TERM="dumb""#
        || statement == r#"declare -i OPTIND="1""#
        || statement == r#"declare -- OPTIND="1""#
        || statement == r#"declare -- OPTERR="1""#
}

/// One line of `declare -p`, taken apart.
struct Declared<'a> {
    flags: &'a [u8],
    name: &'a [u8],
    value: Option<&'a [u8]>,
}

impl<'a> Declared<'a> {
    fn parse(statement: &'a [u8]) -> Option<Self> {
        let rest = statement.strip_prefix(b"declare -")?;
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let (flags, rest) = (&rest[..space], &rest[space + 1..]);
        let (name, value) = match rest.iter().position(|byte| *byte == b'=') {
            Some(equals) => (&rest[..equals], Some(&rest[equals + 1..])),
            None => (rest, None),
        };
        std::str::from_utf8(name).is_ok_and(is_variable_name).then_some(Self { flags, name, value })
    }

    fn is_array(&self) -> bool {
        self.flags.iter().any(|flag| matches!(flag, b'a' | b'A'))
    }

    /// In the environment of programs; arrays never are.
    fn is_exported(&self) -> bool {
        self.flags.contains(&b'x') && !self.is_array()
    }

    fn exported_value(&self) -> Option<Vec<u8>> {
        if self.is_exported() { unquoted(self.value?) } else { None }
    }
}

/// The value that a statement gives a variable; none of an array, or of one with an attribute that gives it another meaning.
pub(crate) fn plain_value(name: &str, statement: &str) -> Option<String> {
    let declared = Declared::parse(statement.as_bytes())?;
    if declared.name != name.as_bytes()
        || declared.flags.iter().any(|flag| !matches!(flag, b'-' | b'r' | b'x'))
    {
        return None;
    }
    String::from_utf8(unquoted(declared.value?)?).ok()
}

/// Variables with one value each.
pub(crate) fn plain_variables(shell: &ShellState) -> impl Iterator<Item = (&str, String)> {
    shell
        .variables
        .iter()
        .filter_map(|(name, statement)| Some((name.as_str(), plain_value(name, statement)?)))
}

/// The lines of `declare -p`, where a value may go over several lines.
fn statements(text: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\n' => {
                found.push(&text[start..at]);
                start = at + 1;
                at += 1;
            }
            b'\\' => at += 2,
            b'$' if text.get(at + 1) == Some(&b'\'') => at = end_of_quote(text, at + 2, b'\'', true),
            b'\'' => at = end_of_quote(text, at + 1, b'\'', false),
            b'"' => at = end_of_quote(text, at + 1, b'"', true),
            _ => at += 1,
        }
    }
    found
}

/// The place behind the closing quote.
fn end_of_quote(text: &[u8], mut at: usize, quote: u8, escapes: bool) -> usize {
    while at < text.len() {
        match text[at] {
            b'\\' if escapes => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Of `([0]="/here" [1]="/there" …)` all but the first, which is the present folder.
fn folders(value: &[u8]) -> Option<Vec<String>> {
    let mut rest = value.strip_prefix(b"(")?.strip_suffix(b")")?;
    let mut folders = Vec::new();
    while let Some(at) = rest.windows(2).position(|pair| pair == b"]=") {
        let value = &rest[at + 2..];
        let end = match value {
            [b'"', ..] => end_of_quote(value, 1, b'"', true),
            [b'$', b'\'', ..] => end_of_quote(value, 2, b'\'', true),
            _ => return None,
        };
        folders.push(String::from_utf8(unquoted(&value[..end])?).ok()?);
        rest = &value[end..];
    }
    folders.drain(..folders.len().min(1));
    Some(folders)
}

/// The bytes that a quoted value of `declare -p` stands for; `None` when it is of no known form.
fn unquoted(value: &[u8]) -> Option<Vec<u8>> {
    if let Some(inner) = value.strip_prefix(b"$'").and_then(|inner| inner.strip_suffix(b"'")) {
        return ansi_c(inner);
    }
    let inner = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter();
    while let Some(byte) = rest.next() {
        bytes.push(if *byte == b'\\' { *rest.next()? } else { *byte });
    }
    Some(bytes)
}

/// The inside of `$'…'` as bash prints it.
fn ansi_c(inner: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(inner.len());
    let mut at = 0;
    while at < inner.len() {
        if inner[at] != b'\\' {
            bytes.push(inner[at]);
            at += 1;
            continue;
        }
        let escape = *inner.get(at + 1)?;
        at += 2;
        bytes.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                let digits =
                    inner[at - 1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let number =
                    inner[at - 1..at - 1 + digits].iter().fold(0_u32, |n, d| n * 8 + u32::from(d - b'0'));
                at += digits - 1;
                u8::try_from(number).ok()?
            }
            _ => return None,
        });
    }
    Some(bytes)
}
