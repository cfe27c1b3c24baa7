//! The loop: rounds, results, parallel reads, bounds, continuation.

use planwright_engine::engine::Attendance;
use planwright_engine::model::ProviderKind;
use planwright_engine::protocol::{CallOutcome, ChatEntry, Event, TurnEnd};
use planwright_tests::chat_server::Say;
use serde_json::json;

use super::Talk;

/// Fifty rounds, in turns of twenty-five at most, and the server accepted each conversation that it was sent.
#[tokio::test]
async fn fifty_rounds_end_right_in_both_dialects() {
    for kind in [ProviderKind::Local, ProviderKind::Anthropic] {
        let mut talk = Talk::with(kind, Attendance::User, |number, _| match number {
            50 => Say::text("All fifty are done."),
            _ => Say::text("Next.")
                .and_call("shell", json!({ "command": format!("echo round {number}") }))
                .and_call("list_dir", json!({ "path": "." })),
        })
        .await;
        talk.set(|settings| settings.max_rounds = 60).await;
        assert_eq!(talk.turn("count to fifty").await, TurnEnd::Done);
        assert_eq!(talk.server.refused(), Vec::<String>::new());
        let results = talk.results();
        assert_eq!(results.len(), 100);
        for (nth, pair) in results.chunks(2).enumerate() {
            assert_eq!(pair[0].tool, "shell");
            assert_eq!(pair[0].content, format!("exit status 0\nround {nth}"));
            assert_eq!((pair[1].tool.as_str(), pair[1].outcome), ("list_dir", CallOutcome::Success));
        }
        let last = talk.server.bodies().pop().unwrap();
        let is_result = |message: &&serde_json::Value| match kind {
            ProviderKind::Anthropic => {
                message["role"] == "user" && message["content"][0]["type"] == "tool_result"
            }
            _ => message["role"] == "tool",
        };
        let results = last["messages"].as_array().unwrap().iter().filter(is_result).count();
        assert_eq!(results, if kind == ProviderKind::Anthropic { 50 } else { 100 });
    }
}

#[tokio::test]
async fn a_turn_ends_at_its_bound_and_the_next_goes_on() {
    let mut talk = Talk::new(|_, _| Say::call("shell", json!({ "command": "true" }))).await;
    assert_eq!(talk.turn("never stop").await, TurnEnd::Rounds { allowed: 25 });
    assert_eq!(talk.server.bodies().len(), 25);
    talk.set(|settings| settings.max_rounds = 3).await;
    assert_eq!(talk.turn("go on").await, TurnEnd::Rounds { allowed: 3 });
    assert_eq!(talk.server.bodies().len(), 28);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn with_the_loop_off_it_waits_after_each_round() {
    let mut talk = Talk::new(|_, _| Say::call("shell", json!({ "command": "true" }))).await;
    talk.set(|settings| settings.autonomous_loop = false).await;
    assert_eq!(talk.turn("begin").await, TurnEnd::RoundDone);
    assert_eq!(talk.turn("go on").await, TurnEnd::RoundDone);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

/// What a command leaves in its shell is there for the next one; what a failed one did is not.
#[tokio::test]
async fn the_shell_carries_over() {
    let commands = ["mkdir in && cd in && export COLOUR=red", "cd /; false", "echo $PWD $COLOUR"];
    let mut talk = Talk::new(move |number, _| match commands.get(number) {
        Some(command) => Say::call("shell", json!({ "command": command })),
        None => Say::text("done"),
    })
    .await;
    assert_eq!(talk.turn("go").await, TurnEnd::Done);
    let said = format!("exit status 0\n{}/in red", talk.folder().display());
    assert_eq!(talk.results()[2].content, said);
}

/// Reads of one round go side by side, and their results stand in the order of the calls.
#[tokio::test]
async fn reads_run_side_by_side_and_keep_their_order() {
    let mut talk = Talk::new(|number, _| match number {
        0 => (0..4)
            .fold(Say::default(), |say, nth| say.and_call("read_file", json!({ "path": format!("{nth}") }))),
        _ => Say::text("read"),
    })
    .await;
    for nth in 0..4 {
        std::fs::write(talk.folder().join(nth.to_string()), format!("this is {nth}\n")).unwrap();
    }
    assert_eq!(talk.turn("read them").await, TurnEnd::Done);
    for (nth, told) in talk.told().iter().enumerate() {
        assert!(told.contains(&format!("this is {nth}")), "{told}");
    }
    // All had begun before the first had ended.
    let starts =
        talk.seen.iter().rposition(|record| matches!(record.event, Event::CallStarted { .. })).unwrap();
    let ends =
        talk.seen.iter().position(|record| matches!(record.event, Event::CallFinished { .. })).unwrap();
    assert!(starts < ends);
}

#[tokio::test]
async fn an_announcement_without_a_reason_continues_once() {
    let mut talk = Talk::new(|_, _| Say::text("That is odd. Let me look at the log.").without_reason()).await;
    assert_eq!(talk.turn("why?").await, TurnEnd::Done);
    assert_eq!(talk.server.bodies().len(), 2);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
    let last = talk.server.bodies()[1]["messages"].as_array().unwrap().last().cloned().unwrap();
    assert_eq!(last["content"], "Go on.");
}

/// A model that closes without words leaves an account made from the results.
#[tokio::test]
async fn a_silent_end_gets_an_account() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("shell", json!({ "command": "true" }))
            .and_call("shell", json!({ "command": "ls nowhere" })),
        _ => Say::default(),
    })
    .await;
    assert_eq!(talk.turn("do it").await, TurnEnd::Done);
    let state = talk.state().await;
    let Some(ChatEntry::Ended { synthesis: Some(text), .. }) = state.conversation.entries.last() else {
        panic!("{:?}", state.conversation.entries.last());
    };
    assert!(text.starts_with("2 tool calls: 1 done, 1 failed."), "{text}");
}

