//! A small reader for tests alone: words, quotes, variables, operators, redirections, `$(…)` and here-documents in
//! their simple forms. The real reader lives in another process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planwright_shell::{
    Assignment, Context, Facts, Part, Redirect, RedirectKind, SimpleCommand, Span, Value, Word,
};

use super::{Paths, Workspace};

/// A file system made of words; `links` are the symbolic ones.
#[derive(Debug, Default)]
pub(crate) struct TestPaths {
    pub(crate) links: BTreeMap<PathBuf, PathBuf>,
    pub(crate) there: Vec<PathBuf>,
}

impl Paths for TestPaths {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut whole = super::place::clean(path);
        for (link, target) in &self.links {
            if let Ok(rest) = whole.strip_prefix(link) {
                whole = target.join(rest);
            }
        }
        whole
    }
    fn is_dir(&self, path: &Path) -> bool {
        self.exists(path)
    }
    fn exists(&self, path: &Path) -> bool {
        self.there.iter().any(|there| there == path)
    }
}

pub(crate) fn workspace<'a>(
    paths: &'a TestPaths,
    environment: &'a BTreeMap<String, String>,
    functions: &'a BTreeMap<String, Facts>,
) -> Workspace<'a> {
    Workspace {
        root: "/home/u/work/app".into(),
        cwd: "/home/u/work/app".into(),
        home: "/home/u".into(),
        user: "u".into(),
        environment,
        functions,
        paths,
    }
}

pub(crate) fn read(text: &str) -> Facts {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, facts: Facts::default(), pipeline: 0 };
    reader.list(Context::default(), None);
    reader.facts
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    facts: Facts,
    pipeline: u32,
}

impl Reader {
    fn rest(&self) -> String {
        self.chars[self.at..].iter().collect()
    }

    fn span(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn list(&mut self, context: Context, end: Option<char>) {
        let mut here = context;
        let mut stage_starts = self.facts.commands.len();
        let mut command = empty();
        loop {
            while self.chars.get(self.at).is_some_and(|c| *c == ' ') {
                self.at += 1;
            }
            let rest = self.rest();
            let c = self.chars.get(self.at).copied();
            if c.is_none() || c == end {
                self.push(&mut command, here);
                self.at += 1;
                return;
            }
            let operator = ["&&", "||", ";", "\n", "|", "&"]
                .into_iter()
                .find(|operator| rest.starts_with(operator) && !rest.starts_with("&>"));
            if let Some(operator) = operator {
                here.piped_into = operator == "|";
                here.in_subshell |= operator == "|";
                here.background = operator == "&";
                self.push(&mut command, here);
                self.at += operator.len();
                let piped = operator == "|";
                here = Context {
                    piped_from: piped,
                    conditional: context.conditional || operator == "&&" || operator == "||",
                    in_subshell: context.in_subshell || piped,
                    stage: if piped { here.stage + 1 } else { 0 },
                    ..context
                };
                if !piped {
                    stage_starts = self.facts.commands.len();
                    self.pipeline += 1;
                }
                let _ = stage_starts;
                here.pipeline = self.pipeline;
                continue;
            }
            if c == Some('(') && command.words.is_empty() {
                self.at += 1;
                self.list(Context { in_subshell: true, ..here }, Some(')'));
                continue;
            }
            if let Some(paren) =
                rest.find("(){").filter(|at| rest[..*at].chars().all(|c| c.is_alphanumeric() || c == ':'))
            {
                self.facts.functions.push(rest[..paren].to_owned());
                self.at += paren + 3;
                self.list(Context { in_function: true, ..here }, Some('}'));
                continue;
            }
            if let Some((kind, fd, length)) = redirect(&rest) {
                self.at += length;
                if kind == RedirectKind::HereDocument {
                    let word: String = self.rest().chars().take_while(|c| *c != '\n').collect();
                    let mark = word.trim_matches('\'').to_owned();
                    self.at += word.chars().count() + 1;
                    let start = self.at;
                    let body = self.rest();
                    let text = body.split(&format!("{mark}\n")).next().unwrap_or("").to_owned();
                    self.at = (self.at + text.chars().count() + mark.chars().count()).min(self.chars.len());
                    let value = Value::Known { text: text.clone(), tilde: false };
                    let target = Word { raw: text, value, span: self.span(start), bare: true };
                    command.redirects.push(Redirect { kind, fd, target });
                    continue;
                }
                while self.chars.get(self.at) == Some(&' ') {
                    self.at += 1;
                }
                let target = self.word(here);
                command.redirects.push(Redirect { kind, fd, target });
                continue;
            }
            let word = self.word(here);
            let assigned = word.raw.split_once('=').filter(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            });
            match assigned {
                Some((name, _)) if command.words.is_empty() => {
                    let name = name.to_owned();
                    let value = value_after(&word, name.chars().count() + 1);
                    command.assignments.push(Assignment { name, value, append: false });
                }
                _ => command.words.push(word),
            }
        }
    }

