//! What becomes of a message: a plan, a conversation, a page of instructions, or one command.

use planwright_engine::protocol::{
    ChatEntry, Command, ErrorCode, Event, Mode, PlanOrigin, PlanState, Risk, Route, StepState, TurnEnd,
};
use planwright_tests::chat_server::Say;
use serde_json::{Value, json};

use super::Talk;

fn plan(commands: &[&str]) -> Say {
    let steps: Vec<Value> = commands
        .iter()
        .map(|command| json!({ "title": format!("Run {command}"), "kind": "execute", "command": command, "why": "it helps" }))
        .collect();
    Say::text(json!({ "title": "A plan", "intent": "To get there.", "steps": steps }).to_string())
}

async fn routed(talk: &mut Talk, text: &str, route: Route) -> TurnEnd {
    talk.submit(Command::Say { text: text.to_owned(), route, replaces: None }).await;
    talk.end().await
}

#[tokio::test]
async fn a_request_for_work_becomes_a_plan_that_waits() {
    let mut talk = Talk::new(|_, _| plan(&["mkdir new", "touch new/file"])).await;
    let request =
        "Refactor the layout: move a.txt and b.txt into new/, then install the tools and set up the tests";
    let end = routed(&mut talk, request, Route::Auto).await;
    let TurnEnd::PlanProposed { plan_id } = end else { panic!("{end:?}") };
    let state = talk.state().await;
    let made = state.plan.unwrap();
    assert_eq!((made.id, &made.state), (plan_id, &PlanState::Draft));
    assert!(matches!(&made.origin, PlanOrigin::Model { name, message_id: Some(_) } if name == "scripted"));
    assert!(
        made.steps
            .iter()
            .all(|step| step.assessment.as_ref().is_some_and(|found| found.risk == Risk::Caution))
    );
    let Some(ChatEntry::User { route, detection: Some(found), .. }) = state.conversation.entries.first()
    else {
        panic!("{:?}", state.conversation.entries);
    };
    assert_eq!(*route, Route::Plan);
    assert!(found.should_plan && found.score >= 3 && !found.reasons.is_empty(), "{found:?}");
    assert!(!talk.folder().join("new").exists(), "nothing has run");
    // Confirmed, it runs as any plan.
    talk.submit(Command::Start { mode: Some(Mode::Planner) }).await;
    talk.wait(|event| matches!(event, Event::PlanCompleted { .. }).then_some(())).await;
    assert!(talk.folder().join("new/file").exists());
}

#[tokio::test]
async fn a_question_is_talked_about() {
    let mut talk = Talk::new(|_, _| Say::text("It is a list.")).await;
    assert_eq!(routed(&mut talk, "what is in this folder?", Route::Auto).await, TurnEnd::Done);
    assert!(talk.state().await.plan.is_none());
}

