import { describe, expect, it } from "vitest";
import type { Event, EventRecord, Plan, SessionState, StepResult, StepState } from "@/ipc/bindings";
import { photoServerPlan, repairApproval, repairedPlan } from "@/ipc/demo/photoServer";
import { revisionOf } from "@/ipc/demo/revisionOf";
import { applyRecord, begin } from "./fold";

const AT = "2026-03-01T12:00:00Z";

function empty(): SessionState {
  return begin("s", "", "", AT);
}

function record(seq: number, event: Event): EventRecord {
  return { sessionId: "s", seq, at: AT, event };
}

function fold(state: SessionState, ...events: Event[]): SessionState {
  return events.reduce((now, event) => {
    const folded = applyRecord(now, record(now.seq + 1, event));
    if (folded.type !== "applied") throw new Error(`${event.type} did not fit`);
    return folded.state;
  }, state);
}

function misfits(state: SessionState, event: Event): boolean {
  return applyRecord(state, record(state.seq + 1, event)).type === "resync";
}

function result(stepId: string, attemptIndex: number, code: number): StepResult {
  return {
    stepId,
    attemptIndex,
    command: "true",
    cwd: "/w",
    exitStatus: { type: "code", code },
    stdout: "",
    stderr: "",
    output: "",
    omittedLines: 0,
    startedAt: AT,
    endedAt: AT,
    filesChanged: [],
    verify: null,
    leftovers: 0,
  };
}

const plan: Plan = photoServerPlan("p");
const begun: Event[] = [
  { type: "session-created", title: "Photos", cwd: "/w" },
  { type: "plan-generated", plan },
];
const running: Event[] = [
  ...begun,
  { type: "plan-confirmed", planId: "p", revision: 1, allowed: [] },
  { type: "plan-started", planId: "p", mode: "agentic" },
];

function starts(stepId: string, attempt: number): Event {
  const allowedBy = { type: "mode" } as const;
  return { type: "step-started", stepId, attempt, command: "true", cwd: "/w", revision: 1, allowedBy };
}

const pipFailed: Event[] = [
  ...running,
  starts("pip", 0),
  { type: "step-failed", result: result("pip", 0, 1), reason: "exit 1" },
];
const thinking: Event[] = [
  ...pipFailed,
  { type: "agent-thinking", stepId: "pip", asking: "field guide", about: "1 rule fits" },
];
const revised = revisionOf(plan, repairedPlan(plan), {
  author: { type: "agent", source: "guide:x" },
  reason: "headers",
  stepId: "pip",
});
const asked: Event[] = [
  ...thinking,
  revised,
  { type: "approval-needed", approval: repairApproval("a", AT, 2) },
];

function step(state: SessionState, id: string): StepState | undefined {
  return state.plan?.steps.find((candidate) => candidate.id === id)?.state;
}

describe("numbers", () => {
  it("ignores what it knows and another session's records", () => {
    const state = fold(empty(), ...begun);
    expect(applyRecord(state, record(2, { type: "budget-raised" })).type).toBe("known");
    const foreign = { ...record(3, { type: "budget-raised" }), sessionId: "other" };
    expect(applyRecord(state, foreign).type).toBe("known");
  });

  it("asks for a snapshot at a gap", () => {
    expect(applyRecord(fold(empty(), ...begun), record(4, { type: "budget-raised" })).type).toBe("resync");
  });

  it("asks for a snapshot at an event of a newer engine", () => {
    const unknown = { type: "moon-landed" } as unknown as Event;
    expect(misfits(fold(empty(), ...begun), unknown)).toBe(true);
  });

  it("changes nothing in the state that it was given", () => {
    const before = fold(empty(), ...asked);
    const copy = structuredClone(before);
    fold(before, {
      type: "approval-resolved",
      approvalId: "a",
      stepId: "headers",
      answer: { type: "never" },
      allowedBy: null,
    });
    expect(before).toEqual(copy);
  });
});

