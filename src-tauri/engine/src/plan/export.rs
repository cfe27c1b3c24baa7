//! A plan as Markdown that imports back to the same plan, as a bash script, and as JSON (P6). The command on the page
//! is always the whole truth: comments carry what a page cannot show, never what runs instead. Only secrets are not there:
//! variables stand for them (see `secrets`).

use planwright_page::Document;

use super::inputs::{asked, names_of_the_shell};
use super::page::{self, Machine, Unit};
use super::runbook::attributes::{PlanAttributes, StepAttributes};
use super::runbook::blocks::MAX_PROSE;
use super::runbook::describe;
use super::secrets::{self, Shared};
use crate::protocol::{
    EngineError, ErrorCode, InputKind, InputValue, Mode, OnFailure, Plan, PlanInput, Readiness, ServiceSpec,
    Step, StepId,
};
use crate::redact::Redactor;

/// A runbook page. Importing it gives the same plan, but for ids of the plan, states, assessments and history.
pub fn to_markdown(plan: &Plan) -> String {
    let plan = &secrets::shared(plan).plan;
    let title = visible_line(&plan.title);
    // Without a heading of its own the page would be called by its first step.
    let mut page = front_matter(&plan.inputs);
    page.push_str(&format!("# {}\n\n", if title.is_empty() { "Plan" } else { &title }));
    let intent = (plan.intent != plan.title).then_some(plan.intent.as_str());
    if let Some(intent) = intent {
        page.push_str(&format!("{}\n\n", visible(intent)));
    }
    let attributes = PlanAttributes {
        title: unless(&plan.title, reads_back_in_heading(&plan.title)),
        intent: intent.and_then(|intent| unless(intent, reads_back_as_prose(intent))),
        mode: (plan.mode != Mode::default()).then_some(plan.mode),
        on_failure: (plan.on_failure != OnFailure::default()).then_some(plan.on_failure),
    };
    if attributes != PlanAttributes::default() {
        page.push_str(&format!("{}\n\n", attributes.to_comment()));
    }
    let mut previous: Option<&StepId> = None;
    for step in &plan.steps {
        page.push_str(&step_section(step, previous));
        previous = Some(&step.id);
    }
    page.truncate(page.trim_end_matches('\n').len());
    page.push('\n');
    page
}

fn step_section(step: &Step, previous: Option<&StepId>) -> String {
    let mut section = format!("## {}. {}\n\n", step.index + 1, visible_line(&step.title));
    if let Some(why) = &step.why {
        section.push_str(&format!("{}\n\n", visible(why)));
    }
    let expected_fits = step.expected.as_deref().is_none_or(fits_fence);
    let why_fits = step.why.as_deref().is_none_or(reads_back_as_prose);
    let attributes = StepAttributes {
        id: Some(step.id.clone()),
        kind: Some(step.kind),
        manual: step.action.is_manual(),
        title: unless(&step.title, reads_back_in_heading(&step.title)),
        why: step.why.clone().filter(|_| !why_fits),
        verify: step.verify.clone(),
        expected: step.expected.clone().filter(|_| !expected_fits),
        ok_exit: (step.ok_exit != [0]).then(|| step.ok_exit.clone()),
        depends_on: (!step.depends_on.iter().eq(previous)).then(|| step.depends_on.clone()),
        wall_seconds: step.limits.wall_seconds,
        silence_seconds: step.limits.silence_seconds,
        service: step.service.clone(),
        estimate_seconds: step.estimate_seconds,
    };
    let language = if step.action.is_manual() { "text" } else { "sh" };
    section.push_str(&format!("{}\n{}\n", attributes.to_comment(), fenced(language, step.action.command())));
    if let Some(expected) = step.expected.as_deref().filter(|_| expected_fits) {
        section.push_str(&format!("Expected:\n\n<!-- expected -->\n{}\n", fenced("text", expected)));
    }
    if let Some(verify) = &step.verify {
        // For readers of the page; the import takes it from the comment.
        section.push_str(&format!("Done when this succeeds:\n\n{}\n", fenced("text", verify)));
    }
    section
}

