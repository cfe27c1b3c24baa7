//! Plans by a model (P2): asked for, mended once, refused with words that say what to do.

use planwright_engine::brain::planning::{PlanRequest, PlanningError, generate, one_command};
use planwright_engine::model::{ModelError, Notes, Provider, ProviderKind};
use planwright_engine::protocol::{Event, Mode, OnFailure, Plan, PlanOrigin, PlanState, Purpose};
use planwright_tests::ScriptedMind;
use planwright_tests::model_server::{ModelServer, Reply};
use serde_json::json;
use tokio::sync::mpsc;

fn request() -> PlanRequest {
    PlanRequest {
        request: "Build it and try it".into(),
        cwd: "/work".into(),
        mode: Mode::Teacher,
        on_failure: OnFailure::Stop,
        message_id: None,
        instructions: None,
        surroundings: "In the folder: Makefile".into(),
        earlier: Some("The user rejected a plan with `sudo make`.".into()),
    }
}

fn notes() -> (Notes, mpsc::UnboundedReceiver<Event>) {
    mpsc::unbounded_channel()
}

fn answer() -> String {
    json!({ "title": "Build", "intent": "Build and try", "steps": [
        { "title": "Build", "command": "make", "why": "to have it" },
        { "title": "Try", "command": "make check", "why": "to know", "verify": "test -e ok" },
    ]})
    .to_string()
}

async fn plan(mind: &ScriptedMind) -> Result<Plan, PlanningError> {
    let (notes, _heard) = notes();
    generate(mind, &request(), &notes).await
}

#[tokio::test]
async fn a_plan_is_made_of_what_the_model_writes() {
    for wrapped in
        [answer(), format!("```json\n{}\n```", answer()), format!("Here {{you}} go: {} Good luck!", answer())]
    {
        let mind = ScriptedMind::new(move |_, _| wrapped.clone());
        let plan = plan(&mind).await.unwrap();
        assert_eq!((plan.title.as_str(), plan.steps.len(), plan.mode), ("Build", 2, Mode::Teacher));
        assert_eq!(plan.state, PlanState::Draft);
        assert_eq!(plan.origin, PlanOrigin::Model { name: "scripted".into(), message_id: None });
        assert_eq!(plan.steps[1].depends_on, [plan.steps[0].id.clone()]);
        let asked = mind.asked();
        assert_eq!(asked.len(), 1);
        for part in [
            "Build it and try it",
            "<surroundings>\nIn the folder: Makefile",
            "sudo make",
            "Workspace: /work",
        ] {
            assert!(asked[0].messages[0].contains(part), "{part}: {}", asked[0].messages[0]);
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_no_plan_is_mended_once() {
    let bad = [
        "I would first look around.".to_owned(),
        answer().replace("\"command\"", "\"cmd\""),
        answer()[..60].to_owned(),
        answer().replace("make check", ""),
    ];
    for first in bad {
        let mind = ScriptedMind::new(move |number, _| if number == 0 { first.clone() } else { answer() });
        assert_eq!(plan(&mind).await.unwrap().steps.len(), 2);
        let asked = mind.asked();
        assert_eq!((asked.len(), asked[1].messages.len()), (2, 3));
        assert!(asked[1].messages[2].starts_with("That answer cannot be used. "), "{:?}", asked[1].messages);
        assert_eq!(asked[0].messages[0], asked[1].messages[0]);
    }
}

#[tokio::test]
async fn twice_no_plan_is_said_with_what_is_wrong() {
    let step = json!({ "title": "x", "command": "true", "why": "y" });
    let mind = ScriptedMind::new(move |_, _| {
        json!({ "title": "t", "intent": "i", "steps": vec![step.clone(); 41] }).to_string()
    });
    let error = plan(&mind).await.unwrap_err();
    assert_eq!(mind.asked().len(), 2);
    assert!(
        matches!(&error, PlanningError::Unusable { complaint } if complaint.contains("at most 40")),
        "{error:?}"
    );
    assert!(error.to_string().contains("Ask again in other words"), "{error}");
}

#[tokio::test]
async fn a_model_that_cannot_answer_is_asked_once() {
    let mind = ScriptedMind::fallible(|_, _| Err(ModelError::RejectedKey { message: String::new() }));
    let error = plan(&mind).await.unwrap_err();
    assert_eq!(error, PlanningError::Model(ModelError::RejectedKey { message: String::new() }));
    assert!(error.to_string().contains("Check that it is right"), "{error}");
    assert_eq!(mind.asked().len(), 1);
}

#[tokio::test]
async fn one_command_is_a_plan_of_one_step() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 => answer(),
        _ => json!({ "title": "Count the lines", "command": "wc -l *", "why": "asked for" }).to_string(),
    });
    let (notes, _heard) = notes();
    let plan = one_command(mind.as_ref(), &request(), &notes).await.unwrap();
    assert_eq!((plan.steps.len(), plan.steps[0].action.command()), (1, "wc -l *"));
    assert_eq!((plan.title.as_str(), mind.asked().len()), ("Count the lines", 2));
}

#[tokio::test]
async fn over_the_wire_the_answer_is_held_to_the_shape_and_counted_as_planning() {
    let counted = [
        json!({ "choices": [{ "index": 0, "delta": { "content": answer() }, "finish_reason": "stop" }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": 50, "completion_tokens": 7 } }),
    ]
    .map(|chunk| format!("data: {chunk}\n\n"))
    .concat();
    let counted = Reply::stream(counted + "data: [DONE]\n\n");
    let server = ModelServer::start(vec![Reply::openai("No JSON today."), counted]).await;
    let model = Provider::new(ProviderKind::Local, Some(&server.url()), "scripted".to_owned(), None).unwrap();
    let (notes, mut heard) = notes();
    let plan = generate(&model, &request(), &notes).await.unwrap();
    assert_eq!(plan.steps.len(), 2);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let schema = &requests[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["required"], json!(["title", "intent", "steps"]));
    assert_eq!(
        requests[1].body["messages"].as_array().unwrap().len(),
        4,
        "system, question, answer, complaint"
    );
    // The first answer came without figures, and is a call all the same.
    for tokens in [(0, 0), (50, 7)] {
        let used = heard.try_recv().unwrap();
        assert!(
            matches!(used, Event::ModelUsed { purpose: Purpose::Planning, usage, .. }
            if (usage.calls, usage.input_tokens, usage.output_tokens) == (1, tokens.0, tokens.1)),
            "{used:?}"
        );
    }
}
