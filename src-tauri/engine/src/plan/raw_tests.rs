use std::sync::Arc;

use super::*;
use crate::plan::export::to_json;
use crate::protocol::MAX_PLAN_STEPS;

fn read(text: &str) -> Plan {
    from_json(text, "plan.json").unwrap()
}

fn fault(text: &str) -> (ErrorCode, String) {
    let error = from_json(text, "plan.json").unwrap_err();
    (error.code, error.message)
}

#[test]
fn the_shortest_form() {
    let plan = read(r#"{"steps": [{"command": "npm install"}, {"command": "npm test"}]}"#);
    assert_eq!(plan.title, "Plan");
    assert_eq!(plan.intent, "Plan");
    assert_eq!((plan.revision, plan.original_steps), (1, 2));
    assert_eq!(plan.state, PlanState::Draft);
    assert_eq!(plan.origin, PlanOrigin::Json { name: "plan.json".into() });
    assert_eq!(plan.steps[0].kind, StepKind::Install);
    assert_eq!(plan.steps[1].kind, StepKind::Test);
    assert_eq!(plan.steps[0].ok_exit, [0]);
    assert_eq!(plan.steps[0].depends_on, []);
    assert_eq!(plan.steps[1].depends_on, [plan.steps[0].id.clone()], "no stated needs: a plain sequence");
}

#[test]
fn every_field_is_read() {
    let plan = read(
        r#"{"title": "T", "intent": "I", "mode": "agentic", "onFailure": "continue", "extra": 1, "steps": [
            {"id": "a", "title": "A", "kind": "INSTALL", "action": {"tool": "shell", "command": "x\r\ny\n"}, "why": "w",
             "expected": "e", "verify": "v", "okExit": [0, 3], "dependsOn": [],
             "limits": {"wallSeconds": 5, "silenceSeconds": null}, "estimateSeconds": 7},
            {"id": "b", "command": "z", "okExit": 2, "dependsOn": "a"}]}"#,
    );
    assert_eq!((plan.title.as_str(), plan.intent.as_str()), ("T", "I"));
    assert_eq!((plan.mode, plan.on_failure), (Mode::Agentic, OnFailure::Continue));
    let a = &plan.steps[0];
    assert_eq!((a.id.0.as_str(), a.title.as_str(), a.kind), ("a", "A", StepKind::Install));
    assert_eq!(a.action, Action::shell("x\ny"));
    assert_eq!(
        (a.why.as_deref(), a.expected.as_deref(), a.verify.as_deref()),
        (Some("w"), Some("e"), Some("v"))
    );
    assert_eq!(a.ok_exit, [0, 3]);
    assert_eq!(a.limits, StepLimits { wall_seconds: Some(5), silence_seconds: None });
    assert_eq!(a.estimate_seconds, Some(7));
    assert_eq!(plan.steps[1].ok_exit, [2]);
    assert_eq!(plan.steps[1].depends_on, ["a".into()]);
}

#[test]
fn fixer_is_the_old_name_of_planner() {
    assert_eq!(read(r#"{"mode": "fixer", "steps": [{"command": "a"}]}"#).mode, Mode::Planner);
}

#[test]
fn an_export_comes_back_as_a_draft() {
    let mut plan = crate::plan::testing::plan_of(&["a", "b"]);
    plan.state = PlanState::Running;
    plan.revision = 4;
    plan.original_steps = 1;
    Arc::make_mut(&mut plan.steps[0]).state = StepState::Completed { attempt: 1 };
    Arc::make_mut(&mut plan.steps[1]).origin =
        StepOrigin::Repair { for_step: "s1".into(), source: "x".into(), reason: "y".into(), revision: 2 };
    let back = read(&to_json(&plan).unwrap());
    assert_ne!(back.id, plan.id);
    assert_eq!((back.revision, back.original_steps, &back.state), (1, 2, &PlanState::Draft));
    assert!(
        back.steps.iter().all(|step| step.state == StepState::Pending && step.origin == StepOrigin::Original)
    );
    assert_eq!(back.steps[1].depends_on, ["s1".into()]);
}

#[test]
fn steps_are_put_after_what_they_need() {
    let plan = read(
        r#"{"steps": [{"id": "c", "command": "3", "dependsOn": ["a", "b"]}, {"id": "b", "command": "2"},
                      {"id": "a", "command": "1"}]}"#,
    );
    let order: Vec<&str> = plan.steps.iter().map(|step| step.id.0.as_str()).collect();
    assert_eq!(order, ["b", "a", "c"], "as written where nothing says otherwise");
    assert_eq!(plan.steps.iter().map(|step| step.index).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn circles_are_named() {
    let (code, message) = fault(
        r#"{"steps": [{"id": "a", "command": "1", "dependsOn": ["c"]}, {"id": "b", "command": "2", "dependsOn": ["a"]},
                      {"id": "c", "command": "3", "dependsOn": ["b"]}]}"#,
    );
    assert_eq!(code, ErrorCode::CyclicPlan);
    assert!(message.contains("a needs c needs b needs a"), "{message}");
}

