use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::plan::page::Machine;
use crate::plan::runbook::{ReadShell, assemble, blocks};
use crate::plan::testing::plan_of;
use crate::plan::validate::{MAX_IMPORTED_STEPS, validate};
use crate::protocol::{Action, StepKind, StepLimits};

/// What a round trip keeps: the definition.
fn definition(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.id = crate::protocol::PlanId(uuid::Uuid::nil());
    plan.origin = crate::protocol::PlanOrigin::User;
    // How its page was read is of the page.
    plan.page = None;
    plan
}

fn back(plan: &Plan) -> Plan {
    let page = to_markdown(plan);
    let read = blocks(&page, "x.md", &Machine::default()).unwrap_or_else(|error| panic!("{error}\n{page}"));
    let facts = vec![planwright_shell::Facts::default(); read.blocks.len()];
    assemble(&read, &facts).unwrap_or_else(|error| panic!("{error}\n{page}"))
}

fn rich_plan() -> Plan {
    let mut plan = plan_of(&["npm ci", "cat > a.md <<'EOF'\n```sh\nx\n```\nEOF", "npm test"]);
    plan.title = "Build the app".into();
    plan.intent = "Builds *everything*, twice.".into();
    Arc::make_mut(&mut plan.steps[0]).title = "Install the packages".into();
    Arc::make_mut(&mut plan.steps[0]).kind = StepKind::Install;
    Arc::make_mut(&mut plan.steps[0]).why = Some("The build needs them.".into());
    Arc::make_mut(&mut plan.steps[0]).expected = Some("added 3 packages".into());
    Arc::make_mut(&mut plan.steps[0]).verify = Some("test -d node_modules # -->".into());
    Arc::make_mut(&mut plan.steps[2]).ok_exit = vec![0, 1];
    Arc::make_mut(&mut plan.steps[2]).depends_on = vec!["s1".into()];
    Arc::make_mut(&mut plan.steps[2]).limits =
        StepLimits { wall_seconds: Some(60), silence_seconds: Some(5) };
    Arc::make_mut(&mut plan.steps[2]).estimate_seconds = Some(9);
    plan
}

#[test]
fn a_page_for_people_that_comes_back() {
    let plan = rich_plan();
    let page = to_markdown(&plan);
    assert!(
        page.starts_with(
            "# Build the app\n\nBuilds \\*everything\\*, twice.\n\n## 1. Install the packages\n\n"
        )
    );
    assert!(page.contains("\nThe build needs them.\n\n<!-- step id=s1 kind=install verify="), "{page}");
    assert!(page.contains("\n````sh\ncat > a.md"), "{page}");
    assert!(!page.contains("<!-- plan"), "{page}");
    assert_eq!(definition(&back(&plan)), definition(&plan));
}

#[test]
fn awkward_texts_come_back() {
    for text in [
        "# not a heading",
        "1. one",
        "- item",
        "a --> b <!-- c",
        "`code` **bold** [x](y) <b>",
        "&amp; \\ ~~~",
        "a\nb",
        "a\n\nb",
        "  padded ",
        "日本語 🚀",
        "===",
        "Step 2: x",
        "| a | b |",
        "\u{2028}",
        "--",
        "<!-- step id=x -->",
        "a\tb",
        "$x$",
        "http://example.org/a_b_c",
        "\u{0}",
        "x\u{0}y",
        "\r",
        "a\r\nb",
        "\u{a0}",
    ] {
        let mut plan = plan_of(&["true", "false"]);
        plan.title = text.into();
        plan.intent = text.into();
        for step in &mut plan.steps {
            Arc::make_mut(step).title = text.into();
            Arc::make_mut(step).why = Some(text.into());
            Arc::make_mut(step).expected = Some(text.into());
        }
        // An empty text is none at all; a blank one is no title.
        if text.trim().is_empty() {
            continue;
        }
        assert_eq!(definition(&back(&plan)), definition(&plan), "{text:?}\n{}", to_markdown(&plan));
    }
}

fn awkward() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 ]{1,12}",
        "[ -~]{1,12}",
        "\\PC{1,6}",
        Just("```".to_owned()),
        Just("~~~~".to_owned()),
        Just("-->".to_owned()),
        Just("<!--".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\t".to_owned()),
        Just("\\".to_owned()),
        Just("cat <<'EOF'\n$ x\nEOF".to_owned()),
        Just("    indented".to_owned()),
        Just("\"quoted\" 'too'".to_owned()),
        Just("é日🚀".to_owned()),
        Just("# ".to_owned()),
        Just("1. ".to_owned()),
    ];
    proptest::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    awkward().prop_filter("blank text is no text", |text| !text.trim().is_empty())
}

fn command() -> impl Strategy<Value = String> {
    text()
        .prop_map(|text| text.trim_matches('\n').to_owned())
        .prop_filter("blank", |text| !text.trim().is_empty())
}

prop_compose! {
    fn step()(
        id in text(), title in text(), command in command(), why in proptest::option::of(text()),
        expected in proptest::option::of(text()), verify in proptest::option::of(command()),
        exits in proptest::collection::vec(any::<i32>(), 1..3), wall in proptest::option::of(any::<u32>()),
        estimate in proptest::option::of(any::<u32>()), kind in 0..8usize, needs in 0..4u8,
    ) -> (Step, u8) {
        use StepKind as K;
        let kinds = [K::Analyze, K::Refactor, K::Validate, K::Test, K::Install, K::Configure, K::Execute, K::Repair];
        let mut step = crate::plan::testing::step_of(&id, 0, "");
        step.title = title;
        step.kind = kinds[kind];
        step.action = Action::Shell { command };
        step.why = why;
        step.expected = expected;
        step.verify = verify;
        step.ok_exit = exits;
        step.limits = StepLimits { wall_seconds: wall, silence_seconds: None };
        step.estimate_seconds = estimate;
        (step, needs)
    }
}

