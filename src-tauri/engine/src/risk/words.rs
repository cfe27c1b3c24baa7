//! What the words of a command become, as far as variables are known.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use planwright_shell::{Part, SimpleCommand, Span, Value, Word};

/// One argument as the program would get it.
#[derive(Debug, Clone)]
pub(crate) struct Arg {
    pub(crate) text: Text,
    pub(crate) span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Text {
    Known {
        text: String,
        tilde: bool,
    },
    /// Names of files that match.
    Glob {
        pattern: String,
        tilde: bool,
    },
    /// Known only when it runs. `prefix` is how it begins for certain; `split`: may become several words or none.
    Unknown {
        prefix: String,
        split: bool,
    },
}

impl Text {
    /// What of it is known: all of it, a pattern, or how it begins.
    fn sure(&self) -> &str {
        match self {
            Self::Known { text, .. } | Self::Glob { pattern: text, .. } => text,
            Self::Unknown { prefix, .. } => prefix,
        }
    }
}

impl Arg {
    pub(crate) fn known(&self) -> Option<&str> {
        match &self.text {
            Text::Known { text, .. } => Some(text),
            Text::Glob { .. } | Text::Unknown { .. } => None,
        }
    }

    /// What of it is known: all of it, a pattern, or how it begins. Of a text within a text this is the word alone, where its
    /// place in the command is that of the text around it.
    pub(crate) fn sure(&self) -> &str {
        self.text.sure()
    }

    /// The complete parts, divided by `:`, that the word begins with for certain; the rest is only known when it runs.
    pub(crate) fn start(&self) -> Option<&str> {
        match &self.text {
            Text::Unknown { prefix, .. } => prefix.rsplit_once(':').map(|(parts, _)| parts),
            Text::Known { .. } | Text::Glob { .. } => None,
        }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        match &self.text {
            Text::Unknown { .. } => true,
            Text::Known { .. } | Text::Glob { .. } => false,
        }
    }

    /// Begins as an option does, whatever follows.
    pub(crate) fn is_option(&self) -> bool {
        match &self.text {
            Text::Unknown { prefix: start, .. } | Text::Glob { pattern: start, .. } => start.starts_with('-'),
            Text::Known { .. } => false,
        }
    }

    /// May turn out to be an option.
    pub(crate) fn may_be_flag(&self) -> bool {
        match &self.text {
            Text::Known { text, .. } => text.starts_with('-'),
            Text::Glob { pattern, .. } => pattern.starts_with('-') || pattern.starts_with('['),
            Text::Unknown { prefix, split } => *split || prefix.is_empty() || prefix.starts_with('-'),
        }
    }

    pub(crate) fn with(&self, text: String) -> Self {
        Self { text: Text::Known { text, tilde: false }, span: self.span }
    }
}

/// Bytes that are put in for variables in one text: as much again as the longest text has. What grows beyond, doubling
/// itself or being named over and over, is as good as unknown.
const MOST_PUT_IN: usize = 16 * 1024;

/// Variables as they would be while the command runs. What is set in a branch, a function or from outside is unknown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variables {
    known: BTreeMap<String, String>,
    unknown: BTreeSet<String>,
    /// What a loop puts in, by its variable: texts or patterns.
    loops: BTreeMap<String, Vec<String>>,
    /// Those that are empty once everything is read.
    read: BTreeSet<String>,
    /// Bytes that were put in so far.
    put_in: Cell<usize>,
    /// `basename` and `dirname` are functions here.
    pub(crate) own_names: bool,
    /// Everything may have changed: a file was sourced, text was evaluated.
    pub(crate) all_unknown: bool,
}