describe("sessions and plans", () => {
  it("begins with a title, a folder and the shell in it", () => {
    const state = fold(empty(), ...begun);
    expect(state).toMatchObject({ title: "Photos", cwd: "/w", shell: { cwd: "/w" }, seq: 2 });
    expect(state.revisions).toMatchObject([
      { revision: 1, author: { type: "runbook" }, reason: "Imported from INSTALL.md" },
    ]);
  });

  it("renames", () => {
    expect(fold(empty(), ...begun, { type: "session-renamed", title: "Other" }).title).toBe("Other");
  });

  it("goes from draft to ready to running in the mode given", () => {
    expect(fold(empty(), ...begun).plan?.state).toEqual({ type: "draft" });
    expect(fold(empty(), ...running.slice(0, 3)).plan?.state).toEqual({ type: "ready" });
    expect(fold(empty(), ...running).plan).toMatchObject({ state: { type: "running" }, mode: "agentic" });
  });

  it("pauses, changes mode, resumes", () => {
    const paused = fold(empty(), ...running, { type: "plan-paused", reason: { type: "user" } });
    expect(paused.plan?.state).toEqual({ type: "paused", reason: { type: "user" } });
    expect(fold(paused, { type: "mode-changed", mode: "teacher" }).plan?.mode).toBe("teacher");
    expect(fold(paused, { type: "plan-resumed", mode: "planner" }).plan).toMatchObject({
      state: { type: "running" },
      mode: "planner",
    });
  });

  it.each([
    [{ type: "plan-completed", steps: 7, repairs: 0, skipped: 0 }, { type: "completed" }],
    [
      { type: "plan-failed", code: "blocked", reason: "no" },
      { type: "failed", code: "blocked", reason: "no" },
    ],
    [{ type: "plan-cancelled", goneAt: AT }, { type: "cancelled" }],
    [{ type: "plan-rejected", planId: "p" }, { type: "cancelled" }],
  ] satisfies [Event, unknown][])("ends with %o and leaves nothing waiting", (end, state) => {
    const ended = fold(empty(), ...asked, end);
    expect(ended.plan?.state).toEqual(state);
    expect(ended.approvals).toEqual([]);
    expect(ended.plan?.steps.map((one) => one.state.type)).not.toContain("awaiting-approval");
    expect(step(ended, "pip")).toEqual({ type: "cancelled" });
  });

  it("does not take an event about a plan that is not there", () => {
    expect(misfits(empty(), { type: "plan-paused", reason: { type: "user" } })).toBe(true);
    expect(misfits(fold(empty(), ...begun), starts("nowhere", 0))).toBe(true);
  });
});

describe("steps", () => {
  it("runs and completes, keeping result and shell", () => {
    const started = fold(empty(), ...running, starts("look", 0));
    expect(step(started, "look")).toEqual({ type: "running", attempt: 0, startedAt: AT });
    expect(started.ledger).toMatchObject({ stepId: "look", attempt: 1, attemptsAllowed: 4 });
    expect(started.shellBefore).toEqual([{ stepId: "look", state: { cwd: "/w" } }]);
    const done = fold(started, {
      type: "step-completed",
      result: result("look", 0, 0),
      shell: { cwd: "/w/new" },
    });
    expect(step(done, "look")).toEqual({ type: "completed", attempt: 0 });
    expect(done.shell).toEqual({ cwd: "/w/new" });
    expect(done.results).toHaveLength(1);
  });

  it("never touches a completed step again", () => {
    const done = fold(empty(), ...running, starts("look", 0), {
      type: "step-completed",
      result: result("look", 0, 0),
      shell: null,
    });
    expect(misfits(done, { type: "step-reset", stepId: "look" })).toBe(true);
    expect(misfits(done, starts("look", 1))).toBe(true);
  });

  it("keeps the shell of the first attempt for the next", () => {
    const again = fold(empty(), ...pipFailed, starts("pip", 1));
    expect(again.ledger.attempt).toBe(2);
    expect(again.shellBefore).toHaveLength(1);
  });

  it.each([
    [{ type: "step-awaiting-run", stepId: "look" }, { type: "awaiting-run" }],
    [
      { type: "step-skipped", stepId: "look", reason: "not needed" },
      { type: "skipped", reason: "not needed" },
    ],
    [{ type: "step-cancelled", stepId: "look", result: null }, { type: "cancelled" }],
    [
      { type: "step-interrupted", stepId: "look", attempt: 0 },
      { type: "interrupted", attempt: 0 },
    ],
    [{ type: "step-reset", stepId: "look" }, { type: "pending" }],
  ] satisfies [Event, StepState][])("follows %o", (event, state) => {
    expect(step(fold(empty(), ...running, starts("look", 0), event), "look")).toEqual(state);
  });
});

