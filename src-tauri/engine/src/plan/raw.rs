//! A plan as people and models write it: text → [`RawPlan`] → `Plan`. Lenient about what may be left out, strict about
//! tools, ids and dependencies. What a file claims about states, risk or consent is never believed: every plan that
//! comes in is a draft at revision 1 that nobody has assessed.

use std::collections::BinaryHeap;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, de};

use super::changes::number_all;
use super::inputs::{RawInput, declared};
use super::runbook::describe;
use super::validate::{MAX_IMPORTED_STEPS, MAX_SOURCE_BYTES, find_cycle, invalid, tidy_command, validate};
use crate::protocol::{
    Action, EngineError, ErrorCode, Mode, ModelWarning, OnFailure, Plan, PlanId, PlanOrigin, PlanState,
    Readiness, ServiceSpec, Step, StepId, StepKind, StepLimits, StepOrigin, StepState,
};

/// The written form. Fields that are not known are ignored, so that an exported plan reads as well as a short one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RawPlan {
    pub title: Option<String>,
    pub intent: Option<String>,
    pub mode: Option<Mode>,
    pub on_failure: Option<OnFailure>,
    pub steps: Vec<RawStep>,
    pub inputs: Vec<RawInput>,
}

/// One written step; `command`, `manual` and `action` are three ways to say what is done.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RawStep {
    pub id: Option<String>,
    pub title: Option<String>,
    #[serde(deserialize_with = "kind")]
    pub kind: Option<StepKind>,
    pub command: Option<String>,
    /// What the user does.
    pub manual: Option<String>,
    pub action: Option<RawAction>,
    pub why: Option<String>,
    pub expected: Option<String>,
    pub verify: Option<String>,
    #[serde(deserialize_with = "one_or_many")]
    pub ok_exit: Option<Vec<i32>>,
    #[serde(deserialize_with = "one_or_many")]
    pub depends_on: Option<Vec<String>>,
    pub limits: Option<StepLimits>,
    pub service: Option<RawService>,
    pub estimate_seconds: Option<u32>,
    /// Not of the written form: whoever asked the model sets it.
    #[serde(skip)]
    pub warning: Option<ModelWarning>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct RawAction {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub tool: Option<String>,
    pub command: Option<String>,
    pub instruction: Option<String>,
}

/// `{"port": 3000}`, `{"line": "Listening"}` or `{"file": "run/app.sock"}`, with `"seconds"` where it takes long; or
/// what an exported plan says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RawService {
    pub port: Option<u16>,
    pub line: Option<String>,
    /// Set: ready when it writes its address.
    pub address: Option<bool>,
    pub file: Option<String>,
    pub ready: Option<Readiness>,
    #[serde(alias = "withinSeconds")]
    pub seconds: Option<u32>,
}

/// Reads a plan file, our own export or a short hand-written one. `name` is the file's name, for people.
pub fn from_json(text: &str, name: &str) -> Result<Plan, EngineError> {
    from_json_within(text, PlanOrigin::Json { name: name.to_owned() }, MAX_IMPORTED_STEPS)
}

