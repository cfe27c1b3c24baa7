/** What the plan's view derives from a session. Pure. */
import type { Plan, SessionState, Step, StepId, StepKind, StepResult, StepState } from "@/ipc/bindings";
import { millisecondsBetween } from "@/shared/format";
import { isRunUnderWay } from "@/shared/steps";

/** The last result of each step. */
export function latestResults(results: StepResult[]): Map<StepId, StepResult> {
  return new Map(results.map((result) => [result.stepId, result]));
}

/** Steps that need no more attention. */
export function isSettled(step: Step): boolean {
  return step.state.type === "completed" || step.state.type === "skipped";
}

export function doneCount(plan: Plan): number {
  return plan.steps.reduce((count, step) => count + (isSettled(step) ? 1 : 0), 0);
}

/** The run can still go on. */
export function isOpen(plan: Plan): boolean {
  return isRunUnderWay(plan) || plan.state.type === "paused" || plan.state.type === "stuck";
}

/** The step where the eye should be: the living one, or else the one that stopped the run. */
export function currentStep(plan: Plan): Step | undefined {
  return (
    plan.steps.find((step) => holdsTheRun(step.state)) ??
    plan.steps.find((step) => step.state.type === "recovering")
  );
}

function holdsTheRun(state: StepState): boolean {
  switch (state.type) {
    case "awaiting-run":
    case "awaiting-approval":
    case "running":
    case "interrupted":
    case "failed":
      return true;
    case "recovering":
    case "pending":
    case "completed":
    case "skipped":
    case "cancelled":
      return false;
  }
}

/** What a step of each kind takes, roughly; the same as the card in a terminal. */
const SECONDS: Record<StepKind, number> = {
  analyze: 2,
  configure: 2,
  validate: 5,
  execute: 10,
  repair: 10,
  refactor: 20,
  test: 30,
  install: 45,
};

/** How long a step is thought to take: what it says, or what one of its kind usually takes. */
export function secondsOf({ estimateSeconds, kind }: Step): number {
  return estimateSeconds ?? SECONDS[kind];
}

/** Expected seconds of the whole plan: each step's own guess, else one for its kind. */
export function estimateOf(plan: Plan): number {
  return plan.steps.reduce((sum, step) => sum + secondsOf(step), 0);
}

/** Files and folders that the plan is known to touch, each once; those in the session's folder as seen from there. */
export function filesTouched(plan: Plan, folder: string): string[] {
  const inside = `${folder}/`;
  const short = new Set<string>();
  for (const step of plan.steps)
    for (const path of step.assessment?.effects.touches ?? [])
      if (path !== folder) short.add(path.startsWith(inside) ? path.slice(inside.length) : path);
  return [...short];
}

/** Made for something that was said in the conversation, which goes on when it is rejected. */
export function isForMessage(plan: Plan): boolean {
  return plan.origin.type === "model" && plan.origin.messageId !== null;
}

/** Milliseconds that commands ran, all attempts together. */
export function timeSpent(session: SessionState): number {
  return session.results.reduce(
    (sum, result) => sum + millisecondsBetween(result.startedAt, result.endedAt),
    0,
  );
}