/// A bash script that runs the steps in one shell and stops at the first that fails.
pub fn to_script(plan: &Plan) -> String {
    let Shared { plan, variables } = &secrets::shared(plan);
    let count = plan.steps.len();
    let mut script = String::from("#!/usr/bin/env bash\n");
    for line in [plan.title.as_str(), plan.intent.as_str()].into_iter().flat_map(str::lines) {
        script.push_str(&comment_line(line));
    }
    script.push_str(&format!(
        "#\n# Made by Planwright: {count} {}. Stops at the first one that fails.\n\n",
        if count == 1 { "step" } else { "steps" }
    ));
    script.push_str(SCRIPT_HEAD);
    script.push_str(&asking_for(variables));
    script.push_str(&with_values(plan));
    if plan.steps.iter().any(|step| step.service.is_some()) {
        script.push_str(SERVICE_HEAD);
    }
    if plan.steps.iter().any(|step| step.action.is_manual()) {
        script.push_str(BY_HAND_HEAD);
    }
    let hands_on = plan.steps.iter().any(|step| step.action.command().contains("PLANWRIGHT_OUTPUT"));
    if hands_on {
        script.push_str(&HANDED_ON_HEAD.replace("NAMES_OF_THE_SHELL", &names_of_the_shell()));
    }
    for step in &plan.steps {
        let name = format!("{}/{count} {}", step.index + 1, one_line(&step.title));
        script.push_str(&format!(
            "\n{}",
            comment_line(&format!("{}. {}", step.index + 1, one_line(&step.title)))
        ));
        if let Some(why) = &step.why {
            why.lines().for_each(|line| script.push_str(&comment_line(line)));
        }
        script.push_str(&format!("planwright_begin {}\n", quoted(&name)));
        match &step.service {
            _ if step.action.is_manual() => {
                script.push_str(&format!("planwright_by_hand {}\n", quoted(step.action.command())));
            }
            Some(service) => script.push_str(&in_background(step.action.command(), service)),
            None => {
                script.push_str(step.action.command());
                let exits: Vec<String> = step.ok_exit.iter().map(i32::to_string).collect();
                script.push_str(&format!("\nplanwright_end $? {}\n", exits.join(" ")));
                if hands_on {
                    script.push_str("planwright_take\n");
                }
            }
        }
        if let Some(verify) = &step.verify {
            // In a shell of its own, so that a check changes nothing for the next step.
            script.push_str(&format!("(\n{verify}\n)\nplanwright_end $? 0\n"));
        }
    }
    script
}

/// Secrets that are not set are asked for where somebody can be asked; the first step that needs one stops without it.
fn asking_for(variables: &[String]) -> String {
    let mut text = String::new();
    for name in variables {
        text.push_str(&format!(
            "[ -n \"${{{name}:-}}\" ] || read -rsp '{name} (not part of this script): ' {name} </dev/tty || true\n"
        ));
    }
    if text.is_empty() { text } else { format!("# Set these before, or type them when asked.\n{text}") }
}

