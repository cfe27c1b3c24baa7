//! Stopping at any moment: nothing of the turn goes on, no call dangles, and the next message is accepted (C4).

use std::time::{Duration, Instant};

use planwright_engine::protocol::{CallOutcome, ChatEntry, Command, TurnEnd};
use planwright_tests::chat_server::Say;
use serde_json::json;

use super::Talk;

/// A small generator of our own, so that a failure can be told by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Five hundred turns, each stopped at a moment of its own: while the model speaks, while tools run, between them.
#[tokio::test]
async fn after_a_stop_at_any_moment_the_next_message_is_accepted() {
    let mut talk = Talk::new(|number, _| match number % 3 {
        0 => Say::text("I will look at several things now, one after the other.")
            .and_call("shell", json!({ "command": "sleep 0.01; echo one" }))
            .and_call("list_dir", json!({ "path": "." }))
            .slowly(Duration::from_micros(400)),
        1 => Say::call("shell", json!({ "command": "echo two" }))
            .and_call("read_file", json!({ "path": "missing" }))
            .and_call("shell", json!({ "command": "sleep 0.02" })),
        _ => Say::text("Done with all of it, as you asked."),
    })
    .await;
    let mut dice = Dice(0x5eed);
    let mut waits = Vec::new();
    let mut interrupted = 0;
    for nth in 0..500 {
        talk.say(&format!("again, {nth}")).await;
        tokio::time::sleep(Duration::from_micros(dice.roll(60_000))).await;
        let asked = Instant::now();
        // Refused when the turn has ended by itself in this moment.
        let stopped = talk.engine.submit(talk.session, Command::Interrupt).await.is_ok();
        let end = talk.end().await;
        if stopped && end == TurnEnd::Interrupted {
            interrupted += 1;
            waits.push(asked.elapsed());
        }
        let state = talk.state().await;
        assert_eq!(state.conversation.turn, None, "turn {nth}");
        assert_eq!(state.approvals, []);
        let open = state.conversation.entries.iter().filter(|entry| match entry {
            ChatEntry::Call { state, .. } => {
                !matches!(state, planwright_engine::protocol::CallState::Ended { .. })
            }
            _ => false,
        });
        assert_eq!(open.count(), 0, "turn {nth}");
    }
    assert_eq!(talk.server.refused(), Vec::<String>::new());
    assert!(interrupted > 200, "only {interrupted} turns were stopped in time");
    waits.sort();
    println!(
        "stopped {interrupted} of 500: median {:?}, p99 {:?}",
        waits[waits.len() / 2],
        waits[waits.len() * 99 / 100]
    );
}

#[tokio::test]
async fn a_stopped_call_and_those_behind_it_are_told_apart() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("shell", json!({ "command": "sleep 60" }))
            .and_call("shell", json!({ "command": "touch no" })),
        _ => Say::text("I stopped."),
    })
    .await;
    talk.say("wait a minute").await;
    talk.wait(|event| matches!(event, planwright_engine::protocol::Event::CallStarted { .. }).then_some(()))
        .await;
    talk.submit(Command::Interrupt).await;
    assert_eq!(talk.end().await, TurnEnd::Interrupted);
    let results = talk.results();
    assert_eq!(
        results.iter().map(|result| result.outcome).collect::<Vec<_>>(),
        [CallOutcome::Interrupted; 2]
    );
    assert!(results[0].content.starts_with("[Request interrupted by user]\n"), "{}", results[0].content);
    assert!(
        results[1].content.starts_with("[Request interrupted by user for tool use]"),
        "{}",
        results[1].content
    );
    assert!(!talk.folder().join("no").exists());
    assert_eq!(talk.turn("never mind").await, TurnEnd::Done);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

/// Words while it works stop it, and it goes on with them.
#[tokio::test]
async fn words_meanwhile_are_heard_at_once() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("shell", json!({ "command": "sleep 60" })),
        _ => Say::text("Then I do that."),
    })
    .await;
    talk.say("sleep").await;
    talk.wait(|event| matches!(event, planwright_engine::protocol::Event::CallStarted { .. }).then_some(()))
        .await;
    talk.say("no, do something else").await;
    assert_eq!(talk.end().await, TurnEnd::Interrupted);
    assert_eq!(talk.end().await, TurnEnd::Done);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
    let last = talk.server.bodies().pop().unwrap();
    assert_eq!(last["messages"].as_array().unwrap().last().unwrap()["content"], "no, do something else");
}

/// A program that ended amid a turn: the next start says what was interrupted, and the conversation goes on.
#[tokio::test]
async fn a_turn_that_the_program_did_not_survive_is_interrupted() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("shell", json!({ "command": "sleep 60" }))
            .and_call("shell", json!({ "command": "true" })),
        _ => Say::text("Here I am again."),
    })
    .await;
    talk.say("sleep").await;
    talk.wait(|event| matches!(event, planwright_engine::protocol::Event::CallStarted { .. }).then_some(()))
        .await;
    let mut talk = talk.restart().await;
    let state = talk.state().await;
    assert_eq!(state.conversation.turn, None);
    assert!(matches!(
        state.conversation.entries.last(),
        Some(ChatEntry::Ended { end: TurnEnd::Interrupted, .. })
    ));
    assert_eq!(talk.turn("go on").await, TurnEnd::Done);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}
