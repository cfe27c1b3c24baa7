//! Hands updates to every subscriber, in order. An event reaches each of them; live output only those that keep up: to
//! one that does not, the places of what it gets tell what is missing, and an empty chunk tells it when nothing follows.
//! Of the list of sessions only the latest waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use crate::protocol::{OutputChunk, SessionId, Update};

/// Live output of all that runs that a slow subscriber may have waiting, in bytes; beyond it output is left out, events
/// never are. Subscribers share what waits.
const OUTPUT_WAITING: usize = 2 * 1024 * 1024;
/// What a chunk takes beside its text, and an update beside its chunks.
const CHUNK: usize = size_of::<OutputChunk>();
const UPDATE: usize = size_of::<Update>();

/// The list of sessions that a subscriber has not taken yet.
type Latest = Arc<Mutex<Option<Arc<Update>>>>;

#[derive(Debug, Default)]
pub(crate) struct Hub {
    subscribers: Mutex<Vec<Subscriber>>,
}

#[derive(Debug)]
struct Subscriber {
    /// `None` stands where the list of sessions is to be taken.
    sender: mpsc::UnboundedSender<Option<Arc<Update>>>,
    list: Latest,
    /// Bytes of output that it has not taken yet.
    waiting: Arc<AtomicUsize>,
    /// For each attempt whose last output was left out, an empty chunk at its place.
    missed: Vec<Arc<Update>>,
}

/// A subscription. Dropping it ends it.
#[derive(Debug)]
pub struct Updates {
    receiver: mpsc::UnboundedReceiver<Option<Arc<Update>>>,
    list: Latest,
    waiting: Arc<AtomicUsize>,
}

impl Hub {
    pub(crate) fn subscribe(&self) -> Updates {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (waiting, list) = (Arc::new(AtomicUsize::new(0)), Latest::default());
        let subscriber =
            Subscriber { sender, list: Arc::clone(&list), waiting: Arc::clone(&waiting), missed: Vec::new() };
        self.lock().push(subscriber);
        Updates { receiver, list, waiting }
    }

    pub(crate) fn has_subscribers(&self) -> bool {
        !self.lock().is_empty()
    }

