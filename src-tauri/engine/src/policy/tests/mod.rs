use super::*;
use crate::protocol::{
    Action, Approval, ApprovalId, GrantId, GrantLifetime, GrantRule, StepId, Time, UndoOutlook,
};
use crate::risk::Run;

/// Each line is a command; `?` is a word that is only known when it runs.
fn would_run(lines: &[&str]) -> WouldRun {
    WouldRun { action: lines.iter().map(|line| run(line)).collect(), check: Vec::new() }
}

fn run(line: &str) -> Run {
    let words = line.split(' ').map(|word| (word != "?").then(|| word.to_owned()));
    Run { words: words.collect(), assigned: false, redirected: false }
}

fn assessment(risk: Risk, effects: Effects) -> Assessment {
    Assessment { risk, reasons: vec![], effects, undo: UndoOutlook::NotNeeded, keyboard: None }
}

fn agent() -> Proposer {
    Proposer::Agent {
        source: "guide:x".into(),
        reason: "r".into(),
        for_step: StepId::from("s"),
        for_title: "S".into(),
    }
}

fn grant(allow: bool, rule: GrantRule, lifetime: GrantLifetime, bound_to: &str) -> Grant {
    Grant {
        id: GrantId::new(),
        allow,
        rule,
        lifetime,
        bound_to: bound_to.into(),
        created_at: Time::now(),
        last_used_at: None,
        uses: 0,
        expires_at: None,
    }
}

fn git_fetch() -> GrantRule {
    GrantRule::Program { words: vec!["git".into(), "fetch".into()] }
}

struct Case<'a> {
    lines: &'a [&'a str],
    risk: Risk,
    effects: Effects,
    proposer: Proposer,
    confirmed: bool,
    grants: Vec<Grant>,
    ask_from: Risk,
    ask_edits: bool,
    /// In place of `lines`.
    action: Option<Action>,
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self {
            lines: &["git fetch"],
            risk: Risk::Caution,
            effects: Effects::default(),
            proposer: Proposer::Plan,
            confirmed: false,
            grants: vec![],
            ask_from: Risk::Dangerous,
            ask_edits: false,
            action: None,
        }
    }
}

fn verdict(case: &Case<'_>) -> Verdict {
    let action = case.action.clone().unwrap_or_else(|| Action::shell(case.lines.join(" && ")));
    let would_run = match &action {
        Action::Shell { .. } => would_run(case.lines),
        Action::Tool { .. } | Action::Manual { .. } => WouldRun::default(),
    };
    decide(&Question {
        action: &action,
        would_run: &would_run,
        assessment: &assessment(case.risk, case.effects.clone()),
        proposer: &case.proposer,
        in_confirmed_plan: case.confirmed,
        grants: &case.grants,
        bindings: &Bindings { run: "run".into(), session: "session".into(), folder: "/work".into() },
        now: Time::now(),
        ask_from: case.ask_from,
        ask_edits: case.ask_edits,
        terminal: TerminalOffer::No,
    })
}

#[test]
fn the_blocked_floor_is_above_consent_and_grants() {
    let everything = grant(true, GrantRule::Tool { tool: "shell".into() }, GrantLifetime::Always, "");
    let case = Case { risk: Risk::Blocked, confirmed: true, grants: vec![everything], ..Case::default() };
    assert!(matches!(verdict(&case), Verdict::Blocked { .. }));
}

#[test]
fn never_is_above_the_confirmed_plan() {
    let never = grant(false, git_fetch(), GrantLifetime::Always, "");
    let case = Case { risk: Risk::Dangerous, confirmed: true, grants: vec![never], ..Case::default() };
    assert!(matches!(verdict(&case), Verdict::Never { .. }));
}

#[test]
fn never_catches_one_command_of_many() {
    let never = grant(false, git_fetch(), GrantLifetime::Always, "");
    let case = Case { lines: &["ls", "git fetch"], risk: Risk::Safe, grants: vec![never], ..Case::default() };
    assert!(matches!(verdict(&case), Verdict::Never { .. }));
}

#[test]
fn a_ticked_dangerous_step_runs_and_an_unticked_one_asks() {
    let ticked = Case { risk: Risk::Dangerous, confirmed: true, ..Case::default() };
    assert_eq!(verdict(&ticked), Verdict::Allow(AllowedBy::Plan));
    let unticked = Case { risk: Risk::Dangerous, ..Case::default() };
    assert!(matches!(verdict(&unticked), Verdict::Ask { remember: false, .. }));
}

#[test]
fn no_grant_ever_covers_a_dangerous_command() {
    let always = grant(true, git_fetch(), GrantLifetime::Always, "");
    let case = Case { risk: Risk::Dangerous, grants: vec![always], ..Case::default() };
    assert!(matches!(verdict(&case), Verdict::Ask { remember: false, .. }));
}

