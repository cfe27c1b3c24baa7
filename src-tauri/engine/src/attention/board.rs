//! Where each session's owner says how it stands, and everybody else reads it. A session's place is its owner's: it goes
//! with the owner, however that ends.

use tokio::sync::watch;

use super::{Attention, Ending, Standing, kind, need, works};
use crate::protocol::{EventRecord, SessionId, SessionState};

#[derive(Debug, Default)]
pub(crate) struct Board {
    attention: watch::Sender<Attention>,
}

/// A session's place, held by its owner. What it says is withdrawn when it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    attention: watch::Sender<Attention>,
    id: SessionId,
    /// Somebody leads the session: a state that says "running" with nobody at it is no work.
    led: bool,
}

impl Board {
    pub(crate) fn seat(&self, id: SessionId) -> Seat {
        Seat { attention: self.attention.clone(), id, led: false }
    }

    /// The last value stays when the engine is gone; that it is gone is told.
    pub(crate) fn watch(&self) -> watch::Receiver<Attention> {
        self.attention.subscribe()
    }

    /// Somebody has looked at the session.
    pub(crate) fn seen(&self, id: SessionId) {
        change(&self.attention, id, |standing| standing.ended = None);
    }

    pub(crate) fn forget(&self, id: SessionId) {
        change(&self.attention, id, |standing| *standing = Standing::default());
    }
}

impl Seat {
    /// Somebody begins to lead the session.
    pub(crate) fn led(&mut self) {
        self.led = true;
    }

    /// The session is led no longer: nothing of it works, whatever its state says.
    pub(crate) fn rest(&mut self) {
        self.led = false;
        change(&self.attention, self.id, |standing| standing.works = false);
    }

    /// The state as it has become, and how work ended on the way there.
    pub(crate) fn tell(&self, state: &SessionState, ended: Option<Ending>) {
        let works = self.led && works(state);
        let need = need(state);
        change(&self.attention, self.id, |standing| {
            if standing.title != state.title {
                standing.title.clone_from(&state.title);
            }
            standing.ended = if works || need.is_some() { None } else { ended.or(standing.ended) };
            (standing.kind, standing.works) = (kind(state), works);
            standing.need = need;
        });
    }

    /// The last end among new events.
    pub(crate) fn ending(records: &[EventRecord]) -> Option<Ending> {
        records.iter().rev().find_map(|record| super::ending(&record.event))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        change(&self.attention, self.id, |standing| *standing = Standing::default());
    }
}

/// Changes a session's standing, and tells it when it is another one then. A quiet one is left out.
fn change(attention: &watch::Sender<Attention>, id: SessionId, change: impl FnOnce(&mut Standing)) {
    attention.send_if_modified(|attention| {
        let before = attention.sessions.get(&id).cloned().unwrap_or_default();
        let mut after = before.clone();
        change(&mut after);
        // The title of one that nobody is told of is no news.
        let told = after != before && !(after.is_quiet() && before.is_quiet());
        if after.is_quiet() {
            attention.sessions.remove(&id);
        } else {
            attention.sessions.insert(id, after);
        }
        told
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Time;

    fn state(id: SessionId) -> SessionState {
        crate::journal::begin(id, "a session", "/", Time::now())
    }

    #[test]
    fn an_end_is_told_until_it_was_seen_and_only_once() {
        let (board, id) = (Board::default(), SessionId::new());
        let (seat, mut told) = (board.seat(id), board.watch());
        seat.tell(&state(id), Some(Ending::PlanDone));
        assert!(told.has_changed().unwrap());
        assert_eq!(told.borrow_and_update().unseen(), 1);
        seat.tell(&state(id), None);
        assert!(!told.has_changed().unwrap(), "the end stays, and that is no news");
        board.seen(id);
        assert_eq!(*told.borrow_and_update(), Attention::default());
        board.seen(id);
        seat.tell(&state(id), None);
        assert!(!told.has_changed().unwrap(), "nothing is no news");
    }

    #[test]
    fn a_seat_takes_what_it_said_with_it_also_when_its_owner_panics() {
        let (board, id) = (Board::default(), SessionId::new());
        let seat = board.seat(id);
        let owner = std::thread::spawn(move || {
            seat.tell(&state(id), Some(Ending::PlanFailed));
            panic!("the owner broke off");
        });
        assert!(owner.join().is_err());
        assert_eq!(*board.watch().borrow(), Attention::default());
    }
}
