//! What a goal is given that is no good: a check that hangs, lists that lose or rename to-dos, texts without end.

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    Command, ErrorCode, Event, GoalEnd, GoalPhase, GoalRequest, SentBack, Settings, Todo, TodoStatus, Verify,
};
use planwright_tests::Harness;

use super::{complete, ended, goal, last_words, mind, paused, pursuing, shell, signal};

fn checked_by(command: &str) -> GoalRequest {
    let command = command.to_owned();
    GoalRequest { verify: Some(Verify::Command { command }), ..GoalRequest::new("Make the file") }
}

#[tokio::test]
async fn a_check_that_hangs_ends_by_its_limit_and_the_goal_is_sent_back() {
    type Case = (Settings, &'static str);
    let cases: [Case; 2] = [
        (Settings { wall_seconds: 1, ..Settings::default() }, "ended after its limit of 1 s"),
        (Settings { silence_seconds: 1, ..Settings::default() }, "ended after 1 s without output"),
    ];
    for (settings, words) in cases {
        let main = mind(&[complete(), shell("touch made"), complete()]);
        let mut run = Harness::empty(Attendance::User, &main, None).await;
        run.engine.use_settings(settings);
        run.tell(Command::Pursue { request: checked_by("[ -e made ] || sleep 300") }).await;
        assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: true });
        let sent_back = run.seen.iter().find_map(|record| match &record.event {
            Event::GoalSentBack { reason: SentBack::VerifyFailed { result } } => Some(result.clone()),
            _ => None,
        });
        // Whether the shell still says that its command was ended is a matter of which of them hears of it first.
        assert_eq!(sent_back.as_deref().and_then(|said| said.lines().next()), Some(words));
        let asked = main.asked();
        assert_eq!(asked.len(), 3);
        let told = last_words(&asked[1]);
        assert!(told.contains("but the check failed:") && told.contains(words), "{told}");
    }
}

fn standing(todos: &[Todo]) -> Vec<(&str, TodoStatus)> {
    todos.iter().map(|todo| (todo.id.as_str(), todo.status)).collect()
}

#[tokio::test]
async fn open_to_dos_that_a_list_drops_or_renames_stay_and_the_model_is_told() {
    let main = mind(&[
        signal("planning", &[("a", "pending"), ("b", "in-progress"), ("c", "completed")], None),
        // `a` is renamed, `b` dropped; `c`, which is done, may go.
        signal("planning", &[("x", "pending")], None),
        // The same once more, and called complete.
        signal("complete", &[("x", "completed")], None),
        signal("complete", &[("x", "completed"), ("a", "cancelled"), ("b", "completed")], None),
    ]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    assert_eq!(ended(&mut run).await, GoalEnd::Complete { verified: false });
    let lists: Vec<Vec<Todo>> = run
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::TodosChanged { todos, .. } => Some(todos.clone()),
            _ => None,
        })
        .collect();
    let (pending, doing, done) = (TodoStatus::Pending, TodoStatus::InProgress, TodoStatus::Completed);
    assert_eq!(standing(&lists[1]), [("x", pending), ("a", pending), ("b", doing)]);
    assert_eq!(standing(&lists[2]), [("x", done), ("a", pending), ("b", doing)]);
    assert_eq!(standing(&lists[3]), [("x", done), ("a", TodoStatus::Cancelled), ("b", done)]);
    let asked = main.asked();
    assert_eq!(asked.len(), 4);
    assert!(!last_words(&asked[1]).contains("left these open to-dos out"));
    for nth in [2, 3] {
        let told = last_words(&asked[nth]);
        assert!(told.contains("left these open to-dos out: a, b. They are still on it"), "{told}");
    }
    assert!(last_words(&asked[3]).contains("these to-dos are open: a, b"));
    assert!(asked[0].system.contains("leave out or give another id stays as it is"));
}

#[tokio::test]
async fn a_list_that_repeats_an_id_or_grows_without_end_is_sent_back_and_changes_nothing() {
    let ids = |letter: char| -> Vec<(String, &str)> {
        (0..60).map(|at| (format!("{letter}{at}"), "pending")).collect()
    };
    let list = |letter: char| {
        let ids = ids(letter);
        let ids: Vec<(&str, &str)> = ids.iter().map(|(id, status)| (id.as_str(), *status)).collect();
        signal("planning", &ids, None)
    };
    let asks = |letter: char| list(letter).replace("planning", "stuck");
    let main = mind(&[
        signal("planning", &[("a0", "pending"), ("a0", "completed")], None),
        list('a'),
        list('b'),
        asks('a'),
    ]);
    let mut run = pursuing(&main, GoalRequest::new("Do it")).await;
    assert!(matches!(ended(&mut run).await, GoalEnd::Stuck { .. }));
    let asked = main.asked();
    assert_eq!(asked.len(), 4);
    assert!(last_words(&asked[1]).contains("two `todos` have the id `a0`"), "{}", last_words(&asked[1]));
    assert!(last_words(&asked[3]).contains("would have more than 100; keep their ids"));
    let goal = goal(&run).await;
    assert_eq!((goal.todos.len(), goal.todo_number, goal.iteration), (60, 1, 2));
}

#[tokio::test]
async fn a_text_of_a_megabyte_is_refused_and_nothing_is_lost() {
    let main = mind(&[signal("planning", &[], Some(("user_input", "Which pond?")))]);
    let mut run = Harness::empty(Attendance::User, &main, None).await;
    let long = || "a pond ".repeat(150_000);
    let short = GoalRequest::new("Fill the pond");
    for request in [
        GoalRequest::new(long()),
        GoalRequest { context: Some(long()), ..short.clone() },
        checked_by(&long()),
        GoalRequest { verify: Some(Verify::Question { question: long() }), ..short.clone() },
    ] {
        let error = run.submit(Command::Pursue { request }).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert_eq!(error.message, "That is too long. Put it into a file and name the file instead.");
    }
    assert!(run.state().await.goal.is_none() && main.asked().is_empty());
    run.tell(Command::Pursue { request: short }).await;
    run.wait_for("its question", |event| matches!(event, Event::GoalQuestionAsked { .. })).await;
    let before = goal(&run).await;
    let question_id = before.question.clone().unwrap().id;
    for command in [
        Command::Guide { text: long() },
        Command::AnswerQuestion { question_id, text: long() },
        Command::EditTodos {
            todos: vec![Todo {
                id: "a".to_owned(),
                title: long(),
                status: TodoStatus::Pending,
                priority: planwright_engine::protocol::Priority::Low,
            }],
            base: before.todo_number,
        },
    ] {
        assert!(matches!(run.refusal(command).await, ErrorCode::InvalidInput | ErrorCode::TooLarge));
        assert_eq!(goal(&run).await, before);
    }
    run.tell(Command::Pause).await;
    assert!(matches!(paused(&mut run).await, GoalPhase::Paused { .. }));
}
