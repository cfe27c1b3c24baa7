//! The confirmation card as text (P4), and the sums it shows. Text of a plan is never trusted with the terminal:
//! control and direction signs are shown, not obeyed.

use std::collections::BTreeSet;

use super::left_out;
use crate::protocol::{Plan, Risk, Step, StepKind};

/// The highest risk of the plan's steps; `None` while one of them is not assessed.
pub fn overall_risk(plan: &Plan) -> Option<Risk> {
    let risks: Option<Vec<Risk>> =
        plan.steps.iter().map(|step| step.assessment.as_ref().map(|found| found.risk)).collect();
    risks?.into_iter().max()
}

/// Seconds that the plan is likely to take: each step's own estimate, else a rough one for its kind.
pub fn estimated_seconds(plan: &Plan) -> u32 {
    plan.steps.iter().map(|step| step_seconds(step)).fold(0, u32::saturating_add)
}

/// Absolute paths that the steps are known to write, create or delete, sorted.
pub fn files_affected(plan: &Plan) -> BTreeSet<&str> {
    let assessments = plan.steps.iter().filter_map(|step| step.assessment.as_ref());
    assessments.flat_map(|found| found.effects.touches.iter().map(String::as_str)).collect()
}

/// The card that a terminal shows before anything runs; ends with the question and a blank for the answer.
pub fn confirmation_text(plan: &Plan) -> String {
    let files = match files_affected(plan).len() {
        0 => "none known".to_owned(),
        count => count.to_string(),
    };
    let mut card = format!(
        "Plan: {}\n{RULE}\nIntent: {}\nRisk Level: {} | Estimated Duration: {} | Files Affected: {files}\n\nSteps:\n",
        harmless_line(&plan.title),
        harmless_line(&plan.intent),
        overall_risk(plan).map_or("NOT ASSESSED", risk_name),
        duration(estimated_seconds(plan)),
    );
    for step in &plan.steps {
        let risk = step.assessment.as_ref().map_or("NOT ASSESSED", |found| risk_name(found.risk));
        card.push_str(&format!(
            "  {}. [{}] {} ({}) - {risk}\n",
            step.index + 1,
            kind_name(step.kind),
            harmless_line(&step.title),
            duration(step_seconds(step)),
        ));
        if step.action.is_manual() {
            card.push_str("       by hand, by you:\n");
        }
        for line in step.action.command().lines() {
            card.push_str(&format!("       {}\n", harmless(line)));
        }
        if let Some(service) = &step.service {
            let ready = harmless_line(&service.ready.to_string());
            card.push_str(&format!("       runs on as a service, ready when {ready}\n"));
        }
        for reason in step.assessment.iter().flat_map(|found| &found.reasons) {
            match reason.risk {
                Risk::Dangerous | Risk::Blocked => {
                    card.push_str(&format!("       ! {}\n", harmless_line(&reason.text)));
                }
                Risk::Safe | Risk::Caution => {}
            }
        }
        if let Some(need) = step.assessment.as_ref().and_then(|found| found.keyboard.as_ref()) {
            let text = format!("needs a keyboard: {} {}. {}", need.fragment, need.wants, need.instead);
            card.push_str(&format!("       ! {}\n", harmless_line(&text)));
        }
    }
    for line in left_out::lines(plan) {
        card.push_str(&format!("   {}\n", harmless_line(&line)));
    }
    card + "\nApprove? (y/n) "
}

/// A kind as the card names it.
pub fn kind_name(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Analyze => "ANALYZE",
        StepKind::Refactor => "REFACTOR",
        StepKind::Validate => "VALIDATE",
        StepKind::Test => "TEST",
        StepKind::Install => "INSTALL",
        StepKind::Configure => "CONFIGURE",
        StepKind::Execute => "EXECUTE",
        StepKind::Repair => "REPAIR",
    }
}

fn risk_name(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "SAFE",
        Risk::Caution => "CAUTION",
        Risk::Dangerous => "DANGEROUS",
        Risk::Blocked => "BLOCKED",
    }
}

fn step_seconds(step: &Step) -> u32 {
    step.estimate_seconds.unwrap_or(match step.kind {
        StepKind::Analyze | StepKind::Configure => 2,
        StepKind::Validate => 5,
        StepKind::Execute | StepKind::Repair => 10,
        StepKind::Refactor => 20,
        StepKind::Test => 30,
        StepKind::Install => 45,
    })
}

/// "2s", "5min", "1h 10min"; from a minute on in whole minutes, rounded up.
fn duration(seconds: u32) -> String {
    let minutes = seconds.div_ceil(60);
    match (seconds, minutes) {
        (0..60, _) => format!("{seconds}s"),
        (_, 0..60) => format!("{minutes}min"),
        (_, _) if minutes.is_multiple_of(60) => format!("{}h", minutes / 60),
        (_, _) => format!("{}h {}min", minutes / 60, minutes % 60),
    }
}

