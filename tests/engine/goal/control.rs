//! The user's hand on a goal: words, to-dos, pause, stop, an action taken over.

use std::time::{Duration, Instant};

use planwright_engine::protocol::{
    ActionAuthor, ApprovalAnswer, CallOutcome, Command, ErrorCode, Event, GoalEnd, GoalPause, GoalPhase, GoalRequest,
    GoalWait, Priority, Todo, TodoAuthor, TodoStatus,
};
use planwright_tests::ScriptedMind;

use super::{came_to, complete, ended, goal, last_words, mind, paused, pursuing, shell, signal};

fn todo(id: &str, status: TodoStatus) -> Todo {
    Todo { id: id.to_owned(), title: format!("do {id}"), status, priority: Priority::Medium }
}

#[tokio::test]
async fn words_while_a_command_runs_reach_the_next_prompt_and_end_nothing() {
    let main = mind(&[shell("until [ -e go ]; do sleep 0.02; done; echo went")]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    run.wait_for("the start", |event| matches!(event, Event::CallStarted { .. })).await;
    run.tell(Command::Guide { text: "Mind the fish.".to_owned() }).await;
    std::fs::write(run.work("go"), "").unwrap();
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    let asked = main.asked();
    assert_eq!(asked.len(), 2);
    assert!(last_words(&asked[1]).contains("The user says (now): Mind the fish."), "{}", last_words(&asked[1]));
    let goal = goal(&run).await;
    assert!(came_to(&goal.actions[0]).1.contains("went") && goal.guidance[0].seen);
}

#[tokio::test]
async fn words_while_the_model_thinks_are_answered_and_what_it_thought_does_not_count() {
    let main = ScriptedMind::slow(Duration::from_millis(400), |_, question| {
        if last_words(question).contains("Mind the fish") { complete() } else { shell("touch wrong") }
    });
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    while main.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    run.tell(Command::Guide { text: "Mind the fish.".to_owned() }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert!(!run.work("wrong").exists());
    assert_eq!(goal(&run).await.iteration, 1);
}

#[tokio::test]
async fn the_users_to_dos_reach_the_next_prompt_and_stay_the_users() {
    let main = mind(&[
        signal("planning", &[("a", "pending")], Some(("user_input", "Go on?"))),
        // Leaves out what the user added, and takes up what the user cancelled.
        signal("complete", &[("a", "completed")], None),
        signal("complete", &[("a", "completed"), ("mine", "cancelled")], None),
        signal("complete", &[("a", "completed"), ("mine", "completed")], None),
    ]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    run.wait_for("a question", |event| matches!(event, Event::GoalQuestionAsked { .. })).await;
    let before = goal(&run).await;
    let list = vec![todo("mine", TodoStatus::Pending), todo("a", TodoStatus::Cancelled)];
    let stale = Command::EditTodos { todos: list.clone(), base: before.todo_number + 1 };
    assert_eq!(run.refusal(stale).await, ErrorCode::Stale);
    let dropping = Command::EditTodos { todos: list[..1].to_vec(), base: before.todo_number };
    assert_eq!(run.refusal(dropping).await, ErrorCode::InvalidInput);
    run.tell(Command::EditTodos { todos: list.clone(), base: before.todo_number }).await;
    let edited = goal(&run).await;
    assert_eq!((edited.todos, edited.user_todos), (list, vec!["mine".to_owned(), "a".to_owned()]));
    let last = edited.todo_changes.last().unwrap();
    assert_eq!((last.author, last.number), (TodoAuthor::User, before.todo_number + 1));
    let question = edited.question.unwrap();
    run.tell(Command::AnswerQuestion { question_id: question.id, text: "go on".to_owned() }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    let asked = main.asked();
    assert!(last_words(&asked[1]).contains("\"id\":\"mine\"") && last_words(&asked[1]).contains("[the user's]"));
    assert_eq!(asked.len(), 4, "twice it was sent back for the user's to-do");
    let end = goal(&run).await;
    let status = |id: &str| end.todos.iter().find(|todo| todo.id == id).unwrap().status;
    assert_eq!((status("mine"), status("a")), (TodoStatus::Completed, TodoStatus::Cancelled));
}

#[tokio::test]
async fn a_pause_comes_after_the_running_action_and_before_the_next() {
    let main = mind(&[shell("until [ -e go ]; do sleep 0.02; done; echo one >> log"), shell("echo two >> log")]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    run.wait_for("the start", |event| matches!(event, Event::CallStarted { .. })).await;
    run.tell(Command::Pause).await;
    std::fs::write(run.work("go"), "").unwrap();
    assert_eq!(paused(&mut run).await, GoalPhase::Paused { reason: GoalPause::User });
    assert_eq!((run.lines("log"), main.asked().len()), (1, 1));
    run.tell(Command::Resume { mode: None }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert_eq!(run.lines("log"), 2);
}

#[tokio::test]
async fn a_stop_ends_what_runs_at_once_and_says_so() {
    let main = mind(&[shell("touch begun; sleep 300")]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    while !run.work("begun").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let asked = Instant::now();
    run.tell(Command::Cancel).await;
    let acknowledged = asked.elapsed();
    assert_eq!(ended(&mut run).await, GoalEnd::Cancelled);
    println!("acknowledged after {acknowledged:?}, ended after {:?}", asked.elapsed());
    let goal = goal(&run).await;
    assert_eq!(came_to(&goal.actions[0]).0, CallOutcome::Interrupted);
    assert_eq!(run.refusal(Command::Cancel).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn an_action_taken_over_is_the_users_and_what_they_did_is_told() {
    let main = mind(&[shell("rm -rf pond"), shell("rm -rf lake"), complete()]);
    let mut run = pursuing(&main, GoalRequest::new("Tidy up")).await;
    std::fs::create_dir(run.work("lake")).unwrap();
    let question = run.question().await;
    run.tell(Command::TakeOver { action_id: question.step_id.clone() }).await;
    let now = goal(&run).await;
    assert_eq!(now.phase, GoalPhase::Waiting { what: GoalWait::Hand });
    assert!(run.state().await.approvals.is_empty());
    let gone = Command::Answer { approval_id: question.id, answer: ApprovalAnswer::AllowOnce { edited_command: None } };
    assert_eq!(run.refusal(gone).await, ErrorCode::NoSuchApproval);
    let empty = Command::HandBack { action_id: question.step_id.clone(), note: " ".to_owned(), command: None };
    assert_eq!(run.refusal(empty).await, ErrorCode::InvalidInput);
    let note = "There was no pond.".to_owned();
    run.tell(Command::HandBack { action_id: question.step_id.clone(), note, command: None }).await;

    let question = run.question().await;
    run.tell(Command::TakeOver { action_id: question.step_id.clone() }).await;
    let command = Some("mv lake old-lake".to_owned());
    run.tell(Command::HandBack { action_id: question.step_id, note: String::new(), command }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    assert!(run.work("old-lake").exists() && !run.work("lake").exists());
    let goal = goal(&run).await;
    assert!(goal.actions.iter().all(|action| action.author == ActionAuthor::User));
    assert!(last_words(&main.asked()[1]).contains("There was no pond."));
    assert!(last_words(&main.asked()[2]).contains("mv lake old-lake"));
}

#[tokio::test]
async fn a_command_of_the_users_own_goes_through_the_gate_too() {
    let main = mind(&[shell("rm -rf pond"), complete()]);
    let mut run = pursuing(&main, GoalRequest::new("Tidy up")).await;
    let question = run.question().await;
    run.tell(Command::TakeOver { action_id: question.step_id.clone() }).await;
    let command = Some("rm -rf lake".to_owned());
    run.tell(Command::HandBack { action_id: question.step_id, note: String::new(), command }).await;
    let again = run.question().await;
    assert_eq!(again.action.command(), "rm -rf lake");
    run.answer(&again, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
}

#[tokio::test]
async fn nothing_else_begins_while_a_goal_is_open() {
    let main = mind(&[signal("planning", &[], Some(("user_input", "Go on?")))]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    run.wait_for("a question", |event| matches!(event, Event::GoalQuestionAsked { .. })).await;
    let say = |text: &str| Command::Say { text: text.to_owned(), route: planwright_engine::protocol::Route::Chat, replaces: None };
    assert_eq!(run.refusal(say("hello")).await, ErrorCode::NotNow);
    let second = Command::Pursue { request: GoalRequest::new("Another") };
    assert_eq!(run.refusal(second.clone()).await, ErrorCode::NotNow);
    run.tell(Command::Pause).await;
    paused(&mut run).await;
    assert_eq!(run.refusal(say("hello")).await, ErrorCode::NotNow);
    assert_eq!(run.refusal(second.clone()).await, ErrorCode::NotNow);
    run.tell(Command::Cancel).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Cancelled);
    run.tell(second).await;
    ended(&mut run).await;
}
