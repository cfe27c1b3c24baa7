//! Questions before danger (SPEC R1 to R4, section 4 rule 5), through the real execution path.

use planwright_engine::engine::Attendance;
use planwright_engine::protocol::{
    AllowedBy, ApprovalAnswer, Command, ErrorCode, Event, GrantLifetime, GrantRule, Mode, PauseReason,
    PlanState, Proposer, Risk, StepState, StuckReason,
};
use planwright_tests::{Harness, ScriptedMind, insert, modify, sequence, stuck_reason};

const ONCE: ApprovalAnswer = ApprovalAnswer::AllowOnce { edited_command: None };

fn edited(command: &str) -> ApprovalAnswer {
    ApprovalAnswer::AllowOnce { edited_command: Some(command.to_owned()) }
}

/// A run whose second step deletes a folder that is there.
async fn deleting() -> Harness {
    let run =
        Harness::new(&sequence(&["mkdir -p doomed && touch doomed/file", "rm -rf doomed", "touch after"]))
            .await;
    assert_eq!(run.plan().await.steps[1].assessment.as_ref().unwrap().risk, Risk::Dangerous);
    run
}

/// Who allowed each start of a step.
async fn allowed_by(run: &Harness, id: &str) -> Vec<AllowedBy> {
    let starts = run.events().await.into_iter().filter_map(|record| match record.event {
        Event::StepStarted { step_id, allowed_by, .. } if step_id.0 == id => Some(allowed_by),
        _ => None,
    });
    starts.collect()
}

#[tokio::test]
async fn a_dangerous_step_is_asked_about_in_every_mode_and_waits() {
    for mode in [Mode::Planner, Mode::Agentic, Mode::Teacher] {
        let mut run = deleting().await;
        run.start(mode).await;
        if mode == Mode::Teacher {
            for id in ["s1", "s2"] {
                run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
                run.tell(Command::RunStep { step_id: id.into() }).await;
            }
        }
        let question = run.question().await;
        assert_eq!((question.step_id.0.as_str(), question.action.command()), ("s2", "rm -rf doomed"));
        assert_eq!((question.assessment.risk, &question.proposer), (Risk::Dangerous, &Proposer::Plan));
        assert!(question.offers.is_empty() && !question.warning_message.is_empty());
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert!(run.work("doomed/file").exists(), "nothing runs before the answer");
        run.answer(&question, ONCE).await;
        if mode == Mode::Teacher {
            run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
            run.tell(Command::RunStep { step_id: "s3".into() }).await;
        }
        assert_eq!(run.settled().await.state, PlanState::Completed);
        assert!(!run.work("doomed").exists());
        assert_eq!(allowed_by(&run, "s2").await, [AllowedBy::User]);
        let again = Command::Answer { approval_id: question.id, answer: ONCE };
        assert_eq!(run.refusal(again).await, ErrorCode::NoSuchApproval);
    }
}

#[tokio::test]
async fn an_answer_that_edits_to_no_more_risk_runs_the_new_command() {
    let mut run = deleting().await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let empty = Command::Answer { approval_id: question.id, answer: edited("  ") };
    assert_eq!(run.refusal(empty).await, ErrorCode::InvalidInput);
    run.answer(&question, edited("rm -r doomed/file")).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Completed);
    assert!(run.work("doomed").exists() && !run.work("doomed/file").exists());
    assert_eq!((plan.revision, plan.steps[1].action.command()), (2, "rm -r doomed/file"));
    assert_eq!(allowed_by(&run, "s2").await, [AllowedBy::User]);
}

#[tokio::test]
async fn an_answer_that_edits_to_more_risk_is_asked_about_again_or_blocked() {
    let mut run = Harness::new(&sequence(&["touch one", "touch after"])).await;
    let mut settings = run.engine.settings();
    settings.ask_from = Risk::Caution;
    run.engine.set_settings(settings).await.unwrap();
    run.start(Mode::Planner).await;
    let question = run.question().await;
    assert_eq!(question.assessment.risk, Risk::Caution);
    std::fs::create_dir(run.work("kept")).unwrap();
    run.answer(&question, edited("rm -rf kept")).await;
    let second = run.question().await;
    assert_ne!(second.id, question.id);
    assert_eq!((second.assessment.risk, second.revision), (Risk::Dangerous, 2));
    assert_eq!((&second.proposer, second.previous_command.as_deref()), (&Proposer::User, Some("touch one")));
    assert!(run.work("kept").exists());
    run.answer(&second, edited("rm -rf /")).await;
    let plan = run.settled().await;
    assert!(matches!(plan.state, PlanState::Failed { .. }));
    assert!(run.work("kept").exists() && !run.work("after").exists());
}

