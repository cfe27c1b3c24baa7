use proptest::prelude::*;

use super::*;
use crate::model::{Content, ModelMessage, Role, server_of};
use crate::protocol::*;

/// What may happen in a conversation, in any order.
#[derive(Debug, Clone)]
enum Happening {
    Says,
    Rewrites(usize),
    /// With this many calls, of which so many get results.
    Answers {
        text: bool,
        calls: usize,
        results: usize,
    },
    Ends(bool),
    Condenses(u32),
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        Just(Happening::Says),
        (0usize..6).prop_map(Happening::Rewrites),
        (any::<bool>(), 0usize..4, 0usize..4).prop_map(|(text, calls, results)| Happening::Answers {
            text,
            calls,
            results
        }),
        any::<bool>().prop_map(Happening::Ends),
        (0u32..8).prop_map(Happening::Condenses),
    ]
}

fn played(happenings: &[Happening]) -> Transcript {
    let mut transcript = Transcript::default();
    let mut messages = Vec::new();
    let mut message_id = MessageId::new();
    for happening in happenings {
        match happening {
            Happening::Says | Happening::Rewrites(_) => {
                let replaces = match happening {
                    Happening::Rewrites(nth) => messages.get(*nth).copied(),
                    _ => None,
                };
                message_id = MessageId::new();
                messages.push(message_id);
                let text = "do something".to_owned();
                let route = Route::Chat;
                transcript.apply(&Event::UserMessage { message_id, text, route, detection: None, replaces });
            }
            Happening::Answers { text, calls, results } => {
                let mut parts = Vec::new();
                if *text {
                    parts.push(AnswerPart::Text { text: "I will".to_owned() });
                }
                for nth in 0..*calls {
                    parts.push(AnswerPart::Call {
                        call_id: StepId::new(),
                        provider_id: format!("call_{nth}"),
                        tool: "shell".to_owned(),
                        input: if nth == 0 { "{\"command\":\"ls\"}" } else { "broken" }.to_owned(),
                        extra: (nth == 1).then(|| "{\"extra_content\":{\"proof\":1}}".to_owned()),
                    });
                }
                transcript.apply(&Event::AssistantMessage {
                    message_id,
                    round: 1,
                    model: "m".to_owned(),
                    server: None,
                    parts: parts.clone(),
                    stop_reason: None,
                });
                let ids = parts.iter().filter_map(|part| match part {
                    AnswerPart::Call { call_id, .. } => Some(call_id.clone()),
                    _ => None,
                });
                for id in ids.take(*results) {
                    let result = ToolResult::told(id, "shell", CallOutcome::Success, "ok", Time::now());
                    transcript.apply(&Event::CallFinished { result, shell: None });
                }
                // However the turn went on, it is over before the next thing is said.
                if results < calls {
                    let end = TurnEnd::Interrupted;
                    transcript.apply(&Event::TurnEnded {
                        message_id,
                        end,
                        synthesis: None,
                        synthesis_id: String::new(),
                    });
                }
            }
            Happening::Ends(interrupted) => {
                let end = if *interrupted { TurnEnd::Interrupted } else { TurnEnd::Done };
                transcript.apply(&Event::TurnEnded {
                    message_id,
                    end,
                    synthesis: None,
                    synthesis_id: String::new(),
                });
            }
            Happening::Condenses(messages) => {
                let summary = "before".to_owned();
                transcript.apply(&Event::ContextSummarized { messages: *messages, summary });
            }
        }
    }
    transcript
}

fn info(model: &str, base_url: &str) -> ModelInfo {
    ModelInfo {
        provider: ProviderKind::Local,
        model: model.to_owned(),
        base_url: base_url.to_owned(),
        tools: ToolSupport::Native,
        context_tokens: None,
        price: None,
    }
}

/// What every provider insists on.
fn is_acceptable(messages: &[ModelMessage]) -> Result<(), String> {
    let mut wanted: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { Role::User } else { Role::Assistant };
        if message.role != role || message.content.is_empty() {
            return Err(format!("message {at}: {message:?}"));
        }
        let results: Vec<&str> = message
            .content
            .iter()
            .filter_map(|content| match content {
                Content::ToolResult { tool_use_id, .. } => Some(tool_use_id.as_str()),
                _ => None,
            })
            .collect();
        let leading =
            message.content.iter().take_while(|part| matches!(part, Content::ToolResult { .. })).count();
        if results != wanted || leading != results.len() {
            return Err(format!("message {at}: results {results:?} for {wanted:?}"));
        }
        wanted = message
            .content
            .iter()
            .filter_map(|content| match content {
                Content::ToolUse { id, input, .. } if input.is_object() => Some(id.as_str()),
                _ => None,
            })
            .collect();
    }
    match messages.last() {
        Some(last) if last.role == Role::User => Ok(()),
        _ => Err("the last word is not the user's".to_owned()),
    }
}

