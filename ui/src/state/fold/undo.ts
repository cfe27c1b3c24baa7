/* What was kept and what was taken back, as the state tells of it: the engine's `journal/fold/undo.rs`. */
import type { Checkpoint, Plan, SessionState, UndoRecord } from "@/ipc/bindings";

export const MAX_CHECKPOINTS = 500;

/** A later attempt takes the place of the one before. */
export function kept(state: SessionState, checkpoint: Checkpoint): SessionState {
  const others = (state.checkpoints ?? []).filter((known) => known.stepId !== checkpoint.stepId);
  return { ...state, checkpoints: [...others, checkpoint].slice(-MAX_CHECKPOINTS) };
}

/** Steps of two plans may have the same id; what was kept for the one says nothing of the other. */
export function withoutPlans({ checkpoints = [], plan }: SessionState, next: Plan): Checkpoint[] {
  const steps = new Set([...(plan?.steps ?? []), ...next.steps].map((step) => step.id));
  return checkpoints.filter((known) => !steps.has(known.stepId));
}

/** An undo of an undo is told in both records. */
export function undone(state: SessionState, undo: UndoRecord): SessionState {
  const { target } = undo;
  const earlier = (state.undone ?? []).map((done) =>
    target.type === "undo" && done.id === target.undoId ? { ...done, undoneBy: undo.id } : done,
  );
  return { ...state, undone: [...earlier, undo] };
}
