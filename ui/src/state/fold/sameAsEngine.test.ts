/* The engine writes this record with what it folds it to (`journal/tests/page.rs`); the page must come to the same. */
import { describe, expect, it } from "vitest";
import type { EventRecord, SessionState } from "@/ipc/bindings";
import recorded from "../../../../tests/support/fixtures/goal.json?raw";
import { applyRecord, begin } from "../fold";

type Kept = { seq: number } & Pick<SessionState, "goal" | "approvals" | "usage">;
type Recorded = { sessionId: string; records: EventRecord[]; states: Kept[] };

describe("a record of a goal", () => {
  const { sessionId, records, states }: Recorded = JSON.parse(recorded);

  it("folds to what the engine folds it to, wherever it waits, pauses or ends", () => {
    const expected = new Map(states.map(({ seq, ...state }) => [seq, state]));
    expect(expected.size).toBeGreaterThan(20);
    let state = begin(sessionId, "", "", "2026-03-01T12:00:00Z");
    for (const record of records) {
      const folded = applyRecord(state, record);
      if (folded.type !== "applied") throw new Error(`${record.seq} ${record.event.type}: ${folded.type}`);
      state = folded.state;
      const kept = expected.get(record.seq);
      if (!kept) continue;
      const { goal, approvals, usage } = state;
      expect({ seq: record.seq, goal, approvals, usage }).toStrictEqual({ seq: record.seq, ...kept });
    }
  });
});
