//! What the brain asks, remembers and repeats in a run (A1, A2, A5, M6a), and asking the stronger model (M6).

use std::sync::Arc;
use std::time::Duration;

use planwright_engine::engine::Attendance;
use planwright_engine::model::ModelError;
use planwright_engine::protocol::{
    AgentCorrection, Command, Correction, ErrorCode, Event, EventRecord, Mode, PlanState, Price, StuckReason,
};
use planwright_tests::{Harness, ScriptedMind, modify, names, sequence, stuck_reason};
use serde_json::json;

use crate::recovery::always_another_failure;

fn abort() -> String {
    json!({ "action": "abort", "reasoning": "I do not know" }).to_string()
}

fn corrections(seen: &[EventRecord]) -> Vec<&AgentCorrection> {
    let correction = |record| match record {
        &EventRecord {
            event: Event::CorrectionAttempt { correction: Correction::Step(ref correction), .. },
            ..
        } => Some(correction),
        _ => None,
    };
    seen.iter().filter_map(correction).collect()
}

const FAILS_ONCE: &str =
    "echo run >> runs; [ -e seen ] || { touch seen; echo 'flux out of phase' >&2; exit 7; }";

#[tokio::test]
async fn a_failure_that_the_model_calls_transient_waits_visibly_and_runs_again() {
    let mind = ScriptedMind::new(|_, _| {
        json!({ "action": "retry", "reasoning": "A lock is held.", "transient": true, "waitSeconds": 1 })
            .to_string()
    });
    let mut run = Harness::with_mind(&sequence(&[FAILS_ONCE]), &mind).await;
    run.start(Mode::Agentic).await;
    let retry = run.wait_for("a retry", |event| matches!(event, Event::RetryAttempt { .. })).await;
    assert!(matches!(retry, Event::RetryAttempt { wait_seconds: 1, attempt: 2, .. }), "{retry:?}");
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!((run.lines("runs"), mind.asked().len()), (2, 1));
}

#[tokio::test]
async fn the_same_command_without_a_reason_to_wait_is_refused() {
    let mind = ScriptedMind::new(|_, _| json!({ "action": "retry", "reasoning": "Again!" }).to_string());
    let mut run = Harness::with_mind(&sequence(&[FAILS_ONCE]), &mind).await;
    run.start(Mode::Agentic).await;
    assert_eq!(stuck_reason(&run.settled().await), Some(&StuckReason::NoProgress));
    assert_eq!(run.lines("runs"), 1);
    // The second question says what became of the first answer.
    assert!(mind.asked()[1].messages[0].contains("trying again, because Again! was not done. Refused:"));
}

#[tokio::test]
async fn what_was_asked_before_in_the_run_is_not_asked_again() {
    let mind = ScriptedMind::new(|_, _| abort());
    let mut run = Harness::with_mind(&sequence(&["exit 7"]), &mind).await;
    run.start(Mode::Agentic).await;
    assert!(matches!(stuck_reason(&run.settled().await), Some(StuckReason::Aborted { .. })));
    run.tell(Command::RaiseBudget).await;
    assert!(matches!(stuck_reason(&run.settled().await), Some(StuckReason::Aborted { .. })));
    assert_eq!(mind.asked().len(), 1);
    for (words, asked) in [("look around", 2), ("look around", 2), ("look elsewhere", 3)] {
        run.tell(Command::Guide { text: words.into() }).await;
        run.settled().await;
        assert_eq!(mind.asked().len(), asked, "{words}");
    }
}

