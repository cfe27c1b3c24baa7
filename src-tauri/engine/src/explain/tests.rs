use std::collections::BTreeMap;

use super::explain;
use crate::protocol::Explanation;
use crate::risk::assess;
use crate::risk::test_reader::{TestPaths, read, workspace};

fn explained(command: &str) -> Explanation {
    let environment = BTreeMap::from([("HOME".into(), "/home/u".into())]);
    let (paths, functions) = (TestPaths::default(), BTreeMap::new());
    let place = workspace(&paths, &environment, &functions);
    let facts = read(command);
    explain(command, &facts, assess(command, &facts, &place), &place)
}

fn told(command: &str) -> String {
    let explanation = explained(command);
    let mut lines: Vec<String> = explanation
        .parts
        .iter()
        .map(|part| format!("{} = {}{}", part.text, part.meaning, if part.known { "" } else { " (?)" }))
        .collect();
    lines.extend(explanation.changes.iter().map(|change| format!("changes: {change}")));
    lines.extend(explanation.expect.iter().map(|expect| format!("expect: {expect}")));
    lines.join("\n")
}
