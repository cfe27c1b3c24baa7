import { describe, expect, it } from "vitest";
import type {
  ActionAuthor,
  CallOutcome,
  Event,
  EventRecord,
  GoalEnd,
  GoalState,
  NextAction,
  SessionState,
  Signal,
  Todo,
  ToolResult,
} from "@/ipc/bindings";
import { repairApproval } from "@/ipc/demo/photoServer";
import { applyRecord, begin } from "../fold";
import { MAX_GOAL_ACTIONS, MAX_GOAL_NOTES, MAX_TODO_CHANGES } from "./goal";

const AT = "2026-03-01T12:00:00Z";
const empty: SessionState = begin("s", "", "/w", AT);

function record(state: SessionState, event: Event): EventRecord {
  return { sessionId: "s", seq: state.seq + 1, at: AT, event };
}

function fold(state: SessionState, ...events: Event[]): SessionState {
  return events.reduce((now, event) => {
    const folded = applyRecord(now, record(now, event));
    if (folded.type !== "applied") throw new Error(`${event.type} did not fit`);
    return folded.state;
  }, state);
}

function misfits(state: SessionState, event: Event): boolean {
  return applyRecord(state, record(state, event)).type === "resync";
}

function goalOf(state: SessionState): GoalState {
  if (!state.goal) throw new Error("no goal");
  return state.goal;
}

const started: Event = {
  type: "goal-started",
  goalId: "g",
  request: { goal: "free 5 GB", maxIterations: 3 },
};

const todo = (id: string, status: Todo["status"] = "pending"): Todo => ({
  id,
  title: id,
  status,
  priority: "medium",
});

function signals(iteration: number, more: Partial<Signal> = {}): Event {
  const signal: Signal = {
    status: "executing",
    todos: [],
    nextAction: null,
    selfAssessment: `so ${iteration}`,
    completionEstimate: null,
    userInputNeeded: null,
    ...more,
  };
  return { type: "goal-signal-received", iteration, model: "m", signal };
}

function lists(author: "agent" | "user", iteration: number, ...todos: Todo[]): Event {
  return { type: "todos-changed", author, iteration, todos, userTodos: [] };
}

function proposes(actionId: string, more: Partial<NextAction> = {}, author: ActionAuthor = "agent"): Event {
  const action: NextAction = { type: "shell", content: "ls", rationale: "to see", ...more };
  return { type: "goal-action-proposed", actionId, iteration: 1, author, action };
}

function starts(callId: string, command = "ls"): Event {
  const action = { type: "shell", command } as const;
  return { type: "call-started", callId, action, cwd: "/w", allowedBy: { type: "mode" } };
}

function finishes(callId: string, outcome: CallOutcome = "success", content = "a b"): Event {
  const result: ToolResult = {
    callId,
    tool: "shell",
    outcome,
    content,
    output: content,
    omittedLines: 0,
    exitStatus: { type: "code", code: 0 },
    diffs: [],
    filesChanged: [],
    startedAt: AT,
    endedAt: AT,
  };
  return { type: "call-finished", result, shell: { cwd: "/w/sub" } };
}

const asks = (stepId: string): Event => ({
  type: "approval-needed",
  approval: { ...repairApproval("q", AT, 0), stepId },
});

const answers = (stepId: string): Event => ({
  type: "approval-resolved",
  approvalId: "q",
  stepId,
  answer: { type: "allow-once", editedCommand: null },
  allowedBy: { type: "user" },
});

const ends = (end: GoalEnd): Event => ({ type: "goal-ended", end, summary: "" });

