//! The commands that take back what this very command does. They never say more than the verdict does: where that says that
//! nothing can be taken back, there are none.

use planwright_shell::{Facts, SimpleCommand, Span};

use super::level::Level;
use super::sort::{Sorted, sort};
use super::{Scene, template};
use crate::protocol::{Risk, UndoOutlook};
use crate::risk::Arg;

/// In the order in which they are to be run. None unless every command that changes something has one.
pub(super) fn of(scene: &Scene<'_>, facts: &Facts, outlook: &UndoOutlook) -> Vec<String> {
    match outlook {
        UndoOutlook::NotNeeded | UndoOutlook::Cannot { .. } => return Vec::new(),
        // The verdict has looked up what is needed, as the commit that a deleted branch stood on.
        UndoOutlook::ByHand { how } | UndoOutlook::Partly { how } if is_measured(how) => {
            return how.split("; ").map(str::to_owned).collect();
        }
        UndoOutlook::Kept | UndoOutlook::ByHand { .. } | UndoOutlook::Partly { .. } => {}
    }
    let mut commands = Vec::new();
    for simple in facts.commands.iter().rev() {
        match taken_back(scene, simple) {
            TakenBack::By(command) => commands.push(command),
            TakenBack::NotNeeded => {}
            TakenBack::Unknown => return Vec::new(),
        }
    }
    commands
}

/// `git branch topic 1a2b3c4d5e6f`, as the verdict fills it in.
fn is_measured(how: &str) -> bool {
    how.split("; ").all(|command| {
        let mut words = command.split(' ');
        let hash = |word: &str| word.len() == 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        words.next() == Some("git") && words.next_back().is_some_and(hash)
    })
}

enum TakenBack {
    By(String),
    NotNeeded,
    Unknown,
}

fn taken_back(scene: &Scene<'_>, simple: &SimpleCommand) -> TakenBack {
    let once = !simple.context.conditional && !simple.context.in_function && simple.redirects.is_empty();
    let args = scene.args(simple);
    match args.first().and_then(Arg::known) {
        Some("cd" | "export" | "echo" | "true" | ":") if simple.redirects.is_empty() => TakenBack::NotNeeded,
        _ if once || is_chained(scene, simple) => by_program(scene, &args, "", 0),
        _ => TakenBack::Unknown,
    }
}

/// Behind `&&` it runs when what is before it worked, which is what is taken back here.
fn is_chained(scene: &Scene<'_>, simple: &SimpleCommand) -> bool {
    let before = scene.source.slice(Span { start: 0, end: simple.span.start });
    let may_not_run =
        |word: &str| matches!(word, "if" | "for" | "while" | "until" | "case" | "||" | "{" | "(");
    simple.context.conditional
        && !simple.context.in_function
        && simple.redirects.is_empty()
        && !before.split_whitespace().any(may_not_run)
}

fn by_program(scene: &Scene<'_>, args: &[Arg], before: &str, depth: u8) -> TakenBack {
    let Some((program, rest)) = args.split_first() else { return TakenBack::NotNeeded };
    let Some(name) = program.known().and_then(|name| name.rsplit('/').next()) else {
        return TakenBack::Unknown;
    };
    let sorted = sort(Level::of_program(name, scene.manuals), program, rest, scene.manuals);
    if let Some(inner) = sorted.inner.first().filter(|_| depth < 4) {
        return match name {
            "sudo" | "doas" => by_program(scene, inner, &format!("{name} "), depth + 1),
            "time" | "nice" | "nohup" | "env" => by_program(scene, inner, before, depth + 1),
            _ => TakenBack::Unknown,
        };
    }
    if let Some(undo) = template_of(&sorted) {
        let made = (!undo.is_empty()).then(|| template::command(undo, scene, &sorted)).flatten();
        return made.map_or(TakenBack::Unknown, |command| {
            TakenBack::By(format!("{before}{command}").trim().to_owned())
        });
    }
    let safe = sorted.level().and_then(Level::entry).is_some_and(|entry| entry.risk == Risk::Safe);
    if safe { TakenBack::NotNeeded } else { TakenBack::Unknown }
}

/// That of an option comes first.
fn template_of<'s>(sorted: &'s Sorted<'_>) -> Option<&'s str> {
    let option = sorted.flags.iter().find_map(|given| given.found.opt?.undo.as_deref());
    let own = || sorted.level()?.meanings().iter().find_map(|own| own.undo.as_deref());
    option.or_else(own)
}
