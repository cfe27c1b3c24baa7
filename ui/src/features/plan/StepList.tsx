/**
 * The steps, of which only those in view are in the document. Rows stand in normal flow, so that an inserted step pushes
 * the others as it grows; what the reader looks at stays where it is. In a draft they can be put in another order.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { motion } from "motion/react";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { t } from "@/i18n";
import type { Step, StepId } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { useReducedMotion } from "@/shared/hooks";
import { useRowDrag } from "@/shared/useRowDrag";

const ROW_ESTIMATE = 62;
const GROW_SECONDS = 0.22;

/** `place`: where the step is on its way to; it gets the focus again once it is there. */
export type FocusWish = { id: StepId; place?: number };

type Props = {
  steps: Step[];
  renderStep: (step: Step) => ReactNode;
  /** Brought into view when it changes, unless the reader has scrolled by hand since. */
  reveal: StepId | null;
  before?: ReactNode;
  after?: ReactNode;
  /** Given in a draft: the steps may be put in another order, by pointer and by key. */
  onMove?: ((id: StepId, to: number) => void) | undefined;
  onRemove?: ((id: StepId) => void) | undefined;
  /** Given where steps can be taken back: false when this one cannot. */
  onUndo?: ((id: StepId) => boolean) | undefined;
  /** The step that is pointed at, brought into view and shown as such. */
  pointed?: StepId | null;
  onPoint?: ((id: StepId) => void) | undefined;
  /** The step that takes the focus; a new object asks anew. */
  focus?: FocusWish | null;
};

export function StepList(props: Props) {
  const { steps, renderStep, reveal, before, after, onMove, onRemove, onUndo, focus = null } = props;
  const { pointed = null, onPoint } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const lead = useRef<HTMLDivElement>(null);
  const reduced = useReducedMotion();
  const grown = useNewSteps(steps);
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_ESTIMATE,
    getItemKey: useCallback((index: number) => steps[index]?.id ?? index, [steps]),
    overscan: 6,
    scrollMargin: lead.current?.offsetHeight ?? 0,
  });
  const anchor = useAnchor(scroller, steps);
  const move = onMove
    ? (id: StepId, to: number) => {
        // The eye follows the step that moves, not the one that happened to stand first.
        anchor.forget();
        onMove(id, to);
      }
    : undefined;
  const { drag, onPointerDown } = useRowDrag(scroller, steps, move);
  useStepFocus(scroller, focus, steps, (index) => virtual.scrollToIndex(index, { align: "auto" }));
  const onKeyDown = (event: KeyboardEvent, step: Step, index: number) => {
    if (isWriting(event.target)) return;
    const onGrip = event.target instanceof Element && event.target.closest("[data-grip]");
    if (move && event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      const to = index + (event.key === "ArrowUp" ? -1 : 1);
      if (to >= 0 && to < steps.length) move(step.id, to);
    } else if (onRemove && onGrip && event.key === "Delete") {
      event.preventDefault();
      onRemove(step.id);
    } else if (isUndo(event) && onUndo?.(step.id)) {
      event.preventDefault();
    }
  };
  usePointed(pointed, steps, (index) => virtual.scrollToIndex(index, { align: "auto" }));
  useReveal(scroller, reveal, (index) => virtual.scrollToIndex(index, { align: "auto" }), steps);

  const items = virtual.getVirtualItems();
  const margin = virtual.options.scrollMargin;
  const first = items[0];
  const last = items.at(-1);
  return (
    <div
      ref={scroller}
      onScroll={anchor.onScroll}
      className={cx(
        "min-h-0 flex-1 overflow-y-auto overscroll-contain px-3.5 py-3 [overflow-anchor:none]",
        drag && "cursor-grabbing select-none",
      )}
    >
      <div ref={lead}>{before}</div>
      <ol
        aria-label={t("plan.steps")}
        style={{
          paddingTop: first ? first.start - margin : 0,
          paddingBottom: last ? virtual.getTotalSize() - (last.end - margin) : 0,
        }}
      >
        {items.map((item) => {
          const step = steps[item.index];
          if (!step) return null;
          return (
            <motion.li
              key={step.id}
              data-index={item.index}
              data-step={step.id}
              ref={virtual.measureElement}
              aria-posinset={item.index + 1}
              aria-setsize={steps.length}
              initial={grown.has(step.id) && !reduced ? { height: 0, opacity: 0 } : false}
              animate={{ height: "auto", opacity: 1 }}
              transition={{ duration: GROW_SECONDS, ease: [0.2, 0.8, 0.2, 1] }}
              onKeyDown={(event) => onKeyDown(event, step, item.index)}
              onPointerDown={(event) => onPointerDown(event, step.id)}
              onClick={onPoint && (() => onPoint(step.id))}
              onFocus={onPoint && (() => onPoint(step.id))}
              className={cx(
                "relative",
                grown.has(step.id) && "overflow-clip",
                pointed === step.id && "rounded-md outline-2 -outline-offset-2 outline-focus",
              )}
            >
              {drag?.gap === item.index ? <DropLine className="-top-[3px]" /> : null}
              <div className={cx("pb-1 transition-opacity", drag?.id === step.id && "opacity-40")}>
                {renderStep(step)}
              </div>
              {drag?.gap === steps.length && item.index === steps.length - 1 ? (
                <DropLine className="bottom-[1px]" />
              ) : null}
            </motion.li>
          );
        })}
      </ol>
      {after}
    </div>
  );
}