impl Variables {
    pub(crate) fn set(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) if !self.unknown.contains(name) => {
                self.known.insert(name.to_owned(), value);
            }
            Some(_) | None => self.forget(name),
        }
    }

    /// `for name in texts`. Such a word is never taken for an option or a sub-command, and for a program only where it is all
    /// of the word and each text a plain name.
    pub(crate) fn set_loop(&mut self, name: &str, texts: &[String]) {
        self.forget(name);
        if !texts.is_empty() && texts.len() <= 16 {
            self.loops.insert(name.to_owned(), texts.to_vec());
        }
    }

    /// `while read -r name`: behind the loop there is nothing in it.
    pub(crate) fn set_read(&mut self, name: &str, texts: &[String]) {
        self.set_loop(name, texts);
        self.read.insert(name.to_owned());
    }

    /// Whether a variable in `text` is given its value by `read`.
    pub(crate) fn is_read(&self, text: &str) -> bool {
        self.read
            .iter()
            .any(|name| text.contains(&format!("${name}")) || text.contains(&format!("${{{name}")))
    }

    /// `word` with a loop's values put in, if nothing else in it is unknown.
    fn looped(
        &self,
        word: &Word,
        parts: &[Part],
        environment: &BTreeMap<String, String>,
    ) -> Option<Vec<Text>> {
        if self.all_unknown {
            return None;
        }
        if let Some(texts) = self.one_by_one(parts, environment) {
            let tilde = word.raw.starts_with('~');
            return Some(texts.into_iter().map(|pattern| Text::Glob { pattern, tilde }).collect());
        }
        let mut patterns = vec![String::new()];
        for (at, part) in parts.iter().enumerate() {
            // With nothing before it the slash would be the root.
            let may_be_empty = match part {
                Part::Variable { name, .. } => self.read.contains(name),
                Part::Other { .. } | Part::Substitution => !self.read.is_empty(),
                Part::Text { .. } => false,
            };
            if may_be_empty && matches!(parts.get(at + 1), Some(Part::Text { text }) if text.starts_with('/'))
            {
                return None;
            }
            let texts: Vec<String> = match part {
                Part::Text { text } => vec![text.clone()],
                Part::Variable { name, .. } => match self.get(name, environment) {
                    Some(value) => vec![value.to_owned()],
                    None => self.loops.get(name)?.clone(),
                },
                // A part of a plain name is a plain name, but may be empty: what follows must not begin a path then.
                Part::Other { raw } => {
                    let known = super::loops::shaped(raw, |name| self.loops.get(name).map(Vec::as_slice));
                    match known {
                        Some(texts) => texts,
                        None => self.part_of_name(raw, parts.get(at + 1))?,
                    }
                }
                Part::Substitution => self.named_in(word)?,
            };
            patterns = patterns
                .iter()
                .flat_map(|before| texts.iter().map(move |text| format!("{before}{text}")))
                .collect();
            if patterns.len() > 16 || patterns.iter().any(|pattern| pattern.len() > MOST_PUT_IN) {
                return None;
            }
        }
        let tilde = word.raw.starts_with('~');
        Some(patterns.into_iter().map(|pattern| Text::Glob { pattern, tilde }).collect())
    }

    /// `"icons/${s}x${s}.png"`: what one loop puts in more than once is the same in every place.
    fn one_by_one(&self, parts: &[Part], environment: &BTreeMap<String, String>) -> Option<Vec<String>> {
        let looped = |part: &Part| match part {
            Part::Variable { name, .. } if self.loops.contains_key(name) && !self.read.contains(name) => {
                Some(name.clone())
            }
            Part::Variable { .. } | Part::Text { .. } | Part::Substitution | Part::Other { .. } => None,
        };
        let mut names = parts.iter().filter_map(looped);
        let name = names.next()?;
        let rest: Vec<String> = names.collect();
        if rest.is_empty() || rest.iter().any(|other| *other != name) {
            return None;
        }
        let with = |value: &String| {
            let texts = parts.iter().map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                Part::Variable { name: own, .. } if *own == name => Some(value.as_str()),
                Part::Variable { name, .. } => self.get(name, environment),
                Part::Substitution | Part::Other { .. } => None,
            });
            let text = texts.collect::<Option<String>>()?;
            (text.len() <= MOST_PUT_IN).then_some(text)
        };
        self.loops.get(&name)?.iter().map(with).collect()
    }

    /// A part of plain names, whatever its pattern.
    fn part_of_name(&self, raw: &str, next: Option<&Part>) -> Option<Vec<String>> {
        let inner = raw.strip_prefix("${")?;
        let (name, change) = inner.split_at(inner.find(['%', '#', '/', '^', ','])?);
        // `${f// /_}`: what is put in makes no folder of a name.
        let puts_in = change.starts_with('/') && change.trim_start_matches('/').matches('/').count() > 1;
        let slash = matches!(next, Some(Part::Text { text }) if text.starts_with('/'));
        let plain = self.loops.get(name)?.iter().all(|text| !text.contains('/') && !text.starts_with('.'));
        let odd = slash || puts_in || !plain || raw.contains(['$', '`']) && raw.matches('$').count() > 1;
        (!odd).then(|| vec!["*".to_owned()])
    }

    /// What the one substitution in `word` prints, where it is a part of a loop's name: `out/$(basename "$f")`.
    fn named_in(&self, word: &Word) -> Option<Vec<String>> {
        let (_, rest) = word.raw.split_once("$(")?;
        let (inner, tail) = rest.split_once(')')?;
        let one = !inner.contains(['(', '`']) && !tail.contains("$(") && !word.raw.contains('`');
        if !one || self.own_names {
            return None;
        }
        super::loops::printed(inner, |name| self.loops.get(name).map(Vec::as_slice))
    }

    /// The programs that `"$tool"` runs in turn, where a loop puts plain names in, and the arguments that each is given.
    /// `args`: what all words became, this first one an argument for each name; `None` where it did not.
    pub(crate) fn programs<'a>(&self, word: &Word, args: &'a [Arg]) -> Option<(Vec<Arg>, &'a [Arg])> {
        let Value::Unknown { parts } = &word.value else { return None };
        let [Part::Variable { name, .. }] = parts.as_slice() else { return None };
        let names = self.loops.get(name).filter(|_| !self.read.contains(name) && !self.all_unknown)?;
        let (own, rest) = args.split_at_checked(names.len())?;
        let plain = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
        };
        let program = |(arg, name): (&Arg, &String)| match &arg.text {
            Text::Glob { pattern, .. } if pattern == name && plain(name) => Some(arg.with(name.clone())),
            Text::Known { .. } | Text::Glob { .. } | Text::Unknown { .. } => None,
        };
        let programs = own.iter().zip(names).map(program).collect::<Option<Vec<Arg>>>()?;
        Some((programs, rest))
    }

    pub(crate) fn forget(&mut self, name: &str) {
        self.known.remove(name);
        self.loops.remove(name);
        self.read.remove(name);
        self.unknown.insert(name.to_owned());
    }

    /// What a shell that is started anew sees: what was set here may have been exported or not.
    pub(crate) fn of_new_shell(&self, home: &std::path::Path) -> Self {
        let mut unknown = self.unknown.clone();
        unknown.extend(self.known.keys().cloned());
        let mut fresh = Self {
            unknown,
            all_unknown: self.all_unknown,
            own_names: self.own_names,
            put_in: self.put_in.clone(),
            ..Self::default()
        };
        if self.known.get("HOME").is_some_and(|known| std::path::Path::new(known) == home) {
            fresh.unknown.remove("HOME");
            fresh.known.insert("HOME".to_owned(), home.to_string_lossy().into_owned());
        }
        fresh
    }

    /// Whether nothing in this text or before it has given `name` a value.
    pub(crate) fn never_set(&self, name: &str, environment: &BTreeMap<String, String>) -> bool {
        !self.all_unknown
            && !self.known.contains_key(name)
            && !self.unknown.contains(name)
            && !self.loops.contains_key(name)
            && !environment.contains_key(name)
    }

    pub(crate) fn get<'a>(
        &'a self,
        name: &str,
        environment: &'a BTreeMap<String, String>,
    ) -> Option<&'a str> {
        if self.all_unknown || self.unknown.contains(name) {
            return None;
        }
        self.known.get(name).or_else(|| environment.get(name)).map(String::as_str)
    }

    /// Loop variables and what is set only sometimes can be anything.
    pub(crate) fn forget_uncertain(&mut self, command: &str, commands: &[SimpleCommand]) {
        let mut words =
            command.split(|c: char| c.is_whitespace() || matches!(c, ';' | '(' | ')' | '&' | '|' | '{'));
        while let Some(word) = words.next() {
            if word == "for" || word == "select" {
                let name = words.by_ref().find(|word| !word.is_empty());
                name.into_iter().for_each(|name| self.forget(name));
            }
        }
        for command in commands {
            let context = command.context;
            let uncertain =
                context.conditional || context.in_function || context.in_subshell || context.in_substitution;
            if uncertain && command.words.is_empty() {
                command.assignments.iter().for_each(|assignment| self.forget(&assignment.name));
            }
            for word in &command.words {
                if uncertain && let Some((name, _)) = word.raw.split_once('=') {
                    self.forget(name.trim_end_matches('+'));
                }
                if let Value::Unknown { parts } = &word.value {
                    for part in parts {
                        if let Part::Other { raw } = part
                            && let Some((name, _)) = raw.trim_start_matches("${").split_once([':', '='])
                        {
                            self.forget(name);
                        }
                    }
                }
            }
        }
    }

    /// The arguments that `word` becomes.
    pub(crate) fn expand(&self, word: &Word, environment: &BTreeMap<String, String>) -> Vec<Arg> {
        let arg = |text| Arg { text, span: word.span };
        match &word.value {
            Value::Known { text, tilde } => vec![arg(Text::Known { text: text.clone(), tilde: *tilde })],
            Value::Several { texts } => texts
                .iter()
                .map(|text| arg(Text::Known { text: text.clone(), tilde: text.starts_with('~') }))
                .collect(),
            Value::Glob { pattern, tilde } => {
                vec![arg(Text::Glob { pattern: pattern.clone(), tilde: *tilde })]
            }
            Value::Unknown { parts } => {
                let loops = parts.iter().any(|part| match part {
                    Part::Variable { name, .. } => self.loops.contains_key(name),
                    Part::Other { .. } | Part::Substitution => !self.loops.is_empty(),
                    Part::Text { .. } => false,
                });
                let looped = self.looped(word, parts, environment).filter(|_| loops);
                let texts = looped.unwrap_or_else(|| self.join(word, parts, environment));
                let length = texts.iter().map(|text| text.sure().len()).sum::<usize>();
                self.put_in.set(self.put_in.get().saturating_add(length));
                if self.put_in.get() > MOST_PUT_IN {
                    return vec![arg(Text::Unknown { prefix: String::new(), split: true })];
                }
                texts.into_iter().map(arg).collect()
            }
        }
    }

    fn join(&self, word: &Word, parts: &[Part], environment: &BTreeMap<String, String>) -> Vec<Text> {
        let mut text = String::new();
        let mut loose = false;
        for part in parts {
            match part {
                Part::Text { text: more } => text.push_str(more),
                Part::Variable { name, quoted } => match self.get(name, environment) {
                    Some(value) => {
                        text.push_str(value);
                        loose |= !quoted && value.contains(|c: char| c.is_whitespace() || "*?[".contains(c));
                        loose |= !quoted && value.is_empty();
                        if text.len() > MOST_PUT_IN {
                            return vec![Text::Unknown { prefix: String::new(), split: true }];
                        }
                    }
                    None => {
                        let split = parts.iter().any(|part| match part {
                            Part::Variable { quoted, .. } => !quoted,
                            Part::Substitution | Part::Other { .. } => !word.raw.starts_with('"'),
                            Part::Text { .. } => false,
                        });
                        return vec![Text::Unknown { prefix: text, split }];
                    }
                },
                Part::Substitution | Part::Other { .. } => {
                    return vec![Text::Unknown { prefix: text, split: !word.raw.starts_with('"') }];
                }
            }
        }
        let tilde = word.raw.starts_with('~');
        let one = |text: &str| {
            if text.contains(['*', '?', '[']) {
                Text::Glob { pattern: text.to_owned(), tilde }
            } else {
                Text::Known { text: text.to_owned(), tilde }
            }
        };
        if loose { text.split_whitespace().map(one).collect() } else { vec![one(&text)] }
    }
}

