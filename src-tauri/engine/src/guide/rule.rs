//! What a rule is, and how one is tried on a failure. The rules themselves are the TOML tables in `rules/`.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::case::{Case, Run};
use super::change::{Change, Conditions};
use super::repair;
use super::template::Findings;
use crate::protocol::{AgentCorrection, CorrectionAction, MAX_STEPS_PER_CORRECTION, ProtoStep, StepKind};

/// A table as the build made it of the TOML file.
macro_rules! table {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/rules/", $name, ".json"))
    };
}

const TABLES: [(&str, &str); 16] = [
    ("files", table!("files")),
    ("programs", table!("programs")),
    ("git", table!("git")),
    ("python", table!("python")),
    ("node", table!("node")),
    ("build", table!("build")),
    ("system", table!("system")),
    ("network", table!("network")),
    ("shell", table!("shell")),
    ("archives", table!("archives")),
    ("containers", table!("containers")),
    ("databases", table!("databases")),
    ("languages", table!("languages")),
    ("packages", table!("packages")),
    ("rights", table!("rights")),
    ("ssh", table!("ssh")),
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rule: Vec<Rule>,
}

/// One failure that the guide knows, and its repair.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) title: String,
    /// The command must run one of these; empty means any.
    #[serde(default)]
    programs: Vec<String>,
    /// What the program says; named groups become findings.
    message: Pattern,
    /// A look-alike that must not be there.
    #[serde(default)]
    unless: Option<Pattern>,
    /// Look at stdout too, not only at stderr.
    #[serde(default = "yes")]
    both_streams: bool,
    /// Exit codes; empty means any.
    #[serde(default)]
    exit: Vec<i32>,
    /// Only for root (true) or only for an ordinary user (false).
    #[serde(default)]
    root: Option<bool>,
    /// What must be so besides.
    #[serde(default)]
    when: Conditions,
    /// Functions of `repair` that add findings or veto the rule, in order.
    #[serde(default)]
    find: Vec<String>,
    /// The more specific rule wins.
    #[serde(default = "usual_rank")]
    pub(super) rank: u8,
    /// For people: what went wrong and why this helps.
    reason: String,
    confidence: f32,
    #[serde(default)]
    alternatives: Vec<String>,
    repair: Repair,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum Repair {
    Modify(Box<Change>),
    InsertSteps { steps: Vec<StepTemplate> },
    Retry { wait_seconds: u32 },
    Skip,
    Abort,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepTemplate {
    title: String,
    command: String,
    why: String,
    verify: Option<String>,
}

/// The rules of a table as people write it.
///
/// # Errors
/// When the text is not TOML of this form; unknown keys are refused, so that a misspelt condition is never ignored.
pub(super) fn parse(text: &str) -> Result<Vec<Rule>, toml::de::Error> {
    toml::from_str::<Table>(text).map(|table| table.rule)
}

/// Every rule of every table.
pub(super) fn all() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = Vec::new();
        for (name, text) in TABLES {
            match serde_json::from_str::<Table>(text) {
                Ok(table) => rules.extend(table.rule),
                // The tables are part of the program and a test reads each of them: this is never seen.
                Err(error) => {
                    tracing::error!(table = name, %error, "a table of the field guide cannot be read")
                }
            }
        }
        rules
    })
}

impl Rule {
    /// The correction, if this rule knows the failure well.
    pub(super) fn apply(&self, case: &Case<'_>) -> Option<AgentCorrection> {
        let run = case.runs().find(|run| self.programs.iter().any(|name| name == run.program()));
        if !self.programs.is_empty() && run.is_none() {
            return None;
        }
        if !self.exit.is_empty() && !case.failure.exit_code.is_some_and(|code| self.exit.contains(&code)) {
            return None;
        }
        if self.root.is_some_and(|root| root != case.machine.is_root()) {
            return None;
        }
        let said = if self.both_streams { &case.everything } else { &case.message };
        if let Some(unless) = &self.unless
            && unless.regex()?.is_match(said.as_bytes())
        {
            return None;
        }
        let message = self.message.regex()?;
        let mut found = Findings::default();
        found.take(message, said.as_bytes())?;
        found.set("asked", case.failure.command.as_str());
        // Braces themselves, which mean a finding elsewhere.
        found.set("open", "{");
        found.set("close", "}");
        self.when.hold(case, &mut found)?;
        for name in &self.find {
            repair::function(name)?(case, &mut found)?;
        }
        if self.names_sudo() && found.get("sudo").is_none() {
            found.set("sudo", case.sudo()?);
        }
        self.correction(case, run, &found)
    }

