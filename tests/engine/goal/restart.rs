//! A goal after the program ended: where it was, and nothing twice.

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    ApprovalAnswer, CallOutcome, Command, Event, GoalEnd, GoalPause, GoalPhase, GoalRequest, GoalWait,
};

use super::{came_to, complete, ended, goal, last_words, mind, pursuing, shell, signal};

#[tokio::test]
async fn a_question_to_the_user_stays_open_over_a_restart() {
    let main = mind(&[signal("planning", &[("a", "pending")], Some(("user_input", "Which pond?")))]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    run.wait_for("a question", |event| matches!(event, Event::GoalQuestionAsked { .. })).await;
    let before = goal(&run).await;
    let later = mind(&[signal("complete", &[("a", "completed")], None)]);
    let mut run = run.restart(Attendance::User, Some(later.clone())).await;
    let after = goal(&run).await;
    assert_eq!(after, before);
    assert_eq!(after.phase, GoalPhase::Waiting { what: GoalWait::Question });
    let question_id = after.question.unwrap().id;
    run.tell(Command::AnswerQuestion { question_id, text: "The small one.".to_owned() }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert!(last_words(&later.asked()[0]).contains("The small one."));
}

#[tokio::test]
async fn an_approval_stays_open_over_a_restart_and_is_the_same_one() {
    let main = mind(&[shell("rm -rf pond")]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    std::fs::create_dir(run.work("pond")).unwrap();
    let question = run.question().await;
    let mut run = run.restart(Attendance::User, Some(mind(&[]))).await;
    let state = run.state().await;
    assert_eq!(state.approvals, std::slice::from_ref(&question));
    assert!(run.work("pond").exists());
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert!(!run.work("pond").exists());
}

#[tokio::test]
async fn an_action_that_ran_is_interrupted_told_and_not_run_again() {
    let main = mind(&[shell("echo once >> log; sleep 300")]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    run.wait_for("the start", |event| matches!(event, Event::CallStarted { .. })).await;
    while run.lines("log") == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let later = mind(&[complete()]);
    let mut run = run.restart(Attendance::User, Some(later.clone())).await;
    let after = goal(&run).await;
    assert_eq!(after.phase, GoalPhase::Paused { reason: GoalPause::Interrupted });
    assert_eq!(came_to(&after.actions[0]).0, CallOutcome::Interrupted);
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(run.lines("log"), 1);
    assert!(last_words(&later.asked()[0]).contains("interrupted"), "{}", last_words(&later.asked()[0]));
}
