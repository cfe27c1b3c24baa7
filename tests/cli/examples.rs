//! The bundled pages, run for real.

use serde_json::Value;

use crate::{Desk, commands_started, example, of_type};

const PAGES: [&str; 4] = ["photo-notes.md", "first-repository.md", "recipe-site.md", "spring-cleaning.md"];

#[test]
fn agentic_mends_each_page() {
    for page in PAGES {
        let desk = Desk::new();
        let policy = example("policy.toml");
        let run = desk.call(&["run", &example(page), "--mode", "agentic", "--json", "--policy", &policy]);
        assert_eq!(run.code, Some(0), "{page}: {}", run.all());
        let lines = run.json();
        assert!(!of_type(&lines, "correction-success").is_empty(), "{page}");
        assert_eq!(lines[0]["type"], "session", "{page}");
        assert_eq!(lines.last().unwrap()["type"], "plan-completed", "{page}");
        let numbers: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
        assert!(
            numbers.iter().copied().eq(1..=numbers.len() as u64),
            "{page}: gaps or repeats in {numbers:?}"
        );
    }
}

#[test]
fn planner_stops_at_the_first_failure() {
    for page in PAGES {
        let desk = Desk::new();
        let policy = example("policy.toml");
        let run = desk.call(&["run", &example(page), "--mode", "planner", "--json", "--policy", &policy]);
        assert_eq!(run.code, Some(1), "{page}: {}", run.all());
        let lines = run.json();
        assert_eq!(of_type(&lines, "step-failed").len(), 1, "{page}");
        assert!(of_type(&lines, "correction-attempt").is_empty(), "{page}");
        assert_eq!(lines.last().unwrap()["type"], "plan-failed", "{page}");
    }
}

#[test]
fn without_a_policy_nothing_dangerous_runs() {
    let desk = Desk::new();
    let run = desk.call(&["run", &example("spring-cleaning.md"), "--mode", "agentic", "--json"]);
    assert_eq!(run.code, Some(3), "{}", run.all());
    let lines = run.json();
    let asked = of_type(&lines, "approval-needed");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["approval"]["action"]["command"], "git branch -D loud-draft");
    assert_eq!(of_type(&lines, "approval-resolved")[0]["allowedBy"], Value::Null);
    assert!(!commands_started(&lines).contains(&"git branch -D loud-draft"));
    assert!(desk.work().join(".git/refs/heads/loud-draft").exists(), "the branch is still there");
    assert!(desk.work().join("old-build/hello.txt").exists(), "and so is the folder");

    let again = desk.call(&["resume", "last", "--json", "--policy", &example("policy.toml")]);
    assert_eq!(again.code, Some(0), "a resume with the policy ends it: {}", again.all());
    assert!(
        !desk.work().join(".git/refs/heads/loud-draft").exists() && !desk.work().join("old-build").exists()
    );
}

#[test]
fn a_person_reads_what_is_asked_about_before_the_question() {
    let desk = Desk::new();
    let run = desk.call(&["run", &example("spring-cleaning.md"), "--mode", "agentic"]);
    let at = |text: &str| run.stdout.find(text).unwrap_or_else(|| panic!("no {text:?} in {}", run.all()));
    let title = at("Delete the branch loud-draft  attempt 2\n     $ git branch -D loud-draft\n");
    assert!(title < at("     asks (dangerous)  "));
    assert!(at("     asks (dangerous)  ") < at("     not allowed\n"));
    assert!(run.stderr.contains("--policy FILE"), "{}", run.stderr);
    assert!(!run.stdout.contains('\u{1b}'), "no colours but on a terminal");
}

#[test]
fn the_plans_of_the_pages_read_well() {
    for page in PAGES {
        let desk = Desk::new();
        let card = desk.call(&["import", &example(page)]);
        assert_eq!(card.code, Some(0), "{}", card.all());
        assert!(!card.stdout.contains("] Run git") && !card.stdout.contains("] Run ls"), "{}", card.stdout);
    }
}
