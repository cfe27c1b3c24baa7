//! The way of updates to the page: in order, in batches, one a frame at most, and none before the last one was drawn. What
//! it cannot keep up with waits in the engine and is bounded here: live output beyond a frame's share is left out, which the
//! places of the chunks tell (the file has it all); events never are.

use std::pin::pin;
use std::time::Duration;

use planwright_engine::engine::Updates;
use planwright_engine::protocol::{Event, OutputChunk, Update};
use tauri::ipc::Channel;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

/// One frame. A page that is sent a batch per frame stays smooth; messages one by one freeze it.
const TICK: Duration = Duration::from_millis(16);
/// The same where all there is is live output. Nobody reads faster, and a page that draws in every frame takes a whole core
/// from the command that writes.
const OUTPUT_TICK: Duration = Duration::from_millis(50);
/// A piece of an answer waits so long for what it may lead to: a call that is whole is asked about a few milliseconds
/// later, and both are one frame then.
const GATHER: Duration = Duration::from_millis(8);
/// A page that has not said for so long that it drew the last batch gets the next one all the same.
const PATIENCE: Duration = Duration::from_secs(1);
/// Updates in one batch; the rest waits for the next.
const BATCH: usize = 2_000;
/// Live output of one attempt in one batch, in bytes: some hundred lines, of which a page shows the last few.
const OUTPUT_BYTES: usize = 32 * 1024;

/// The page's end of the way.
pub(crate) struct Page {
    channel: Channel<Vec<Update>>,
    sent: u32,
    taken: watch::Receiver<u32>,
}

/// How many batches a page has drawn, as it says itself. Where it is dropped the page counts as gone.
pub(crate) type Taken = watch::Sender<u32>;

impl Page {
    pub(crate) fn new(channel: Channel<Vec<Update>>) -> (Self, Taken) {
        let (sender, taken) = watch::channel(0);
        (Self { channel, sent: 0, taken }, sender)
    }

    /// Whether the page is still there.
    pub(crate) fn send(&mut self, batch: Vec<Update>) -> bool {
        self.sent += 1;
        self.taken.has_changed().is_ok() && self.channel.send(batch).is_ok()
    }

    /// Waits until `due`, and until the page has drawn all it was sent. Messages that pile up in a page freeze it for as
    /// long as it takes to get through them.
    fn ready(&self, due: Instant) -> impl Future<Output = ()> + use<> {
        let (mut taken, sent) = (self.taken.clone(), self.sent);
        async move {
            sleep_until(due).await;
            let _ = timeout(PATIENCE, taken.wait_for(|taken| *taken >= sent)).await;
        }
    }
}

/// Sends until the engine or the page is gone.
pub(crate) async fn forward(mut updates: Updates, mut page: Page) {
    let mut sent: Option<Instant> = None;
    while let Some(first) = updates.next().await {
        let mut batch = Batch::default();
        // The first one after a silence goes at once.
        let due = |rest| sent.map_or_else(Instant::now, |sent| sent + rest);
        let gather = if matches!(first, Update::Answer { .. }) { GATHER } else { Duration::ZERO };
        let mut rest = rest_before(&first);
        let mut ready = pin!(page.ready(due(rest).max(Instant::now() + gather)));
        let mut urgent = is_urgent(&first);
        batch.push(first);
        while !urgent {
            tokio::select! {
                biased;
                () = &mut ready => break,
                next = updates.next(), if batch.updates.len() < BATCH => {
                    let Some(update) = next else { break };
                    urgent = is_urgent(&update);
                    if rest_before(&update) < rest {
                        rest = rest_before(&update);
                        ready.set(page.ready(due(rest)));
                    }
                    batch.push(update);
                }
            }
        }
        while batch.updates.len() < BATCH {
            let Some(update) = updates.try_next() else { break };
            batch.push(update);
        }
        sent = Some(Instant::now());
        if !page.send(batch.updates) {
            return;
        }
    }
}

/// How long after the last batch the next one with this may go.
fn rest_before(update: &Update) -> Duration {
    if matches!(update, Update::Output { .. }) { OUTPUT_TICK } else { TICK }
}

/// A question is not kept for the next frame.
fn is_urgent(update: &Update) -> bool {
    matches!(update, Update::Event { record } if matches!(record.event, Event::ApprovalNeeded { .. }))
}

#[derive(Default)]
struct Batch {
    updates: Vec<Update>,
}

