/* What happened in a session that its state does not keep, in the order it came: answers to questions, guidance, words of
   the agent. It feeds the conversation while the window is open; a reopened session shows what its state holds. */
import type { ApprovalAnswer, Candidate, EventRecord, StepId } from "@/ipc/bindings";

export type LogEntry = { seq: number; at: string } & (
  | { type: "confirmed"; revision: number; allowed: number }
  | { type: "answered"; stepId: StepId; answer: ApprovalAnswer }
  | { type: "guidance"; stepId: StepId; text: string }
  | { type: "agent-error"; stepId: StepId; message: string }
  | { type: "stuck"; stepId: StepId; alternatives: string[]; candidates: Candidate[] }
  | { type: "waits"; stepId: StepId; attempt: number; allowed: number; seconds: number }
  | { type: "budget-warning"; corrections: number; allowed: number }
  | { type: "budget-raised" }
  | { type: "ended"; end: "completed" | "failed" | "cancelled"; goneAt: string | null }
);

/** The entry that a record leaves; null for those that the state shows by itself. */
export function logEntry({ seq, at, event }: EventRecord): LogEntry | null {
  switch (event.type) {
    case "plan-confirmed":
      return { seq, at, type: "confirmed", revision: event.revision, allowed: event.allowed.length };
    case "approval-resolved":
      return { seq, at, type: "answered", stepId: event.stepId, answer: event.answer };
    case "guidance-given":
      return { seq, at, type: "guidance", stepId: event.stepId, text: event.text };
    case "agent-error":
      return { seq, at, type: "agent-error", stepId: event.stepId, message: event.message };
    case "agent-stuck":
      return {
        seq,
        at,
        type: "stuck",
        stepId: event.stepId,
        alternatives: event.alternatives,
        candidates: event.candidates ?? [],
      };
    case "retry-attempt": {
      const { stepId, attempt, allowed, waitSeconds: seconds } = event;
      return seconds > 0 ? { seq, at, type: "waits", stepId, attempt, allowed, seconds } : null;
    }
    case "budget-warning":
      return { seq, at, type: "budget-warning", corrections: event.corrections, allowed: event.allowed };
    case "budget-raised":
      return { seq, at, type: "budget-raised" };
    case "plan-completed":
      return { seq, at, type: "ended", end: "completed", goneAt: null };
    case "plan-failed":
      return { seq, at, type: "ended", end: "failed", goneAt: null };
    case "plan-cancelled":
      return { seq, at, type: "ended", end: "cancelled", goneAt: event.goneAt };
    default:
      return null;
  }
}

/** Other ways that the last correction named before recovery gave up. */
export function alternativesIn(log: LogEntry[]): string[] {
  const last = log.findLast((entry) => entry.type === "stuck");
  return last?.type === "stuck" ? last.alternatives : [];
}

/** What the user is asked to choose among. */
export function candidatesIn(log: LogEntry[]): Candidate[] {
  const last = log.findLast((entry) => entry.type === "stuck");
  return last?.type === "stuck" ? last.candidates : [];
}

/** When every process of the last run that was stopped was seen to be gone. */
export function goneAtIn(log: LogEntry[]): string | null {
  const last = log.findLast((entry) => entry.type === "ended");
  return last?.type === "ended" ? last.goneAt : null;
}
