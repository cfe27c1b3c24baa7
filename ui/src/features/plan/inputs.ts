/* What a plan asks for, as the card shows it. Pure; the engine decides what is missing. */
import type { Plan, PlanInput, Step } from "@/ipc/bindings";
import { commandOf } from "@/shared/steps";

/** The inputs that the steps have, as the engine asks for them: not those of what is left out, nor what a step sets itself. */
export function askedInputs(plan: Plan): PlanInput[] {
  return (plan.inputs ?? []).filter(
    (input) => standsIn(plan, input) !== null || (isUsed(plan, input.name) && !isSet(plan, input.name)),
  );
}

export function missingInputs(plan: Plan): PlanInput[] {
  return askedInputs(plan).filter(
    (input) => standsIn(plan, input) !== null || (input.required && !input.value),
  );
}

/** The step in which a person has to write the value themselves; null where none has. */
export function standsIn(plan: Plan, input: PlanInput): Step | null {
  if (!input.byHand) return null;
  return plan.steps.find((step) => commandOf(step).includes(input.token)) ?? null;
}

function isUsed(plan: Plan, name: string): boolean {
  const variable = new RegExp(`\\$\\{?${name}(?![A-Za-z0-9_])`);
  return plan.steps.some((step) => variable.test(commandOf(step)) || variable.test(step.verify ?? ""));
}

function isSet(plan: Plan, name: string): boolean {
  const lines = plan.steps.flatMap((step) => commandOf(step).split("\n"));
  return lines.some((line) => line.startsWith(`${name}=`) || line.startsWith(`export ${name}=`));
}

/** Why the engine would not take it; null where it would. */
export function unfit(input: PlanInput, text: string): "number" | null {
  return input.kind === "number" && text !== "" && !/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? "number" : null;
}
