//! A page of instructions runs as it would in a terminal: folder, variables and environment go from step to step, also
//! past a step that had to be tried again.

use std::fs;

use crate::{Desk, commands_started, of_type};

#[test]
fn folder_variables_and_a_python_environment_carry_past_a_retry() {
    let desk = Desk::new();
    let failing = "echo \"$GREETING\" > out/greeting.txt";
    let show = "import os, sys\nprint(os.environ['GREETING'], sys.prefix != sys.base_prefix, os.getcwd())\n";
    desk.write("show.py", show);
    desk.page(&[
        "mkdir -p app",
        "cd app",
        "export GREETING='hello there'",
        "python3 -m venv --without-pip .venv",
        ". .venv/bin/activate",
        failing,
        "python ../show.py > seen",
        "unset GREETING",
        "echo \"[$GREETING] $(basename \"$VIRTUAL_ENV\")\" > after",
    ]);
    let run = desk.call(&["run", "page.md", "--mode", "agentic", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let lines = run.json();
    assert_eq!(
        commands_started(&lines).into_iter().filter(|one| *one == failing).count(),
        2,
        "it was tried again"
    );
    assert_eq!(of_type(&lines, "correction-success").len(), 1);
    let app = desk.work().canonicalize().unwrap().join("app");
    assert_eq!(fs::read_to_string(app.join("out/greeting.txt")).unwrap(), "hello there\n");
    let seen = fs::read_to_string(app.join("seen")).unwrap();
    assert_eq!(seen, format!("hello there True {}\n", app.display()));
    assert_eq!(fs::read_to_string(app.join("after")).unwrap(), "[] .venv\n");
}

#[test]
fn a_retry_starts_from_the_state_before_the_step() {
    let desk = Desk::new();
    // Were the first attempt's folder kept, the second would look for sub/sub.
    desk.page(&["mkdir sub", "{ cd sub && echo x > made/file; }", "pwd > where"]);
    let run = desk.call(&["run", "page.md", "--mode", "agentic", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let sub = desk.work().canonicalize().unwrap().join("sub");
    assert_eq!(fs::read_to_string(sub.join("where")).unwrap(), format!("{}\n", sub.display()));
    assert_eq!(of_type(&run.json(), "correction-success").len(), 1);
}

/// What a shell keeps only as long as it lives goes with what needs it; what can be written down goes on.
#[test]
fn jobs_traps_descriptors_and_options_hold_as_in_a_terminal() {
    let desk = Desk::new();
    desk.page(&[
        "(sleep 0.2; echo saved > out) & wait",
        "trap 'cp copy last' EXIT\necho kept > copy",
        "sleep 60 & echo $! > pid; sleep 0.1\nkill %1; wait $!; echo ended $? > job",
        "exec 3>log; echo first >&3\necho second >&3",
        "set -o noclobber; set -- one 'two words'\nshopt -s nullglob",
        "echo x > fresh; echo y > fresh || echo \"kept $#: $2\" >| note; echo *.none >> note",
    ]);
    let run = desk.call(&["run", "page.md", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let text = |name: &str| fs::read_to_string(desk.work().join(name)).unwrap();
    assert_eq!((text("out").as_str(), text("last").as_str()), ("saved\n", "kept\n"));
    assert_eq!(text("job"), "ended 143\n");
    assert_eq!(text("log"), "first\nsecond\n");
    assert_eq!((text("fresh").as_str(), text("note").as_str()), ("x\n", "kept 2: two words\n\n"));
}

/// What an alias stands for is put there before it is judged, where a terminal would.
#[test]
fn an_alias_is_judged_and_run_as_what_it_stands_for() {
    let desk = Desk::new();
    desk.page(&[
        "alias say='echo said' twice='echo ' word='one' list='ls -1' ls='ls -a'",
        "say it > out; (say 'in' >> out) && X=1 say more >> out",
        "twice word word >> out",
        "list >> out; \\say 2>> out || 'say' 2>> out || echo plain >> out",
        "for i in 1; do say $i >> out; done; echo say >> out",
    ]);
    let run = desk.call(&["run", "page.md", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let out = fs::read_to_string(desk.work().join("out")).unwrap();
    let missing = "bash: line 1: say: command not found\n";
    let said = format!(
        "said it\nsaid in\nsaid more\none word\n.\n..\n.planwright\nout\npage.md\n{missing}{missing}plain\nsaid 1\nsay\n"
    );
    assert_eq!(out.replace(".planwright\n", ""), said.replace(".planwright\n", ""), "{}", run.all());

    let desk = Desk::new();
    desk.page(&["alias tidy='rm -rf'", "mkdir -p keep", "tidy ~/keep"]);
    let run = desk.call(&["run", "page.md", "--json"]);
    let lines = run.json();
    let asked = of_type(&lines, "approval-needed");
    let about: Vec<_> = asked.iter().map(|one| one["approval"]["action"]["command"].clone()).collect();
    assert_eq!(about.last().unwrap(), "rm -rf ~/keep", "{}", run.all());
}

/// What a command leaves running goes on until the run's end, and is told.
#[test]
fn jobs_go_from_step_to_step() {
    let desk = Desk::new();
    desk.page(&[
        "nohup sh -c 'echo $$ > pid; exec sleep 60' > /dev/null 2>&1 &",
        "until [ -s pid ]; do sleep 0.05; done",
        "kill -0 \"$(cat pid)\"",
        "echo failed >> tries; [ \"$(wc -l < tries)\" = 1 ] && mkdir -p a && cat missing/file",
        "kill -0 \"$(cat pid)\" && cp pid still",
    ]);
    let run = desk.call(&["run", "page.md", "--on-failure", "continue", "--json"]);
    let lines = run.json();
    let jobs = of_type(&lines, "jobs-changed");
    let [.., told, at_end] = jobs.as_slice() else { panic!("{}", run.all()) };
    assert_eq!(told["jobs"][0]["command"], "sleep 60", "{}", run.all());
    assert_eq!(at_end["jobs"].as_array().unwrap().len(), 0);
    let pid = fs::read_to_string(desk.work().join("still")).unwrap();
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "it outlived the run");
}

/// A trap was judged where it was set; what a later step makes of it is asked about there, and nothing else is.
#[test]
fn what_a_later_step_makes_of_a_trap_is_asked_about() {
    let desk = Desk::new();
    let outside = tempfile::tempdir().unwrap();
    let moved = format!("junk={}", outside.path().display());
    let trap = "trap 'rm -rf \"$junk\"' EXIT";
    let commands = ["junk=made; mkdir -p made", trap, "other=1", &moved, "true"];
    let steps: Vec<_> = commands.iter().map(|command| serde_json::json!({ "command": command })).collect();
    desk.write("plan.json", serde_json::json!({ "steps": steps }).to_string());
    let policy = desk.data().with_file_name("policy.toml");
    fs::write(&policy, "approve = \"dangerous\"\n").unwrap();
    let run = desk.call(&["run", "plan.json", "--json", "--policy", policy.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.all());
    let lines = run.json();
    let asked = of_type(&lines, "approval-needed");
    let about: Vec<_> = asked.iter().map(|one| &one["approval"]["action"]["command"]).collect();
    assert_eq!(about, [trap, &moved], "{}", run.all());
    let reasons = asked[1]["approval"]["assessment"]["reasons"].to_string();
    assert!(reasons.contains("a trap that was set before deletes"), "{reasons}");
    assert!(!outside.path().exists(), "the trap is done at the end, as it was allowed");
}
