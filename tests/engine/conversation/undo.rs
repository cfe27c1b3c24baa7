//! What a conversation's calls change is kept before they run, and put back when the user says so.

use planwright_engine::protocol::{
    Command, Coverage, Event, GrantLifetime, GrantRule, MessageId, StepId, TurnEnd, UndoTarget,
};
use planwright_tests::chat_server::Say;
use serde_json::json;

use super::{ONCE, Talk};

async fn undo(talk: &mut Talk, target: UndoTarget) -> u32 {
    let preview = talk.engine.undo_preview(talk.session, target.clone()).await.unwrap();
    talk.submit(Command::Undo { target, token: preview.token, overwrite: vec![] }).await;
    let undone = talk.state().await.undone;
    let last = undone.last().unwrap();
    assert_eq!(last.skipped, vec![]);
    last.restored + last.recreated + last.trashed
}

fn kept(talk: &Talk) -> Vec<(StepId, Coverage)> {
    let kept = |record: &planwright_engine::protocol::EventRecord| match &record.event {
        Event::CheckpointCreated { checkpoint } => {
            Some((checkpoint.step_id.clone(), checkpoint.covers.clone()))
        }
        _ => None,
    };
    talk.seen.iter().filter_map(kept).collect()
}

fn message(talk: &Talk) -> MessageId {
    let said = |record: &planwright_engine::protocol::EventRecord| match &record.event {
        Event::UserMessage { message_id, .. } => Some(*message_id),
        _ => None,
    };
    talk.seen.iter().filter_map(said).next_back().unwrap()
}

#[tokio::test]
async fn an_edit_and_a_command_are_taken_back_one_by_one_and_together() {
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("edit_file", json!({ "path": "notes.txt", "old": "green", "new": "ripe" })),
        1 => Say::call("shell", json!({ "command": "mkdir beds && mv notes.txt beds/" })),
        _ => Say::text("That is that."),
    })
    .await;
    std::fs::write(talk.folder().join("notes.txt"), "peas: green\n").unwrap();
    std::fs::write(talk.folder().join("mine.txt"), "mine").unwrap();
    talk.say("tidy").await;
    let question = talk.question().await;
    talk.answer(&question, ONCE).await;
    assert_eq!(talk.end().await, TurnEnd::Done);
    let moved = talk.folder().join("beds/notes.txt");
    assert_eq!(std::fs::read_to_string(&moved).unwrap(), "peas: ripe\n");

    let checkpoints = kept(&talk);
    assert_eq!(checkpoints.len(), 2, "{checkpoints:?}");
    assert!(checkpoints.iter().all(|(_, covers)| *covers == Coverage::Whole), "{checkpoints:?}");
    let in_state: Vec<StepId> = talk.state().await.checkpoints.into_iter().map(|kept| kept.step_id).collect();
    assert_eq!(in_state, checkpoints.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>());
    let calls: Vec<StepId> = talk.results().into_iter().map(|result| result.call_id).collect();
    assert_eq!(calls, in_state);

    assert_eq!(undo(&mut talk, UndoTarget::Step { step_id: calls[1].clone() }).await, 3);
    assert_eq!(std::fs::read_to_string(talk.folder().join("notes.txt")).unwrap(), "peas: ripe\n");
    assert!(!talk.folder().join("beds").exists());
    let turn = UndoTarget::Turn { message_id: message(&talk) };
    assert_eq!(undo(&mut talk, turn).await, 1);
    assert_eq!(std::fs::read_to_string(talk.folder().join("notes.txt")).unwrap(), "peas: green\n");
    assert_eq!(std::fs::read_to_string(talk.folder().join("mine.txt")).unwrap(), "mine");

    let undone = talk.state().await.undone;
    assert_eq!(undo(&mut talk, UndoTarget::Undo { undo_id: undone[1].id }).await, 1);
    assert_eq!(std::fs::read_to_string(talk.folder().join("notes.txt")).unwrap(), "peas: ripe\n");
}

#[tokio::test]
async fn a_call_whose_changes_the_user_went_on_with_is_left_alone() {
    let rule = GrantRule::Tool { tool: "write_file".to_owned() };
    let mut talk = Talk::new(|number, _| match number {
        0 => Say::call("write_file", json!({ "path": "a.txt", "content": "theirs\n" })),
        1 => Say::call("write_file", json!({ "path": "b.txt", "content": "theirs\n" })),
        _ => Say::text("Written."),
    })
    .await;
    talk.say("write two files").await;
    let question = talk.question().await;
    let always =
        planwright_engine::protocol::ApprovalAnswer::AllowAlways { rule, lifetime: GrantLifetime::Session };
    talk.answer(&question, always).await;
    assert_eq!(talk.end().await, TurnEnd::Done);
    std::fs::write(talk.folder().join("a.txt"), "theirs\nand mine\n").unwrap();

    let target = UndoTarget::Turn { message_id: message(&talk) };
    let preview = talk.engine.undo_preview(talk.session, target.clone()).await.unwrap();
    let conflicts: Vec<bool> = preview.files.iter().map(|file| file.conflict.is_some()).collect();
    assert_eq!(conflicts, [true, false]);
    talk.submit(Command::Undo { target, token: preview.token, overwrite: vec![] }).await;
    assert_eq!(std::fs::read_to_string(talk.folder().join("a.txt")).unwrap(), "theirs\nand mine\n");
    assert!(!talk.folder().join("b.txt").exists());
    let undone = talk.state().await.undone;
    assert_eq!((undone[0].trashed, undone[0].skipped.len()), (1, 1));
}
