/* What of a session can be taken back, and how that is said: the same rules and words in every part of the window. Pure.
   Only the engine's preview knows what an undo would do; this decides which controls are offered and what they say. */
import { t } from "@/i18n";
import type {
  Checkpoint,
  Plan,
  SessionState,
  Step,
  StepId,
  UndoOutlook,
  UndoRecord,
  UndoTarget,
} from "@/ipc/bindings";
import { isUnderWay } from "./goal";

export type Undoable =
  /** `partly`: what of it is not kept. */
  | { type: "can"; partly: string | null }
  | { type: "undone"; undo: UndoRecord }
  /** A sentence for people. */
  | { type: "cannot"; why: string };

/** What was kept before each step and call, and what stands taken back now. */
export type Kept = {
  checkpoints: ReadonlyMap<StepId, Checkpoint>;
  undone: ReadonlyMap<StepId, UndoRecord>;
};

export function keptIn({ checkpoints = [], undone = [] }: Partial<SessionState>): Kept {
  const kept = new Map(checkpoints.map((checkpoint) => [checkpoint.stepId, checkpoint]));
  const back = new Map<StepId, UndoRecord>();
  for (const undo of undone) {
    for (const id of undo.steps) {
      if (takesBack(undo, undone)) back.set(id, undo);
      else back.delete(id);
    }
  }
  for (const [id, undo] of back) {
    // It has run again since.
    const checkpoint = kept.get(id);
    if (checkpoint && Date.parse(checkpoint.at) > Date.parse(undo.at)) back.delete(id);
  }
  return { checkpoints: kept, undone: back };
}

/** An undo of an undo puts things back as the steps left them. */
function takesBack({ target }: UndoRecord, all: UndoRecord[]): boolean {
  if (target.type !== "undo") return true;
  const earlier = all.find((undo) => undo.id === target.undoId);
  return earlier !== undefined && !takesBack(earlier, all);
}

/** Why nothing can be taken back now; null when it can. */
export function busyWith({ plan, conversation, goal }: SessionState): string | null {
  if (conversation?.turn || (goal && isUnderWay(goal))) return t("undo.why.working");
  const state = plan?.state.type;
  return state === "running" || state === "recovering" ? t("undo.why.busy") : null;
}

export type Ran = {
  checkpoint: Checkpoint | undefined;
  undone: UndoRecord | undefined;
  /** Why nothing can be taken back now. */
  busy: string | null;
  /** How many files it changed; null where that is not known. */
  changed: number | null;
  /** It is known to change nothing. */
  reads: boolean;
};

/** Of something that has run: a step, or a call of the conversation. */
export function undoable({ checkpoint, undone, busy, changed, reads }: Ran): Undoable {
  if (busy !== null) return { type: "cannot", why: busy };
  if (undone) return { type: "undone", undo: undone };
  if (!checkpoint) return { type: "cannot", why: t(reads ? "undo.why.reads" : "undo.why.notKept") };
  const { covers } = checkpoint;
  switch (covers.type) {
    case "nothing":
      return { type: "cannot", why: t("undo.why.notCovered", { why: covers.why }) };
    case "whole":
      return changed === 0 ? { type: "cannot", why: t("undo.why.noChange") } : { type: "can", partly: null };
    case "partly":
      return changed === 0
        ? { type: "cannot", why: t("undo.why.noChangeKept", { why: covers.why }) }
        : { type: "can", partly: covers.why };
  }
}

/** Whether the step has begun to do something, whatever came of it. */
export function hasRun(step: Step, checkpoint: Checkpoint | undefined): boolean {
  switch (step.state.type) {
    case "completed":
    case "failed":
    case "interrupted":
    case "cancelled":
      return true;
    case "pending":
    case "skipped":
    case "recovering":
      return checkpoint !== undefined;
    case "awaiting-run":
    case "awaiting-approval":
    case "running":
      return false;
  }
}

/** Of what the plan has run, from a revision on. */
export function undoableRun(session: SessionState, kept: Kept, revision = 1): Undoable {
  const { plan, results } = session;
  const busy = busyWith(session);
  if (busy !== null) return { type: "cannot", why: busy };
  // Asked of every revision, of plans with many steps.
  const steps = kept.checkpoints.size === 0 ? [] : (plan?.steps ?? []);
  const ran = steps.filter((step) => kept.checkpoints.has(step.id));
  const later = ran.filter((step) => ranSince(session, kept, step.id, revision));
  if (later.length === 0) {
    if (revision > 1) return { type: "cannot", why: t("undo.why.noLater") };
    return { type: "cannot", why: t(results.length > 0 ? "undo.why.runReads" : "undo.why.noRun") };
  }
  const open = later.filter((step) => !isWhole(kept.undone.get(step.id)));
  if (open.length === 0) {
    const undo = kept.undone.get(later[0]?.id ?? "");
    return undo ? { type: "undone", undo } : { type: "cannot", why: t("undo.why.runUndone") };
  }
  const changes = open.some((step) => changedBy(session, step.id) !== 0);
  return changes ? { type: "can", partly: null } : { type: "cannot", why: t("undo.why.runReads") };
}

