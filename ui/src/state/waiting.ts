/* Sessions that are not shown and have an open question, so that no question waits unseen. Each is a whole state, folded on
   like the shown one: whatever takes a question back takes it back here too. Pure. */
import type { Event, EventRecord, SessionId, SessionState } from "@/ipc/bindings";
import { applyRecord } from "./fold";
import type { AppState } from "./reducer";

/** Sessions kept in mind; of more than these the user sees the list's "waiting for you". */
export const MAX_WAITING = 20;

/** An event of a session that is not shown. */
export function applyElsewhere(state: AppState, record: EventRecord): AppState {
  const known = state.waiting.find((session) => session.id === record.sessionId);
  if (!known) return asks(record.event) ? unread(state, record.sessionId) : state;
  const folded = applyRecord(known, record);
  switch (folded.type) {
    case "applied":
      return keepWaiting(state, folded.state);
    case "known":
      return state;
    case "resync":
      return unread(state, record.sessionId);
  }
}

function asks(event: Event): boolean {
  return event.type === "approval-needed" || event.type === "secret-needed";
}

/** Takes in a session as it is now; one without a question, or the shown one, is let go. */
export function keepWaiting(state: AppState, session: SessionState): AppState {
  const open = session.approvals.length > 0 || (session.secrets ?? []).length > 0;
  if (!open || session.id === state.session?.id) return forget(state, session.id);
  const known = state.waiting.some((other) => other.id === session.id);
  const waiting = known
    ? state.waiting.map((other) => (other.id === session.id ? session : other))
    : [...state.waiting, session].slice(-MAX_WAITING);
  return { ...state, waiting, unread: state.unread.filter((id) => id !== session.id) };
}

export function unread(state: AppState, id: SessionId): AppState {
  return state.unread.includes(id) ? state : { ...state, unread: [...state.unread, id] };
}

export function forget(state: AppState, id: SessionId): AppState {
  return {
    ...state,
    waiting: state.waiting.filter((session) => session.id !== id),
    unread: state.unread.filter((other) => other !== id),
  };
}

/** The shown session gives way to another one, or to none. */
export function leave(state: AppState, to: SessionId | null): AppState {
  const { session } = state;
  if (session?.id === to) return state;
  const left = session ? keepWaiting({ ...state, session: null }, session) : state;
  return to === null ? left : forget(left, to);
}

/** Sessions that are no longer in the list ask nothing any more. */
export function forgetGone(state: AppState): AppState {
  const listed = new Set(state.sessions.map((session) => session.id));
  if (state.waiting.every((session) => listed.has(session.id))) return state;
  return { ...state, waiting: state.waiting.filter((session) => listed.has(session.id)) };
}
