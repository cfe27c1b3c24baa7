//! A command's output through the public surface: read by rows, searched, without secrets in whatever is kept or told.

use planwright_engine::protocol::{ApprovalAnswer, Mode, OutputQuery, StepId};
use planwright_tests::{Harness, ScriptedMind, sequence};

#[tokio::test]
async fn the_whole_output_is_read_by_rows_and_searched() {
    let mut run = Harness::new(&sequence(&["seq 100000; printf 'a\\rlast'"])).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    let step = StepId::from("s1");
    let rows = run.engine.output_rows(run.session, &step, 0, 99_998, 10).await.unwrap();
    assert_eq!(
        (rows.from, rows.total, rows.rows.join(" ")),
        (99_998, 100_001, "99999 100000 last".to_owned())
    );
    let query = |text: &str| OutputQuery { text: text.to_owned(), match_case: false };
    let found = run.engine.search_output(run.session, &step, 0, query("LAST")).await.unwrap();
    assert_eq!((found.rows, found.total), (vec![100_000], 1));
    let found = run.engine.search_output(run.session, &step, 0, query("0000")).await.unwrap();
    assert_eq!((found.rows[0], found.total), (9_999, 10));
    assert!(run.engine.output_rows(run.session, &step, 7, 0, 1).await.is_err());
}

#[tokio::test]
async fn a_secret_that_a_step_exports_is_found_in_no_later_output_report_or_prompt() {
    const SECRET: &str = "correct-horse-battery";
    let mind = ScriptedMind::new(|_, _| r#"{"action": "abort", "reasoning": "no"}"#.to_owned());
    let steps = [
        &*format!("export SERVICE_PASSWORD={SECRET}"),
        "echo \"it is $SERVICE_PASSWORD\"; sh -c 'echo no rule knows: \"$SERVICE_PASSWORD\" >&2; exit 42'",
    ];
    let mut run = Harness::with_mind(&sequence(&steps), &mind).await;
    run.start(Mode::Agentic).await;
    // That the secret would be shown is asked about first.
    let question = run.question().await;
    run.answer(&question, ApprovalAnswer::AllowOnce { edited_command: None }).await;
    run.settled().await;
    let results = run.state().await.results;
    let failed = results.last().unwrap();
    assert_eq!(
        (failed.stdout.as_str(), failed.stderr.as_str()),
        ("it is [secret hidden]\n", "no rule knows: [secret hidden]\n")
    );
    assert!(!run.engine.report(run.session).await.unwrap().contains(SECRET));
    let asked = mind.asked();
    assert!(!asked.is_empty());
    for question in asked {
        assert!(!format!("{} {:?}", question.system, question.messages).contains(SECRET));
    }
    // What is on disk beside the record, which holds the shell's state and the commands as they ran.
    for entry in std::fs::read_dir(run.home().join("output").join(run.session.to_string())).unwrap() {
        assert!(!std::fs::read_to_string(entry.unwrap().path()).unwrap().contains(SECRET));
    }
}