#[tokio::test]
async fn always_makes_a_grant_that_is_used_listed_and_revoked() {
    let mut run = Harness::new(&sequence(&[
        "touch ./one",
        "touch ./two",
        "touch ./three && rm -f ./one",
        "touch ./four",
    ]))
    .await;
    let mut settings = run.engine.settings();
    settings.ask_from = Risk::Caution;
    run.engine.set_settings(settings).await.unwrap();
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let rule = question.offers.iter().find(|rule| matches!(rule, GrantRule::Program { .. })).unwrap().clone();
    let unoffered = GrantRule::Program { words: vec!["rm".into()] };
    let wider = ApprovalAnswer::AllowAlways { rule: unoffered, lifetime: GrantLifetime::Always };
    let wider = Command::Answer { approval_id: question.id, answer: wider };
    assert_eq!(run.refusal(wider).await, ErrorCode::InvalidInput);
    run.answer(
        &question,
        ApprovalAnswer::AllowAlways { rule: rule.clone(), lifetime: GrantLifetime::Session },
    )
    .await;
    // The second is covered; the third is more than `touch`.
    let third = run.question().await;
    assert_eq!(third.step_id.0, "s3");
    let grants = run.engine.grants().await.unwrap();
    assert_eq!((grants.len(), &grants[0].rule), (1, &rule));
    assert!(grants[0].last_used_at.is_some());
    assert_eq!(allowed_by(&run, "s2").await, [AllowedBy::Grant { id: grants[0].id }]);
    run.engine.revoke_grant(grants[0].id).await.unwrap();
    run.answer(&third, ONCE).await;
    let fourth = run.question().await;
    assert_eq!(fourth.step_id.0, "s4", "revoked, it no longer counts");
}

#[tokio::test]
async fn a_grant_for_git_fetch_is_not_one_for_what_follows_it() {
    let mut run = Harness::new(&sequence(&["git fetch", "git fetch && touch more", "git fetch > out"])).await;
    let mut settings = run.engine.settings();
    settings.ask_from = Risk::Caution;
    run.engine.set_settings(settings).await.unwrap();
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let rule = GrantRule::Program { words: vec!["git".into(), "fetch".into()] };
    run.answer(&question, ApprovalAnswer::AllowAlways { rule, lifetime: GrantLifetime::Always }).await;
    // No repository here: the first fails, and is not what this is about.
    run.settled().await;
    for id in ["s1", "s2"] {
        run.tell(Command::Skip { step_id: id.into(), with_dependents: false }).await;
        let next = run.question().await;
        assert_eq!(next.step_id.0, if id == "s1" { "s2" } else { "s3" });
        run.answer(&next, ApprovalAnswer::NotNow).await;
        run.settled().await;
    }
    assert!(!run.work("more").exists() && !run.work("out").exists());
}

#[tokio::test]
async fn not_now_pauses_and_resuming_asks_again() {
    let mut run = deleting().await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::NotNow).await;
    let plan = run.settled().await;
    assert_eq!(plan.state, PlanState::Paused { reason: PauseReason::Declined { step_id: "s2".into() } });
    assert!(run.work("doomed").exists());
    run.tell(Command::Resume { mode: None }).await;
    let again = run.question().await;
    assert_ne!(again.id, question.id);
    run.tell(Command::Skip { step_id: "s2".into(), with_dependents: false }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("doomed").exists() && run.work("after").exists());
}

#[tokio::test]
async fn never_is_remembered() {
    let mut run = deleting().await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::Never).await;
    assert!(matches!(run.settled().await.state, PlanState::Paused { reason: PauseReason::Declined { .. } }));
    let grants = run.engine.grants().await.unwrap();
    assert_eq!((grants.len(), grants[0].allow), (1, false));
    let mut run = run.restart(Attendance::User, None).await;
    run.tell(Command::Resume { mode: None }).await;
    let plan = run.settled().await;
    assert!(
        matches!(plan.state, PlanState::Paused { reason: PauseReason::Declined { .. } }),
        "refused unasked"
    );
    assert!(run.state().await.approvals.is_empty());
    assert!(run.work("doomed").exists());
}

