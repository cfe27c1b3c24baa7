//! What becomes of output: bounded, whole on disk, told apart or in order, without secrets.

use super::super::file::TAIL_BYTES;
use super::*;

const CAP: u64 = 64 << 20;

/// Runs with a file for the output; returns what is in it.
async fn run_to_file(command: &str, cap: u64, one_pipe: bool) -> (RunOutcome, Vec<OutputChunk>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let mut request = request(command, &here());
    request.output_file = Some(folder.path().join("output"));
    request.output_cap = cap;
    request.one_pipe = one_pipe;
    let (outcome, chunks) = run_watched(request, watch::channel(false).1).await;
    (outcome, chunks, std::fs::read(folder.path().join("output")).unwrap())
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let outcome = run(r"printf 'a\xff\xc3'; sleep 0.1; printf '\xa9z\n'; printf '\xe2\x82'").await;
    assert_eq!(outcome.stdout, "a\u{fffd}\u{e9}z\n\u{fffd}");
}

// What the behaviour tests have too: theirs and this crate's own cannot use each other's.
#[path = "../../../../../tests/support/alone.rs"]
#[allow(unreachable_pub)]
mod own_process;
use own_process::alone;

/// Resident memory of this process now, in KiB.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_stays_within_memory_and_goes_to_the_file() {
    if !alone("runner::tests::output::a_flood_stays_within_memory_and_goes_to_the_file") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut flood = request("yes 'a line of the flood' | head -c 300000000; echo end", &here());
    flood.output_file = Some(folder.path().join("output"));
    let before = memory().unwrap();
    let (cancel, cancelled) = watch::channel(false);
    let permit = Permit::for_tests(&flood.action, Place::Shell(&flood.shell), 1);
    let runner = runner();
    let start = Instant::now();
    let running = tokio::spawn(async move { runner.run(permit, flood, nobody(), cancelled).await });
    let mut most = before;
    while !running.is_finished() {
        most = most.max(memory().unwrap());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(cancel);
    let outcome = running.await.unwrap();
    println!("300 MB in {:?}; memory grew by {} KiB", start.elapsed(), most - before);
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    assert!(most - before < 32 * 1024, "grew by {} KiB", most - before);
    assert!(outcome.output.starts_with("a line of the flood\n") && outcome.output.ends_with("end\n"));
    assert!(
        outcome.output.len() < 140_000 && outcome.omitted_lines > 14_000_000,
        "{}",
        outcome.omitted_lines
    );
    let file = std::fs::read(folder.path().join("output")).unwrap();
    let mark = format!("\n[… {} bytes left out …]\n", 300_000_004 - CAP - TAIL_BYTES as u64);
    assert_eq!(file.len() as u64, CAP + mark.len() as u64 + TAIL_BYTES as u64);
    assert!(
        file[CAP as usize..].starts_with(mark.as_bytes()) && file.ends_with(b"flood\nend\n"),
        "the end is kept"
    );
    assert_eq!(outcome.output_bytes, 300_000_004);
}

#[tokio::test]
async fn with_one_pipe_the_order_is_exact() {
    let command = "for i in {1..2000}; do echo out$i; echo err$i >&2; done";
    let (outcome, _, file) = run_to_file(command, CAP, true).await;
    let wanted: String = (1..=2000).map(|number| format!("out{number}\nerr{number}\n")).collect();
    assert!(outcome.output == wanted && file == wanted.as_bytes());
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (wanted.as_str(), ""));
    // `/dev/stderr` can be opened, as with a pipe of its own.
    let (outcome, ..) = run_to_file("echo a > /dev/stderr; echo b > /dev/stdout", CAP, true).await;
    assert_eq!(outcome.output, "a\nb\n");
}

#[tokio::test]
async fn raw_bytes_reach_the_file_as_they_are() {
    let command =
        r#"i=0; while ((i < 256)); do printf "\\x$(printf %x $i)"; ((i++)); done; head -c 300000 /dev/zero"#;
    let (outcome, chunks, file) = run_to_file(command, CAP, false).await;
    let wanted: Vec<u8> = (0..=255).chain(std::iter::repeat_n(0, 300_000)).collect();
    assert!(file == wanted, "{}", file.len());
    assert_eq!(outcome.output_bytes, 300_256);
    let mut at = 0;
    for chunk in &chunks {
        assert_eq!(chunk.from_byte, at, "no gap");
        at += chunk.bytes;
    }
    assert_eq!(at, 300_256);
}

