/* What a model is saying, before the event that holds it whole. It lives outside the app state so that a word redraws one
   answer and nothing else. Bounded: the oldest text goes first. Never the truth: the assistant-message event is. */
import { useCallback, useSyncExternalStore } from "react";
import type { AnswerDelta, Event, MessageId, SessionId } from "@/ipc/bindings";

/** Characters kept of one part; beyond it the oldest are dropped at a line. */
export const MAX_LIVE_ANSWER_CHARS = 120_000;
/** Rounds whose time of thinking is remembered. */
const MAX_THOUGHTS = 400;

/** Times are milliseconds of `performance.now()`; `endedAt` is null while the part may still grow. */
export type LivePart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string; startedAt: number; endedAt: number | null }
  | { type: "call"; tool: string };

export type LiveAnswer = { messageId: MessageId; round: number; parts: LivePart[] };

type Round = { messageId: MessageId; round: number };

export class LiveAnswerStore {
  readonly #now: () => number;
  readonly #live = new Map<SessionId, LiveAnswer>();
  /** The newest round of each session that is told by its event: what still comes of it is too late. */
  readonly #settled = new Map<SessionId, Round>();
  readonly #thoughts = new Map<string, number>();
  readonly #listeners = new Map<SessionId, Set<() => void>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  append(sessionId: SessionId, messageId: MessageId, round: number, deltas: AnswerDelta[]): void {
    const settled = this.#settled.get(sessionId);
    if (settled?.messageId === messageId && round <= settled.round) return;
    const before = this.#live.get(sessionId);
    const same = before?.messageId === messageId && before.round === round;
    const parts = deltas.reduce((so, delta) => this.#grown(so, delta), same ? before.parts : []);
    this.#live.set(sessionId, { messageId, round, parts });
    this.#tell(sessionId);
  }

  /** Clears what an event has made whole or void. */
  settle(sessionId: SessionId, event: Event): void {
    switch (event.type) {
      case "assistant-message":
        this.#remember(sessionId, event);
        this.#settled.set(sessionId, { messageId: event.messageId, round: event.round });
        break;
      case "turn-ended":
        this.#settled.set(sessionId, { messageId: event.messageId, round: Number.POSITIVE_INFINITY });
        break;
      case "user-message":
        this.#settled.delete(sessionId);
        break;
      default:
        return;
    }
    if (this.#live.delete(sessionId)) this.#tell(sessionId);
  }

  get(sessionId: SessionId): LiveAnswer | null {
    return this.#live.get(sessionId) ?? null;
  }

  /** How long a round was thought about, in milliseconds; null when nobody watched. */
  thoughtFor(messageId: MessageId, round: number): number | null {
    return this.#thoughts.get(`${messageId} ${round}`) ?? null;
  }

  forget(sessionId: SessionId): void {
    this.#live.delete(sessionId);
    this.#settled.delete(sessionId);
  }

  subscribe(sessionId: SessionId, listener: () => void): () => void {
    const listeners = this.#listeners.get(sessionId) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(sessionId, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(sessionId);
    };
  }

  #tell(sessionId: SessionId): void {
    for (const listener of this.#listeners.get(sessionId) ?? []) listener();
  }

  #grown(parts: LivePart[], delta: AnswerDelta): LivePart[] {
    if (delta.type === "restart") return [];
    const last = parts.at(-1);
    if (delta.type === "text" && last?.type === "text") {
      return [...parts.slice(0, -1), { ...last, text: tail(last.text + delta.text) }];
    }
    if (delta.type === "reasoning" && last?.type === "reasoning") {
      return [...parts.slice(0, -1), { ...last, text: tail(last.text + delta.text) }];
    }
    const now = this.#now();
    const before = parts.map((part) =>
      part.type === "reasoning" && part.endedAt === null ? { ...part, endedAt: now } : part,
    );
    switch (delta.type) {
      case "text":
        return [...before, { type: "text", text: tail(delta.text) }];
      case "reasoning":
        return [...before, { type: "reasoning", text: tail(delta.text), startedAt: now, endedAt: null }];
      case "call":
        return [...before, { type: "call", tool: delta.tool }];
    }
  }

  #remember(sessionId: SessionId, { messageId, round }: Round): void {
    const live = this.#live.get(sessionId);
    if (live?.messageId !== messageId || live.round !== round) return;
    const thoughts = live.parts.filter((part) => part.type === "reasoning");
    if (thoughts.length === 0) return;
    const now = this.#now();
    const spent = thoughts.reduce((sum, part) => sum + (part.endedAt ?? now) - part.startedAt, 0);
    this.#thoughts.set(`${messageId} ${round}`, spent);
    if (this.#thoughts.size > MAX_THOUGHTS) {
      const oldest = this.#thoughts.keys().next().value;
      if (oldest !== undefined) this.#thoughts.delete(oldest);
    }
  }
}

function tail(text: string): string {
  if (text.length <= MAX_LIVE_ANSWER_CHARS) return text;
  const from = text.length - MAX_LIVE_ANSWER_CHARS;
  const cut = text.indexOf("\n", from);
  return text.slice(cut === -1 ? from : cut + 1);
}

export const liveAnswer = new LiveAnswerStore();

/** What the session's model is saying right now; redraws only when it says more, and never with null. */
export function useLiveAnswer(sessionId: SessionId | null): LiveAnswer | null {
  const subscribe = useCallback(
    (listener: () => void) => (sessionId === null ? () => {} : liveAnswer.subscribe(sessionId, listener)),
    [sessionId],
  );
  return useSyncExternalStore(subscribe, () => (sessionId === null ? null : liveAnswer.get(sessionId)));
}