impl Batch {
    /// Adds an update; output that follows output of the same attempt joins it.
    fn push(&mut self, update: Update) {
        let Some(update) = self.push_terminal(update) else { return };
        let Update::Output { session_id, step_id, attempt, chunks } = update else {
            self.updates.push(update);
            return;
        };
        if let Some(Update::Output { session_id: session, step_id: step, attempt: nth, chunks: held }) =
            self.updates.last_mut()
            && (*session, &*step, *nth) == (session_id, &step_id, attempt)
        {
            held.extend(chunks);
            shorten(held);
            return;
        }
        let mut chunks = chunks;
        shorten(&mut chunks);
        self.updates.push(Update::Output { session_id, step_id, attempt, chunks });
    }
}

impl Batch {
    /// Takes in what a terminal shows more, joined with what is there of it; gives back anything else. Beyond
    /// [`OUTPUT_BYTES`] only its number is left, which tells the page to take the screen as it is.
    fn push_terminal(&mut self, update: Update) -> Option<Update> {
        let Update::Terminal { session_id, step_id, attempt, after, upto, text } = update else {
            return Some(update);
        };
        if let Some(Update::Terminal {
            session_id: session,
            step_id: step,
            attempt: nth,
            after: from,
            upto: to,
            text: held,
        }) = self.updates.last_mut()
            && (*session, &*step, *nth, *to) == (session_id, &step_id, attempt, after)
        {
            *to = upto;
            if held.len() + text.len() <= OUTPUT_BYTES && (*from < after || !held.is_empty()) {
                held.push_str(&text);
            } else {
                *from = upto;
                held.clear();
            }
            return None;
        }
        self.updates.push(Update::Terminal { session_id, step_id, attempt, after, upto, text });
        None
    }
}

