/* The keyboard's view of the actions. While something floats over the window only that gets the keys, so that no shortcut
   acts behind a question. */
import { useEffect } from "react";
import type { Action } from "./actions";

/** A key press written as in `Action.keys`. */
export function chord(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">,
): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Mod");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey) parts.push("Shift");
  parts.push(key);
  return parts.join("+");
}

export function useShortcuts(actions: Action[]): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat) return;
      const pressed = chord(event);
      const action = actions.find((candidate) => candidate.keys === pressed);
      if (!action) return;
      if (document.querySelector("[role=dialog], [role=alertdialog]")) return;
      event.preventDefault();
      if (action.enabled) action.run();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [actions]);
}
