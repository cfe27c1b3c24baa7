//! Sorts a program's words into sub-commands, options with their values, and operands, by all that is known of it. Verdicts have a
//! sorting of their own, which is stricter; this one only explains.

use planwright_shell::Span;

use super::level::{FlagFound, Level};
use crate::knowledge::Value;
use crate::manual::Manuals;
use crate::risk::Arg;

/// An option as it stands, with its value.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) found: FlagFound,
    pub(super) value: Option<Arg>,
    pub(super) span: Span,
}

#[derive(Debug, Default)]
pub(super) struct Sorted<'a> {
    /// The program, and its sub-commands inwards.
    pub(super) levels: Vec<Level>,
    pub(super) program: Option<&'a Arg>,
    /// The words that name the sub-commands.
    pub(super) subs: Vec<&'a Arg>,
    pub(super) flags: Vec<Given>,
    pub(super) operands: Vec<&'a Arg>,
    /// `NAME=value` before a wrapped command.
    pub(super) assignments: Vec<&'a Arg>,
    /// Options that nothing is known of.
    pub(super) strange: Vec<&'a Arg>,
    /// `--`
    pub(super) end: Option<&'a Arg>,
    /// Other commands in its words.
    pub(super) inner: Vec<&'a [Arg]>,
    /// A module with what follows.
    pub(super) module: Option<&'a [Arg]>,
    /// `;` and `+` behind a command in its words.
    pub(super) ends: Vec<&'a Arg>,
}

impl Sorted<'_> {
    /// The innermost program or sub-command.
    pub(super) fn level(&self) -> Option<&Level> {
        self.levels.last()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.iter().any(|given| given.name == name)
    }

    /// Whether an option that has this name among its names is there.
    pub(super) fn has_any_name(&self, name: &str) -> bool {
        let same = |given: &Given| given.found.opt.is_some_and(|opt| opt.names.iter().any(|own| own == name));
        self.has(name) || self.flags.iter().any(same)
    }

    /// Whether the option that has this name among its names has no value.
    pub(super) fn is_bare(&self, name: &str) -> bool {
        let same = |given: &&Given| {
            given.name == name || given.found.opt.is_some_and(|opt| opt.names.iter().any(|own| own == name))
        };
        self.flags.iter().filter(same).all(|given| given.value.is_none())
    }

    /// How many of the first words options stand for.
    pub(super) fn skipped(&self) -> usize {
        usize::from(self.flags.iter().any(|given| given.found.opt.is_some_and(|opt| opt.takes_place)))
    }
}

/// `args`: the words behind the program's name, which is `program`.
pub(super) fn sort<'a>(top: Level, program: &'a Arg, args: &'a [Arg], manuals: &dyn Manuals) -> Sorted<'a> {
    let mut sorted = Sorted { levels: vec![top], program: Some(program), ..Sorted::default() };
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        let rest = args.get(index + 1..).unwrap_or_default();
        let taken = if sorted.end.is_none() && is_dashed(arg) && !sorted.hands_on() {
            dashed(&mut sorted, arg, rest)
        } else {
            match plain(&mut sorted, arg, args.get(index..).unwrap_or_default(), manuals) {
                Some(taken) => taken,
                None => return sorted,
            }
        };
        if sorted.module.is_some() {
            return sorted;
        }
        index += 1 + taken;
    }
    sorted
}

fn is_dashed(arg: &Arg) -> bool {
    arg.known().is_some_and(|text| text.len() > 1 && text.starts_with('-'))
}

impl<'a> Sorted<'a> {
    /// Every further word is handed on as it stands.
    fn hands_on(&self) -> bool {
        self.level().and_then(Level::rest).is_some_and(|rest| self.operands.len() >= rest.max(1))
    }

    /// The option of this name, of the innermost that has it.
    fn flag(&self, name: &str) -> Option<FlagFound> {
        let (last, outer) = self.levels.split_last()?;
        let outer = || outer.iter().rev().filter(|level| !level.flags_first()).find_map(|own| own.flag(name));
        last.flag(name).or_else(outer)
    }

    fn give(&mut self, name: &str, found: FlagFound, value: Option<Arg>, span: Span) {
        self.flags.push(Given { name: name.to_owned(), found, value, span });
    }