/// Leaves out the oldest chunks beyond [`OUTPUT_BYTES`]; the newest is always kept, cut at its front when it alone is
/// too long.
fn shorten(chunks: &mut Vec<OutputChunk>) {
    let mut room = OUTPUT_BYTES;
    let too_much = chunks.iter().rposition(|chunk| match room.checked_sub(chunk.text.len()) {
        Some(left) => {
            room = left;
            false
        }
        None => true,
    });
    let Some(too_much) = too_much else { return };
    let newest = chunks.len() - 1;
    chunks.drain(..(too_much + 1).min(newest));
    let Some(oldest) = chunks.first_mut() else { return };
    let excess = oldest.text.len().saturating_sub(OUTPUT_BYTES);
    if excess == 0 {
        return;
    }
    let cut = oldest.text.ceil_char_boundary(excess);
    let line = oldest.text[cut..].find('\n').map_or(cut, |end| cut + end + 1);
    let left = u32::try_from(oldest.text.len() - line).unwrap_or(u32::MAX).min(oldest.bytes);
    // Where bytes were no text this is a little early or late; that something is missing is told all the same.
    oldest.from_byte = oldest.from_byte.saturating_add((oldest.bytes - left).max(1));
    oldest.bytes = left;
    oldest.text.drain(..line);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use planwright_engine::engine::{Attendance, Engine, EngineConfig};
    use planwright_engine::model::{MemoryKeys, Models};
    use planwright_engine::protocol::{SessionId, Settings, StepId, Stream};
    use tauri::ipc::InvokeResponseBody;

    use super::*;

    fn output(session_id: SessionId, attempt: u32, text: &str) -> Update {
        output_at(session_id, attempt, 0, text)
    }

    fn output_at(session_id: SessionId, attempt: u32, from_byte: u32, text: &str) -> Update {
        let bytes = text.len() as u32;
        let chunk =
            OutputChunk { stream: Stream::Stdout, text: text.to_owned(), at_millis: 0, from_byte, bytes };
        Update::Output { session_id, step_id: StepId::from("step"), attempt, chunks: vec![chunk] }
    }

    fn pushed(updates: impl IntoIterator<Item = Update>) -> Vec<Update> {
        let mut batch = Batch::default();
        updates.into_iter().for_each(|update| batch.push(update));
        batch.updates
    }

    fn text(update: &Update) -> String {
        match update {
            Update::Output { chunks, .. } => chunks.iter().map(|chunk| chunk.text.as_str()).collect(),
            other => panic!("no output: {other:?}"),
        }
    }

    #[test]
    fn live_output_waits_longer_than_what_happens() {
        assert_eq!(rest_before(&output(SessionId::new(), 0, "a")), OUTPUT_TICK);
        assert_eq!(rest_before(&Update::Settings { settings: Settings::default() }), TICK);
    }

    #[test]
    fn output_of_one_attempt_joins_and_keeps_its_place() {
        let session = SessionId::new();
        let settings = Update::Settings { settings: Settings::default() };
        let batch = pushed([
            output(session, 0, "a\n"),
            output(session, 0, "b\n"),
            settings.clone(),
            output(session, 0, "c\n"),
            output(session, 1, "d\n"),
        ]);
        assert_eq!(batch.len(), 4);
        assert_eq!(text(&batch[0]), "a\nb\n");
        assert_eq!(batch[1], settings);
        assert_eq!(text(&batch[2]), "c\n");
        assert_eq!(text(&batch[3]), "d\n");
    }

    fn first_chunk(update: &Update) -> (u32, u32) {
        match update {
            Update::Output { chunks, .. } => (chunks[0].from_byte, chunks[0].bytes),
            other => panic!("no output: {other:?}"),
        }
    }

    #[test]
    fn a_flood_is_bounded_tells_its_gap_and_keeps_its_newest_lines() {
        let session = SessionId::new();
        let lines: Vec<String> = (0..20_000).map(|n| format!("line {n}\n")).collect();
        let mut at = 0;
        let batch = pushed(lines.iter().map(|line| {
            let update = output_at(session, 0, at, line);
            at += line.len() as u32;
            update
        }));
        let shown = text(&batch[0]);
        assert!(shown.len() <= OUTPUT_BYTES, "{}", shown.len());
        assert!(shown.ends_with("line 19998\nline 19999\n"));
        assert_eq!(first_chunk(&batch[0]).0, at - shown.len() as u32, "what is missing is told by the place");
    }

    #[test]
    fn a_terminal_is_joined_and_a_flood_of_it_leaves_its_number() {
        let session = SessionId::new();
        let piece = |after: u32, text: &str| Update::Terminal {
            session_id: session,
            step_id: StepId::from("step"),
            attempt: 0,
            after,
            upto: after + 1,
            text: text.to_owned(),
        };
        let told = |updates: &[Update]| -> Vec<(u32, u32, usize)> {
            let told = |update: &Update| match update {
                Update::Terminal { after, upto, text, .. } => (*after, *upto, text.len()),
                other => panic!("no terminal: {other:?}"),
            };
            updates.iter().map(told).collect()
        };
        assert_eq!(told(&pushed([piece(3, "a"), piece(4, "bc")])), [(3, 5, 3)]);
        assert_eq!(told(&pushed([piece(3, "a"), piece(5, "b")])), [(3, 4, 1), (5, 6, 1)], "a gap stays one");
        let much = "x".repeat(40 * 1024);
        let flood = pushed((0..100).map(|after| piece(after, &much)));
        assert_eq!(told(&flood), [(100, 100, 0)]);
        assert_eq!(
            told(&pushed((0..3).map(|after| piece(after, &much)))),
            [(3, 3, 0)],
            "nothing follows a hole"
        );
    }

    #[tokio::test]
    async fn the_next_batch_waits_until_the_page_has_drawn_the_last_one() {
        let home = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let engine = Engine::spawn(EngineConfig {
            home: home.path().to_owned(),
            worker: program.ancestors().nth(2).unwrap().join("planwright-worker"),
            attendance: Attendance::AtTerminal,
            models: Models::unusable("none is needed".to_owned()),
            keys: Arc::new(MemoryKeys::default()),
        })
        .await
        .unwrap();
        let (batches, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let channel = Channel::new(move |body| {
            let InvokeResponseBody::Json(json) = body else { panic!("updates are JSON") };
            let updates: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
            batches.send(updates.len()).unwrap();
            Ok(())
        });
        let (page, taken) = Page::new(channel);
        let forwarded = tokio::spawn(forward(engine.subscribe(), page));
        let change = async |times: u32| {
            for _ in 0..times {
                engine.set_settings(Settings::default()).await.unwrap();
            }
        };
        change(1).await;
        assert_eq!(heard.recv().await, Some(1), "the first goes at once");
        change(5).await;
        tokio::time::sleep(TICK * 3).await;
        assert!(heard.try_recv().is_err(), "nothing while the page still draws");
        taken.send_replace(1);
        assert_eq!(heard.recv().await, Some(5), "all that came meanwhile, as one");
        change(2).await;
        assert_eq!(heard.recv().await, Some(2), "a page that says nothing gets it later");

        drop(taken);
        change(1).await;
        forwarded.await.unwrap();
        assert!(heard.try_recv().is_err(), "a page that was reloaded is sent nothing more");
    }

    #[test]
    fn one_huge_piece_is_cut_between_characters_at_a_line() {
        let huge = format!("first\n{}\nlast €\n", "€".repeat(OUTPUT_BYTES));
        let batch = pushed([output(SessionId::new(), 0, &huge)]);
        assert_eq!(text(&batch[0]), "last €\n");
        assert_eq!(first_chunk(&batch[0]), (huge.len() as u32 - 9, 9));
    }
}
