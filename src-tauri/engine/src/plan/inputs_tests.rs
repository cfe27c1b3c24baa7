use super::*;
use crate::plan::testing::{input_of, plan_of};

fn plan() -> Plan {
    let mut plan = plan_of(&["echo \"${HOST}\" $PORT", "echo \"${HOSTS}\""]);
    plan.inputs = vec![input_of("HOST"), input_of("PORT"), input_of("OTHER")];
    plan
}

fn names(inputs: &[&PlanInput]) -> Vec<String> {
    inputs.iter().map(|input| input.name.clone()).collect()
}

#[test]
fn what_the_steps_have_is_asked_for_and_what_a_step_sets_is_not() {
    let mut plan = plan();
    assert_eq!(names(&asked(&plan)), ["HOST", "PORT"]);
    plan.steps[0] = plan_of(&["PORT=1\necho \"${HOST}\" $PORT"]).steps.remove(0);
    assert_eq!(names(&missing(&plan)), ["HOST"]);
    plan.inputs[0].required = false;
    assert_eq!(names(&missing(&plan)), [""; 0]);
}

#[test]
fn a_variable_is_told_from_one_whose_name_begins_the_same() {
    for (command, has) in [
        ("echo $HOST", true),
        ("echo ${HOST:-x}", true),
        ("echo \"$HOST\"", true),
        ("echo $HOSTS", false),
        ("HOST", false),
        ("${HOSTS}", false),
    ] {
        assert_eq!(uses(command, "HOST"), has, "{command}");
    }
}

#[test]
fn values_are_variables_of_the_shell_and_secrets_are_references() {
    let mut plan = plan();
    plan.inputs[0].value = Some(InputValue::Plain { text: "a\"$(b)`\\".into() });
    plan.inputs[1].value = Some(InputValue::Secret);
    let shell = shell_with_inputs(&ShellState::default(), &plan);
    assert_eq!(shell.variables["HOST"], "declare -- HOST=\"a\\\"\\$(b)\\`\\\\\"");
    assert_eq!(shell.variables["PORT"], "declare -- PORT=\"[secret PORT]\"");
    assert_eq!(shell.variables.len(), 2);
    // What a step made of it since stays.
    let carried =
        ShellState { environment: [("HOST".into(), Some("own".into()))].into(), ..ShellState::default() };
    assert!(!shell_with_inputs(&carried, &plan).variables.contains_key("HOST"));
}

#[test]
fn the_machine_offers_what_fits_and_the_environment_gives_what_it_has() {
    let kind = |name: &str, kind| PlanInput { kind, ..input_of(name) };
    let mut inputs = vec![
        kind("YOUR_USERNAME", InputKind::Text),
        kind("APP_PORT", InputKind::Number),
        kind("PROJECT_PATH", InputKind::Path),
        kind("API_TOKEN", InputKind::Secret),
        kind("COUNT", InputKind::Number),
    ];
    let offers =
        Offers { user: "ada".into(), host: "box".into(), folder: "/work".into(), free_port: Some(8123) };
    offer(&mut inputs, &offers, |name| match name {
        "API_TOKEN" => Some("t".into()),
        "COUNT" => Some("many".into()),
        _ => None,
    });
    let suggested: Vec<&str> =
        inputs.iter().flat_map(|input| &input.suggestions).map(String::as_str).collect();
    assert_eq!(suggested, ["ada", "8123", "/work"]);
    assert_eq!(inputs[3].value, Some(InputValue::Secret));
    assert_eq!(inputs[4].value, None, "it is no number");
}

#[test]
fn declared_inputs_are_read_strictly() {
    let read = |json: &str| declared(serde_json::from_str(json).unwrap());
    let inputs = read(
        r#"[{"name": "size", "choices": ["small", "big"], "default": "big"}, {"name": "api-token"},
            {"name": "count", "kind": "number", "default": 3, "label": "How many"}, {"name": "sure", "kind": "yes-no", "default": true}]"#,
    )
    .unwrap();
    let kinds: Vec<_> = inputs.iter().map(|input| (input.name.as_str(), input.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("size", InputKind::Choice),
            ("API_TOKEN", InputKind::Secret),
            ("count", InputKind::Number),
            ("sure", InputKind::YesNo)
        ]
    );
    assert_eq!(inputs[2].label, "How many");
    assert_eq!(inputs[3].value, Some(InputValue::Plain { text: "yes".into() }));
    for wrong in [
        r#"[{"name": "PATH"}]"#,
        r#"[{"name": ""}]"#,
        r#"[{"name": "a", "kind": "colour"}]"#,
        r#"[{"name": "a", "kind": "choice"}]"#,
        r#"[{"name": "a", "kind": "number", "default": "x"}]"#,
        r#"[{"name": "a", "kind": "secret", "default": "x"}]"#,
        r#"[{"name": "a"}, {"name": "a"}]"#,
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn no_input_is_called_as_what_stands_for_any_secret() {
    let named = |name: &str| RawInput { name: name.to_owned(), ..RawInput::default() }.into_input();
    assert_eq!(named("hidden").unwrap_err().code, crate::protocol::ErrorCode::InvalidPlan);
    assert_eq!(named("hidden_one").unwrap().name, "hidden_one");
}
