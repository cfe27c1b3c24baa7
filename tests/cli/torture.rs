//! The headless program is killed, and its disk filled up, at random moments; `npm run torture` does it a thousand times.

use std::process::Command;

fn torture(args: &[&str]) {
    // Built here rather than by many at once.
    planwright_tests::cli();
    let output = Command::new(env!("CARGO_BIN_EXE_torture")).args(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // With its figures, or why it was skipped, for whoever looks.
    println!("{said}");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn killed_at_random_moments_nothing_shown_is_lost_and_nothing_runs_twice() {
    torture(&["--kills", "60"]);
}

#[test]
fn goals_killed_at_random_moments_go_on_and_no_action_runs_twice() {
    torture(&["--goals", "30"]);
}

#[test]
fn goals_that_wait_for_somebody_are_found_as_they_were_left() {
    torture(&["--attended", "30"]);
}

#[test]
fn a_disk_that_fills_up_at_random_moments_loses_nothing() {
    torture(&["--fills", "20"]);
}
