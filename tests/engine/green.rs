//! Green only where it went well: failed parts of pipelines, answers that are no failures, time-outs, questions that
//! nobody answered, and pages that go on past a failure.

use planwright_engine::protocol::{Mode, PlanState, StepState};
use planwright_tests::{Harness, sequence};

/// One command as a plan of its own: whether it completed, and what is said where it did not.
async fn ended(command: &str) -> Result<(), String> {
    let mut run = Harness::new(&sequence(&[command])).await;
    run.start(Mode::Planner).await;
    run.settled().await;
    match run.step("s1").await {
        StepState::Completed { .. } => Ok(()),
        StepState::Failed { reason, .. } => Err(reason),
        other => panic!("{command}: {other:?}"),
    }
}

#[tokio::test]
async fn a_pipeline_whose_first_part_failed_is_not_done() {
    for (command, part, status) in [
        ("sh -c 'exit 7' | cat", "`sh -c 'exit 7'`, part 1 of 2", 7),
        ("cat missing 2>&1 | tail -3", "`cat missing 2>&1`, part 1 of 2", 1),
        ("true; echo a | sh -c 'exit 3' | cat", "`sh -c 'exit 3'`, part 2 of 3", 3),
    ] {
        let reason = ended(command).await.unwrap_err();
        assert!(
            reason.starts_with(part) && reason.contains(&format!("status {status};")),
            "{command}: {reason}"
        );
    }
}

#[tokio::test]
async fn a_download_that_fails_within_a_substitution_is_not_done() {
    for command in [
        "echo \"$(curl -fsSL http://127.0.0.1:1/v | head -1)\"",
        "cat <(curl -fsSL http://127.0.0.1:1/v)",
        "V=$(curl -s http://127.0.0.1:1/v | tr -d v); echo \"$V\"",
    ] {
        let reason = ended(command).await.unwrap_err();
        assert!(
            reason.contains("whose output is used in the command, ended with status 7"),
            "{command}: {reason}"
        );
    }
    for command in [
        "V=$(curl -s http://127.0.0.1:1/v || echo 1.0); [ \"$V\" = 1.0 ]",
        "[ -z \"$(curl -s http://127.0.0.1:1/v)\" ] && echo none",
    ] {
        assert_eq!(ended(command).await, Ok(()), "{command}");
    }
}

#[tokio::test]
async fn answers_and_readers_that_have_enough_are_no_failures() {
    for command in [
        "yes | head -1",
        "echo a | grep b | wc -l",
        "echo a > f; grep -c b f",
        "echo a > f; echo b > g; diff f g",
        "[ -f nofile ] && echo yes",
        "set -e; [ -f nofile ] && echo yes",
        "[[ -f nofile ]] && echo yes",
    ] {
        assert_eq!(ended(command).await, Ok(()), "{command}");
    }
    assert!(ended("[ -f nofile ]").await.is_err());
    assert!(ended("[ -d / ] && cat nofile").await.is_err());
}

#[tokio::test]
async fn a_script_with_set_e_goes_on_where_bash_does() {
    let mut run = Harness::new(&sequence(&["set -e", "[ -f nofile ] && echo yes", "touch later"])).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
    assert!(run.work("later").exists());
}

#[tokio::test]
async fn what_timeout_ended_is_called_that() {
    let words = "It ran longer than the 0.1 s that `timeout` gives it, and was ended.";
    assert_eq!(ended("timeout 0.1 sleep 9").await.unwrap_err(), words);
}

#[tokio::test]
async fn a_question_that_nobody_answers_is_no_success() {
    for command in ["bash -c 'read -rp \"Go on? \" a; echo \"[$a]\"'", "read -rp 'Go on? ' a; echo \"[$a]\""]
    {
        let reason = ended(command).await.unwrap_err();
        assert!(reason.contains("waits for a line that somebody types"), "{reason}");
    }
    let asked = ended("printf 'Install it? [y/N] '; head -c 1").await.unwrap_err();
    assert!(asked.starts_with("It asked \"Install it? [y/N]\" and ended without an answer"), "{asked}");
    let asked = ended("python3 -c 'print(input(\"Name: \"))'").await.unwrap_err();
    assert!(asked.starts_with("It asked \"Name:\" and ended without an answer"), "{asked}");
    let passed = ended("printf 'Go on [y/N]? '; echo no").await.unwrap_err();
    assert!(passed.starts_with("It asked \"Go on [y/N]?\" and ended without an answer"), "{passed}");
    assert_eq!(ended("bash -c 'read -rp \"Go on? \" a; echo \"[$a]\"' <<< y").await, Ok(()));
}

#[tokio::test]
async fn a_stated_ok_exit_counts() {
    let plan = r#"{"title": "t", "steps": [{"title": "a", "command": "sh -c 'exit 4' | sh -c 'exit 3'", "okExit": [3]}]}"#;
    let mut run = Harness::new(plan).await;
    run.start(Mode::Planner).await;
    assert_eq!(run.settled().await.state, PlanState::Completed);
}