#[tokio::test]
async fn a_line_without_end_is_bounded_and_its_ends_are_exact() {
    let (outcome, _, file) =
        run_to_file("head -c 20000000 /dev/zero | tr '\\0' a; printf Z", 1_000_000, false).await;
    assert_eq!(outcome.output_bytes, 20_000_001);
    let half = 32 * 1024;
    assert_eq!(
        outcome.stdout,
        format!("{}\n[… 0 lines left out …]\n{}Z", "a".repeat(half), "a".repeat(half - 1))
    );
    let mark = format!("\n[… {} bytes left out …]\n", 20_000_001 - 1_000_000 - TAIL_BYTES);
    let wanted = format!("{}{mark}{}Z", "a".repeat(1_000_000), "a".repeat(TAIL_BYTES - 1));
    assert!(file == wanted.as_bytes(), "{}", file.len());
}

#[tokio::test]
async fn a_million_lines_are_all_there() {
    let (outcome, _, file) = run_to_file("seq 1000000", CAP, false).await;
    let wanted: String = (1..=1_000_000).map(|number| format!("{number}\n")).collect();
    assert!(file == wanted.as_bytes());
    assert!(outcome.stdout.starts_with("1\n2\n") && outcome.stdout.ends_with("\n999999\n1000000\n"));
    assert_eq!(outcome.stdout.matches('\n').count() as u32 - 2 + outcome.omitted_lines, 1_000_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_commands_at_once_keep_their_own() {
    let runner = runner();
    let runs = (0..100).map(|number| {
        let runner = runner.clone();
        tokio::spawn(async move {
            let request = request(&format!("seq 2000 | sed s/^/{number}:/"), &here());
            let permit = Permit::for_tests(&request.action, Place::Shell(&request.shell), request.revision);
            runner.run(permit, request, nobody(), watch::channel(false).1).await
        })
    });
    for (number, run) in runs.collect::<Vec<_>>().into_iter().enumerate() {
        let wanted: String = (1..=2000).map(|line| format!("{number}:{line}\n")).collect();
        assert!(run.await.unwrap().stdout == wanted, "{number}");
    }
}

#[tokio::test]
async fn a_progress_bar_is_folded_in_the_result_and_whole_in_the_file() {
    let (outcome, _, file) = run_to_file(r"printf 'get\n10%%\r50%%\r100%%\ndone\n'", CAP, false).await;
    assert_eq!(
        (outcome.stdout.as_str(), outcome.output.as_str()),
        ("get\n100%\ndone\n", "get\n100%\ndone\n")
    );
    assert_eq!(file, b"get\n10%\r50%\r100%\ndone\n");
}

#[tokio::test]
async fn secrets_of_the_environment_and_the_command_reach_nothing() {
    let mut shell = here();
    shell.environment.insert("MY_API_TOKEN".to_owned(), Some("s3cr3t-from-a-step".to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let command = r#"OTHER_PASSWORD=s3cr3t-in-command; echo "<$MY_API_TOKEN>"; printf '<%s' "${OTHER_PASSWORD:0:5}" >&2; sleep 0.1
        printf '%s>\n' "${OTHER_PASSWORD:5}" >&2; printf %s "$MY_API_TOKEN" | base64; printf %s "$MY_API_TOKEN" | od -An -tx1 | tr -d ' \n'"#;
    let mut request = request(command, &shell);
    request.output_file = Some(folder.path().join("output"));
    let (outcome, chunks) = run_watched(request, watch::channel(false).1).await;
    assert_eq!(outcome.stderr, "<[secret hidden]>\n");
    assert_eq!(outcome.stdout, "<[secret hidden]>\n[secret hidden]\n[secret hidden]");
    let live: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    let file = std::fs::read_to_string(folder.path().join("output")).unwrap();
    for text in [live, file, outcome.output.into()] {
        assert!(!text.contains("s3cr3t") && text.matches("[secret hidden]").count() == 4, "{text}");
    }
}

/// Past what the file takes only the end is looked at: what is told is the same, and nothing secret is in it.
#[tokio::test]
async fn a_flood_past_the_files_cap_is_told_as_one_that_was_looked_at_whole() {
    let command =
        "export MY_TOKEN=s3cret-value-1; seq 500000; echo $MY_TOKEN; seq 500001 999999; echo $MY_TOKEN end";
    let (short, _, whole) = run_to_file(command, 64 << 20, true).await;
    let (outcome, chunks, file) = run_to_file(command, 100_000, true).await;
    assert_eq!(outcome.exit_status.code(), Some(0));
    assert_eq!(outcome.stdout, short.stdout);
    assert_eq!(outcome.omitted_lines, short.omitted_lines);
    assert!(file.starts_with(&whole[..100_000]) && file.ends_with(&whole[whole.len() - 60_000..]));
    let file = String::from_utf8(file).unwrap();
    assert!(
        file.len() < 200_000 && !file.contains("s3cret") && file.contains(" bytes left out …]"),
        "{}",
        file.len()
    );
    assert!(chunks.iter().all(|chunk| !chunk.text.contains("s3cret")));
    assert!(chunks.last().unwrap().text.ends_with(" end\n"));
}
