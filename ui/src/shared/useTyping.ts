/** Whether the user is writing somewhere right now, so that a question must not take the focus. */
import { useCallback, useEffect, useRef } from "react";

export const TYPING_MS = 2_000;

const NO_TEXT = new Set([
  "button",
  "checkbox",
  "radio",
  "range",
  "submit",
  "reset",
  "file",
  "color",
  "image",
]);

function isTextField(element: Element | null): boolean {
  if (element instanceof HTMLTextAreaElement) return true;
  if (element instanceof HTMLInputElement) return !NO_TEXT.has(element.type);
  return element instanceof HTMLElement && element.isContentEditable;
}

export function useTyping(): () => boolean {
  const lastKey = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isTextField(event.target instanceof Element ? event.target : null))
        lastKey.current = performance.now();
    };
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, []);
  return useCallback(
    () => isTextField(document.activeElement) && performance.now() - lastKey.current < TYPING_MS,
    [],
  );
}