/// The same for other sources: a model's plan is held to `MAX_PLAN_STEPS`.
pub fn from_json_within(text: &str, origin: PlanOrigin, max_steps: usize) -> Result<Plan, EngineError> {
    if text.len() > MAX_SOURCE_BYTES {
        return Err(too_large());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let raw: RawPlan = serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    raw.into_plan(origin, max_steps)
}

impl RawPlan {
    /// Refines into a draft. A plan that states no dependencies at all is a plain sequence; one that states some means
    /// what it states, and its steps are put in an order in which each comes after what it needs.
    pub fn into_plan(self, origin: PlanOrigin, max_steps: usize) -> Result<Plan, EngineError> {
        let states_dependencies = self.steps.iter().any(|step| step.depends_on.is_some());
        if self.steps.len() > max_steps {
            return Err(EngineError::new(
                ErrorCode::TooManySteps,
                format!(
                    "The plan has {} steps; at most {max_steps} are allowed here. Split it into several plans.",
                    self.steps.len()
                ),
            ));
        }
        let mut steps = Vec::with_capacity(self.steps.len());
        for (place, raw) in self.steps.into_iter().enumerate() {
            steps.push(Arc::new(raw.into_step(place)?));
        }
        if states_dependencies {
            sort_by_need(&mut steps);
        } else {
            chain(&mut steps);
        }
        let title = non_blank(self.title).unwrap_or_else(|| title_from(&origin));
        let plan = Plan {
            id: PlanId::new(),
            revision: 1,
            intent: non_blank(self.intent).unwrap_or_else(|| title.clone()),
            title,
            mode: self.mode.unwrap_or_default(),
            on_failure: self.on_failure.unwrap_or_default(),
            origin,
            original_steps: steps.len() as u32,
            state: PlanState::Draft,
            steps,
            page: None,
            inputs: declared(self.inputs)?,
        };
        validate(&plan, max_steps)?;
        Ok(plan)
    }
}

impl RawStep {
    fn into_step(self, place: usize) -> Result<Step, EngineError> {
        let number = place + 1;
        let action = match (self.command, self.manual, self.action) {
            (Some(command), None, None) => Action::Shell { command },
            (None, Some(instruction), None) => Action::Manual { instruction },
            (None, None, Some(action)) => action.into_action(number)?,
            (None, None, None) => {
                return Err(invalid(format!("Step {number} has no command. Add \"command\": \"…\" to it.")));
            }
            (_, _, _) => {
                return Err(invalid(format!(
                    "Step {number} has more than one of \"command\", \"manual\" and \"action\". Keep one of them."
                )));
            }
        };
        let action = action.with_text(tidy_command(action.command()));
        let told = describe::of_action(&action);
        Ok(Step {
            id: self.id.map_or_else(StepId::new, StepId),
            index: u32::try_from(place).unwrap_or(u32::MAX),
            title: non_blank(self.title).unwrap_or(told.0),
            kind: self.kind.unwrap_or(told.1),
            action,
            changed: None,
            why: non_blank(self.why),
            expected: non_blank(self.expected),
            verify: non_blank(self.verify).map(|verify| tidy_command(&verify)),
            ok_exit: self.ok_exit.unwrap_or_else(|| vec![0]),
            depends_on: self.depends_on.unwrap_or_default().into_iter().map(StepId).collect(),
            limits: self.limits.unwrap_or_default(),
            service: self.service.map(|service| service.into_spec(number)).transpose()?,
            estimate_seconds: self.estimate_seconds,
            assessment: None,
            warning: self.warning,
            origin: StepOrigin::Original,
            state: StepState::Pending,
        })
    }
}

impl RawService {
    fn into_spec(self, number: usize) -> Result<ServiceSpec, EngineError> {
        let port = self.port.map(|port| Readiness::Port { port });
        let line = self.line.map(|text| Readiness::Line { text });
        let address = self.address.filter(|wanted| *wanted).map(|_| Readiness::Address);
        let file = self.file.map(|path| Readiness::File { path });
        let mut ways = [port, line, address, file, self.ready].into_iter().flatten();
        match (ways.next(), ways.next()) {
            (Some(ready), None) => {
                let within_seconds = self.seconds.unwrap_or(ServiceSpec::WITHIN_SECONDS);
                Ok(ServiceSpec { ready, within_seconds })
            }
            _ => Err(invalid(format!(
                "Step {number} is a service and has to say by one thing that it is ready: \"port\", \"line\", \"address\" or \"file\"."
            ))),
        }
    }
}

impl RawAction {
    fn into_action(self, number: usize) -> Result<Action, EngineError> {
        let lacks = |what| invalid(format!("Step {number} has {what}. Add one."));
        match self.kind.or(self.tool).as_deref() {
            Some("shell") => {
                self.command.map(Action::shell).ok_or_else(|| lacks("a shell action without a command"))
            }
            Some("manual") => self
                .instruction
                .map(Action::manual)
                .ok_or_else(|| lacks("a manual action without an instruction")),
            Some(other) => Err(EngineError::new(
                ErrorCode::UnknownTool,
                format!(
                    "Step {number} uses the tool \"{other}\", which is not known. Use \"shell\" or \"manual\"."
                ),
            )),
            None => Err(EngineError::new(
                ErrorCode::UnknownTool,
                format!("Step {number} has an action that names no tool. Add \"type\": \"shell\"."),
            )),
        }
    }
}

/// Makes each step depend on the one before it.
pub(super) fn chain(steps: &mut [Arc<Step>]) {
    let mut previous: Option<&StepId> = None;
    for step in steps {
        if !step.depends_on.iter().eq(previous) {
            Arc::make_mut(step).depends_on = previous.into_iter().cloned().collect();
        }
        previous = Some(&step.id);
    }
}

/// Puts the steps in an order in which each comes after its needs, else as written, and numbers them again. Leaves
/// them alone where ids repeat or are unknown or needs go in a circle: validation says so.
fn sort_by_need(steps: &mut [Arc<Step>]) {
    let places: HashMap<&StepId, usize> =
        steps.iter().enumerate().map(|(place, step)| (&step.id, place)).collect();
    let needs: Option<Vec<Vec<usize>>> = steps
        .iter()
        .map(|step| step.depends_on.iter().map(|id| places.get(id).copied()).collect::<Option<Vec<usize>>>())
        .collect();
    let Some(needs) = needs else { return };
    if places.len() < steps.len() || find_cycle(&needs).is_some() {
        return;
    }
    let mut needed_by = vec![Vec::new(); steps.len()];
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    for (place, own) in needs.iter().enumerate() {
        own.iter().for_each(|&needed| needed_by[needed].push(place));
    }
    // The earliest written of the steps that have all they need goes first.
    let mut ready: BinaryHeap<std::cmp::Reverse<usize>> =
        (0..steps.len()).filter(|&place| open[place] == 0).map(std::cmp::Reverse).collect();
    let mut rank = vec![0usize; steps.len()];
    let mut next = 0;
    while let Some(std::cmp::Reverse(place)) = ready.pop() {
        rank[place] = next;
        next += 1;
        for &waiting in &needed_by[place] {
            open[waiting] -= 1;
            if open[waiting] == 0 {
                ready.push(std::cmp::Reverse(waiting));
            }
        }
    }
    steps.sort_by_key(|step| rank[step.index as usize]);
    number_all(steps);
}

fn title_from(origin: &PlanOrigin) -> String {
    match origin {
        PlanOrigin::Runbook { name } | PlanOrigin::Json { name } => {
            let name = name.rsplit(['/', '\\']).next().unwrap_or(name).trim();
            let stem =
                name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
            in_words(stem).unwrap_or_else(|| "Plan".to_owned())
        }
        PlanOrigin::Model { .. } | PlanOrigin::User => "Plan".to_owned(),
    }
}

/// The name of a file as a title: `set-up_server` is "Set up server".
fn in_words(stem: &str) -> Option<String> {
    let words = stem.split(['-', '_', ' ', '+', '.']).filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// The title that the name of a page's file makes, where it says anything: `p.md` and `README.md` do not.
pub(super) fn file_title(name: &str) -> Option<String> {
    const SAY_NOTHING: [&str; 5] = ["Plan", "Readme", "Index", "Untitled", "Stdin"];
    let title = title_from(&PlanOrigin::Runbook { name: name.to_owned() });
    let says = title.chars().filter(|c| c.is_alphabetic()).count() > 2
        && !SAY_NOTHING.iter().any(|word| word.eq_ignore_ascii_case(&title));
    says.then_some(title)
}

pub(super) fn non_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

pub(super) fn too_large() -> EngineError {
    EngineError::new(
        ErrorCode::TooLarge,
        // How much more is not known where only as much as may be imported was read.
        format!(
            "This is more than {} MB, which is the most that can be imported. Cut it down to the part with the \
             commands.",
            MAX_SOURCE_BYTES / (1024 * 1024)
        ),
    )
}

fn unreadable(error: &serde_json::Error) -> EngineError {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let place = format!("line {}, column {}", error.line(), error.column());
    invalid(match error.classify() {
        serde_json::error::Category::Data => {
            format!("The plan is not understood at {place}: {what}. Correct it there.")
        }
        serde_json::error::Category::Eof => {
            "The plan breaks off before its end: a closing quote or bracket is missing. Check that the file is whole."
                .to_owned()
        }
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => {
            format!("The plan is not valid JSON at {place}: {what}. Correct it there.")
        }
    })
}

/// Kinds are read in any case: people copy them from the card, where they stand in capitals.
pub(crate) fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StepKind>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let lower = text.to_ascii_lowercase();
    StepKind::deserialize(de::value::StrDeserializer::<D::Error>::new(&lower)).map(Some)
}

fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "one value or a list")]
    enum OneOrMany<T> {
        Many(Vec<T>),
        One(T),
    }
    Ok(Option::<OneOrMany<T>>::deserialize(deserializer)?.map(|given| match given {
        OneOrMany::Many(many) => many,
        OneOrMany::One(one) => vec![one],
    }))
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
