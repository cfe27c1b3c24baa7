import { describe, expect, it } from "vitest";
import type { Plan, SessionState, Update } from "@/ipc/bindings";
import { olderSessions, olderState, photoServerPlan } from "@/ipc/demo/photoServer";
import { applyUpdate, initialState, pauses, showSession } from "./reducer";

const [first, second] = olderSessions(0).map(olderState) as [SessionState, SessionState];

function renamed(session: SessionState, seq: number, title: string): Update {
  return {
    type: "event",
    record: {
      sessionId: session.id,
      seq,
      at: "2026-03-01T12:00:00Z",
      event: { type: "session-renamed", title },
    },
  };
}

describe("applyUpdate", () => {
  const shown = showSession(initialState, first);

  it("folds the next event of the session that is shown", () => {
    const next = applyUpdate(shown, renamed(first, first.seq + 1, "New"));
    expect(next.session?.title).toBe("New");
    expect(next.resync).toBeNull();
  });

  it("leaves other sessions' events alone", () => {
    expect(applyUpdate(shown, renamed(second, second.seq + 1, "New"))).toBe(shown);
  });

  it("names the session to open again at a gap, and is done with it at the snapshot", () => {
    const gap = applyUpdate(shown, renamed(first, first.seq + 3, "New"));
    expect(gap.resync).toBe(first.id);
    expect(gap.session).toBe(shown.session);
    const fresh = showSession(gap, { ...first, seq: first.seq + 3, title: "New" });
    expect(fresh).toMatchObject({ resync: null, session: { title: "New" } });
  });

  it("keeps what is newer than a late snapshot", () => {
    const next = applyUpdate(shown, renamed(first, first.seq + 1, "New"));
    expect(showSession(next, first).session?.title).toBe("New");
  });

  it("logs what the state does not keep, and forgets it with the session", () => {
    const event = { type: "guidance-given", stepId: "step-0", text: "try this" } as const;
    const record = { sessionId: first.id, seq: first.seq + 1, at: "2026-03-01T12:00:00Z", event };
    const next = applyUpdate(shown, { type: "event", record });
    expect(next.log).toMatchObject([{ type: "guidance", text: "try this" }]);
    expect(showSession(next, second).log).toEqual([]);
  });

  it("waits for a pause until the run stands still, and for none that nothing runs for", () => {
    const plan: Plan = { ...photoServerPlan("plan"), state: { type: "running" } };
    const running: SessionState = { ...first, plan };
    const told = pauses(showSession(initialState, running), first.id);
    expect(told.pausing).toBe(true);
    expect(applyUpdate(told, renamed(first, first.seq + 1, "New")).pausing).toBe(true);
    expect(showSession(told, second).pausing).toBe(false);
    expect(pauses(told, second.id)).toBe(told);
    const event = { type: "plan-paused", reason: { type: "user" } } as const;
    const record = { sessionId: first.id, seq: first.seq + 1, at: "2026-03-01T12:00:00Z", event };
    const paused = applyUpdate(told, { type: "event", record });
    expect(paused.pausing).toBe(false);
    // The answer to the command may come behind the event.
    expect(pauses(paused, first.id).pausing).toBe(false);
  });

  it("keeps the sessions of a list that did not change as they were", () => {
    const before = applyUpdate(shown, { type: "sessions", sessions: olderSessions(0) });
    const came = olderSessions(0).map((session, at) => (at === 0 ? { ...session, title: "other" } : session));
    const { sessions } = applyUpdate(before, { type: "sessions", sessions: came });
    expect(sessions[0]).toEqual(came[0]);
    expect(sessions[1]).toBe(before.sessions[1]);
  });

  it("takes lists whole, and output not at all", () => {
    const sessions = olderSessions(0);
    expect(applyUpdate(shown, { type: "sessions", sessions }).sessions).toEqual(sessions);
    expect(applyUpdate(shown, { type: "settings", settings: { theme: "dark" } }).settings?.theme).toBe(
      "dark",
    );
    expect(applyUpdate(shown, { type: "grants", grants: [] }).grants).toEqual([]);
    const output: Update = { type: "output", sessionId: first.id, stepId: "x", attempt: 0, chunks: [] };
    expect(applyUpdate(shown, output)).toBe(shown);
  });

  it("ignores a kind of update that it does not know", () => {
    expect(applyUpdate(shown, { type: "weather" } as unknown as Update)).toBe(shown);
  });
});
