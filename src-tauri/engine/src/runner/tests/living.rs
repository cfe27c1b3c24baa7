//! Commands one after the other in a shell that lives on.

use super::*;
use crate::runner::LivingShell;

/// A session that types commands.
struct Typist {
    runner: LocalRunner,
    living: LivingShell,
    state: ShellState,
}

impl Typist {
    fn at(folder: &std::path::Path) -> Self {
        Self { runner: runner(), living: LivingShell::default(), state: at(folder) }
    }

    fn here() -> Self {
        Self::at(&std::env::temp_dir())
    }

    /// One that is to succeed: what it left is the state from then on.
    async fn types(&mut self, command: &str) -> String {
        let outcome = self.tries(command).await;
        assert_eq!(
            outcome.exit_status,
            ExitStatus::Code { code: 0 },
            "{command}: {}",
            plain(&outcome.stderr)
        );
        self.state = outcome.shell.clone().expect(command);
        plain(&outcome.stdout)
    }

    /// One whose state is not taken up.
    async fn tries(&self, command: &str) -> RunOutcome {
        self.tries_with(request(command, &self.state)).await
    }

    async fn tries_with(&self, request: RunRequest) -> RunOutcome {
        let request = RunRequest { living: Some(self.living.clone()), ..request };
        watched_by(&self.runner, request, watch::channel(false).1).await.0
    }
}

fn plain(text: &crate::protocol::Text) -> String {
    crate::context::plain_text(text)
}

#[tokio::test]
async fn what_a_terminal_keeps_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut typist = Typist::at(folder.path());
    typist.types("sleep 60 & first=$!").await;
    typist.types("exec 3>kept.txt; set -- a 'b c'; ulimit -n 200; shopt -s nullglob; set -o noclobber").await;
    typist.types("trap 'echo caught' USR1").await;
    assert_eq!(typist.types("echo \"$2 $(ulimit -n) $!\" >&3; kill -USR1 $$").await, "caught\n");
    assert_eq!(typist.types("[ $first = $! ] && kill %1; wait %1; echo $?").await, "143\n");
    let first = std::fs::read_to_string(folder.path().join("kept.txt")).unwrap();
    assert!(first.starts_with("b c 200 "), "{first}");
    let refused = typist.tries("echo again > kept.txt").await;
    assert_eq!(refused.exit_status, ExitStatus::Code { code: 1 });
    assert_eq!(typist.types("exec 3>&-; echo *.none; echo $BASH_SUBSHELL $0").await, "\n0 bash\n");
}

#[tokio::test]
async fn lines_are_counted_within_each_command() {
    let mut typist = Typist::here();
    typist.types("true\ntrue\ntrue").await;
    let outcome = typist.tries("true\nno-such-program-here").await;
    assert_eq!(plain(&outcome.stderr), "bash: line 2: no-such-program-here: command not found\n");
    assert_eq!(outcome.exit_status, ExitStatus::Code { code: 127 });
    assert_eq!(typist.types("echo $LINENO").await, "1\n");
}

#[tokio::test]
async fn a_failed_attempt_leaves_nothing_but_the_jobs_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut typist = Typist::at(folder.path());
    typist.types("x=1; f() { echo f; }; sleep 60 & job=$!").await;
    let failed = typist.tries("mkdir -p in; cd in; x=2; f() { echo g; }; set -u; sleep 61 & false").await;
    assert_eq!(failed.exit_status, ExitStatus::Code { code: 1 });
    assert_eq!(failed.leftovers, 1, "what it had started");
    let jobs: Vec<_> = failed.jobs.into_iter().flatten().filter_map(|job| job.command).collect();
    assert_eq!(jobs, ["sleep 60"]);
    let now = typist.types("echo \"$x ${PWD##*/} $- $no\"; f; kill $job && wait $job; echo $?").await;
    let name = folder.path().file_name().unwrap().to_string_lossy();
    assert_eq!(now, format!("1 {name} hB \nf\n143\n"));
}

