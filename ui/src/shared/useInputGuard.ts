/**
 * Keeps a dialog that has just appeared from being answered by what was meant for something else. All input is swallowed
 * until 350 ms have passed without a key; each swallowed key starts the time again.
 */
import { useLayoutEffect } from "react";

export const GUARD_MS = 350;

const SWALLOWED = [
  "keydown",
  "keypress",
  "keyup",
  "pointerdown",
  "pointerup",
  "mousedown",
  "mouseup",
  "click",
] as const;

/** Guards anew whenever `shown` (what is being asked) changes; null is no question. */
export function useInputGuard(shown: string | null): void {
  useLayoutEffect(() => {
    if (shown === null) return;
    let quietSince = performance.now();
    const guard = (event: Event) => {
      if (performance.now() - quietSince >= GUARD_MS) {
        stop();
        return;
      }
      if (event.type === "keydown") quietSince = performance.now();
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const stop = () => {
      for (const type of SWALLOWED) window.removeEventListener(type, guard, true);
    };
    // On the window and in the capture phase: before any handler of the page.
    for (const type of SWALLOWED) window.addEventListener(type, guard, true);
    return stop;
  }, [shown]);
}
