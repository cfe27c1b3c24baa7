/* What an undo would do now, looked at again whenever the window gets the focus: whoever comes back from an editor sees the
   files as they are. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { EngineError, SessionId, UndoPreview, UndoTarget } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";

export type Look =
  | { type: "looking" }
  /** `moved`: it was shown otherwise before. */
  | { type: "seen"; preview: UndoPreview; moved: boolean }
  | { type: "failed"; why: EngineError };

/** `again` says whether things stand otherwise than they were shown. */
export function usePreview(
  sessionId: SessionId,
  target: UndoTarget,
): { look: Look; again: () => Promise<boolean> } {
  const host = useHost();
  const [look, setLook] = useState<Look>({ type: "looking" });
  const asked = useRef(0);
  const shown = useRef<string | null>(null);
  // A target is a value: the same one made anew is not looked at again.
  const key = JSON.stringify(target);

  const again = useCallback(async () => {
    asked.current += 1;
    const number = asked.current;
    try {
      const preview = await host.undoPreview(sessionId, JSON.parse(key) as UndoTarget);
      if (number !== asked.current) return false;
      const moved = shown.current !== null && shown.current !== preview.token;
      shown.current = preview.token;
      setLook((before) => ({
        type: "seen",
        preview,
        moved: moved || (before.type === "seen" && before.moved),
      }));
      return moved;
    } catch (thrown) {
      if (number === asked.current) setLook({ type: "failed", why: toEngineError(thrown) });
      return false;
    }
  }, [host, sessionId, key]);

  useEffect(() => {
    shown.current = null;
    setLook({ type: "looking" });
    void again();
    const onFocus = () => void again();
    window.addEventListener("focus", onFocus);
    return () => {
      window.removeEventListener("focus", onFocus);
      asked.current += 1;
    };
  }, [again]);
  return { look, again };
}