describe("recovery", () => {
  it("shows the question on the failed step", () => {
    const state = fold(empty(), ...thinking);
    expect(step(state, "pip")).toEqual({ type: "recovering", attempt: 0, since: AT });
    expect(state.plan?.state).toEqual({ type: "recovering", stepId: "pip" });
    expect(state.thinking).toEqual({ stepId: "pip", asking: "field guide", about: "1 rule fits", since: AT });
  });

  it("keeps the states of steps over a revision and counts what was added", () => {
    const state = fold(empty(), ...thinking, revised);
    expect(state.plan?.revision).toBe(2);
    expect(step(state, "pip")?.type).toBe("recovering");
    expect(step(state, "headers")).toEqual({ type: "pending" });
    expect(state.ledger.added).toBe(1);
    expect(state.revisions.map((entry) => entry.revision)).toEqual([1, 2]);
    expect(state.thinking).toBeNull();
    expect(misfits(state, revised)).toBe(true);
    const others = { ...plan, steps: plan.steps.toReversed() };
    const ofOthers = revisionOf(others, { ...repairedPlan(others), revision: 3 }, revised);
    expect(misfits(state, ofOthers)).toBe(true);
  });

  it.each([
    ["retry", 1],
    ["modify", 1],
    ["insert_steps", 1],
    ["skip", 0],
    ["abort", 0],
  ] as const)("counts %s as %i correction", (action, corrections) => {
    const correction = { action, reasoning: "", source: "guide:x", confidence: null };
    const attempt: Event = { type: "correction-attempt", stepId: "pip", number: 1, correction };
    expect(fold(empty(), ...thinking, attempt).ledger.corrections).toBe(corrections);
  });

  it("ends the recovery when its step succeeds", () => {
    const state = fold(empty(), ...thinking, starts("pip", 1), {
      type: "step-completed",
      result: result("pip", 1, 0),
      shell: null,
    });
    expect(state.plan?.state).toEqual({ type: "running" });
  });

  it("gives up: the step fails in words, and the budget can be raised once", () => {
    const reason = { type: "step-retries", allowed: 3 } as const;
    const stuck = fold(empty(), ...thinking, {
      type: "agent-stuck",
      stepId: "pip",
      reason,
      alternatives: [],
    });
    expect(stuck.plan?.state).toEqual({ type: "stuck", stepId: "pip", reason });
    expect(step(stuck, "pip")).toEqual({
      type: "failed",
      attempt: 0,
      reason: "it still failed after 3 retries",
    });
    const raised = fold(stuck, { type: "budget-raised" });
    expect(raised.ledger).toMatchObject({ attemptsAllowed: 7, correctionsAllowed: 20 });
    expect(misfits(raised, { type: "budget-raised" })).toBe(true);
  });

  it.each([
    { type: "agent-error", stepId: "pip", message: "none" },
    { type: "retry-attempt", stepId: "pip", attempt: 1, allowed: 3, waitSeconds: 0 },
    { type: "correction-success", stepId: "pip", number: 1 },
    { type: "correction-failed", stepId: "pip", number: 1, reason: "no" },
    { type: "guidance-given", stepId: "pip", text: "try this" },
  ] satisfies Event[])("$type only ends the question", (event) => {
    const before = fold(empty(), ...thinking);
    expect(fold(before, event)).toEqual({ ...before, thinking: null, seq: before.seq + 1 });
  });

  it("tells of the wait before a step runs again until it does", () => {
    const wait = { type: "retry-attempt", stepId: "pip", attempt: 2, allowed: 4, waitSeconds: 8 } as const;
    const waiting = fold(empty(), ...thinking, wait);
    expect(waiting.retry).toMatchObject({ stepId: "pip", attempt: 2, allowed: 4 });
    expect(Date.parse(waiting.retry?.until ?? "")).not.toBeNaN();
    expect(fold(waiting, { ...wait, waitSeconds: 0 }).retry).toBeNull();
  });

  it("a budget warning leaves the question open", () => {
    const before = fold(empty(), ...thinking);
    const after = fold(before, { type: "budget-warning", corrections: 7, allowed: 10 });
    expect(after).toEqual({ ...before, seq: before.seq + 1 });
  });
});

