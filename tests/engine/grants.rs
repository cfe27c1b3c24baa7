//! Remembered answers (SPEC R4): made, looked at beforehand, suggested, used, ended, taken back; and what is never.

use std::sync::Arc;

use planwright_engine::engine::Attendance;
use planwright_engine::journal::Journal;
use planwright_engine::protocol::{
    AllowedBy, Approval, ApprovalAnswer, Command, EngineError, ErrorCode, Event, Grant, GrantId,
    GrantLifetime, GrantRule, Mode, PauseReason, PlanState, Risk, Time,
};
use planwright_tests::{Harness, ScriptedMind, sequence};

const ONCE: ApprovalAnswer = ApprovalAnswer::AllowOnce { edited_command: None };

fn program(words: &str) -> GrantRule {
    GrantRule::Program { words: words.split(' ').map(str::to_owned).collect() }
}

fn exact(command: &str) -> GrantRule {
    GrantRule::Exact { command: command.to_owned() }
}

fn always(rule: GrantRule, lifetime: GrantLifetime) -> ApprovalAnswer {
    ApprovalAnswer::AllowAlways { rule, lifetime }
}

/// A run that is asked about whatever changes something.
async fn careful(commands: &[&str]) -> Harness {
    let run = Harness::new(&sequence(commands)).await;
    ask_about_everything(&run).await;
    run
}

async fn ask_about_everything(run: &Harness) {
    let mut settings = run.engine.settings();
    settings.ask_from = Risk::Caution;
    run.engine.set_settings(settings).await.unwrap();
}

async fn grants(run: &Harness) -> Vec<Grant> {
    run.engine.grants().await.unwrap()
}

/// The commands of the questions so far, in order.
async fn asked(run: &Harness) -> Vec<String> {
    let command = |approval: &Approval| approval.action.command().to_owned();
    let records = run.events().await;
    let questions = records.iter().filter_map(|record| match &record.event {
        Event::ApprovalNeeded { approval } => Some(command(approval)),
        _ => None,
    });
    questions.collect()
}

#[tokio::test]
async fn a_grant_revoked_while_a_command_runs_counts_no_more_for_the_next() {
    let mut run =
        careful(&["touch one", "until [ -e key ]; do sleep 0.02; done", "touch three", "touch four"]).await;
    run.start(Mode::Planner).await;
    let first = run.question().await;
    run.answer(&first, always(program("touch"), GrantLifetime::Always)).await;
    // It only reads, so nobody is asked about it.
    run.wait_started("s2").await;
    let made = grants(&run).await;
    assert_eq!(made.iter().map(|grant| &grant.rule).collect::<Vec<_>>(), [&program("touch")]);
    run.engine.revoke_grant(made[0].id).await.unwrap();
    assert_eq!(grants(&run).await, []);
    std::fs::write(run.work("key"), "").unwrap();
    let third = run.question().await;
    assert_eq!(third.action.command(), "touch three");
    assert!(!run.work("three").exists());
}

#[tokio::test]
async fn a_grants_uses_are_counted_and_move_its_end() {
    let mut run = careful(&["touch one", "touch two", "touch three"]).await;
    run.start(Mode::Planner).await;
    let first = run.question().await;
    run.answer(&first, always(program("touch"), GrantLifetime::Folder)).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let made = grants(&run).await;
    let [grant] = made.as_slice() else { panic!("{made:?}") };
    assert_eq!((grant.uses, grant.lifetime), (2, GrantLifetime::Folder));
    let (used, end) = (grant.last_used_at.unwrap(), grant.expires_at.unwrap());
    assert_eq!(end.0.duration_since(used.0).as_hours(), 90 * 24);
    let run = run.restart(Attendance::User, None).await;
    assert_eq!(grants(&run).await, made, "kept with its count");
}

/// Writes a grant as an earlier program would have left it.
pub(crate) async fn left_behind(run: Harness, grant: Grant, mind: Option<Arc<ScriptedMind>>) -> Harness {
    let closed = run.closed().await;
    let (journal, _) = Journal::open(&closed.home()).unwrap();
    journal.put_grant(grant).await.unwrap();
    drop(journal);
    closed.reopened(Attendance::User, mind).await
}

pub(crate) fn earlier(rule: GrantRule, lifetime: GrantLifetime, bound_to: &str, end: Option<Time>) -> Grant {
    Grant {
        id: GrantId::new(),
        allow: true,
        rule,
        lifetime,
        bound_to: bound_to.to_owned(),
        created_at: Time::now(),
        last_used_at: None,
        uses: 0,
        expires_at: end,
    }
}