/** Where a dragged step would go. */
function DropLine({ className }: { className: string }) {
  return (
    <span
      aria-hidden
      data-drop-line
      className={cx("pointer-events-none absolute inset-x-1 z-10 h-0.5 rounded-full bg-focus", className)}
    />
  );
}

function isUndo(event: KeyboardEvent): boolean {
  const bare = !event.shiftKey && !event.altKey;
  return bare && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
}

function isWriting(target: EventTarget): boolean {
  return (
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === "text")
  );
}

/**
 * Moving a row in the document takes the focus from it; a step that was moved or made gets it by its grip: at once, and
 * once more when the plan has answered. After that the wish is spent.
 */
function useStepFocus(
  scroller: React.RefObject<HTMLDivElement | null>,
  focus: FocusWish | null,
  steps: Step[],
  scrollTo: (index: number) => void,
) {
  const wish = useRef<{ focus: FocusWish | null; steps: Step[]; spent: boolean }>({
    focus: null,
    steps,
    spent: true,
  });
  const latest = useRef(scrollTo);
  latest.current = scrollTo;
  useEffect(() => {
    const { current } = wish;
    if (!focus) return;
    const fresh = current.focus !== focus;
    if (!fresh && (current.spent || current.steps === steps)) return;
    const index = steps.findIndex((step) => step.id === focus.id);
    const there = focus.place === undefined || index === focus.place;
    wish.current = { focus, steps, spent: there || !fresh };
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (index >= 0) latest.current(index);
    const row = scroller.current?.querySelector<HTMLElement>(`li[data-step="${CSS.escape(focus.id)}"]`);
    if (row && !row.contains(document.activeElement) && (fresh || lost))
      row.querySelector<HTMLElement>("[data-grip]")?.focus({ preventScroll: true });
  }, [focus, steps, scroller]);
}

/** Steps that the last revision brought; none when the plan is first shown. */
function useNewSteps(steps: Step[]): Set<StepId> {
  const seen = useRef<{ steps: Step[]; ids: Set<StepId>; fresh: Set<StepId> } | null>(null);
  if (seen.current?.steps !== steps) {
    const ids = new Set(steps.map((step) => step.id));
    const before = seen.current?.ids;
    const fresh = new Set(before ? [...ids].filter((id) => !before.has(id)) : []);
    // A state change makes a new array of the same steps; those still growing keep on.
    seen.current = { steps, ids, fresh: fresh.size > 0 ? fresh : (seen.current?.fresh ?? fresh) };
  }
  return seen.current.fresh;
}

/** Holds the first visible row at its place when steps are put in above it. */
function useAnchor(scroller: React.RefObject<HTMLDivElement | null>, steps: Step[]) {
  const anchor = useRef<{ id: string; top: number } | null>(null);
  // At the top nothing is held, and the layout need not be asked.
  const atTop = useRef(true);
  const remember = useCallback(() => {
    const pane = scroller.current;
    if (!pane || atTop.current) return;
    const edge = pane.getBoundingClientRect().top;
    for (const row of pane.querySelectorAll<HTMLElement>("li[data-step]")) {
      const box = row.getBoundingClientRect();
      if (box.bottom > edge) {
        anchor.current = { id: row.dataset.step ?? "", top: box.top - edge };
        return;
      }
    }
  }, [scroller]);
  const drawn = useRef(steps);
  // After every drawing: rows of a new place in the list come a moment after the scrolling that called for them.
  useLayoutEffect(() => {
    const pane = scroller.current;
    const held = anchor.current;
    if (drawn.current !== steps && pane && held && !atTop.current) {
      const row = pane.querySelector<HTMLElement>(`li[data-step="${CSS.escape(held.id)}"]`);
      const moved = row ? row.getBoundingClientRect().top - pane.getBoundingClientRect().top - held.top : 0;
      if (Math.abs(moved) > 1) pane.scrollTop += moved;
    }
    drawn.current = steps;
    remember();
  });
  const onScroll = useCallback(() => {
    atTop.current = (scroller.current?.scrollTop ?? 0) <= 0;
    remember();
  }, [scroller, remember]);
  const forget = useCallback(() => {
    anchor.current = null;
  }, []);
  return { onScroll, forget };
}

/** What is pointed at elsewhere is brought into view here. */
function usePointed(pointed: StepId | null, steps: Step[], scrollTo: (index: number) => void) {
  const latest = useRef({ steps, scrollTo });
  latest.current = { steps, scrollTo };
  useEffect(() => {
    const index = latest.current.steps.findIndex((step) => step.id === pointed);
    if (index >= 0) latest.current.scrollTo(index);
  }, [pointed]);
}

/** Follows the living step, but not against a reader who went elsewhere. */
function useReveal(
  scroller: React.RefObject<HTMLDivElement | null>,
  reveal: StepId | null,
  scrollTo: (index: number) => void,
  steps: Step[],
) {
  const last = useRef<StepId | null>(null);
  const latest = useRef({ steps, scrollTo });
  latest.current = { steps, scrollTo };
  useEffect(() => {
    const pane = scroller.current;
    const before = last.current;
    last.current = reveal;
    if (!pane || reveal === null || reveal === before) return;
    const from = before === null ? null : pane.querySelector(`li[data-step="${CSS.escape(before)}"]`);
    if (before !== null && !from) return;
    const index = latest.current.steps.findIndex((step) => step.id === reveal);
    if (index >= 0) latest.current.scrollTo(index);
  }, [reveal, scroller]);
}
