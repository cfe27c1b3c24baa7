//! What a page leaves to its reader: given once before the run, in commands as variables, and a secret nowhere else.

use planwright_engine::engine::Attendance;
use planwright_engine::policy::PolicyFile;
use planwright_engine::protocol::{
    Command, ErrorCode, Event, GivenValue, InputKind, InputValue, Mode, Plan, PlanState, Risk,
};
use planwright_tests::Harness;
use planwright_tests::search::holding;

const ANY: &str = "approve = \"dangerous\"\n";
const SECRET: &str = "hunter2 \"$(touch pwned)` it's";

const PAGE: &str = "# Set up\n\n```sh\nprintf '%s\\n' <your-domain> > site\nexport API_TOKEN=<your-api-token>\n```\n\n\
    Create `app.conf`:\n\n```ini\ndomain = <your-domain>\ntoken = \"<your-api-token>\"\nkeep $HOME `date`\n```\n\n\
    ```sh\nprintf '%s' \"$API_TOKEN\" | wc -c > length\nprintf 'Using %s\\n' \"$API_TOKEN\"\nenv > environment; set > everything\n```\n";

fn give(name: &str, value: &str) -> GivenValue {
    GivenValue { name: name.into(), value: value.into() }
}

fn values(plan: &Plan) -> Vec<(&str, Option<InputValue>)> {
    plan.inputs.iter().map(|input| (input.name.as_str(), input.value.clone())).collect()
}

fn plain(text: &str) -> Option<InputValue> {
    Some(InputValue::Plain { text: text.into() })
}

#[tokio::test]
async fn a_page_is_filled_in_and_run_and_its_secret_stands_nowhere() {
    let mut run = Harness::unattended(PAGE, ANY, None).await;
    let plan = run.plan().await;
    let kinds: Vec<_> = plan.inputs.iter().map(|input| (input.name.as_str(), input.kind)).collect();
    assert_eq!(kinds, [("YOUR_DOMAIN", InputKind::Text), ("YOUR_API_TOKEN", InputKind::Secret)]);
    assert_eq!(run.refusal(Command::Start { mode: None }).await, ErrorCode::InvalidInput);
    run.tell(Command::GiveInputs { values: vec![give("YOUR_DOMAIN", "it's a \"$(touch pwned)\" `x`")] })
        .await;
    assert_eq!(run.refusal(Command::Start { mode: None }).await, ErrorCode::InvalidInput);
    run.tell(Command::GiveInputs { values: vec![give("YOUR_API_TOKEN", SECRET)] }).await;
    let plan = run.plan().await;
    assert_eq!(
        values(&plan),
        [
            ("YOUR_DOMAIN", plain("it's a \"$(touch pwned)\" `x`")),
            ("YOUR_API_TOKEN", Some(InputValue::Secret))
        ]
    );
    run.start(Mode::Agentic).await;
    assert_eq!(run.settled().await.state, PlanState::Completed, "{:?}", run.state().await.results);
    assert_eq!(run.text("site"), "it's a \"$(touch pwned)\" `x`\n");
    assert_eq!(
        run.text("app.conf"),
        format!("domain = it's a \"$(touch pwned)\" `x`\ntoken = \"{SECRET}\"\nkeep $HOME `date`\n")
    );
    assert_eq!(run.text("length").trim(), SECRET.len().to_string());
    assert!(run.text("environment").contains(&format!("API_TOKEN={SECRET}\n")));
    assert!(!run.work("pwned").exists());
    let said: Vec<String> =
        run.state().await.results.iter().map(|result| result.stdout.to_string()).collect();
    assert!(said.iter().any(|text| text == "Using [secret hidden]\n"), "{said:?}");
    // Neither on disk nor in what the engine tells.
    for part in [SECRET, "hunter2"] {
        assert_eq!(holding(&run.home(), part), Vec::<std::path::PathBuf>::new());
        let state = serde_json::to_string(&run.state().await).unwrap();
        let events = serde_json::to_string(&run.events().await).unwrap();
        let seen = serde_json::to_string(&run.seen).unwrap();
        assert!(![state, events, seen].concat().contains(part));
    }
    let report = run.engine.report(run.session).await.unwrap();
    assert!(!report.contains("hunter2") && report.contains("Your domain"), "{report}");
}