#[tokio::test]
async fn what_has_expired_is_listed_and_does_not_count() {
    let grant = earlier(program("touch"), GrantLifetime::Always, "", Some(Time::now()));
    let mut run = left_behind(careful(&["touch one"]).await, grant.clone(), None).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.question().await.action.command(), "touch one");
    assert_eq!(grants(&run).await, [grant]);
}

#[tokio::test]
async fn what_belonged_to_a_run_or_a_session_that_is_over_is_gone() {
    let run = careful(&["touch one"]).await;
    let session = run.session.to_string();
    let kept = earlier(program("mkdir"), GrantLifetime::Session, &session, None);
    let run = left_behind(run, kept.clone(), None).await;
    let run = left_behind(run, earlier(program("cp"), GrantLifetime::Session, "another", None), None).await;
    let run = left_behind(run, earlier(program("mv"), GrantLifetime::Run, "another", None), None).await;
    assert_eq!(grants(&run).await, [kept]);
    run.engine.delete_session(run.session).await.unwrap();
    assert_eq!(grants(&run).await, []);
}

#[tokio::test]
async fn a_grant_for_this_run_ends_with_it() {
    let mut run = careful(&["touch one", "touch two"]).await;
    run.start(Mode::Planner).await;
    let first = run.question().await;
    run.answer(&first, always(program("touch"), GrantLifetime::Run)).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(asked(&run).await, ["touch one"], "the second was covered");
    // A further command of the session's owner comes after what ends with the run.
    run.tell(Command::Rename { title: "over".into() }).await;
    assert_eq!(grants(&run).await, []);
}

#[tokio::test]
async fn the_fourth_question_of_a_kind_suggests_the_rule_and_makes_none() {
    let mut run =
        careful(&["touch a", "touch b", "touch c", "mkdir d", "touch e", "touch f", "touch g"]).await;
    run.start(Mode::Planner).await;
    let mut suggested = Vec::new();
    for _ in 0..4 {
        let question = run.question().await;
        suggested.push(question.suggested.clone());
        run.answer(&question, ONCE).await;
    }
    assert_eq!(suggested, [None, None, None, None], "three of them, and one of another kind");
    let fifth = run.question().await;
    assert_eq!(fifth.suggested, Some(program("touch")));
    assert!(fifth.offers.contains(&program("touch")));
    assert_eq!(grants(&run).await, []);
    // It survives a restart with its question, and a no begins anew.
    let mut run = run.restart(Attendance::User, None).await;
    assert_eq!(run.state().await.approvals, std::slice::from_ref(&fifth));
    run.answer(&fifth, ApprovalAnswer::NotNow).await;
    run.settled().await;
    run.tell(Command::Resume { mode: None }).await;
    let sixth = run.question().await;
    assert_eq!((sixth.action.command(), &sixth.suggested), ("touch e", &None));
    assert_eq!(grants(&run).await, []);
}

#[tokio::test]
async fn a_preview_shows_what_a_rule_would_have_covered() {
    let mut run = Harness::new(&sequence(&[
        "touch one",
        "touch one",
        "touch two",
        "touch three && mkdir four",
        "mkdir -p five",
        "touch six > log",
    ]))
    .await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let preview = async |rule: GrantRule, lifetime| {
        let preview = run.engine.preview_grant(rule, Some(run.session), lifetime).await.unwrap();
        let covered = preview.covered.into_iter().map(|past| (past.command, past.times)).collect::<Vec<_>>();
        (preview.looked_at, covered, preview.more)
    };
    let touch = vec![("touch two".to_owned(), 1), ("touch one".to_owned(), 2)];
    for lifetime in [GrantLifetime::Run, GrantLifetime::Session, GrantLifetime::Folder, GrantLifetime::Always]
    {
        assert_eq!(preview(program("touch"), lifetime).await, (5, touch.clone(), 0), "{lifetime:?}");
    }
    let mkdir = vec![("mkdir -p five".to_owned(), 1)];
    assert_eq!(preview(program("mkdir"), GrantLifetime::Session).await, (5, mkdir.clone(), 0));
    assert_eq!(preview(exact("mkdir -p five"), GrantLifetime::Session).await, (5, mkdir, 0));
    assert_eq!(preview(program("git"), GrantLifetime::Always).await, (5, vec![], 0));
    let nowhere = run.engine.preview_grant(program("touch"), None, GrantLifetime::Session).await;
    assert_eq!(nowhere.map_err(|error| error.code), Err(ErrorCode::NoSuchSession));
}

