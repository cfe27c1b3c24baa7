/* What the user's edits on the confirmation card make of a draft, as the engine would record it. Pure. */
import type { Command, Event, GivenValue, Plan, PlanInput, Step } from "../bindings";
import { demoStep, indexed } from "./photoServer";
import { revisionOf } from "./revisionOf";

type DraftEdit = Extract<Command, { type: "add-step" | "remove-step" | "move-step" }>;

/** Null when the edit names no step of the plan, or would leave none. */
export function revisedDraft(plan: Plan, edit: DraftEdit, newId: string): Event | null {
  const changed = edited(plan.steps, edit, newId);
  if (!changed) return null;
  const steps = indexed(changed.steps);
  const revised = { ...plan, revision: plan.revision + 1, originalSteps: steps.length, steps };
  const stepId = edit.type === "add-step" ? newId : edit.stepId;
  return revisionOf(plan, revised, { author: { type: "user" }, reason: changed.reason, stepId });
}

/** Null when each has the value already. */
export function withValues(plan: Plan, values: GivenValue[]): Event | null {
  let changed = false;
  const inputs = (plan.inputs ?? []).map((input): PlanInput => {
    const given = values.find(({ name }) => name === input.name)?.value;
    if (given === undefined) return input;
    const value: PlanInput["value"] =
      given === "" ? null : input.kind === "secret" ? { type: "secret" } : { type: "plain", text: given };
    changed ||= JSON.stringify(value) !== JSON.stringify(input.value ?? null);
    return { ...input, value };
  });
  if (!changed) return null;
  const by = { author: { type: "user" as const }, reason: "You gave a value.", stepId: null };
  return { ...revisionOf(plan, { ...plan, revision: plan.revision + 1 }, by), inputs };
}

function edited(steps: Step[], edit: DraftEdit, newId: string): { steps: Step[]; reason: string } | null {
  switch (edit.type) {
    case "add-step": {
      const at = edit.after === null ? 0 : steps.findIndex((step) => step.id === edit.after) + 1;
      if (edit.after !== null && at === 0) return null;
      const title = edit.title === "" ? edit.command.split("\n")[0] : edit.title;
      const step = demoStep(newId, title ?? edit.command, edit.command, "execute", "caution");
      return { steps: steps.toSpliced(at, 0, step), reason: "You added a step." };
    }
    case "remove-step": {
      const rest = steps.filter((step) => step.id !== edit.stepId);
      return rest.length === 0 || rest.length === steps.length
        ? null
        : { steps: rest, reason: "You removed a step." };
    }
    case "move-step": {
      const moved = steps.find((step) => step.id === edit.stepId);
      if (!moved) return null;
      const rest = steps.filter((step) => step !== moved);
      return { steps: rest.toSpliced(edit.to, 0, moved), reason: "You moved a step." };
    }
  }
}
