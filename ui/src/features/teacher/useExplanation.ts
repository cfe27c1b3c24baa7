/** Asks for the explanation of a command; a newer question makes an older answer void. */
import { useCallback, useEffect, useState } from "react";
import type { EngineError, Explanation, SessionId } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";

export type Asked =
  | { type: "loading" }
  | { type: "explained"; explanation: Explanation }
  | { type: "failed"; error: EngineError };

export function useExplanation(sessionId: SessionId, command: string): Asked & { again: () => void } {
  const host = useHost();
  const [asked, setAsked] = useState<Asked>({ type: "loading" });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks the same question again.
  useEffect(() => {
    let wanted = true;
    setAsked({ type: "loading" });
    host.explain(sessionId, command).then(
      (explanation) => wanted && setAsked({ type: "explained", explanation }),
      (thrown: unknown) => wanted && setAsked({ type: "failed", error: toEngineError(thrown) }),
    );
    return () => {
      wanted = false;
    };
  }, [host, sessionId, command, round]);
  return { ...asked, again: useCallback(() => setRound((count) => count + 1), []) };
}