#[tokio::test]
async fn a_preview_shows_nothing_dangerous_and_is_bounded() {
    let many = (0..60).map(|number| format!("touch file{number}")).collect::<Vec<_>>();
    let lines: String = many.iter().map(|line| format!("{line}\n")).collect();
    let page = format!("```sh\n{lines}rm -rf kept\n```\n");
    let mut run = Harness::new(&page).await;
    let dangerous = run.plan().await.steps.last().unwrap().id.clone();
    run.tell(Command::Confirm { revision: 1, allowed: vec![dangerous] }).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    let preview = run.engine.preview_grant(program("touch"), None, GrantLifetime::Always).await.unwrap();
    assert_eq!((preview.looked_at, preview.covered.len(), preview.more), (61, 50, 10));
    assert_eq!(preview.covered[0].command, "touch file59", "the newest first");
    assert_eq!(preview.covered[0].cwd, run.work("").canonicalize().unwrap().display().to_string());
    for rule in [program("rm"), exact("rm -rf kept")] {
        let preview = run.engine.preview_grant(rule, None, GrantLifetime::Always).await.unwrap();
        assert_eq!((preview.covered, preview.more), (vec![], 0), "no grant covers what is dangerous");
    }
}

#[tokio::test]
async fn a_refusal_written_by_hand_holds_at_any_depth() {
    for command in ["git push", "bash -c 'git push'", "true && /usr/bin/git -C . push", "echo $(git push)"] {
        let mut run = Harness::new(&sequence(&[command, "touch after"])).await;
        let never = run.engine.add_never(program("git push")).await.unwrap();
        assert_eq!((never.allow, never.lifetime, never.expires_at), (false, GrantLifetime::Always, None));
        run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
        run.start(Mode::Planner).await;
        let refused = PlanState::Paused { reason: PauseReason::Declined { step_id: "s1".into() } };
        assert_eq!(run.settled().await.state, refused, "{command}");
        let now = grants(&run).await;
        assert_eq!((now.len(), now[0].uses), (1, 1));
        assert!(!run.work("after").exists());
    }
}

#[tokio::test]
async fn a_refusal_written_by_hand_is_checked() {
    let run = Harness::new(&sequence(&["true"])).await;
    let add = async |rule| run.engine.add_never(rule).await;
    let words =
        |words: &[&str]| GrantRule::Program { words: words.iter().map(|word| (*word).to_owned()).collect() };
    for none in [
        words(&[]),
        words(&["", " "]),
        words(&["git push && rm -rf x"]),
        words(&["git", "$x"]),
        words(&["A=1", "git"]),
        words(&["A=1"]),
        words(&["--force"]),
        words(&["git", ">", "log"]),
        words(&["ls", "*"]),
        words(&["f()", "{", "ls;", "}"]),
        words(&["'git"]),
        words(&["\"\""]),
        words(&["x".repeat(5000).as_str()]),
        exact(" "),
        GrantRule::Tool { tool: "format_disk".into() },
    ] {
        let refused: Result<Grant, EngineError> = add(none.clone()).await;
        let error = refused.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{none:?}");
        assert!(error.message.ends_with('.'), "{}", error.message);
    }
    assert_eq!(grants(&run).await, []);
    let made = add(words(&["git  push"])).await.unwrap();
    assert_eq!(made.rule, program("git push"));
    assert_eq!(add(program("git push")).await.unwrap(), made, "one is enough");
    assert_eq!(
        add(words(&["git", "commit", "-m", "'a b'"])).await.unwrap().rule,
        words(&["git", "commit", "-m", "a b"])
    );
    assert_eq!(add(exact(" a && b ")).await.unwrap().rule, exact("a && b"));
    assert_eq!(grants(&run).await.len(), 3);
}

#[tokio::test]
async fn a_grant_is_no_answer_for_a_check_that_does_more() {
    let plan = serde_json::json!({
        "title": "t",
        "steps": [
            { "id": "s1", "command": "touch one" },
            { "id": "s2", "command": "touch two", "verify": "mkdir made" },
            { "id": "s3", "command": "touch three", "verify": "test -e three" },
        ],
    });
    let mut run = Harness::new(&plan.to_string()).await;
    ask_about_everything(&run).await;
    run.start(Mode::Planner).await;
    let first = run.question().await;
    run.answer(&first, always(program("touch"), GrantLifetime::Session)).await;
    let second = run.question().await;
    assert_eq!((second.action.command(), second.offers.as_slice()), ("touch two", &[][..]));
    assert!(second.warning_message.contains("`mkdir made`"), "{}", second.warning_message);
    run.answer(&second, ONCE).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(asked(&run).await, ["touch one", "touch two"]);
    let starts: Vec<AllowedBy> = run
        .events()
        .await
        .into_iter()
        .filter_map(|record| match record.event {
            Event::StepStarted { allowed_by, .. } => Some(allowed_by),
            _ => None,
        })
        .collect();
    let by_grant = AllowedBy::Grant { id: grants(&run).await[0].id };
    assert_eq!(starts, [AllowedBy::User, AllowedBy::User, by_grant]);
}
