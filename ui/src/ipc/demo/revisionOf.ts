/* What the engine would record of a change to a plan: the one stretch of steps in which the two differ. Pure. */
import type { Author, Event, Plan, Step, StepId, StepSplice } from "../bindings";

type By = { author: Author; reason: string; stepId: StepId | null };

export function revisionOf(before: Plan, after: Plan, by: By): Extract<Event, { type: "plan-revised" }> {
  const { id: planId, revision, originalSteps } = after;
  const changes = changesBetween(before.steps, after.steps);
  return { type: "plan-revised", planId, revision, originalSteps, changes, ...by };
}

export function changesBetween(before: Step[], after: Step[]): StepSplice[] {
  const [first, last] = [sameFrom(before, after), sameFrom(before.toReversed(), after.toReversed())];
  const shorter = Math.min(before.length, after.length);
  const behind = Math.min(last, shorter - first);
  const removed = before.slice(first, before.length - behind);
  const inserted = after.slice(first, after.length - behind);
  return removed.length + inserted.length === 0 ? [] : [{ at: first, removed, inserted }];
}

/** How many steps are as they were, from the front. */
function sameFrom(before: Step[], after: Step[]): number {
  const definition = (step: Step | undefined) => JSON.stringify({ ...step, index: 0, state: null });
  const differs = before.findIndex((step, at) => definition(step) !== definition(after[at]));
  return differs < 0 ? Math.min(before.length, after.length) : differs;
}
