//! What a rule covers, what a refusal touches, what may be offered, and until when.

use super::*;
use crate::policy::{new_grant, used};

fn git_fetch_case(lines: &'static [&'static str]) -> Case<'static> {
    let always = grant(true, git_fetch(), GrantLifetime::Always, "");
    Case { lines, ask_from: Risk::Caution, grants: vec![always], ..Case::default() }
}

fn is_allowed(case: &Case<'_>) -> bool {
    matches!(verdict(case), Verdict::Allow(AllowedBy::Grant { .. }))
}

#[test]
fn a_grant_for_git_fetch_covers_git_fetch_alone() {
    for lines in [&["git fetch"][..], &["git fetch --all"], &["git fetch ?"], &["git fetch", "git fetch up"]]
    {
        assert!(is_allowed(&git_fetch_case(lines)), "{lines:?}");
    }
    for lines in [
        &["git fetch", "rm -rf /home/me"][..],
        &["git ? fetch"],
        &["? fetch"],
        &["git ?"],
        &["?"],
        &["git fetch", "?"],
        &["git -c core.sshCommand=x fetch"],
        &["sudo git fetch", "git fetch"],
        &["bash -c git\u{a0}fetch", "git fetch"],
        &["git"],
        &["git fetched"],
        &["/tmp/git fetch"],
        &[],
    ] {
        assert!(!is_allowed(&git_fetch_case(lines)), "{lines:?}");
    }
}

#[test]
fn assignments_redirections_and_a_check_are_no_part_of_a_grant() {
    let action = Action::shell("git fetch");
    let fetch = || run("git fetch");
    let covered = |runs: WouldRun| matches_all(&git_fetch(), &action, &runs);
    let of = |action: Vec<Run>, check: Vec<Run>| WouldRun { action, check };
    assert!(covered(of(vec![fetch()], vec![])));
    assert!(!covered(of(vec![Run { assigned: true, ..fetch() }], vec![])));
    assert!(!covered(of(vec![Run { redirected: true, ..fetch() }], vec![])));
    assert!(!covered(of(vec![fetch(), Run { words: vec![], assigned: true, redirected: false }], vec![])));
    assert!(!covered(of(vec![fetch()], vec![run("touch x")])));
    assert!(covered(of(vec![fetch()], vec![run("git fetch --dry-run")])));
    let exactly = exact(&action);
    assert!(matches_all(&exactly, &action, &of(vec![fetch()], vec![])));
    assert!(!matches_all(&exactly, &action, &of(vec![fetch()], vec![run("touch x")])));
}

#[test]
fn a_refusal_finds_its_program_however_it_is_called() {
    let refused = |lines: &'static [&'static str]| {
        let words = vec!["git".to_owned(), "push".to_owned()];
        let never = grant(false, GrantRule::Program { words }, GrantLifetime::Always, "");
        let case = Case { lines, risk: Risk::Safe, grants: vec![never.clone()], ..Case::default() };
        verdict(&case) == Verdict::Never { by: never.id }
    };
    for lines in [
        &["git push"][..],
        &["ls", "git push --force"],
        &["sudo git push", "git push"],
        &["/usr/bin/git push"],
        &["git -C push push"],
        &["git --no-pager push"],
        &["git -c a=b push"],
        &["git ?"],
        &["git ? push"],
    ] {
        assert!(refused(lines), "{lines:?}");
    }
    for lines in [
        &["git"][..],
        &["git fetch"],
        &["git commit -m push"],
        &["git -C push status"],
        &["?"],
        &["echo git push"],
    ] {
        assert!(!refused(lines), "{lines:?}");
    }
}

