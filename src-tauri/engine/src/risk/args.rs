//! Sorts a program's arguments into sub-command, flags with their values, and words, by what is known of it.

use planwright_shell::Span;

use super::words::{Arg, Text};
use crate::knowledge::{Deed, Entry, Flag, Role, Rules, Takes};
use crate::protocol::Risk;

/// A command line as its program would understand it.
#[derive(Debug)]
pub(crate) struct Parsed<'k, 'a> {
    /// The entry of the program.
    pub(crate) top: &'k Entry,
    /// The entry of the program or of its innermost sub-command.
    pub(crate) entry: &'k Entry,
    /// Words that name the sub-command, among the arguments.
    pub(crate) subs: Vec<&'a Arg>,
    pub(crate) flags: Vec<Given<'k>>,
    /// What is neither flag nor sub-command.
    pub(crate) words: Vec<&'a Arg>,
    /// Every argument that is written as an option, and the signs of `find`.
    pub(crate) given: Vec<&'a Arg>,
    /// Options that nothing is known of, or words that may turn out to be options.
    pub(crate) doubtful: Vec<&'a Arg>,
    /// A word where a sub-command should be, but it is not a known one.
    pub(crate) strange_sub: Option<&'a Arg>,
    /// Commands inside the arguments (`find -exec … ;`) or the rest that belongs to a wrapped command or script.
    pub(crate) inner: Vec<&'a [Arg]>,
    /// `--` was there.
    pub(crate) ended: bool,
    /// Every argument, as it stands.
    pub(crate) all: &'a [Arg],
}

#[derive(Debug)]
pub(crate) struct Given<'k> {
    pub(crate) flag: &'k Flag,
    pub(crate) value: Option<Arg>,
    /// Where the flag and its value stand.
    pub(crate) span: Span,
    /// It stands before any sub-command.
    pub(crate) first: bool,
    /// The number of the argument that it stands in.
    pub(crate) at: usize,
}

impl<'k> Parsed<'k, '_> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|given| given.flag.names.iter().any(|own| own == name))
    }

    /// The number of `arg` among all arguments, where it is one of them. Places in the text do not tell: of a function that an
    /// earlier step left, all arguments stand where it is called.
    pub(crate) fn number_of(&self, arg: &Arg) -> Option<usize> {
        let offset = std::ptr::from_ref(arg).addr().checked_sub(self.all.as_ptr().addr())?;
        let number = offset / size_of::<Arg>();
        self.all.get(number).filter(|own| std::ptr::eq(*own, arg)).map(|_| number)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Arg> {
        self.flags.iter().find(|given| given.flag.names.iter().any(|own| own == name))?.value.as_ref()
    }

    /// Whether it was asked only to tell what it would do: `--dry-run`. Anything that could take this back again, as a
    /// later `--dry-run=none` or a word that is only known when it runs, counts as having done so.
    pub(crate) fn reports(&self) -> bool {
        let tells = |name: &str| {
            [self.entry, self.top].iter().any(|entry| entry.reports.iter().any(|own| own == name))
        };
        // In a bundle of letters only a flag that means nothing else counts.
        let short = self.flags.iter().any(|given| given.flag.names.iter().all(|name| tells(name)));
        let mut long = false;
        for text in self.given.iter().filter_map(|arg| arg.known()) {
            let (name, value) =
                text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            if text.starts_with("--no-dry")
                || tells(name) && matches!(value, Some("none" | "false" | "no" | "0" | ""))
            {
                return false;
            }
            long |= tells(name);
        }
        (short || long) && self.doubtful.iter().all(|arg| arg.known().is_some())
    }

    /// The risk that its verbs come to, where they decide it.
    pub(crate) fn verb(&self) -> Option<Risk> {
        let verbs = self.entry.verbs.as_ref()?;
        let words: Vec<&str> = self.words.iter().map(|arg| arg.known().unwrap_or("\0")).collect();
        // `cargo fmt -- --check`: an option all the same, of the program behind.
        let handed_on = self.words.iter().filter(|word| self.ended && is_dashed(word));
        let given = self.given.iter().chain(handed_on).filter_map(|arg| arg.known());
        // `-Artist=Me` counts by its name alone and as a whole.
        let flags: Vec<&str> = given
            .flat_map(|text| [text.split('=').next(), text.contains('=').then_some(text)])
            .flatten()
            .collect();
        let unknown: Vec<&str> = match self.entry.risk {
            Risk::Dangerous | Risk::Caution => super::undeclared::flags(self).collect(),
            Risk::Safe | Risk::Blocked => Vec::new(),
        };
        verbs.risk(&words, &flags, !self.entry.aliases.is_empty(), &unknown)
    }

    /// Meaning of the word number `index`.
    pub(crate) fn role(&self, index: usize) -> Role {
        // `grep -e PATTERN` and `sed -e SCRIPT`: the first word is then a file already.
        let first = self.entry.args.first().copied();
        let given = self.flags.iter().any(|given| match given.flag.value {
            Takes::Value(role) => {
                matches!(role, Role::Code | Role::Pattern) && Some(role) == first
                    || given.flag.names.iter().any(|name| name == "-f") && first == Some(Role::Code)
            }
            Takes::Nothing | Takes::Optional(_) => false,
        });
        let shift = usize::from(given);
        let role = self.entry.role(index + shift, self.words.len() + shift);
        if role == Role::Code {
            return role;
        }
        self.flags.iter().find_map(|given| given.flag.args).unwrap_or(role)
    }
}

