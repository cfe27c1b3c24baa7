//! What a reader of a page would stumble over (P3f): blocks that cannot be read, blanks that the page nowhere declares, files and
//! programs that are not there when a step needs them, and what is dangerous. Prefers to say nothing where it is not sure.

use std::sync::Arc;

use planwright_page::Document;
use planwright_shell::Facts;

use super::inputs;
use super::page::{Machine, command_words, installs};
use super::runbook::{Block, decode};
use crate::protocol::{PageFinding, PageFindingKind, PageRole, Plan, Risk, Step, StepId};

/// What a call needs of the folder that it is made in: one of these files.
const NEEDS: [(&str, &[&str]); 26] = [
    ("npm install", &["package.json"]),
    ("npm ci", &["package.json"]),
    ("npm run", &["package.json"]),
    ("npm start", &["package.json"]),
    ("npm test", &["package.json"]),
    ("yarn install", &["package.json"]),
    ("yarn build", &["package.json"]),
    ("pnpm install", &["package.json"]),
    ("pnpm run", &["package.json"]),
    ("cargo build", &["Cargo.toml"]),
    ("cargo run", &["Cargo.toml"]),
    ("cargo test", &["Cargo.toml"]),
    ("go build", &["go.mod"]),
    ("go test", &["go.mod"]),
    ("bundle install", &["Gemfile"]),
    ("composer install", &["composer.json"]),
    ("poetry install", &["pyproject.toml"]),
    ("pipenv install", &["Pipfile"]),
    ("uv sync", &["pyproject.toml"]),
    ("docker compose", &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"]),
    ("docker-compose up", &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"]),
    ("docker-compose build", &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"]),
    ("vagrant up", &["Vagrantfile"]),
    ("make", &["Makefile", "makefile", "GNUmakefile"]),
    ("mvn package", &["pom.xml"]),
    ("python manage.py", &["manage.py"]),
];

/// Programs whose first operand is a file that they read.
const READERS: [&str; 11] =
    ["sh", "bash", "source", ".", "python", "python3", "node", "ruby", "perl", "cat", "less"];

/// Programs that fetch or make files whose names nobody can tell beforehand, and those that go elsewhere.
const BRINGS_FILES: [&str; 24] = [
    "git",
    "hg",
    "svn",
    "curl",
    "wget",
    "tar",
    "unzip",
    "cp",
    "mv",
    "rsync",
    "scp",
    "cd",
    "pushd",
    "npx",
    "django-admin",
    "rails",
    "cookiecutter",
    "gh",
    "ln",
    "patch",
    "mkdir",
    "cmake",
    "autoreconf",
    "ssh",
];

/// Adds what can be told of a plan whose steps are assessed. `bytes` are the page's, `is_there` tells whether a path in the
/// run's folder exists.
pub fn add_findings(plan: &mut Plan, bytes: &[u8], is_there: &dyn Fn(&str) -> bool) {
    let Some(reading) = plan.page.clone() else { return };
    let Ok(decoded) = decode(bytes) else { return };
    let page = Document::read_text(&decoded.text, super::mend::page_name(plan));
    let line = |at: u32| {
        let before = page.text.as_bytes().get(..at as usize).unwrap_or_default();
        u32::try_from(before.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX) + 1
    };
    let line_of = |id: &StepId| {
        let place = reading.steps.iter().find(|place| place.step_id == *id);
        place.map_or(1, |place| line(own_start(&page.text, place.start, place.end, &place.text)))
    };
    let mut findings: Vec<PageFinding> = reading.findings.clone();
    for finding in &mut findings {
        finding.line = finding.step_id.as_ref().map_or(finding.line, line_of);
    }
    findings.extend(reading.left_out.iter().filter(|one| one.role == PageRole::Unreadable).map(|one| {
        PageFinding {
            kind: PageFindingKind::Unreadable,
            line: line(one.start),
            step_id: None,
            text: one.why.clone(),
        }
    }));
    let declares = |name: &str| {
        let values = page.front_matter.iter().flat_map(|matter| &matter.values);
        values.into_iter().any(|(key, value)| key.starts_with("inputs.") && value == name)
    };
    for input in
        inputs::asked(plan).into_iter().filter(|input| !input.token.is_empty() && !declares(&input.name))
    {
        let step = plan.steps.iter().find(|step| {
            let command = step.action.command();
            inputs::uses(command, &input.name) || input.by_hand && command.contains(&input.token)
        });
        findings.push(PageFinding {
            kind: PageFindingKind::UndeclaredInput,
            line: step.map_or(1, |step| line_of(&step.id)),
            step_id: step.map(|step| step.id.clone()),
            text: if input.by_hand {
                format!(
                    "{} stands where no value can be filled in. Its reader has to change the command.",
                    input.token
                )
            } else {
                format!(
                    "{} is left to the reader. Declare it under `inputs` in the page's front matter.",
                    input.token
                )
            },
        });
    }
    findings.extend(missing_files(plan, is_there).into_iter().map(|(step, file)| PageFinding {
        kind: PageFindingKind::MissingFile,
        line: line_of(&step.id),
        step_id: Some(step.id.clone()),
        text: format!("It needs {file}, which is not there and which no step before makes."),
    }));
    findings.extend(plan.steps.iter().filter_map(|step| {
        let assessment = step.assessment.as_ref().filter(|assessment| assessment.risk >= Risk::Dangerous)?;
        let reason = assessment.reasons.first()?;
        Some(PageFinding {
            kind: PageFindingKind::Dangerous,
            line: line_of(&step.id),
            step_id: Some(step.id.clone()),
            text: format!("Dangerous: {}.", reason.text),
        })
    }));
    findings.sort_by_key(|finding| finding.line);
    if let Some(page) = plan.page.as_mut() {
        Arc::make_mut(page).findings = findings;
    }
}

/// Where in its block a step's own text begins.
fn own_start(page: &str, start: u32, end: u32, text: &str) -> u32 {
    let first =
        text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("set -")).unwrap_or_default();
    let block = page.get(start as usize..end as usize).unwrap_or_default();
    let at = if first.is_empty() { None } else { block.find(first.trim()) };
    start.saturating_add(at.and_then(|at| u32::try_from(at).ok()).unwrap_or(0))
}

/// Programs that steps start and that this machine lacks. What the page itself may bring is not told.
pub(super) fn add_missing_programs(plan: &mut Plan, blocks: &[Block], facts: &[Facts], machine: &Machine) {
    if machine.programs.is_empty() {
        return;
    }
    let Some(reading) = plan.page.clone() else { return };
    let mut told: Vec<String> = Vec::new();
    let mut found: Vec<PageFinding> = Vec::new();
    let own: Vec<&str> =
        facts.iter().flat_map(|one| &one.functions).map(|function| function.name.as_str()).collect();
    // From here on programs may have come that nobody can name.
    let mut open = false;
    for (number, (block, facts)) in
        blocks.iter().zip(facts).enumerate().filter(|(_, (block, _))| block.is_taken())
    {
        for command in &facts.commands {
            let words: Vec<&str> = command.words.iter().map(|word| word.raw.as_str()).collect();
            let typed = words.join(" ");
            let typed = command_words(&typed);
            let Some(program) = typed.first() else { continue };
            let is_name = program
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '+'));
            let lacks = is_name
                && !machine.has(program)
                && !is_of_bash(program)
                && !own.contains(program)
                && !told.iter().any(|known| known == program);
            if lacks && !open {
                let step =
                    reading.steps.iter().filter(|place| place.block as usize == number).find(|place| {
                        place
                            .text
                            .split(|letter: char| letter.is_whitespace() || letter == ';')
                            .any(|word| word == *program)
                    });
                if let Some(place) = step.filter(|place| plan.step(&place.step_id).is_some()) {
                    found.push(PageFinding {
                        kind: PageFindingKind::MissingProgram,
                        line: block.line,
                        step_id: Some(place.step_id.clone()),
                        text: format!("{program} is not installed here, and no step before installs it."),
                    });
                    told.push((*program).to_owned());
                }
            }
            open |= installs(&typed)
                || matches!(
                    *program,
                    "source" | "." | "eval" | "make" | "alias" | "ln" | "chmod" | "sh" | "bash"
                )
                || command.assignments.iter().any(|one| one.name == "PATH")
                || words.iter().any(|word| word.starts_with("PATH="));
        }
    }
    if let Some(page) = plan.page.as_mut() {
        Arc::make_mut(page).findings = found;
    }
}

