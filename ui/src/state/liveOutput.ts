/* Live output of the running attempts. It lives outside the app state so that a flood of text redraws one output pane and
   nothing else. Bounded: the oldest text goes first. Never journalled, never the truth: a finished attempt's StepResult is. */
import { useCallback, useSyncExternalStore } from "react";
import type { OutputChunk, SessionId, StepId } from "@/ipc/bindings";

/** Characters kept of one attempt. */
export const MAX_LIVE_CHARS = 200_000;
/** Attempts kept in all. */
export const MAX_LIVE_ATTEMPTS = 24;

export type LiveOutput = {
  /** The tail of both streams in the order they came, ANSI kept. */
  text: string;
  /** Characters dropped before `text`. */
  dropped: number;
};

const NOTHING: LiveOutput = Object.freeze({ text: "", dropped: 0 });

function keyOf(sessionId: SessionId, stepId: StepId, attempt: number): string {
  return `${sessionId}\u0000${stepId}\u0000${attempt}`;
}

export class LiveOutputStore {
  #kept = new Map<string, LiveOutput>();
  #listeners = new Map<string, Set<() => void>>();

  append(sessionId: SessionId, stepId: StepId, attempt: number, chunks: OutputChunk[]): void {
    const key = keyOf(sessionId, stepId, attempt);
    const before = this.#kept.get(key) ?? NOTHING;
    let text = before.text + chunks.map((chunk) => chunk.text).join("");
    let dropped = before.dropped;
    if (text.length > MAX_LIVE_CHARS) {
      const cut = text.indexOf("\n", text.length - MAX_LIVE_CHARS);
      const from = cut === -1 ? text.length - MAX_LIVE_CHARS : cut + 1;
      dropped += from;
      text = text.slice(from);
    }
    // Deleting first puts the key last, so that the attempt heard of least recently is the one to go.
    this.#kept.delete(key);
    this.#kept.set(key, { text, dropped });
    if (this.#kept.size > MAX_LIVE_ATTEMPTS) {
      const oldest = this.#kept.keys().next().value;
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }

  get(sessionId: SessionId, stepId: StepId, attempt: number): LiveOutput {
    return this.#kept.get(keyOf(sessionId, stepId, attempt)) ?? NOTHING;
  }

  forget(sessionId: SessionId): void {
    for (const key of [...this.#kept.keys()]) {
      if (key.startsWith(`${sessionId}\u0000`)) this.#kept.delete(key);
    }
  }

  subscribe(sessionId: SessionId, stepId: StepId, attempt: number, listener: () => void): () => void {
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

export const liveOutput = new LiveOutputStore();

/** The live output of one attempt; redraws only when that attempt says something. */
export function useLiveOutput(sessionId: SessionId, stepId: StepId, attempt: number): LiveOutput {
  const subscribe = useCallback(
    (listener: () => void) => liveOutput.subscribe(sessionId, stepId, attempt, listener),
    [sessionId, stepId, attempt],
  );
  return useSyncExternalStore(subscribe, () => liveOutput.get(sessionId, stepId, attempt));
}
