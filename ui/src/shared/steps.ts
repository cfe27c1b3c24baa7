/** How plans, steps and their sources are named to people; the same words in every feature. */

import { t } from "@/i18n";
import type { Action, Author, ExitStatus, Mode, Plan, Readiness, Step, StepId } from "@/ipc/bindings";

/** The exact command of a step; of a manual one its words. */
export function commandOf(step: Step): string {
  return textOf(step.action);
}

/** What an action is, as people read it. */
export function textOf(action: Action): string {
  return action.type === "manual" ? action.instruction : action.command;
}

/** Whether the user does it by hand. */
export function isManual(step: Step): boolean {
  return step.action.type === "manual";
}

/** Numbers of the plan's own steps, from 1. Repair steps have none, so that the others keep theirs. */
export function stepNumbers(plan: Plan): Map<StepId, number> {
  const numbers = new Map<StepId, number>();
  for (const step of plan.steps) if (step.origin.type === "original") numbers.set(step.id, numbers.size + 1);
  return numbers;
}

/** "guide:missing-directory" is the field guide; anything else is a model's name, or the user. */
export function sourceName(source: string): string {
  if (source === "you") return t("shared.source.you");
  if (source === "field guide" || source.startsWith("guide:")) return t("shared.source.guide");
  return source;
}

/** The rule behind a field guide source; null for a model. */
export function guideRule(source: string): string | null {
  return source.startsWith("guide:") ? source.slice("guide:".length) : null;
}

export function authorName(author: Author): string {
  switch (author.type) {
    case "runbook":
      return t("shared.source.runbook");
    case "user":
      return t("shared.source.you");
    case "agent":
      return sourceName(author.source);
  }
}

/** How a process ended, in words. */
export function exitText(status: ExitStatus): string {
  switch (status.type) {
    case "code":
      return t("shared.exit.code", { code: status.code });
    case "signal":
      return t("shared.exit.signal", { name: status.name });
    case "timed-out":
      return t("shared.exit.timedOut", { seconds: status.seconds });
    case "silent":
      return t("shared.exit.silent", { seconds: status.seconds });
    case "cancelled":
      return t("shared.exit.cancelled");
    case "detached":
      return t("shared.exit.detached");
    case "not-started":
      return t("shared.exit.notStarted");
  }
}

/** What shows that a service can be used. */
export function readyText(ready: Readiness): string {
  switch (ready.type) {
    case "port":
      return t("services.ready.port", { port: ready.port });
    case "line":
      return t("services.ready.line", { text: ready.text });
    case "address":
      return t("services.ready.address");
    case "file":
      return t("services.ready.file", { path: ready.path });
  }
}

/** `fixer` is what old data calls the Planner. */
export function modeOf(mode: Mode): Exclude<Mode, "fixer"> {
  return mode === "fixer" ? "planner" : mode;
}

/** A path with the home folder as `~`. */
export function shortPath(path: string): string {
  return path.replace(/^(?:\/home|\/Users)\/[^/]+(?=\/|$)/, "~");
}

/** A process may be running, or one is about to. */
export function isRunUnderWay({ state }: Plan): boolean {
  return state.type === "running" || state.type === "recovering";
}
