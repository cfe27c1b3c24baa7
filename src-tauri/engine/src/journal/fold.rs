use crate::protocol::{EventRecord, SessionState};

/// Applies one event to a session's state.
pub fn apply(state: &mut SessionState, record: &EventRecord) {
    state.seq = record.seq;
}
