//! What was done, in figures, as a call and at a report's end.

use crate::Desk;

#[test]
fn figures_of_what_was_done_are_told_to_people_and_as_json_and_nothing_before_since_counts() {
    let desk = Desk::new();
    desk.page(&["echo one", "false"]);
    assert_eq!(desk.call(&["run", "page.md", "--json"]).code, Some(1));
    desk.page(&["echo two"]);
    assert_eq!(desk.call(&["run", "page.md", "--json"]).code, Some(0));
    let figures = desk.call(&["metrics", "--json"]);
    assert_eq!(figures.code, Some(0), "{}", figures.all());
    let [figures] = figures.json().try_into().unwrap();
    assert_eq!(figures["sessions"], 2);
    assert_eq!(figures["plans"], serde_json::json!({"completed": 1, "failed": 1, "cancelled": 0, "open": 0}));
    assert_eq!(figures["days"].as_array().unwrap().len(), 1);
    let words = desk.call(&["metrics"]).stdout;
    assert!(words.contains("Plans         50 % completed (1 completed, 1 failed"), "{words}");
    let later = desk.call(&["metrics", "--json", "--since", "2126-01-01"]).json();
    assert_eq!(later[0]["sessions"], 0);
    let wrong = desk.call(&["metrics", "--since", "soon"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("30d"), "{}", wrong.all());
    let report = desk.call(&["report", "last"]).stdout;
    assert!(report.contains("\nIn figures: worked "), "{report}");
}

#[test]
fn rules_of_the_guide_are_listed_with_what_came_of_them_and_that_can_be_forgotten() {
    let desk = Desk::new();
    desk.page(&["touch made/here"]);
    assert_eq!(desk.call(&["run", "page.md", "--mode", "agentic"]).code, Some(0));
    let all = desk.call(&["rules"]).stdout;
    assert!(all.lines().count() > 250 && all.contains("programs-own-advice: "), "{all}");
    assert_eq!(
        desk.call(&["rules", "REPOSITORY"]).stdout.lines().count(),
        desk.call(&["rules", "repository"]).stdout.lines().count()
    );
    let used = desk.call(&["rules", "--used"]).stdout;
    assert!(used.lines().count() == 1 && used.ends_with("[helped 1 of 1]\n"), "{used}");
    let [rule] = desk.call(&["rules", "--used", "--json"]).json().try_into().unwrap();
    assert_eq!(rule["helped"], 1);
    let id = rule["id"].as_str().unwrap();
    assert_eq!(desk.call(&["rules", "--forget", id]).code, Some(0));
    assert_eq!(desk.call(&["rules", "--used"]).stdout, "");
    assert_eq!(desk.call(&["rules", "--forget", id]).code, Some(2));
    assert_eq!(desk.call(&["rules", "--forget-all"]).code, Some(0));
}