/// What the plan asks for: with the value that was given, unless whoever runs the script sets another. What has none, as a secret
/// has none here, is asked for where somebody can be asked, and has to be there.
fn with_values(plan: &Plan) -> String {
    let mut text = String::new();
    for input in asked(plan) {
        let (name, hidden) = (&input.name, if input.kind == InputKind::Secret { "s" } else { "" });
        match &input.value {
            Some(InputValue::Plain { text: value }) => {
                text.push_str(&format!("{name}=${{{name}-{}}}\n", quoted(value)));
            }
            Some(InputValue::Secret) | None if input.required => {
                text.push_str(&format!(
                    "[ -n \"${{{name}:-}}\" ] || read -r{hidden}p {} {name} </dev/tty || true\n: \"${{{name}:?}}\"\n",
                    quoted(&format!("{}: ", one_line(&input.label)))
                ));
            }
            Some(InputValue::Secret) | None => text.push_str(&format!("{name}=${{{name}-}}\n")),
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("# What it asks for. Set these before, or change them here.\n{text}")
    }
}

/// The inputs as a page declares them. A value that the simple form cannot hold is asked for again.
fn front_matter(inputs: &[PlanInput]) -> String {
    if inputs.iter().all(|input| input.by_hand) {
        return String::new();
    }
    let is_simple = |text: &str| !text.contains(|letter: char| letter.is_control() || letter == '"');
    let mut text = String::from("---\ninputs:\n");
    for input in inputs.iter().filter(|input| !input.by_hand) {
        text.push_str(&format!("  - name: {}\n", input.name));
        if is_simple(&input.label) {
            text.push_str(&format!("    label: \"{}\"\n", input.label));
        }
        let kind = match input.kind {
            InputKind::Text => "text",
            InputKind::Secret => "secret",
            InputKind::Path => "path",
            InputKind::Number => "number",
            InputKind::Choice => "choice",
            InputKind::YesNo => "yes-no",
        };
        text.push_str(&format!("    kind: {kind}\n"));
        if !input.choices.is_empty() {
            text.push_str("    choices:\n");
        }
        for choice in input.choices.iter().filter(|choice| is_simple(choice)) {
            text.push_str(&format!("      - \"{choice}\"\n"));
        }
        if let Some(InputValue::Plain { text: value }) = &input.value
            && is_simple(value)
        {
            text.push_str(&format!("    default: \"{value}\"\n"));
        }
        if !input.required {
            text.push_str("    required: false\n");
        }
    }
    text + "---\n\n"
}

const SCRIPT_HEAD: &str = r#"planwright_begin() {
  planwright_step=$1
  printf '\n== %s\n' "$1" >&2
}
planwright_end() {
  local status=$1 accepted
  shift
  # What a step set for itself does not hold for the next one.
  set +eu +o pipefail
  for accepted in "$@"; do
    [ "$status" -eq "$accepted" ] && return 0
  done
  printf 'Stopped: step %s ended with exit status %s.\n' "$planwright_step" "$status" >&2
  [ "$status" -eq 0 ] && status=1
  exit "$status"
}
"#;

const HANDED_ON_HEAD: &str = r#"# Lines name=value that a step writes to this file are variables of the later ones.
PLANWRIGHT_OUTPUT=$(mktemp)
export PLANWRIGHT_OUTPUT
planwright_take() {
  local planwright_line planwright_name
  while IFS= read -r planwright_line; do
    planwright_name=${planwright_line%%=*}
    case $planwright_name in
      NAMES_OF_THE_SHELL) continue ;;
    esac
    [[ $planwright_line =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] &&
      printf -v "$planwright_name" %s "${planwright_line#*=}"
  done < "$PLANWRIGHT_OUTPUT"
  : > "$PLANWRIGHT_OUTPUT"
}
"#;

const BY_HAND_HEAD: &str = r#"planwright_by_hand() {
  printf '%s\n' "$1" >&2
  if ! read -rp 'Press Enter when it is done. ' _ </dev/tty; then
    printf 'Stopped: step %s is done by hand, and nobody is here.\n' "$planwright_step" >&2
    exit 1
  fi
}
"#;

const SERVICE_HEAD: &str = r#"# Services end with this script.
planwright_log=$(mktemp)
planwright_end_services() {
  local service
  for service in $(jobs -p); do kill -- "-$service" 2>/dev/null; done
  rm -f "$planwright_log"
}
trap planwright_end_services EXIT
planwright_ready() {
  local service=$1 left=$(($2 * 5))
  shift 2
  until "$@" 2>/dev/null; do
    left=$((left - 1))
    if ! kill -0 "$service" 2>/dev/null || [ "$left" -le 0 ]; then
      printf 'Stopped: step %s was not ready.\n' "$planwright_step" >&2
      exit 1
    fi
    sleep 0.2
  done
}
planwright_port() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }
"#;

