//! A draft's page sorted by the model (P3e): at the user's word, by the numbers of its blocks, and undone by the user's own edits.

use std::sync::Arc;
use std::time::Duration;

use planwright_engine::engine::Attendance;
use planwright_engine::model::ModelError;
use planwright_engine::protocol::{Command, ErrorCode, GivenValue, Mode, PageRole, Plan, PlanState};
use planwright_tests::{Harness, ScriptedMind, sequence};
use serde_json::json;

/// By rules the wiping is a step like any other, and the server a name.
const PAGE: &str = "# Gizmo\n\nGet it:\n\n```sh\necho get > got\n```\n\nPut it on its server:\n\n```sh\n\
                    echo copied to box.lan > there\n```\n\nOnce the winter comes, the heating wants this:\n\n```sh\n\
                    echo wipe > got\n```\n";

async fn imported(mind: &Arc<ScriptedMind>) -> Harness {
    let run = Harness::empty(Attendance::User, mind, None).await;
    std::fs::write(run.work("page.md"), PAGE).unwrap();
    run.engine.import_file(&run.work("page.md"), None, Some(run.session)).await.unwrap();
    run
}

fn commands(plan: &Plan) -> Vec<String> {
    plan.steps.iter().map(|step| step.action.command().to_owned()).collect()
}

fn sorted() -> String {
    json!({
        "blocks": [
            { "n": 1, "role": "run", "why": "Get it" },
            { "n": 2, "role": "run", "why": "Put it" },
            { "n": 3, "role": "aside", "why": "Once the winter comes" },
        ],
        "choices": [],
        "inputs": [{ "n": 2, "text": "box.lan", "label": "Your server" }],
    })
    .to_string()
}

#[tokio::test]
async fn the_model_sorts_by_numbers_and_the_user_has_the_last_word() {
    let mind = ScriptedMind::new(|_, _| sorted());
    let mut run = imported(&mind).await;
    let before = run.state().await.plan.unwrap();
    assert_eq!(before.steps.len(), 3, "{:?}", commands(&before));
    let estimate = run.engine.sorting_estimate(run.session).await.unwrap();
    assert_eq!(estimate, None, "nothing is left open by the rules");
    run.tell(Command::SortPage).await;
    let asked = mind.asked();
    assert!(asked[0].system.starts_with("You sort the blocks"), "{}", asked[0].system);
    assert!(asked[0].messages[0].contains("[[3]] echo wipe"), "{}", asked[0].messages[0]);
    let plan = run.state().await.plan.unwrap();
    assert_eq!(commands(&plan), ["echo get > got", "echo copied to \"${BOX_LAN}\" > there"]);
    assert_eq!(plan.revision, before.revision + 1);
    assert_eq!(plan.inputs.iter().map(|input| input.label.as_str()).collect::<Vec<_>>(), ["Your server"]);
    assert!(plan.steps.iter().all(|step| step.assessment.is_some()), "each is judged as it stands now");
    let left = &plan.page.as_deref().unwrap().left_out[0];
    assert_eq!((left.role, left.why.as_str()), (PageRole::Aside, "scripted: Once the winter comes"));
    // What it left out is open now, and can be taken in again.
    assert_eq!(run.engine.sorting_estimate(run.session).await.unwrap().unwrap().model, "scripted");
    let block = left.block;
    run.tell(Command::TakeIn { block }).await;
    assert_eq!(run.state().await.plan.unwrap().steps.len(), 3);
    run.tell(Command::GiveInputs {
        values: vec![GivenValue { name: "BOX_LAN".into(), value: "here".into() }],
    })
    .await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(std::fs::read_to_string(run.work("there")).unwrap(), "copied to here\n");
    assert_eq!(run.refusal(Command::SortPage).await, ErrorCode::NotNow);
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_changes_nothing_and_is_said() {
    for (answer, code) in [
        (json!({ "blocks": [{ "n": 9, "role": "run" }] }), ErrorCode::InvalidPlan),
        (
            json!({ "blocks": (1..4).map(|n| json!({ "n": n, "role": "aside" })).collect::<Vec<_>>() }),
            ErrorCode::NotNow,
        ),
    ] {
        let mind = ScriptedMind::new(move |_, _| answer.to_string());
        let run = imported(&mind).await;
        let before = run.state().await.plan.unwrap();
        assert_eq!(run.refusal(Command::SortPage).await, code);
        assert_eq!(run.state().await.plan.unwrap(), before);
    }
    let silent = ScriptedMind::fallible(|_, _| Err(ModelError::Cancelled));
    assert_eq!(imported(&silent).await.refusal(Command::SortPage).await, ErrorCode::NotNow);
    let nobody = Harness::new(&sequence(&["echo hi"])).await;
    assert_eq!(nobody.engine.sorting_estimate(nobody.session).await.ok().flatten(), None);
}

#[tokio::test]
async fn while_it_thinks_the_draft_waits_and_the_user_can_stop_it() {
    let mind = ScriptedMind::slow(Duration::from_secs(60), |_, _| sorted());
    let run = imported(&mind).await;
    let before = run.state().await.plan.unwrap();
    let step = before.steps[0].id.clone();
    let meanwhile = async {
        while mind.thinking() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let refused =
            run.engine.submit(run.session, Command::RemoveStep { step_id: step }).await.unwrap_err();
        assert!(refused.message.starts_with("A model is sorting the page."), "{refused}");
        run.engine.submit(run.session, Command::Cancel).await.unwrap();
    };
    let (stopped, ()) = tokio::join!(run.engine.submit(run.session, Command::SortPage), meanwhile);
    let stopped = stopped.unwrap_err();
    assert_eq!(stopped.code, ErrorCode::NotNow, "{stopped}");
    let plan = run.state().await.plan.unwrap();
    assert_eq!((plan.state.clone(), plan), (PlanState::Draft, before));
}