describe("questions", () => {
  it("opens one per step and closes it with the answer", () => {
    const state = fold(empty(), ...asked);
    expect(state.approvals.map((open) => open.id)).toEqual(["a"]);
    expect(step(state, "headers")).toEqual({ type: "awaiting-approval", approvalId: "a" });
    const again = fold(state, { type: "approval-needed", approval: repairApproval("b", AT, 2) });
    expect(again.approvals.map((open) => open.id)).toEqual(["b"]);
    const answered = fold(again, {
      type: "approval-resolved",
      approvalId: "b",
      stepId: "headers",
      answer: { type: "allow-once", editedCommand: null },
      allowedBy: { type: "user" },
    });
    expect(answered.approvals).toEqual([]);
    expect(step(answered, "headers")).toEqual({ type: "pending" });
  });

  it("does not take an answer to a question that is not open", () => {
    const answer = { type: "never" } as const;
    const event: Event = {
      type: "approval-resolved",
      approvalId: "z",
      stepId: "headers",
      answer,
      allowedBy: null,
    };
    expect(misfits(fold(empty(), ...asked), event)).toBe(true);
  });

  it("is asked anew of another revision", () => {
    const state = fold(empty(), ...asked);
    const now = repairedPlan(plan);
    const by = { author: { type: "user" }, reason: "changed", stepId: null } as const;
    const again = fold(state, revisionOf(now, { ...now, revision: 3 }, by));
    expect(again.approvals).toEqual([]);
    expect(step(again, "headers")).toEqual({ type: "pending" });
    expect(again.plan?.mode).toBe("agentic");
  });

  it("drops the question with its step", () => {
    const skipped = fold(empty(), ...asked, { type: "step-skipped", stepId: "headers", reason: "no" });
    expect(skipped.approvals).toEqual([]);
  });
});

describe("what is kept and taken back", () => {
  const checkpoint = (stepId: string, attempt: number): Event => ({
    type: "checkpoint-created",
    checkpoint: {
      id: `${stepId}-${attempt}`,
      stepId,
      attempt,
      at: AT,
      covers: { type: "whole" },
      entries: 1,
      keptKib: 1,
    },
  });
  const ids = (state: SessionState) => state.checkpoints?.map(({ id }) => id);

  it("keeps the latest attempt of each step, and forgets the steps of a plan before", () => {
    const plan = photoServerPlan("p");
    const state = fold(
      empty(),
      { type: "plan-generated", plan },
      checkpoint("pip", 0),
      checkpoint("call", 0),
    );
    expect(ids(state)).toEqual(["pip-0", "call-0"]);
    const again = fold(state, checkpoint("pip", 1));
    expect(ids(again)).toEqual(["call-0", "pip-1"]);
    expect(ids(fold(again, { type: "plan-generated", plan: { ...plan, id: "q" } }))).toEqual(["call-0"]);
  });
});

describe("runs in a terminal", () => {
  const inTerminal = (attempt: number): Event => {
    const event = starts("pip", attempt);
    return event.type === "step-started" ? { ...event, terminal: true } : event;
  };

  it("are told of each step's latest, and end with the plan", () => {
    const first = fold(empty(), ...running, inTerminal(0));
    expect(first.terminals).toEqual([{ stepId: "pip", attempt: 0 }]);
    const again = fold(first, { type: "step-reset", stepId: "pip" }, inTerminal(1));
    expect(again.terminals).toEqual([{ stepId: "pip", attempt: 1 }]);
    expect(fold(again, { type: "plan-generated", plan: photoServerPlan("q") }).terminals).toEqual([]);
    expect(fold(empty(), ...running, starts("pip", 0)).terminals ?? []).toEqual([]);
  });
});