#[tokio::test]
async fn a_rejected_plan_falls_back_to_the_conversation() {
    let mut talk = Talk::new(|number, _| match number {
        0 => plan(&["rm -rf everything"]),
        _ => Say::text("Then we talk about it."),
    })
    .await;
    let end = routed(&mut talk, "tidy up", Route::Plan).await;
    assert!(matches!(end, TurnEnd::PlanProposed { .. }));
    talk.submit(Command::Reject).await;
    assert_eq!(talk.end().await, TurnEnd::Done);
    assert_eq!(talk.state().await.plan.unwrap().state, PlanState::Cancelled);
    let text = talk.server.bodies().pop().unwrap()["messages"].to_string();
    assert!(text.contains("tidy up") && text.contains("Go on without one"), "{text}");
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn solving_is_a_plan_for_agentic() {
    let mut talk = Talk::new(|_, _| plan(&["true"])).await;
    assert!(matches!(routed(&mut talk, "fix it", Route::Solve).await, TurnEnd::PlanProposed { .. }));
    assert_eq!(talk.state().await.plan.unwrap().mode, Mode::Agentic);
}

#[tokio::test]
async fn one_command_is_a_plan_of_one_step() {
    let command =
        json!({ "title": "Show free space", "command": "df -h", "why": "It says how full each disk is." });
    let mut talk = Talk::new(move |_, _| Say::text(command.to_string())).await;
    assert!(matches!(
        routed(&mut talk, "how full is the disk", Route::Do).await,
        TurnEnd::PlanProposed { .. }
    ));
    assert_eq!(talk.state().await.plan.unwrap().steps.len(), 1);
}

/// The model's own tool makes a plan too, and the turn waits for the user.
#[tokio::test]
async fn the_tool_proposes_a_plan() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call(
            "create_plan",
            json!({ "title": "T", "intent": "I", "steps": [{ "title": "t", "command": "true", "why": "w" }] }),
        ),
        _ => Say::text("The plan went well."),
    })
    .await;
    assert!(matches!(talk.turn("do it properly").await, TurnEnd::PlanProposed { .. }));
    talk.submit(Command::Start { mode: None }).await;
    talk.wait(|event| matches!(event, Event::PlanCompleted { .. }).then_some(())).await;
    assert!(
        talk.state()
            .await
            .plan
            .unwrap()
            .steps
            .iter()
            .all(|step| matches!(step.state, StepState::Completed { .. }))
    );
    assert_eq!(talk.turn("how did it go?").await, TurnEnd::Done);
    let text = talk.server.bodies().pop().unwrap()["messages"].to_string();
    assert!(text.contains("completed") && text.contains("1. [done] true"), "{text}");
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

/// A page with commands needs no model to become a plan.
#[tokio::test]
async fn a_page_is_imported_and_nobody_is_asked() {
    let mut talk = Talk::new(|_, _| Say::text("nobody asked me")).await;
    let page = "# Set up\n\n```sh\nmkdir notes\n```\n";
    assert!(matches!(routed(&mut talk, page, Route::Auto).await, TurnEnd::PlanProposed { .. }));
    assert_eq!(talk.server.bodies().len(), 0);
    assert_eq!(talk.state().await.plan.unwrap().steps.len(), 1);
    assert_eq!(talk.state().await.title, "Set up");
    // A question about a block is a question.
    let question = "Why does this fail?\n\n```sh\nmkdir notes\n```\n";
    assert_eq!(routed(&mut talk, question, Route::Auto).await, TurnEnd::Done);
    assert_eq!(talk.server.bodies().len(), 1);
}

#[tokio::test]
async fn without_a_model_words_are_answered_honestly() {
    let folders = tempfile::tempdir().unwrap();
    let engine = planwright_engine::engine::Engine::spawn(planwright_engine::engine::EngineConfig {
        home: folders.path().join("home"),
        worker: planwright_tests::worker(),
        attendance: planwright_engine::engine::Attendance::User,
        models: planwright_engine::model::Models::default(),
        keys: std::sync::Arc::new(planwright_engine::model::MemoryKeys::default()),
    })
    .await
    .unwrap();
    let work = folders.path().display().to_string();
    let state = engine.create_session(None, Some(work)).await.unwrap();
    let say = |text: &str, route| Command::Say { text: text.to_owned(), route, replaces: None };
    let error = engine.submit(state.id, say("hello", Route::Chat)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NoModel);
    let error = engine.submit(state.id, say("  ", Route::Auto)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    engine.submit(state.id, say("# Page\n\n```sh\ntrue\n```\n", Route::Auto)).await.unwrap();
    assert!(engine.open_session(state.id).await.unwrap().plan.is_some());
}

/// The first message names the session.
#[tokio::test]
async fn a_session_is_called_after_what_it_is_about() {
    let mut talk = Talk::new(|_, _| Say::text("ok")).await;
    talk.turn("find out why the disk is full\nand tell me").await;
    assert_eq!(talk.state().await.title, "find out why the disk is full");
}
