//! A pipeline as a flow: what each command of it does with the output of the one before.

use planwright_shell::{Facts, SimpleCommand};

use super::Scene;
use super::kinds::shortened;
use super::level::{Level, Told};
use super::sort::sort;
use crate::protocol::MeaningSource;
use crate::risk::Arg;

/// One sentence a command, for every pipeline of two or more.
pub(super) fn of(scene: &Scene<'_>, facts: &Facts) -> Vec<String> {
    let flows = facts.commands.iter().filter(|simple| simple.context.piped_into || simple.context.piped_from);
    flows.map(|simple| sentence(scene, simple, before(facts, simple))).collect()
}

/// The command whose output it takes.
fn before<'f>(facts: &'f Facts, simple: &SimpleCommand) -> Option<&'f SimpleCommand> {
    let stage = simple.context.stage.checked_sub(1).filter(|_| simple.context.piped_from)?;
    let same = |other: &&SimpleCommand| {
        other.context.pipeline == simple.context.pipeline && other.context.stage == stage
    };
    facts.commands.iter().rfind(same)
}

fn sentence(scene: &Scene<'_>, simple: &SimpleCommand, before: Option<&SimpleCommand>) -> String {
    let own = shortened(scene.source.slice(simple.span));
    let takes =
        before.map(|before| format!("takes the output of `{}`", shortened(scene.source.slice(before.span))));
    let does = innermost(scene, &scene.args(simple), 0);
    match (takes, does) {
        (Some(takes), Some(does)) if does.source == MeaningSource::Tables => {
            format!("`{own}` {takes} and {}", does.text)
        }
        (Some(takes), Some(does)) => format!("`{own}` {takes}: {}", does.text),
        (Some(takes), None) => format!("`{own}` {takes}; what it does is not known here"),
        (None, Some(does)) => format!("`{own}`: {}", does.text),
        (None, None) => format!("`{own}`: what it does is not known here"),
    }
}

/// What the program does that wrapped ones lead to: `sudo tee`.
fn innermost(scene: &Scene<'_>, args: &[Arg], depth: u8) -> Option<Told> {
    let (program, rest) = args.split_first()?;
    let name = program.known()?.rsplit('/').next()?;
    let sorted = sort(Level::of_program(name, scene.manuals), program, rest, scene.manuals);
    match sorted.inner.first() {
        Some(inner) if depth < 8 && name != "find" && name != "xargs" => innermost(scene, inner, depth + 1),
        Some(_) | None => sorted.levels.iter().rev().find_map(Level::summary),
    }
}
