//! Programs that want a keyboard, offered a terminal: the user's answer is needed, and what is typed is in no record.

use std::time::Duration;

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    AllowedBy, ApprovalAnswer, Command, ErrorCode, Event, ExitStatus, Mode, PlanState, Risk, StepState,
    TerminalInput, TerminalRun,
};
use planwright_tests::search::holding;
use planwright_tests::{Harness, sequence};

const ONCE: ApprovalAnswer = ApprovalAnswer::AllowOnce { edited_command: None };

async fn with_terminals(commands: &[&str]) -> Harness {
    Harness::with(&sequence(commands), Attendance::AtTerminal, None).await
}

/// Waits until the step's terminal shows this.
async fn sees(run: &Harness, step: &str, text: &str) {
    for _ in 0..3000 {
        let screen = run.engine.terminal_screen(run.session, step.into(), 0);
        if screen.is_some_and(|screen| screen.text.contains(text)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{text:?} never stood on {:?}", run.engine.terminal_screen(run.session, step.into(), 0));
}

async fn types(run: &Harness, step: &str, text: &str) {
    let input = TerminalInput::Text { text: text.to_owned() };
    run.engine.terminal_input(run.session, step.into(), input).await.unwrap();
}

async fn started_in_terminal(run: &Harness) -> Vec<(String, bool)> {
    let started = run.events().await.into_iter().filter_map(|record| match record.event {
        Event::StepStarted { step_id, terminal, .. } => Some((step_id.0, terminal)),
        _ => None,
    });
    started.collect()
}

#[tokio::test]
async fn a_step_that_was_seen_to_ask_is_offered_a_terminal_the_next_time() {
    let mut run = with_terminals(&["python3 -c 'print(input(\"Name: \"))'"]).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    run.submit(Command::Retry { step_id: "s1".into() }).await.unwrap();
    let question = run.question().await;
    assert!(question.terminal && question.warning_message.contains("asks \"Name:\""), "{question:?}");
}

#[tokio::test]
async fn what_wants_a_keyboard_waits_for_the_users_word_and_gets_a_terminal() {
    let mut run = with_terminals(&["python3 -q", "touch after"]).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    assert!(question.terminal && question.offers.is_empty());
    assert!(question.assessment.risk < Risk::Dangerous, "it is asked about for the keyboard alone");
    assert_eq!(
        question.warning_message,
        "`python3 -q` waits for lines of a program at the keyboard. It can do that in a terminal here."
    );
    run.answer(&question, ApprovalAnswer::InTerminal).await;
    sees(&run, "s1", ">>>").await;
    assert_eq!(run.state().await.terminals, [TerminalRun { step_id: "s1".into(), attempt: 0 }]);
    types(&run, "s1", "open('made', 'w').write('by hand')\r").await;
    types(&run, "s1", "word = __import__('getpass').getpass()\r").await;
    sees(&run, "s1", "Password").await;
    types(&run, "s1", "typed-unseen-4711\r").await;
    // Whoever asks for a password drops what was typed ahead of the next prompt.
    sees(&run, "s1", "Password: \r\n>>>").await;
    types(&run, "s1", "print('length', len(word))\r").await;
    sees(&run, "s1", "length 17").await;
    types(&run, "s1", "exit()\r").await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("made"), "by hand");
    assert!(run.work("after").exists());
    assert_eq!(started_in_terminal(&run).await, [("s1".to_owned(), true), ("s2".to_owned(), false)]);
    let state = run.state().await;
    assert!(state.results[0].output.contains("length 17") && !state.results[0].output.contains('\u{1b}'));
    let screen = run.engine.terminal_screen(run.session, "s1".into(), 0).unwrap();
    assert!(!screen.running && screen.text.contains("length"), "the last screen can still be read");
    let late = TerminalInput::Text { text: "x".to_owned() };
    let refused = run.engine.terminal_input(run.session, "s1".into(), late).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotNow);
    let report = run.engine.report(run.session).await.unwrap();
    assert!(report.contains("allowed once, in a terminal"), "{report}");
    let secret = "typed-unseen-4711";
    let folders = run.home().parent().unwrap().to_owned();
    assert_eq!(holding(&folders, secret), Vec::<std::path::PathBuf>::new());
    assert!(!serde_json::to_string(&run.seen).unwrap().contains(secret));
}