    /// An option that is written whole; says how many further words its value takes.
    fn whole(&mut self, name: &str, found: FlagFound, arg: &'a Arg, rest: &'a [Arg]) -> usize {
        match &found.value {
            Value::None | Value::Optional(_) => {
                self.give(name, found, None, arg.span);
                0
            }
            Value::Of(_) | Value::Maybe(_) => {
                let maybe = matches!(found.value, Value::Maybe(_));
                let value = rest.first().filter(|next| !(maybe && is_dashed(next))).cloned();
                let end = value.as_ref().map_or(arg.span.end, |value| value.span.end);
                let taken = usize::from(value.is_some());
                self.give(name, found, value, Span { start: arg.span.start, end });
                taken
            }
            Value::Command => {
                let end = rest.iter().position(|arg| matches!(arg.known(), Some(";" | "+")));
                self.inner.push(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default());
                self.ends.extend(end.and_then(|end| rest.get(end)));
                self.give(name, found, None, arg.span);
                end.map_or(rest.len(), |end| end + 1)
            }
            Value::Module => {
                self.module = Some(rest);
                self.give(name, found, None, arg.span);
                rest.len()
            }
        }
    }
}

/// An option, or several in one word. Says how many further words it takes.
fn dashed<'a>(sorted: &mut Sorted<'a>, arg: &'a Arg, rest: &'a [Arg]) -> usize {
    let text = arg.known().unwrap_or_default();
    if text == "--" {
        sorted.end = Some(arg);
        return 0;
    }
    // What is only known to be there is looked at again below: it may be letters that are known.
    let whole = sorted.flag(text);
    let own = whole.clone().filter(|found| found.opt.is_some());
    if let Some(found) = own {
        return sorted.whole(text, found, arg, rest);
    }
    if let Some((name, value)) = text.split_once('=')
        && let Some(found) = sorted.flag(name).or_else(|| sorted.flag(&format!("{name}=")))
    {
        sorted.give(name, found, Some(arg.with(value.to_owned())), arg.span);
        return 0;
    }
    if let Some((name, value)) = stand_in(text)
        && let Some(found) = sorted.flag(name).filter(|found| found.opt.is_some() || whole.is_none())
    {
        sorted.give(name, found, Some(arg.with(value.to_owned())), arg.span);
        return 0;
    }
    if let Some(found) = whole.clone().filter(|found| found.told.is_some()) {
        return sorted.whole(text, found, arg, rest);
    }
    let long_dash = sorted.levels.iter().any(Level::has_long_dash);
    if !text.starts_with("--")
        && !long_dash
        && let Some(taken) = letters(sorted, text.get(1..).unwrap_or_default(), arg, rest)
    {
        return taken;
    }
    match whole {
        Some(found) => sorted.whole(text, found, arg, rest),
        None => {
            sorted.strange.push(arg);
            0
        }
    }
}

/// `-5` and `-KILL` are options whose name is their value.
fn stand_in(text: &str) -> Option<(&'static str, &str)> {
    let value = text.strip_prefix('-')?;
    if value.chars().all(|c| c.is_ascii_digit()) {
        return Some(("-NUM", value));
    }
    let capitals = value.len() > 1 && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    capitals.then_some(("-NAME", value))
}

/// `-xzf a.tgz`, `-j4`: letters of which the last may take a value. `None`, and nothing done, unless all are known.
fn letters<'a>(sorted: &mut Sorted<'a>, letters: &str, arg: &'a Arg, rest: &'a [Arg]) -> Option<usize> {
    let (mut found, mut value, mut taken) = (Vec::new(), None, 0);
    let bundle = is_bundle(arg);
    for (index, letter) in letters.char_indices() {
        let name = format!("-{letter}");
        let flag = sorted.flag(&name)?;
        let behind = letters.get(index + letter.len_utf8()..).unwrap_or_default();
        let takes = matches!(flag.value, Value::Of(_))
            || matches!(flag.value, Value::Maybe(_)) && rest.first().is_some_and(|next| !is_dashed(next));
        let attached = takes || matches!(flag.value, Value::Optional(_) | Value::Maybe(_));
        found.push((name, flag));
        if attached && !behind.is_empty() && !bundle {
            value = Some((found.len() - 1, arg.with(behind.to_owned())));
            break;
        }
        if takes {
            value = rest.first().cloned().map(|value| (found.len() - 1, value));
            taken = usize::from(value.is_some());
        }
    }
    let end = value.as_ref().filter(|_| taken > 0).map_or(arg.span.end, |(_, value)| value.span.end);
    for (index, (name, flag)) in found.into_iter().enumerate() {
        let own = value.as_ref().filter(|(at, _)| *at == index).map(|(_, value)| value.clone());
        sorted.give(&name, flag, own, Span { start: arg.span.start, end });
    }
    Some(taken)
}