#[tokio::test]
async fn a_shell_that_cannot_be_brought_back_is_left() {
    let mut typist = Typist::here();
    typist.types("X=/tmp/mine").await;
    typist.tries("readonly X=/; false").await;
    assert_eq!(typist.types("echo $X").await, "/tmp/mine\n");
    typist.tries("umask 077; false").await;
    assert_ne!(typist.types("umask").await, "0077\n");
    typist.tries("readonly -f f 2>/dev/null; f() { echo bad; }; readonly -f f; false").await;
    let outcome = typist.tries("f").await;
    assert_ne!(plain(&outcome.stdout), "bad\n");
}

/// A command is judged by its own words: nothing of an earlier one may make others of them.
#[tokio::test]
async fn nothing_that_lasts_makes_other_words_of_a_command() {
    let mut typist = Typist::here();
    typist.types("shopt -s expand_aliases; alias true='echo alias'; hash -p /bin/echo ls").await;
    assert_eq!(typist.types("true; ls -d /").await, "/\n");
    assert_eq!(typist.types("shopt -s expand_aliases\ntrue").await, "");
    typist.types("export LD_PRELOAD=/tmp/x.so BASH_ENV=/tmp/x ENV=/tmp/x; PS4='$(echo evil >&2)+ '").await;
    assert_eq!(typist.types("echo \"${LD_PRELOAD-}${BASH_ENV-}${ENV-}$PS4\"").await, "+ \n");
    typist.types("readonly PS4='evil '").await;
    assert_eq!(typist.tries("echo ran").await.exit_status, ExitStatus::Code { code: 97 });
    assert_eq!(typist.types("echo \"$PS4\"").await, "+ \n");
}

#[tokio::test]
async fn the_end_of_the_shell_ends_no_more_than_that() {
    let mut typist = Typist::here();
    typist.types("x=1; export Y=2").await;
    let left = typist.tries("x=3; exit 4").await;
    assert_eq!(left.exit_status, ExitStatus::Code { code: 4 });
    assert_eq!(typist.types("echo $x$Y").await, "12\n");
    assert_eq!(typist.types("set -e; x=5").await, "");
    assert_eq!(typist.tries("false; echo on").await.exit_status, ExitStatus::Code { code: 1 });
    assert_eq!(typist.types("set +e; false; echo $x").await, "5\n");
}

#[tokio::test]
async fn a_text_without_an_end_does_not_wait_for_one() {
    let mut typist = Typist::here();
    typist.types("true").await;
    for (text, said) in [
        ("echo 'a", "unexpected EOF while looking for matching"),
        ("if true; then echo a", "unexpected end of file"),
        ("(echo a", "unexpected end of file"),
        (")", "unexpected token"),
    ] {
        let outcome = typist.tries(text).await;
        assert_eq!(outcome.exit_status, ExitStatus::Code { code: 2 }, "{text}");
        assert!(plain(&outcome.stderr).contains(said), "{text}: {}", plain(&outcome.stderr));
    }
    assert_eq!(typist.types("cat <<END\nhere").await, "here\n");
    assert_eq!(typist.types("echo on \\").await, "on\n");
    assert_eq!(typist.types("cat <<-'E'; echo $((1 << 2))\n\tit\n\tE").await, "it\n4\n");
}

#[tokio::test]
async fn a_command_beside_another_has_a_shell_of_its_own() {
    let mut typist = Typist::here();
    typist.types("x=1").await;
    let (long, short) = tokio::join!(typist.tries("sleep 0.3; echo $x"), typist.tries("echo $x$x"));
    assert_eq!((plain(&long.stdout), plain(&short.stdout)), ("1\n".into(), "11\n".into()));
    typist.types("sleep 60 &").await;
    assert_eq!(typist.types("jobs -r | wc -l").await.trim(), "1");
}

#[tokio::test]
async fn what_is_for_the_end_is_done_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut typist = Typist::at(folder.path());
    typist.types("trap 'echo bye > end.txt' EXIT; sleep 60 & echo $! > pid").await;
    typist.types("[ ! -e end.txt ]").await;
    typist.living.close();
    assert_eq!(std::fs::read_to_string(folder.path().join("end.txt")).unwrap(), "bye\n");
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists());

    let mut typist = Typist::at(folder.path());
    typist.types("trap 'echo last' EXIT").await;
    let last = RunRequest { is_last: true, ..request("echo work", &typist.state) };
    assert_eq!(plain(&typist.tries_with(last).await.stdout), "work\nlast\n");
}