#[tokio::test]
async fn allowed_without_a_terminal_it_is_refused_as_ever() {
    let mut run = with_terminals(&["python3 -q"]).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.answer(&question, ONCE).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    let results = run.state().await.results;
    assert!(
        matches!(&results[0].exit_status, ExitStatus::NotStarted { message } if message.contains("nobody sits"))
    );
    assert_eq!(started_in_terminal(&run).await, [("s1".to_owned(), false)]);
}

#[tokio::test]
async fn a_terminal_is_an_answer_only_where_it_was_offered() {
    let mut run = with_terminals(&["mkdir -p doomed", "rm -rf doomed"]).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    assert!(!question.terminal);
    let answer = Command::Answer { approval_id: question.id, answer: ApprovalAnswer::InTerminal };
    assert_eq!(run.refusal(answer).await, ErrorCode::InvalidInput);
    run.answer(&question, ApprovalAnswer::NotNow).await;
}

#[tokio::test]
async fn nobody_there_means_no_terminal() {
    let mut run = Harness::unattended(&sequence(&["python3 -q"]), "approve = \"dangerous\"", None).await;
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    let StepState::Failed { reason, .. } = run.step("s1").await else { panic!("{:?}", run.step("s1").await) };
    assert!(reason.ends_with("To run it as it is, add </dev/null."), "{reason}");
    let asked =
        run.events().await.into_iter().any(|record| matches!(record.event, Event::ApprovalNeeded { .. }));
    assert!(!asked);
}

#[tokio::test]
async fn a_false_success_is_offered_a_terminal_when_it_is_tried_again() {
    let make = "git init -q && echo a > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && echo b > f";
    let mut run = with_terminals(&[make, "git add -p"]).await;
    run.start(Mode::Planner).await;
    assert!(
        matches!(run.settled().await.state, PlanState::Failed { .. }),
        "without a terminal it is no success"
    );
    run.tell(Command::Retry { step_id: "s2".into() }).await;
    let question = run.question().await;
    assert!(question.terminal);
    run.answer(&question, ApprovalAnswer::InTerminal).await;
    for _ in 0..3000 {
        let screen = run.engine.terminal_screen(run.session, "s2".into(), 1);
        if screen.is_some_and(|screen| screen.text.contains("Stage this hunk")) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    types(&run, "s2", "y\r").await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let staged = std::process::Command::new("git")
        .args(["diff", "--cached", "--name-only"])
        .current_dir(run.work(""))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&staged.stdout), "f\n");
}

#[tokio::test]
async fn a_restart_keeps_the_question_and_no_terminal() {
    let mut run = with_terminals(&["python3 -q"]).await;
    run.start(Mode::Planner).await;
    let first = run.question().await;
    let run = run.restart(Attendance::AtTerminal, None).await;
    let open = run.state().await.approvals;
    assert_eq!(open.iter().map(|open| open.terminal).collect::<Vec<_>>(), [true]);
    assert_eq!(open[0].action, first.action);
    assert!(run.engine.terminal_screen(run.session, "s1".into(), 0).is_none());
}

#[tokio::test]
async fn a_cancel_ends_the_program_at_its_terminal() {
    let mut run = with_terminals(&["python3 -q"]).await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::InTerminal).await;
    sees(&run, "s1", ">>>").await;
    run.tell(Command::Cancel).await;
    assert_eq!(run.settled().await.state, PlanState::Cancelled);
    assert!(!run.engine.terminal_screen(run.session, "s1".into(), 0).unwrap().running);
    let by = run.events().await.into_iter().find_map(|record| match record.event {
        Event::StepStarted { allowed_by, .. } => Some(allowed_by),
        _ => None,
    });
    assert_eq!(by, Some(AllowedBy::User));
}
