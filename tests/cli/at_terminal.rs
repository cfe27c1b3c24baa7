//! Somebody at the terminal of a run: they are asked, and a program that wants a keyboard is given theirs.

use std::process::{Command, Stdio};

use crate::{Desk, Ended, ended};

/// Runs the call at a terminal of its own, and types each answer once its question stands there.
const TYPIST: &str = r#"
import json, os, pty, select, sys
answers = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen, at = b"", 0
while True:
    if not select.select([terminal], [], [], 60)[0]:
        os.kill(pid, 9)
        break
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    seen += more
    while answers and (found := seen.find(answers[0][0].encode(), at)) >= 0:
        at = found + len(answers[0][0].encode())
        os.write(terminal, answers.pop(0)[1].encode())
sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

fn typed(desk: &Desk, page: &str, more: &[&str], answers: &[(&str, &str)]) -> Ended {
    let page = desk.write("page.md", page);
    let mut command = Command::new("python3");
    command.args(["-c", TYPIST, &serde_json::to_string(answers).unwrap()]);
    command.arg(planwright_tests::cli()).args(["run", page.to_str().unwrap()]).args(more);
    command.env("PLANWRIGHT_HOME", desk.data()).env("TERM", "xterm");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    desk.settle(&mut command);
    ended(command.spawn().unwrap())
}

#[test]
fn a_program_that_asks_is_answered_there() {
    let desk = Desk::new();
    let page = "# Ask\n\n```sh\nread -rp 'Go on? ' a; echo \"<$a>\" > said\n```\n";
    let run = typed(&desk, page, &[], &[("at its keyboard?", "y\n"), ("Go on? ", "sure\r")]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert!(run.stdout.contains("by you"), "{}", run.all());
    assert_eq!(std::fs::read_to_string(desk.work().join("said")).unwrap(), "<sure>\n");
    // Whoever does not want it says so, and is not taken for nobody.
    let page = "# Ask\n\n```sh\nread -rp 'Go on? ' a\n```\n";
    let run = typed(&desk, page, &[], &[("at its keyboard?", "n\n")]);
    assert_eq!(run.code, Some(3), "{}", run.all());
    assert!(!run.all().contains("nobody is here"), "{}", run.all());
}

#[test]
fn a_dangerous_step_is_asked_about_and_not_refused() {
    let desk = Desk::new();
    let page = "# Take it away\n\n```sh\nrm -rf build\n```\n";
    std::fs::create_dir(desk.work().join("build")).unwrap();
    let run = typed(&desk, page, &["--mode", "teacher"], &[("Run it?", "y\n"), ("Allow it once?", "y\n")]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    assert!(!desk.work().join("build").exists());
}
