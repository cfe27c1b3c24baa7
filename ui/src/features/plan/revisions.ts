/** What differs between two revisions of a plan. Pure. */

import { t } from "@/i18n";
import type { Plan, Step, StepId } from "@/ipc/bindings";
import { commandOf } from "@/shared/steps";

export type Difference =
  | { kind: "same"; step: Step }
  | { kind: "added"; step: Step }
  | { kind: "removed"; step: Step }
  | { kind: "changed"; step: Step; before: Step };

/** The later plan's steps in order, each removed one where it used to stand. */
export function compareRevisions(before: Plan, after: Plan): Difference[] {
  const old = new Map(before.steps.map((step) => [step.id, step]));
  const kept = new Set(after.steps.map((step) => step.id));
  const differences: Difference[] = [];
  let next = 0;
  const passRemoved = () => {
    for (let step = before.steps[next]; step && !kept.has(step.id); step = before.steps[next]) {
      differences.push({ kind: "removed", step });
      next += 1;
    }
  };
  for (const step of after.steps) {
    const earlier = old.get(step.id);
    passRemoved();
    if (!earlier) differences.push({ kind: "added", step });
    else {
      if (before.steps[next]?.id === step.id) next += 1;
      const changed = commandOf(earlier) !== commandOf(step) || earlier.title !== step.title;
      differences.push(changed ? { kind: "changed", step, before: earlier } : { kind: "same", step });
    }
  }
  passRemoved();
  return differences;
}

/** "2 steps added, 1 changed". */
export function changesInWords(differences: Difference[]): string {
  const count = (kind: Difference["kind"]) =>
    differences.filter((difference) => difference.kind === kind).length;
  const [added, changed, removed] = [count("added"), count("changed"), count("removed")];
  const words = [
    added > 0 && t("plan.changes.added", { count: added }),
    changed > 0 && t("plan.changes.changed", { count: changed }),
    removed > 0 && t("plan.changes.removed", { count: removed }),
  ].filter((part) => part !== false);
  return words.length > 0 ? words.join(", ") : t("plan.changes.none");
}

/**
 * The one step that stands elsewhere in the later plan; null when the steps differ in more than one place's order. Two
 * neighbours that changed places could each be the one: then it is the one that was `asked` for.
 */
export function movedStep(before: Plan, after: Plan, asked: StepId | null): Step | null {
  const old = before.steps.map((step) => step.id);
  const at = after.steps.findIndex((step, index) => step.id !== old[index]);
  if (at < 0 || old.length !== after.steps.length) return null;
  const candidates = [asked, after.steps[at]?.id, old[at]];
  for (const id of candidates) {
    const moved = after.steps.find((step) => step.id === id);
    const rest = after.steps.filter((step) => step.id !== id);
    const oldRest = old.filter((other) => other !== id);
    if (moved && rest.length < old.length && rest.every((step, index) => step.id === oldRest[index]))
      return moved;
  }
  return null;
}