/// What bash has itself.
fn is_of_bash(name: &str) -> bool {
    const OWN: &str = "alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare \
                       dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function \
                       getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read \
                       readarray readonly return select set shift shopt source suspend test then time times trap true \
                       type typeset ulimit umask unalias unset until wait while . : [ [[ { } !";
    OWN.split_whitespace().any(|own| own == name)
}

/// Files that a step needs before anything can have brought them.
fn missing_files<'p>(plan: &'p Plan, is_there: &dyn Fn(&str) -> bool) -> Vec<(&'p Step, String)> {
    let mut missing = Vec::new();
    let mut made: Vec<&str> = Vec::new();
    for step in plan.steps.iter().filter(|step| !step.action.is_manual()) {
        let command = step.action.command();
        let Some(line) = command.lines().find(|line| !line.starts_with("set -")) else { continue };
        let words = command_words(line);
        let simple = !command.contains(['|', ';', '&', '<', '>', '$', '`', '*', '\n']);
        if simple && let Some(file) = needed(&words, is_there, &made) {
            missing.push((step.as_ref(), file));
            // What comes behind needs it, too, and says nothing new.
            break;
        }
        if !simple || words.first().is_none_or(|program| BRINGS_FILES.contains(program)) || may_make(&words) {
            break;
        }
        let touches = step.assessment.iter().flat_map(|assessment| &assessment.effects.touches);
        made.extend(touches.map(String::as_str));
    }
    missing
}

