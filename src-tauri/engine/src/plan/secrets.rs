//! A plan that leaves the program: the secrets of its commands are variables there, which whoever runs it again sets, so it
//! means the same and holds none of them. It never changes the plan that is run here.

use std::ops::Range;
use std::sync::Arc;

use crate::protocol::{Assessment, PageReading, Plan, Step, UndoOutlook};
use crate::redact::{HIDDEN, Redactor, secrets_in};

/// A plan without its secrets, and the variables that stand for them.
pub(super) struct Shared {
    pub(super) plan: Plan,
    pub(super) variables: Vec<String>,
}

/// Where a place of a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
    /// The text of a here-document.
    Text,
}

/// A here-document that bash leaves as it is, for its word stands in quotes.
struct Raw {
    opened: Opened,
    body: Range<usize>,
    /// The word that ends it.
    end: Range<usize>,
}

/// The beginning of a here-document.
struct Opened {
    /// The word with its quotes.
    place: Range<usize>,
    /// Without them.
    word: String,
    /// Tabs before the word that ends it do not count.
    indented: bool,
}

pub(super) fn shared(plan: &Plan) -> Shared {
    let mut plan = plan.clone();
    let mut values: Vec<String> = Vec::new();
    let redactor = Redactor::default();
    for step in &mut plan.steps {
        if has_secrets(step) {
            put_variables(Arc::make_mut(step), &redactor, &mut values);
        }
    }
    // Titles are often made of the command.
    plan.title = redactor.text(&plan.title);
    plan.intent = redactor.text(&plan.intent);
    for step in &mut plan.steps {
        let hidden = |text: &Option<String>| text.as_deref().map(|text| redactor.text(text));
        let (title, why, expected) = (redactor.text(&step.title), hidden(&step.why), hidden(&step.expected));
        if title != step.title || why != step.why || expected != step.expected {
            let step = Arc::make_mut(step);
            (step.title, step.why, step.expected) = (title, why, expected);
        }
    }
    if let Some(page) = plan.page.as_mut() {
        // What is left out runs nowhere, so nobody is asked for its secrets.
        share_page(Arc::make_mut(page), &redactor, &mut values.clone());
    }
    Shared { plan, variables: (1..=values.len()).map(name).collect() }
}

fn has_secrets(step: &Step) -> bool {
    let texts = [Some(step.action.command()), step.verify.as_deref()];
    texts.into_iter().flatten().any(|text| !secrets_in(text).is_empty())
}

fn put_variables(step: &mut Step, redactor: &Redactor, values: &mut Vec<String>) {
    let command = step.action.command();
    redactor.know_command(command);
    if let Some(assessment) = &mut step.assessment {
        let secrets: Vec<&str> = secrets_in(command).into_iter().map(|place| &command[place]).collect();
        hide_in_assessment(assessment, &secrets, redactor);
    }
    step.action = step.action.with_text(with_variables(command, values));
    step.verify = step.verify.as_deref().map(|verify| with_variables(verify, values));
}

/// What is said of a command quotes it. The quotes are of another text than the one that leaves, so they stand nowhere in it.
fn hide_in_assessment(assessment: &mut Assessment, secrets: &[&str], redactor: &Redactor) {
    let hide = |text: &mut String| {
        let shown = redactor.text(text);
        // Not by its form alone: of a part of a command the program is not known.
        *text = secrets.iter().fold(shown, |text, secret| text.replace(secret, HIDDEN));
    };
    for reason in &mut assessment.reasons {
        hide(&mut reason.text);
        hide(&mut reason.fragment);
        reason.start = None;
    }
    assessment.effects.touches.iter_mut().for_each(hide);
    match &mut assessment.undo {
        UndoOutlook::ByHand { how } | UndoOutlook::Partly { how } | UndoOutlook::Cannot { why: how } => {
            hide(how)
        }
        UndoOutlook::NotNeeded | UndoOutlook::Kept => {}
    }
    if let Some(need) = &mut assessment.keyboard {
        [&mut need.fragment, &mut need.wants, &mut need.instead].into_iter().for_each(hide);
    }
}

