//! Which model works on a goal, and the account that is left when it ends.

use std::os::unix::fs::PermissionsExt as _;

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    Command, ErrorCode, Event, GoalEnd, GoalRequest, ModelRole, Price, SessionId, StuckCause,
};
use planwright_tests::Harness;

use super::{complete, ended, goal, mind, pursuing, shell, signal};

fn stuck() -> String {
    signal("stuck", &[], None)
}

#[tokio::test]
async fn a_stuck_goal_is_offered_the_stronger_model_with_its_price_and_goes_on_with_it() {
    let main = mind(&[stuck()]);
    let price = Price { input_cents: 300, output_cents: 1500, cached_cents: 30 };
    let stronger = mind(&[shell("touch made"), complete()]).named("stronger", Some(price));
    let mut run = Harness::empty(Attendance::User, &main, Some(&stronger)).await;
    run.tell(Command::Pursue { request: GoalRequest::new("Make the file") }).await;
    assert!(matches!(ended(&mut run).await, GoalEnd::Stuck { cause: StuckCause::SaidSo, .. }));
    assert_eq!((main.asked().len(), stronger.asked().len()), (1, 0));
    let offer = run.engine.escalation_estimate(run.session).await.unwrap().unwrap();
    assert!(offer.model == "stronger" && offer.cost_micros.unwrap() > 0, "{offer:?}");

    run.tell(Command::Escalate).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!((main.asked().len(), stronger.asked().len()), (1, 2));
    assert!(run.work("made").exists());
    assert_eq!(goal(&run).await.request.model_backend, Some(ModelRole::Stronger));
    assert_eq!(run.engine.escalation_estimate(run.session).await.unwrap(), None);
    let told = run.engine.report(run.session).await.unwrap();
    assert!(told.contains("by the stronger model"), "{told}");
    // Which model it is survives a restart, as everything of the record does.
    let run = run.restart(Attendance::User, None).await;
    assert_eq!(goal(&run).await.request.model_backend, Some(ModelRole::Stronger));
}

#[tokio::test]
async fn without_a_stronger_model_none_is_offered_and_asking_for_it_says_so() {
    let main = mind(&[stuck()]);
    let mut run = pursuing(&main, GoalRequest::new("Make the file")).await;
    ended(&mut run).await;
    assert_eq!(run.engine.escalation_estimate(run.session).await.unwrap(), None);
    assert_eq!(run.refusal(Command::Escalate).await, ErrorCode::NoModel);
    let by_stronger = GoalRequest { model_backend: Some(ModelRole::Stronger), ..GoalRequest::new("Make it") };
    assert_eq!(run.refusal(Command::Pursue { request: by_stronger }).await, ErrorCode::NoModel);
}

#[tokio::test]
async fn a_goal_for_another_session_is_refused_and_the_own_one_is_named_in_the_record() {
    let main = mind(&[complete()]);
    let run = Harness::empty(Attendance::User, &main, None).await;
    let elsewhere = GoalRequest { session_id: Some(SessionId::new()), ..GoalRequest::new("Make it") };
    assert_eq!(run.refusal(Command::Pursue { request: elsewhere }).await, ErrorCode::InvalidInput);
    let mut run = run;
    run.tell(Command::Pursue { request: GoalRequest::new("Make it") }).await;
    ended(&mut run).await;
    assert_eq!(goal(&run).await.request.session_id, Some(run.session));
}

#[tokio::test]
async fn the_report_is_there_when_the_end_is_told_for_this_user_alone() {
    let main = mind(&[shell("echo fish > pond.txt"), complete()]);
    let mut run = pursuing(&main, GoalRequest::new("Put a fish into the pond: now!")).await;
    let told = run.wait_for("the goal's end", |event| matches!(event, Event::GoalEnded { .. })).await;
    let Event::GoalEnded { report: Some(report), .. } = told else { panic!("{told:?}") };
    let path = std::path::PathBuf::from(&report);
    assert_eq!(path.parent().unwrap(), run.home().join("reports"));
    assert!(
        path.file_name().unwrap().to_str().unwrap().starts_with("put-a-fish-into-the-pond-now-"),
        "{report}"
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("echo fish") && text.contains("### The end: "), "{text}");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(goal(&run).await.report, Some(report));
}

#[tokio::test]
async fn the_name_of_a_report_tells_no_password() {
    let main = mind(&[complete()]);
    let mut run = pursuing(&main, GoalRequest::new("Log in with --password=hunter2x")).await;
    let told = run.wait_for("the goal's end", |event| matches!(event, Event::GoalEnded { .. })).await;
    let Event::GoalEnded { report: Some(report), .. } = told else { panic!("{told:?}") };
    assert!(report.contains("/log-in-with-") && !report.contains("hunter2x"), "{report}");
}

#[tokio::test]
async fn a_report_that_cannot_be_written_keeps_no_goal_from_ending() {
    let main = mind(&[complete()]);
    let run = Harness::empty(Attendance::User, &main, None).await;
    std::fs::write(run.home().join("reports"), "in the way").unwrap();
    let mut run = run;
    run.tell(Command::Pursue { request: GoalRequest::new("Make it") }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(goal(&run).await.report, None);
}