    pub(crate) fn publish(&self, update: Update) {
        let update = Arc::new(update);
        self.lock().retain_mut(|subscriber| subscriber.take(&update));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Subscriber>> {
        lock(&self.subscribers)
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Subscriber {
    /// Whether it is still there.
    fn take(&mut self, update: &Arc<Update>) -> bool {
        let size = size(update);
        if let Update::Sessions { .. } = **update {
            let before = lock(&self.list).replace(Arc::clone(update));
            return before.is_some() && !self.sender.is_closed() || self.sender.send(None).is_ok();
        }
        if size == 0 {
            let of_its_session = |mark: &mut Arc<Update>| session(mark) == session(update);
            let missed: Vec<_> = self.missed.extract_if(.., of_its_session).collect();
            return missed.iter().all(|mark| self.send(mark)) && self.send(update);
        }
        self.missed.retain(|mark| !of_one_attempt(mark, update));
        if self.waiting.load(Ordering::Relaxed) + size > OUTPUT_WAITING {
            self.missed.extend(mark_behind(update).map(Arc::new));
            return !self.sender.is_closed();
        }
        self.send(update)
    }

    fn send(&self, update: &Arc<Update>) -> bool {
        self.waiting.fetch_add(size(update), Ordering::Relaxed);
        self.sender.send(Some(Arc::clone(update))).is_ok()
    }
}

/// What an update takes of the room for output; 0 for one that is none.
fn size(update: &Update) -> usize {
    match update {
        Update::Output { chunks, .. } => {
            UPDATE + chunks.iter().map(|chunk| chunk.text.len() + CHUNK).sum::<usize>()
        }
        Update::Terminal { text, .. } => text.len() + UPDATE,
        _ => 0,
    }
}

fn session(update: &Update) -> Option<SessionId> {
    match update {
        Update::Event { record } => Some(record.session_id),
        Update::Output { session_id, .. } => Some(*session_id),
        _ => None,
    }
}

fn of_one_attempt(one: &Update, other: &Update) -> bool {
    match (one, other) {
        (
            Update::Output { session_id, step_id, attempt, .. },
            Update::Output { session_id: session, step_id: step, attempt: nth, .. },
        )
        | (
            Update::Terminal { session_id, step_id, attempt, .. },
            Update::Terminal { session_id: session, step_id: step, attempt: nth, .. },
        ) => (session_id, step_id, attempt) == (session, step, nth),
        _ => false,
    }
}

/// Output of the same attempt, or of its terminal, that says nothing, where this output ended.
fn mark_behind(update: &Update) -> Option<Update> {
    if let Update::Terminal { session_id, step_id, attempt, upto, .. } = update {
        let (after, upto, text) = (*upto, *upto, String::new());
        let (session_id, step_id, attempt) = (*session_id, step_id.clone(), *attempt);
        return Some(Update::Terminal { session_id, step_id, attempt, after, upto, text });
    }
    let Update::Output { session_id, step_id, attempt, chunks } = update else { return None };
    let last = chunks.last()?;
    let chunk = OutputChunk {
        text: String::new(),
        from_byte: last.from_byte.saturating_add(last.bytes),
        bytes: 0,
        ..last.clone()
    };
    Some(Update::Output {
        session_id: *session_id,
        step_id: step_id.clone(),
        attempt: *attempt,
        chunks: vec![chunk],
    })
}

impl Updates {
    /// The next update; `None` when the engine is gone.
    pub async fn next(&mut self) -> Option<Update> {
        let update = self.receiver.recv().await?;
        self.taken(update)
    }

    /// An update that is there already.
    pub fn try_next(&mut self) -> Option<Update> {
        let update = self.receiver.try_recv().ok()?;
        self.taken(update)
    }

    fn taken(&self, update: Option<Arc<Update>>) -> Option<Update> {
        // There is a list wherever its place was kept.
        let update = update.or_else(|| lock(&self.list).take())?;
        self.waiting.fetch_sub(size(&update), Ordering::Relaxed);
        Some(Arc::unwrap_or_clone(update))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Event, EventRecord, StepId, Stream, Time};

    fn output(session_id: SessionId, from_byte: u32, text: &str) -> Update {
        let bytes = text.len() as u32;
        let chunk =
            OutputChunk { stream: Stream::Stdout, text: text.to_owned(), at_millis: 0, from_byte, bytes };
        Update::Output { session_id, step_id: StepId::from("a"), attempt: 0, chunks: vec![chunk] }
    }

    #[test]
    fn of_the_list_of_sessions_only_the_latest_waits() {
        let state = crate::journal::begin(SessionId::new(), "a session", "/", Time::now());
        let list = |damage: &str| Update::Sessions {
            sessions: vec![crate::journal::summary(&state, state.created_at, Some(damage.to_owned()))],
        };
        let hub = Hub::default();
        let (mut slow, mut quick) = (hub.subscribe(), hub.subscribe());
        for nth in ["1", "2", "3"] {
            hub.publish(list(nth));
            assert_eq!(quick.try_next(), Some(list(nth)));
        }
        assert_eq!(slow.try_next(), Some(list("3")));
        assert_eq!((slow.try_next(), quick.try_next()), (None, None));
        hub.publish(list("4"));
        assert_eq!((slow.try_next(), quick.try_next()), (Some(list("4")), Some(list("4"))));
    }

    #[test]
    fn a_slow_subscriber_is_bounded_and_told_of_each_gap() {
        let hub = Hub::default();
        let (mut slow, session) = (hub.subscribe(), SessionId::new());
        let part = "x".repeat(64 * 1024);
        let size = part.len() as u32;
        for nth in 0..1000 {
            hub.publish(output(session, nth * size, &part));
        }
        let event = Update::Event {
            record: EventRecord { session_id: session, seq: 1, at: Time::now(), event: Event::BudgetRaised },
        };
        hub.publish(event.clone());
        let (mut at, mut text) = (0, 0);
        loop {
            match slow.try_next().unwrap() {
                Update::Output { chunks, .. } => {
                    text += chunks[0].text.len();
                    if chunks[0].from_byte != at {
                        assert_eq!(
                            (chunks[0].from_byte, chunks[0].bytes),
                            (1000 * size, 0),
                            "the end is told"
                        );
                    }
                    at = chunks[0].from_byte + chunks[0].bytes;
                }
                other => {
                    assert_eq!(other, event);
                    break;
                }
            }
        }
        assert_eq!(at, 1000 * size);
        assert!(text <= OUTPUT_WAITING && text > OUTPUT_WAITING / 2, "{text}");
        // It caught up, so it gets all again, and no mark.
        hub.publish(output(session, 1000 * size, "more"));
        hub.publish(event.clone());
        assert_eq!(slow.try_next().unwrap(), output(session, 1000 * size, "more"));
        assert_eq!(slow.try_next().unwrap(), event);
    }
}