/// What the page says of its plan, and where the page is on this machine.
fn share_page(page: &mut PageReading, redactor: &Redactor, values: &mut Vec<String>) {
    page.path = None;
    for step in page.left_out.iter_mut().flat_map(|one| &mut one.steps) {
        put_variables(step, redactor, values);
        step.title = redactor.text(&step.title);
    }
    let places = page.steps.iter_mut().flat_map(|place| [&mut place.text, &mut place.why]);
    let left_out = page.left_out.iter_mut().flat_map(|one| [&mut one.text, &mut one.why]);
    let ways = page.choices.iter_mut().flat_map(|choice| &mut choice.ways).flat_map(|way| &mut way.texts);
    let findings = page.findings.iter_mut().map(|finding| &mut finding.text);
    for text in places.chain(left_out).chain(ways).chain(findings) {
        *text = redactor.text(text);
    }
}

fn name(number: usize) -> String {
    format!("SECRET_{number}")
}

/// The same secret is the same variable. One that is not set ends the command, with its name.
fn with_variables(command: &str, values: &mut Vec<String>) -> String {
    let places = secrets_in(command);
    let mut parts: Vec<(Range<usize>, String)> = Vec::new();
    for place in &places {
        let secret = &command[place.clone()];
        let number = values.iter().position(|value| value == secret).unwrap_or_else(|| {
            values.push(secret.to_owned());
            values.len() - 1
        });
        let variable = format!("${{{}:?}}", name(number + 1));
        let variable = match quotes_at(command, place.start) {
            Quotes::None => format!("\"{variable}\""),
            Quotes::Single => format!("'\"{variable}\"'"),
            Quotes::Double | Quotes::Text => variable,
        };
        parts.push((place.clone(), variable));
    }
    // Bash puts no variable into a text whose word is in quotes: without them, all else that would mean something is escaped.
    for raw in here_documents(command).1 {
        if !places.iter().any(|place| raw.body.contains(&place.start)) {
            continue;
        }
        let plain = raw.opened.word.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_");
        parts.extend([(raw.opened.place, plain.clone()), (raw.end, plain)]);
        let signs = command[raw.body.clone()].match_indices(['\\', '$', '`']);
        let signs = signs.map(|(at, _)| raw.body.start + at);
        let others = signs.filter(|at| !places.iter().any(|place| place.contains(at)));
        parts.extend(others.map(|at| (at..at, "\\".to_owned())));
    }
    parts.sort_by_key(|(place, _)| place.start);
    let mut shared = String::with_capacity(command.len());
    let mut at = 0;
    for (place, part) in parts {
        shared.push_str(&command[at..place.start]);
        shared.push_str(&part);
        at = place.end;
    }
    shared.push_str(&command[at..]);
    shared
}

fn quotes_at(command: &str, place: usize) -> Quotes {
    let (texts, _) = here_documents(command);
    if texts.iter().any(|text| text.contains(&place)) {
        return Quotes::Text;
    }
    let mut quotes = Quotes::None;
    let mut at = 0;
    for text in texts.iter().filter(|text| text.end <= place) {
        quotes = quotes_behind(&command[at..text.start], quotes);
        at = text.end;
    }
    quotes_behind(&command[at..place], quotes)
}

/// Behind a part of a command that begins in such quotes.
fn quotes_behind(part: &str, mut quotes: Quotes) -> Quotes {
    let mut bytes = part.bytes();
    while let Some(byte) = bytes.next() {
        quotes = match (quotes, byte) {
            (Quotes::None, b'\'') => Quotes::Single,
            (Quotes::None, b'"') => Quotes::Double,
            (Quotes::Single, b'\'') | (Quotes::Double, b'"') => Quotes::None,
            (Quotes::None | Quotes::Double, b'\\') => {
                bytes.next();
                quotes
            }
            (quotes, _) => quotes,
        };
    }
    quotes
}

