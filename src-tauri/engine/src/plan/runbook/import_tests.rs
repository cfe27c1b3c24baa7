use planwright_shell::{Doubt, DoubtKind, Piece, Span};

use super::*;
use crate::protocol::{PlanOrigin, Readiness};

/// Takes each line as a command, and an odd number of single quotes as a mistake.
struct Lines;

impl ReadShell for Lines {
    async fn read_script(&self, text: &str) -> Facts {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let pieces = lines
            .map(|line| Piece { text: line.into(), comment: String::new(), span: Span { start: 0, end: 0 } })
            .collect();
        let doubts = (text.matches('\'').count() % 2 == 1).then(|| Doubt {
            kind: DoubtKind::Syntax,
            text: "a quote is not closed".into(),
            line: None,
        });
        Facts { pieces, doubts: doubts.into_iter().collect(), ..Facts::default() }
    }
}

async fn read(bytes: &[u8], name: &str) -> Plan {
    import(bytes, name, &Machine::default(), &Lines).await.unwrap()
}

async fn code(bytes: &[u8], name: &str) -> ErrorCode {
    import(bytes, name, &Machine::default(), &Lines).await.unwrap_err().code
}

#[test]
fn formats_by_name_and_by_text() {
    let format = |name: &str, text: &str| format_of(name, text).unwrap();
    assert_eq!(format("a.MD", "ls"), Format::Page);
    assert_eq!(format("a.sh", "# T\n```sh\n```"), Format::Script);
    assert_eq!(format("a.json", ""), Format::Json);
    assert_eq!(format("-", "#!/usr/bin/env -S bash -e\nls"), Format::Script);
    assert_eq!(format("run", "#!/bin/sh\nls"), Format::Script);
    assert_eq!(format("-", " {\"steps\": []}"), Format::Json);
    assert_eq!(format("-", "{ echo a; }"), Format::Script);
    assert_eq!(format("notes.txt", "Do:\n```sh\nls\n```"), Format::Page);
    assert_eq!(format("-", "# comment\nls"), Format::Script);
}

#[test]
fn a_script_for_another_program_is_told() {
    let error = format_of("x", "#!/usr/bin/env python3\nprint()").unwrap_err();
    assert_eq!(error.code, ErrorCode::ScriptSyntax);
    assert!(error.message.contains("python3"), "{}", error.message);
}

#[tokio::test]
async fn the_three_formats_and_pasted_text() {
    let plan = read(b"# T\n```sh\na\nb\n```", "x.md").await;
    assert_eq!((plan.steps.len(), &plan.origin), (2, &PlanOrigin::Runbook { name: "x.md".into() }));
    assert_eq!(read(b"a\nb\n", "x.sh").await.steps.len(), 2);
    let plan = read(b"{\"steps\": [{\"command\": \"a\"}]}", "-").await;
    assert_eq!(plan.origin, PlanOrigin::Json { name: "pasted text".into() });
    let plan = read(b"$ a\nout\n$ b\n", "").await;
    assert_eq!(plan.origin, PlanOrigin::Runbook { name: "pasted text".into() });
    assert_eq!(plan.steps[0].expected.as_deref(), Some("out"));
}

#[tokio::test]
async fn bad_input_has_its_code() {
    assert_eq!(code(b"# Only words\n", "x.md").await, ErrorCode::NoCommands);
    assert_eq!(code(b"", "x.md").await, ErrorCode::NoCommands);
    assert_eq!(code(b"", "-").await, ErrorCode::NoCommands);
    assert_eq!(code(b"# only a comment\n", "x.sh").await, ErrorCode::NoCommands);
    assert_eq!(code(&vec![b'a'; 5 * 1024 * 1024 + 1], "x.md").await, ErrorCode::TooLarge);
    assert_eq!(code(b"\x7fELF\0\0", "x.md").await, ErrorCode::NotText);
    assert_eq!(code(b"echo 'a\n", "x.sh").await, ErrorCode::ScriptSyntax);
    assert_eq!(code(b"```sh\necho 'a\n```\n", "x.md").await, ErrorCode::ScriptSyntax);
    assert_eq!(code(b"{\"steps\": [", "x.json").await, ErrorCode::InvalidPlan);
}

#[tokio::test]
async fn latin_1_is_imported_with_a_note() {
    let plan = read(b"# Pr\xe9parer\n```sh\necho \xe9t\xe9\n```", "x.md").await;
    assert_eq!(plan.title, "Préparer");
    assert_eq!(plan.steps[0].action.command(), "echo été");
    assert!(plan.intent.contains("Windows-1252"), "{}", plan.intent);
}

/// Without this a page stands still at its server for ever.
#[tokio::test]
async fn a_server_in_the_middle_of_a_page_goes_on_beside_the_later_steps() {
    let service = async |line: &str| {
        let page = format!("# T\n\n```sh\n{line}\ncurl localhost\n```\n");
        let plan = read(page.as_bytes(), "x.md").await;
        plan.steps[0].service.clone().map(|service| service.ready)
    };
    let port = |port| Some(Readiness::Port { port });
    assert_eq!(service("flask run").await, port(5000));
    assert_eq!(service("flask run --port=8080").await, port(8080));
    assert_eq!(service("python manage.py runserver 0.0.0.0:9000").await, port(9000));
    assert_eq!(service("uvicorn main:app --port 8001 --reload").await, port(8001));
    assert_eq!(service("python3 -m http.server").await, port(8000));
    assert_eq!(service("python3 -m http.server 8931").await, port(8931));
    // Where it answers is its own business, and it says so.
    for line in ["npm run dev", "node app.js", "npm start", "deno task dev"] {
        assert_eq!(service(line).await, Some(Readiness::Address), "{line}");
    }
    assert_eq!(service("npm run dev -- --port 4000").await, port(4000));
    assert_eq!(service("tail -f log").await, None);
    assert_eq!(service("flask run --help").await, None);
    assert_eq!(service("flask run &").await, None);
    assert_eq!(service("flask db upgrade").await, None);
    assert_eq!(read(b"flask run\ncurl localhost\n", "x.sh").await.steps[0].service, None);
}
