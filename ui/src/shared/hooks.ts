/** Small hooks that know no feature. */
import { useReducedMotion as useMotionPreference } from "motion/react";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** True when the system asks for reduced motion; nothing may then move by itself. */
export function useReducedMotion(): boolean {
  return useMotionPreference() ?? false;
}

/** The present time, renewed every `everyMs` while `running`; for elapsed times. */
export function useNow(running: boolean, everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [running, everyMs]);
  return now;
}

/** Copies text and says so for a moment. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback((text: string) => {
    void navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setCopied(false), 1500);
      },
      // The clipboard may be refused; the button then simply does not say "Copied".
      () => setCopied(false),
    );
  }, []);
  return { copied, copy };
}

/** Keeps a text field as high as what is in it. `field-sizing` would, but not every WebKit that this runs in knows it. */
export function useContentHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is read from the field.
  useLayoutEffect(() => {
    const box = field.current;
    if (!box) return;
    let width = 0;
    const measure = () => {
      box.style.height = "auto";
      box.style.height = `${box.scrollHeight}px`;
      width = box.clientWidth;
    };
    measure();
    // A narrower field breaks its lines anew. The height that this sets is no reason to measure again.
    const watch = new ResizeObserver(() => {
      if (box.clientWidth !== width) measure();
    });
    watch.observe(box);
    return () => watch.disconnect();
  }, [field, text]);
}

/** The last value that was given before the present one; undefined at first. */
export function usePrevious<T>(value: T): T | undefined {
  const held = useRef<{ present: T; before: T | undefined }>({ present: value, before: undefined });
  if (held.current.present !== value) held.current = { present: value, before: held.current.present };
  return held.current.before;
}

/** The name of the key that stands for "command" in shortcuts on this machine. */
export function modifierName(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";
}

/** False for the first frame, true once that is on the screen: for what may come a moment later. */
export function useAfterPaint(): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    // A task of its own behind the frame: by then the frame was handed to the screen.
    let task: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      task = setTimeout(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(task);
    };
  }, []);
  return painted;
}

/** Ctrl or Cmd with Enter, unless it belongs to a text field or a dialog. */
export function useRunShortcut(active: boolean, onRun: () => void) {
  const latest = useRef(onRun);
  latest.current = onRun;
  useEffect(() => {
    if (!active) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key !== "Enter" ||
        !(event.ctrlKey || event.metaKey) ||
        event.repeat ||
        event.defaultPrevented
      )
        return;
      if (event.target instanceof Element && event.target.closest("input,textarea,select,[contenteditable]"))
        return;
      if (document.querySelector("[role=dialog],[role=alertdialog],[role=menu]")) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [active]);
}
