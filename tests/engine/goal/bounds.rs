//! Long work: the prompt and the state keep their size, the goal and the to-dos are said whole to the end.

use planwright_engine::protocol::{GoalBudget, GoalEnd, GoalRequest, MAX_GOAL_ACTIONS};
use planwright_tests::ScriptedMind;

use super::{ended, goal, last_words, pursuing, signal};

/// A to-do moves each time, so that nobody takes it for a circle.
fn nth(number: usize) -> String {
    let moved = if number.is_multiple_of(2) { "in-progress" } else { "pending" };
    let script =
        format!("let text = \"{number} \"; let long = \"\"; for at in 0..900 {{ long += text; }} long");
    signal("executing", &[("first", moved), ("last", "pending")], Some(("eval", &script)))
}

#[tokio::test]
async fn five_hundred_iterations_keep_their_prompts_bounded_and_the_goal_whole() {
    let main = ScriptedMind::new(|number, _| nth(number));
    let request = GoalRequest { max_iterations: 500, ..GoalRequest::new("Count until the pond is full") };
    let mut run = pursuing(&main, request).await;
    let end = tokio::time::timeout(std::time::Duration::from_secs(600), async {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            if goal(&run).await.has_ended() {
                return;
            }
        }
    });
    end.await.unwrap();
    assert_eq!(
        ended(&mut run).await,
        GoalEnd::OutOfBudget { budget: GoalBudget::Iterations { allowed: 500 } }
    );
    let asked = main.asked();
    assert_eq!(asked.len(), 500);
    let length = |at: usize| asked[at].system.len() + last_words(&asked[at]).len();
    let (warm, longest) = (length(150), (150..500).map(length).max().unwrap());
    println!("prompt after 150 iterations: {warm} bytes; longest of 350 more: {longest} bytes");
    assert!(longest * 10 <= warm * 11, "{warm} → {longest}");
    assert!(asked.iter().all(|question| last_words(question).contains("Count until the pond is full")));
    assert!(asked[1..].iter().all(|question| {
        last_words(question).contains("\"id\":\"first\"") && last_words(question).contains("\"id\":\"last\"")
    }));
    let goal = goal(&run).await;
    assert_eq!(goal.actions.len(), MAX_GOAL_ACTIONS);
    assert_eq!(goal.omitted_actions as usize, 500 - MAX_GOAL_ACTIONS);
    let size = serde_json::to_string(&goal).unwrap().len();
    println!("state of the goal: {size} bytes");
    assert!(size < 1_000_000);
}