function isWhole(undo: UndoRecord | undefined): boolean {
  return undo !== undefined && undo.skipped.length === 0;
}

/** What the first revision holds is all of the plan's; of a later one what began after it. */
function ranSince({ revisions }: SessionState, { checkpoints }: Kept, id: StepId, revision: number): boolean {
  const began = revisions.find((entry) => entry.revision === revision)?.at;
  const kept = checkpoints.get(id)?.at;
  if (revision === 1 || !began || !kept) return true;
  return Date.parse(kept) >= Date.parse(began);
}

/** How many files the step changed, all its attempts together; null when it left no result. */
export function changedBy({ results }: SessionState, id: StepId): number | null {
  const own = results.filter((result) => result.stepId === id);
  if (own.length === 0) return null;
  return own.reduce((sum, result) => sum + result.filesChanged.length + (result.moreFilesChanged ?? 0), 0);
}

/** The undo that a step of the plan stands taken back by: not one that left alone all that the step had changed. */
export function undoneStep({ results }: SessionState, kept: Kept, id: StepId): UndoRecord | undefined {
  const undo = kept.undone.get(id);
  const files = results.filter((result) => result.stepId === id).flatMap((result) => result.filesChanged);
  const left = new Set(undo?.skipped.map((file) => file.path));
  return files.some((path) => !left.has(path)) ? undo : undefined;
}

/** Steps of the plan that can be taken back now. */
export function undoableSteps(session: SessionState, kept: Kept): number {
  if (busyWith(session) !== null) return 0;
  const can = (step: Step) =>
    kept.checkpoints.get(step.id) !== undefined &&
    kept.checkpoints.get(step.id)?.covers.type !== "nothing" &&
    !isWhole(kept.undone.get(step.id)) &&
    changedBy(session, step.id) !== 0;
  return (session.plan?.steps ?? []).filter(can).length;
}

/** The last undo, when it can be taken back. */
export function lastUndo({ undone = [] }: SessionState): UndoRecord | null {
  const last = undone.at(-1);
  return last && last.undoneBy === null ? last : null;
}

/** "4 files put back, 1 left alone". */
export function undoInWords({ restored, recreated, trashed, skipped }: UndoRecord): string {
  const parts = [
    [restored, t("undo.did.restored")],
    [recreated, t("undo.did.recreated")],
    [trashed, t("undo.did.trashed")],
    [skipped.length, t("undo.did.skipped")],
  ] as const;
  const [first, ...others] = parts.filter(([count]) => count > 0);
  if (!first) return t("undo.did.none");
  return [
    t("undo.did.files", { count: first[0], what: first[1] }),
    ...others.map(([count, what]) => t("undo.did.more", { count, what })),
  ].join(", ");
}

/** What was taken back, as a title. */
export function undidInWords({ target, by, steps }: UndoRecord, titleOf: (id: StepId) => string): string {
  if (by === "rollback") return t("undo.undid.rollback", { title: titleOf(steps[0] ?? "") });
  switch (target.type) {
    case "step":
      return t("undo.undid.step", { title: titleOf(target.stepId) });
    case "since":
      return t("undo.undid.since", { title: titleOf(target.stepId) });
    case "run":
    case "plan":
      return t("undo.undid.run");
    case "turn":
      return t("undo.undid.turn");
    case "revision":
      return t("undo.undid.revision", { revision: target.revision });
    case "undo":
      return t("undo.undid.undo");
  }
}

/** Whether a step could be taken back, said before it runs; null where there is nothing to say. */
export function outlookInWords(undo: UndoOutlook): string | null {
  switch (undo.type) {
    case "not-needed":
      return null;
    case "kept":
      return t("undo.outlook.kept");
    case "by-hand":
      return t("undo.outlook.byHand", { how: undo.how });
    case "partly":
      return t("undo.outlook.partly", { how: undo.how });
    case "cannot":
      return t("undo.outlook.cannot", { why: undo.why });
  }
}

/** The same of a whole plan: "3 steps, 1 by hand, 1 not at all". */
export function planOutlook(plan: Plan): string {
  const count = { kept: 0, "by-hand": 0, partly: 0, cannot: 0, "not-needed": 0 };
  for (const step of plan.steps) count[step.assessment?.undo.type ?? "not-needed"] += 1;
  const changing = plan.steps.length - count["not-needed"];
  if (changing === 0) return t("undo.outlook.none");
  if (count.kept === changing) return t("undo.outlook.all");
  return [
    count.kept > 0 && t("undo.outlook.can", { count: count.kept }),
    count.partly > 0 && t("undo.outlook.partlyCount", { count: count.partly }),
    count["by-hand"] > 0 && t("undo.outlook.byHandCount", { count: count["by-hand"] }),
    count.cannot > 0 && t("undo.outlook.cannotCount", { count: count.cannot }),
  ]
    .filter((part) => part !== false)
    .join(", ");
}

export function planTarget(plan: Plan): UndoTarget {
  return { type: "plan", planId: plan.id };
}
