/* An attempt's output as the engine keeps it on disk. */
import { useMemo } from "react";
import type { OutputSource } from "@/shared/outputSource";
import type { SessionId, StepId } from "./bindings";
import { useHost } from "./host";

/** `stepId` is a call's id in a conversation. */
export function useOutputSource(sessionId: SessionId, stepId: StepId, attempt: number): OutputSource {
  const host = useHost();
  return useMemo(
    () => ({
      rows: (from, count) => host.outputRows(sessionId, stepId, attempt, from, count),
      search: (text, matchCase) => host.searchOutput(sessionId, stepId, attempt, { text, matchCase }),
      whole: () => host.readOutput(sessionId, stepId, attempt),
    }),
    [host, sessionId, stepId, attempt],
  );
}