prop_compose! {
    fn plan()(
        steps in proptest::collection::vec(step(), 1..6), title in text(), intent in text(),
        mode in 0..3usize, on_failure in 0..3usize,
    ) -> Plan {
        let mut plan = plan_of(&[]);
        plan.title = title;
        plan.intent = intent;
        plan.mode = [Mode::Planner, Mode::Teacher, Mode::Agentic][mode];
        plan.on_failure = [OnFailure::Stop, OnFailure::Rollback, OnFailure::Continue][on_failure];
        for (place, (mut step, needs)) in steps.into_iter().enumerate() {
            step.id = StepId(format!("{}#{place}", step.id));
            step.index = place as u32;
            let earlier: Vec<StepId> = plan.steps.iter().map(|step| step.id.clone()).collect();
            step.depends_on = match needs {
                0 => vec![],
                1 => earlier,
                _ => earlier.last().cloned().into_iter().collect(),
            };
            plan.steps.push(Arc::new(step));
        }
        plan.original_steps = plan.steps.len() as u32;
        plan
    }
}

proptest! {
    #[test]
    fn any_plan_comes_back_from_its_page(plan in plan()) {
        prop_assert_eq!(validate(&plan, MAX_IMPORTED_STEPS), Ok(()));
        prop_assert_eq!(definition(&back(&plan)), definition(&plan), "{}", to_markdown(&plan));
    }

    #[test]
    fn any_plan_comes_back_from_json(plan in plan()) {
        let json = to_json(&plan).unwrap();
        let read = crate::plan::from_json(&json, "p.json").unwrap();
        prop_assert_eq!(definition(&read), definition(&plan));
    }
}

#[test]
fn the_page_never_hides_another_command() {
    let page =
        to_markdown(&plan_of(&["echo shown"])).replace("kind=execute", "kind=execute command=\"rm x\"");
    assert!(
        blocks(&page, "x.md", &Machine::default()).is_err(),
        "an attribute for the command does not exist"
    );
}

fn bash(script: &str) -> (i32, String, String) {
    let done =
        std::process::Command::new("bash").args(["--noprofile", "--norc", "-c", script]).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code().unwrap(), text(&done.stdout), text(&done.stderr))
}

#[test]
fn the_script_runs_the_steps_in_one_shell() {
    let mut plan = plan_of(&[
        "cd /\nx=5",
        "cat <<'EOF'\nit's $x\nEOF",
        "echo \"$PWD $x\"",
        "set -e; (exit 3)",
        "echo end",
    ]);
    plan.title = "It's a\nscript".into();
    Arc::make_mut(&mut plan.steps[3]).ok_exit = vec![3];
    Arc::make_mut(&mut plan.steps[3]).action = Action::shell("(exit 3)");
    Arc::make_mut(&mut plan.steps[1]).verify = Some("test \"$x\" = 5; cd /tmp".into());
    Arc::make_mut(&mut plan.steps[2]).why = Some("one\ntwo".into());
    let script = to_script(&plan);
    assert_eq!(bash(&script), (0, "it's $x\n/ 5\nend\n".into(), bash(&script).2));
    assert!(script.starts_with("#!/usr/bin/env bash\n# It's a\n# script\n"), "{script}");
    assert!(script.contains("# one\n# two\n"), "{script}");
}

#[test]
fn the_script_stops_where_the_plan_would() {
    let mut plan = plan_of(&["echo one; false", "echo two"]);
    let (code, out, err) = bash(&to_script(&plan));
    assert_eq!((code, out.as_str()), (1, "one\n"));
    assert!(err.contains("Stopped: step 1/2 Step s1 ended with exit status 1."), "{err}");

    Arc::make_mut(&mut plan.steps[0]).action = Action::shell("echo one");
    Arc::make_mut(&mut plan.steps[0]).verify = Some("(exit 4)".into());
    assert_eq!(bash(&to_script(&plan)).0, 4);

    Arc::make_mut(&mut plan.steps[0]).verify = None;
    Arc::make_mut(&mut plan.steps[0]).ok_exit = vec![7];
    assert_eq!(bash(&to_script(&plan)).0, 1, "success where only failure is accepted");
}

#[test]
fn names_for_files() {
    assert_eq!(file_stem("Build: the App / 2"), "build-the-app-2");
    assert_eq!(file_stem("../.."), "plan");
    assert_eq!(file_stem("Get --password=hunter2x it"), "get-password-secret-hidden-it");
}

/// Nothing in an exported page needs the shell reader.
struct NoReader;
impl ReadShell for NoReader {
    async fn read_script(&self, text: &str) -> planwright_shell::Facts {
        panic!("asked to read {text}")
    }
}

#[tokio::test]
async fn an_exported_page_is_imported_without_reading_shell_text() {
    let plan = plan_of(&["if (", "echo ')"]);
    let page = to_markdown(&plan);
    let read =
        crate::plan::runbook::import(page.as_bytes(), "x.md", &Machine::default(), &NoReader).await.unwrap();
    assert_eq!(read.steps[0].action, plan.steps[0].action);
}