/// A status, the shell's own end, a limit and a cancel end the command and what it has started, and no job of before.
#[tokio::test]
async fn however_a_command_ends_the_jobs_before_it_run_on() {
    let marker = format!("PLANWRIGHT_LIVING_{}", std::process::id());
    let mut typist = Typist::here();
    typist.types(&format!("export {marker}=1; sleep 60 & job=$!")).await;
    let started = "sleep 61 & exit 5";
    assert_eq!(typist.tries(started).await.exit_status, ExitStatus::Code { code: 5 });
    assert_eq!(alive(&marker), 1, "the job");
    let limited = RunRequest {
        wall_limit: Duration::from_millis(200),
        ..request("sleep 62 & sleep 63", &typist.state)
    };
    let limited = typist.tries_with(limited).await;
    assert!(matches!(limited.exit_status, ExitStatus::TimedOut { .. }), "{limited:?}");
    assert_eq!(alive(&marker), 1, "the job");
    let (cancel, cancelled) = watch::channel(false);
    let request = RunRequest { living: Some(typist.living.clone()), ..request("sleep 64", &typist.state) };
    let run = watched_by(&typist.runner, request, cancelled);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.send(true).unwrap();
    };
    let ((outcome, _), ()) = tokio::join!(run, stop);
    assert_eq!(outcome.exit_status, ExitStatus::Cancelled);
    let running: Vec<_> = typist.living.running().into_iter().filter_map(|job| job.command).collect();
    assert_eq!(running, ["sleep 60"]);
    assert_eq!(typist.types(&format!("kill -0 $job; echo ${marker}")).await, "1\n");
    typist.tries("readonly job; false").await;
    assert_eq!(typist.types("kill -0 $job; job=; echo as it was").await, "as it was\n");
    typist.living.end();
    assert_eq!(alive(&marker), 0);
}

#[tokio::test]
async fn what_a_job_writes_stays_its_commands() {
    let folder = tempfile::tempdir().unwrap();
    let mut typist = Typist::at(folder.path());
    let file = folder.path().join("out").join("first");
    let first = RunRequest {
        output_file: Some(file.clone()),
        ..request("echo at once; (sleep 0.3; echo later; touch told; sleep 60) &", &typist.state)
    };
    let outcome = typist.tries_with(first).await;
    assert_eq!(plain(&outcome.stdout), "at once\n");
    typist.state = outcome.shell.unwrap();
    assert_eq!(typist.types("while [ ! -e told ]; do sleep 0.05; done; echo mine").await, "mine\n");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "at once\nlater\n");

    let file = folder.path().join("out").join("second");
    let second = RunRequest {
        output_file: Some(file.clone()),
        ..request("(sleep 0.2; echo between >&2; touch told2; sleep 60) &", &typist.state)
    };
    typist.state = typist.tries_with(second).await.shell.unwrap();
    while !folder.path().join("told2").exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    typist.living.look();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "between\n");
    assert_eq!(typist.types("jobs -r | wc -l").await.trim(), "2");
}

/// Nobody reads what a job writes between commands; it does not stand still for that.
#[tokio::test]
async fn a_job_that_writes_much_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut typist = Typist::at(folder.path());
    typist.types("(yes | head -c 3000000; touch written) &").await;
    let until = Instant::now() + Duration::from_secs(20);
    while !folder.path().join("written").exists() {
        assert!(Instant::now() < until, "it stands still");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(typist.types("wait; echo done").await, "done\n");
}

#[tokio::test]
async fn what_is_left_running_is_told_and_ended_by_word() {
    let mut typist = Typist::here();
    typist.types("(sleep 60; true) & nohup sleep 61 >/dev/null 2>&1 &").await;
    // Until it has become the program.
    typist.types("sleep 0.2").await;
    let mut told: Vec<_> = typist.living.running();
    told.sort_by_key(|job| job.command.clone());
    assert_eq!(told.iter().map(|job| job.command.as_deref()).collect::<Vec<_>>(), [None, Some("sleep 61")]);
    typist.living.end_job(told[0].pid);
    assert_eq!(typist.living.running().len(), 1);
    assert_eq!(typist.types("jobs -r | grep -c sleep").await, "1\n");
}
