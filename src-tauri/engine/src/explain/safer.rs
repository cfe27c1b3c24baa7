//! Safer ways to the same end, from a table of when there is one.

use planwright_shell::{Facts, SimpleCommand};

use super::level::Level;
use super::sort::{Sorted, sort};
use super::{Scene, template};
use crate::knowledge::{Safer, safer_ways};
use crate::protocol::SaferWay;
use crate::risk::Arg;

pub(super) fn of(scene: &Scene<'_>, facts: &Facts) -> Vec<SaferWay> {
    let mut ways: Vec<SaferWay> = Vec::new();
    for simple in &facts.commands {
        let next = facts.commands.iter().find(|other| {
            simple.context.piped_into
                && other.context.pipeline == simple.context.pipeline
                && other.context.stage == simple.context.stage + 1
        });
        for way in of_one(scene, &scene.args(simple), next, "", 0) {
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways
}

fn of_one(
    scene: &Scene<'_>,
    args: &[Arg],
    next: Option<&SimpleCommand>,
    before: &str,
    depth: u8,
) -> Vec<SaferWay> {
    let Some((program, rest)) = args.split_first() else { return Vec::new() };
    let Some(name) = program.known().and_then(|name| name.rsplit('/').next()) else { return Vec::new() };
    let sorted = sort(Level::of_program(name, scene.manuals), program, rest, scene.manuals);
    let mut path = vec![name];
    path.extend(sorted.subs.iter().filter_map(|sub| sub.known()));
    let path = path.join(" ");
    let into = next.and_then(|next| named(scene, &scene.args(next), 0));
    let fitting = safer_ways().iter().filter(|rule| fits(rule, &path, &sorted, into.as_deref()));
    let mut ways: Vec<SaferWay> = fitting
        .map(|rule| SaferWay {
            why: rule.why.clone(),
            command: rule
                .instead
                .as_deref()
                .and_then(|instead| template::command(instead, scene, &sorted))
                .map(|command| format!("{before}{command}")),
        })
        .collect();
    if depth < 8 {
        let before = if matches!(name, "sudo" | "doas") { format!("{name} ") } else { before.to_owned() };
        // Within `find -exec` the words are only known when it runs.
        let open = matches!(name, "find" | "xargs" | "fd" | "parallel");
        ways.extend(
            sorted
                .inner
                .iter()
                .flat_map(|inner| of_one(scene, inner, next, &before, depth + 1))
                .map(|way| if open { SaferWay { command: None, ..way } } else { way }),
        );
    }
    ways
}

/// The name of the program that wrapped ones lead to.
fn named(scene: &Scene<'_>, args: &[Arg], depth: u8) -> Option<String> {
    let (program, rest) = args.split_first()?;
    let name = program.known()?.rsplit('/').next()?;
    let sorted = sort(Level::of_program(name, scene.manuals), program, rest, scene.manuals);
    match sorted.inner.first() {
        Some(inner) if depth < 8 && name != "xargs" => named(scene, inner, depth + 1),
        Some(_) | None => Some(name.to_owned()),
    }
}

fn fits(rule: &Safer, path: &str, sorted: &Sorted<'_>, into: Option<&str>) -> bool {
    let has = |name: &String| name.split('|').any(|name| sorted.has_any_name(name));
    let with = |name: &String| {
        name.split('|').any(|name| sorted.has_any_name(name) && (!rule.bare || sorted.is_bare(name)))
    };
    let word = |pattern: &String| {
        let own = |text: &str| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
            (Some(end), _) => text.ends_with(end),
            (_, Some(start)) => text.starts_with(start),
            (None, None) => text == pattern,
        };
        sorted.operands.iter().any(|arg| own(arg.sure()))
            || sorted.flags.iter().any(|given| given.value.as_ref().is_some_and(|value| own(value.sure())))
    };
    rule.of.iter().any(|of| of == path)
        && rule.with.iter().all(with)
        && !rule.without.iter().any(has)
        && (rule.words.is_empty() || rule.words.iter().any(word))
        && (rule.into.is_empty() || into.is_some_and(|into| rule.into.iter().any(|own| own == into)))
}
