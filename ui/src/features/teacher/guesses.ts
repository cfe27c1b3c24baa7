/** What the reader guessed of steps, until the window is closed, and whether to be asked at all. */
import { create } from "zustand";
import type { SessionId, StepId } from "@/ipc/bindings";

const KEY = "planwright.teacher.guess";

type Guesses = {
  asked: boolean;
  setAsked: (asked: boolean) => void;
  /** By session and step. An empty text: the reader wanted to be shown. */
  given: ReadonlyMap<string, string>;
  give: (sessionId: SessionId, stepId: StepId, guess: string) => void;
};

export const useGuesses = create<Guesses>()((set) => ({
  asked: remembered(),
  setAsked: (asked) => {
    remember(asked);
    set({ asked });
  },
  given: new Map(),
  give: (sessionId, stepId, guess) =>
    set((state) => ({ given: new Map(state.given).set(place(sessionId, stepId), guess) })),
}));

export function place(sessionId: SessionId, stepId: StepId): string {
  return `${sessionId} ${stepId}`;
}

function remembered(): boolean {
  try {
    return localStorage.getItem(KEY) === "yes";
  } catch {
    return false;
  }
}

function remember(asked: boolean) {
  try {
    localStorage.setItem(KEY, asked ? "yes" : "no");
  } catch {
    // Without a store it holds until the window is closed.
  }
}