#[test]
fn the_narrowest_rule_is_offered_first_and_nothing_wide_for_what_reaches_far() {
    let offered = |command: &str, effects: Effects| {
        offers(&Action::shell(command), &would_run(&[command]), &assessment(Risk::Caution, effects))
    };
    let exactly = |command: &str| GrantRule::Exact { command: command.into() };
    let program = |words: &str| GrantRule::Program { words: words.split(' ').map(str::to_owned).collect() };
    let plain = Effects::default();
    assert_eq!(
        offered("npm run build --watch", plain.clone()),
        [exactly("npm run build --watch"), program("npm run build")]
    );
    assert_eq!(offered("touch one", plain.clone()), [exactly("touch one"), program("touch")]);
    assert_eq!(offered("python3 one.py", plain.clone()), [exactly("python3 one.py")]);
    for far in [
        Effects { deletes: true, ..plain.clone() },
        Effects { raises_privilege: true, ..plain.clone() },
        Effects { changes_tree_ownership: true, ..plain.clone() },
        Effects { writes_outside: true, ..plain.clone() },
    ] {
        assert_eq!(offered("touch one", far), [exactly("touch one")]);
    }
    // What no dialog shows as a whole is never remembered.
    let long = [format!("echo{}", " x".repeat(301)), "echo x\n".repeat(9), "echo \u{1b}[2K".to_owned()];
    for command in long {
        assert_eq!(offered(&command, plain.clone()), []);
    }
    let touch = Action::shell("touch one");
    let caution = assessment(Risk::Caution, plain);
    let marked = Run { redirected: true, ..run("touch one") };
    let runs = |action: Vec<Run>, check: Vec<Run>| WouldRun { action, check };
    assert_eq!(offers(&touch, &runs(vec![marked], vec![]), &caution), [exactly("touch one")]);
    let two = runs(vec![run("touch one"), run("touch two")], vec![]);
    assert_eq!(offers(&touch, &two, &caution), [exactly("touch one")]);
    let checked = runs(vec![run("touch one")], vec![run("npm test")]);
    assert_eq!(offers(&touch, &checked, &caution), []);
}

const DAY: i64 = 24 * 60 * 60;

fn days_later(from: Time, days: i64) -> Time {
    Time(from.0.checked_add(jiff::SignedDuration::from_secs(days * DAY)).unwrap())
}

#[test]
fn what_is_not_used_ends_and_a_refusal_does_not() {
    let now = Time::now();
    let bindings = Bindings { run: "r".into(), session: "s".into(), folder: "/f".into() };
    let made = |allow, lifetime, days| new_grant(allow, git_fetch(), lifetime, &bindings, now, days);
    use GrantLifetime::{Always, Folder, Run, Session};
    assert_eq!(made(true, Always, 90).expires_at, Some(days_later(now, 90)));
    assert_eq!(made(true, Folder, 1).expires_at, Some(days_later(now, 1)));
    for ends_never in [
        made(true, Always, 0),
        made(false, Always, 90),
        made(false, Folder, 90),
        made(true, Run, 90),
        made(true, Session, 90),
    ] {
        assert_eq!(ends_never.expires_at, None, "{ends_never:?}");
    }
    assert_eq!(made(true, Always, u32::MAX).expires_at, None, "beyond the calendar");
    let bound = [Always, Folder, Session, Run].map(|lifetime| made(true, lifetime, 0).bound_to);
    assert_eq!(bound, ["", "/f", "s", "r"]);
    let later = days_later(now, 30);
    let again = used(made(true, Always, 90), later, 90);
    assert_eq!(
        (again.uses, again.last_used_at, again.expires_at),
        (1, Some(later), Some(days_later(later, 90)))
    );
    assert_eq!(used(again, later, 0).expires_at, None);
}

#[test]
fn an_expired_grant_counts_no_more() {
    let now = Time::now();
    let ended = |end: Time| {
        let always = Grant { expires_at: Some(end), ..grant(true, git_fetch(), GrantLifetime::Always, "") };
        is_allowed(&Case { ask_from: Risk::Caution, grants: vec![always], ..Case::default() })
    };
    assert!(ended(days_later(now, 1)));
    assert!(!ended(now));
    assert!(!ended(days_later(now, -1)));
}

#[test]
fn a_models_warning_is_told_as_its_word() {
    let reason = crate::protocol::RiskReason {
        risk: Risk::Dangerous,
        text: "it drops the only copy".into(),
        fragment: String::new(),
        start: None,
        source: Some("m".into()),
    };
    let assessment = Assessment { reasons: vec![reason], ..assessment(Risk::Dangerous, Effects::default()) };
    assert_eq!(first_reason(&assessment), "m warns: it drops the only copy.");
}