proptest! {
    #[test]
    fn whatever_happened_the_messages_are_acceptable(happenings in prop::collection::vec(happening(), 0..24)) {
        let messages = played(&happenings).messages(&info("m", "http://a/"), Some("<plan>"));
        prop_assert_eq!(is_acceptable(&messages), Ok(()));
    }
}

#[test]
fn proofs_of_reasoning_go_back_only_to_the_model_that_gave_them_on_its_server() {
    let mut transcript = played(&[Happening::Says]);
    let parts = vec![
        AnswerPart::Reasoning { text: "hm".to_owned(), signature: Some("proof".to_owned()) },
        AnswerPart::Text { text: "yes".to_owned() },
    ];
    let from = info("first", "http://a/");
    transcript.apply(&Event::AssistantMessage {
        message_id: MessageId::new(),
        round: 1,
        server: Some(server_of(&from)),
        model: from.model,
        parts,
        stop_reason: None,
    });
    let thinks = |model: &str, server: &str| {
        transcript.messages(&info(model, server), None)[1]
            .content
            .iter()
            .any(|part| matches!(part, Content::Thinking { .. }))
    };
    assert!(thinks("first", "http://a/"));
    assert!(!thinks("second", "http://a/"));
    assert!(!thinks("first", "http://b/"));
}

#[test]
fn the_request_that_is_worked_on_survives_a_summary() {
    let mut transcript = played(&[
        Happening::Says,
        Happening::Answers { text: true, calls: 1, results: 1 },
        Happening::Answers { text: true, calls: 1, results: 1 },
    ]);
    let summary = "It looked around.".to_owned();
    transcript.apply(&Event::ContextSummarized { messages: 2, summary });
    let said: Vec<&str> = transcript
        .said()
        .iter()
        .map(|said| match said {
            Said::Summary(_) => "summary",
            Said::User { .. } => "user",
            Said::Answer { .. } => "answer",
            Said::Interrupted | Said::Proposed(_) => "other",
        })
        .collect();
    assert_eq!(said, ["summary", "user", "answer"]);
}

#[test]
fn announcements_are_told_from_endings() {
    for text in [
        "That is odd. Let me look.",
        "Let me check the log:",
        "Done with that.\nNext, I will run the tests.",
        "I’ll now install it",
        "First, I need the version…",
        "The folder is there. Continuing with the tests",
        "Moving on to the next file.",
        "That worked. I'll proceed with the build.",
        "I need to see the log first.",
        "That is all of it.\nI should check the version",
        "Let's run it",
    ] {
        assert!(announces_more(text), "{text}");
    }
    for text in [
        "",
        "It is done.",
        "Let me know whether that helps? It is done.",
        "You could let me in.",
        "It is done. Let me know if you need more.",
        "Let's hope it works.",
        "You asked what I need to do.",
        "I need to say no. It is done.",
    ] {
        assert!(!announces_more(text), "{text}");
    }
}

#[test]
fn a_long_text_keeps_its_head_and_its_tail() {
    assert_eq!(bounded("short", 10), "short");
    let long = format!("{}middle{}", "a".repeat(50), "z".repeat(50));
    let kept = bounded(&long, 20);
    assert!(kept.starts_with("aaaaaaaaaa\n") && kept.ends_with("\nzzzzzzzzzz"), "{kept}");
    assert!(kept.contains("86 characters left out"), "{kept}");
}

#[test]
fn what_a_terminal_showed_is_text() {
    assert_eq!(plain_text("\u{1b}[31mred\u{1b}[0m\r\n10%\r50%\r100%\nend"), "red\n100%\nend");
}

#[test]
fn an_account_names_what_failed_and_a_list_has_a_line_for_each_tool() {
    let result = |tool: &str, outcome, content: &str| {
        ToolResult::told(StepId::new(), tool, outcome, content, Time::now())
    };
    let results = [
        result("read_file", CallOutcome::Success, "1\tx"),
        result("edit_file", CallOutcome::Error, "`old` does not occur in a."),
        result("read_file", CallOutcome::Success, "1\tx"),
        ToolResult {
            files_changed: vec!["/w/a".into(), "/w/b".into()],
            ..result("edit_file", CallOutcome::Success, "done")
        },
        result("shell", CallOutcome::Declined, "The user said no."),
    ];
    assert_eq!(
        synthesis(&results).unwrap(),
        "5 tool calls: 3 done, 1 failed, 1 not allowed. Changed /w/a and 1 more. The last failure was edit_file: `old` does not \
         occur in a."
    );
    assert_eq!(
        synthesis_by_tool(&results).unwrap(),
        "- read_file: 2 done\n- edit_file: 1 done, 1 failed; changed /w/a and 1 more; last failure: `old` does not occur in a.\n\
         - shell: 1 not allowed"
    );
    assert_eq!((synthesis(&[]), synthesis_by_tool(&[])), (None, None));
}
