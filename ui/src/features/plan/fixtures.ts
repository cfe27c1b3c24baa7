/** Sessions in the states that the plan's tests look at. Made from the demonstration's data; no part of the program uses them. */
import type {
  Checkpoint,
  Mode,
  Plan,
  PlanState,
  SessionState,
  Step,
  StepId,
  StepResult,
  StepState,
  UndoRecord,
} from "@/ipc/bindings";
import {
  DEMO_FOLDER,
  demoStep,
  indexed,
  photoServerPlan,
  REVISION_REASON,
  repairApproval,
  repairedPlan,
  transcript,
} from "@/ipc/demo/photoServer";
import { changesBetween } from "@/ipc/demo/revisionOf";
import { commandOf } from "@/shared/steps";
import { begin, freshLedger } from "@/state/fold";

const START = Date.parse("2026-03-02T14:02:00Z");
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** A session around a plan, with one revision and nothing run. */
export function sessionWith(plan: Plan, more: Partial<SessionState> = {}): SessionState {
  return {
    ...begin("session", plan.title, DEMO_FOLDER, at(0)),
    seq: 3,
    plan,
    revisions: [
      {
        revision: plan.revision,
        author: { type: "runbook" },
        reason: "Imported from INSTALL.md",
        stepId: null,
        at: at(0),
        changes: [],
      },
    ],
    ...more,
  };
}

export function withStates(plan: Plan, state: PlanState, states: Record<StepId, StepState>): Plan {
  return {
    ...plan,
    state,
    steps: plan.steps.map((step) => ({ ...step, state: states[step.id] ?? step.state })),
  };
}

export function resultOf(step: Step, more: Partial<StepResult> = {}): StepResult {
  const { lines, millis } = transcript[step.id] ?? { lines: ["done"], millis: 1000 };
  return {
    stepId: step.id,
    attemptIndex: 0,
    command: commandOf(step),
    cwd: DEMO_FOLDER,
    exitStatus: { type: "code", code: 0 },
    stdout: lines.join("\n"),
    stderr: "",
    output: lines.join("\n"),
    omittedLines: 0,
    startedAt: at(0),
    endedAt: new Date(START + millis).toISOString(),
    filesChanged: [],
    verify: null,
    leftovers: 0,
    ...more,
  };
}

const DONE: StepState = { type: "completed", attempt: 0 };
const FIRST_THREE = { look: DONE, clone: DONE, venv: DONE };

function results(plan: Plan): StepResult[] {
  return plan.steps
    .filter((step) => ["completed", "failed", "recovering"].includes(step.state.type))
    .map((step) => (step.state.type === "completed" ? resultOf(step) : failedResult(step)));
}

function failedResult(step: Step): StepResult {
  const lines = transcript[step.id]?.failsFirst ?? ["no such file"];
  return resultOf(step, {
    exitStatus: { type: "code", code: 1 },
    output: lines.join("\n"),
    stderr: lines.join("\n"),
    endedAt: at(6.2),
  });
}

export const draftSession = (mode: Mode = "agentic"): SessionState =>
  sessionWith({ ...photoServerPlan("plan"), mode });

/** A draft with a dangerous step in it, unlike the demonstration's page. */
export function dangerousDraft(): SessionState {
  const plan = photoServerPlan("plan");
  const command = "rm -rf ~/photo-server/cache";
  const step = demoStep("clear", "Clear the old cache", command, "execute", "dangerous", {
    assessment: {
      risk: "dangerous",
      reasons: [
        { risk: "dangerous", text: "deletes a folder and everything in it", fragment: "rm -rf", start: 0 },
      ],
      effects: { deletes: true, touches: [`${DEMO_FOLDER}/cache`] },
      undo: { type: "cannot", why: "deleted files are not kept" },
    },
  });
  return sessionWith({ ...plan, steps: indexed([...plan.steps, step]) });
}

/** Agentic: the fourth step failed and a repair is looked for. */
export function analysing(): SessionState {
  const plan = withStates(
    photoServerPlan("plan"),
    { type: "recovering", stepId: "pip" },
    {
      ...FIRST_THREE,
      pip: { type: "recovering", attempt: 0, since: at(20) },
    },
  );
  return sessionWith(plan, {
    results: results(plan),
    ledger: { ...freshLedger(), stepId: "pip", attempt: 1 },
    thinking: {
      stepId: "pip",
      asking: "field guide",
      about: "1 rule fits",
      since: new Date(Date.now() - 400).toISOString(),
    },
  });
}

/** Agentic, r2: the repair step in the given state, the failed one after it. */
export function repairing(state: StepState): SessionState {
  const first = photoServerPlan("plan");
  const plan = withStates(
    repairedPlan(first),
    { type: "running" },
    {
      ...FIRST_THREE,
      headers: state,
      pip: { type: "recovering", attempt: 0, since: at(20) },
    },
  );
  const session = sessionWith(plan, {
    results: results(plan),
    ledger: { ...freshLedger(), stepId: "pip", attempt: 1, corrections: 1, added: 1 },
  });
  return {
    ...session,
    revisions: [
      ...sessionWith(first).revisions,
      {
        revision: 2,
        author: { type: "agent", source: "guide:pip-missing-header" },
        reason: REVISION_REASON,
        stepId: "pip",
        at: at(21),
        changes: changesBetween(first.steps, plan.steps),
      },
    ],
  };
}

export const repairRunning = (): SessionState =>
  repairing({ type: "running", attempt: 0, startedAt: new Date(Date.now() - 12_000).toISOString() });

