/**
 * The meaning of the part of a command under the pointer, wherever the window shows a command: one listener for all of them. What
 * is no command, as a path, has no known program at its beginning, and nothing is shown.
 */
import { useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { Explanation, SessionId } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { partAt } from "./partAt";

const WAIT_MS = 350;
const KEPT = 50;

type Shown = { meaning: string; text: string; x: number; y: number };

export function HoverMeaning({ sessionId }: { sessionId: SessionId }) {
  const host = useHost();
  const [shown, setShown] = useState<Shown | null>(null);
  const kept = useRef(new Map<string, Promise<Explanation>>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session may know other variables.
  useEffect(() => kept.current.clear(), [sessionId]);
  useEffect(() => {
    let timer = 0;
    let wanted = 0;
    const ask = (command: string) => {
      const known = kept.current.get(command);
      if (known) return known;
      if (kept.current.size >= KEPT) kept.current.clear();
      const asked = host.explain(sessionId, command);
      kept.current.set(command, asked);
      asked.catch(() => kept.current.delete(command));
      return asked;
    };
    const tell = async (code: HTMLElement, x: number, y: number) => {
      const offset = offsetAt(code, x, y);
      const command = code.textContent ?? "";
      if (offset === null || command.trim() === "") return;
      const round = wanted;
      const explanation = await ask(command).catch(() => null);
      if (!explanation || round !== wanted) return;
      const part = explanation.parts[0]?.known ? partAt(explanation, offset) : null;
      setShown(part ? { meaning: part.meaning, text: part.text, x, y } : null);
    };
    const move = (event: PointerEvent) => {
      wanted += 1;
      clearTimeout(timer);
      setShown(null);
      const code =
        event.target instanceof Element ? event.target.closest<HTMLElement>("code[data-command]") : null;
      if (!code) return;
      const { clientX, clientY } = event;
      timer = window.setTimeout(() => void tell(code, clientX, clientY), WAIT_MS);
    };
    const leave = () => {
      wanted += 1;
      clearTimeout(timer);
      setShown(null);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerdown", leave);
    document.addEventListener("keydown", leave);
    document.addEventListener("scroll", leave, true);
    return () => {
      leave();
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("keydown", leave);
      document.removeEventListener("scroll", leave, true);
    };
  }, [host, sessionId]);
  if (!shown) return null;
  return (
    <div
      role="tooltip"
      aria-label={t("teacher.hover")}
      style={{ left: Math.min(shown.x, window.innerWidth - 330), top: shown.y + 18 }}
      className="pointer-events-none fixed z-50 max-w-80 rounded-sm border border-line bg-raised px-2.5 py-1.5 text-sm text-ink-2 shadow-3"
    >
      <code className="mr-1.5 text-teacher">{shown.text}</code>
      {shown.meaning}
    </div>
  );
}

/** The place in the text of `code` under a point. */
function offsetAt(code: HTMLElement, x: number, y: number): number | null {
  const caret = document.caretRangeFromPoint?.(x, y);
  if (!caret || !code.contains(caret.startContainer)) return null;
  const before = document.createRange();
  before.selectNodeContents(code);
  before.setEnd(caret.startContainer, caret.startOffset);
  return before.toString().length;
}
