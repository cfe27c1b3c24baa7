import { expect, it } from "vitest";
import type { Event, SessionState } from "@/ipc/bindings";
import { applyRecord, begin } from "@/state/fold";
import { goalItems } from "./goalRows";

const moment = (seq: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, seq)).toISOString();

function fold(...events: Event[]): SessionState {
  return events.reduce(
    (state, event) => {
      const seq = state.seq + 1;
      const folded = applyRecord(state, { sessionId: "s", seq, at: moment(seq), event });
      if (folded.type !== "applied") throw new Error(`${event.type} did not fit`);
      return folded.state;
    },
    begin("s", "", "/w", moment(0)),
  );
}

const begins = (number: number, iteration: number, askedBy: "agent" | "user"): Event => ({
  type: "sub-goal-started",
  task: {
    number,
    todoId: `t${number}`,
    goal: `find ${number}`,
    askedBy,
    iteration,
    maxIterations: 8,
    maxTokens: null,
    maxCostMicros: null,
  },
});

it("shows the sub-goals that were begun together in one place, where they began", () => {
  const state = fold(
    { type: "goal-started", goalId: "g", request: { goal: "count", maxIterations: 9 } },
    begins(1, 1, "agent"),
    begins(2, 1, "agent"),
    begins(3, 1, "user"),
    begins(4, 2, "agent"),
  );
  const shown = goalItems(state).flatMap(({ key, at, part }) =>
    part.type === "branches" ? [{ key, at, numbers: part.subGoals.map((sub) => sub.task.number) }] : [],
  );
  expect(shown).toEqual([
    { key: "goal-branches 1", at: moment(2), numbers: [1, 2] },
    { key: "goal-branches 3", at: moment(4), numbers: [3] },
    { key: "goal-branches 4", at: moment(5), numbers: [4] },
  ]);
});