fn is_bundle(arg: &Arg) -> bool {
    arg.known().is_some_and(|text| !text.starts_with('-'))
}

/// A word that is no option. `None` when what follows is another command, which takes all of it.
fn plain<'a>(
    sorted: &mut Sorted<'a>,
    arg: &'a Arg,
    from_here: &'a [Arg],
    manuals: &dyn Manuals,
) -> Option<usize> {
    let level = sorted.levels.last()?;
    let rest = from_here.get(1..).unwrap_or_default();
    let text = arg.known().unwrap_or_default();
    if let Some(given) = half_known(sorted, arg) {
        sorted.flags.push(given);
        return Some(0);
    }
    let first = sorted.operands.is_empty() && sorted.subs.is_empty();
    if first && sorted.flags.is_empty() && level.takes_bundle() && sorted.is_bundle_of_letters(text) {
        return letters(sorted, text, arg, rest);
    }
    if level.takes_assignments() && is_assignment(arg) && sorted.operands.is_empty() {
        sorted.assignments.push(arg);
        return Some(0);
    }
    // `ssh host 'cd x && ls'` is one text, and a program's name has no dash at its beginning.
    let one_text = text.contains(char::is_whitespace) && rest.is_empty() || text.starts_with('-');
    if level.inner().is_some_and(|skip| sorted.operands.len() >= skip) && !one_text {
        sorted.inner.push(from_here);
        return None;
    }
    if sorted.operands.is_empty()
        && let Some(sub) = level.sub(text, manuals)
    {
        sorted.levels.push(sub);
        sorted.subs.push(arg);
        return Some(0);
    }
    if !sorted.hands_on()
        && let Some(taken) = keyword(sorted, text, arg, rest)
    {
        return Some(taken);
    }
    sorted.operands.push(arg);
    Some(0)
}

impl Sorted<'_> {
    fn is_bundle_of_letters(&self, text: &str) -> bool {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() && self.flag(&format!("-{c}")).is_some())
    }
}

/// `-j$(nproc)`, `--jobs=$N`: an option that is known, with a value that is not.
fn half_known(sorted: &Sorted<'_>, arg: &Arg) -> Option<Given> {
    let start =
        Some(arg.sure()).filter(|start| arg.is_unknown() && start.len() > 1 && start.starts_with('-'))?;
    if sorted.end.is_some() || sorted.hands_on() {
        return None;
    }
    let name = match start.split_once('=') {
        Some((name, _)) => name,
        None if start.starts_with("--") => return None,
        None => start.get(..2)?,
    };
    let found = sorted.flag(name).filter(|found| found.value != Value::None)?;
    Some(Given { name: name.to_owned(), found, value: Some(arg.clone()), span: arg.span })
}

/// `from 10.0.0.1` and `if=disk.img`: words that act as options.
fn keyword<'a>(sorted: &mut Sorted<'a>, text: &str, arg: &'a Arg, rest: &'a [Arg]) -> Option<usize> {
    let level = sorted.levels.last()?;
    let found = |opt: &'static crate::knowledge::Opt| FlagFound {
        told: Some(super::level::Told::table(opt.says.clone())),
        value: opt.value.clone(),
        opt: Some(opt),
        names_value: true,
    };
    if let Some(opt) = level.keyword(text).filter(|_| !text.is_empty()) {
        return Some(sorted.whole(text, found(opt), arg, rest));
    }
    let (name, value) = text.split_once('=')?;
    let name = format!("{name}=");
    let opt = level.keyword(&name)?;
    sorted.give(&name, found(opt), Some(arg.with(value.to_owned())), arg.span);
    Some(0)
}

/// `NAME=value` before a command.
fn is_assignment(arg: &Arg) -> bool {
    arg.sure().split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