    fn names_sudo(&self) -> bool {
        matches!(&self.repair, Repair::InsertSteps { steps } if steps.iter().any(|step| step.command.contains("{sudo:raw}")))
    }

    fn correction(&self, case: &Case<'_>, run: Option<Run<'_>>, found: &Findings) -> Option<AgentCorrection> {
        let mut correction = AgentCorrection {
            action: CorrectionAction::Abort,
            reasoning: found.sentence(&self.reason)?,
            source: format!("guide:{}", self.id),
            confidence: self.confidence,
            modified_command: None,
            new_steps: None,
            alternatives: None,
            candidates: Vec::new(),
            wait_seconds: None,
            warning: None,
        };
        match &self.repair {
            Repair::Modify(change) => {
                let run = run.or_else(|| case.sole_run());
                let changed = change.apply(case, run, found);
                correction.action = CorrectionAction::Modify;
                correction.modified_command =
                    Some(changed.filter(|changed| *changed != case.failure.command)?);
            }
            Repair::InsertSteps { steps } => {
                let steps: Option<Vec<ProtoStep>> = steps.iter().map(|step| step.filled(found)).collect();
                correction.action = CorrectionAction::InsertSteps;
                correction.new_steps = Some(steps?);
            }
            Repair::Retry { wait_seconds } => {
                correction.action = CorrectionAction::Retry;
                correction.wait_seconds = Some(*wait_seconds);
            }
            Repair::Skip => correction.action = CorrectionAction::Skip,
            Repair::Abort => {}
        }
        let alternatives: Vec<String> =
            self.alternatives.iter().filter_map(|text| found.sentence(text)).collect();
        correction.alternatives = (!alternatives.is_empty()).then_some(alternatives);
        Some(correction)
    }

    /// What keeps the rule from being tried, in words; a test asks it of every built-in one.
    pub(super) fn fault(&self) -> Option<String> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.id.is_empty() || !self.id.chars().all(plain) {
            return Some("an id is of small letters, digits and `-`".to_owned());
        }
        if !(0.0..=1.0).contains(&self.confidence) {
            return Some("confidence goes from 0 to 1".to_owned());
        }
        if let Some(name) = self.find.iter().find(|name| repair::function(name).is_none()) {
            return Some(format!("there is no function `{name}` to find something with"));
        }
        if let Repair::InsertSteps { steps } = &self.repair
            && !(1..=MAX_STEPS_PER_CORRECTION).contains(&steps.len())
        {
            return Some(format!("a repair has 1 to {MAX_STEPS_PER_CORRECTION} steps"));
        }
        self.patterns().find_map(|pattern| {
            let error = pattern.build().err()?;
            Some(format!("the pattern `{}` cannot be read: {error}", pattern.text))
        })
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let change = match &self.repair {
            Repair::Modify(change) => change.pattern(),
            _ => None,
        };
        std::iter::once(&self.message).chain(&self.unless).chain(change).chain(self.when.patterns())
    }
}

impl StepTemplate {
    fn filled(&self, found: &Findings) -> Option<ProtoStep> {
        let verify = match &self.verify {
            Some(verify) => Some(found.shell(verify)?),
            None => None,
        };
        Some(ProtoStep {
            title: found.sentence(&self.title)?,
            kind: StepKind::Repair,
            command: found.shell(&self.command)?,
            why: found.sentence(&self.why)?,
            verify,
            warning: None,
        })
    }
}

/// A regular expression, compiled when it is first tried: most failures try few of them, and compiling all takes
/// milliseconds and megabytes. Its `\w`, `\d`, `\s` and `\b` are those of ASCII, as names of programs and packages are:
/// with all of Unicode it takes four times as much of both. Other signs are matched by `.`, `\S` and `[^…]`.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Pattern {
    text: String,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// `None` when it is none; a test compiles each, so this is never seen.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let compile = || {
            self.build()
                .inspect_err(|error| tracing::error!(%error, "a pattern of the field guide cannot be read"))
                .ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    fn build(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&self.text).unicode(false).build()
    }
}

/// How many rules the tables hold, with every pattern compiled.
#[cfg(test)]
pub(super) fn read_tables() -> Result<usize, String> {
    let mut count = 0;
    for (name, text) in TABLES {
        let table: Table = serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        count += table.rule.len();
        if let Some((rule, fault)) = table.rule.iter().find_map(|rule| Some((rule, rule.fault()?))) {
            return Err(format!("{name}: {}: {fault}", rule.id));
        }
    }
    Ok(count)
}

fn yes() -> bool {
    true
}

fn usual_rank() -> u8 {
    50
}
