/* Sessions by day, newest first, and how each stands in words. Pure. */
import { t } from "@/i18n";
import type { GoalProgress, SessionSummary } from "@/ipc/bindings";

export type Day = "today" | "yesterday" | "earlier";

export type SessionGroup = { day: Day; sessions: SessionSummary[] };

/** Local calendar days, not spans of 24 hours. */
export function dayOf(time: string, now: Date): Day {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const then = new Date(time);
  if (then >= midnight) return "today";
  const before = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  return then >= before ? "yesterday" : "earlier";
}

export function groupByDay(sessions: SessionSummary[], now: Date): SessionGroup[] {
  const newest = [...sessions].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const days: Day[] = ["today", "yesterday", "earlier"];
  return days
    .map((day) => ({ day, sessions: newest.filter((session) => dayOf(session.updatedAt, now) === day) }))
    .filter((group) => group.sessions.length > 0);
}

/** "done · 8 steps", "running · 3 of 7", "failed at step 6". */
export function standing(session: SessionSummary): string {
  const { status, steps, stepsDone: done, repairs } = session;
  const word = t(`sessions.status.${status}`);
  if (session.goal && steps === 0) return goalStanding(word, session.goal);
  if (steps === 0) return rests(session) ? t("sessions.talk") : word;
  switch (status) {
    case "completed":
      return `${word} · ${repairs > 0 ? t("sessions.repairs", { count: repairs }) : t("sessions.steps", { count: steps })}`;
    case "failed":
      return t("sessions.stoppedAt", { step: Math.min(done + 1, steps) });
    case "draft":
    case "ready":
      return `${word} · ${t("sessions.steps", { count: steps })}`;
    case "running":
    case "interrupted":
    case "paused":
    case "cancelled":
      return `${word} · ${t("sessions.progress", { done, steps })}`;
    case "empty":
    case "waiting-for-you":
    case "damaged":
      return word;
  }
}

/** "running · 3 of 7 to-dos". */
function goalStanding(word: string, { todos, done }: GoalProgress): string {
  return todos === 0 ? word : `${word} · ${t("sessions.todos", { done, count: todos })}`;
}

/** A conversation without a plan, between two messages: nothing in it waits to go on. */
export function rests({ status, steps, goal }: SessionSummary): boolean {
  return status === "paused" && steps === 0 && !goal;
}
