/* What the conversation shows of a session, in order of time. Pure: from the state, and from the log of what happened while
   the window was open. */
import { t } from "@/i18n";
import type { Plan, RevisionEntry, SessionState, StepId, UndoRecord } from "@/ipc/bindings";
import type { LogEntry } from "@/state/log";

export type PlanChange = { added: number; changed: number; removed: number };

export type Item =
  | { type: "revision"; key: string; at: string; entry: RevisionEntry; change: PlanChange }
  | { type: "undone"; key: string; at: string; undo: UndoRecord }
  | { type: "log"; key: string; at: string; entry: LogEntry };

/** What differs between two revisions, by the steps' identity. */
export function planChange(before: Plan, after: Plan): PlanChange {
  const old = new Map(before.steps.map((step) => [step.id, step]));
  const kept = new Set(after.steps.map((step) => step.id));
  let added = 0;
  let changed = 0;
  for (const step of after.steps) {
    const was = old.get(step.id);
    if (!was) added += 1;
    else if (was.action.command !== step.action.command || was.title !== step.title) changed += 1;
  }
  return { added, changed, removed: before.steps.filter((step) => !kept.has(step.id)).length };
}

export function changeInWords({ added, changed, removed }: PlanChange): string {
  const parts = [];
  if (added > 0) parts.push(t("chat.added", { count: added }));
  if (changed > 0) parts.push(t("chat.changed", { count: changed }));
  if (removed > 0) parts.push(t("chat.removed", { count: removed }));
  return parts.join(", ");
}

export function timeline(session: SessionState, log: LogEntry[]): Item[] {
  const revisions = session.revisions.flatMap((entry, at): Item[] => {
    const before = session.revisions[at - 1];
    if (!before) return [];
    const change = planChange(before.plan, entry.plan);
    return [{ type: "revision", key: `r${entry.revision}`, at: entry.at, entry, change }];
  });
  const logged = log
    .filter((entry) => entry.type !== "ended" && entry.type !== "stuck" && entry.type !== "confirmed")
    .map((entry): Item => ({ type: "log", key: `e${entry.seq}`, at: entry.at, entry }));
  const undone = (session.undone ?? []).map(
    (undo): Item => ({ type: "undone", key: `undo ${undo.id}`, at: undo.at, undo }),
  );
  return [...revisions, ...logged, ...undone].sort((a, b) => a.at.localeCompare(b.at));
}

const NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"] as const;

function numberWord(count: number): string {
  const name = NUMBERS[count];
  return name ? t(`chat.${name}`) : String(count);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "I read 7 steps from the page. Two change something, none deletes files." */
export function readingInWords(plan: Plan): string[] {
  const name = plan.origin.type === "user" ? t("chat.you") : plan.origin.name;
  const first = plan.steps.filter((step) => step.origin.type === "original");
  const count = (of: (risk: string, deletes: boolean) => boolean) =>
    first.filter(
      (step) => step.assessment && of(step.assessment.risk, step.assessment.effects.deletes ?? false),
    ).length;
  const changing = count((risk) => risk !== "safe");
  const deleting = count((_risk, deletes) => deletes);
  const dangerous = count((risk) => risk === "dangerous");
  const blocked = count((risk) => risk === "blocked");
  // "none deletes" takes the singular.
  const verb = (number: number) => (number === 0 ? 1 : number);
  const changes = t("chat.changes", { number: capital(numberWord(changing)), count: verb(changing) });
  const deletes = t("chat.deletes", { number: numberWord(deleting), count: verb(deleting) });
  const words = [t("chat.read", { count: first.length, name }), t("chat.facts", { changes, deletes })];
  if (dangerous > 0) {
    words.push(t("chat.dangerous", { number: capital(numberWord(dangerous)), count: dangerous }));
  }
  if (blocked > 0) words.push(t("chat.blocked", { number: capital(numberWord(blocked)), count: blocked }));
  return words;
}

export function titleOf(session: SessionState, stepId: StepId | null): string {
  const steps = [session.plan, ...session.revisions.map((entry) => entry.plan)].flatMap(
    (plan) => plan?.steps ?? [],
  );
  return steps.find((step) => step.id === stepId)?.title ?? "";
}
