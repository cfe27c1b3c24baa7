/** What differs between two revisions of a plan. Pure. */

import { t } from "@/i18n";
import type { Plan, Step } from "@/ipc/bindings";
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