/// Below the heading, as wide as most terminals let a card be.
const RULE: &str = "------------------------------------------------------------";

fn harmless_line(text: &str) -> String {
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Signs that would move the cursor, colour the text or turn it round are written as their numbers.
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => shown.push_str("    "),
            // The last ones are seen by nobody, and read by a model.
            '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{ad}'
            | '\u{115f}'..='\u{1160}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e007f}' => {
                shown.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            letter if letter.is_control() => shown.push_str(&format!("\\x{:02x}", u32::from(letter))),
            letter => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plan::testing::plan_of;
    use crate::protocol::{Assessment, Effects, RiskReason, UndoOutlook};

    fn assessment(risk: Risk, touches: &[&str], reason: &str) -> Option<Assessment> {
        Some(Assessment {
            risk,
            reasons: vec![RiskReason {
                risk,
                text: reason.into(),
                fragment: "x".into(),
                start: None,
                source: None,
            }],
            effects: Effects {
                touches: touches.iter().map(|&path| path.into()).collect(),
                ..Effects::default()
            },
            undo: UndoOutlook::NotNeeded,
            keyboard: None,
        })
    }

    #[test]
    fn the_card_whole() {
        let mut plan = plan_of(&["npm ci", "rm -rf build\nmake"]);
        (plan.title, plan.intent) = ("Build it".into(), "Build the app".into());
        Arc::make_mut(&mut plan.steps[0]).title = "Install the packages".into();
        Arc::make_mut(&mut plan.steps[0]).kind = StepKind::Install;
        Arc::make_mut(&mut plan.steps[0]).estimate_seconds = Some(61);
        Arc::make_mut(&mut plan.steps[0]).assessment =
            assessment(Risk::Caution, &["/w/node_modules"], "runs scripts");
        Arc::make_mut(&mut plan.steps[1]).title = "Build".into();
        Arc::make_mut(&mut plan.steps[1]).assessment =
            assessment(Risk::Dangerous, &["/w/build", "/w/node_modules"], "deletes a folder");
        assert_eq!(
            confirmation_text(&plan),
            "Plan: Build it\n\
             ------------------------------------------------------------\n\
             Intent: Build the app\n\
             Risk Level: DANGEROUS | Estimated Duration: 2min | Files Affected: 2\n\
             \n\
             Steps:\n  \
             1. [INSTALL] Install the packages (2min) - CAUTION\n       npm ci\n  \
             2. [EXECUTE] Build (10s) - DANGEROUS\n       rm -rf build\n       make\n       ! deletes a folder\n\
             \n\
             Approve? (y/n) "
        );
    }

    #[test]
    fn a_step_that_nobody_assessed_leaves_the_risk_open() {
        let mut plan = plan_of(&["a", "b"]);
        Arc::make_mut(&mut plan.steps[0]).assessment = assessment(Risk::Safe, &[], "");
        assert_eq!(overall_risk(&plan), None);
        assert!(confirmation_text(&plan).contains("Risk Level: NOT ASSESSED"));
        Arc::make_mut(&mut plan.steps[1]).assessment = assessment(Risk::Blocked, &[], "");
        assert_eq!(overall_risk(&plan), Some(Risk::Blocked));
    }

    #[test]
    fn a_plan_cannot_write_to_the_terminal() {
        let mut plan = plan_of(&["echo \u{1b}[2J\u{202e}x"]);
        plan.title = "t\n\rApprove? (y/n) y".into();
        plan.intent = "a\n\rApprove? (y/n) y\u{1b}]0;t\u{7}".into();
        let card = confirmation_text(&plan);
        assert!(!card.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']), "{card:?}");
        assert!(card.contains("echo \\x1b[2J\\u{202e}x"), "{card}");
        assert!(card.starts_with("Plan: t Approve? (y/n) y\n---"), "{card}");
        assert!(card.contains("\nIntent: a Approve? (y/n) y\\x1b]0;t\\x07\n"), "{card}");
    }

    #[test]
    fn durations() {
        for (seconds, wanted) in
            [(0, "0s"), (59, "59s"), (60, "1min"), (61, "2min"), (3600, "1h"), (4200, "1h 10min")]
        {
            assert_eq!(duration(seconds), wanted);
        }
        let mut plan = plan_of(&["a", "b"]);
        Arc::make_mut(&mut plan.steps[0]).estimate_seconds = Some(u32::MAX);
        assert_eq!(estimated_seconds(&plan), u32::MAX);
    }
}