describe("a goal", () => {
  it("begins with nothing done, and only one at a time", () => {
    const state = fold(empty, started);
    expect(goalOf(state)).toMatchObject({
      phase: { type: "working" },
      status: "planning",
      iteration: 0,
      iterationsAllowed: 3,
      todoNumber: 0,
    });
    expect(misfits(state, started)).toBe(true);
    const again = fold(state, ends({ type: "cancelled" }), { ...started, goalId: "h" } as Event);
    expect(goalOf(again).id).toBe("h");
    expect(misfits(empty, signals(1))).toBe(true);
  });

  it("takes in what the model says, and what it had been told before is settled", () => {
    const state = fold(
      empty,
      started,
      { type: "goal-guidance", text: "mind the logs" },
      { type: "goal-sent-back", reason: { type: "open-todos", ids: ["a"] } },
      { type: "goal-signal-rejected", iteration: 1, attempt: 1, allowed: 2, error: "no JSON", answer: "hm" },
      signals(1, { status: "complete", completionEstimate: 90 }),
      signals(2),
    );
    const goal = goalOf(state);
    expect(goal).toMatchObject({
      iteration: 2,
      status: "executing",
      assessment: "so 2",
      // What it does not say again still holds.
      completionEstimate: 90,
      sentBack: null,
      rejected: null,
      checking: false,
    });
    expect(goal.guidance).toEqual([{ text: "mind the logs", at: AT, iteration: 0, seen: true }]);
    expect(goal.reflections.map(({ text }) => text)).toEqual(["so 1", "so 2"]);
  });

  it("is being checked from `complete` on until it is sent back", () => {
    const state = fold(empty, started, signals(1, { status: "complete" }));
    expect(goalOf(state).checking).toBe(true);
    const back = fold(state, { type: "goal-sent-back", reason: { type: "verify-failed", result: "1" } });
    expect(goalOf(back)).toMatchObject({ checking: false, sentBack: { type: "verify-failed", result: "1" } });
  });

  it("numbers every list, and knows when a to-do moved", () => {
    const state = fold(
      empty,
      started,
      signals(1),
      lists("agent", 1, todo("a"), todo("b")),
      lists("user", 4, { ...todo("b"), title: "other", priority: "high" }, todo("a")),
    );
    expect(goalOf(state)).toMatchObject({ todoNumber: 2, movedIn: 1 });
    expect(goalOf(state).todoChanges.map(({ number, author }) => [number, author])).toEqual([
      [1, "agent"],
      [2, "user"],
    ]);
    const moved = fold(state, lists("agent", 5, todo("b", "completed"), todo("a")));
    expect(goalOf(moved).movedIn).toBe(5);
  });

  it("knows which open to-dos the last signal left out", () => {
    const todos = [todo("a"), todo("b", "completed"), todo("c")];
    const listed = fold(empty, started, signals(1, { todos }), {
      type: "todos-changed",
      iteration: 1,
      author: "agent",
      todos,
      userTodos: [],
    });
    expect(goalOf(listed).leftOut).toEqual([]);
    expect(goalOf(fold(listed, signals(2, { todos: [todo("a"), todo("d")] }))).leftOut).toEqual(["c"]);
    expect(goalOf(fold(listed, signals(2), signals(3, { todos }))).leftOut).toEqual([]);
  });

  it("holds a bounded part of it all", () => {
    let state = fold(empty, started);
    for (let number = 1; number <= MAX_GOAL_ACTIONS + 3; number += 1) {
      const text = "x".repeat(500);
      state = fold(
        state,
        signals(number),
        lists("agent", number, todo(String(number))),
        proposes(`a${number}`, { content: text }),
        starts(`a${number}`, text),
        finishes(`a${number}`, "success", text),
      );
    }
    const goal = goalOf(state);
    expect(goal.actions).toHaveLength(MAX_GOAL_ACTIONS);
    expect(goal.omittedActions).toBe(3);
    expect(goal.todoChanges).toHaveLength(MAX_TODO_CHANGES);
    expect(goal.reflections).toHaveLength(MAX_GOAL_NOTES);
    expect(goal.actions.at(-1)?.action.content).toHaveLength(500);
    expect(goal.actions[0]?.action.content).toHaveLength(401);
    expect(goal.actions[0]?.state).toMatchObject({ type: "ended", action: null, result: { output: null } });
  });
});

