//! Steps that are done by hand, from the call: where the run stops, how it goes on, and how such a plan is written down.

use std::fs;

use crate::Desk;

const PAGE: &str =
    "# Groups\n\n```sh\necho a >> log\n```\n\nReboot your computer.\n\n```sh\necho b >> log\n```\n";

#[test]
fn a_run_says_what_is_to_be_done_and_goes_on_when_it_is() {
    let desk = Desk::new();
    let page = desk.write("page.md", PAGE);
    let done = desk.call(&["run", page.to_str().unwrap()]);
    assert_eq!(done.code, Some(3), "{}", done.all());
    assert!(done.stdout.contains("Reboot your computer."), "{}", done.all());
    assert!(!done.stdout.contains("$ Reboot"), "{}", done.all());
    assert!(done.stderr.contains("When you have done it: planwright-cli resume "), "{}", done.all());
    assert_eq!(fs::read_to_string(desk.work().join("log")).unwrap(), "a\n");
    let done = desk.call(&["resume", "last"]);
    assert_eq!(done.code, Some(0), "{}", done.all());
    assert_eq!(fs::read_to_string(desk.work().join("log")).unwrap(), "a\nb\n");
}

#[test]
fn it_is_left_out_where_that_is_wanted() {
    let desk = Desk::new();
    let page = desk.write("page.md", PAGE);
    let done = desk.call(&["run", page.to_str().unwrap(), "--manual", "skip"]);
    assert_eq!(done.code, Some(0), "{}", done.all());
    assert!(done.stdout.contains("skipped"), "{}", done.all());

    let desk = Desk::new();
    let (page, policy) = (desk.write("page.md", PAGE), desk.write("policy.toml", "manual = \"skip\"\n"));
    let call = ["run", page.to_str().unwrap(), "--policy", policy.to_str().unwrap()];
    assert_eq!(desk.call(&call).code, Some(0));
    // The call goes before the file.
    let done = desk.call(&[&call[..], &["--manual", "stop"]].concat());
    assert_eq!(done.code, Some(3), "{}", done.all());
    let done = desk.call(&["resume", "last", "--manual", "skip"]);
    assert_eq!(done.code, Some(0), "{}", done.all());
    assert!(done.stdout.contains("skipped"), "{}", done.all());
}

#[test]
fn every_export_keeps_it() {
    let desk = Desk::new();
    let page = desk.write("page.md", PAGE);
    assert_eq!(desk.call(&["run", page.to_str().unwrap(), "--manual", "skip"]).code, Some(0));
    for (format, name) in [("json", "again.json"), ("md", "again.md")] {
        let text = desk.call(&["export", "last", "--as", format]).stdout;
        let again = desk.write(name, &text);
        let shown = desk.call(&["import", again.to_str().unwrap(), "--json"]).json().remove(0);
        let plan = if shown["steps"].is_array() { &shown } else { &shown["plan"] };
        let action = &plan["steps"][1]["action"];
        assert_eq!(action["type"], "manual", "{text}");
        assert_eq!(action["instruction"], "Reboot your computer.", "{text}");
    }
    // The script asks at a terminal, and stops where there is none.
    let script = desk.write("again.sh", &desk.call(&["export", "last", "--as", "sh"]).stdout);
    fs::remove_file(desk.work().join("log")).unwrap();
    let ended = std::process::Command::new("setsid")
        .args(["-w", "bash"])
        .arg(&script)
        .current_dir(desk.work())
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("Reboot your computer."));
    assert_eq!(fs::read_to_string(desk.work().join("log")).unwrap(), "a\n");
}

#[test]
fn a_plan_that_hands_the_user_a_check_is_refused_with_what_to_do() {
    let desk = Desk::new();
    let plan = desk.write("plan.json", r#"{"steps": [{"manual": "Log in again.", "verify": "true"}]}"#);
    let done = desk.call(&["import", plan.to_str().unwrap()]);
    assert_eq!(done.code, Some(2), "{}", done.all());
    assert!(done.stderr.contains("Put the check in a step behind it."), "{}", done.all());
}

/// What a program that a step starts writes to `$PLANWRIGHT_OUTPUT` is there for the steps behind it, in the script as well.
#[test]
fn values_are_handed_on_and_the_exported_script_does_the_same() {
    let desk = Desk::new();
    let page = desk.write(
        "page.md",
        "```sh\nsh -c 'echo port=81 >> \"$PLANWRIGHT_OUTPUT\"; echo PATH=/evil >> \"$PLANWRIGHT_OUTPUT\"'\n```\n\n\
         ```sh\necho \"it is $port\" | tee -a got\n```\n",
    );
    let done = desk.call(&["run", page.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{}", done.all());
    assert_eq!(fs::read_to_string(desk.work().join("got")).unwrap(), "it is 81\n");
    let script = desk.write("again.sh", &desk.call(&["export", "last", "--as", "sh"]).stdout);
    let ended = std::process::Command::new("bash").arg(&script).current_dir(desk.work()).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(fs::read_to_string(desk.work().join("got")).unwrap(), "it is 81\nit is 81\n");
}
