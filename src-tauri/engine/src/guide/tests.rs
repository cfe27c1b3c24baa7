//! Every rule over the real messages of real programs, and look-alikes where the guide must stay silent. The failures
//! in `fixtures/` were recorded by `tests/support/record_failures.py`.

use std::path::PathBuf;

use planwright_shell::Facts;
use serde::Deserialize;

use super::*;
use crate::protocol::CorrectionAction;

const RECORDED: &str = include_str!("fixtures/recorded.json");
const WRITTEN: &str = include_str!("fixtures/written.json");
/// What tests, linters, compilers, applications and people's scripts print, a case a line: none of it asks for a repair.
const SILENT: &str = include_str!("fixtures/silent.jsonl");
const KINDS: &str = include_str!("fixtures/kinds.txt");

/// Programs of the machine on which the cases of `kinds.txt` stand.
const PROGRAMS: &str = "apt apt-get bash cargo cat cd cmake composer bundle docker dpkg find flatpak gcc git gradle grep gunzip java jq ls \
                        make mvn mysql node npm pip pip3 pkg-config psql python3 rm rustup sed sh ssh sudo systemctl tar unzip";

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
    #[serde(skip)]
    rights: std::collections::BTreeMap<PathBuf, Rights>,
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

/// A blank is written as `_`, and what ends a line or a column as in code.
fn escaped(text: &str) -> String {
    text.replace('_', " ").replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
}

/// The cases of `kinds.txt`, whose head says how they are written.
fn kinds() -> Vec<Recording> {
    let mut all = Vec::new();
    for block in KINDS.split("\n## ").skip(1) {
        let mut lines = block.trim_end().lines();
        let rule = lines.next().unwrap().trim();
        let mut case = Recording {
            command: String::new(),
            exit: Some(1),
            stdout: String::new(),
            stderr: String::new(),
            cwd: Some("/w/site".into()),
            files: Default::default(),
            folders: vec!["/w/site".into()],
            programs: PROGRAMS.split_whitespace().map(str::to_owned).collect(),
            root: false,
            rights: Default::default(),
            rule: Some(rule.to_owned()),
            expect: Vec::new(),
        };
        for line in lines {
            if let Some(machine) = line.strip_prefix("@ ") {
                for word in machine.split(' ') {
                    if let Some(more) = word.strip_prefix('+') {
                        case.programs.push(more.to_owned());
                    } else if let Some(gone) = word.strip_prefix('-') {
                        case.programs.retain(|program| program != gone);
                    } else if word == "root" {
                        case.root = true;
                    } else if let Some((letters, path)) =
                        word.strip_prefix("rights:").and_then(|it| it.split_once(':'))
                    {
                        let may = |letter| letters.contains(letter);
                        let rights = Rights {
                            mine: may('m'),
                            root: !may('m'),
                            read: may('r'),
                            write: may('w'),
                            enter: may('x'),
                        };
                        case.rights.insert(PathBuf::from("/w/site").join(path), rights);
                    } else {
                        let (path, text) = word.split_once('=').unwrap_or((word, ""));
                        let path = PathBuf::from("/w/site").join(path);
                        let path = path.to_str().unwrap().replace("/site/..", "").replace('~', " ");
                        case.files.insert(path.into(), format!("{}\n", escaped(text)));
                    }
                }
            } else if let Some(command) = line.strip_prefix("$ ").filter(|_| case.command.is_empty()) {
                case.command = command.to_owned();
            } else if let Some(answer) = line.strip_prefix("=> ") {
                case.expect.push(answer.to_owned());
            } else if let Some(exit) =
                line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')?.parse().ok())
            {
                case.exit = Some(exit);
            } else {
                case.stderr.push_str(line);
                case.stderr.push('\n');
            }
        }
        if case.expect == ["silence"] {
            case.rule = None;
            case.expect.clear();
        }
        all.push(case);
    }
    all
}

