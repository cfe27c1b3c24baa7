/**
 * Editing a plan before it is confirmed. Every change is asked of the engine and comes back as a revision; what is said
 * about it, and where the focus goes, waits for that.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { Command, Plan, RevisionEntry, Step, StepId } from "@/ipc/bindings";
import { movedStep } from "@/shared/revisions";
import { commandOf } from "@/shared/steps";
import { TITLE_LENGTH } from "./StepEditor";
import type { FocusWish } from "./StepList";

const UNDO_MILLIS = 12_000;

/** The same object for the life of the panel. */
export type DraftActions = {
  /** `to` is the place in the new order, from 0. */
  move(id: StepId, to: number): void;
  remove(id: StepId): void;
  /** Opens the form for a step after this one; null is the start. */
  startAdding(after: StepId | null): void;
  stopAdding(): void;
  add(title: string, command: string): void;
};

export type Draft = {
  actions: DraftActions;
  /** Where a new step is being written. */
  adding: { after: StepId | null } | null;
  /** What the last edit made of the plan, for those who cannot see it. */
  said: string;
  /** The step that should have the focus once it is drawn. */
  focus: FocusWish | null;
};

/** An edit under way: what to say and do once the plan shows it. */
type Pending = { type: "remove"; step: Step; before: StepId[] } | { type: "add"; known: Set<StepId> };

export function useDraft(
  plan: Plan,
  revisions: RevisionEntry[],
  onCommand: (command: Command) => Promise<void>,
): Draft {
  const [adding, setAdding] = useState<{ after: StepId | null } | null>(null);
  const [focus, setFocus] = useState<FocusWish | null>(null);
  const pending = useRef<Pending | null>(null);
  const asked = useRef<StepId | null>(null);
  const latest = useRef({ plan, onCommand, adding });
  latest.current = { plan, onCommand, adding };
  const draft = plan.state.type === "draft";

  /** Puts a removed step back where it was, or behind the nearest one before it that is still there. */
  const putBack = useCallback((step: Step, before: StepId[]) => {
    const { plan: now, onCommand: send } = latest.current;
    if (now.state.type !== "draft") return;
    const there = new Set(now.steps.map((one) => one.id));
    const after = before.findLast((id) => there.has(id)) ?? null;
    pending.current = { type: "add", known: there };
    const listed = now.page?.leftOut.find((one) => one.steps.some((kept) => kept.id === step.id));
    if (listed) {
      void send({ type: "take-in", block: listed.block });
      return;
    }
    // A page's own titles may be longer than one that is given by hand.
    const title = [...step.title].slice(0, TITLE_LENGTH).join("");
    void send({ type: "add-step", after, title, command: commandOf(step) });
  }, []);

  useEffect(() => {
    const waiting = pending.current;
    if (!waiting) return;
    if (waiting.type === "remove") {
      const { step, before } = waiting;
      if (plan.steps.some((one) => one.id === step.id)) return;
      pending.current = null;
      const next = plan.steps[before.length] ?? plan.steps.at(-1);
      if (next) setFocus({ id: next.id });
      toast(t("plan.draft.removed", { title: step.title }), {
        id: undoToast(plan.id),
        duration: UNDO_MILLIS,
        action: { label: t("plan.draft.undo"), onClick: () => putBack(step, before) },
      });
      return;
    }
    const made = plan.steps.find((step) => !waiting.known.has(step.id));
    if (!made) return;
    pending.current = null;
    setFocus({ id: made.id });
  }, [plan, putBack]);

  // An undo that could no longer be done is not offered.
  const toastId = undoToast(plan.id);
  useEffect(() => {
    if (!draft) toast.dismiss(toastId);
    return () => void toast.dismiss(toastId);
  }, [draft, toastId]);

  const actions = useMemo<DraftActions>(
    () => ({
      move: (id, to) => {
        const { plan: now, onCommand: send } = latest.current;
        if (to < 0 || to >= now.steps.length) return;
        asked.current = id;
        setFocus({ id, place: to });
        void send({ type: "move-step", stepId: id, to });
      },
      remove: (id) => {
        const { plan: now, onCommand: send } = latest.current;
        const at = now.steps.findIndex((step) => step.id === id);
        const step = now.steps[at];
        if (!step || now.steps.length === 1) return;
        pending.current = { type: "remove", step, before: now.steps.slice(0, at).map((one) => one.id) };
        void send({ type: "remove-step", stepId: id });
      },
      startAdding: (after) => setAdding({ after }),
      stopAdding: () => setAdding(null),
      add: (title, command) => {
        const { plan: now, onCommand: send, adding: place } = latest.current;
        if (!place) return;
        setAdding(null);
        pending.current = { type: "add", known: new Set(now.steps.map((step) => step.id)) };
        void send({ type: "add-step", after: place.after, title, command });
      },
    }),
    [],
  );

  const said = useMemo(
    () => (draft ? editInWords(plan, revisions, asked.current) : ""),
    [draft, plan, revisions],
  );
  const place = draft && adding && isThere(plan, adding.after) ? adding : null;
  return { actions, adding: place, said, focus };
}

function undoToast(planId: string): string {
  return `removed-${planId}`;
}

function isThere(plan: Plan, after: StepId | null): boolean {
  return after === null || plan.steps.some((step) => step.id === after);
}

/** What the last revision did to the order; changes, additions and removals are said as of any revision. */
function editInWords(plan: Plan, revisions: RevisionEntry[], asked: StepId | null): string {
  const last = revisions.at(-1);
  if (last?.author.type !== "user") return "";
  const moved = movedStep(last.changes, last.stepId ?? asked);
  const at = plan.steps.findIndex((step) => step.id === moved?.id);
  if (!moved || at < 0) return "";
  return t("plan.draft.moved", { title: moved.title, place: at + 1, count: plan.steps.length });
}
