use planwright_shell::{Context, Doubt, Function, Piece, SimpleCommand, Span, Value, Word};

use super::*;
use crate::plan::page::Machine;
use crate::plan::runbook::{blocks, script};

/// Pieces as a reader would give them; the spans are in the order of the pieces.
fn facts(pieces: &[(&str, &str)]) -> Facts {
    let mut facts = Facts::default();
    let mut start = 0;
    for (comment, text) in pieces {
        let span = Span { start, end: start + text.chars().count() as u32 };
        start = span.end + 1;
        facts.pieces.push(Piece { text: (*text).into(), comment: (*comment).into(), span });
        let first = text.split_whitespace().next().unwrap_or_default();
        facts.commands.push(SimpleCommand {
            words: vec![Word {
                raw: first.into(),
                value: Value::Known { text: first.into(), tilde: false },
                span,
                bare: true,
            }],
            assignments: vec![],
            redirects: vec![],
            span,
            context: Context::default(),
        });
    }
    facts
}

fn plan(text: &str, facts: &[Facts]) -> Plan {
    assemble(&blocks(text, "guide.md", &Machine::default()).unwrap(), facts).unwrap()
}

fn titles(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.title.as_str()).collect()
}

#[test]
fn a_page_becomes_a_chain_of_steps() {
    let text = "# App\n\nThe app.\n\n## Make an environment\n\nKeeps things apart.\n\n```sh\na\n```\n\n## Install\n\n```sh\n# Get the tools. All of them.\nb\nc\n```\n";
    let plan = plan(
        text,
        &[facts(&[("", "a")]), facts(&[("Get the tools. All of them.", "npm ci"), ("", "npm test")])],
    );
    assert_eq!((plan.title.as_str(), plan.intent.as_str()), ("App", "The app."));
    assert_eq!(titles(&plan), ["Make an environment", "Get the tools", "Run the tests"]);
    assert_eq!(plan.steps[0].why.as_deref(), Some("Keeps things apart."));
    assert_eq!(plan.steps[1].why.as_deref(), Some("Get the tools. All of them."));
    assert_eq!(plan.steps[2].why, None);
    assert_eq!(plan.steps[2].depends_on, [plan.steps[1].id.clone()]);
    assert_eq!(plan.steps[0].depends_on, []);
    assert_eq!(plan.steps[2].kind, StepKind::Test);
}

#[test]
fn a_heading_over_several_blocks_names_none_of_them() {
    let text = "# App\n## Install\nMake a folder:\n```sh\na\n```\nAnd go on as long as it takes to get everything that this long sentence asks for.\n```sh\nb\n```\n";
    let plan = plan(text, &[facts(&[("", "mkdir x")]), facts(&[("", "npm ci")])]);
    assert_eq!(titles(&plan), ["Make a folder", "Install the packages"]);
}

#[test]
fn what_a_page_shows_after_a_prompt_is_expected() {
    let text = "# T\n```console\n# set it up\n$ npm ci\nadded 1\n$ npm test\n```\n\n```console\nroot@h:~# apt update\n```";
    let plan = plan(text, &[Facts::default(), Facts::default()]);
    assert_eq!(plan.steps[0].expected.as_deref(), Some("added 1"));
    assert_eq!(plan.steps[0].title, "Set it up");
    assert_eq!(plan.steps[1].expected, None);
    assert!(plan.steps[2].why.as_deref().is_some_and(|why| why.contains("superuser")));
    assert_eq!(plan.steps[2].action.command(), "apt update");
}

#[test]
fn options_of_a_script_go_with_the_commands_they_matter_to() {
    let page = script("# Deploys the app\nx", "deploy.sh").unwrap();
    let mut facts = facts(&[
        ("Deploys the app", "set -euo pipefail"),
        ("", "cd app"),
        ("", "tar c . | gzip > x.gz"),
        ("", "rm -r \"$OUT\""),
        ("", "deploy() {\n  a\n  b\n}"),
        ("", "deploy"),
        ("", "exit 0"),
    ]);
    facts.functions.push(Function { name: "deploy".into(), body: 0..0 });
    let plan = assemble(&page, &[facts]).unwrap();
    let commands: Vec<&str> = plan.steps.iter().map(|step| step.action.command()).collect();
    assert_eq!(
        commands,
        [
            "set -euo pipefail\ncd app",
            "tar c . | gzip > x.gz",
            "rm -r \"$OUT\"",
            "deploy() {\n  a\n  b\n}",
            "deploy",
        ]
    );
    assert_eq!(plan.title, "Deploy");
    assert_eq!(plan.steps[0].title, "Go to app");
}

#[test]
fn only_options_that_stop_earlier_are_lifted() {
    for text in ["set -e", "set -eu", "set -euo pipefail", "set -o pipefail -e", "set +e", "set +o pipefail"]
    {
        assert!(sets_options(text), "{text}");
    }
    for text in [
        "set",
        "set -- a b",
        "set -o",
        "set -o noclobber",
        "set -f",
        "set -x",
        "set -e; rm x",
        "set -e foo",
        "setx -e",
    ] {
        assert!(!sets_options(text), "{text}");
    }
}

