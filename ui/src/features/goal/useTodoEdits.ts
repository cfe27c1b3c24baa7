/* The user's edits of the to-do list, shown at once and sent one after another. Each is made from a numbered list; when the
   agent has changed that list meanwhile the engine refuses the edit, and it is said, with the way to do it again. */
import { useCallback, useEffect, useReducer, useRef } from "react";
import type { EngineError, GoalState, SessionId } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { applyEdit, type TodoEdit } from "@/shared/todos";

/** How long an edit that was taken is shown before the list itself must show it. */
const GRACE_MS = 500;

export type Refused = { edits: TodoEdit[]; error: EngineError };

type State = {
  /** Oldest first; the first is the one that is sent. */
  waiting: TodoEdit[];
  /** From which list the first was made, once it is sent. */
  base: number | null;
  refused: Refused | null;
};

type Step =
  | { type: "wanted"; edits: TodoEdit[] }
  | { type: "sent"; base: number }
  | { type: "taken"; edit: TodoEdit }
  | { type: "refused"; error: EngineError }
  | { type: "left" };

function next(state: State, step: Step): State {
  switch (step.type) {
    case "wanted":
      return { ...state, waiting: [...state.waiting, ...step.edits], refused: null };
    case "sent":
      return { ...state, base: step.base };
    case "taken":
      return state.waiting[0] === step.edit
        ? { ...state, waiting: state.waiting.slice(1), base: null }
        : state;
    // What was made on top of a refused one was made on a list that never was.
    case "refused":
      return {
        waiting: [],
        base: null,
        refused: { edits: state.waiting, error: step.error },
      };
    case "left":
      return { ...state, refused: null };
  }
}

export function useTodoEdits(sessionId: SessionId, goal: GoalState) {
  const host = useHost();
  const [state, tell] = useReducer(next, { waiting: [], base: null, refused: null });
  const { waiting, base, refused } = state;
  const { todos, todoNumber, todoChanges } = goal;
  const first = waiting[0];
  const alive = useRef(true);
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  const latest = useRef({ todos, todoNumber });
  latest.current = { todos, todoNumber };

  useEffect(() => {
    if (!first || base !== null) return;
    const from = latest.current;
    tell({ type: "sent", base: from.todoNumber });
    host
      .submit(sessionId, { type: "edit-todos", todos: applyEdit(from.todos, first), base: from.todoNumber })
      .then(
        // Its event takes it off as a rule; one that changed nothing has none.
        () => setTimeout(() => alive.current && tell({ type: "taken", edit: first }), GRACE_MS),
        (thrown: unknown) => {
          if (!alive.current) return;
          tell({ type: "refused", error: toEngineError(thrown) });
        },
      );
  }, [first, base, host, sessionId]);

  useEffect(() => {
    if (!first || base === null) return;
    const taken = todoChanges.some(({ number, author }) => number === base + 1 && author === "user");
    if (taken) tell({ type: "taken", edit: first });
  }, [first, base, todoChanges]);

  return {
    /** With all that the user wants done. */
    todos: waiting.reduce(applyEdit, todos),
    waiting,
    refused,
    edit: useCallback((edit: TodoEdit) => tell({ type: "wanted", edits: [edit] }), []),
    /** Does what was refused on the list as it is now. */
    again: () => refused && tell({ type: "wanted", edits: refused.edits }),
    leave: () => tell({ type: "left" }),
  };
}
