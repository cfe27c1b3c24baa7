//! What a plan asks of its user: which of it is used, what has no value yet, and the shell that its commands find the values in.
//! A value is only ever a shell variable, so it can never become syntax; a secret one is a reference here, and whoever runs
//! the command puts the secret in its place.

use serde::{Deserialize, Deserializer};

use super::page::placeholder;
use super::validate::invalid;
use crate::protocol::{EngineError, InputKind, InputValue, Plan, PlanInput, ShellState};
use crate::redact::HIDDEN;

/// How many suggestions a machine makes for one input.
const MOST_SUGGESTIONS: usize = 3;

/// What the machine has to offer.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    pub user: String,
    pub host: String,
    pub folder: String,
    pub free_port: Option<u16>,
}

/// What the steps of the plan need of the user: the inputs of what is left out are not asked for, nor what a step sets itself.
pub fn asked(plan: &Plan) -> Vec<&PlanInput> {
    plan.inputs
        .iter()
        .filter(|input| stands(plan, input) || is_used(plan, &input.name) && !is_set(plan, &input.name))
        .collect()
}

/// What has to have a value and has none.
pub fn missing(plan: &Plan) -> Vec<&PlanInput> {
    asked(plan)
        .into_iter()
        .filter(|input| stands(plan, input) || input.required && input.value.is_none())
        .collect()
}

/// Whether the step's command has the input's variable.
pub fn uses(command: &str, name: &str) -> bool {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    command.match_indices('$').any(|(at, _)| {
        let rest = &command[at + 1..];
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        rest.strip_prefix(name).is_some_and(|behind| !behind.starts_with(is_of_name))
    })
}

/// The shell with the values of the plan's inputs as variables. What a step has set already stays.
pub fn shell_with_inputs(shell: &ShellState, plan: &Plan) -> ShellState {
    let mut shell = shell.clone();
    for input in asked(plan).into_iter().filter(|input| !input.by_hand || is_used(plan, &input.name)) {
        let value = match &input.value {
            Some(InputValue::Plain { text }) => text.clone(),
            Some(InputValue::Secret) => reference(&input.name),
            // What may stay empty is empty, and not unset: a command may be strict about that.
            None if !input.required => String::new(),
            None => continue,
        };
        let is_there = shell.environment.get(&input.name).is_some_and(Option::is_some);
        if !is_there {
            shell.variables.entry(input.name.clone()).or_insert_with(|| declaration(&input.name, &value));
        }
    }
    shell
}

/// What stands for a secret value wherever it is not needed itself.
pub fn reference(name: &str) -> String {
    format!("{REFERENCE}{name}]")
}

/// Whether a text has something in the place of a secret.
pub fn has_reference(text: &str) -> bool {
    text.contains(REFERENCE)
}

const REFERENCE: &str = "[secret ";

/// The statement that makes the variable again, as bash itself writes it.
pub fn declaration(name: &str, value: &str) -> String {
    format!("declare -- {name}=\"{}\"", escaped(value))
}

/// For the inside of double quotes.
pub fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        if matches!(letter, '\\' | '"' | '$' | '`') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// Whether a value can be one of this input; the fault is for people.
pub fn check(input: &PlanInput, value: &str) -> Result<(), String> {
    let is_fit = match input.kind {
        InputKind::Text | InputKind::Secret | InputKind::Path => true,
        InputKind::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
        InputKind::Choice => input.choices.iter().any(|choice| choice == value),
        InputKind::YesNo => matches!(value, "yes" | "no"),
    };
    if value.contains('\0') {
        return Err("No value may have a zero byte in it.".to_owned());
    }
    if is_fit {
        return Ok(());
    }
    Err(match input.kind {
        InputKind::Text | InputKind::Secret | InputKind::Path => "It cannot be used.".to_owned(),
        InputKind::Number => "It has to be a number.".to_owned(),
        InputKind::Choice => format!("It has to be one of {}.", input.choices.join(", ")),
        InputKind::YesNo => "It has to be yes or no.".to_owned(),
    })
}

/// Fills in what the machine offers, and takes the values that the environment has already. `environment` gives a variable's value.
pub fn offer(inputs: &mut [PlanInput], offers: &Offers, environment: impl Fn(&str) -> Option<String>) {
    for input in inputs {
        input.suggestions = suggestions(input, offers);
        if input.value.is_none()
            && let Some(text) = environment(&input.name).filter(|text| check(input, text).is_ok())
        {
            input.value = Some(match input.kind {
                InputKind::Secret => InputValue::Secret,
                _ => InputValue::Plain { text },
            });
        }
    }
}

fn suggestions(input: &PlanInput, offers: &Offers) -> Vec<String> {
    let words = format!("{} {}", input.name, input.label).to_lowercase();
    let says = |all: &[&str]| all.iter().any(|word| words.contains(word));
    let port = offers.free_port.map(|port| port.to_string());
    let offered = match input.kind {
        InputKind::Secret | InputKind::Choice | InputKind::YesNo => Vec::new(),
        InputKind::Path => vec![Some(offers.folder.clone()).filter(|_| !says(&["file"]))],
        InputKind::Number => vec![port.filter(|_| says(&["port"]))],
        InputKind::Text if says(&["port"]) => vec![port],
        InputKind::Text if says(&["user", "login", "owner"]) => vec![Some(offers.user.clone())],
        InputKind::Text if says(&["host", "server", "machine", "domain"]) => vec![Some(offers.host.clone())],
        InputKind::Text if says(&["folder", "directory", "path"]) => vec![Some(offers.folder.clone())],
        InputKind::Text => Vec::new(),
    };
    offered.into_iter().flatten().filter(|text| !text.is_empty()).take(MOST_SUGGESTIONS).collect()
}