#[tokio::test]
async fn an_answer_that_could_not_be_used_is_no_answer_for_the_next_time() {
    let mind = ScriptedMind::new(|number, _| if number < 2 { "no idea".to_owned() } else { modify("true") });
    let mut run = Harness::with_mind(&sequence(&["exit 7"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::RaiseBudget).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert_eq!(mind.asked().len(), 3);
}

#[tokio::test]
async fn a_model_that_cannot_answer_is_told_before_the_run_is_stuck() {
    let refused = || ModelError::RejectedKey { message: String::new() };
    for mind in
        [ScriptedMind::fallible(move |_, _| Err(refused())), ScriptedMind::new(|_, _| "no idea".to_owned())]
    {
        let mut run = Harness::with_mind(&sequence(&["exit 7"]), &mind).await;
        run.start(Mode::Agentic).await;
        assert!(matches!(stuck_reason(&run.settled().await), Some(StuckReason::Aborted { .. })));
        let names = names(&run.seen);
        let error = names.iter().position(|name| name == "agent-error").unwrap();
        assert_eq!(names[error + 1], "agent-stuck");
        assert!(run.seen.iter().any(|record| matches!(&record.event,
            Event::AgentError { message, .. } if message.starts_with("scripted "))));
    }
}

#[tokio::test]
async fn whoever_finds_no_way_out_it_is_told_as_an_error_before_the_run_is_stuck() {
    let gives_up = ScriptedMind::new(|_, _| r#"{"action":"abort","reasoning":"there is no way"}"#.to_owned());
    for (mind, said) in [(Some(&gives_up), "there is no way"), (None, "no rule of the field guide")] {
        let plan = sequence(&["exit 7"]);
        let mut run = match mind {
            Some(mind) => Harness::with_mind(&plan, mind).await,
            None => Harness::new(&plan).await,
        };
        run.start(Mode::Agentic).await;
        run.settled().await;
        let told: Vec<&str> = run
            .seen
            .iter()
            .filter_map(|record| match &record.event {
                Event::AgentError { message, .. } => Some(message.as_str()),
                _ => None,
            })
            .collect();
        assert!(told.len() == 1 && told[0].contains(said), "{told:?}");
        let names = names(&run.seen);
        let error = names.iter().position(|name| name == "agent-error").unwrap();
        assert_eq!(names[error + 1], "agent-stuck");
    }
}

#[tokio::test]
async fn a_new_attempt_tells_its_command_where_a_correction_wrote_one() {
    let mind = ScriptedMind::new(|_, _| modify("touch mended"));
    let mut run = Harness::with_mind(&sequence(&["exit 7"]), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    let told = run.seen.iter().find_map(|record| match &record.event {
        Event::RetryAttempt { command, .. } => Some(command.clone()),
        _ => None,
    });
    assert_eq!(told, Some(Some("touch mended".to_owned())));
}

#[tokio::test]
async fn a_model_mends_a_command_whose_secret_it_never_sees() {
    let command =
        "test -e ready || { echo 'the folder is missing' >&2; exit 7; }; echo --password=hunter2x > said";
    let mind = ScriptedMind::new(|_, question| {
        assert!(!question.messages[0].contains("hunter2x"), "{}", question.messages[0]);
        modify("touch ready; echo --password=[secret hidden] > said")
    });
    let mut run = Harness::with_mind(&sequence(&[command]), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    assert_eq!(run.text("said"), "--password=hunter2x\n");
}

#[tokio::test]
async fn output_goes_to_the_model_fenced_and_bounded_with_its_beginning_and_its_end() {
    let mind = ScriptedMind::new(|_, _| abort());
    let command = "echo the first line; seq 1 9000; echo '</output> the last line'; exit 3";
    let mut run = Harness::with_mind(&sequence(&[command]), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    let question = &mind.asked()[0].messages[0];
    assert!(question.len() < 6000, "{}", question.len());
    let (_, fenced) = question.split_once("<output>\n").unwrap();
    assert!(fenced.starts_with("the first line\n1\n2\n"), "{fenced}");
    assert!(fenced.ends_with("9000\n<\\/output> the last line\n</output>\n"), "{fenced}");
}

/// Three steps that succeed at their third run, and one that nobody can mend.
const LONG: [&str; 3] = ["echo 1.0 >> runs; exit 1", "echo 2.0 >> runs; exit 1", "exit 9"];

fn thinker() -> Arc<ScriptedMind> {
    // Slow enough for what goes on in the background to be over before the next question.
    ScriptedMind::slow(Duration::from_millis(60), |_, question| {
        let text = &question.messages[0];
        let Some(ran) = text.split("Command: echo ").nth(1).and_then(|rest| rest.split(' ').next()) else {
            return abort();
        };
        let (step, tried) = ran.split_once('.').unwrap();
        let tried = tried.parse::<u32>().unwrap() + 1;
        modify(&format!("echo {step}.{tried} >> runs; [ {tried} = 3 ]"))
    })
}

#[tokio::test]
async fn the_oldest_of_what_happened_is_condensed_and_survives_a_restart() {
    let mind = thinker().condensing(Duration::ZERO, |_, _| Ok("It was all\nabout numbers.".to_owned()));
    let mut run = Harness::with_mind(&sequence(&LONG), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    let told = run.seen.iter().find_map(|record| match &record.event {
        Event::AgentContextSummarized { summary, up_to, entries } => {
            Some((summary.clone(), *up_to, *entries))
        }
        _ => None,
    });
    assert_eq!(told, Some((Some("It was all about numbers.".to_owned()), 3, 3)));
    let first = &mind.condensed()[0].messages[0];
    assert!(
        first.starts_with("<history>\n- step 1: `echo 1.0 >> runs; exit 1` ended with status 1"),
        "{first}"
    );
    let asked = mind.asked();
    let last = &asked.last().unwrap().messages[0];
    assert!(last.contains("<history>\nBefore that: It was all about numbers.\n- step"), "{last}");
    assert!(!last.contains("`echo 1.0"), "{last}");
    assert!(last.contains("1. [done] echo 1.3 >> runs"), "the plan is given afresh: {last}");

    let other = ScriptedMind::new(|_, _| modify("true"));
    let mut run = run.restart(Attendance::User, Some(Arc::clone(&other))).await;
    run.tell(Command::Guide { text: "never mind".into() }).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(other.asked()[0].messages[0].contains("Before that: It was all about numbers."));
}

#[tokio::test]
async fn what_cannot_be_condensed_is_dropped() {
    let mind =
        thinker().condensing(Duration::ZERO, |_, _| Err(ModelError::OutOfCredit { message: String::new() }));
    let mut run = Harness::with_mind(&sequence(&LONG), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    assert!(run.seen.iter().any(|record| matches!(
        record.event,
        Event::AgentContextSummarized { summary: None, up_to: 3, entries: 3 }
    )));
    let asked = mind.asked();
    let last = &asked.last().unwrap().messages[0];
    assert!(
        !last.contains("Before that") && !last.contains("`echo 1.0") && last.contains("`echo 2."),
        "{last}"
    );
}

#[tokio::test]
async fn no_step_waits_for_the_condensing() {
    let mind = thinker().condensing(Duration::from_secs(3600), |_, _| Ok("Too late.".to_owned()));
    let mut run = Harness::with_mind(&sequence(&LONG), &mind).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    assert_eq!((mind.condensed().len(), run.lines("runs")), (1, 8));
    assert!(!names(&run.seen).iter().any(|name| name == "agent-context-summarized"));
    run.closed().await;
}

const PRICE: Price = Price { input_cents: 300, output_cents: 1500, cached_cents: 30 };

#[tokio::test]
async fn a_stuck_run_asks_the_stronger_model_after_its_price_was_shown() {
    let main = ScriptedMind::new(|_, _| abort());
    let strong = ScriptedMind::new(|_, _| modify("touch mended")).named("strong", Some(PRICE));
    let mut run = Harness::with_stronger(&sequence(&["exit 7", "touch after"]), &main, &strong).await;
    assert_eq!(run.refusal(Command::Escalate).await, ErrorCode::NotNow);
    assert_eq!(run.engine.escalation_estimate(run.session).await.unwrap(), None);
    run.start(Mode::Agentic).await;
    run.settled().await;
    let estimate = run.engine.escalation_estimate(run.session).await.unwrap().unwrap();
    assert_eq!((estimate.model.as_str(), strong.asked().len()), ("strong", 0));
    let cost = (estimate.input_tokens * 300 + estimate.output_tokens * 1500).div_ceil(100);
    assert_eq!(estimate.cost_micros, Some(cost));

    run.tell(Command::Escalate).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("mended").exists() && run.work("after").exists());
    assert_eq!((main.asked().len(), strong.asked().len()), (1, 1));
    let [correction] = corrections(&run.seen)[..] else { panic!("one correction") };
    assert_eq!(correction.source, "strong");
    assert!(run.seen.iter().any(|record| matches!(&record.event,
        Event::AgentThinking { asking, .. } if asking == "strong")));
    let asked = &strong.asked()[0];
    let letters = asked.system.chars().count() + asked.messages[0].chars().count();
    assert!(estimate.input_tokens.abs_diff(letters as u32 / 4) < 10, "{estimate:?} {letters}");
}

#[tokio::test]
async fn used_up_budgets_do_not_stop_the_one_question_and_are_not_filled_up() {
    let main = ScriptedMind::new(|number, _| always_another_failure(number));
    let strong = ScriptedMind::new(|number, _| always_another_failure(100 + number)).named("strong", None);
    let mut run = Harness::with_stronger(&sequence(&["echo once >> runs; exit 1"]), &main, &strong).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    let before = run.state().await.ledger;
    let estimate = run.engine.escalation_estimate(run.session).await.unwrap().unwrap();
    assert_eq!(estimate.cost_micros, None, "nobody knows its price");
    run.tell(Command::Escalate).await;
    assert_eq!(stuck_reason(&run.settled().await), Some(&StuckReason::StepRetries { allowed: 3 }));
    let after = run.state().await.ledger;
    assert_eq!((main.asked().len(), strong.asked().len(), run.lines("runs")), (3, 1, 5));
    assert_eq!(
        (before.corrections + 1, before.attempts_allowed),
        (after.corrections, after.attempts_allowed)
    );
}

#[tokio::test]
async fn what_the_stronger_model_proposes_is_asked_about_like_anything_else() {
    let main = ScriptedMind::new(|_, _| abort());
    let strong = ScriptedMind::new(|_, _| modify("rm -rf ./out")).named("strong", None);
    let mut run = Harness::with_stronger(&sequence(&["exit 7"]), &main, &strong).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    run.tell(Command::Escalate).await;
    assert_eq!(run.question().await.action.command(), "rm -rf ./out");
}

#[tokio::test]
async fn without_a_stronger_model_there_is_nobody_to_ask() {
    let mut run = Harness::new(&sequence(&["exit 7"])).await;
    run.start(Mode::Agentic).await;
    run.settled().await;
    assert_eq!(run.refusal(Command::Escalate).await, ErrorCode::NoModel);
    assert_eq!(run.engine.escalation_estimate(run.session).await.unwrap(), None);
}
