//! The conversation (C1 to C8): one turn from the user's words to the end of the work on them.

use super::{Session, not_now};
use crate::protocol::{EngineError, MessageId, Route};

impl Session {
    pub(super) async fn say(
        &mut self,
        _text: String,
        _route: Route,
        _replaces: Option<MessageId>,
    ) -> Result<bool, EngineError> {
        Err(not_now("say"))
    }

    pub(super) fn say_meanwhile(
        &mut self,
        _text: String,
        _route: Route,
        _replaces: Option<MessageId>,
    ) -> Result<(), EngineError> {
        Err(not_now("say"))
    }

    pub(super) fn interrupt(&mut self) -> Result<(), EngineError> {
        Err(not_now("interrupt"))
    }
}