export const repairAsked = (): SessionState => ({
  ...repairing({ type: "awaiting-approval", approvalId: "approval" }),
  approvals: [repairApproval("approval", at(22), 2)],
});

export function teaching(): SessionState {
  const plan = withStates(
    { ...photoServerPlan("plan"), mode: "teacher" },
    { type: "running" },
    {
      look: DONE,
      clone: { type: "awaiting-run" },
    },
  );
  return sessionWith(plan, { results: results(plan) });
}

export function stuck(): SessionState {
  const plan = withStates(
    photoServerPlan("plan"),
    { type: "stuck", stepId: "pip", reason: { type: "no-progress" } },
    {
      ...FIRST_THREE,
      pip: { type: "failed", attempt: 1, reason: "It ended with exit status 1." },
    },
  );
  return sessionWith(plan, {
    results: results(plan),
    ledger: { ...freshLedger(), stepId: "pip", attempt: 2, corrections: 2 },
  });
}

/** A run in Planner that stopped at its fourth step. */
export function failed(): SessionState {
  const plan = withStates(
    { ...photoServerPlan("plan"), mode: "planner" },
    {
      type: "failed",
      code: "step-failed",
      reason: "“Install the Python packages” ended with exit status 1.",
    },
    { ...FIRST_THREE, pip: { type: "failed", attempt: 0, reason: "It ended with exit status 1." } },
  );
  return sessionWith(plan, { results: results(plan) });
}

export function interrupted(): SessionState {
  const plan = withStates(
    photoServerPlan("plan"),
    { type: "paused", reason: { type: "interrupted" } },
    {
      ...FIRST_THREE,
      pip: { type: "interrupted", attempt: 0 },
    },
  );
  return sessionWith(plan, { results: results(plan) });
}

/** The disk filled up between two steps. */
export function withoutRoom(folder: string): SessionState {
  const plan = withStates(
    photoServerPlan("plan"),
    { type: "paused", reason: { type: "no-room", folder } },
    FIRST_THREE,
  );
  return sessionWith(plan, { results: results(plan) });
}

export function completed(): SessionState {
  const plan = repairedPlan(photoServerPlan("plan"));
  const done = withStates(
    plan,
    { type: "completed" },
    Object.fromEntries(plan.steps.map((step) => [step.id, DONE])),
  );
  return { ...repairRunning(), plan: done, results: results(done) };
}

/** A step's files as kept before it ran. */
export function checkpointOf(stepId: StepId, more: Partial<Checkpoint> = {}): Checkpoint {
  const checkpoint: Checkpoint = {
    id: `kept-${stepId}`,
    stepId,
    attempt: 0,
    at: at(1),
    covers: { type: "whole" },
    entries: 10,
    keptKib: 4,
  };
  return { ...checkpoint, ...more };
}

/** A run that has ended, with what was kept before three of its steps. */
export function kept(): SessionState {
  const session = completed();
  const files: Record<StepId, string[]> = { clone: ["manage.py", "setup.py"], migrate: ["db.sqlite3"] };
  return {
    ...session,
    results: session.results.map((result) => ({
      ...result,
      filesChanged: (files[result.stepId] ?? []).map((file) => `${DEMO_FOLDER}/${file}`),
    })),
    checkpoints: [
      checkpointOf("clone"),
      checkpointOf("venv"),
      checkpointOf("pip", { covers: { type: "partly", why: "not kept: packages that it installs" } }),
      checkpointOf("migrate", { at: at(30) }),
    ],
  };
}

/** The failed step's changes were put back by the plan itself. */
export function rolledBack(): SessionState {
  const session = failed();
  return {
    ...session,
    results: session.results.map((result) =>
      result.stepId === "pip"
        ? { ...result, filesChanged: [`${DEMO_FOLDER}/pip.log`, `${DEMO_FOLDER}/mine.txt`] }
        : result,
    ),
    checkpoints: [checkpointOf("pip")],
    undone: [
      undoRecord("rollback-1", {
        by: "rollback",
        steps: ["pip"],
        target: { type: "step", stepId: "pip" },
        restored: 0,
        trashed: 1,
        skipped: [{ path: `${DEMO_FOLDER}/mine.txt`, why: "It has changed since." }],
      }),
    ],
  };
}

/** Held back, because what it would change could not be kept. */
export function notKept(): SessionState {
  const why = "There is no room to keep what the step would change. Make room on the disk, then go on.";
  const plan = withStates(
    photoServerPlan("plan"),
    { type: "paused", reason: { type: "not-kept", stepId: "pip", why } },
    FIRST_THREE,
  );
  return sessionWith(plan, { results: results(plan) });
}

export function undoRecord(id: string, more: Partial<UndoRecord> = {}): UndoRecord {
  const undo: UndoRecord = {
    id,
    target: { type: "plan", planId: "plan" },
    steps: ["migrate", "clone"],
    restored: 1,
    recreated: 0,
    trashed: 1,
    skipped: [],
    by: "user",
    at: at(60),
    undoneBy: null,
  };
  return { ...undo, ...more };
}

/** A plan of many steps, not started. */
export function longPlan(count: number): SessionState {
  const steps = Array.from({ length: count }, (_, index) =>
    demoStep(
      `step-${index}`,
      `Part ${index + 1} of the page`,
      `./part-${index + 1}.sh`,
      "execute",
      "caution",
    ),
  );
  return sessionWith({
    ...photoServerPlan("long"),
    steps: indexed(steps),
    originalSteps: count,
    state: { type: "ready" },
  });
}
