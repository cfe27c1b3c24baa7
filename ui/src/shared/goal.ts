/* Where a goal stands and how that is said: the same words in every part of the window. Pure. */
import { t } from "@/i18n";
import type { GoalAction, GoalPause, GoalState, SentBack, SessionState, StepId } from "@/ipc/bindings";

/** It is worked on, or waits for the user and goes on with their answer. */
export function isUnderWay({ phase }: GoalState): boolean {
  return phase.type === "working" || phase.type === "waiting";
}

export function hasEnded({ phase }: GoalState): boolean {
  return phase.type === "ended";
}

/** The session's goal while it is neither reached nor given up. */
export function openGoalOf(session: SessionState | null): GoalState | null {
  const goal = session?.goal;
  return goal && !hasEnded(goal) ? goal : null;
}

/** An action of the goal's own is not over; until then its sub-goals wait. */
export function isActing({ actions }: GoalState): boolean {
  const last = actions.at(-1);
  return last !== undefined && last.state.type !== "ended";
}

/** Ended without being reached, and still what the session is about: it may be worked on further. */
export function canGoOn(session: SessionState): boolean {
  const phase = session.goal?.phase;
  return phase?.type === "ended" && phase.end.type !== "complete" && isAboutGoal(session);
}

export type Standing = { word: string; tone: "agentic" | "caution" | "safe" | "danger" | "neutral" };

/** In a word or two: what it does, what it waits for, how it ended. */
export function standingOf({ phase, status, checking, iteration }: GoalState): Standing {
  switch (phase.type) {
    case "working":
      if (checking) return { word: t("goal.standing.checking"), tone: "agentic" };
      return {
        word: t(iteration === 0 ? "goal.standing.beginning" : `goal.status.${status}`),
        tone: "agentic",
      };
    case "waiting":
      return { word: t(`goal.standing.waits.${phase.what}`), tone: "caution" };
    case "paused":
      return { word: t("goal.standing.paused"), tone: "caution" };
    case "ended":
      switch (phase.end.type) {
        case "complete":
          return { word: t("goal.standing.complete"), tone: "safe" };
        case "stuck":
          return { word: t("goal.standing.stuck"), tone: "danger" };
        case "out-of-budget":
          return { word: t("goal.standing.outOfBudget"), tone: "caution" };
        case "cancelled":
          return { word: t("goal.standing.cancelled"), tone: "neutral" };
      }
  }
}

export function pauseInWords(reason: GoalPause): string {
  switch (reason.type) {
    case "user":
      return t("goal.pause.user");
    case "interrupted":
      return t("goal.pause.interrupted");
    case "unattended":
      return t("goal.pause.unattended");
    case "declined":
      return t("goal.pause.declined");
    case "no-room":
      return sentence(reason.message);
    case "model-failed":
      return sentence(reason.message);
  }
}

/** Why "complete" did not count. The ids are those of the list as it stands. */
export function sentBackInWords(reason: SentBack, goal: GoalState): string {
  switch (reason.type) {
    case "open-todos": {
      const titles = reason.ids.map((id) => goal.todos.find((todo) => todo.id === id)?.title ?? id);
      return t("goal.sentBack.openTodos", { count: titles.length, titles: titles.join(", ") });
    }
    case "verify-failed":
      return t("goal.sentBack.verifyFailed");
    case "verify-denied":
      return t("goal.sentBack.verifyDenied", { text: sentence(reason.text) });
  }
}

export type VerifyOutcome = { word: string; tone: "safe" | "danger" | "agentic" | "neutral" };

/** How the check stands that the goal was set with: of the last time that it was made. */
export function verifyOutcome(goal: GoalState): VerifyOutcome | null {
  const { request, phase, checking, sentBack, question, actions } = goal;
  if (!request.verify) return null;
  if (phase.type === "ended" && phase.end.type === "complete") {
    return { word: t("goal.verify.passed"), tone: "safe" };
  }
  if (checking || question?.askedBy === "verify") return { word: t("goal.verify.now"), tone: "agentic" };
  const last = actions.findLast((action) => action.author === "verify");
  const denied = sentBack?.type === "verify-denied";
  const outcome = last?.state.type === "ended" ? last.state.result.outcome : null;
  if (denied || outcome === "error") return { word: t("goal.verify.failed"), tone: "danger" };
  if (outcome === "success") return { word: t("goal.verify.passedBefore"), tone: "safe" };
  return { word: t("goal.verify.notYet"), tone: "neutral" };
}

/** The action that the user may take into their own hands now: one that asks, or the next one while it is paused. */
export function toTakeOver({ goal }: SessionState): GoalAction | null {
  const last = goal && !hasEnded(goal) ? goal.actions.at(-1) : undefined;
  if (!goal || !last || last.author === "verify" || goal.takenOver !== null) return null;
  const asks = last.state.type === "awaiting-approval" || goal.question?.actionId === last.id;
  const next = last.state.type === "waiting" && goal.phase.type === "paused";
  return asks || next ? last : null;
}

/** Whether a goal is the last thing that the session was about: no plan was made after it was set. */
export function isAboutGoal({ goal, revisions }: SessionState): boolean {
  const plannedAt = revisions[0]?.at;
  return Boolean(goal && (plannedAt === undefined || Date.parse(plannedAt) <= Date.parse(goal.startedAt)));
}

export function isGoalAction({ goal }: SessionState, id: StepId): boolean {
  return goal?.actions.some((action) => action.id === id) ?? false;
}

export function sentence(text: string): string {
  const words = text.trim();
  return words === "" || /[.!?…]$/.test(words) ? words : `${words}.`;
}