    fn push(&mut self, command: &mut SimpleCommand, context: Context) {
        let mut done = std::mem::replace(command, empty());
        if done.words.is_empty() && done.assignments.is_empty() && done.redirects.is_empty() {
            return;
        }
        let spans = done.words.iter().chain(done.assignments.iter().map(|a| &a.value)).map(|word| word.span);
        done.span = Span { start: spans.clone().map(|s| s.start).min().unwrap_or(0), end: self.at as u32 };
        done.context = context;
        self.facts.commands.push(done);
    }

    fn word(&mut self, context: Context) -> Word {
        let start = self.at;
        let mut parts: Vec<Part> = Vec::new();
        let mut text = String::new();
        let (mut quote, mut bare, mut glob) = (None, true, false);
        while let Some(&c) = self.chars.get(self.at) {
            let next = self.chars.get(self.at + 1).copied();
            match (quote, c) {
                (Some('\''), '\'') | (Some('"'), '"') => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    bare = false;
                }
                (Some('\''), _) => text.push(c),
                (_, '\\') => {
                    bare = false;
                    self.at += 1;
                    text.extend(next);
                }
                (_, '$') if next == Some('(') => {
                    parts.push(Part::Text { text: std::mem::take(&mut text) });
                    self.at += 2;
                    self.list(Context { in_substitution: true, in_subshell: true, ..context }, Some(')'));
                    self.at -= 1;
                    parts.push(Part::Substitution);
                }
                (_, '$') if next == Some('{') => {
                    parts.push(Part::Text { text: std::mem::take(&mut text) });
                    let raw: String = self.rest().chars().take_while(|c| *c != '}').chain(['}']).collect();
                    self.at += raw.chars().count() - 1;
                    parts.push(Part::Other { raw });
                }
                (_, '$') => {
                    parts.push(Part::Text { text: std::mem::take(&mut text) });
                    let name: String = self.chars[self.at + 1..]
                        .iter()
                        .take_while(|c| c.is_alphanumeric() || **c == '_')
                        .collect();
                    self.at += name.chars().count();
                    parts.push(Part::Variable { name, quoted: quote.is_some() });
                }
                (None, '<') if next == Some('(') => {
                    self.at += 2;
                    self.list(Context { in_substitution: true, in_subshell: true, ..context }, Some(')'));
                    self.at -= 1;
                    parts.push(Part::Substitution);
                }
                (None, ' ' | '\n' | ';' | '|' | '&' | ')' | '>' | '<') => break,
                (None, '*' | '?') => {
                    glob = true;
                    text.push(c);
                }
                (_, _) => text.push(c),
            }
            self.at += 1;
        }
        let raw: String = self.chars[start..self.at].iter().collect();
        let tilde = raw.starts_with('~');
        let value = if !parts.is_empty() {
            parts.push(Part::Text { text });
            parts.retain(|part| *part != Part::Text { text: String::new() });
            Value::Unknown { parts }
        } else if glob {
            Value::Glob { pattern: text, tilde }
        } else {
            Value::Known { text, tilde }
        };
        Word { raw, value, span: self.span(start), bare }
    }
}

fn empty() -> SimpleCommand {
    SimpleCommand {
        words: vec![],
        assignments: vec![],
        redirects: vec![],
        span: Span { start: 0, end: 0 },
        context: Context::default(),
    }
}

fn value_after(word: &Word, chars: usize) -> Word {
    let cut = |text: &str| text.chars().skip(chars).collect::<String>();
    let value = match &word.value {
        Value::Known { text, .. } => Value::Known { text: cut(text), tilde: cut(text).starts_with('~') },
        Value::Glob { pattern, tilde } => Value::Glob { pattern: cut(pattern), tilde: *tilde },
        Value::Several { texts } => Value::Several { texts: texts.clone() },
        Value::Unknown { parts } => {
            let mut parts = parts.clone();
            if let Some(Part::Text { text }) = parts.first_mut() {
                *text = cut(text);
            }
            Value::Unknown { parts }
        }
    };
    let span = Span { start: word.span.start + chars as u32, end: word.span.end };
    Word { raw: cut(&word.raw), value, span, bare: word.bare }
}

fn redirect(rest: &str) -> Option<(RedirectKind, Option<i32>, usize)> {
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let fd = rest[..digits].parse().ok();
    let kinds = [
        ("<<<", RedirectKind::HereString),
        ("<<", RedirectKind::HereDocument),
        ("&>>", RedirectKind::AppendBoth),
        ("&>", RedirectKind::WriteBoth),
        (">>", RedirectKind::Append),
        (">&", RedirectKind::Duplicate),
        (">", RedirectKind::Write),
        ("<", RedirectKind::Read),
    ];
    if rest[digits..].starts_with("<(") {
        return None;
    }
    let (text, kind) = kinds.into_iter().find(|(text, _)| rest[digits..].starts_with(text))?;
    Some((kind, fd, digits + text.len()))
}