fn doubt(kind: DoubtKind, line: Option<u32>) -> Facts {
    Facts { doubts: vec![Doubt { kind, text: "a quote is not closed".into(), line }], ..facts(&[("", "x")]) }
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let text = "# T\n\n```sh\na\n```\n\n```sh\nb\n'\n```";
    let page = blocks(text, "guide.md", &Machine::default()).unwrap();
    let plan = assemble(&page, &[facts(&[("", "a")]), doubt(DoubtKind::Syntax, Some(2))]).unwrap();
    let left_out = &plan.page.as_ref().unwrap().left_out;
    assert_eq!((plan.steps.len(), left_out.len()), (1, 1), "one bad block refuses no page");
    assert_eq!(left_out[0].role, PageRole::Unreadable);
    assert!(
        left_out[0].why.starts_with("Line 9 of guide.md (in command block 2) cannot be read"),
        "{}",
        left_out[0].why
    );

    let page = script("'", "a.sh").unwrap();
    let error = assemble(&page, &[doubt(DoubtKind::Syntax, Some(1))]).unwrap_err();
    assert!(error.message.starts_with("Line 1 of a.sh cannot"), "{}", error.message);
    assert!(error.message.contains("`bash -n a.sh`"), "{}", error.message);
    assert_eq!(assemble(&page, &[doubt(DoubtKind::TooLong, None)]).unwrap_err().code, ErrorCode::TooLarge);
    assert_eq!(
        assemble(&page, &[doubt(DoubtKind::Exhausted, None)]).unwrap_err().code,
        ErrorCode::ScriptSyntax
    );
    assert!(
        assemble(&page, &[doubt(DoubtKind::Hidden, None)]).is_ok(),
        "shown and assessed where it can be seen"
    );
}

#[test]
fn nothing_but_comments_is_no_plan() {
    let page = script("# only words", "a.sh").unwrap();
    assert_eq!(assemble(&page, &[Facts::default()]).unwrap_err().code, ErrorCode::NoCommands);
    assert_eq!(assemble(&page, &[]).unwrap_err().code, ErrorCode::Internal);
}

#[test]
fn ten_thousand_commands_are_a_plan_and_more_are_not() {
    let page = script("x", "a.sh").unwrap();
    assert_eq!(assemble(&page, &[facts(&[("", "a"); 10_000])]).unwrap().steps.len(), 10_000);
    assert_eq!(assemble(&page, &[facts(&[("", "a"); 10_001])]).unwrap_err().code, ErrorCode::TooManySteps);
}

#[test]
fn numbers_of_headings() {
    for (heading, text) in [
        ("3. Build", "Build"),
        ("Step 2: Build", "Build"),
        ("4) Go", "Go"),
        ("2.5 Build", "2.5 Build"),
        ("7.", "7."),
        ("Step up", "Step up"),
    ] {
        assert_eq!(without_number(heading), text);
    }
}

#[test]
fn a_comment_behind_a_command_is_a_reason_and_no_title() {
    let page = script("npm ci  # takes a minute", "a.sh").unwrap();
    let plan = assemble(&page, &[facts(&[("takes a minute", "npm ci")])]).unwrap();
    assert_eq!(titles(&plan), ["Install the packages"]);
    assert_eq!(plan.steps[0].why.as_deref(), Some("takes a minute"));
}

#[test]
fn a_page_without_a_title_is_called_by_its_file_its_first_sentence_or_its_first_step() {
    let titled = |name: &str, intro: &str| {
        let mut page = script("make test", name).unwrap();
        page.intro = intro.to_owned();
        assemble(&page, &[facts(&[("", "make test")])]).unwrap().title
    };
    assert_eq!(titled("set-up_server.sh", "Sets it up."), "Set up server");
    assert_eq!(titled("p.md", "Cleans the cache. Then more."), "Cleans the cache");
    assert_eq!(titled("README.md", "Makes a site:"), "Makes a site");
    assert_eq!(titled("p", ""), "Run the tests");
    assert_eq!(titled("-", &"long ".repeat(40)), "Run the tests");
}

/// The shell lives on from step to step; only a question after the last command belongs to it.
#[test]
fn blocks_are_steps_of_their_own_unless_one_asks_for_the_status_before_it() {
    let command = |text: &str, span: Span, background: bool| SimpleCommand {
        words: text
            .split(' ')
            .map(|word| Word {
                raw: word.to_owned(),
                value: Value::Known { text: word.to_owned(), tilde: false },
                span,
                bare: true,
            })
            .collect(),
        assignments: Vec::new(),
        redirects: Vec::new(),
        span,
        context: Context { background, ..Context::default() },
    };
    let commands = |blocks: &[(&str, bool)]| -> Vec<String> {
        let text: String =
            blocks.iter().map(|(text, _)| format!("Do it:\n\n```sh\n{text}\n```\n\n")).collect();
        let read: Vec<Facts> = blocks
            .iter()
            .map(|(text, background)| {
                let mut read = facts(&[("", text)]);
                read.commands.push(command(
                    text.trim_end_matches(" &"),
                    Span { start: 0, end: 1 },
                    *background,
                ));
                read
            })
            .collect();
        plan(&text, &read).steps.iter().map(|step| step.action.command().to_owned()).collect()
    };
    assert_eq!(
        commands(&[
            ("make serve &", true),
            ("make more", false),
            ("curl localhost:1", false),
            ("make all", false)
        ]),
        ["make serve &", "make more", "curl localhost:1", "make all"]
    );
    assert_eq!(commands(&[("ls a", false), ("echo $?", false), ("ls b", false)]), ["ls a\necho $?", "ls b"]);
    assert_eq!(
        commands(&[("exec $SHELL", false), ("ls a", false)]),
        ["if [ -f ~/.bashrc ]; then . ~/.bashrc; fi", "ls a"]
    );
}

#[test]
fn a_line_that_goes_on_to_nothing_ends_there() {
    for (text, expected) in [("echo a \\", "echo a"), ("echo a\\\\", "echo a\\\\"), ("echo a", "echo a")] {
        let page = script(text, "a.sh").unwrap();
        assert_eq!(assemble(&page, &[facts(&[("", text)])]).unwrap().steps[0].action.command(), expected);
    }
}