#[test]
fn a_grant_must_cover_every_command_of_the_line() {
    let always = grant(true, git_fetch(), GrantLifetime::Always, "");
    let id = always.id;
    let one = Case { ask_from: Risk::Caution, grants: vec![always.clone()], ..Case::default() };
    assert_eq!(verdict(&one), Verdict::Allow(AllowedBy::Grant { id }));
    let two = Case { lines: &["git fetch", "touch x"], ..one };
    assert!(matches!(verdict(&two), Verdict::Ask { remember: true, .. }));
}

#[test]
fn a_grant_of_another_session_does_not_count() {
    let theirs = grant(true, git_fetch(), GrantLifetime::Session, "another");
    let case = Case { ask_from: Risk::Caution, grants: vec![theirs], ..Case::default() };
    assert!(matches!(verdict(&case), Verdict::Ask { .. }));
}

#[test]
fn repairs_that_do_more_than_the_plan_always_ask() {
    let effects = [
        Effects { deletes: true, ..Effects::default() },
        Effects { raises_privilege: true, ..Effects::default() },
        Effects { changes_tree_ownership: true, ..Effects::default() },
        Effects { writes_outside: true, ..Effects::default() },
    ];
    for effects in effects {
        for confirmed in [false, true] {
            let case = Case {
                effects: effects.clone(),
                proposer: agent(),
                confirmed,
                risk: Risk::Caution,
                ..Case::default()
            };
            assert!(matches!(verdict(&case), Verdict::Ask { remember: false, .. }), "{effects:?}");
        }
        let planned = Case { effects, risk: Risk::Caution, ..Case::default() };
        assert_eq!(verdict(&planned), Verdict::Allow(AllowedBy::Mode));
    }
}

#[test]
fn the_mode_allows_what_is_below_the_threshold() {
    assert_eq!(verdict(&Case::default()), Verdict::Allow(AllowedBy::Mode));
    // Even a setting that asks about nothing still asks about danger.
    let lax = Case { risk: Risk::Dangerous, ask_from: Risk::Blocked, ..Case::default() };
    assert!(matches!(verdict(&lax), Verdict::Ask { .. }));
}

fn approval(risk: Risk, command: &str) -> Approval {
    Approval {
        id: ApprovalId::new(),
        step_id: StepId::from("s"),
        revision: 1,
        action: Action::shell(command),
        cwd: "/work".into(),
        user: "me".into(),
        assessment: assessment(risk, Effects::default()),
        warning_message: String::new(),
        proposer: Proposer::Plan,
        previous_command: None,
        diffs: Vec::new(),
        environment: Vec::new(),
        suggested: None,
        binding: String::new(),
        terminal: false,
        offers: vec![],
        asked_at: Time::now(),
    }
}

#[test]
fn a_policy_file_is_a_ceiling_and_never_lifts_the_floor() {
    let none = PolicyFile::default();
    let caution = PolicyFile::parse("approve = \"caution\"").unwrap();
    let dangerous = PolicyFile::parse("approve = \"dangerous\"").unwrap();
    let answer = |policy: &PolicyFile, risk| {
        policy.answer(&approval(risk, "x"), &would_run(&["x"])) == Some(AllowedBy::Policy)
    };
    assert!(!answer(&none, Risk::Safe));
    assert!(answer(&caution, Risk::Caution) && !answer(&caution, Risk::Dangerous));
    assert!(answer(&dangerous, Risk::Dangerous) && !answer(&dangerous, Risk::Blocked));
}

#[test]
fn a_policy_grant_covers_its_words_and_nothing_beside_them() {
    let answer = |text: &str, risk, lines: &[&str]| {
        let policy = PolicyFile::parse(&format!("[[grants]]\n{text}")).unwrap();
        policy.answer(&approval(risk, &lines.join(" && ")), &would_run(lines)) == Some(AllowedBy::Policy)
    };
    let program = "program = [\"git\", \"push\"]";
    assert!(answer(program, Risk::Caution, &["git push origin"]));
    assert!(!answer(program, Risk::Dangerous, &["git push --force"]), "a beginning says too little");
    assert!(!answer(program, Risk::Caution, &["git push origin", "touch x"]));
    let exact = "exact = \"git push --force\"";
    assert!(answer(exact, Risk::Dangerous, &["git push --force"]));
    assert!(!answer(exact, Risk::Blocked, &["git push --force"]));
    assert!(!answer(exact, Risk::Caution, &["git push --force", "touch x"]));
}

#[test]
fn a_misspelt_policy_is_refused() {
    assert!(PolicyFile::parse("aprove = \"safe\"").is_err());
    assert!(PolicyFile::parse("approve = \"everything\"").is_err());
    assert!(PolicyFile::parse("approve = \"blocked\"").is_err());
}

mod chat;
mod rules;