/// `args` are the words after the program's name.
pub(crate) fn parse<'k, 'a>(entry: &'k Entry, args: &'a [Arg]) -> Parsed<'k, 'a> {
    let mut parsed = Parsed {
        top: entry,
        entry,
        subs: Vec::new(),
        flags: Vec::new(),
        given: Vec::new(),
        words: Vec::new(),
        doubtful: Vec::new(),
        strange_sub: None,
        inner: Vec::new(),
        ended: false,
        all: args,
    };
    let is_script = matches!(entry.rules, Some(Rules::Shell | Rules::Python | Rules::Script));
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        index += 1;
        let is_flag =
            !parsed.ended && arg.known().is_some_and(|text| text.starts_with('-') && text.len() > 1);
        // `chmod -x file`: a mode, no option.
        let is_flag = is_flag
            && !(entry.rules == Some(Rules::Ownership)
                && arg
                    .known()
                    .is_some_and(|text| text.trim_start_matches('-').chars().all(|c| "rwxXst".contains(c))));
        // What follows an image or a container is for the program in it.
        let is_flag = is_flag && (parsed.words.is_empty() || parsed.entry.rules != Some(Rules::Container));
        let bundled = entry.rules == Some(Rules::Tar) && index == 1 && arg.known().is_some_and(is_bundle);
        if is_flag || bundled {
            let text = arg.known().unwrap_or_default();
            if text == "--" {
                parsed.ended = true;
                continue;
            }
            parsed.given.push(arg);
            index += flag(&mut parsed, entry, arg, text, args.get(index));
            let last = parsed.flags.last().map(|given| given.flag);
            if entry.rules == Some(Rules::Find) && text.contains("-exec") | text.contains("-ok") {
                let rest = args.get(index..).unwrap_or_default();
                let end =
                    rest.iter().position(|arg| matches!(arg.known(), Some(";" | "+"))).unwrap_or(rest.len());
                parsed.inner.push(rest.get(..end).unwrap_or_default());
                index += end + 1;
            } else if entry.rules == Some(Rules::Each)
                && last.is_some_and(|flag| flag.names.iter().any(|name| matches!(name.as_str(), "-x" | "-X")))
            {
                let rest = args.get(index..).unwrap_or_default();
                let end = rest.iter().position(|arg| arg.known() == Some(";")).unwrap_or(rest.len());
                parsed.inner.push(rest.get(..end).unwrap_or_default());
                index += end + 1;
            } else if is_script && last.is_some_and(|flag| ends_options(flag, entry)) {
                parsed.inner.push(args.get(index..).unwrap_or_default());
                return parsed;
            }
            continue;
        }
        if !parsed.ended && arg.known().is_none() {
            half_known(&mut parsed, entry, arg);
            if arg.may_be_flag() {
                parsed.doubtful.push(arg);
            }
        }
        if entry.wraps.is_some_and(|wrapper| wrapper.assignments) && is_assignment(arg) {
            parsed.words.push(arg);
            continue;
        }
        if let Some(skip) = parsed.entry.wraps.map(|wrapper| wrapper.skip)
            && parsed.words.iter().filter(|word| !is_assignment(word)).count() >= skip
        {
            parsed.inner.push(args.get(index - 1..).unwrap_or_default());
            return parsed;
        }
        if parsed.words.is_empty() && parsed.strange_sub.is_none() && !parsed.entry.sub.is_empty() {
            match arg.known().and_then(|name| parsed.entry.sub_command(name)) {
                Some(sub) => {
                    parsed.entry = sub;
                    parsed.subs.push(arg);
                    continue;
                }
                None => parsed.strange_sub = Some(arg),
            }
        }
        if entry.rules == Some(Rules::Find) && matches!(arg.known(), Some("(" | ")" | "!" | ",")) {
            parsed.given.push(arg);
            continue;
        }
        parsed.words.push(arg);
        // `awk PROGRAM -- …`: its options stand before the program.
        parsed.ended |= entry.rules == Some(Rules::Awk);
        if is_script && !(entry.rules == Some(Rules::Shell) && parsed.has("-c") && parsed.words.len() < 2) {
            parsed.inner.push(args.get(index..).unwrap_or_default());
            return parsed;
        }
    }
    parsed
}

