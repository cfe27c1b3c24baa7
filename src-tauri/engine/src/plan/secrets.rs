//! A plan that leaves the program: the secrets of its commands are variables there, which whoever runs it again sets, so it
//! means the same and holds none of them. It never changes the plan that is run here.

use std::sync::Arc;

use crate::protocol::{PageReading, Plan, Step};
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
    /// A text in which bash puts variables in, as in double quotes.
    Text,
    /// A text that bash leaves as it is.
    RawText,
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
    redactor.know_command(step.action.command());
    step.action = step.action.with_text(with_variables(step.action.command(), values));
    step.verify = step.verify.as_deref().map(|verify| with_variables(verify, values));
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
    let mut shared = String::with_capacity(command.len());
    let mut at = 0;
    for place in secrets_in(command) {
        let secret = &command[place.clone()];
        shared.push_str(&command[at..place.start]);
        at = place.end;
        let quotes = quotes_at(command, place.start);
        if quotes == Quotes::RawText {
            shared.push_str(HIDDEN);
            continue;
        }
        let number = values.iter().position(|value| value == secret).unwrap_or_else(|| {
            values.push(secret.to_owned());
            values.len() - 1
        });
        let variable = format!("${{{}:?}}", name(number + 1));
        shared.push_str(&match quotes {
            Quotes::None => format!("\"{variable}\""),
            Quotes::Single => format!("'\"{variable}\"'"),
            Quotes::Double | Quotes::Text | Quotes::RawText => variable,
        });
    }
    shared.push_str(&command[at..]);
    shared
}

fn quotes_at(command: &str, place: usize) -> Quotes {
    let (mut quotes, mut here_document): (_, Option<(&str, Quotes)>) = (Quotes::None, None);
    let mut offset = 0;
    for line in command.split_inclusive('\n') {
        let end = offset + line.len();
        if let Some((word, kind)) = here_document {
            if line.trim() == word {
                here_document = None;
            } else if place < end {
                return kind;
            }
            offset = end;
            continue;
        }
        let until = line.len().min(place.saturating_sub(offset));
        let mut bytes = line.as_bytes()[..until].iter();
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
        if place < end {
            return quotes;
        }
        if quotes == Quotes::None {
            here_document = here_document_of(line);
        }
        offset = end;
    }
    quotes
}

/// The word that ends the text that begins behind this line, and how bash reads the text.
fn here_document_of(line: &str) -> Option<(&str, Quotes)> {
    let behind =
        line.match_indices("<<").map(|(at, _)| &line[at + 2..]).find(|behind| !behind.starts_with('<'))?;
    let word = behind.trim_start_matches('-').trim_start();
    let (word, kind) = match word.strip_prefix(['\'', '"', '\\']) {
        Some(word) => (word, Quotes::RawText),
        None => (word, Quotes::Text),
    };
    let end =
        word.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(word.len());
    (end > 0).then(|| (&word[..end], kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::export::{to_json, to_markdown, to_script};
    use crate::plan::testing::plan_of;

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
            ("cat > f <<'EOF'\nDB_PASSWORD=pw1\nEOF", "cat > f <<'EOF'\nDB_PASSWORD=[secret hidden]\nEOF"),
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
}
