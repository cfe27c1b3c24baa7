/* A session's line in the list, and its status, from its state. Pure; the same rules as the engine's. */
import type {
  GoalProgress,
  GoalState,
  SessionState,
  SessionStatus,
  SessionSummary,
  Step,
} from "@/ipc/bindings";
import { hasEnded, isAboutGoal } from "@/shared/goal";
import { todosDone } from "@/shared/todos";

export function statusOf(state: SessionState): SessionStatus {
  const { plan, conversation, goal } = state;
  if (conversation?.turn) return state.approvals.length > 0 ? "waiting-for-you" : "running";
  if (goal && (!hasEnded(goal) || isAboutGoal(state))) return statusOfGoal(goal);
  if (!plan) return conversation?.entries?.length ? "paused" : "empty";
  const waits = state.approvals.length > 0 || plan.steps.some((step) => step.state.type === "awaiting-run");
  switch (plan.state.type) {
    case "draft":
      return "draft";
    case "ready":
      return "ready";
    case "running":
    case "recovering":
      return waits ? "waiting-for-you" : "running";
    case "stuck":
      return "waiting-for-you";
    case "paused":
      return ["interrupted", "no-room"].includes(plan.state.reason.type) || state.approvals.length > 0
        ? "waiting-for-you"
        : "paused";
    case "completed":
      return "completed";
    case "failed":
      return "failed";
    case "cancelled":
      return "cancelled";
  }
}

function statusOfGoal({ phase }: GoalState): SessionStatus {
  switch (phase.type) {
    case "working":
      return "running";
    case "waiting":
      return "waiting-for-you";
    case "paused":
      return phase.reason.type === "user" || phase.reason.type === "declined" ? "paused" : "waiting-for-you";
    case "ended":
      switch (phase.end.type) {
        case "complete":
          return "completed";
        case "stuck":
        case "out-of-budget":
          return "failed";
        case "cancelled":
          return "cancelled";
      }
  }
}

export function stepsDone(state: SessionState): number {
  return (state.plan?.steps ?? []).filter((step) => step.state.type === "completed").length;
}

/** Whether the step's present command is the agent's: a repair step, or one whose command a correction wrote. */
function isRepair(step: Step): boolean {
  return step.changed ? step.changed.source !== "you" : step.origin.type === "repair";
}

export function repairsOf(state: SessionState): number {
  return (state.plan?.steps ?? []).filter(isRepair).length;
}

export function summarise(state: SessionState, updatedAt: string): SessionSummary {
  return {
    id: state.id,
    title: state.title,
    cwd: state.cwd,
    createdAt: state.createdAt,
    updatedAt,
    status: statusOf(state),
    steps: state.plan?.steps.length ?? 0,
    stepsDone: stepsDone(state),
    repairs: repairsOf(state),
    damage: null,
    goal: progressOf(state),
  };
}

function progressOf(state: SessionState): GoalProgress | null {
  const { goal } = state;
  if (!goal || !isAboutGoal(state)) return null;
  const { done, all } = todosDone(goal.todos);
  return { todos: all, done, iteration: goal.iteration };
}
