use super::*;
use crate::policy::Bindings;
use crate::protocol::{Effects, UndoOutlook};

fn edit() -> Action {
    Action::Tool { tool: "edit_file".into(), input: "{}".into(), command: "edit_file a".into() }
}

fn diff(unified: &str) -> FileDiff {
    FileDiff { path: "/a".into(), created: false, unified: unified.into(), added: 1, removed: 1 }
}

fn caution() -> Assessment {
    Assessment {
        risk: Risk::Caution,
        reasons: vec![],
        effects: Effects::default(),
        undo: UndoOutlook::NotNeeded,
    }
}

fn request<'a>(step_id: &'a StepId, action: &'a Action, diffs: &'a [FileDiff]) -> Request<'a> {
    Request {
        step_id,
        action,
        verify: None,
        cwd: "/",
        revision: 0,
        user: "me",
        previous_command: None,
        diffs,
    }
}

/// The question that an edit in conversation comes to.
fn asked(action: &Action, diffs: &[FileDiff]) -> Pending {
    let proposer = Proposer::Chat { model: "m".into(), reason: "r".into() };
    let question = Question {
        action,
        facts: &Facts::default(),
        assessment: &caution(),
        proposer: &proposer,
        in_confirmed_plan: false,
        grants: &[],
        bindings: &Bindings::default(),
        ask_from: Risk::Dangerous,
        ask_edits: true,
    };
    match admit(&request(&StepId::from("call"), action, diffs), &question) {
        Admission::Asked(pending) => *pending,
        other @ (Admission::Permitted(_) | Admission::Never(_) | Admission::Blocked { .. }) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn an_edit_is_asked_with_its_difference_and_offers_its_tool() {
    let pending = asked(&edit(), &[diff("@@ one")]);
    assert_eq!(pending.approval().diffs, [diff("@@ one")]);
    assert_eq!(pending.approval().offers, [GrantRule::Tool { tool: "edit_file".into() }]);
    let once = ApprovalAnswer::AllowOnce { edited_command: None };
    let Settled::Permitted(permit) = pending.settle(&once) else { panic!("not permitted") };
    assert!(permit.action.covers(&edit(), "/", 0));
}

#[test]
fn other_words_for_a_tools_call_are_a_no() {
    let answer = |text: &str| {
        asked(&edit(), &[]).settle(&ApprovalAnswer::AllowOnce { edited_command: Some(text.into()) })
    };
    assert!(matches!(answer("edit_file a"), Settled::Permitted(_)));
    assert!(matches!(answer("edit_file b"), Settled::Declined));
    assert!(matches!(answer("rm -rf /"), Settled::Declined));
}

#[test]
fn a_question_is_asked_anew_when_the_difference_is_another() {
    let (step_id, action) = (StepId::from("call"), edit());
    let pending = asked(&action, &[diff("@@ one")]);
    let restored = |diffs: &[FileDiff]| {
        Pending::restore(pending.approval(), &request(&step_id, &action, diffs), &caution()).is_some()
    };
    assert!(restored(&[diff("@@ one")]));
    assert!(!restored(&[diff("@@ two")]));
    assert!(!restored(&[]));
}