#[tokio::test]
async fn instead_gives_the_words_to_the_brain() {
    let mind = ScriptedMind::new(|_, question| {
        assert!(question.messages[0].contains("The user says: move it away"));
        modify("mv doomed kept")
    });
    let mut run =
        Harness::with_mind(&sequence(&["mkdir doomed", "rm -rf doomed", "touch after"]), &mind).await;
    run.start(Mode::Agentic).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::Instead { guidance: "move it away".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(mind.asked().len(), 1);
    assert!(run.work("kept").exists() && run.work("after").exists());
}

#[tokio::test]
async fn instead_of_a_repair_drops_the_whole_repair() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 => insert(&["rm -rf data", "touch second"]),
        _ => modify("touch third"),
    });
    let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
    std::fs::create_dir(run.work("data")).unwrap();
    run.start(Mode::Agentic).await;
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::Instead { guidance: "keep the data".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("data").exists() && run.work("third").exists() && !run.work("second").exists());
}

/// Repairs that always ask, whatever their risk.
#[tokio::test]
async fn a_repair_that_reaches_further_than_the_plan_always_asks() {
    let outside = tempfile::tempdir().unwrap();
    let write_outside = format!("touch {}/file", outside.path().display());
    for command in ["rm leftover", "sudo -n true", &write_outside, "chmod -R u+w ."] {
        let fix = command.to_owned();
        let mind = ScriptedMind::new(move |_, _| insert(&[&fix]));
        let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
        std::fs::write(run.work("leftover"), "").unwrap();
        run.start(Mode::Agentic).await;
        let question = run.question().await;
        assert_eq!(question.action.command(), command);
        assert!(matches!(&question.proposer, Proposer::Agent { source, for_step, .. }
            if source == "scripted" && for_step.0 == "s1"));
        assert!(question.offers.is_empty(), "{command}: no rule for a repair");
        assert!(run.work("leftover").exists() && !outside.path().join("file").exists());
    }
}

#[tokio::test]
async fn a_changed_command_inherits_nothing() {
    let mind = ScriptedMind::new(|_, _| modify("rm -rf other"));
    let mut run = Harness::with_mind(&sequence(&["rm -rf doomed; exit 1"]), &mind).await;
    std::fs::create_dir(run.work("other")).unwrap();
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
    run.start(Mode::Agentic).await;
    let question = run.question().await;
    assert_eq!(question.action.command(), "rm -rf other");
    assert_eq!(allowed_by(&run, "s1").await, [AllowedBy::Plan]);
    assert!(run.work("other").exists());
}

#[tokio::test]
async fn a_ticked_step_is_not_asked_about_and_an_edited_one_is() {
    let mut run = deleting().await;
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s2".into()] }).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(allowed_by(&run, "s2").await, [AllowedBy::Plan]);

    let mut run = deleting().await;
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s2".into()] }).await;
    run.tell(Command::Edit { step_id: "s2".into(), command: "rm -rf doomed/file".into(), run: false }).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.question().await.action.command(), "rm -rf doomed/file");
}

#[tokio::test]
async fn what_was_ticked_is_asked_about_after_a_repair_moved_the_shell() {
    let mind = ScriptedMind::new(|number, _| match number {
        0 => insert(&["mkdir elsewhere && cd elsewhere"]),
        _ => modify("true"),
    });
    let mut run =
        Harness::with_mind(&sequence(&["[ \"${PWD##*/}\" = elsewhere ]", "rm -rf doomed"]), &mind).await;
    run.tell(Command::Confirm { revision: 1, allowed: vec!["s2".into()] }).await;
    run.start(Mode::Agentic).await;
    let question = run.question().await;
    assert!(question.cwd.ends_with("/elsewhere"), "{}", question.cwd);
}

#[tokio::test]
async fn a_new_revision_voids_the_open_question() {
    let mut run = deleting().await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.tell(Command::Edit { step_id: "s3".into(), command: "touch other".into(), run: false }).await;
    let again = run.question().await;
    assert_ne!(again.id, question.id);
    assert_eq!((question.revision, again.revision), (1, 2));
    let old = Command::Answer { approval_id: question.id, answer: ONCE };
    assert_eq!(run.refusal(old).await, ErrorCode::NoSuchApproval);
    run.answer(&again, ONCE).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("other").exists() && !run.work("doomed").exists());
}