/// `npm init`, `cargo new`, `uv init`, `python -m venv`: their kind makes files of names of their own.
fn may_make(words: &[&str]) -> bool {
    words.iter().skip(1).take(3).any(|word| {
        matches!(
            *word,
            "init" | "new" | "create" | "clone" | "startproject" | "generate" | "-m" | "install" | "add"
        )
    })
}

fn needed(words: &[&str], is_there: &dyn Fn(&str) -> bool, made: &[&str]) -> Option<String> {
    let comes = |file: &str| {
        let name = file.strip_prefix("./").unwrap_or(file);
        is_there(name) || made.iter().any(|path| path.ends_with(&format!("/{name}")))
    };
    let program = words.first()?;
    let named = match words {
        [program, ..] if program.starts_with("./") => Some(*program),
        ["pip" | "pip3", "install", "-r", file, ..] => Some(*file),
        ["docker" | "docker-compose", rest @ ..] if rest.contains(&"-f") || rest.contains(&"--file") => {
            return None;
        }
        [program, file, ..] if READERS.contains(program) && file.contains('.') => Some(*file),
        _ => None,
    };
    if let Some(file) = named {
        let relative = !file.starts_with(['/', '~', '-']) && file != ".";
        return (relative && !comes(file)).then(|| file.to_owned());
    }
    // With options or a folder that say where it works nobody can tell.
    let elsewhere =
        ["-C", "-f", "--prefix", "--manifest-path", "--directory", "-g", "--global", "--version", "--help"];
    if words.iter().any(|word| elsewhere.contains(word)) {
        return None;
    }
    let (_, files) = NEEDS.iter().find(|(start, _)| {
        let start: Vec<&str> = start.split(' ').collect();
        words.starts_with(&start)
    })?;
    // `npm install x` gets a package and makes the file.
    let gets = matches!(*program, "npm" | "yarn" | "pnpm" | "pipenv" | "bundle" | "composer")
        && words.get(1) == Some(&"install")
        && words.iter().skip(2).any(|word| !word.starts_with('-'));
    (!gets && !files.iter().any(|file| comes(file))).then(|| (*files.first().unwrap_or(&"")).to_owned())
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
