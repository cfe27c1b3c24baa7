//! Programs that want a keyboard: said before they run, and never taken for a success.

use planwright_engine::protocol::{ExitStatus, KeyboardEffect, Mode, PlanState, StepState};
use planwright_tests::{Harness, sequence};

use super::answering;

#[tokio::test]
async fn what_cannot_work_is_said_before_and_not_started() {
    let mut run = Harness::new(&sequence(&["touch before; python3 -i", "touch after"])).await;
    let need = run.plan().await.steps[0].assessment.clone().unwrap().keyboard.unwrap();
    assert_eq!((need.effect, need.fragment.as_str()), (KeyboardEffect::NotStarted, "python3 -i"));
    answering(&mut run, Mode::Planner, &[]).await;
    let StepState::Failed { reason, .. } = run.step("s1").await else { panic!("{:?}", run.step("s1").await) };
    assert_eq!(
        reason,
        "`python3 -i` waits for lines of a program at the keyboard, and nobody sits at a keyboard here, so it was not \
         started. Give it the program: a file, or its text with -c or -e. To run it as it is, add </dev/null."
    );
    let result = run.state().await.results.remove(0);
    assert_eq!(result.exit_status, ExitStatus::NotStarted { message: reason });
    assert!(!run.work("before").exists() && !run.work("after").exists());
    assert!(matches!(run.plan().await.state, PlanState::Failed { .. }));
}

#[tokio::test]
async fn a_file_that_rm_asked_about_is_no_success() {
    let mut run = Harness::new(&sequence(&["rm -i kept"])).await;
    std::fs::write(run.work("kept"), "x").unwrap();
    answering(&mut run, Mode::Planner, &[]).await;
    assert_eq!(run.text("kept"), "x");
    assert_eq!(run.state().await.results[0].exit_status, ExitStatus::Code { code: 0 });
    let StepState::Failed { reason, .. } = run.step("s1").await else { panic!("{:?}", run.step("s1").await) };
    assert!(
        reason.starts_with("It asked \"rm: remove regular file 'kept'?\" and nobody was there"),
        "{reason}"
    );
}

#[tokio::test]
async fn changes_that_git_asked_about_are_no_success() {
    let make = "git init -q && echo a > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && echo b > f";
    let mut run = Harness::new(&sequence(&[make, "git add -p"])).await;
    answering(&mut run, Mode::Planner, &[]).await;
    let StepState::Failed { reason, .. } = run.step("s2").await else { panic!("{:?}", run.step("s2").await) };
    assert!(reason.contains("Stage this hunk") && reason.contains("git apply --cached"), "{reason}");
}

#[tokio::test]
async fn nothing_to_ask_about_is_a_success() {
    let mut run = Harness::new(&sequence(&["git init -q", "git add -p", "rm -if missing"])).await;
    answering(&mut run, Mode::Planner, &[]).await;
    assert_eq!(run.plan().await.state, PlanState::Completed);
}
