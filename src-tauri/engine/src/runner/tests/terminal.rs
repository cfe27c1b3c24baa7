//! Commands at a terminal, with real programs and somebody who types.

use std::fmt::Write as _;
use std::sync::Arc;

use super::*;
use crate::protocol::{SessionId, StepId, TerminalInput, TerminalRun, TerminalScreen, Update};
use crate::runner::Terminals;

/// A command at a terminal, and what a user does there.
struct At {
    terminals: Terminals,
    session: SessionId,
    cancel: watch::Sender<bool>,
    running: tokio::task::JoinHandle<RunOutcome>,
    updates: std::sync::mpsc::Receiver<Update>,
}

fn step() -> StepId {
    StepId::from("s")
}

impl At {
    fn start(command: &str) -> Self {
        Self::start_with(request(command, &here()), runner())
    }

    fn start_with(mut request: RunRequest, runner: LocalRunner) -> Self {
        let (terminals, session) = (Terminals::default(), SessionId::new());
        let (sender, updates) = std::sync::mpsc::channel();
        let sender = std::sync::Mutex::new(sender);
        let run = TerminalRun { step_id: step(), attempt: 0 };
        let terminal = terminals.open(session, run, &runner.redactor, move |update| {
            drop(sender.lock().unwrap().send(update));
        });
        request.terminal = Some(Arc::clone(&terminal));
        request.silence_limit = Duration::MAX;
        request.one_pipe = true;
        let (cancel, cancelled) = watch::channel(false);
        let running = tokio::spawn(async move {
            let permit =
                Permit::for_terminal_tests(&request.action, Place::Shell(&request.shell), request.revision);
            let outcome = runner.run(permit, request, nobody(), cancelled).await;
            terminal.end();
            outcome
        });
        Self { terminals, session, cancel, running, updates }
    }

    fn screen(&self) -> TerminalScreen {
        self.terminals.screen(self.session, &TerminalRun { step_id: step(), attempt: 0 }).unwrap()
    }

    /// The screen as plain text.
    fn text(&self) -> String {
        let shown = self.screen();
        let size = |of: u16| std::num::NonZeroU16::new(of).unwrap();
        let (rows, cols) = (size(shown.rows), size(shown.cols));
        let mut parser = vt100::Parser::new(rows, cols, 0);
        parser.process(shown.text.as_bytes());
        parser.screen().contents()
    }