/// `--to-command="$x"`: what follows is not known, but that it runs is.
fn half_known<'k>(parsed: &mut Parsed<'k, '_>, top: &'k Entry, arg: &Arg) {
    let (Text::Unknown { prefix: text, .. } | Text::Glob { pattern: text, .. }) = &arg.text else { return };
    let Some((name, start)) = text.split_once('=').filter(|(name, _)| name.starts_with("--")) else { return };
    let Some(flag) = parsed.entry.flags.get(name).or_else(|| top.flags.get(name)) else { return };
    let runs = matches!(
        flag.value,
        Takes::Value(Role::Command | Role::Code | Role::Script)
            | Takes::Optional(Role::Command | Role::Code | Role::Script)
    );
    if runs || flag.risk >= Some(Risk::Dangerous) {
        let value = Arg { text: Text::Unknown { prefix: start.to_owned(), split: false }, span: arg.span };
        let first = parsed.subs.is_empty();
        let at = parsed.number_of(arg).unwrap_or(usize::MAX);
        parsed.flags.push(Given { flag, value: Some(value), span: arg.span, first, at });
    }
}

/// The word behind the first option of one of these names, whatever is known of the program.
pub(super) fn behind<'a>(args: &'a [Arg], names: &[&str]) -> Option<&'a Arg> {
    let at = args.iter().position(|arg| arg.known().is_some_and(|text| names.contains(&text)))?;
    args.get(at + 1)
}

/// Written as an option.
pub(super) fn is_dashed(arg: &Arg) -> bool {
    arg.known().is_some_and(|text| text.starts_with('-'))
}

/// Programs whose first word names another program, which they fetch when it is missing.
pub(super) const FETCHERS: [&str; 4] = ["npx", "bunx", "pnpx", "uvx"];

/// `git commit --help`, `uv add --help`, `tsc --version`: nothing is done but to show a text.
pub(super) fn asks_how_it_is_used(entry: &Entry, name: &str, args: &[Arg]) -> bool {
    let Some((last, before)) = args.split_last() else { return false };
    if args.len() == 2 && before.iter().all(|arg| arg.known() == Some("--version")) {
        // `rustc --version --verbose`
        return last.known() == Some("--verbose") && entry.wraps.is_none();
    }
    if matches!(entry.rules, Some(Rules::Source | Rules::Trap)) {
        return false;
    }
    match last.known() {
        Some("--version") => before.is_empty(),
        Some("-v") => before.is_empty() && !entry.sub.is_empty() && entry.wraps.is_none(),
        Some("-h" | "-V" | "-help" | "-version") => {
            let changes_machine = entry.does(Deed::System) || entry.wraps.is_some();
            before.is_empty() && !changes_machine && entry.rules != Some(Rules::Shell)
        }
        Some("--help") if entry.sub.is_empty() => {
            let task = |word: &str| {
                !matches!(word, "run" | "exec" | "x" | "tool" | "shell")
                    && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                    && !word.starts_with('-')
            };
            let named = entry.verbs.is_some() && before.len() <= 2 && !FETCHERS.contains(&name);
            before.is_empty() || named && before.iter().all(|word| word.known().is_some_and(task))
        }
        Some("--help") => {
            let sub = |word: &Arg| word.known().is_some_and(|name| entry.sub_command(name).is_some());
            before.len() <= 1 && before.iter().all(sub)
        }
        Some(_) | None => false,
    }
}

pub(crate) fn is_assignment(arg: &Arg) -> bool {
    let text = match &arg.text {
        Text::Known { text, .. } => text,
        Text::Glob { pattern, .. } => pattern,
        Text::Unknown { prefix, .. } => prefix,
    };
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.strip_suffix("%%").unwrap_or(name).chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

fn is_bundle(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphabetic()) && text.contains(['x', 'c', 't', 'r', 'u'])
}

