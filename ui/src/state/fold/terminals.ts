/* What was run in a terminal, as the state tells of it. */
import type { Plan, SessionState, StepId, TerminalRun } from "@/ipc/bindings";

export const MAX_TERMINALS = 100;

/** A later attempt takes the place of the one before. */
export function started(
  state: SessionState,
  stepId: StepId,
  attempt: number,
  terminal: boolean | undefined,
): SessionState {
  if (!terminal) return state;
  const others = (state.terminals ?? []).filter((run) => run.stepId !== stepId);
  return { ...state, terminals: [...others, { stepId, attempt }].slice(-MAX_TERMINALS) };
}

/** Steps of two plans may have the same id. */
export function withoutPlans({ terminals = [], plan }: SessionState, next: Plan): TerminalRun[] {
  const steps = new Set([...(plan?.steps ?? []), ...next.steps].map((step) => step.id));
  return terminals.filter((run) => !steps.has(run.stepId));
}
