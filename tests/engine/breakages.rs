//! Things that really break in a folder of their own, with real programs: Agentic mends them with no model, and what was wanted has
//! come about. Each is shown to break first.

use std::path::Path;
use std::process::{Command, Stdio};

use futures_util::{StreamExt as _, stream};
use planwright_engine::protocol::{Mode, PlanState};
use planwright_tests::{Harness, sequence};

const BREAKAGES: &str = include_str!("breakages.txt");
/// What the field guide has to mend of them, in percent.
const WANTED: usize = 90;

struct Breakage {
    what: String,
    prepare: String,
    command: String,
    holds: String,
}

fn breakages() -> Vec<Breakage> {
    let all = BREAKAGES.split("\n## ").skip(1).map(|text| {
        let lines = |mark: &str| -> Vec<&str> {
            text.lines().filter_map(|line| line.strip_prefix(mark)?.strip_prefix(' ')).collect()
        };
        Breakage {
            what: text.lines().next().unwrap_or_default().to_owned(),
            prepare: lines("<").join("\n"),
            command: lines("$").join("\n"),
            holds: lines("?").join("\n"),
        }
    });
    all.collect()
}

fn bash(script: &str, folder: &Path) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-c", script]).current_dir(folder).env("LC_ALL", "C.UTF-8");
    bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    bash.status().is_ok_and(|status| status.success())
}

/// Why it is not mended, or is no breakage.
async fn mend(one: &Breakage) -> Result<(), String> {
    let alone = tempfile::tempdir().map_err(|error| error.to_string())?;
    let twin = alone.path().join("work");
    std::fs::create_dir(&twin).map_err(|error| error.to_string())?;
    if !one.prepare.is_empty() && !bash(&one.prepare, &twin) {
        return Err("cannot be prepared".to_owned());
    }
    if bash(&one.command, &twin) && bash(&one.holds, &twin) {
        return Err("does not break".to_owned());
    }
    let mut run = Harness::unattended(&sequence(&[&one.command]), "approve = \"dangerous\"\n", None).await;
    bash(&one.prepare, &run.work(""));
    run.start(Mode::Agentic).await;
    let plan = run.settled().await;
    if plan.state != PlanState::Completed {
        return Err(format!("{:?}", plan.state));
    }
    let mended: Vec<&str> = plan.steps.iter().map(|step| step.action.command()).collect();
    if bash(&one.holds, &run.work("")) {
        Ok(())
    } else {
        Err(format!("done, and not what was wanted: {mended:?}"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nine_of_ten_things_that_break_are_mended_with_no_model() {
    let all = breakages();
    let each = stream::iter(&all).map(|one| async move { (one, mend(one).await) });
    let outcomes: Vec<_> = each.buffered(3).collect().await;
    let failed: Vec<String> = outcomes
        .iter()
        .filter_map(|(one, outcome)| {
            Some(format!("{}: {}\n    {}", one.what, one.command, outcome.as_ref().err()?))
        })
        .collect();
    let mended = all.len() - failed.len();
    eprintln!("{mended} of {} things that really broke were mended with no model", all.len());
    assert!(all.len() >= 120, "{}", all.len());
    assert!(mended * 100 >= all.len() * WANTED, "not mended:\n{}", failed.join("\n"));
}
