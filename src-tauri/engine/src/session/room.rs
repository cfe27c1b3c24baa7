//! A disk that fills up while something goes on. What has happened is held until it can be written: it is neither shown
//! before nor forgotten. The run itself pauses before its next step; see [`Session::is_out_of_room`].

use std::time::Duration;

use super::{Message, Session};
use crate::journal::{Durability, Refused};
use crate::protocol::{Command, EngineError, ErrorCode, EventRecord, PauseReason, Update};

/// How long after a vain try there is another.
const AGAIN: Duration = Duration::from_millis(500);

impl Session {
    /// Whether the disk was full and still is.
    pub(super) async fn is_out_of_room(&self) -> bool {
        let journal = &self.shared.journal;
        journal.is_short_of_room() && !journal.has_room_again().await
    }

    /// For what should not begin without room.
    pub(super) async fn require_room(&self) -> Result<(), EngineError> {
        if self.is_out_of_room().await {
            return Err(EngineError::new(ErrorCode::DiskFull, self.no_room_in_words()));
        }
        Ok(())
    }

    pub(super) fn no_room(&self) -> PauseReason {
        PauseReason::NoRoom { folder: self.shared.journal.home().display().to_string() }
    }

    pub(super) fn no_room_in_words(&self) -> String {
        let folder = self.shared.journal.home().display();
        format!("There is no room on the disk that holds {folder}. Free some, then go on.")
    }

    /// Writes what could not be written as soon as there is room. With nobody there to make some, or nothing under way
    /// that would be lost, the error stands.
    pub(super) async fn hold(
        &mut self,
        refused: Refused,
        durability: Durability,
    ) -> Result<Vec<EventRecord>, EngineError> {
        let Refused { error, mut events } = refused;
        let at_work = self.is_under_way() || self.state.conversation.turn.is_some();
        if error.code != ErrorCode::DiskFull || self.is_unattended() || !at_work {
            return Err(error);
        }
        let told = EngineError::new(error.code, self.no_room_in_words());
        self.shared.hub.publish(Update::Problem { session_id: Some(self.state.id), error: told });
        while !self.control.closing {
            tokio::select! {
                biased;
                message = self.inbox.recv() => match message {
                    Some(message) => self.without_room(message),
                    None => {
                        self.control.closing = true;
                        self.control.stop.abort();
                    }
                },
                () = tokio::time::sleep(AGAIN) => {}
            }
            match self.shared.journal.try_append(self.state.id, events, durability).await? {
                Ok(records) => return Ok(records),
                Err(again) if again.error.code == ErrorCode::DiskFull => events = again.events,
                Err(other) => return Err(other.error),
            }
        }
        Err(error)
    }

    /// Nothing that would have to be recorded can be done; what is under way can be ended.
    fn without_room(&mut self, message: Message) {
        match message {
            Message::Snapshot(reply) => drop(reply.send(self.state.clone())),
            // A try follows at once.
            Message::Command(Command::Resume { .. }, reply) => drop(reply.send(Ok(()))),
            Message::Command(Command::Pause, reply) => {
                self.control.pause = true;
                drop(reply.send(Ok(())));
            }
            Message::Command(Command::Cancel | Command::Interrupt, reply) => {
                if self.state.conversation.turn.is_some() {
                    self.control.interrupt = true;
                } else {
                    self.control.cancel = true;
                }
                self.control.stop.abort();
                drop(reply.send(Ok(())));
            }
            Message::Command(_, reply) | Message::Adopt(_, reply) => {
                let full = EngineError::new(ErrorCode::DiskFull, self.no_room_in_words());
                drop(reply.send(Err(full)));
            }
        }
    }
}