describe("an action", () => {
  it("goes the way of a call, and the shell goes with it", () => {
    const proposed = fold(empty, started, signals(1), proposes("a"));
    expect(goalOf(proposed).actions[0]).toMatchObject({ state: { type: "waiting" }, author: "agent" });
    const running = fold(proposed, starts("a"));
    expect(goalOf(running).actions[0]?.state.type).toBe("running");
    const done = fold(running, finishes("a"));
    expect(goalOf(done).actions[0]?.state).toMatchObject({ type: "ended", action: { command: "ls" } });
    expect(done.shell.cwd).toBe("/w/sub");
    expect(misfits(done, starts("a"))).toBe(true);
  });

  it("waits for its answer, and is the user's when they wrote another command", () => {
    const asked = fold(empty, started, signals(1), proposes("a"), asks("a"));
    expect(goalOf(asked).phase).toEqual({ type: "waiting", what: "approval" });
    expect(asked.approvals).toHaveLength(1);
    const allowed = fold(asked, answers("a"));
    expect(goalOf(allowed).phase).toEqual({ type: "working" });
    expect(allowed.approvals).toEqual([]);
    const run = fold(allowed, starts("a", "ls -a"));
    expect(goalOf(run).actions[0]).toMatchObject({ author: "user", action: { content: "ls -a" } });
  });

  it("of the check stays the check's, whatever is run for it", () => {
    const state = fold(empty, started, signals(1), proposes("v", {}, "verify"), starts("v", "ls -a"));
    expect(goalOf(state).actions[0]?.author).toBe("verify");
  });

  it("is taken over while it asks, and handed back with another command", () => {
    const asked = fold(empty, started, signals(1), proposes("a"), asks("a"));
    const taken = fold(asked, { type: "goal-action-taken-over", actionId: "a" });
    expect(goalOf(taken)).toMatchObject({ takenOver: "a", phase: { type: "waiting", what: "hand" } });
    expect(taken.approvals).toEqual([]);
    const back: Event = { type: "goal-action-handed-back", actionId: "a", note: "", command: "ls -l" };
    const given = fold(taken, back);
    expect(goalOf(given)).toMatchObject({ takenOver: null, phase: { type: "working" } });
    expect(goalOf(given).actions[0]).toMatchObject({ author: "user", action: { content: "ls -l" } });
    expect(misfits(asked, back)).toBe(true);
  });

  it("is not taken over once it has begun", () => {
    const state = fold(empty, started, signals(1), proposes("a"), starts("a"));
    expect(misfits(state, { type: "goal-action-taken-over", actionId: "a" })).toBe(true);
  });

  it("that was not run by its goal's end is withdrawn, with its question", () => {
    const state = fold(empty, started, signals(1), proposes("a"), asks("a"), ends({ type: "cancelled" }));
    expect(state.approvals).toEqual([]);
    expect(goalOf(state).actions[0]?.state).toMatchObject({
      type: "ended",
      action: null,
      result: { outcome: "declined", content: "It was not run." },
    });
    expect(goalOf(state)).toMatchObject({ endedAt: AT, phase: { type: "ended" } });
  });
});

describe("a question", () => {
  const question = { id: "q", text: "May I?", askedBy: "agent", actionId: "a" } as const;
  const asked = fold(empty, started, signals(1), proposes("a", { type: "user_input" }), {
    type: "goal-question-asked",
    question,
  });

  it("is waited with, also over a pause", () => {
    expect(goalOf(asked).phase).toEqual({ type: "waiting", what: "question" });
    const paused = fold(asked, { type: "goal-paused", reason: { type: "interrupted" } });
    expect(goalOf(paused)).toMatchObject({ question, phase: { type: "paused" } });
    const resumed = fold(paused, { type: "goal-resumed", iterationsAllowed: 3 });
    expect(goalOf(resumed).phase).toEqual({ type: "waiting", what: "question" });
  });

  it("is answered once", () => {
    const answer: Event = { type: "goal-question-answered", questionId: "q", text: "yes" };
    const state = fold(asked, answer);
    expect(goalOf(state)).toMatchObject({ question: null, phase: { type: "working" } });
    expect(misfits(state, answer)).toBe(true);
  });

  it("goes when its action is taken over", () => {
    expect(goalOf(fold(asked, { type: "goal-action-taken-over", actionId: "a" })).question).toBeNull();
  });
});

describe("going on", () => {
  it("begins afresh after an end, with what is allowed now", () => {
    const state = fold(
      empty,
      started,
      signals(3),
      { type: "goal-loop-noticed", kind: "cycle", iteration: 3, actions: [], reflectedBefore: false },
      ends({ type: "out-of-budget", budget: { type: "iterations", allowed: 3 } }),
      { type: "goal-resumed", iterationsAllowed: 6 },
    );
    expect(goalOf(state)).toMatchObject({
      phase: { type: "working" },
      iterationsAllowed: 6,
      looped: null,
      movedIn: 3,
      endedAt: null,
    });
  });

  it("is not for a goal that is reached, nor for one that goes on", () => {
    const resume: Event = { type: "goal-resumed", iterationsAllowed: 3 };
    expect(misfits(fold(empty, started), resume)).toBe(true);
    const reached = fold(empty, started, ends({ type: "complete", verified: true }));
    expect(misfits(reached, resume)).toBe(true);
  });
});
