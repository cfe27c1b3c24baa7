/** What differs between two revisions of a plan. Pure. */

import { t } from "@/i18n";
import type { Step } from "@/ipc/bindings";
import { changesInWords, isChanged } from "@/shared/revisions";

export type Difference =
  | { kind: "same"; step: Step }
  | { kind: "added"; step: Step }
  | { kind: "removed"; step: Step }
  | { kind: "changed"; step: Step; before: Step };

/** The later revision's steps in order, each removed one where it used to stand. */
export function compareRevisions(before: Step[], after: Step[]): Difference[] {
  const old = new Map(before.map((step) => [step.id, step]));
  const kept = new Set(after.map((step) => step.id));
  const differences: Difference[] = [];
  let next = 0;
  const passRemoved = () => {
    for (let step = before[next]; step && !kept.has(step.id); step = before[next]) {
      differences.push({ kind: "removed", step });
      next += 1;
    }
  };
  for (const step of after) {
    const earlier = old.get(step.id);
    passRemoved();
    if (!earlier) differences.push({ kind: "added", step });
    else {
      if (before[next]?.id === step.id) next += 1;
      differences.push(
        isChanged(earlier, step) ? { kind: "changed", step, before: earlier } : { kind: "same", step },
      );
    }
  }
  passRemoved();
  return differences;
}

/** "2 steps added, 1 changed". */
export function differencesInWords(differences: Difference[]): string {
  const count = (kind: Difference["kind"]) => differences.filter((one) => one.kind === kind).length;
  const words = changesInWords({
    added: count("added"),
    changed: count("changed"),
    removed: count("removed"),
  });
  return words === "" ? t("plan.changes.none") : words;
}
