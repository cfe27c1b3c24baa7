//! What a model asks for in conversation, with and without a shell.

use super::*;

fn chat() -> Proposer {
    Proposer::Chat { model: "m".into(), reason: "r".into() }
}

fn tool(tool: &str, input: &str) -> Action {
    Action::Tool { tool: tool.into(), input: input.into(), command: format!("{tool} a.rs") }
}

fn edit() -> Action {
    tool("edit_file", r#"{"new":"b","old":"a","path":"/work/a.rs","replace_all":false}"#)
}

fn for_tool(tool: &str) -> GrantRule {
    GrantRule::Tool { tool: tool.into() }
}

fn ask(why: &str, remember: bool) -> Verdict {
    Verdict::Ask { why: why.into(), remember }
}

const SHOWN: &str = "You asked to see each change of a file before it is made.";

#[test]
fn far_reaching_wishes_are_asked_about_and_may_be_remembered() {
    let effects = [
        (Effects { deletes: true, ..Effects::default() }, "deletes something"),
        (Effects { raises_privilege: true, ..Effects::default() }, "raises privileges"),
        (
            Effects { changes_tree_ownership: true, ..Effects::default() },
            "changes owners or modes of a whole tree",
        ),
        (Effects { writes_outside: true, ..Effects::default() }, "writes outside the session's folder"),
    ];
    for (effects, what) in effects {
        let case = Case { effects: effects.clone(), proposer: chat(), ..Case::default() };
        assert_eq!(verdict(&case), ask(&format!("The model asks for something that {what}."), true));
        let always = grant(true, git_fetch(), GrantLifetime::Always, "");
        let id = always.id;
        let granted = Case { grants: vec![always.clone()], ..case };
        assert_eq!(verdict(&granted), Verdict::Allow(AllowedBy::Grant { id }));
        let dangerous = Case { risk: Risk::Dangerous, ..granted };
        assert!(matches!(verdict(&dangerous), Verdict::Ask { remember: false, .. }), "{effects:?}");
        let theirs = Case { effects: effects.clone(), proposer: Proposer::User, ..Case::default() };
        assert_eq!(verdict(&theirs), Verdict::Allow(AllowedBy::Mode));
    }
}

#[test]
fn a_plain_wish_runs_below_the_threshold_and_asks_from_it_on() {
    let plain = Case { proposer: chat(), ..Case::default() };
    assert_eq!(verdict(&plain), Verdict::Allow(AllowedBy::Mode));
    let strict = Case { ask_from: Risk::Caution, ..plain };
    assert_eq!(verdict(&strict), ask("Commands of this risk are asked about.", true));
}

#[test]
fn an_edit_is_shown_first_unless_a_grant_covers_it() {
    let shown = Case { action: Some(edit()), proposer: chat(), ask_edits: true, ..Case::default() };
    assert_eq!(verdict(&shown), ask(SHOWN, true));
    let always = grant(true, for_tool("edit_file"), GrantLifetime::Always, "");
    let id = always.id;
    let granted = Case { grants: vec![always], ..shown };
    assert_eq!(verdict(&granted), Verdict::Allow(AllowedBy::Grant { id }));
    let other = grant(true, for_tool("write_file"), GrantLifetime::Always, "");
    assert_eq!(verdict(&Case { grants: vec![other], ..granted }), ask(SHOWN, true));
}

#[test]
fn without_the_setting_an_edit_in_the_workspace_runs() {
    let case = Case { action: Some(edit()), proposer: chat(), ..Case::default() };
    assert_eq!(verdict(&case), Verdict::Allow(AllowedBy::Mode));
}

#[test]
fn reading_is_no_change_and_an_unknown_tool_is_one() {
    for reads in ["read_file", "list_dir", "search"] {
        let case = Case {
            action: Some(tool(reads, "{}")),
            risk: Risk::Safe,
            proposer: chat(),
            ask_edits: true,
            ..Case::default()
        };
        assert_eq!(verdict(&case), Verdict::Allow(AllowedBy::Mode), "{reads}");
    }
    let unknown = Case {
        action: Some(tool("format_disk", "{}")),
        risk: Risk::Safe,
        proposer: chat(),
        ask_edits: true,
        ..Case::default()
    };
    assert_eq!(verdict(&unknown), ask(SHOWN, true));
}

#[test]
fn a_dangerous_or_blocked_tool_call_knows_no_grant() {
    let grants = vec![
        grant(true, for_tool("edit_file"), GrantLifetime::Always, ""),
        grant(true, exact(&edit()), GrantLifetime::Always, ""),
    ];
    let case = Case {
        action: Some(edit()),
        proposer: chat(),
        risk: Risk::Dangerous,
        ask_edits: true,
        grants,
        ..Case::default()
    };
    assert!(matches!(verdict(&case), Verdict::Ask { remember: false, .. }));
    assert!(matches!(verdict(&Case { risk: Risk::Blocked, ..case }), Verdict::Blocked { .. }));
}

#[test]
fn never_is_meant_for_this_very_call() {
    let never = grant(false, exact(&edit()), GrantLifetime::Always, "");
    let same =
        Case { action: Some(edit()), proposer: chat(), grants: vec![never.clone()], ..Case::default() };
    assert_eq!(verdict(&same), Verdict::Never { by: never.id });
    // Another edit of the same file reads the same for people.
    let other = tool("edit_file", r#"{"new":"c","old":"a","path":"/work/a.rs","replace_all":false}"#);
    assert_eq!(other.command(), edit().command());
    let other = Case { action: Some(other), ..same };
    assert_eq!(verdict(&other), Verdict::Allow(AllowedBy::Mode));
    let words =
        grant(false, GrantRule::Exact { command: edit().command().into() }, GrantLifetime::Always, "");
    assert_eq!(verdict(&Case { grants: vec![words], ..other }), Verdict::Allow(AllowedBy::Mode));
}

#[test]
fn a_grant_for_commands_is_none_for_tools_and_the_other_way_round() {
    let program = GrantRule::Program { words: vec!["edit_file".into()] };
    for rule in [program, for_tool("shell")] {
        let grants = vec![grant(true, rule, GrantLifetime::Always, "")];
        let case =
            Case { action: Some(edit()), proposer: chat(), ask_edits: true, grants, ..Case::default() };
        assert_eq!(verdict(&case), ask(SHOWN, true));
    }
    let grants = vec![grant(true, for_tool("edit_file"), GrantLifetime::Always, "")];
    let command = Case { proposer: chat(), ask_from: Risk::Caution, grants, ..Case::default() };
    assert!(matches!(verdict(&command), Verdict::Ask { remember: true, .. }));
    // A tool that calls itself the shell is none.
    let grants = vec![grant(true, git_fetch(), GrantLifetime::Always, "")];
    let posing = Case {
        action: Some(tool("shell", "git fetch")),
        ask_from: Risk::Caution,
        proposer: chat(),
        grants,
        ..Case::default()
    };
    assert!(matches!(verdict(&posing), Verdict::Ask { remember: true, .. }));
}

#[test]
fn an_edit_is_offered_its_tool_and_nothing_when_dangerous() {
    let offered =
        |action: &Action, risk| offers(action, &WouldRun::default(), &assessment(risk, Effects::default()));
    assert_eq!(offered(&edit(), Risk::Caution), [for_tool("edit_file")]);
    assert_eq!(offered(&edit(), Risk::Dangerous), []);
    assert_eq!(offered(&edit(), Risk::Blocked), []);
    assert_eq!(offered(&tool("read_file", "{}"), Risk::Caution), []);
    let fetch = Action::shell(" git fetch ");
    assert_eq!(
        offers(&fetch, &would_run(&["git fetch"]), &assessment(Risk::Caution, Effects::default())),
        [GrantRule::Exact { command: "git fetch".into() }, git_fetch()]
    );
}

fn asked(action: Action, risk: Risk) -> Approval {
    Approval { action, proposer: chat(), ..approval(risk, "") }
}

#[test]
fn a_policy_file_reaches_the_tools() {
    let answer = |text: &str, action: Action, risk| {
        PolicyFile::parse(text).unwrap().answer(&asked(action, risk), &WouldRun::default())
    };
    let caution = "approve = \"caution\"";
    assert_eq!(answer(caution, edit(), Risk::Caution), Some(AllowedBy::Policy));
    assert_eq!(answer(caution, edit(), Risk::Dangerous), None);
    let granted = "[[grants]]\ntool = \"edit_file\"";
    assert_eq!(answer(granted, edit(), Risk::Caution), Some(AllowedBy::Policy));
    assert_eq!(answer(granted, tool("write_file", "{}"), Risk::Caution), None);
    assert_eq!(answer(granted, edit(), Risk::Dangerous), None);
    assert_eq!(answer(granted, edit(), Risk::Blocked), None);
    assert_eq!(answer("[[grants]]\nprogram = [\"edit_file\"]", edit(), Risk::Caution), None);
    assert!(PolicyFile::parse("[[grants]]\ntool = \"edit_files\"").is_err());
}