/// The texts of all here-documents, each with the line that ends it; and those that bash leaves as they are.
fn here_documents(command: &str) -> (Vec<Range<usize>>, Vec<Raw>) {
    let (mut texts, mut raws) = (Vec::new(), Vec::new());
    let mut open: Option<(Opened, usize)> = None;
    let (mut quotes, mut at) = (Quotes::None, 0);
    for line in command.split_inclusive('\n') {
        let behind = at + line.len();
        match open.take() {
            Some((opened, start)) => {
                let text = line.trim_end_matches('\n');
                let word = if opened.indented { text.trim_start_matches('\t') } else { text };
                let ends = word == opened.word;
                if ends || behind == command.len() {
                    texts.push(start..behind);
                }
                if ends && opened.place.len() > opened.word.len() {
                    let end = at + text.len();
                    raws.push(Raw { body: start..at, end: end - word.len()..end, opened });
                } else if !ends {
                    open = Some((opened, start));
                }
            }
            None => {
                quotes = quotes_behind(line, quotes);
                let opened = here_document_of(line, at).filter(|_| quotes == Quotes::None);
                open = opened.map(|opened| (opened, behind));
            }
        }
        at = behind;
    }
    (texts, raws)
}

/// The here-document whose text begins behind this line, which stands at `at`.
fn here_document_of(line: &str, at: usize) -> Option<Opened> {
    let mut signs = line.match_indices("<<").map(|(sign, _)| sign + 2);
    let behind = signs.find(|behind| !line[*behind..].starts_with('<'))?;
    let indented = line[behind..].starts_with('-');
    let rest = line[behind + usize::from(indented)..].trim_start();
    let start = at + line.len() - rest.len();
    let named = |text: &str| {
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(text.len())
    };
    let (before, length, after) = match rest.chars().next()? {
        quote @ ('\'' | '"') => (1, rest[1..].find(quote)?, 1),
        '\\' => (1, named(&rest[1..]), 0),
        _ => (0, named(rest), 0),
    };
    (length > 0).then(|| Opened {
        place: start..start + before + length + after,
        word: rest[before..before + length].to_owned(),
        indented,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::export::{to_json, to_markdown, to_script};
    use crate::plan::testing::plan_of;
    use crate::protocol::{Effects, Risk, RiskReason};

    #[test]
    fn a_secret_becomes_a_variable_in_whatever_quotes_it_stands() {
        for (command, shared) in [
            ("mysql -phunter2 shop", "mysql -p\"${SECRET_1:?}\" shop"),
            ("curl -u 'ada:pw 1' h", "curl -u 'ada:'\"${SECRET_1:?}\"'' h"),
            (
                "curl -H \"Authorization: Bearer abcdef\" h",
                "curl -H \"Authorization: Bearer ${SECRET_1:?}\" h",
            ),
            (
                "A_TOKEN=pw1 x; A_TOKEN=pw1 y; B_TOKEN=pw2 z",
                "A_TOKEN=\"${SECRET_1:?}\" x; A_TOKEN=\"${SECRET_1:?}\" y; B_TOKEN=\"${SECRET_2:?}\" z",
            ),
            (
                "cat > f <<EOF\nDB_PASSWORD=pw1\nEOF\necho it",
                "cat > f <<EOF\nDB_PASSWORD=${SECRET_1:?}\nEOF\necho it",
            ),
            (
                "cat > f <<'EOF'\nA=$HOME\\x `date`\nDB_PASSWORD=pw1\nEOF\necho $HOME",
                "cat > f <<EOF\nA=\\$HOME\\\\x \\`date\\`\nDB_PASSWORD=${SECRET_1:?}\nEOF\necho $HOME",
            ),
            ("cat <<-\\EOF | a\n\tB_TOKEN=pw1\n\tEOF", "cat <<-EOF | a\n\tB_TOKEN=${SECRET_1:?}\n\tEOF"),
            (
                "cat <<'EOF'\n$HOME\nEOF\nA_TOKEN=pw1 x",
                "cat <<'EOF'\n$HOME\nEOF\nA_TOKEN=\"${SECRET_1:?}\" x",
            ),
            ("echo it\\'s; mysql -phunter2", "echo it\\'s; mysql -p\"${SECRET_1:?}\""),
        ] {
            assert_eq!(with_variables(command, &mut Vec::new()), shared);
        }
    }

    #[test]
    fn no_export_holds_a_secret_and_the_script_does_the_same_when_it_is_given_one() {
        let folder = tempfile::tempdir().unwrap();
        let command = "printf '%s\\n' --password=hunter2x \"https://ada:hunter2x@h/\" > said";
        let mut plan = plan_of(&[command]);
        plan.title = "Say --password=hunter2x".into();
        for text in [to_script(&plan), to_markdown(&plan), to_json(&plan).unwrap()] {
            assert!(!text.contains("hunter2x") && text.contains("SECRET_1"), "{text}");
        }
        let script = folder.path().join("plan.sh");
        std::fs::write(&script, to_script(&plan)).unwrap();
        let run = |secret: Option<&str>| {
            let mut bash = std::process::Command::new("setsid");
            bash.arg("bash").arg(&script).current_dir(folder.path()).stdin(std::process::Stdio::null());
            bash.env_remove("SECRET_1").envs(secret.map(|secret| ("SECRET_1", secret)));
            bash.output().unwrap()
        };
        let without = run(None);
        assert!(!without.status.success());
        assert!(String::from_utf8_lossy(&without.stderr).contains("SECRET_1"), "{without:?}");
        let given = run(Some("hunter2x"));
        assert!(given.status.success(), "{given:?}");
        let said = std::fs::read_to_string(folder.path().join("said")).unwrap();
        assert_eq!(said, "--password=hunter2x\nhttps://ada:hunter2x@h/\n");
    }

    #[test]
    fn what_is_said_of_a_command_tells_none_of_its_secrets() {
        let mut plan = plan_of(&["mysql -ppw1 shop; wget --password=hunter2x http://h/x"]);
        let reason = |fragment: &str| RiskReason {
            risk: Risk::Caution,
            text: format!("{fragment} is shown to others"),
            fragment: fragment.to_owned(),
            start: Some(6),
            source: None,
        };
        let assessment = Assessment {
            risk: Risk::Caution,
            reasons: vec![reason("-ppw1"), reason("--password=hunter2x")],
            effects: Effects::default(),
            undo: UndoOutlook::Cannot { why: "hunter2x was sent".into() },
            keyboard: None,
        };
        Arc::make_mut(&mut plan.steps[0]).assessment = Some(assessment);
        let json = to_json(&plan).unwrap();
        assert!(!json.contains("hunter2x") && !json.contains("pw1"), "{json}");
        assert!(json.contains("\"fragment\": \"-p[secret hidden]\""), "{json}");
    }

    #[test]
    fn a_script_writes_the_very_text_of_a_here_document_with_its_secret_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let text = "A=$HOME \\$x \\\\ `date` \\\nDB_PASSWORD=hunter2x\n";
        let plan = plan_of(&[&format!("cat > said <<'END OF IT'\n{text}END OF IT")]);
        let script = folder.path().join("plan.sh");
        std::fs::write(&script, to_script(&plan)).unwrap();
        let mut bash = std::process::Command::new("bash");
        bash.arg(&script).current_dir(folder.path()).env("SECRET_1", "hunter2x");
        let ran = bash.output().unwrap();
        assert!(ran.status.success(), "{ran:?}\n{}", to_script(&plan));
        assert_eq!(std::fs::read_to_string(folder.path().join("said")).unwrap(), text);
    }
}
