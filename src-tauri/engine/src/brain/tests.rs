use super::answer::{AnswerError, parse};
use crate::protocol::CorrectionAction;

#[test]
fn json_is_found_bare_fenced_and_in_prose() {
    let json = r#"{"action":"modify","reasoning":"a typo","modifiedCommand":"ls"}"#;
    for text in
        [json.to_owned(), format!("```json\n{json}\n```"), format!("Sure {{ok}}! {json} Hope it helps.")]
    {
        let correction = parse(&text, "m").unwrap();
        assert_eq!(correction.action, CorrectionAction::Modify);
        assert_eq!(correction.modified_command.as_deref(), Some("ls"));
        assert_eq!(correction.source, "m");
    }
}

#[test]
fn a_shape_of_another_action_is_refused() {
    let wrong = [
        r#"{"action":"modify","reasoning":"x"}"#,
        r#"{"action":"skip","reasoning":"x","modifiedCommand":"rm"}"#,
        r#"{"action":"dance","reasoning":"x"}"#,
        r#"{"action":"insert_steps","reasoning":"x","newSteps":[]}"#,
        r#"{"action":"retry","reasoning":" "}"#,
        r#"{"action":"modify","reasoning":"x","modifiedCommand":"  "}"#,
        r#"[1, 2]"#,
    ];
    for text in wrong {
        assert!(parse(text, "m").is_err(), "{text}");
    }
    assert_eq!(parse("I am sorry.", "m"), Err(AnswerError::NoJson));
}

#[test]
fn of_five_new_steps_three_are_taken_and_a_claimed_risk_is_ignored() {
    let step = r#"{"title":"t","command":"true","why":"w","risk":"safe"}"#;
    let text = format!(r#"{{"action":"insert_steps","reasoning":"x","newSteps":[{}]}}"#, [step; 5].join(","));
    assert_eq!(parse(&text, "m").unwrap().new_steps.unwrap().len(), 3);
}
