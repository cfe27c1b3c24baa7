/* Live output of the running attempts. It lives outside the app state so that a flood of text redraws one output pane and
   nothing else. Only the end is kept, which is all that a pane draws of a flood; the whole is on disk. Never journalled,
   never the truth: a finished attempt's StepResult is. */
import { useCallback, useSyncExternalStore } from "react";
import { t } from "@/i18n";
import type { OutputChunk, SessionId, StepId } from "@/ipc/bindings";
import { formatBytes } from "@/shared/format";
import { newlinesIn, TAIL_CHARS, tailOf } from "@/shared/terminalLines";

/** Characters kept of one attempt. It is cut to half of that: a cut with every chunk would copy all of it each time. */
export const MAX_LIVE_CHARS = 2 * TAIL_CHARS;
/** Attempts kept in all. */
export const MAX_LIVE_ATTEMPTS = 24;

export type LiveOutput = {
  /** The end of both streams in the order they came, ANSI kept. */
  text: string;
  /** Ends of lines in all that came. */
  newlines: number;
  /** The place behind the last chunk, in bytes of the whole output. */
  end: number;
};

const NOTHING: LiveOutput = Object.freeze({ text: "", newlines: 0, end: 0 });

function keyOf(sessionId: SessionId, stepId: StepId, attempt: number): string {
  return `${sessionId}\u0000${stepId}\u0000${attempt}`;
}

function gap(before: string, bytes: number): string {
  const mark = t("shared.output.gap", { size: formatBytes(bytes) });
  return `${before === "" || before.endsWith("\n") ? "" : "\n"}${mark}\n`;
}

export class LiveOutputStore {
  #kept = new Map<string, LiveOutput>();
  #listeners = new Map<string, Set<() => void>>();

  append(sessionId: SessionId, stepId: StepId, attempt: number, chunks: OutputChunk[]): void {
    const key = keyOf(sessionId, stepId, attempt);
    const before = this.#kept.get(key) ?? NOTHING;
    let { text, newlines, end } = before;
    for (const chunk of chunks) {
      // What comes too fast to be looked at is left out on the way; the file has it.
      const said = chunk.fromByte > end ? gap(text, chunk.fromByte - end) + chunk.text : chunk.text;
      newlines += newlinesIn(said);
      text += said;
      end = Math.max(end, chunk.fromByte + chunk.bytes);
    }
    if (text.length > MAX_LIVE_CHARS) text = tailOf(text);
    // Deleting first puts the key last, so that the attempt heard of least recently is the one to go.
    this.#kept.delete(key);
    this.#kept.set(key, { text, newlines, end });
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
