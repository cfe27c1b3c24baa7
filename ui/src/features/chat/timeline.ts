/* What the conversation shows of a session, in order of time. Pure: from the state, and from the log of what happened while
   the window was open. */
import { t } from "@/i18n";
import type { Plan, RevisionEntry, SessionState, Step, UndoRecord } from "@/ipc/bindings";
import { type ChangeCount, countChanges } from "@/shared/revisions";
import type { LogEntry } from "@/state/log";

export type Item =
  | { type: "revision"; key: string; at: string; entry: RevisionEntry; change: ChangeCount }
  | { type: "undone"; key: string; at: string; undo: UndoRecord }
  | { type: "log"; key: string; at: string; entry: LogEntry };

export function timeline(session: SessionState, log: LogEntry[]): Item[] {
  const revisions = session.revisions.slice(1).map((entry): Item => {
    const change = countChanges(entry.changes);
    return { type: "revision", key: `r${entry.revision}`, at: entry.at, entry, change };
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

/** "I read 7 steps from the page. Two change something, none deletes files."; of the steps as they were read. */
export function readingInWords(plan: Plan, steps: Step[]): string[] {
  const name = plan.origin.type === "user" ? t("chat.you") : plan.origin.name;
  const first = steps.filter((step) => step.origin.type === "original");
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
