//! The course of a goal: signals, to-dos, the five actions, what cannot be read, circles.

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    ApprovalAnswer, AskedBy, CallOutcome, Command, Event, GoalBudget, GoalEnd, GoalPhase, GoalRequest, GoalWait,
    LoopKind, MAX_SIGNAL_MENDS, Price, Purpose, Risk, SignalStatus, StuckCause,
};
use planwright_tests::{Harness, ScriptedMind};

use super::{came_to, complete, ended, goal, last_words, mind, paused, pursuing, shell, signal};

#[tokio::test]
async fn planning_executing_reflecting_and_complete_with_all_five_actions() {
    let doing = |action| signal("executing", &[("a", "in-progress")], Some(action));
    let main = mind(&[
        signal("planning", &[("a", "pending")], None),
        doing(("shell", "echo 12 > fish && cat fish")),
        doing(("file_read", "fish")),
        doing(("eval", "results[0].stdout.trim().len()")),
        doing(("ai_consult", "How many fish are many?")),
        doing(("user_input", "Which pond?")),
        signal("reflecting", &[("a", "completed")], None),
        signal("complete", &[("a", "completed")], None),
    ]);
    let price = Price { input_cents: 300, output_cents: 1500, cached_cents: 30 };
    let wise = ScriptedMind::new(|_, _| "Twelve are many.".to_owned()).named("wise", Some(price));
    let mut run = Harness::empty(Attendance::User, &main, Some(&wise)).await;
    run.tell(Command::Pursue { request: GoalRequest::new("Count the fish") }).await;

    let question = run.question().await;
    assert_eq!((question.assessment.risk, question.revision), (Risk::Caution, 0));
    assert!(question.action.command().starts_with("ai_consult wise: How many"), "{question:?}");
    assert!(question.warning_message.contains("wise") && question.warning_message.contains('$'), "{question:?}");
    assert!(wise.asked().is_empty(), "nobody is asked before the answer");
    assert_eq!(goal(&run).await.phase, GoalPhase::Waiting { what: GoalWait::Approval });
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;

    run.wait_for("a question", |event| matches!(event, Event::GoalQuestionAsked { .. })).await;
    let asked = goal(&run).await;
    assert_eq!(asked.phase, GoalPhase::Waiting { what: GoalWait::Question });
    let question = asked.question.unwrap();
    assert_eq!((question.text.as_str(), question.asked_by), ("Which pond?", AskedBy::Agent));
    run.tell(Command::AnswerQuestion { question_id: question.id, text: "The small one.".to_owned() }).await;

    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    let goal = goal(&run).await;
    let came: Vec<_> = goal.actions.iter().map(came_to).collect();
    let done = |content| (CallOutcome::Success, content);
    assert_eq!(came[0], done("exit status 0\n12"));
    assert!(came[1].0 == CallOutcome::Success && came[1].1.contains("12"), "{came:?}");
    assert_eq!(&came[2..], [done("2"), done("Twelve are many."), done("The small one.")]);
    let statuses: Vec<_> = goal.reflections.iter().map(|said| said.status).collect();
    assert_eq!(statuses[0], SignalStatus::Planning);
    assert_eq!(&statuses[statuses.len() - 2..], [SignalStatus::Reflecting, SignalStatus::Complete]);
    assert_eq!((goal.iteration, goal.todo_number, goal.todos.len()), (8, 3, 1));
    // What an action gave is told with the next question, as data.
    let asked = main.asked();
    assert!(last_words(&asked[2]).contains("<result>\nexit status 0\n12\n</result>"), "{}", last_words(&asked[2]));
    assert!(last_words(&asked[6]).contains("The small one."));
    assert!(asked.iter().all(|question| question.messages.len() == 1 && last_words(question).contains("Count the fish")));
}

#[tokio::test]
async fn to_dos_are_recorded_before_their_action_begins() {
    let main = mind(&[signal("executing", &[("a", "in-progress")], Some(("shell", "true"))), signal("complete", &[("a", "completed")], None)]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    ended(&mut run).await;
    let names = run.names().await;
    let at = |name: &str| names.iter().position(|at| at == name).unwrap();
    assert!(at("goal-signal-received") < at("todos-changed"), "{names:?}");
    assert!(at("todos-changed") < at("goal-action-proposed") && at("goal-action-proposed") < at("call-started"));
}

#[tokio::test]
async fn what_is_no_signal_goes_back_with_the_error_and_the_third_time_it_is_stuck() {
    let main = ScriptedMind::new(|_, _| "I am working on it.".to_owned());
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    let GoalEnd::Stuck { cause, .. } = ended(&mut run).await else { panic!("it is stuck") };
    assert_eq!(cause, StuckCause::Malformed);
    let asked = main.asked();
    assert_eq!(asked.len() as u32, MAX_SIGNAL_MENDS + 1);
    assert_eq!(asked[1].messages[1], "I am working on it.");
    assert!(asked[1].messages[2].contains("no JSON object"), "{:?}", asked[1].messages[2]);
    assert_eq!(goal(&run).await.iteration, 0);
}

#[tokio::test]
async fn a_signal_that_was_mended_counts_and_the_errors_before_it_do_not() {
    let script = ["nonsense".to_owned(), shell("true"), "{}".to_owned(), "again".to_owned(), complete()];
    let main = mind(&script);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(goal(&run).await.iteration, 2);
}

#[tokio::test]
async fn the_same_action_with_the_same_result_is_told_and_then_it_is_stuck() {
    let main = ScriptedMind::new(|_, _| shell("echo same"));
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    let GoalEnd::Stuck { cause, .. } = ended(&mut run).await else { panic!("it is stuck") };
    assert_eq!(cause, StuckCause::Loop);
    let noticed: Vec<_> = run
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::GoalLoopNoticed { kind, iteration, reflected_before, .. } => Some((*kind, *iteration, *reflected_before)),
            _ => None,
        })
        .collect();
    assert_eq!(noticed, [(LoopKind::SameAction, 3, false), (LoopKind::SameAction, 6, true)]);
    let asked = main.asked();
    assert!(last_words(&asked[3]).contains("going in circles"), "{}", last_words(&asked[3]));
    assert!(!last_words(&asked[2]).contains("going in circles"));
}

#[tokio::test]
async fn the_last_iteration_is_the_end_and_never_done() {
    let main = ScriptedMind::new(|number, _| shell(&format!("echo {number}")));
    let mut run = pursuing(&main, GoalRequest { max_iterations: 3, ..GoalRequest::new("Do it") }).await;
    let budget = GoalBudget::Iterations { allowed: 3 };
    assert_eq!(ended(&mut run).await, GoalEnd::OutOfBudget { budget });
    assert_eq!(main.asked().len(), 3);
    // Taken up again it has as many again.
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::OutOfBudget { budget: GoalBudget::Iterations { allowed: 6 } });
    assert_eq!(main.asked().len(), 6);
}

#[tokio::test]
async fn a_model_that_cannot_answer_pauses_and_nothing_is_lost() {
    let main = ScriptedMind::fallible(|number, _| match number {
        1 => Err(planwright_engine::model::ModelError::NoKey { provider: "local" }),
        0 => Ok(shell("echo one >> log")),
        _ => Ok(complete()),
    });
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    let GoalPhase::Paused { .. } = paused(&mut run).await else { panic!("it is paused") };
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(run.lines("log"), 1);
}

#[test]
fn uses_of_a_model_say_what_for() {
    assert_eq!(serde_json::to_value(Purpose::Goal).unwrap(), "goal");
    assert_eq!(serde_json::to_value(Purpose::Consulting).unwrap(), "consulting");
}