    async fn sees(&self, text: &str) {
        let start = Instant::now();
        while !self.text().contains(text) {
            assert!(start.elapsed() < Duration::from_secs(30), "{text:?} is not on\n{}", self.text());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn does(&self, input: TerminalInput) {
        let (terminals, session) = (self.terminals.clone(), self.session);
        tokio::task::spawn_blocking(move || terminals.input(session, &step(), &input))
            .await
            .unwrap()
            .unwrap();
    }

    async fn types(&self, text: &str) {
        self.does(TerminalInput::Text { text: text.to_owned() }).await;
    }

    async fn ends(self) -> RunOutcome {
        tokio::time::timeout(Duration::from_secs(60), self.running).await.expect("it ends").unwrap()
    }
}

#[tokio::test]
async fn a_question_is_answered_and_what_is_left_is_carried_on() {
    let at = At::start("read -p 'Your name? ' name; echo \"Hello, $name.\"; cd /; export NAME=$name");
    at.sees("Your name?").await;
    at.types("Ada\r").await;
    let outcome = at.ends().await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    assert_eq!(outcome.output, "Your name? Ada\nHello, Ada.\n");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (outcome.output.as_str(), ""));
    let shell = outcome.shell.unwrap();
    assert_eq!(shell.cwd, "/");
    assert_eq!(shell.environment.get("NAME"), Some(&Some("Ada".to_owned())));
    let other: Vec<&String> =
        shell.environment.keys().filter(|name| *name != "NAME" && *name != "OLDPWD").collect();
    assert!(other.is_empty(), "what only a terminal sets is not carried on: {other:?}");
}

#[tokio::test]
async fn it_is_the_controlling_terminal_and_as_large_as_the_window() {
    let at = At::start(
        "tty; stty size; echo \"$TERM ${PAGER-none}\" >/dev/tty; stty -a | grep -o iutf8; while :; do sleep 0.1; stty size; done",
    );
    at.sees("24 80\n").await;
    at.sees("xterm-256color").await;
    at.does(TerminalInput::Size { rows: 40, cols: 100 }).await;
    at.sees("40 100").await;
    assert_eq!((at.screen().rows, at.screen().cols), (40, 100));
    at.does(TerminalInput::End).await;
    let outcome = at.ends().await;
    assert_eq!(outcome.exit_status, ExitStatus::Signal { signal: 1, name: "SIGHUP".to_owned() });
    assert!(
        outcome.output.starts_with("/dev/pts/") && outcome.output.contains("iutf8"),
        "{}",
        outcome.output
    );
}

#[tokio::test]
async fn keys_that_stop_and_jobs_work_as_in_any_terminal() {
    let at = At::start("bash --norc -i");
    at.sees("bash-").await;
    at.types("PS1='ready> '\r").await;
    at.sees("ready> ").await;
    at.types("sleep 1000\r").await;
    at.sees("sleep 1000").await;
    // The shell has to have given the terminal to it.
    tokio::time::sleep(Duration::from_secs(1)).await;
    at.types("\u{1a}").await;
    at.sees("Stopped").await;
    at.types("jobs; fg\r").await;
    at.sees("fg\r\n".trim()).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    at.types("\u{3}").await;
    at.types("echo \"left $?\"\r").await;
    at.sees("left 130").await;
    at.types("\u{4}").await;
    assert_eq!(at.ends().await.exit_status, ExitStatus::Code { code: 0 });
}

#[tokio::test]
async fn a_pager_draws_on_a_screen_of_its_own_and_leaves_it() {
    let at = At::start("echo before; seq 1000 | less; echo after");
    at.sees("\n23\n").await;
    assert!(at.screen().text.starts_with("\u{1b}[?1049h"), "a page that is loaded again draws there too");
    at.types("Gq").await;
    let outcome = at.ends().await;
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 0 });
    assert_eq!(outcome.output, "[it drew on the whole screen]\nbefore\nafter\n");
}

#[tokio::test]
async fn what_is_typed_unseen_is_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut request = request("read -rsp 'Password: ' word; echo; echo ${#word}", &here());
    request.output_file = Some(folder.path().join("output"));
    let at = At::start_with(request, runner());
    at.sees("Password:").await;
    at.types("hunter22-unseen\r").await;
    let updates = at.updates.try_iter().fold(String::new(), |mut all, update| {
        write!(all, "{update:?}").unwrap();
        all
    });
    let outcome = at.ends().await;
    assert!(outcome.output.ends_with("\n15\n"), "{}", outcome.output);
    let kept = std::fs::read_to_string(folder.path().join("output")).unwrap();
    for text in [
        outcome.output.as_str(),
        &kept,
        &updates,
        &format!("{:?}", TerminalInput::Text { text: "hunter22-unseen".into() }),
    ] {
        assert!(!text.contains("hunter22"), "{text}");
    }
}

#[tokio::test]
async fn secrets_are_hidden_and_sequences_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    let command = "export API_TOKEN=tok-0123456789abcdef; printf '\\033[1;31m%s\\033[0m|\\033[2;4Hmoved' \"$API_TOKEN\"; read -r";
    let mut request = request(command, &here());
    request.output_file = Some(folder.path().join("output"));
    let at = At::start_with(request, runner());
    at.sees("moved").await;
    let shown = at.text();
    assert_eq!(shown, "[secret hidden]|\n   moved");
    at.types("\r").await;
    at.ends().await;
    let kept = std::fs::read_to_string(folder.path().join("output")).unwrap();
    assert_eq!(kept, "\u{1b}[1;31m[secret hidden]\u{1b}[0m|\u{1b}[2;4Hmoved\r\n");
}