/// Older turns give way to a summary before the model's room is full; what is worked on stays.
#[tokio::test]
async fn a_long_conversation_is_condensed() {
    let mut talk = Talk::new(|number, body| {
        let is_summary =
            body["messages"][0]["content"].as_str().unwrap_or_default().starts_with("You condense");
        if is_summary {
            return Say::text("They talked about sheep.");
        }
        Say::text(format!("Answer {number}. {}", "Sheep are woolly. ".repeat(400))).counting(0)
    })
    .await;
    for nth in 0..24 {
        assert_eq!(talk.turn(&format!("question {nth} about sheep")).await, TurnEnd::Done);
    }
    assert_eq!(talk.server.refused(), Vec::<String>::new());
    let condensed = talk.seen.iter().filter(|record| matches!(record.event, Event::ContextSummarized { .. }));
    assert!(condensed.count() >= 1);
    let last = talk.server.bodies().pop().unwrap();
    let text = last["messages"].to_string();
    assert!(text.contains("They talked about sheep.") && text.contains("question 23 about sheep"), "{text}");
    assert!(!text.contains("question 0 about sheep"), "{text}");
    assert!(text.len() < 32_000 * 4, "{}", text.len());
}

/// Bash tells only how the last part of a pipeline ended, and a search that finds nothing has not failed.
#[tokio::test]
async fn a_model_is_told_which_part_failed_and_what_an_answer_says() {
    let commands = ["sh -c 'exit 7' | cat", "echo a | grep b"];
    let mut talk = Talk::new(move |number, _| match commands.get(number) {
        Some(command) => Say::call("shell", json!({ "command": command })),
        None => Say::text("done"),
    })
    .await;
    talk.turn("go").await;
    let results = talk.results();
    assert_eq!(results[0].outcome, CallOutcome::Error);
    assert!(results[0].content.starts_with("exit status 0, but it failed: `sh -c 'exit 7'`, part 1 of 2"));
    assert_eq!(results[1].outcome, CallOutcome::Success);
    assert_eq!(results[1].content, "exit status 1: nothing was found");
}
