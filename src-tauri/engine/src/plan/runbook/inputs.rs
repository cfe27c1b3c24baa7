//! What the steps of a page leave to the reader: each placeholder once, in the order of the steps, with a shell variable in its
//! place. A step whose placeholder stands where no variable can is left as it is, for a person to write in.

use planwright_page::FrontMatter;

use super::filled::{Filled, fill};
use crate::plan::inputs::{RawInput, declared};
use crate::plan::page::{command_words, placeholder};
use crate::protocol::{Action, EngineError, InputValue, PlanInput, Step};

/// Puts variables in the place of the placeholders, and returns what has to be asked for: what the page declares, then what it
/// leaves open besides.
pub(in crate::plan) fn take_inputs<'s>(
    steps: impl Iterator<Item = &'s mut Step>,
    declared: Vec<PlanInput>,
    replaced: &[String],
) -> Vec<PlanInput> {
    let mut found = declared;
    let mut named_here: Vec<String> = Vec::new();
    // Words to a person are no place for a variable.
    let steps: Vec<&mut Step> = steps.filter(|step| !step.action.is_manual()).collect();
    // What the page calls its own new thing does as it stands, also where others are told that they may call it otherwise.
    let is_somebody_elses = |token: &&String| !steps.iter().any(|step| names(step.action.command(), token));
    let replaced: Vec<String> = replaced.iter().filter(is_somebody_elses).cloned().collect();
    for step in steps {
        let named: Vec<&str> = found.iter().map(|input| input.name.as_str()).collect();
        let Filled { command, blanks, left } = fill(step.action.command(), &named, &replaced);
        named_here.extend(
            blanks
                .iter()
                .filter(|blank| names(step.action.command(), &blank.token))
                .map(|blank| blank.name.clone()),
        );
        if !blanks.is_empty() {
            step.action = Action::shell(command);
        }
        let all =
            blanks.into_iter().map(|blank| (blank, false)).chain(left.into_iter().map(|blank| (blank, true)));
        for (blank, by_hand) in all {
            match found.iter_mut().find(|known| known.name == blank.name) {
                Some(known) => {
                    known.by_hand |= by_hand;
                    if known.token.is_empty() {
                        known.token = blank.token;
                    }
                }
                None => {
                    // A value that stands in a secret's place says nothing of what it is.
                    let is_value = blank.name != placeholder::variable(&blank.token);
                    let called = if is_value { &blank.name } else { &blank.token };
                    let label = placeholder::label(called);
                    found.push(PlanInput {
                        name: blank.name,
                        label,
                        token: blank.token,
                        kind: blank.kind,
                        required: true,
                        by_hand,
                        choices: Vec::new(),
                        suggestions: Vec::new(),
                        value: None,
                    });
                }
            }
        }
    }
    for input in found.iter_mut().filter(|input| input.value.is_none() && named_here.contains(&input.name)) {
        input.value = Some(InputValue::Plain { text: input.token.clone() });
    }
    found
}

/// Whether a command gives something new this name (`mkdir my-app`, `cargo new my-app`): what the page calls its own thing is a
/// good name for it, too, and whoever wants another one says so.
fn names(command: &str, token: &str) -> bool {
    const MAKES: [&str; 7] = ["create", "init", "new", "startproject", "startapp", "generate", "venv"];
    let is_plain = token.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    is_plain
        && command.lines().flat_map(|line| line.split("&&")).any(|line| {
            let words = command_words(line);
            let makes = words.first() == Some(&"mkdir")
                || words.iter().take(4).any(|word| MAKES.contains(word) || word.starts_with("create-"));
            makes && words.iter().skip(1).any(|word| word.trim_start_matches("./") == token)
        })
}

/// What the front matter declares under `inputs`: a list of tables, or of names.
pub(super) fn declared_in(matter: &FrontMatter) -> Result<Vec<PlanInput>, EngineError> {
    let mut raw: Vec<RawInput> = Vec::new();
    for number in 0.. {
        let start = format!("inputs.{number}");
        let get = |key: &str| matter.get(&format!("{start}.{key}")).map(str::to_owned);
        let Some(name) = get("name").or_else(|| matter.get(&start).map(str::to_owned)) else { break };
        let listed = matter.values.iter().filter(|(key, _)| {
            key.strip_prefix(&start).and_then(|rest| rest.strip_prefix(".choices.")).is_some()
        });
        let mut choices: Vec<String> = listed.map(|(_, value)| value.clone()).collect();
        if let Some(inline) = get("choices") {
            let inside = inline.trim_matches(['[', ']']);
            choices.extend(inside.split(',').map(|one| one.trim().trim_matches(['"', '\'']).to_owned()));
        }
        raw.push(RawInput {
            name,
            label: get("label"),
            kind: get("kind"),
            default: get("default").map(|text| match text.as_str() {
                "true" => "yes".to_owned(),
                "false" => "no".to_owned(),
                _ => text,
            }),
            choices,
            required: get("required").map(|text| !matches!(text.as_str(), "false" | "no")),
            ..RawInput::default()
        });
    }
    declared(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::step_of;

    #[test]
    fn what_a_page_calls_its_own_thing_is_its_value_unless_another_is_given() {
        for (command, named) in [
            ("mkdir my-app && cd my-app", true),
            ("npm create vite@latest my-app -- --template vanilla", true),
            ("npx create-react-app my-app", true),
            ("cargo new my-app", true),
            ("cd my-app", false),
            ("ssh my-server", false),
            ("mkdir <your-app>", false),
        ] {
            let mut step = step_of("s1", 0, command);
            let inputs = take_inputs(std::iter::once(&mut step), Vec::new(), &[]);
            assert_eq!(inputs.len(), 1, "{command}: {inputs:?}");
            let value = InputValue::Plain { text: inputs[0].token.clone() };
            assert_eq!(inputs[0].value, named.then_some(value), "{command}");
        }
    }
}
