/* How a goal that is about to be set is pursued, as it is filled in beside the composer. Pure. */
import { type TextKey, t } from "@/i18n";
import type { GoalRequest, ModelRole, Verify } from "@/ipc/bindings";

export const USUAL_ITERATIONS = 50;
export const MOST_ITERATIONS = 1000;

export type Check = "none" | "command" | "question";

export type GoalOptions = {
  check: Check;
  command: string;
  question: string;
  /** As it is written. */
  iterations: string;
  context: string;
  model: ModelRole;
};

export const usualOptions: GoalOptions = {
  check: "none",
  command: "",
  question: "",
  iterations: String(USUAL_ITERATIONS),
  context: "",
  model: "main",
};

/** The request, or what is missing in it. */
export function requestOf(goal: string, options: GoalOptions): GoalRequest | { missing: string } {
  const iterations = Number(options.iterations);
  if (!Number.isInteger(iterations) || iterations < 1 || iterations > MOST_ITERATIONS) {
    return { missing: t("goal.set.iterationsWrong", { max: MOST_ITERATIONS }) };
  }
  const verify = verifyOf(options);
  if (verify === "missing") return { missing: t(MISSING[options.check]) };
  const context = options.context.trim();
  return {
    goal,
    context: context === "" ? null : context,
    verify,
    maxIterations: iterations,
    modelBackend: options.model === "main" ? null : options.model,
  };
}

const MISSING: Record<Check, TextKey> = {
  none: "goal.set.commandMissing",
  command: "goal.set.commandMissing",
  question: "goal.set.questionMissing",
};

function verifyOf({ check, command, question }: GoalOptions): Verify | null | "missing" {
  switch (check) {
    case "none":
      return null;
    case "command":
      return command.trim() === "" ? "missing" : { type: "command", command: command.trim() };
    case "question":
      return question.trim() === "" ? "missing" : { type: "question", question: question.trim() };
  }
}
