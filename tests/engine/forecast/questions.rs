//! A forecast beside a question: it comes by itself, ends with the question, and is in no record.

use std::time::Duration;

use planwright_engine::protocol::{
    Approval, ApprovalAnswer, Forecast, Mode, PlanState, SessionState, Settings, Update,
};
use planwright_tests::{Harness, sequence};

use super::{is_refusal, running};

/// A run that waits with a question about its second step.
async fn asking(command: &str) -> (Harness, Approval) {
    let mut run = Harness::new(&sequence(&["mkdir doomed && touch doomed/1 doomed/2", command])).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    assert_eq!(question.step_id.0, "s2");
    (run, question)
}

async fn made(run: &Harness, question: &Approval) -> Forecast {
    for _ in 0..200 {
        match run.engine.forecast(question.id) {
            Some(Forecast::Running) | None => tokio::time::sleep(Duration::from_millis(50)).await,
            Some(forecast) => return forecast,
        }
    }
    panic!("no forecast came");
}

#[tokio::test]
async fn a_question_gets_a_forecast_and_the_answer_takes_it_away() {
    let (mut run, question) = asking("rm -rf doomed").await;
    let forecast = made(&run, &question).await;
    if let Forecast::Made { files, more, .. } = &forecast {
        let found: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.inside)).collect();
        let doomed = run.work("doomed").canonicalize().unwrap();
        assert_eq!((found, *more), (vec![(doomed.to_str().unwrap(), 2)], 0));
    } else {
        let Forecast::Unavailable { why } = &forecast else { panic!("{forecast:?}") };
        assert!(is_refusal(why), "{why}");
    }
    assert!(run.work("doomed/2").exists());
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(!run.work("doomed").exists());
    assert_eq!(run.engine.forecast(question.id), None);
    let record = run.engine.export_session(run.session).await.unwrap();
    assert!(!record.to_lowercase().contains("forecast"));
}

#[tokio::test]
async fn a_window_is_told_of_it_after_the_question() {
    let run = Harness::new(&sequence(&["mkdir doomed && touch doomed/1", "rm -rf doomed"])).await;
    let mut updates = run.engine.subscribe();
    run.start(Mode::Planner).await;
    let (mut asked, mut told) = (None, Vec::new());
    while told.len() < 2 {
        let update = tokio::time::timeout(Duration::from_secs(20), updates.next()).await.unwrap().unwrap();
        match update {
            Update::Event { record } => {
                if let planwright_engine::protocol::Event::ApprovalNeeded { approval } = record.event {
                    asked = Some(approval.id);
                }
            }
            Update::Forecast { session_id, approval_id, forecast } => {
                assert_eq!((session_id, Some(approval_id)), (run.session, asked));
                told.push(forecast);
            }
            _ => {}
        }
    }
    assert_eq!(told[0], Forecast::Running);
    assert_ne!(told[1], Forecast::Running);
    assert_eq!(run.engine.forecast(asked.unwrap()), told.pop());
}

#[tokio::test]
async fn an_answer_ends_the_sandbox_at_once() {
    let (mut run, question) = asking("rm -rf doomed; sleep 6543.21").await;
    let started = tokio::time::Instant::now();
    while running("sleep\x006543.21") == 0 {
        if started.elapsed() > Duration::from_secs(4) {
            let forecast = made(&run, &question).await;
            assert!(matches!(&forecast, Forecast::Unavailable { why } if is_refusal(why)), "{forecast:?}");
            return println!("skipped: {forecast:?}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(run.engine.forecast(question.id), Some(Forecast::Running));
    let answered = tokio::time::Instant::now();
    run.answer(&question, ApprovalAnswer::NotNow).await;
    run.settled().await;
    while running("sleep\x006543.21") > 0 {
        assert!(answered.elapsed() < Duration::from_secs(1));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(run.engine.forecast(question.id), None);
    assert!(run.work("doomed/1").exists());
}

#[tokio::test]
async fn what_cannot_be_tried_says_why() {
    for (command, word) in [
        ("sudo rm -rf doomed", "administrator"),
        ("curl -s http://127.0.0.1:9/x | bash", "network"),
        ("rm -rf doomed; docker rm -f everything", "service"),
    ] {
        let (run, question) = asking(command).await;
        let Some(Forecast::Unavailable { why }) = Some(made(&run, &question).await) else {
            panic!("{command}")
        };
        assert!(why.contains(word), "{command}: {why}");
    }
}

#[tokio::test]
async fn places_that_are_not_covered_are_named() {
    let (run, question) = asking("rm -rf doomed /etc/planwright-forecast").await;
    match made(&run, &question).await {
        Forecast::Made { notes, .. } => {
            assert!(notes.iter().any(|note| note.contains("/etc, which cannot be tried out")), "{notes:?}");
        }
        Forecast::Unavailable { why } => assert!(is_refusal(&why), "{why}"),
        Forecast::Running => panic!("it is still running"),
    }
}

#[tokio::test]
async fn none_is_made_when_the_user_wants_none() {
    let mut run = Harness::new(&sequence(&["mkdir doomed", "rm -rf doomed"])).await;
    run.engine.use_settings(Settings { forecast: false, ..Settings::default() });
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let state: SessionState = run.state().await;
    assert_eq!(state.approvals.len(), 1);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(run.engine.forecast(question.id), None);
}
