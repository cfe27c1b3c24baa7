/* Undo as the engine would do it, on files that are not there: what the results say that steps changed goes away and comes
   back. A test may script what is shown instead. */
import type {
  Command,
  EngineError,
  SessionState,
  StepId,
  UndoPreview,
  UndoRecord,
  UndoTarget,
} from "../bindings";

type Undo = Extract<Command, { type: "undo" }>;

export class FakeUndo {
  /** Shown instead of what is made up from the results. */
  script: ((target: UndoTarget) => UndoPreview | Promise<UndoPreview>) | null = null;
  /** Holds up an undo, as a big one does. */
  wait: Promise<void> | null = null;

  async look(state: SessionState, target: UndoTarget): Promise<UndoPreview> {
    if (this.script) return this.script(target);
    const steps = stepsOf(state, target);
    const paths = state.results
      .filter((result) => steps.includes(result.stepId))
      .flatMap((result) => result.filesChanged);
    const back = target.type === "undo";
    const files = [...new Set(paths)].map((path) => ({
      path,
      does: back ? ("recreate" as const) : ("trash" as const),
      conflict: null,
      follows: false,
    }));
    return { target, files, more: 0, gaps: [], token: JSON.stringify([target, files, state.undone?.length]) };
  }

  async apply(state: SessionState, undo: Undo, id: string, at: string): Promise<UndoRecord> {
    const preview = await this.look(state, undo.target);
    await this.wait;
    if (preview.token !== undo.token) {
      const message = "The files have changed since. Look again at what the undo would do.";
      throw { code: "not-now", message } satisfies EngineError;
    }
    const done = preview.files.filter((file) => file.conflict === null || undo.overwrite.includes(file.path));
    const count = (...acts: string[]) => done.filter((file) => acts.includes(file.does)).length;
    return {
      id,
      target: undo.target,
      steps: stepsOf(state, undo.target),
      restored: count("restore", "metadata"),
      recreated: count("recreate"),
      trashed: count("trash") + preview.more,
      skipped: preview.files
        .filter((file) => !done.includes(file))
        .map(({ path, conflict }) => ({ path, why: conflict ?? "" })),
      by: "user",
      at,
      undoneBy: null,
    };
  }
}

function stepsOf({ plan, checkpoints = [], undone = [] }: SessionState, target: UndoTarget): StepId[] {
  const kept = checkpoints.map((checkpoint) => checkpoint.stepId);
  const own = (plan?.steps ?? []).map((step) => step.id).filter((id) => kept.includes(id));
  switch (target.type) {
    case "step":
      return [target.stepId];
    case "since":
      return own.slice(Math.max(0, own.indexOf(target.stepId)));
    case "run":
    case "plan":
    case "revision":
      return own;
    case "turn":
      return kept.filter((id) => !own.includes(id));
    case "undo":
      return undone.find((undo) => undo.id === target.undoId)?.steps ?? [];
  }
}