#[tokio::test]
async fn a_prompt_that_might_begin_a_secret_is_shown_all_the_same() {
    let at = At::start("export API_TOKEN=tok-0123456789abcdef; printf 'word: tok-'; read -r");
    at.sees("word: tok-").await;
    at.types("\r").await;
    assert_eq!(at.ends().await.exit_status, ExitStatus::Code { code: 0 });
}

#[tokio::test]
async fn a_program_that_ignores_its_end_is_gone_all_the_same() {
    let marker = format!("PLANWRIGHT_TEST_{}", uuid::Uuid::new_v4().simple());
    let command = format!(
        "export {marker}=1; trap '' HUP TERM INT; (trap '' HUP TERM; setsid sleep 1000 &); echo up; while :; do sleep 1; done"
    );
    let at = At::start(&command);
    at.sees("up").await;
    at.does(TerminalInput::End).await;
    let outcome = at.ends().await;
    assert_eq!(outcome.exit_status, ExitStatus::Signal { signal: 9, name: "SIGKILL".to_owned() });
    assert_eq!(alive(&marker), 0);

    let at = At::start(&command);
    at.sees("up").await;
    at.cancel.send(true).unwrap();
    assert_eq!(at.ends().await.exit_status, ExitStatus::Cancelled);
    assert_eq!(alive(&marker), 0);
}

#[tokio::test]
async fn a_shell_is_hung_up_on() {
    let at = At::start("exec bash --norc -i");
    at.sees("bash-").await;
    at.types("PS1='ready> '\r").await;
    at.sees("ready> ").await;
    at.does(TerminalInput::End).await;
    let (terminals, session) = (at.terminals.clone(), at.session);
    let outcome = at.ends().await;
    assert_eq!(outcome.exit_status, ExitStatus::Signal { signal: 1, name: "SIGHUP".to_owned() });
    let late = terminals.input(session, &step(), &TerminalInput::Text { text: "rm -rf x\r".into() });
    assert_eq!(late.unwrap_err().code, crate::protocol::ErrorCode::NotNow);
}

#[tokio::test]
async fn a_flood_is_bounded_and_its_end_is_on_the_screen() {
    let at = At::start("yes 'a line of some length' | head -c 10000000; echo; echo the end; read -r");
    at.sees("the end").await;
    let last = at.screen().upto;
    let numbers: Vec<(u32, u32)> = at
        .updates
        .try_iter()
        .map(|update| match update {
            Update::Terminal { after, upto, .. } => (after, upto),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[0].1 == pair[1].0), "each follows the one before");
    assert_eq!(numbers.last().map(|(_, upto)| *upto), Some(last));
    assert!(at.screen().text.len() < 100_000);
    at.types("\r").await;
    let outcome = at.ends().await;
    assert!(outcome.output.len() < 200_000 && outcome.output.contains("the end"));
    assert!(outcome.omitted_lines > 300_000, "{}", outcome.omitted_lines);
}

#[tokio::test]
async fn a_permit_is_for_a_terminal_or_for_none() {
    let plain = request("touch never", &here());
    let place = Place::Shell(&plain.shell);
    let permit = Permit::for_terminal_tests(&plain.action, place, 1);
    assert!(!permit.covers(&plain.action, place, 1) && permit.covers_in_terminal(&plain.action, place, 1));
    let outcome = runner().run(permit, plain.clone(), nobody(), watch::channel(false).1).await;
    assert!(matches!(outcome.exit_status, ExitStatus::NotStarted { .. }));
    let permit = Permit::for_tests(&plain.action, place, 1);
    assert!(permit.covers(&plain.action, place, 1) && !permit.covers_in_terminal(&plain.action, place, 1));
}
