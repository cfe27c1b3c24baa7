//! Every rule over the real messages of real programs, and look-alikes where the guide must stay silent. The failures
//! in `fixtures/` were recorded by `tests/support/record_failures.py`.

use std::path::PathBuf;

use planwright_shell::Facts;
use serde::Deserialize;

use super::*;
use crate::protocol::CorrectionAction;

const RECORDED: &str = include_str!("fixtures/recorded.json");
const WRITTEN: &str = include_str!("fixtures/written.json");

/// A failure with what the guide must say to it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    command: String,
    exit: Option<i32>,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    cwd: Option<PathBuf>,
    #[serde(default)]
    files: std::collections::BTreeMap<PathBuf, String>,
    #[serde(default)]
    folders: Vec<PathBuf>,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    root: bool,
    /// `None`: silence.
    rule: Option<String>,
    /// The new command, or the inserted steps' commands; empty for the other actions.
    #[serde(default)]
    expect: Vec<String>,
}

fn recordings() -> Vec<Recording> {
    let mut all: Vec<Recording> = serde_json::from_str(RECORDED).unwrap();
    all.extend(serde_json::from_str::<Vec<Recording>>(WRITTEN).unwrap());
    all
}

fn facts(command: &str) -> Facts {
    planwright_shell::read(command, planwright_shell::MAX_TEXT)
}

fn answer(recording: &Recording) -> Option<AgentCorrection> {
    let failure = Failure {
        command: recording.command.clone(),
        exit_code: recording.exit,
        stdout: recording.stdout.clone(),
        stderr: recording.stderr.clone(),
        cwd: recording.cwd.clone(),
    };
    let machine = SketchedMachine {
        files: recording.files.clone(),
        folders: recording.folders.clone(),
        programs: recording.programs.clone(),
        root: recording.root,
    };
    diagnose(&failure, &facts(&recording.command), &machine)
}

#[test]
fn the_tables_can_be_read_and_name_only_known_functions() {
    let rules = rule::read_tables().unwrap();
    assert!(rules >= 40, "{rules} rules");
    assert_eq!(rules, rule::all().len());
    let mut ids: Vec<&str> = rule::all().iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules, "every id once");
    for rule in rule::all() {
        for name in rule.functions() {
            assert!(repair::function(name).is_some(), "{}: no function {name}", rule.id);
        }
    }
}

#[test]
fn recorded_failures_get_exactly_the_right_answer() {
    let mut wrong = Vec::new();
    for recording in recordings() {
        let answer = answer(&recording);
        let said = answer.as_ref().map(|answer| answer.source.trim_start_matches("guide:").to_owned());
        let mut commands: Vec<String> = answer.iter().flat_map(|a| a.modified_command.clone()).collect();
        commands.extend(
            answer.iter().flat_map(|a| a.new_steps.iter().flatten().map(|step| step.command.clone())),
        );
        if said != recording.rule || commands != recording.expect {
            wrong.push(format!(
                "{}\n  {}\n  wanted {:?} {:?}\n  got    {said:?} {commands:?}",
                recording.command,
                recording.stderr.trim().replace('\n', "\n  "),
                recording.rule,
                recording.expect
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_has_two_recordings() {
    let recordings = recordings();
    let count =
        |id: &str| recordings.iter().filter(|recording| recording.rule.as_deref() == Some(id)).count();
    let few: Vec<&str> = rule::all().iter().map(|rule| rule.id.as_str()).filter(|id| count(id) < 2).collect();
    assert!(few.is_empty(), "rules with fewer than two recordings: {few:?}");
}

#[test]
fn corrections_are_whole() {
    for recording in recordings() {
        let Some(answer) = answer(&recording) else { continue };
        assert!(!answer.reasoning.contains(['{', '}']), "{}", answer.reasoning);
        assert!(answer.reasoning.ends_with('.'), "{}", answer.reasoning);
        assert!(answer.alternatives.iter().flatten().count() <= 3);
        let steps = answer.new_steps.as_ref().map(Vec::len);
        match answer.action {
            CorrectionAction::Modify => assert!(answer.modified_command.is_some()),
            CorrectionAction::InsertSteps => {
                assert!(steps.is_some_and(|steps| (1..=crate::protocol::MAX_STEPS_PER_CORRECTION).contains(&steps)));
            }
            CorrectionAction::Retry => assert!(answer.wait_seconds.is_some_and(|seconds| seconds > 0)),
            CorrectionAction::Skip | CorrectionAction::Abort => assert_eq!(steps, None),
        }
    }
}

#[test]
fn success_is_never_diagnosed() {
    for mut recording in recordings() {
        recording.exit = Some(0);
        assert_eq!(answer(&recording), None, "{}", recording.command);
    }
}

#[test]
fn without_a_disk_no_rule_invents_one() {
    for mut recording in recordings() {
        recording.cwd = None;
        let Some(answer) = answer(&recording) else { continue };
        let near = answer.source.contains("near")
            && !answer.source.contains("command")
            && !answer.source.contains("option");
        assert!(!near || answer.source.contains("unit"), "{} for {}", answer.source, recording.command);
    }
}
