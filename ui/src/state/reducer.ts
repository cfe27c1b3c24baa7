/* What the window knows, as one value and one pure function over the updates. No effect is done here: what must be fetched
   afterwards is named in `resync`, and the store fetches it. */
import type {
  Grant,
  ModelStatus,
  SessionId,
  SessionState,
  SessionSummary,
  Settings,
  Update,
} from "@/ipc/bindings";
import { isUnderWay } from "@/shared/goal";
import { isRunUnderWay } from "@/shared/steps";
import { applyRecord } from "./fold";
import { type LogEntry, logEntry } from "./log";
import { applyElsewhere, forgetGone, leave } from "./waiting";

export type AppState = {
  sessions: SessionSummary[];
  settings: Settings | null;
  grants: Grant[];
  /** Which models answer; null until the engine has said it. */
  models: ModelStatus | null;
  /** The session that is shown. */
  session: SessionState | null;
  /** Of the session that is shown. */
  log: LogEntry[];
  /** Whether the session that is shown was told to pause, and does when what runs has ended. */
  pausing: boolean;
  /** The session that must be opened again because an update did not fit. */
  resync: SessionId | null;
  /** Sessions that are not shown and ask something, in the order in which they began to. */
  waiting: SessionState[];
  /** Sessions that are not shown and ask something, whose state must be fetched first. */
  unread: SessionId[];
};

export const initialState: AppState = {
  sessions: [],
  settings: null,
  grants: [],
  models: null,
  session: null,
  log: [],
  pausing: false,
  resync: null,
  waiting: [],
  unread: [],
};

/** Streams are not state: the store hands them to `liveOutput` and `liveAnswer` and they change nothing here. */
export function applyUpdate(state: AppState, update: Update): AppState {
  switch (update.type) {
    case "event": {
      const { session } = state;
      if (update.record.sessionId !== session?.id) return applyElsewhere(state, update.record);
      const folded = applyRecord(session, update.record);
      switch (folded.type) {
        case "applied": {
          const entry = logEntry(update.record);
          return {
            ...state,
            session: folded.state,
            log: entry ? [...state.log, entry] : state.log,
            pausing: state.pausing && goesOn(folded.state),
          };
        }
        case "known":
          return state;
        case "resync":
          return state.resync === session.id ? state : { ...state, resync: session.id };
      }
      return state;
    }
    case "output":
    case "terminal":
    case "answer":
    case "forecast":
      return state;
    case "models":
      return { ...state, models: update.status };
    case "sessions":
      return forgetGone({ ...state, sessions: kept(state.sessions, update.sessions) });
    case "settings":
      return { ...state, settings: update.settings };
    case "grants":
      return { ...state, grants: update.grants };
    // The session is read again: what the engine could not write down is not to be shown.
    case "problem":
      return update.sessionId !== null && update.sessionId === state.session?.id
        ? { ...state, resync: update.sessionId }
        : state;
    default:
      return unreachable(update, state);
  }
}

/** The session is told to pause. One that does nothing any more has done so already. */
export function pauses(state: AppState, id: SessionId): AppState {
  return state.session?.id === id && goesOn(state.session) ? { ...state, pausing: true } : state;
}

function goesOn({ plan, goal }: SessionState): boolean {
  return (goal ? isUnderWay(goal) : false) || (plan ? isRunUnderWay(plan) : false);
}

/** A newer engine's kind of update is ignored. */
function unreachable(update: never, state: AppState): AppState {
  void update;
  return state;
}

/** Shows a snapshot. One that is older than what is known of the same session changes nothing. */
export function showSession(state: AppState, session: SessionState | null): AppState {
  const same = session !== null && session.id === state.session?.id;
  if (same && state.session && session.seq < state.session.seq) return { ...state, resync: null };
  const pausing = same && state.pausing && goesOn(session);
  return { ...leave(state, session?.id ?? null), session, log: same ? state.log : [], pausing, resync: null };
}

/** The list that came, with the entries that did not change as they were, so that their rows are not drawn again. */
function kept(before: SessionSummary[], now: SessionSummary[]): SessionSummary[] {
  const held = new Map(before.map((session) => [session.id, session]));
  return now.map((session) => {
    const same = held.get(session.id);
    return same && JSON.stringify(same) === JSON.stringify(session) ? same : session;
  });
}