/// The new command, the steps before it, or the action.
fn said(answer: Option<&AgentCorrection>) -> Vec<String> {
    let Some(answer) = answer else { return Vec::new() };
    let mut said: Vec<String> = answer.modified_command.iter().cloned().collect();
    said.extend(answer.new_steps.iter().flatten().map(|step| step.command.clone()));
    if said.is_empty() {
        said.push(format!("{:?}", answer.action).to_lowercase());
    }
    said
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
        rights: recording.rights.clone(),
        home: Some("/w/home".into()),
        ..SketchedMachine::default()
    };
    diagnose(&failure, &facts(&recording.command), &machine)
}

#[test]
fn the_tables_can_be_read_and_no_rule_has_a_fault() {
    let rules = rule::read_tables().unwrap();
    assert!(rules >= 40, "{rules} rules");
    assert_eq!(rules, rule::all().len());
    let mut ids: Vec<&str> = rule::all().iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules, "every id once");
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
fn every_kind_gets_its_answer() {
    let kinds = kinds();
    let mut wrong = Vec::new();
    for kind in &kinds {
        let answer = answer(kind);
        let source = answer.as_ref().map(|answer| answer.source.trim_start_matches("guide:").to_owned());
        if source != kind.rule || said(answer.as_ref()) != kind.expect {
            wrong.push(format!(
                "{}\n  {}\n  wanted {:?} {:?}\n  got    {source:?} {:?}",
                kind.command,
                kind.stderr.trim().replace('\n', "\n  "),
                kind.rule,
                kind.expect,
                said(answer.as_ref())
            ));
        }
    }
    println!("{} of {} cases of single kinds are answered rightly", kinds.len() - wrong.len(), kinds.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Silent {
    command: String,
    exit: i32,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
}

#[test]
fn what_is_nobodys_advice_is_left_alone() {
    let cases: Vec<Silent> = SILENT.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let machine = SketchedMachine {
        files: [("/w/site/package.json".into(), "{}".to_owned())].into(),
        programs: PROGRAMS.split_whitespace().map(str::to_owned).collect(),
        root: true,
        ..SketchedMachine::default()
    };
    let mut fired = Vec::new();
    for case in &cases {
        let failure = Failure {
            command: case.command.clone(),
            exit_code: Some(case.exit),
            stdout: case.stdout.clone(),
            stderr: case.stderr.clone(),
            cwd: Some("/w/site".into()),
        };
        let answer = diagnose(&failure, &facts(&case.command), &machine);
        let leaves_alone = |answer: &AgentCorrection| {
            matches!(answer.action, CorrectionAction::Abort | CorrectionAction::Skip)
        };
        if answer.as_ref().is_some_and(|answer| !leaves_alone(answer)) {
            fired.push(format!("$ {}\n{}{}\n=> {answer:?}", case.command, case.stderr, case.stdout));
        }
    }
    println!("{} of {} that ask for silence are answered", fired.len(), cases.len());
    assert!(cases.len() >= 250 && fired.len() * 1000 <= cases.len() * 15, "{}", fired.join("\n\n"));
}

/// A near miss for each kind: its own command that ended quietly, or that said something nobody has a rule for.
#[test]
fn the_same_commands_with_another_message_get_no_answer() {
    let others =
        ["", "Aborted.\n", "warning: 3 tests failed, see the report above\n", "error: internal error 0x80\n"];
    for mut kind in kinds() {
        for other in others {
            kind.stderr = other.to_owned();
            let answer = answer(&kind);
            // What is wrong with the text of the command itself can be seen without a message.
            let seen = answer.as_ref().is_none_or(|answer| {
                ["typographic", "clone-twice", "digit-class"].iter().any(|seen| answer.source.contains(seen))
            });
            assert!(seen, "{} after {other:?}: {answer:?}", kind.command);
        }
    }
}

#[test]
fn every_rule_has_a_recording() {
    let mut recordings = recordings();
    recordings.extend(kinds());
    let count =
        |id: &str| recordings.iter().filter(|recording| recording.rule.as_deref() == Some(id)).count();
    let few: Vec<&str> =
        rule::all().iter().map(|rule| rule.id.as_str()).filter(|id| count(id) == 0).collect();
    assert!(few.is_empty(), "rules without a recording: {few:?}");
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