#[tokio::test]
async fn an_open_question_survives_a_restart_and_can_be_answered() {
    let mut run = deleting().await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    let mut run = run.restart(Attendance::User, None).await;
    let open = run.state().await.approvals;
    assert_eq!(open, std::slice::from_ref(&question), "the same question");
    assert!(run.work("doomed").exists());
    run.answer(&question, ONCE).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(!run.work("doomed").exists());
}

#[tokio::test]
async fn a_question_of_a_paused_run_can_be_answered() {
    let mut run = deleting().await;
    run.start(Mode::Planner).await;
    let question = run.question().await;
    run.tell(Command::Pause).await;
    assert_eq!(run.settled().await.state, PlanState::Paused { reason: PauseReason::User });
    assert_eq!(run.state().await.approvals.len(), 1);
    run.answer(&question, ONCE).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
}

#[tokio::test]
async fn what_is_blocked_is_refused_in_every_mode() {
    for mode in [Mode::Planner, Mode::Agentic, Mode::Teacher] {
        let mut run = Harness::new(&sequence(&["rm -rf --no-preserve-root /", "touch after"])).await;
        assert_eq!(run.plan().await.steps[0].assessment.as_ref().unwrap().risk, Risk::Blocked);
        run.tell(Command::Confirm { revision: 1, allowed: vec!["s1".into()] }).await;
        run.start(mode).await;
        if mode == Mode::Teacher {
            run.wait_for("waiting", |event| matches!(event, Event::StepAwaitingRun { .. })).await;
            run.tell(Command::RunStep { step_id: "s1".into() }).await;
        }
        let plan = run.settled().await;
        assert!(matches!(&plan.state, PlanState::Failed { reason, .. } if reason.contains("never allowed")));
        assert!(matches!(plan.steps[0].state, StepState::Failed { .. }));
        assert!(!run.names().await.iter().any(|name| name == "step-started"));
        assert!(!run.work("after").exists());
    }
}

#[tokio::test]
async fn a_blocked_correction_ends_the_recovery() {
    for answer in [modify("rm -rf /"), insert(&["touch first", "rm -rf /"])] {
        let mind = ScriptedMind::new(move |_, _| answer.clone());
        let mut run = Harness::with_mind(&sequence(&["exit 1"]), &mind).await;
        run.start(Mode::Agentic).await;
        let plan = run.settled().await;
        assert!(matches!(stuck_reason(&plan), Some(StuckReason::Blocked { .. })), "{:?}", plan.state);
        assert_eq!(plan.revision, 1);
        assert!(!run.work("first").exists());
    }
}

#[tokio::test]
async fn with_nobody_there_a_question_is_a_no_unless_the_policy_says_otherwise() {
    let plan = sequence(&["mkdir -p doomed", "rm -rf doomed", "touch after"]);
    for policy in ["", "approve = \"caution\"", "[[grants]]\nprogram = [\"rm\"]"] {
        let mut run = Harness::unattended(&plan, policy, None).await;
        run.start(Mode::Planner).await;
        let ended = run.settled().await;
        assert_eq!(
            ended.state,
            PlanState::Paused { reason: PauseReason::Declined { step_id: "s2".into() } },
            "{policy}"
        );
        assert!(run.work("doomed").exists() && !run.work("after").exists());
        let names = run.names().await;
        assert_eq!(names[names.len() - 3..], ["approval-needed", "approval-resolved", "plan-paused"]);
    }
    for policy in ["approve = \"dangerous\"", "[[grants]]\nexact = \"rm -rf doomed\""] {
        let mut run = Harness::unattended(&plan, policy, None).await;
        run.start(Mode::Planner).await;
        assert_eq!(run.settled().await.state, PlanState::Completed, "{policy}");
        assert_eq!(allowed_by(&run, "s2").await, [AllowedBy::Policy]);
    }

    let mut run = Harness::unattended(&sequence(&["rm -rf /"]), "approve = \"dangerous\"", None).await;
    run.start(Mode::Planner).await;
    assert!(matches!(run.settled().await.state, PlanState::Failed { .. }));
}
