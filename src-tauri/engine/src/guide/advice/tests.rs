//! Real programs' messages, recorded on a machine: with the one right answer, or none.

use std::collections::BTreeMap;
use std::fmt::Write;

use planwright_shell::Facts;
use serde::Deserialize;

use super::super::{Failure, SketchedMachine, diagnose};

const RECORDED: &str = include_str!("../fixtures/advice.json");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    command: String,
    exit: i32,
    said: String,
    /// The new command or the step before it; `None`: silence.
    expect: Option<String>,
    /// What the machine's manual lists, by page.
    #[serde(default)]
    manual: BTreeMap<String, Vec<String>>,
}

const PROGRAMS: &str = "apt apt-get bash cargo composer docker fdfind gcc gem gh git go grep hg java kubectl make mvn node npm npx pip \
                        pip3 pnpm python3 redis-cli rg ruby sudo systemctl terraform yarn";

fn answer(recording: &Recording) -> Option<String> {
    let failure = Failure {
        command: recording.command.clone(),
        exit_code: Some(recording.exit),
        stdout: String::new(),
        stderr: recording.said.clone(),
        cwd: None,
    };
    let machine = SketchedMachine {
        programs: PROGRAMS.split_whitespace().map(str::to_owned).collect(),
        root: true,
        folders: vec!["/run/systemd/system".into()],
        manual: recording.manual.clone(),
        ..SketchedMachine::default()
    };
    let facts: Facts = planwright_shell::read(&recording.command, planwright_shell::MAX_TEXT);
    let correction = diagnose(&failure, &facts, &machine)?;
    let step = correction.new_steps.iter().flatten().next().map(|step| step.command.clone());
    Some(correction.modified_command.or(step).unwrap_or_else(|| format!("{:?}", correction.action)))
}

#[test]
fn real_messages_get_the_answer_that_is_in_them_and_others_none() {
    let recordings: Vec<Recording> = serde_json::from_str(RECORDED).unwrap();
    let fires = recordings.iter().filter(|recording| recording.expect.is_some()).count();
    assert!(fires >= 80 && recordings.len() - fires >= 80, "{fires} of {}", recordings.len());
    let mut wrong = String::new();
    for recording in &recordings {
        let answer = answer(recording);
        // To stop with a word why is no answer.
        let is_silent = recording.expect.is_none() && answer.as_deref() == Some("Abort");
        if answer != recording.expect && !is_silent {
            let said: String = recording.said.chars().take(400).collect();
            writeln!(
                wrong,
                "$ {}\n{said}\n  wanted {:?}\n  got    {answer:?}\n",
                recording.command, recording.expect
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