/// `deleteUser` as `delete-user`.
fn divided(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before = None;
    for c in name.chars() {
        if c.is_ascii_uppercase() && before.is_some_and(|before: char| before.is_ascii_lowercase()) {
            words.push('-');
        }
        words.push(c.to_ascii_lowercase());
        before = Some(c);
    }
    words
}

/// The word among those of an unknown program that says that something is to be destroyed: `delete`, `--purge`, `drop-db`.
pub(super) fn asks_to_destroy(words: &[Arg]) -> Option<&Arg> {
    const LEFT_OUT: [&str; 12] = [
        "rate",
        "fraction",
        "densest",
        "smallest",
        "na",
        "nan",
        "nulls",
        "duplicates",
        "frames",
        "columns",
        "lines",
        "caps",
    ];
    const DESTROYS: [&str; 20] = [
        "burn",
        "del",
        "delete",
        "destroy",
        "purge",
        "wipe",
        "erase",
        "drop",
        "nuke",
        "obliterate",
        "flush",
        "forget",
        "shred",
        "zap",
        "truncate",
        "uninstall",
        "expunge",
        "teardown",
        "terminate",
        "decommission",
    ];
    let destroys = |name: &str| {
        let name = divided(name);
        let mut parts = name.split(['-', '_', ':', '/']);
        let calm = matches!(parts.clone().next(), Some("no" | "dry" | "keep"))
            // `--drop-rate`: what is left out of a result.
            || parts.clone().zip(parts.clone().skip(1)).any(|(part, next)| part == "drop" && LEFT_OUT.contains(&next));
        !calm && parts.any(|part| DESTROYS.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit())))
    };
    let option = |text: &str| {
        // `-delete` is a word, `-d` a letter of which nothing is known.
        let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-').filter(|name| name.len() > 3));
        name.and_then(|name| name.split('=').next()).is_some_and(destroys)
    };
    // What is asked for stands at the front, or behind options and what may be their values; further on stands what it is
    // done to.
    let mut behind_option = false;
    let mut plain = 0;
    words.iter().enumerate().find_map(|(at, arg)| {
        let is_option = arg.may_be_flag();
        let may_be_value = std::mem::replace(&mut behind_option, is_option);
        let first = at < 3 || plain == 0 || plain < 3 && !may_be_value;
        plain += usize::from(!is_option && !may_be_value);
        let text = arg.known()?;
        (option(text) || first && !text.starts_with('-') && destroys(text)).then_some(arg)
    })
}