fn ends_options(flag: &Flag, entry: &Entry) -> bool {
    let names = |name: &str| flag.names.iter().any(|own| own == name);
    match entry.rules {
        Some(Rules::Python) => names("-c") || names("-m"),
        Some(Rules::Script) => names("-e") && flag.value != Takes::Nothing,
        _ => false,
    }
}

/// Notes the flags in one argument; says how many further arguments their values take (0 or 1).
fn flag<'k, 'a>(
    parsed: &mut Parsed<'k, 'a>,
    top: &'k Entry,
    arg: &'a Arg,
    text: &str,
    next: Option<&'a Arg>,
) -> usize {
    // `git -c` and `git switch -c` are two things; `npm --prefix` stays the same after `install`.
    let goes_on = parsed.subs.is_empty() || !top.flags_first;
    let (entry, first) = (parsed.entry, parsed.subs.is_empty());
    let at = parsed.number_of(arg).unwrap_or(usize::MAX);
    let find =
        |name: &str| entry.flags.get(name).or_else(|| if goes_on { top.flags.get(name) } else { None });
    let (name, attached) = match text.split_once('=') {
        Some((name, value)) if name.starts_with('-') => (name, Some(value)),
        Some(_) | None => (text, None),
    };
    let mut known = find(name);
    if known.is_none() && name.starts_with("--") {
        let of_top = top.flags.abbreviated(name).filter(|_| goes_on);
        let mut possible = entry.flags.abbreviated(name).chain(of_top);
        known = possible.next();
        // Of several that it may stand for, the worst counts.
        known = possible.fold(
            known,
            |worst, flag| if worst.and_then(|w| w.risk) < flag.risk { Some(flag) } else { worst },
        );
    }
    if let Some(flag) = known {
        let takes_next = matches!(flag.value, Takes::Value(_)) && attached.is_none();
        let value = match attached {
            Some(value) => Some(arg.with(value.to_owned())),
            None if takes_next => next.cloned(),
            None => None,
        };
        let apart = takes_next && next.is_some();
        let end = if apart { next.map_or(arg.span.end, |next| next.span.end) } else { arg.span.end };
        parsed.flags.push(Given { flag, value, span: Span { start: arg.span.start, end }, first, at });
        return usize::from(apart);
    }
    if text.starts_with("--") || top.rules == Some(Rules::Find) {
        parsed.doubtful.push(arg);
        return 0;
    }
    let letters = text.trim_start_matches('-');
    if let Some(flag) = find("-NUM").filter(|_| letters.chars().all(|c| c.is_ascii_digit())) {
        parsed.flags.push(Given { flag, value: None, span: arg.span, first, at });
        return 0;
    }
    // `zip -TT'rm x'`: an option of two letters with its value attached.
    if let Some((two, value)) = letters.split_at_checked(2)
        && let Some(flag) = find(&format!("-{two}")).filter(|flag| matches!(flag.value, Takes::Value(_)))
    {
        let value = Some(arg.with(value.to_owned()));
        parsed.flags.push(Given { flag, value, span: arg.span, first, at });
        return 0;
    }
    for (index, letter) in letters.char_indices() {
        let Some(flag) = find(&format!("-{letter}")) else {
            parsed.doubtful.push(arg);
            continue;
        };
        let rest = letters.get(index + letter.len_utf8()..).unwrap_or_default();
        match flag.value {
            Takes::Nothing => parsed.flags.push(Given { flag, value: None, span: arg.span, first, at }),
            Takes::Optional(_) | Takes::Value(_) if !rest.is_empty() && !is_bundle_flag(top, text) => {
                let value = Some(arg.with(rest.to_owned()));
                parsed.flags.push(Given { flag, value, span: arg.span, first, at });
                return 0;
            }
            Takes::Optional(_) => parsed.flags.push(Given { flag, value: None, span: arg.span, first, at }),
            Takes::Value(_) => {
                let end = next.map_or(arg.span.end, |next| next.span.end);
                let span = Span { start: arg.span.start, end };
                parsed.flags.push(Given { flag, value: next.cloned(), span, first, at });
                if rest.is_empty() {
                    return usize::from(next.is_some());
                }
            }
        }
    }
    0
}

/// `tar xfz a.tgz`: without a dash, letters after one that takes a value are flags all the same.
fn is_bundle_flag(top: &Entry, text: &str) -> bool {
    top.rules == Some(Rules::Tar) && !text.starts_with('-')
}
