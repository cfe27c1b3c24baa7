import { describe, expect, it } from "vitest";
import type { Event, SessionState, Update } from "@/ipc/bindings";
import { olderSessions, olderState } from "@/ipc/demo/photoServer";
import { waitingSession } from "@/ipc/demo/safety";
import { type AppState, applyUpdate, initialState, showSession } from "./reducer";
import { keepWaiting, MAX_WAITING, unread } from "./waiting";

const asking = waitingSession(0);
const [first] = olderSessions(0).map(olderState) as [SessionState];
const [question] = asking.approvals as [SessionState["approvals"][number]];

function event(session: SessionState, event: Event, ahead = 1): Update {
  const seq = session.seq + ahead;
  return { type: "event", record: { sessionId: session.id, seq, at: "2026-03-01T12:00:00Z", event } };
}

const resolved: Extract<Event, { type: "approval-resolved" }> = {
  type: "approval-resolved",
  approvalId: question.id,
  stepId: question.stepId,
  answer: { type: "not-now" },
  allowedBy: null,
};

describe("questions elsewhere", () => {
  const shown = showSession(initialState, first);
  const known = keepWaiting(shown, asking);

  it("name the session to be read, once", () => {
    const asks = event(asking, { type: "approval-needed", approval: question });
    const next = applyUpdate(shown, asks);
    expect(next.unread).toEqual([asking.id]);
    expect(applyUpdate(next, asks)).toBe(next);
    expect(keepWaiting(next, asking)).toMatchObject({ unread: [], waiting: [{ id: asking.id }] });
  });

  it("are folded on until none is open", () => {
    const one = applyUpdate(known, event(asking, resolved));
    expect(one.waiting[0]?.approvals.map(({ id }) => id)).toEqual(["demo-waiting-fetch"]);
    const [left] = one.waiting as [SessionState];
    const rest: Event = { ...resolved, approvalId: "demo-waiting-fetch", stepId: "demo-call-fetch" };
    expect(applyUpdate(one, event(left, rest)).waiting).toEqual([]);
  });

  it("are read again at a gap", () => {
    expect(applyUpdate(known, event(asking, resolved, 5)).unread).toEqual([asking.id]);
  });

  it("move with the session that is shown", () => {
    const opened = showSession(known, asking);
    expect(opened.waiting).toEqual([]);
    const home = showSession(opened, null);
    expect(home.waiting.map(({ id }) => id)).toEqual([asking.id]);
    expect(showSession(showSession(initialState, first), null).waiting).toEqual([]);
  });

  it("go with a session that is no longer listed", () => {
    expect(applyUpdate(known, { type: "sessions", sessions: [] }).waiting).toEqual([]);
  });

  it("are bounded, and ask once for each", () => {
    const many = Array.from({ length: MAX_WAITING + 5 }, (_, at) => ({ ...asking, id: `s${at}` }));
    const full = many.reduce<AppState>(keepWaiting, initialState);
    expect(full.waiting).toHaveLength(MAX_WAITING);
    expect(unread(unread(initialState, "a"), "a").unread).toEqual(["a"]);
  });
});