/// A command that goes on while the script does, and the wait until it is ready.
fn in_background(command: &str, service: &ServiceSpec) -> String {
    let (check, output) = match &service.ready {
        Readiness::Port { port } => (format!("planwright_port {port}"), ""),
        Readiness::Line { text } => (
            format!("grep -qF -e {} \"$planwright_log\"", quoted(text)),
            " > >(tee \"$planwright_log\") 2>&1",
        ),
        Readiness::Address => (
            "grep -qiE '(localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|port)[: ]+[0-9]' \"$planwright_log\""
                .to_owned(),
            " > >(tee \"$planwright_log\") 2>&1",
        ),
        Readiness::File { path } => (format!("test -e {}", quoted(path)), ""),
    };
    // With job control it is a process group, which can be ended as a whole.
    format!(
        "set -m\n{{\n{command}\n}}{output} &\nset +m\nplanwright_ready $! {} {check}\n",
        service.within_seconds
    )
}

/// The whole plan as it is; reads back with [`super::from_json`] as a fresh draft.
pub fn to_json(plan: &Plan) -> Result<String, EngineError> {
    serde_json::to_string_pretty(&secrets::shared(plan).plan).map(|json| json + "\n").map_err(|error| {
        EngineError::new(
            ErrorCode::Internal,
            format!("The plan could not be written as JSON: {error}. Try again."),
        )
    })
}

fn unless(text: &str, reads_back: bool) -> Option<String> {
    (!reads_back).then(|| text.to_owned())
}

fn fenced(language: &str, text: &str) -> String {
    // Longer than any run of backticks inside, so that nothing inside can close it.
    let run = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(run.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn fits_fence(text: &str) -> bool {
    let page = format!("{SAMPLE_STEP}\n<!-- expected -->\n{}\n", fenced("text", text));
    first_unit(&page).is_some_and(|unit| unit.expected.as_deref() == Some(text))
}

/// The text with every sign that Markdown would take for its own made plain, in one paragraph for each of its own.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for paragraph in text.split("\n\n") {
        let line = one_line(paragraph);
        if line.is_empty() {
            continue;
        }
        if !shown.is_empty() {
            shown.push_str("\n\n");
        }
        let mut at_start = true;
        for letter in line.chars() {
            // Signs that mean something anywhere, and those that do at the start of a line.
            let special = "\\`*_[]<>&~|#$".contains(letter) || (at_start && "-+=:.)".contains(letter));
            if special {
                shown.push('\\');
            }
            shown.push(letter);
            at_start = at_start && letter.is_ascii_digit();
        }
    }
    shown
}

fn visible_line(text: &str) -> String {
    visible(&one_line(text))
}

fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn reads_back_in_heading(text: &str) -> bool {
    let shown = visible_line(text);
    let reads = |heading: &str| {
        Document::read_text(&format!("# {}\n", heading.replace("{}", &shown)), PAGE_NAME).title
            == Some(heading.replace("{}", text))
    };
    reads("{}")
        && reads("1. {}")
        && super::runbook::without_number(&format!("1. {text}")) == text
        // The title of the page has no number of its own, and the import takes none off it.
        && !text.trim().is_empty()
        && text.trim() == text
}

fn reads_back_as_prose(text: &str) -> bool {
    let page = format!("{}\n\n{SAMPLE_STEP}", visible(text));
    text.chars().count() <= MAX_PROSE && first_unit(&page).is_some_and(|unit| unit.prose == text)
}

/// A name that says the form of an exported page.
const PAGE_NAME: &str = "plan.md";

const SAMPLE_STEP: &str = "<!-- step id=sample -->\n```sh\ntrue\n```\n";

/// What the import makes of a page's first block: the import itself tells best what reads back.
fn first_unit(page: &str) -> Option<Unit> {
    page::read(&Document::read_text(page, PAGE_NAME), &Machine::default()).units.into_iter().next()
}

fn comment_line(line: &str) -> String {
    let line = one_line(line);
    if line.is_empty() { "#\n".to_owned() } else { format!("# {line}\n") }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// File name for what is saved, without its ending: the title in plain letters, with its secrets hidden.
pub fn file_stem(title: &str) -> String {
    let plain: String = describe::shorten(&Redactor::default().text(title))
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() { "plan".to_owned() } else { words.join("-") }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
