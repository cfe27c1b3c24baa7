/**
 * The open questions of all sessions as one queue. Each keeps its number until none is open any more; who answers one, or
 * turns to another, goes on from there.
 */
import { useCallback, useRef, useState } from "react";
import type { Approval, ApprovalId, SessionState } from "@/ipc/bindings";

export type Question = { approval: Approval; session: SessionState };

export type Queue = {
  /** From 1, among all that were asked since the queue was last empty. */
  position: number;
  total: number;
  /** Still to be answered. */
  open: number;
  next: () => void;
  previous: () => void;
};

/** `own`: the questions of the session that is shown; they come before those of others. */
export function useQueue(own: Question[], others: Question[]) {
  const numbers = useRef(new Map<ApprovalId, number>());
  /** The question that the user is at; one that merely arrived is none. */
  const [at, setAt] = useState<ApprovalId | null>(null);
  const open = [...own, ...others];
  if (open.length === 0) numbers.current.clear();
  for (const { approval } of open) {
    if (!numbers.current.has(approval.id)) numbers.current.set(approval.id, numbers.current.size + 1);
  }
  const number = (id: ApprovalId) => numbers.current.get(id) ?? 0;
  const inOrder = open.toSorted((a, b) => number(a.approval.id) - number(b.approval.id));
  const present = at === null ? open[0] : (inOrder.find(({ approval }) => approval.id === at) ?? after(at));
  const position = present ? number(present.approval.id) : 0;

  /** The first one behind a question that may be gone; round the end to the front. */
  function after(id: ApprovalId): Question | undefined {
    return inOrder.find(({ approval }) => number(approval.id) > number(id)) ?? inOrder[0];
  }

  const turn = (by: number) => {
    const place = inOrder.findIndex(({ approval }) => approval.id === present?.approval.id);
    const to = inOrder.at((place + by) % inOrder.length);
    if (to) setAt(to.approval.id);
  };
  const queue: Queue = {
    position,
    total: numbers.current.size,
    open: open.length,
    next: () => turn(1),
    previous: () => turn(-1),
  };
  /** The user has turned to the question; null: away from all of them. */
  const stay = useCallback((id: ApprovalId | null) => setAt(id), []);
  return { present, queue, stay };
}
