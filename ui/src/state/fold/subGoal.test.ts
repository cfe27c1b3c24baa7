import { describe, expect, it } from "vitest";
import type { Event, GoalState, SessionState, Signal, SubGoal, SubGoalTask } from "@/ipc/bindings";
import { applyRecord, begin } from "../fold";
import { MAX_SUB_GOALS } from "./subGoal";

const AT = "2026-03-01T12:00:00Z";

function fold(state: SessionState, ...events: Event[]): SessionState {
  return events.reduce((now, event) => {
    const folded = applyRecord(now, { sessionId: "s", seq: now.seq + 1, at: AT, event });
    if (folded.type !== "applied") throw new Error(`${event.type} did not fit`);
    return folded.state;
  }, state);
}

function misfits(state: SessionState, event: Event): boolean {
  return applyRecord(state, { sessionId: "s", seq: state.seq + 1, at: AT, event }).type === "resync";
}

const task = (number: number): SubGoalTask => ({
  number,
  todoId: `t${number}`,
  goal: `find ${number}`,
  askedBy: "agent",
  iteration: 1,
  maxIterations: 8,
  maxTokens: null,
  maxCostMicros: null,
});

const begins = (number: number): Event => ({ type: "sub-goal-started", task: task(number) });
const ends = (number: number): Event => ({
  type: "sub-goal-ended",
  number,
  end: { type: "complete" },
  synthesis: "Two.",
});

const signal: Signal = {
  status: "executing",
  todos: [{ id: "own", title: "look", status: "pending", priority: "low" }],
  nextAction: { type: "shell", content: "cat fish", rationale: "to see" },
  selfAssessment: "I look.",
  completionEstimate: null,
  userInputNeeded: null,
};

const says = (number: number, iteration: number): Event => ({
  type: "sub-goal-signal-received",
  number,
  iteration,
  model: "m",
  signal,
});

const acts = (number: number, actionId: string): Event => ({
  type: "sub-goal-action-proposed",
  number,
  actionId,
  iteration: 1,
  action: { type: "shell", content: "cat fish", rationale: "to see" },
});

const runs = (callId: string): Event => ({
  type: "call-started",
  callId,
  action: { type: "shell", command: "cat fish" },
  cwd: "/w",
  allowedBy: { type: "mode" },
  terminal: false,
});

const gives = (callId: string, content: string): Event => ({
  type: "call-finished",
  shell: null,
  result: {
    callId,
    tool: "shell",
    outcome: "success",
    content,
    output: content,
    omittedLines: 0,
    exitStatus: null,
    diffs: [],
    filesChanged: [],
    moreFilesChanged: 0,
    startedAt: AT,
    endedAt: AT,
  },
});

const pursued = fold(begin("s", "", "/w", AT), {
  type: "goal-started",
  goalId: "g",
  request: { goal: "count", maxIterations: 9 },
});

function goalOf({ goal }: SessionState): GoalState {
  if (!goal) throw new Error("no goal");
  return goal;
}

function sub(state: SessionState, number: number): SubGoal {
  const found = goalOf(state).subGoals.find((one) => one.task.number === number);
  if (!found) throw new Error("no such sub-goal");
  return found;
}

describe("sub-goals", () => {
  it("says, does and ends, each for itself, and the goal's own work stays apart", () => {
    const both = fold(pursued, begins(1), begins(2), says(2, 1), acts(2, "x"), runs("x"));
    expect(sub(both, 1).iteration).toBe(0);
    expect(sub(both, 2)).toMatchObject({ iteration: 1, movedIn: 1, assessment: "I look." });
    expect(sub(both, 2).actions[0]?.state.type).toBe("running");
    const over = fold(both, gives("x", "12"), ends(2));
    expect(sub(over, 2)).toMatchObject({ end: { type: "complete" }, synthesis: "Two.", seen: false });
    expect(sub(over, 2).actions[0]?.state).toMatchObject({ type: "ended", result: { content: "12" } });
    expect(goalOf(over).actions).toEqual([]);
    expect(goalOf(over).phase).toEqual({ type: "working" });
    const next = fold(over, { type: "goal-signal-received", iteration: 2, model: "m", signal });
    expect([sub(next, 1).seen, sub(next, 2).seen]).toEqual([false, true]);
  });

  it("takes no number twice, and nothing after its end", () => {
    const one = fold(pursued, begins(1));
    expect(misfits(one, begins(1))).toBe(true);
    expect(misfits(one, begins(3))).toBe(true);
    expect(misfits(one, says(2, 1))).toBe(true);
    const over = fold(one, acts(1, "x"), ends(1));
    expect(sub(over, 1).actions[0]?.state).toMatchObject({
      type: "ended",
      result: { outcome: "declined", content: "It was not run." },
    });
    for (const late of [ends(1), says(1, 1), acts(1, "y"), runs("x")]) expect(misfits(over, late)).toBe(true);
  });

  it("counts what each used, and the session all of it", () => {
    const usage = { inputTokens: 10, outputTokens: 1, cachedTokens: 0, calls: 1, costMicros: 5 };
    const used = (subGoal: number | null): Event => ({
      type: "model-used",
      purpose: "goal",
      model: "m",
      usage: { ...usage, unpricedCalls: 0 },
      subGoal,
    });
    const state = fold(pursued, begins(1), begins(2), used(null), used(1), used(1), ends(2), used(2));
    expect(sub(state, 1).usage).toMatchObject({ inputTokens: 20, calls: 2, costMicros: 10 });
    expect(sub(state, 2).usage.calls).toBe(1);
    expect(state.usage.calls).toBe(4);
  });

  it("waits for its model beside the conversation, until it says something or ends", () => {
    const waits = (subGoal: number): Event => ({
      type: "model-retrying",
      purpose: "goal",
      model: "m",
      attempt: 1,
      allowed: 4,
      waitMillis: 500,
      reason: "Busy.",
      subGoal,
    });
    const both = fold(pursued, begins(1), begins(2), waits(2));
    expect(sub(both, 2).retrying).toMatchObject({ attempt: 1, allowed: 4, waitMillis: 500, reason: "Busy." });
    expect(sub(both, 1).retrying).toBeNull();
    expect(both.conversation).toEqual(pursued.conversation);
    expect(sub(fold(both, says(2, 1)), 2).retrying).toBeNull();
    const over = fold(both, ends(2), waits(2));
    expect(sub(over, 2).retrying).toBeNull();
  });

  it("stays bounded: old actions are cut, and the oldest that ended go", () => {
    const long = "x".repeat(2_000);
    const five = ["a", "b", "c", "d", "e"].flatMap((id) => [acts(1, id), runs(id), gives(id, long)]);
    const worked = fold(pursued, begins(1), ...five);
    const lengths = sub(worked, 1).actions.map(({ state }) =>
      state.type === "ended" ? state.result.content.length : 0,
    );
    expect(lengths).toEqual([401, 401, 2_000, 2_000, 2_000]);
    const many = Array.from({ length: 20 }, (_, at) => [begins(at + 2), ends(at + 2)]).flat();
    const all = fold(worked, ...many);
    expect(goalOf(all).subGoals).toHaveLength(MAX_SUB_GOALS);
    expect(goalOf(all).subGoalCount).toBe(21);
    // The one that is under way is never let go.
    expect(sub(all, 1).end).toBeNull();
  });
});
