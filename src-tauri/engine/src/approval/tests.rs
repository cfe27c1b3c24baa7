use std::collections::BTreeMap;

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
        keyboard: None,
    }
}

fn request<'a>(step_id: &'a StepId, action: &'a Action, diffs: &'a [FileDiff]) -> Request<'a> {
    Request {
        step_id,
        action,
        verify: None,
        place: Place::Folder("/"),
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
        would_run: &WouldRun::default(),
        assessment: &caution(),
        proposer: &proposer,
        in_confirmed_plan: false,
        grants: &[],
        bindings: &Bindings::default(),
        now: Time::now(),
        ask_from: Risk::Dangerous,
        ask_edits: true,
        terminal: TerminalOffer::No,
    };
    match admit(&request(&StepId::from("call"), action, diffs), &question) {
        Admission::Asked(pending) => *pending,
        other @ (Admission::Permitted(_) | Admission::Never(..) | Admission::Blocked { .. }) => {
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
    assert!(permit.action.covers(&edit(), Place::Folder("/"), 0));
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

/// What a step would be asked as, with one thing changed at a time.
struct Asked {
    action: Action,
    verify: Option<Action>,
    shell: ShellState,
    revision: u32,
}

impl Asked {
    fn request<'a>(&'a self, step_id: &'a StepId) -> Request<'a> {
        Request {
            step_id,
            action: &self.action,
            verify: self.verify.as_ref(),
            place: Place::Shell(&self.shell),
            revision: self.revision,
            user: "me",
            previous_command: None,
            diffs: &[],
        }
    }
}

fn step() -> Asked {
    let text = |text: &str| text.to_owned();
    Asked {
        action: Action::shell("rm -rf build"),
        verify: Some(Action::shell("test ! -e build")),
        shell: ShellState {
            cwd: text("/work"),
            environment: BTreeMap::from([(text("A"), Some(text("1"))), (text("TOKEN"), Some(text("x")))]),
            variables: BTreeMap::from([(text("v"), text("declare -- v=\"1\""))]),
            functions: BTreeMap::from([(text("f"), text("f () { true; }"))]),
            aliases: BTreeMap::from([(text("ll"), text("ls -l"))]),
            umask: text("022"),
            options: vec![text("errexit")],
            arguments: vec![text("a b")],
            folders: vec![text("/there")],
            traps: vec![text("trap -- 'true' EXIT")],
        },
        revision: 1,
    }
}

type Change = fn(&mut Asked);

/// Every component that an answer is bound to.
const CHANGES: [(&str, Change); 24] = [
    ("the action", |it| it.action = Action::shell("rm -rf build ")),
    ("the check", |it| it.verify = Some(Action::shell("true"))),
    ("no check", |it| it.verify = None),
    ("the folder", |it| it.shell.cwd = "/work/".into()),
    ("the revision", |it| it.revision = 2),
    ("a value", |it| drop(it.shell.environment.insert("A".into(), Some("2".into())))),
    ("a secret value", |it| drop(it.shell.environment.insert("TOKEN".into(), Some("y".into())))),
    ("an unset variable", |it| drop(it.shell.environment.insert("A".into(), None))),
    ("an empty variable", |it| drop(it.shell.environment.insert("A".into(), Some(String::new())))),
    ("one variable more", |it| drop(it.shell.environment.insert("B".into(), None))),
    ("one variable less", |it| drop(it.shell.environment.remove("A"))),
    ("a variable that is not exported", |it| {
        drop(it.shell.variables.insert("v".into(), "declare -- v=\"2\"".into()))
    }),
    ("none that is not exported", |it| it.shell.variables.clear()),
    ("a function", |it| drop(it.shell.functions.insert("f".into(), "f () { false; }".into()))),
    ("a variable's text as a function", |it| {
        it.shell.functions.append(&mut it.shell.variables);
    }),
    ("no function", |it| it.shell.functions.clear()),
    ("an alias", |it| drop(it.shell.aliases.insert("ll".into(), "rm".into()))),
    ("a function's text as an alias", |it| it.shell.aliases.append(&mut it.shell.functions)),
    ("no option", |it| it.shell.options.clear()),
    ("the positional parameters", |it| it.shell.arguments = vec!["a".into(), "b".into()]),
    ("a folder to go back to", |it| it.shell.folders = vec!["/elsewhere".into()]),
    ("an option as a parameter", |it| it.shell.arguments.append(&mut it.shell.options)),
    ("a trap", |it| it.shell.traps = vec!["trap -- 'false' EXIT".into()]),
    ("the umask", |it| it.shell.umask = "077".into()),
];

#[test]
fn a_permit_and_a_question_are_for_exactly_what_was_asked() {
    let (id, first) = (StepId::from("s"), step());
    let dangerous = Assessment { risk: Risk::Dangerous, ..caution() };
    let question = Question {
        action: &first.action,
        would_run: &WouldRun::default(),
        assessment: &dangerous,
        proposer: &Proposer::Plan,
        in_confirmed_plan: false,
        grants: &[],
        bindings: &Bindings::default(),
        now: Time::now(),
        ask_from: Risk::Dangerous,
        ask_edits: true,
        terminal: TerminalOffer::No,
    };
    let ask = || match admit(&first.request(&id), &question) {
        Admission::Asked(pending) => *pending,
        other => panic!("{other:?}"),
    };
    let once = ApprovalAnswer::AllowOnce { edited_command: None };
    let Settled::Permitted(permit) = ask().settle(&once) else { panic!("not permitted") };
    let (action, check) = (permit.action, permit.verify.unwrap());
    let covers = |it: &Asked| action.covers(&it.action, Place::Shell(&it.shell), it.revision);
    let asked = ask();
    let same = |it: &Asked| Pending::restore(asked.approval(), &it.request(&id), &dangerous).is_some();
    assert!(covers(&step()) && same(&step()));
    for (what, change) in CHANGES {
        let mut other = step();
        change(&mut other);
        // The check has a permit of its own.
        assert_eq!(covers(&other), what.ends_with("check"), "{what}");
        assert!(!same(&other), "{what}");
        let may_check =
            check.covers(&Action::shell("test ! -e build"), Place::Shell(&other.shell), other.revision);
        assert_eq!(may_check, !["the folder", "the revision"].contains(&what), "{what}");
    }
    assert!(!check.covers(&first.action, Place::Shell(&first.shell), 1));
    let blank = Approval { binding: String::new(), ..asked.approval().clone() };
    assert!(Pending::restore(&blank, &step().request(&id), &dangerous).is_none(), "an old record");
    let milder = caution();
    assert!(Pending::restore(asked.approval(), &step().request(&id), &milder).is_none());
}

#[test]
fn a_question_tells_the_environment_and_no_secret() {
    use crate::protocol::EnvironmentValue as V;
    let told: Vec<_> =
        Place::Shell(&step().shell).changes().into_iter().map(|it| (it.name, it.now)).collect();
    let set = |value: &str| V::Set { value: value.into() };
    let wanted = [
        ("A", set("1")),
        ("TOKEN", V::Hidden),
        ("v", set("\"1\"")),
        ("f", V::Function),
        ("umask", set("022")),
        ("options", set("errexit")),
        ("$@", set("a b")),
        ("dirs", set("/there")),
        ("traps", set("trap -- 'true' EXIT")),
    ];
    assert_eq!(told, wanted.map(|(name, now)| (name.to_owned(), now)));
}

#[test]
fn only_what_is_offered_is_suggested() {
    let offered = GrantRule::Tool { tool: "edit_file".into() };
    let suggested =
        |rule: &GrantRule| asked(&edit(), &[]).suggesting(Some(rule.clone())).approval().suggested.clone();
    assert_eq!(suggested(&offered), Some(offered.clone()));
    assert_eq!(suggested(&GrantRule::Tool { tool: "shell".into() }), None);
}

/// A question about a program that wants a keyboard, where a terminal can be had or not.
fn about_a_keyboard(terminal: TerminalOffer, asked: Option<Risk>) -> Admission {
    use crate::protocol::{KeyboardEffect, KeyboardNeed};
    let action = Action::shell("vim x");
    let need = KeyboardNeed {
        effect: KeyboardEffect::NotStarted,
        fragment: "vim x".into(),
        wants: "opens an editor on the screen".into(),
        instead: "Use sed.".into(),
    };
    let assessment = Assessment { keyboard: Some(need), ..caution() };
    let question = Question {
        action: &action,
        would_run: &WouldRun::default(),
        assessment: &assessment,
        proposer: &Proposer::Plan,
        in_confirmed_plan: true,
        grants: &[],
        bindings: &Bindings::default(),
        now: Time::now(),
        ask_from: Risk::Dangerous,
        ask_edits: false,
        terminal,
    };
    let id = StepId::from("s");
    let check = Action::shell("test -e x");
    let request = Request { verify: Some(&check), ..request(&id, &action, &[]) };
    match asked {
        Some(risk) => admit_edited(&request, &question, risk),
        None => admit(&request, &question),
    }
}

#[test]
fn only_the_users_own_word_is_a_permit_for_a_terminal() {
    let Admission::Permitted(plain) = about_a_keyboard(TerminalOffer::No, None) else {
        panic!("not permitted")
    };
    assert!(!plain.action.is_for_terminal());
    let Admission::Asked(pending) = about_a_keyboard(TerminalOffer::Needed, None) else {
        panic!("not asked")
    };
    assert!(pending.approval().terminal && pending.approval().offers.is_empty());
    let Settled::Permitted(permit) = pending.settle(&ApprovalAnswer::InTerminal) else { panic!("declined") };
    let (action, place) = (Action::shell("vim x"), Place::Folder("/"));
    assert!(permit.action.covers_in_terminal(&action, place, 0) && !permit.action.covers(&action, place, 0));
    assert!(!permit.action.covers_in_terminal(&Action::shell("vim y"), place, 0), "for nothing else");
    assert!(!permit.action.covers_in_terminal(&action, place, 1));
    assert!(!permit.verify.unwrap().is_for_terminal(), "nobody sits at a check");
    let Admission::Asked(pending) = about_a_keyboard(TerminalOffer::Needed, None) else {
        panic!("not asked")
    };
    let once = ApprovalAnswer::AllowOnce { edited_command: None };
    let Settled::Permitted(permit) = pending.settle(&once) else { panic!("declined") };
    assert!(!permit.action.is_for_terminal());
}

#[test]
fn a_terminal_that_was_not_offered_is_a_no_and_an_edit_is_offered_one_too() {
    let pending = asked(&edit(), &[]);
    assert!(!pending.approval().terminal);
    assert!(matches!(pending.settle(&ApprovalAnswer::InTerminal), Settled::Declined));
    let edited = about_a_keyboard(TerminalOffer::Needed, Some(Risk::Caution));
    assert!(matches!(edited, Admission::Asked(pending) if pending.approval().terminal));
    let possible = about_a_keyboard(TerminalOffer::Possible, None);
    assert!(matches!(possible, Admission::Permitted(_)), "it is no reason to ask");
}