#[test]
fn duplicate_ids_unknown_needs_unknown_tools() {
    let (code, message) = fault(r#"{"steps": [{"id": "a", "command": "1"}, {"id": "a", "command": "2"}]}"#);
    assert_eq!(code, ErrorCode::DuplicateStep);
    assert!(message.contains("Steps 1 and 2"), "{message}");

    let (code, message) = fault(r#"{"steps": [{"id": "a", "command": "1", "dependsOn": ["nowhere"]}]}"#);
    assert_eq!(code, ErrorCode::InvalidPlan);
    assert!(message.contains("\"nowhere\""), "{message}");

    let (code, message) = fault(r#"{"steps": [{"action": {"type": "browser", "command": "x"}}]}"#);
    assert_eq!(code, ErrorCode::UnknownTool);
    assert!(message.contains("\"browser\""), "{message}");
    assert_eq!(fault(r#"{"steps": [{"action": {"command": "x"}}]}"#).0, ErrorCode::UnknownTool);
}

#[test]
fn steps_without_or_with_two_commands() {
    for text in [
        r#"{"steps": []}"#,
        r#"{}"#,
        r#"{"steps": [{"title": "x"}]}"#,
        r#"{"steps": [{"command": "  "}]}"#,
        r#"{"steps": [{"action": {"type": "shell"}}]}"#,
        r#"{"steps": [{"command": "a", "action": {"type": "shell", "command": "b"}}]}"#,
        r#"{"steps": [{"command": "a", "okExit": []}]}"#,
        r#"{"steps": [{"id": " ", "command": "a"}]}"#,
    ] {
        assert_eq!(fault(text).0, ErrorCode::InvalidPlan, "{text}");
    }
}

#[test]
fn bad_json_says_where() {
    let (code, message) = fault("{\n  \"steps\": [\n    {\"command\": }\n]}");
    assert_eq!(code, ErrorCode::InvalidPlan);
    assert!(message.contains("line 3, column 17"), "{message}");
    let (_, message) = fault("{\"steps\": [{\"command\": \"a\", \"kind\": \"dance\"}]}");
    assert!(
        message.contains("line 1") && message.contains("dance") && message.contains("install"),
        "{message}"
    );
    let (_, message) = fault("");
    assert!(message.contains("breaks off"), "{message}");
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    assert_eq!(read("\u{feff}{\"steps\": [{\"command\": \"a\"}]}").steps.len(), 1);
}

#[test]
fn five_megabytes_are_too_large() {
    let text = format!("{{\"title\": \"{}\"}}", "x".repeat(MAX_SOURCE_BYTES));
    let (code, message) = fault(&text);
    assert_eq!(code, ErrorCode::TooLarge);
    assert!(message.contains("5 MB"), "{message}");
}

#[test]
fn a_models_plan_is_held_to_forty_steps_and_a_file_to_ten_thousand() {
    let text = |count: usize| format!("{{\"steps\": [{}]}}", vec![r#"{"command": "a"}"#; count].join(","));
    let model = || PlanOrigin::Model { name: "m".into(), message_id: None };
    assert!(from_json_within(&text(40), model(), MAX_PLAN_STEPS).is_ok());
    assert_eq!(
        from_json_within(&text(41), model(), MAX_PLAN_STEPS).map_err(|e| e.code),
        Err(ErrorCode::TooManySteps)
    );
    assert_eq!(read(&text(10_000)).steps.len(), 10_000);
    assert_eq!(fault(&text(10_001)).0, ErrorCode::TooManySteps);
}
