//! Five hundred commands of daily life and more: at most three parts in a hundred may be unknown. Written from what people type, not
//! from the tables. The machine's manual is left out, so that the figure is the same everywhere.

use std::collections::BTreeMap;

use super::explain_with;
use crate::manual::DiskManuals;
use crate::protocol::{Explanation, UndoOutlook};
use crate::risk::assess;
use crate::risk::fixture::{TestPaths, read, workspace};

const DAILY: &str = include_str!("fixtures/daily.txt");

fn commands() -> Vec<&'static str> {
    DAILY.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).collect()
}

fn explained(command: &str) -> Explanation {
    let environment = BTreeMap::from([("HOME".into(), "/home/u".into())]);
    let (paths, functions) = (TestPaths::default(), BTreeMap::new());
    let place = workspace(&paths, &environment, &functions);
    let facts = read(command);
    let assessment = assess(command, &facts, &place);
    explain_with(command, &facts, assessment, &place, &DiskManuals::of(Vec::new(), Vec::new()))
}

#[test]
fn explain_knows_the_parts_of_daily_commands() {
    let commands = commands();
    let (mut parts, mut unknown) = (0, Vec::new());
    for command in &commands {
        let explanation = explained(command);
        parts += explanation.parts.len();
        let strange = explanation.parts.iter().filter(|part| !part.known);
        unknown.extend(strange.map(|part| format!("{} in: {command}", part.text)));
    }
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let share = unknown.len() as f64 * 100.0 / parts as f64;
    println!("{} commands, {parts} parts, {} not known: {share:.1} %", commands.len(), unknown.len());
    println!("{}", unknown.join("\n"));
    assert!(commands.len() >= 500 && share <= 3.0, "{share:.1} %: {unknown:#?}");
}

#[test]
fn explain_never_leaves_a_gap_in_its_templates() {
    for command in commands() {
        let explanation = explained(command);
        for part in &explanation.parts {
            assert!(!part.meaning.is_empty(), "{command}: {}", part.text);
            let own = part.text.contains('{') || command.contains("-exec");
            assert!(own || !part.meaning.contains("{}"), "{command}: {} = {}", part.text, part.meaning);
        }
        for text in explanation
            .undo_commands
            .iter()
            .chain(explanation.safer.iter().filter_map(|way| way.command.as_ref()))
        {
            assert!(!text.contains("{}") && !text.is_empty(), "{command}: {text}");
        }
    }
}

#[test]
fn explain_agrees_with_the_verdict_on_undo() {
    let mut with = 0;
    for command in commands() {
        let explanation = explained(command);
        assert_eq!(explanation.undo, explanation.assessment.undo, "{command}");
        let none = matches!(explanation.undo, UndoOutlook::NotNeeded | UndoOutlook::Cannot { .. });
        assert!(!none || explanation.undo_commands.is_empty(), "{command}: {:?}", explanation.undo_commands);
        with += usize::from(!explanation.undo_commands.is_empty());
    }
    println!("{with} of them come with the very command that takes them back");
}
