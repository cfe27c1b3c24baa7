//! What can go wrong with an answer or a call: told apart, said plainly, nothing lost, and the conversation goes on.

use planwright_engine::protocol::{
    CallOutcome, ChatEntry, Command, Correction, CorrectionOf, Event, Route, TurnEnd,
};
use planwright_tests::chat_server::Say;
use serde_json::json;

use super::Talk;

#[tokio::test]
async fn calls_that_cannot_be_read_are_told_to_the_model() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::default()
            .and_raw_call("shell", "{\"command\": \"ls")
            .and_call("teleport", json!({ "to": "home" }))
            .and_call("shell", json!({ "command": 7 }))
            .and_call("shell", json!({}))
            .and_call("shell", json!({ "command": "true", "sudo": true })),
        _ => Say::text("I see."),
    })
    .await;
    assert_eq!(talk.turn("go").await, TurnEnd::Done);
    let results = talk.results();
    assert_eq!(results.iter().map(|result| result.outcome).collect::<Vec<_>>(), [CallOutcome::Error; 5]);
    assert!(
        results[1].content.contains("teleport") && results[1].content.contains("read_file"),
        "{results:?}"
    );
    assert!(!talk.seen.iter().any(|record| matches!(record.event, Event::CallStarted { .. })));
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn the_length_limit_is_said_and_half_a_call_never_runs() {
    let mut talk = Talk::new(|number, _| match number {
        0 => {
            Say::text("I will now").and_call("shell", json!({ "command": "touch no" })).stopping_for("length")
        }
        _ => Say::text("ok"),
    })
    .await;
    assert_eq!(talk.turn("write a book").await, TurnEnd::MaxTokens);
    assert!(!talk.folder().join("no").exists());
    assert_eq!(talk.turn("shorter").await, TurnEnd::Done);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_refuses_ends_the_turn_with_its_words() {
    for (status, code) in
        [(401, "rejected-key"), (404, "unknown-model"), (400, "bad-request"), (529, "overloaded")]
    {
        let mut talk = Talk::new(move |number, _| match number {
            0 | 1 => Say::refusal(status, "this is why"),
            _ => Say::text("Better."),
        })
        .await;
        let TurnEnd::Failed { code: found, message } = talk.turn("hello").await else { panic!("{status}") };
        assert_eq!(found, code);
        assert!(message.contains("this is why"), "{message}");
        talk.server.bodies().len();
        // The words are still there, and the next message goes on.
        let _ = talk.turn("hello?").await;
        assert_eq!(talk.turn("hello again").await, TurnEnd::Done, "{status}");
        let last = talk.server.bodies().pop().unwrap()["messages"].to_string();
        assert!(last.contains("hello") && last.contains("hello again"), "{last}");
    }
}

/// A conversation that the provider says is too long is condensed and sent again.
#[tokio::test]
async fn an_overflow_condenses_and_asks_again() {
    let mut talk = Talk::new(|number, body| {
        let text = body["messages"].to_string();
        if text.contains("You condense") {
            return Say::text("A summary.");
        }
        match number {
            0..=3 => Say::text("A long answer. ".repeat(50)),
            _ if !text.contains("A summary.") => {
                Say::refusal(400, "This model's maximum context length is 10 tokens: context_length_exceeded")
            }
            _ => Say::text("Now it fits."),
        }
    })
    .await;
    for nth in 0..4 {
        assert_eq!(talk.turn(&format!("part {nth}")).await, TurnEnd::Done);
    }
    assert_eq!(talk.turn("and now?").await, TurnEnd::Done);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
    let state = talk.state().await;
    assert!(state.conversation.entries.iter().any(|entry| matches!(entry, ChatEntry::Summarized { .. })));
}

/// A failed tool with a known way round sends the model back with it, three times for one request at most (A6).
#[tokio::test]
async fn a_failure_with_a_known_way_round_is_sent_back_three_times() {
    let mut talk = Talk::new(|number, _| match number {
        0..5 => Say::call("edit_file", json!({ "path": "a", "old": "absent", "new": "x" })),
        _ => Say::text("I give up."),
    })
    .await;
    std::fs::write(talk.folder().join("a"), "present\n").unwrap();
    assert_eq!(talk.turn("change it").await, TurnEnd::Done);
    // The model is told; the record keeps the error as it was.
    let last = talk.server.bodies().pop().unwrap()["messages"].as_array().unwrap().clone();
    let of = |role: &str| -> Vec<String> {
        let told = last.iter().filter(|message| message["role"] == role);
        told.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    };
    let sent_back: Vec<bool> =
        of("tool").iter().map(|told| told.starts_with("SELF_CORRECT_ATTEMPT: edit_file failed: ")).collect();
    assert_eq!(sent_back, [true, true, true, false, false]);
    assert!(of("tool")[1].contains("use read_file or multi_file_edit instead"), "{}", of("tool")[1]);
    let engaged = of("user").iter().filter(|told| told.contains("Make the new calls now.")).count();
    assert_eq!(engaged, 3);
    assert!(
        talk.results().iter().all(|result| result.content.starts_with("Edit 1: `old` does not occur in "))
    );
    let attempts: Vec<u32> = talk
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::CorrectionAttempt { number, correction: Correction::Call(_), .. } => Some(*number),
            _ => None,
        })
        .collect();
    assert_eq!(attempts, [1, 2, 3]);
    let failed: Vec<String> = talk
        .seen
        .iter()
        .filter_map(|record| match &record.event {
            Event::CorrectionFailed { reason, of: CorrectionOf::Call, .. } => Some(reason.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(failed.len(), 3);
    assert_eq!(failed[2], "All 3 ways round for this request are used up.");
    // The same words again are the same request, and get no fresh three; other words do.
    let attempts = |talk: &Talk| {
        talk.seen
            .iter()
            .filter(|record| {
                matches!(record.event, Event::CorrectionAttempt { correction: Correction::Call(_), .. })
            })
            .count()
    };
    let calls = |number: usize| if number.is_multiple_of(2) { "absent" } else { "" };
    let mut talk = Talk::new(move |number, _| match calls(number) {
        "" => Say::text("Hm."),
        old => Say::call("edit_file", json!({ "path": "a", "old": old, "new": "x" })),
    })
    .await;
    std::fs::write(talk.folder().join("a"), "present\n").unwrap();
    for (words, expected) in
        [("change it", 1), ("change it", 2), ("change it ", 3), ("change it", 3), ("change that", 4)]
    {
        assert_eq!(talk.turn(words).await, TurnEnd::Done);
        assert_eq!(attempts(&talk), expected, "{words:?}");
    }
}

#[tokio::test]
async fn a_way_round_that_works_is_noted() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("edit_file", json!({ "path": "a", "old": "absent", "new": "x" })),
        1 => Say::call("read_file", json!({ "path": "a" })),
        2 => Say::call("edit_file", json!({ "path": "a", "old": "present", "new": "x" })),
        _ => Say::text("It is changed."),
    })
    .await;
    talk.set(|settings| settings.ask_edits = false).await;
    std::fs::write(talk.folder().join("a"), "present\n").unwrap();
    assert_eq!(talk.turn("change it").await, TurnEnd::Done);
    let at = |wanted: fn(&Event) -> bool| talk.seen.iter().position(|record| wanted(&record.event)).unwrap();
    let worked = at(|event| matches!(event, Event::CorrectionSuccess { of: CorrectionOf::Call, .. }));
    let edited = at(|event| match event {
        Event::CallFinished { result, .. } => {
            result.tool == "edit_file" && result.outcome == planwright_engine::protocol::CallOutcome::Success
        }
        _ => false,
    });
    // Not the look at the file in between.
    assert!(edited <= worked, "{edited} {worked}");
}

