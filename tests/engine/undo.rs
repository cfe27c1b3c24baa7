//! What steps change is kept before they run and put back when the user says so, through the engine's one door.

use std::time::{Duration, Instant};

use planwright_engine::protocol::{
    Command, Coverage, ErrorCode, Event, Mode, OnFailure, PlanState, UndoBy, UndoOutlook, UndoTarget,
};
use planwright_tests::{Harness, sequence};

async fn undo(run: &Harness, target: UndoTarget) {
    let preview = run.engine.undo_preview(run.session, target.clone()).await.unwrap();
    run.tell(Command::Undo { target, token: preview.token, overwrite: vec![] }).await;
}

#[tokio::test]
async fn a_run_is_taken_back_and_put_back() {
    let commands =
        ["echo one > a; mkdir d; echo x > d/x", "echo two >> a; ln d/x linked; chmod 600 d/x", "rm -r d"];
    let mut run = Harness::new(&sequence(&commands)).await;
    std::fs::write(run.work("mine"), "mine").unwrap();
    run.start(Mode::Planner).await;
    while !matches!(run.plan().await.state, PlanState::Completed) {
        let approval = run.question().await;
        let once = planwright_engine::protocol::ApprovalAnswer::AllowOnce { edited_command: None };
        run.answer(&approval, once).await;
        if approval.step_id.0 == "s3" {
            run.settled().await;
        }
    }
    let kept: Vec<_> = run
        .events()
        .await
        .into_iter()
        .filter_map(|record| match record.event {
            Event::CheckpointCreated { checkpoint } => Some((checkpoint.step_id.0, checkpoint.covers)),
            _ => None,
        })
        .collect();
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept.iter().all(|(_, covers)| *covers == Coverage::Whole), "{kept:?}");
    let told: Vec<_> = run.state().await.checkpoints.into_iter().map(|kept| kept.step_id.0).collect();
    assert_eq!(told, ["s1", "s2", "s3"]);
    let results = run.state().await.results;
    let cwd = run.state().await.cwd;
    assert_eq!(results[1].files_changed, [format!("{cwd}/a"), format!("{cwd}/d/x"), format!("{cwd}/linked")]);
    assert_eq!(results[2].files_changed, [format!("{cwd}/d"), format!("{cwd}/d/x")]);

    undo(&run, UndoTarget::Step { step_id: "s3".into() }).await;
    assert_eq!(run.text("d/x"), "x\n");
    undo(&run, UndoTarget::Run).await;
    assert!(!run.work("a").exists() && !run.work("d").exists() && !run.work("linked").exists());
    assert_eq!(run.text("mine"), "mine");

    // After a restart the undo can be taken back.
    let undone = run.state().await.undone;
    assert_eq!(undone.len(), 2);
    assert_eq!((undone[1].by, undone[1].skipped.len()), (UndoBy::User, 0));
    let run = run.restart(planwright_engine::engine::Attendance::User, None).await;
    undo(&run, UndoTarget::Undo { undo_id: undone[1].id }).await;
    assert_eq!(run.text("a"), "one\ntwo\n");
    let undone = run.state().await.undone;
    assert_eq!(undone[1].undone_by, Some(undone[2].id));
    let report = run.engine.report(run.session).await.unwrap();
    let told = report.split("## Undone").nth(1).unwrap();
    assert!(told.contains("the whole run, by you: 0 put back, 0 brought back, 4 to the trash; this undo was itself undone later"), "{told}");
    let again = UndoTarget::Undo { undo_id: undone[1].id };
    let refused = run.engine.undo_preview(run.session, again).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotNow);
}

#[tokio::test]
async fn an_undo_of_another_state_is_refused() {
    let mut run = Harness::new(&sequence(&["echo one > a"])).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    let preview = run.engine.undo_preview(run.session, UndoTarget::Run).await.unwrap();
    std::fs::write(run.work("a"), "mine").unwrap();
    let old = Command::Undo { target: UndoTarget::Run, token: preview.token, overwrite: vec![] };
    assert_eq!(run.refusal(old).await, ErrorCode::NotNow);
    let preview = run.engine.undo_preview(run.session, UndoTarget::Run).await.unwrap();
    assert!(preview.files[0].conflict.is_some());
    let named = vec![preview.files[0].path.clone()];
    run.tell(Command::Undo { target: UndoTarget::Run, token: preview.token, overwrite: named }).await;
    assert!(!run.work("a").exists());
}

