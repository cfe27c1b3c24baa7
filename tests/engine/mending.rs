//! Back to the page (P3f): the page is kept beside its plan, shown part by part, and mended as the run was, by bytes.

use std::sync::Arc;

use planwright_engine::engine::{Attendance, ImportSource};
use planwright_engine::protocol::{
    Command, ErrorCode, Event, Mode, PageFindingKind, PagePartKind, Plan, PlanState, UndoTarget,
};
use planwright_tests::{Harness, ScriptedMind, modify};

const PAGE: &str = "# Copy it\r\n\r\nFirst make the note:\r\n\r\n```console\r\n$ echo note > a.txt\r\n$ cp a.txt b/c.txt\r\n\
                    ```\r\n\r\nThen look at it: run `cat b/c.tx`.\r\n";

/// A session with the page's plan; the page is the file `page.md` of the workspace.
async fn imported(mind: Arc<ScriptedMind>) -> Harness {
    let run = Harness::empty(Attendance::User, &mind, None).await;
    std::fs::write(run.work("page.md"), PAGE).unwrap();
    run.engine.import_file(&run.work("page.md"), None, Some(run.session)).await.unwrap();
    run
}

/// Corrects the name; that a folder is missing the field guide knows.
fn helper() -> Arc<ScriptedMind> {
    ScriptedMind::new(|_, _| modify("cat b/c.txt"))
}

async fn run_through(run: &mut Harness) -> Plan {
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed, "{plan:?}");
    plan
}

#[tokio::test]
async fn a_page_is_mended_as_its_run_was_and_the_mending_can_be_undone() {
    let mut run = imported(helper()).await;
    assert_eq!(run.refusal(Command::MendPage).await, ErrorCode::NotNow, "it has not run");
    run_through(&mut run).await;
    let patch = run.engine.page_patch(run.session).await.unwrap();
    assert_eq!((patch.changes, patch.by_hand.len(), patch.is_file), (2, 0, true), "{patch:?}");
    assert_eq!(std::fs::read_to_string(run.work("page.md")).unwrap(), PAGE, "a patch alone writes nothing");
    run.tell(Command::MendPage).await;
    let wanted =
        PAGE.replace("$ cp a.txt", "$ mkdir -p b\r\n$ cp a.txt").replace("`cat b/c.tx`", "`cat b/c.txt`");
    assert_eq!(std::fs::read_to_string(run.work("page.md")).unwrap(), wanted);
    let mended = run.state().await.mended.unwrap();
    assert_eq!((mended.changes, mended.path), (2, run.work("page.md").display().to_string()));
    assert_eq!(run.refusal(Command::MendPage).await, ErrorCode::NotNow, "it is mended already");
    let target = UndoTarget::Step { step_id: mended.step_id };
    let preview = run.engine.undo_preview(run.session, target.clone()).await.unwrap();
    assert_eq!(preview.files.len(), 1, "{preview:?}");
    run.tell(Command::Undo { target, token: preview.token, overwrite: Vec::new() }).await;
    assert_eq!(std::fs::read_to_string(run.work("page.md")).unwrap(), PAGE);
    assert!(run.names().await.contains(&"page-mended".to_owned()));
}

#[tokio::test]
async fn a_page_that_was_changed_meanwhile_is_left_alone() {
    let mut run = imported(helper()).await;
    run_through(&mut run).await;
    std::fs::write(run.work("page.md"), "mine").unwrap();
    assert_eq!(run.refusal(Command::MendPage).await, ErrorCode::NotNow);
    assert_eq!(std::fs::read_to_string(run.work("page.md")).unwrap(), "mine");
    assert!(!run.events().await.iter().any(|record| matches!(record.event, Event::PageMended { .. })));
}

#[tokio::test]
async fn pasted_text_has_a_patch_and_no_file() {
    let mut run = Harness::empty(Attendance::User, &helper(), None).await;
    let source = ImportSource { name: String::new(), bytes: PAGE.into(), path: None };
    run.engine.import(source, None, Some(run.session)).await.unwrap();
    run_through(&mut run).await;
    let patch = run.engine.page_patch(run.session).await.unwrap();
    assert_eq!((patch.changes, patch.is_file), (2, false));
    assert_eq!(run.refusal(Command::MendPage).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn the_page_is_shown_part_by_part_with_places_that_its_steps_have_too() {
    let run = imported(helper()).await;
    let view = run.engine.page_view(run.session).await.unwrap();
    let kinds: Vec<PagePartKind> = view.parts.iter().map(|part| part.kind).collect();
    use PagePartKind::{Code, Heading, Prose};
    assert_eq!(kinds, [Heading { level: 1 }, Prose, Code, Prose]);
    let lines: Vec<&str> = view.parts[2].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["$ echo note > a.txt", "$ cp a.txt b/c.txt"]);
    let page = run.plan().await.page.unwrap();
    for place in &page.steps {
        let part = view
            .parts
            .iter()
            .find(|part| part.lines.iter().any(|line| line.start < place.end && place.start < line.end));
        let text: String = part.unwrap().lines.iter().map(|line| format!("{}\n", line.text)).collect();
        assert!(text.contains(&place.text), "{} is not in {text}", place.text);
    }
    // It outlives the program.
    let run = run.restart(Attendance::User, None).await;
    assert_eq!(run.engine.page_view(run.session).await.unwrap(), view);
}

#[tokio::test]
async fn a_plan_that_is_from_no_page_has_none() {
    let run = Harness::new(&planwright_tests::sequence(&["true"])).await;
    assert_eq!(run.engine.page_view(run.session).await.unwrap_err().code, ErrorCode::NotNow);
    assert_eq!(run.engine.page_patch(run.session).await.unwrap_err().code, ErrorCode::NotNow);
}

#[tokio::test]
async fn findings_come_with_the_plan() {
    let run = imported(helper()).await;
    let page = run.plan().await.page.unwrap();
    assert_eq!(page.path.as_deref(), run.work("page.md").to_str());
    let found: Vec<(PageFindingKind, u32)> =
        page.findings.iter().map(|finding| (finding.kind, finding.line)).collect();
    assert_eq!(found, [], "nothing that it needs is missing as far as can be told: {:?}", page.findings);
}