#[tokio::test]
async fn a_cap_warns_and_then_stops() {
    let mut talk = Talk::new(|_, _| Say::call("shell", json!({ "command": "true" })).counting(400)).await;
    talk.set(|settings| settings.token_cap = Some(1000)).await;
    assert_eq!(talk.turn("go").await, TurnEnd::CapReached);
    assert_eq!(talk.server.bodies().len(), 3);
    let warned = talk.seen.iter().filter(|record| matches!(record.event, Event::CapWarning { .. }));
    assert_eq!(warned.count(), 1);
    let more = Command::Say { text: "more".to_owned(), route: Route::Chat, replaces: None };
    let error = talk.engine.submit(talk.session, more).await.unwrap_err();
    assert_eq!(error.code, planwright_engine::protocol::ErrorCode::CapReached);
}

#[tokio::test]
async fn a_question_of_the_models_ends_the_turn_and_the_next_message_answers_it() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("ask_user", json!({ "question": "Which one?", "options": ["this", "that"] })),
        _ => Say::text("That one, then."),
    })
    .await;
    assert_eq!(talk.turn("delete it").await, TurnEnd::Asked);
    assert_eq!(talk.turn("that").await, TurnEnd::Done);
    assert_eq!(talk.server.refused(), Vec::<String>::new());
}

/// A message that was rewritten takes the place of what followed it.
#[tokio::test]
async fn a_rewritten_message_replaces_what_followed() {
    let mut talk = Talk::new(|number, _| Say::text(format!("Answer {number}."))).await;
    assert_eq!(talk.turn("first").await, TurnEnd::Done);
    assert_eq!(talk.turn("second, wrong").await, TurnEnd::Done);
    let state = talk.state().await;
    let wrong = state.conversation.entries.iter().rev().find_map(|entry| match entry {
        ChatEntry::User { message_id, .. } => Some(*message_id),
        _ => None,
    });
    talk.submit(Command::Say { text: "second, right".to_owned(), route: Route::Chat, replaces: wrong }).await;
    assert_eq!(talk.end().await, TurnEnd::Done);
    let text = talk.server.bodies().pop().unwrap()["messages"].to_string();
    assert!(text.contains("first") && text.contains("second, right") && !text.contains("wrong"), "{text}");
    let state = talk.state().await;
    let users = state.conversation.entries.iter().filter(|entry| matches!(entry, ChatEntry::User { .. }));
    assert_eq!(users.count(), 2);
}

/// What is used up is used up for recovery too: no model is asked, and the way out is said.
#[tokio::test]
async fn a_cap_holds_for_recovery() {
    let mut talk = Talk::new(|_, _| Say::text("ok").counting(900)).await;
    assert_eq!(talk.turn("hello").await, TurnEnd::Done);
    talk.set(|settings| settings.token_cap = Some(500)).await;
    let asked = talk.server.bodies().len();
    let page = "# Try\n\n```sh\necho 'flux capacitor out of phase' >&2; exit 7\n```\n".to_owned();
    talk.submit(Command::Say { text: page, route: Route::Auto, replaces: None }).await;
    talk.end().await;
    talk.submit(Command::Start { mode: Some(planwright_engine::protocol::Mode::Agentic) }).await;
    let reason = talk
        .wait(|event| match event {
            Event::AgentStuck { reason, .. } => Some(format!("{reason:?}")),
            _ => None,
        })
        .await;
    assert!(reason.contains("cap on tokens"), "{reason}");
    assert_eq!(talk.server.bodies().len(), asked);
}