/// It has to be written in by hand and has not been.
pub fn stands(plan: &Plan, input: &PlanInput) -> bool {
    input.by_hand
        && plan
            .steps
            .iter()
            .any(|step| !step.action.is_manual() && step.action.command().contains(&input.token))
}

fn is_used(plan: &Plan, name: &str) -> bool {
    plan.steps.iter().any(|step| {
        uses(step.action.command(), name) || step.verify.as_deref().is_some_and(|check| uses(check, name))
    })
}

fn is_set(plan: &Plan, name: &str) -> bool {
    let (plain, exported) = (format!("{name}="), format!("export {name}="));
    let mut lines = plan.steps.iter().flat_map(|step| step.action.command().lines());
    // `NAME="${NAME}"` hands on what is asked for.
    lines.any(|line| (line.starts_with(&plain) || line.starts_with(&exported)) && !uses(line, name))
}

/// An input as a page or a plan declares it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RawInput {
    pub name: String,
    pub label: Option<String>,
    pub kind: Option<String>,
    #[serde(deserialize_with = "scalar")]
    pub default: Option<String>,
    pub choices: Vec<String>,
    pub required: Option<bool>,
    /// As an exported plan has it.
    pub token: String,
    pub by_hand: bool,
    pub value: Option<InputValue>,
}

impl RawInput {
    pub fn into_input(self) -> Result<PlanInput, EngineError> {
        let name = self.name.trim();
        let is_name = |text: &str| {
            !text.is_empty()
                && !text.starts_with(|letter: char| letter.is_ascii_digit())
                && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let name = if is_name(name) { name.to_owned() } else { placeholder::variable(name) };
        if self.name.trim().is_empty() || !is_name(&name) || is_of_the_shell(&name) {
            return Err(invalid(format!(
                "The input \"{}\" cannot have this name. Use letters, digits and _, and no name that the shell has itself.",
                self.name
            )));
        }
        let choices = self.choices;
        let kind = match self.kind.as_deref().map(str::to_lowercase).as_deref() {
            None if !choices.is_empty() => InputKind::Choice,
            None => placeholder::kind_of(&name),
            Some("text" | "string") => InputKind::Text,
            Some("secret" | "password") => InputKind::Secret,
            Some("path" | "file" | "folder") => InputKind::Path,
            Some("number" | "port") => InputKind::Number,
            Some("choice") => InputKind::Choice,
            Some("yes-no" | "bool" | "boolean") => InputKind::YesNo,
            Some(other) => {
                return Err(invalid(format!(
                    "The input {name} has the kind \"{other}\". Use text, secret, path, number, choice or yes-no."
                )));
            }
        };
        if kind == InputKind::Choice && choices.is_empty() {
            return Err(invalid(format!("The input {name} is a choice. Say of what in \"choices\".")));
        }
        let plain = match self.value {
            Some(InputValue::Plain { text }) => Some(text),
            // What was known to another run is not known to this one.
            Some(InputValue::Secret) | None => self.default,
        };
        if kind == InputKind::Secret && plain.is_some() {
            return Err(invalid(format!(
                "The input {name} is a secret and stands in no plan. Take its default out."
            )));
        }
        let mut input = PlanInput {
            label: self
                .label
                .filter(|label| !label.trim().is_empty())
                .unwrap_or_else(|| placeholder::label(&name)),
            name,
            token: self.token,
            kind,
            required: self.required.unwrap_or(true),
            by_hand: self.by_hand,
            choices,
            suggestions: Vec::new(),
            value: None,
        };
        if let Some(text) = plain.filter(|text| !text.is_empty()) {
            check(&input, &text).map_err(|fault| {
                invalid(format!("The default of the input {} does not fit. {fault}", input.name))
            })?;
            input.value = Some(InputValue::Plain { text });
        }
        Ok(input)
    }
}

/// The declared ones, each name once.
pub fn declared(raw: Vec<RawInput>) -> Result<Vec<PlanInput>, EngineError> {
    let mut inputs: Vec<PlanInput> = Vec::with_capacity(raw.len());
    for one in raw {
        let input = one.into_input()?;
        if inputs.iter().any(|known| known.name == input.name) {
            return Err(invalid(format!("The input {} is there twice. Keep one of them.", input.name)));
        }
        inputs.push(input);
    }
    Ok(inputs)
}

/// With this name what stands for an input's value would be what stands for any secret.
fn is_hidden(name: &str) -> bool {
    format!("{REFERENCE}{name}]") == HIDDEN
}

/// Variables whose value decides what the shell runs or where it looks.
const OF_THE_SHELL: [&str; 11] =
    ["PATH", "HOME", "IFS", "PWD", "OLDPWD", "SHELL", "ENV", "UID", "EUID", "PS4", "_"];
/// Beginnings of the names of others.
const OF_THE_SHELL_FROM: [&str; 4] = ["BASH", "LD_", "DYLD_", "PLANWRIGHT_"];

pub(crate) fn is_of_the_shell(name: &str) -> bool {
    OF_THE_SHELL.contains(&name)
        || is_hidden(name)
        || OF_THE_SHELL_FROM.iter().any(|start| name.starts_with(start))
}

/// The same as a pattern of the shell's `case`.
pub(super) fn names_of_the_shell() -> String {
    let names = OF_THE_SHELL.iter().map(|&name| name.to_owned());
    names.chain(OF_THE_SHELL_FROM.iter().map(|start| format!("{start}*"))).collect::<Vec<_>>().join(" | ")
}

/// A text, a number or a yes-no as text.
fn scalar<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    use serde_json::Value;
    Ok(match Value::deserialize(from)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Bool(false) => Some("no".to_owned()),
        other => Some(other.to_string()),
    })
}

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod tests;
