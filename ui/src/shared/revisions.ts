/* Revisions of a plan as what they changed, as the engine keeps them: the steps of another revision, and the difference in
   words. Pure. */
import { t } from "@/i18n";
import type { Plan, RevisionEntry, SessionState, Step, StepId, StepSplice } from "@/ipc/bindings";
import { commandOf } from "./steps";

/** The steps after a revision; null when it is of other steps than these. States stay with the steps. */
export function revise(before: Step[], changes: StepSplice[]): Step[] | null {
  const states = new Map<StepId, Step["state"]>();
  const fresh = new Set<StepId>();
  for (const { id } of insertedBy(changes)) {
    if (fresh.has(id)) return null;
    fresh.add(id);
  }
  const after: Step[] = [];
  /** Whether none of these comes once more. */
  const keep = (steps: Step[]) =>
    steps.every((step) => {
      after.push(step);
      return !fresh.has(step.id);
    });
  let from = 0;
  for (const { at, removed, inserted } of changes) {
    const kept = at - after.length;
    const until = from + kept + removed.length;
    if (kept < 0 || until > before.length) return null;
    if (!keep(before.slice(from, from + kept))) return null;
    for (const [place, gone] of removed.entries()) {
      const step = before[from + kept + place];
      if (step?.id !== gone.id) return null;
      states.set(step.id, step.state);
    }
    from = until;
    for (const step of inserted) after.push(step);
  }
  if (!keep(before.slice(from))) return null;
  return numbered(
    after.map((step) =>
      fresh.has(step.id) ? { ...step, state: states.get(step.id) ?? { type: "pending" } } : step,
    ),
  );
}

/** The steps as an earlier revision defined them; their states say nothing. */
export function stepsAt(plan: Plan, revisions: RevisionEntry[], revision: number): Step[] {
  const later = revisions.filter((entry) => entry.revision > revision && entry.changes.length > 0);
  return later.length === 0
    ? plan.steps
    : numbered(later.reduceRight((steps, entry) => reverted(steps, entry.changes), plan.steps));
}

/** What the plan was at first, which stays: looked up once, however often it is revised. */
export function firstSteps(plan: Plan, revisions: RevisionEntry[]): Step[] {
  const first = revisions[0];
  const known = first && FIRST.get(first);
  if (known) return known;
  const steps = stepsAt(plan, revisions, 1);
  if (first) FIRST.set(first, steps);
  return steps;
}

const FIRST = new WeakMap<RevisionEntry, Step[]>();

function reverted(after: Step[], changes: StepSplice[]): Step[] {
  const before: Step[][] = [];
  let passed = 0;
  for (const { at, removed, inserted } of changes) {
    before.push(after.slice(passed, at), removed);
    passed = at + inserted.length;
  }
  return [...before, after.slice(passed)].flat();
}

function numbered(steps: Step[]): Step[] {
  return steps.map((step, index) => (step.index === index ? step : { ...step, index }));
}

function insertedBy(changes: StepSplice[]): Step[] {
  return changes.flatMap((splice) => splice.inserted);
}

function removedBy(changes: StepSplice[]): Step[] {
  return changes.flatMap((splice) => splice.removed);
}

/** Whether people would say that it is another step: neither its place nor what it waits for counts. */
export function isChanged(before: Step, after: Step): boolean {
  return commandOf(before) !== commandOf(after) || before.title !== after.title;
}

export type ChangeCount = { added: number; changed: number; removed: number };

export function countChanges(changes: StepSplice[]): ChangeCount {
  const old = new Map(removedBy(changes).map((step) => [step.id, step]));
  const count = { added: 0, changed: 0, removed: 0 };
  for (const step of insertedBy(changes)) {
    const before = old.get(step.id);
    if (!before) count.added += 1;
    else if (isChanged(before, step)) count.changed += 1;
    old.delete(step.id);
  }
  return { ...count, removed: old.size };
}

/** "2 steps added, 1 changed"; empty when none was. */
export function changesInWords({ added, changed, removed }: ChangeCount): string {
  const words = [
    added > 0 && t("plan.changes.added", { count: added }),
    changed > 0 && t("plan.changes.changed", { count: changed }),
    removed > 0 && t("plan.changes.removed", { count: removed }),
  ];
  return words.filter((part) => part !== false).join(", ");
}

/**
 * The one step that a revision moved; null when it changed the order otherwise. Two neighbours that changed places could
 * each be the one: then it is the one that was `asked` for.
 */
export function movedStep(changes: StepSplice[], asked: StepId | null): Step | null {
  // Steps that were not touched lie between the splices: each such stretch counts as one that stays.
  const old: (StepId | number)[] = [];
  const now: (StepId | number)[] = [];
  let passed = 0;
  for (const [place, { at, removed, inserted }] of changes.entries()) {
    const stretch = at > passed ? [place] : [];
    old.push(...stretch, ...removed.map((step) => step.id));
    now.push(...stretch, ...inserted.map((step) => step.id));
    passed = at + inserted.length;
  }
  const at = now.findIndex((id, index) => id !== old[index]);
  if (at < 0 || old.length !== now.length) return null;
  for (const id of [asked, now[at], old[at]]) {
    const moved = insertedBy(changes).find((step) => step.id === id);
    const rest = now.filter((other) => other !== id);
    const oldRest = old.filter((other) => other !== id);
    if (moved && rest.every((other, index) => other === oldRest[index])) return moved;
  }
  return null;
}

/** The title of a step, also of one that a revision took out. */
export function titleOf({ plan, revisions }: SessionState, id: StepId | null): string {
  const there = plan?.steps.find((step) => step.id === id);
  const gone = () =>
    revisions.flatMap(({ changes }) => removedBy(changes)).findLast((step) => step.id === id);
  return (there ?? gone())?.title ?? "";
}
