/**
 * Drags a row to another place in its list. The rows stay where they are and a line shows where it would go; nothing
 * changes before it is let go. Escape leaves everything as it was. The same by key is the list's own business. A row is a
 * `li` with its place as `data-index`; what it is dragged by has `data-grip`.
 */
import { type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** Less than this is a click. */
const THRESHOLD = 4;
/** So near an edge the list scrolls by itself, this many pixels a frame. */
const EDGE = 40;
const SCROLL_STEP = 9;

/** `gap`: before which row it would go, by its index; the number of rows is the end. */
export type Drag = { id: string; gap: number };

export function useRowDrag(
  scroller: RefObject<HTMLElement | null>,
  rows: { id: string }[],
  onMove: ((id: string, to: number) => void) | undefined,
): { drag: Drag | null; onPointerDown: (event: PointerEvent, id: string) => void } {
  const [drag, setDrag] = useState<Drag | null>(null);
  const latest = useRef({ rows, onMove });
  latest.current = { rows, onMove };
  const stop = useRef<() => void>(() => undefined);
  useEffect(() => () => stop.current(), []);

  const onPointerDown = useCallback(
    (event: PointerEvent, id: string) => {
      const grip = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-grip]") : null;
      const pane = scroller.current;
      if (!grip || !pane || event.button !== 0 || !latest.current.onMove) return;
      const startY = event.clientY;
      let y = startY;
      let held: Drag | null = null;
      let frame = 0;

      const follow = () => {
        const gap = gapAt(pane, y);
        if (gap === null || gap === held?.gap) return;
        held = { id, gap };
        setDrag(held);
      };
      const scroll = () => {
        const box = pane.getBoundingClientRect();
        if (held && y < box.top + EDGE) pane.scrollTop -= SCROLL_STEP;
        else if (held && y > box.bottom - EDGE) pane.scrollTop += SCROLL_STEP;
        if (held) follow();
        frame = requestAnimationFrame(scroll);
      };
      const move = (moved: globalThis.PointerEvent) => {
        y = moved.clientY;
        if (held || Math.abs(y - startY) > THRESHOLD) follow();
      };
      const end = () => {
        const { rows: now, onMove: tell } = latest.current;
        const from = now.findIndex((row) => row.id === id);
        const dropped = held;
        stop.current();
        if (!dropped || from < 0) return;
        const to = dropped.gap > from ? dropped.gap - 1 : dropped.gap;
        if (to !== from) tell?.(id, to);
      };
      const key = (pressed: KeyboardEvent) => {
        if (pressed.key !== "Escape") return;
        pressed.preventDefault();
        pressed.stopPropagation();
        stop.current();
      };
      stop.current();
      stop.current = () => {
        cancelAnimationFrame(frame);
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", end);
        window.removeEventListener("pointercancel", stop.current);
        window.removeEventListener("keydown", key, true);
        stop.current = () => undefined;
        setDrag(null);
      };
      // On the window: a row that is scrolled out of sight leaves the document, and the drag goes on.
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", end);
      window.addEventListener("pointercancel", stop.current);
      window.addEventListener("keydown", key, true);
      frame = requestAnimationFrame(scroll);
    },
    [scroller],
  );
  return { drag, onPointerDown };
}

/** The gap nearest to a height on the screen; null when no row is drawn. */
function gapAt(pane: HTMLElement, y: number): number | null {
  let after: number | null = null;
  for (const row of pane.querySelectorAll<HTMLElement>("li[data-index]")) {
    const index = Number(row.dataset.index);
    const box = row.getBoundingClientRect();
    if (y < box.top + box.height / 2) return index;
    after = index + 1;
  }
  return after;
}
