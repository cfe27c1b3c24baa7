//! Whether "complete" is believed: open to-dos, a command, a question.

use planwright_engine::protocol::{
    ActionAuthor, AskedBy, Command, ErrorCode, Event, GoalEnd, GoalPhase, GoalRequest, GoalWait, SentBack, Verify,
};
use planwright_engine::engine::Attendance;
use planwright_engine::policy::PolicyFile;
use planwright_tests::Harness;

use super::{complete, ended, goal, last_words, mind, pursuing, shell, signal};

fn checked_by(command: &str) -> GoalRequest {
    let command = command.to_owned();
    GoalRequest { verify: Some(Verify::Command { command }), ..GoalRequest::new("Make the file") }
}

fn sent_back(run: &Harness) -> Vec<SentBack> {
    let reason = |event: &Event| match event {
        Event::GoalSentBack { reason } => Some(reason.clone()),
        _ => None,
    };
    run.seen.iter().filter_map(|record| reason(&record.event)).collect()
}

#[tokio::test]
async fn complete_with_open_to_dos_is_sent_back_with_their_ids() {
    let main = mind(&[
        signal("planning", &[("a", "pending"), ("b", "in-progress"), ("c", "cancelled")], None),
        signal("complete", &[("a", "pending"), ("b", "in-progress"), ("c", "cancelled")], None),
        signal("complete", &[("a", "completed"), ("b", "completed"), ("c", "cancelled")], None),
    ]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(sent_back(&run), [SentBack::OpenTodos { ids: vec!["a".to_owned(), "b".to_owned()] }]);
    assert!(last_words(&main.asked()[2]).contains("these to-dos are open: a, b"));
    assert_eq!(goal(&run).await.iteration, 3);
}

#[tokio::test]
async fn a_check_that_fails_sends_it_back_and_one_that_passes_ends_it() {
    let main = mind(&[complete(), shell("touch made"), complete()]);
    let mut run = pursuing(&main, checked_by("cd .. && ls work/made")).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: true });
    let [SentBack::VerifyFailed { result }] = &sent_back(&run)[..] else { panic!("{:?}", sent_back(&run)) };
    assert!(result.starts_with("exit status 2"), "{result}");
    assert!(last_words(&main.asked()[1]).contains("but the check failed"));
    let state = run.state().await;
    let authors: Vec<_> = state.goal.unwrap().actions.iter().map(|action| action.author).collect();
    assert_eq!(authors, [ActionAuthor::Verify, ActionAuthor::Agent, ActionAuthor::Verify]);
    assert_eq!(state.shell.cwd, run.work("").canonicalize().unwrap().display().to_string().trim_end_matches('/'), "a check moves nothing");
}

#[tokio::test]
async fn a_dangerous_check_asks_like_everything_else() {
    let main = mind(&[]);
    let mut run = pursuing(&main, checked_by("rm -rf made")).await;
    std::fs::create_dir(run.work("made")).unwrap();
    let question = run.question().await;
    assert_eq!(question.action.command(), "rm -rf made");
    assert!(run.work("made").exists());
    run.tell(Command::Cancel).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Cancelled);
    assert!(run.work("made").exists());
    assert!(run.state().await.approvals.is_empty());
}

#[tokio::test]
async fn the_user_is_asked_and_only_yes_is_yes() {
    let verify = Some(Verify::Question { question: "Is the pond full?".to_owned() });
    let main = mind(&[]);
    let mut run = pursuing(&main, GoalRequest { verify, ..GoalRequest::new("Fill the pond") }).await;
    for answer in ["not yet, by a hand", "yes"] {
        run.wait_for("the check", |event| matches!(event, Event::GoalQuestionAsked { .. })).await;
        let now = goal(&run).await;
        assert_eq!(now.phase, GoalPhase::Waiting { what: GoalWait::VerifyQuestion });
        let question = now.question.unwrap();
        assert_eq!(question.asked_by, AskedBy::Verify);
        run.tell(Command::AnswerQuestion { question_id: question.id, text: answer.to_owned() }).await;
        let again = Command::AnswerQuestion { question_id: question.id, text: " ".to_owned() };
        assert!(matches!(run.refusal(again).await, ErrorCode::NoSuchApproval | ErrorCode::InvalidInput | ErrorCode::NotNow));
    }
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: true });
    assert_eq!(sent_back(&run), [SentBack::VerifyDenied { text: "not yet, by a hand".to_owned() }]);
    assert!(last_words(&main.asked()[1]).contains("not yet, by a hand"));
}

#[tokio::test]
async fn with_nobody_there_a_check_by_question_is_refused_at_once() {
    let main = mind(&[]);
    let nobody = Attendance::Nobody(PolicyFile::default());
    let run = Harness::empty(nobody, &main, None).await;
    let verify = Some(Verify::Question { question: "Is it?".to_owned() });
    let request = GoalRequest { verify, ..GoalRequest::new("Do it") };
    assert_eq!(run.refusal(Command::Pursue { request }).await, ErrorCode::InvalidInput);
    assert!(main.asked().is_empty());
}