#[tokio::test]
async fn a_secret_is_asked_for_again_when_the_program_has_ended() {
    let page = "```sh\nexport KEPT=<your-token>\n```\n\n```sh\nfalse\n```\n\n```sh\nprintf '%s' \"$KEPT\" > got\n```\n";
    let mut run = Harness::unattended(page, ANY, None).await;
    run.tell(Command::GiveInputs { values: vec![give("YOUR_TOKEN", SECRET)] }).await;
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
    let nobody = Attendance::Nobody(PolicyFile::parse(ANY).unwrap());
    let mut run = run.restart(nobody, None).await;
    assert_eq!(values(&run.plan().await), [("YOUR_TOKEN", None)]);
    assert!(run.events().await.iter().any(|record| matches!(record.event, Event::InputsForgotten { .. })));
    let second = run.plan().await.steps[1].id.clone();
    let skip = Command::Skip { step_id: second, with_dependents: false };
    for goes_on in [skip.clone(), Command::Resume { mode: None }] {
        assert_eq!(run.refusal(goes_on).await, ErrorCode::InvalidInput);
    }
    run.tell(Command::GiveInputs { values: vec![give("YOUR_TOKEN", SECRET)] }).await;
    run.tell(skip).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("got"), SECRET);
    assert_eq!(holding(&run.home(), "hunter2"), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn a_value_is_judged_where_it_stands() {
    let run = Harness::new("```sh\nrm -rf <your-folder>/build\n```\n").await;
    run.tell(Command::GiveInputs { values: vec![give("YOUR_FOLDER", ".")] }).await;
    let plan = run.plan().await;
    assert!(plan.steps[0].assessment.as_ref().unwrap().risk <= Risk::Dangerous);
    run.tell(Command::GiveInputs { values: vec![give("YOUR_FOLDER", "/usr")] }).await;
    let judged = run.plan().await.steps[0].assessment.clone().unwrap();
    let told = serde_json::to_string(&judged).unwrap();
    assert!(told.contains("/usr/build"), "{told}");
    assert_eq!(run.plan().await.revision, 3);
}

#[tokio::test]
async fn a_declared_input_has_its_kind_its_default_and_its_place() {
    let page = "---\ntitle: Greet\ninputs:\n  - name: who\n    label: Whom to greet\n    default: world\n  - name: size\n    choices: [small, big]\n  - name: note\n    required: false\n---\n\n\
        ```sh\necho \"hello $who, {{ size }} <note>.\" > said\n```\n";
    let mut run = Harness::new(page).await;
    let plan = run.plan().await;
    assert_eq!(values(&plan), [("who", plain("world")), ("size", None), ("note", None)]);
    assert_eq!((plan.inputs[0].label.as_str(), plan.inputs[1].kind), ("Whom to greet", InputKind::Choice));
    let wrong = Command::GiveInputs { values: vec![give("size", "huge")] };
    assert_eq!(run.refusal(wrong).await, ErrorCode::InvalidInput);
    run.tell(Command::GiveInputs { values: vec![give("size", "big")] }).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("said"), "hello world, big .\n");
}

#[tokio::test]
async fn a_plan_as_json_declares_inputs_too() {
    let plan = r#"{"title": "T", "inputs": [{"name": "port", "kind": "number", "default": 8080}],
        "steps": [{"command": "echo \"$port\" > said"}]}"#;
    let mut run = Harness::new(plan).await;
    run.tell(Command::GiveInputs { values: vec![give("port", "81")] }).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(run.text("said"), "81\n");
    // What earlier steps had stays.
    assert_eq!(
        run.refusal(Command::GiveInputs { values: vec![give("port", "82")] }).await,
        ErrorCode::NotNow
    );
}
