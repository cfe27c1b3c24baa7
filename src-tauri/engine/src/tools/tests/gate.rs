//! From a call to the disk through the real gate.

use serde_json::json;

use super::*;
use crate::approval::{Admission, Request, admit};
use crate::policy::{Bindings, PolicyFile, Question, WouldRun};
use crate::protocol::{AllowedBy, Grant, GrantId, GrantLifetime, GrantRule, Proposer, Risk, StepId, Time};

struct Gate {
    grants: Vec<Grant>,
    ask_edits: bool,
}

impl Gate {
    fn admit(&self, prepared: &Prepared) -> Admission {
        let request = Request {
            step_id: &StepId::from("call"),
            action: prepared.action(),
            verify: None,
            place: Place::Folder("/"),
            revision: 0,
            user: "u",
            previous_command: None,
            diffs: prepared.diffs(),
        };
        let question = Question {
            action: prepared.action(),
            would_run: &WouldRun::default(),
            assessment: prepared.assessment(),
            proposer: &Proposer::Chat { model: "m".into(), reason: "r".into() },
            in_confirmed_plan: false,
            grants: &self.grants,
            bindings: &Bindings::default(),
            now: Time::now(),
            ask_from: Risk::Dangerous,
            ask_edits: self.ask_edits,
            terminal: crate::policy::TerminalOffer::No,
        };
        admit(&request, &question)
    }
}

fn edit(ground: &Ground, path: &str) -> Prepared {
    ground.prepare("edit_file", json!({ "path": path, "old": "old", "new": "new" })).unwrap()
}

fn run_with(admission: Admission, prepared: Prepared) -> Done {
    let Admission::Permitted(permit) = admission else { panic!("{admission:?}") };
    run(permit.action, prepared, "/", &AtomicBool::new(false)).unwrap()
}

#[test]
fn an_edit_in_the_workspace_runs_with_the_gates_permit() {
    let ground = Ground::new();
    ground.write("a", "old\n");
    let gate = Gate { grants: vec![], ask_edits: false };
    let prepared = edit(&ground, "a");
    run_with(gate.admit(&prepared), prepared);
    assert_eq!(ground.text("a"), "new\n");
}

#[test]
fn the_setting_shows_it_first_and_a_grant_for_the_tool_covers_it() {
    let ground = Ground::new();
    ground.write("a", "old\n");
    let asking = Gate { grants: vec![], ask_edits: true };
    let Admission::Asked(pending) = asking.admit(&edit(&ground, "a")) else { panic!("not asked") };
    let [rule] = pending.approval().offers.as_slice() else { panic!("{:?}", pending.approval().offers) };
    assert_eq!(pending.approval().diffs[0].unified, "@@ -1 +1 @@\n-old\n+new\n");
    let grant = Grant {
        id: GrantId::new(),
        allow: true,
        rule: rule.clone(),
        lifetime: GrantLifetime::Always,
        bound_to: String::new(),
        created_at: Time::now(),
        last_used_at: None,
        uses: 0,
        expires_at: None,
    };
    let granted = Gate { grants: vec![grant.clone()], ask_edits: true };
    let prepared = edit(&ground, "a");
    let admission = granted.admit(&prepared);
    let Admission::Permitted(permit) = &admission else { panic!("{admission:?}") };
    assert_eq!(permit.action.allowed_by(), &AllowedBy::Grant { id: grant.id });
    run_with(admission, prepared);
    assert_eq!(ground.text("a"), "new\n");
}

#[test]
fn the_ceiling_of_a_policy_lets_an_edit_in_and_a_key_not() {
    let ground = Ground::new();
    ground.write("a", "old\n");
    ground.write(".env", "old\n");
    let gate = Gate { grants: vec![], ask_edits: true };
    let policy = PolicyFile::parse("approve = \"caution\"").unwrap();
    let allowed = |prepared: &Prepared| {
        let Admission::Asked(pending) = gate.admit(prepared) else { panic!("not asked") };
        pending.settle_by_policy(&policy, &WouldRun::default()).is_some()
    };
    assert!(allowed(&edit(&ground, "a")));
    assert!(!allowed(&edit(&ground, ".env")));
}

#[test]
fn reading_keys_is_asked_and_never_remembered_and_reading_a_source_is_not() {
    let ground = Ground::new();
    ground.write("a", "old\n");
    ground.write(".env", "KEY=1\n");
    let rule = GrantRule::Tool { tool: "read_file".into() };
    let grant = Grant {
        id: GrantId::new(),
        allow: true,
        rule,
        lifetime: GrantLifetime::Always,
        bound_to: String::new(),
        created_at: Time::now(),
        last_used_at: None,
        uses: 0,
        expires_at: None,
    };
    let gate = Gate { grants: vec![grant], ask_edits: true };
    let read = |path: &str| ground.prepare("read_file", json!({ "path": path })).unwrap();
    let Admission::Asked(pending) = gate.admit(&read(".env")) else { panic!("not asked") };
    assert_eq!(pending.approval().offers, []);
    assert_eq!(
        pending.approval().warning_message,
        "`.env` hands the model a file that usually holds passwords or keys."
    );
    let plain = read("a");
    assert_eq!(run_with(gate.admit(&plain), plain).content, "1\told\n");
}
