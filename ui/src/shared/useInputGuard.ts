/**
 * Keeps a dialog from being answered by what was meant for something else: for the page before it appeared, or for bringing the window
 * to the front. All input is swallowed until 350 ms have passed without a key; each swallowed key starts the time again. A press
 * that was swallowed stays without effect however late it ends.
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
    let pressing = false;
    const rearm = () => {
      quietSince = performance.now();
    };
    const guard = (event: Event) => {
      const quiet = performance.now() - quietSince >= GUARD_MS;
      if (event.type === "pointerdown" || event.type === "keydown") pressing = !quiet;
      if (quiet && !pressing) return;
      if (event.type === "click") pressing = false;
      if (event.type === "keydown") rearm();
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    // On the window and in the capture phase: before any handler of the page.
    for (const type of SWALLOWED) window.addEventListener(type, guard, true);
    // Not in the capture phase, where it would hear of every element that gets the focus.
    window.addEventListener("focus", rearm);
    return () => {
      for (const type of SWALLOWED) window.removeEventListener(type, guard, true);
      window.removeEventListener("focus", rearm);
    };
  }, [shown]);
}