#[tokio::test]
async fn a_failed_step_is_rolled_back_where_the_plan_says_so() {
    let mut run = Harness::new(
        r#"{"title": "t", "onFailure": "rollback", "steps": [
            {"id": "s1", "command": "echo kept > a"},
            {"id": "s2", "command": "echo half >> a; echo half > b; exit 3"}]}"#,
    )
    .await;
    assert_eq!(run.plan().await.on_failure, OnFailure::Rollback);
    run.start(Mode::Planner).await;
    let plan = run.settled().await;
    assert!(
        matches!(&plan.state, PlanState::Failed { reason, .. } if reason.ends_with("What it changed was put back (2 files).")),
        "{:?}",
        plan.state
    );
    assert_eq!(run.text("a"), "kept\n");
    assert!(!run.work("b").exists());
    let undone = run.state().await.undone;
    assert_eq!((undone.len(), undone[0].by), (1, UndoBy::Rollback));
    let told = run.seen.iter().find_map(|record| match &record.event {
        Event::RolledBack { step_id, undo_id } => Some((step_id.0.clone(), *undo_id)),
        _ => None,
    });
    assert_eq!(told, Some(("s2".to_owned(), undone[0].id)));
}

#[tokio::test]
async fn before_a_run_each_step_says_whether_it_can_be_undone() {
    let run = Harness::new(&sequence(&[
        "echo one > a",
        "rm a",
        "kill 1",
        "curl -X POST https://example.org",
        "ls",
    ]))
    .await;
    let plan = run.plan().await;
    let outlook = |nth: usize| plan.steps[nth].assessment.clone().unwrap().undo;
    assert_eq!(
        (outlook(0), outlook(1), outlook(4)),
        (UndoOutlook::Kept, UndoOutlook::Kept, UndoOutlook::NotNeeded)
    );
    assert!(matches!(outlook(2), UndoOutlook::Partly { .. }), "{:?}", outlook(2));
    assert!(matches!(outlook(3), UndoOutlook::ByHand { .. }), "{:?}", outlook(3));
}

/// The session's owner is not held up by an undo: whoever asks meanwhile is answered.
#[tokio::test(flavor = "multi_thread")]
async fn a_big_undo_holds_nobody_up() {
    const FILES: usize = 3000;
    let mut run = Harness::new(&sequence(&["cp -r template d"])).await;
    std::fs::create_dir(run.work("template")).unwrap();
    for number in 0..FILES {
        std::fs::write(run.work(&format!("template/{number}")), format!("{number}\n")).unwrap();
    }
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let target = UndoTarget::Run;
    let preview = run.engine.undo_preview(run.session, target.clone()).await.unwrap();
    assert_eq!(preview.files.len() + preview.more as usize, FILES + 1);

    let (engine, session) = (run.engine.clone(), run.session);
    let begun = Instant::now();
    let undoing = tokio::spawn(async move {
        let undo = Command::Undo { target, token: preview.token, overwrite: vec![] };
        engine.submit(session, undo).await.map(|()| begun.elapsed())
    });
    let (mut answers, mut slowest) = (0, Duration::ZERO);
    let mut refused = false;
    while !undoing.is_finished() {
        let asked = Instant::now();
        let state = run.state().await;
        if state.undone.is_empty() {
            (answers, slowest) = (answers + 1, slowest.max(asked.elapsed()));
        }
        if answers == 1 {
            run.tell(Command::Rename { title: "meanwhile".to_owned() }).await;
            // Nothing may run over files that are on their way.
            refused = run.submit(Command::Resume { mode: None }).await.is_err();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = undoing.await.unwrap().unwrap();
    println!("{FILES} files in {took:?}; {answers} answers meanwhile, the slowest after {slowest:?}");
    assert!(answers >= 3 && refused, "{answers} answers in {took:?}");
    assert!(slowest < took / 2, "an answer took {slowest:?} of the {took:?}");
    let state = run.state().await;
    assert_eq!((state.title.as_str(), state.undone[0].trashed as usize), ("meanwhile", FILES + 1));
    assert!(!run.work("d").exists());
}

/// Nothing is known of what such a step does to files; what the user makes meanwhile is the user's.
#[tokio::test]
async fn what_the_user_makes_while_a_step_waits_is_not_taken() {
    let mut run =
        Harness::new(&sequence(&["python3 -c 'import time; open(\"made\", \"w\"); time.sleep(2)'"])).await;
    std::fs::write(run.work("edited"), "old").unwrap();
    run.start(Mode::Planner).await;
    while !run.work("made").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(700)).await;
    std::fs::write(run.work("mine.txt"), "mine").unwrap();
    std::fs::write(run.work("edited"), "mine").unwrap();
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let cwd = run.state().await.cwd;
    assert_eq!(run.state().await.results[0].files_changed, [format!("{cwd}/made")]);
    undo(&run, UndoTarget::Run).await;
    assert!(!run.work("made").exists());
    assert_eq!((run.text("mine.txt"), run.text("edited")), ("mine".to_owned(), "mine".to_owned()));
    let left: Vec<String> =
        run.state().await.undone[0].skipped.iter().map(|file| file.path.clone()).collect();
    assert_eq!(left, [format!("{cwd}/edited"), format!("{cwd}/mine.txt")]);
}
