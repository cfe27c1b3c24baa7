/* What is read out of a goal: what the agent said, a question, that it was sent back, how it ended. Pure. */
import { t } from "@/i18n";
import type { GoalState } from "@/ipc/bindings";
import { sentBackInWords } from "@/shared/goal";

export function goalAnnouncement(goal: GoalState): string {
  const { phase, question, sentBack, iteration, assessment } = goal;
  if (phase.type === "ended") return t("goal.said.ended", { how: endInWords(phase.end.type) });
  if (question) {
    return t(question.askedBy === "agent" ? "goal.said.question" : "goal.said.verify", {
      text: question.text,
    });
  }
  if (phase.type === "paused") return t("goal.pause.title");
  if (sentBack) return t("goal.said.sentBack", { why: sentBackInWords(sentBack, goal) });
  return assessment === "" ? "" : t("goal.said.iteration", { iteration, text: assessment });
}

function endInWords(end: "complete" | "stuck" | "out-of-budget" | "cancelled"): string {
  switch (end) {
    case "complete":
      return t("goal.end.complete");
    case "stuck":
      return t("goal.end.stuck");
    case "out-of-budget":
      return t("goal.end.outOfBudget");
    case "cancelled":
      return t("goal.end.cancelled");
  }
}
