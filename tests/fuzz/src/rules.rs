//! What must hold for every text, whatever it is. Owns the rules and how a breach is told; makes no texts.

use planwright_engine::protocol::{Assessment, Explanation, Risk};
use planwright_shell::{DoubtKind, Facts, Span};

/// Why a text is a fault of the analyser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach(pub String);

/// Doubts that are not at least dangerous, and places that are not in the text.
pub fn check(text: &str, facts: &Facts, assessment: &Assessment) -> Result<(), Breach> {
    if !facts.doubts.is_empty() && assessment.risk < Risk::Dangerous {
        return breach(format!("{:?} although there are doubts: {:?}", assessment.risk, facts.doubts));
    }
    if assessment.risk > Risk::Safe && assessment.reasons.is_empty() {
        return breach(format!("{:?} without a reason", assessment.risk));
    }
    let characters: Vec<char> = text.chars().collect();
    places(characters.len(), facts)?;
    for reason in &assessment.reasons {
        let Some(start) = reason.start.map(|start| start as usize) else { continue };
        let end = start + reason.fragment.chars().count();
        let there = characters.get(start..end).unwrap_or(&[]);
        if there.iter().copied().ne(reason.fragment.chars()) {
            return breach(format!("the fragment {:?} does not stand at {start}", reason.fragment));
        }
    }
    Ok(())
}

fn places(length: usize, facts: &Facts) -> Result<(), Breach> {
    let inside = |what: &str, span: Span| {
        if span.start <= span.end && span.end as usize <= length {
            Ok(())
        } else {
            breach(format!("{what} at {span:?} in a text of {length}"))
        }
    };
    for command in &facts.commands {
        inside("a command", command.span)?;
        command.words.iter().try_for_each(|word| inside("a word", word.span))?;
        command.redirects.iter().try_for_each(|redirect| inside("a target", redirect.target.span))?;
        command.assignments.iter().try_for_each(|assignment| inside("a value", assignment.value.span))?;
    }
    facts.pieces.iter().try_for_each(|piece| inside("a piece", piece.span))?;
    facts.inner.iter().try_for_each(|inner| places(inner.text.chars().count(), &inner.facts))
}

/// Two answers to one text.
pub fn same(first: (&Facts, &Assessment), second: (&Facts, &Assessment)) -> Result<(), Breach> {
    if first == second || ran_out(first.0) || ran_out(second.0) {
        return Ok(());
    }
    breach("two answers to one text differ".to_owned())
}

/// A text that deletes the home folder at its end, and what was judged of it.
pub fn not_lowered(assessment: &Assessment) -> Result<(), Breach> {
    if assessment.risk >= Risk::Dangerous {
        return Ok(());
    }
    breach(format!("{:?} although it deletes the home folder at its end", assessment.risk))
}

/// `text` with an end that deletes the home folder; `None` where that end could come to mean something else.
pub fn with_harmful_end(text: &str, facts: &Facts) -> Option<String> {
    let changes_meaning = [
        "HOME", "rm", "alias", "exit", "exec", "return", "break", "continue", "set ", "enable", "eval",
        "source", ". ",
    ];
    // A word may go on behind the end of a line.
    let joined = text.replace("\\\n", "");
    let escaped = text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    let plain = facts.doubts.is_empty()
        && !escaped
        && !changes_meaning.iter().any(|word| joined.contains(word))
        && !facts.commands.is_empty();
    plain.then(|| format!("{text}\nrm -rf ~"))
}

/// What is explained is the whole text, in its order.
pub fn explains(text: &str, explanation: &Explanation) -> Result<(), Breach> {
    let parts: String = explanation.parts.iter().map(|part| part.text.as_str()).collect();
    if without_blanks(&parts) == without_blanks(text) {
        return Ok(());
    }
    breach(format!("the parts that are explained are {parts:?}"))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The reader gave up: it died, or took too long.
pub fn ran_out(facts: &Facts) -> bool {
    facts.doubts.iter().any(|doubt| doubt.kind == DoubtKind::Exhausted)
}

/// Short signs of what kinds of things were found, for telling a new kind of text from an old one.
pub fn signs(facts: &Facts, assessment: &Assessment) -> Vec<String> {
    let mut signs: Vec<String> =
        facts.doubts.iter().map(|doubt| format!("{:?} {}", doubt.kind, start(&doubt.text))).collect();
    for reason in &assessment.reasons {
        signs.push(format!("{:?} {}", reason.risk, start(&reason.text)));
    }
    for command in &facts.commands {
        let context =
            planwright_shell::Context { pipeline: 0, stage: command.context.stage.min(3), ..command.context };
        let kinds: Vec<_> = command.redirects.iter().take(3).map(|redirect| redirect.kind).collect();
        let values: Vec<_> =
            command.words.iter().take(3).map(|word| std::mem::discriminant(&word.value)).collect();
        signs.push(format!("{context:?} {kinds:?} {values:?}"));
    }
    signs.push(format!("{} {}", facts.inner.len().min(4), facts.functions.len().min(4)));
    signs
}

fn start(text: &str) -> &str {
    text.split([':', '`', '\'']).next().unwrap_or(text)
}

fn breach(text: String) -> Result<(), Breach> {
    Err(Breach(text))
}
