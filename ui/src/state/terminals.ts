/* What programs at a terminal show, on its way to the card that draws it. A stream, not state: nothing is kept here, for the
   engine has every screen as it is. */
import { useMemo } from "react";
import type { SessionId, SessionState, StepId, Update } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import type { TerminalNews, TerminalSource } from "@/shared/terminal/source";

type Listener = (news: TerminalNews) => void;

function keyOf(sessionId: SessionId, stepId: StepId, attempt: number): string {
  return `${sessionId}\u0000${stepId}\u0000${attempt}`;
}

export class TerminalStream {
  readonly #listeners = new Map<string, Set<Listener>>();

  pass({ sessionId, stepId, attempt, ...news }: Extract<Update, { type: "terminal" }>): void {
    for (const listener of this.#listeners.get(keyOf(sessionId, stepId, attempt)) ?? []) listener(news);
  }

  subscribe(sessionId: SessionId, stepId: StepId, attempt: number, listener: Listener): () => void {
    const key = keyOf(sessionId, stepId, attempt);
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }
}

export const terminalStream = new TerminalStream();

/** The attempt of this step, 0 for a call, that was run in a terminal last; null when none was. */
export function terminalOf(session: SessionState | null, stepId: StepId): number | null {
  return session?.terminals?.find((run) => run.stepId === stepId)?.attempt ?? null;
}

/** The terminal of an attempt that has one. */
export function useTerminalSource(sessionId: SessionId, stepId: StepId, attempt: number): TerminalSource {
  const host = useHost();
  return useMemo(
    () => ({
      screen: () => host.terminalScreen(sessionId, stepId, attempt),
      onNews: (listener) => terminalStream.subscribe(sessionId, stepId, attempt, listener),
      send: (input) => host.terminalInput(sessionId, stepId, input),
    }),
    [host, sessionId, stepId, attempt],
  );
}
