/* The conversation's part of the fold: messages, answers, calls, ends of turns. It must follow the engine's
   `journal/fold/conversation.rs`; what does not fit throws `Misfit`. */
import type {
  Approval,
  CallState,
  ChatEntry,
  Conversation,
  Event,
  MessageId,
  PlanId,
  SessionState,
  StepId,
  Turn,
  TurnPhase,
  Usage,
} from "@/ipc/bindings";
import { Misfit } from "./misfit";

/** Entries of a conversation that the state holds. */
export const MAX_ENTRIES = 400;

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type Call = Extract<ChatEntry, { type: "call" }>;

export function userMessage(state: SessionState, event: Of<"user-message">, at: string): SessionState {
  if (state.conversation?.turn) throw new Misfit();
  const { messageId, text, route, detection, replaces } = event;
  const entries = entriesOf(state);
  const from = entries.findIndex((entry) => entry.type === "user" && entry.messageId === replaces);
  const kept = replaces === null || from === -1 ? entries : entries.slice(0, from);
  const phase: TurnPhase = route === "plan" || route === "solve" ? "planning" : "asking";
  const message: ChatEntry = { type: "user", messageId, text, route, detection, at };
  const turn: Turn = { messageId, round: 0, phase, since: at };
  return withConversation(push(withConversation(state, { entries: kept }), message), { turn });
}

export function answered(state: SessionState, event: Of<"assistant-message">, at: string): SessionState {
  const { messageId, round, model, parts, stopReason } = event;
  const turn: Turn = { ...turnOf(state, messageId), round, phase: "tools" };
  const calls = parts.flatMap((part): ChatEntry[] => {
    if (part.type !== "call") return [];
    const { callId, tool, input } = part;
    return [{ type: "call", messageId, callId, tool, input, state: { type: "waiting" }, at }];
  });
  const answer: ChatEntry = { type: "answer", messageId, round, model, parts, stopReason, at };
  return withConversation(push(state, answer, ...calls), { turn });
}

export function callStarted(state: SessionState, event: Of<"call-started">, at: string): SessionState {
  const { callId, action, cwd, allowedBy } = event;
  const moved = moveCall(state, callId, () => ({ type: "running", action, cwd, allowedBy, startedAt: at }));
  return withoutQuestions(moved, callId);
}

export function callFinished(state: SessionState, { result, shell }: Of<"call-finished">): SessionState {
  const moved = moveCall(state, result.callId, (before) => ({
    type: "ended",
    action: before.type === "running" ? before.action : null,
    result,
  }));
  const settled = withoutQuestions(shell ? { ...moved, shell } : moved, result.callId);
  const { turn } = conversationOf(settled);
  if (!turn || entriesOf(settled).some(isOpenCall)) return settled;
  return withConversation(settled, { turn: { ...turn, phase: "asking" } });
}

/** What a question makes of the call that it is about; null when it is about a step of the plan. */
export function asked(state: SessionState, approval: Approval): SessionState | null {
  if (!callOf(state, approval.stepId)) return null;
  const moved = moveCall(state, approval.stepId, () => ({
    type: "awaiting-approval",
    approvalId: approval.id,
  }));
  return { ...moved, approvals: [...withoutQuestions(moved, approval.stepId).approvals, approval] };
}

/** What an answer makes of the call that it is about; null when it is about a step of the plan. */
export function resolved(state: SessionState, id: StepId): SessionState | null {
  if (!callOf(state, id)) return null;
  return withoutQuestions(
    moveCall(state, id, () => ({ type: "waiting" })),
    id,
  );
}

export function ended(state: SessionState, event: Of<"turn-ended">, at: string): SessionState {
  const { messageId, end, synthesis } = event;
  turnOf(state, messageId);
  if (entriesOf(state).some(isOpenCall)) throw new Misfit();
  return withConversation(push(state, { type: "ended", messageId, end, synthesis, at }), { turn: null });
}

/** A plan stands in the conversation where it was made, when it was made for a message of it. */
export function planned(
  state: SessionState,
  messageId: MessageId | null,
  planId: PlanId,
  at: string,
): SessionState {
  return messageId === null ? state : push(state, { type: "plan", messageId, planId, at });
}

/** Adds to the conversation's end; beyond the bound the oldest entries are only counted. */
export function push(state: SessionState, ...added: ChatEntry[]): SessionState {
  const entries = [...entriesOf(state), ...added];
  const surplus = Math.max(0, entries.length - MAX_ENTRIES);
  const omitted = (state.conversation?.omitted ?? 0) + surplus;
  return withConversation(state, { entries: surplus > 0 ? entries.slice(surplus) : entries, omitted });
}

export function counted(total: Usage, used: Usage): Usage {
  const sum = (field: keyof Usage) => (total[field] ?? 0) + (used[field] ?? 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cachedTokens: sum("cachedTokens"),
    calls: sum("calls"),
    costMicros: sum("costMicros"),
    unpricedCalls: sum("unpricedCalls"),
  };
}

function conversationOf(state: SessionState): Conversation {
  return state.conversation ?? {};
}

function entriesOf(state: SessionState): ChatEntry[] {
  return state.conversation?.entries ?? [];
}

function withConversation(state: SessionState, change: Conversation): SessionState {
  return {
    ...state,
    conversation: { entries: [], omitted: 0, turn: null, ...state.conversation, ...change },
  };
}

function withoutQuestions(state: SessionState, id: StepId): SessionState {
  return { ...state, approvals: state.approvals.filter((open) => open.stepId !== id) };
}

function turnOf(state: SessionState, messageId: MessageId): Turn {
  const { turn } = conversationOf(state);
  if (turn?.messageId !== messageId) throw new Misfit();
  return turn;
}

function callOf(state: SessionState, id: StepId): Call | undefined {
  // The call is among the last entries.
  return entriesOf(state).findLast((entry): entry is Call => entry.type === "call" && entry.callId === id);
}

function moveCall(state: SessionState, id: StepId, to: (before: CallState) => CallState): SessionState {
  const call = callOf(state, id);
  if (!call || call.state.type === "ended") throw new Misfit();
  const moved: Call = { ...call, state: to(call.state) };
  return withConversation(state, {
    entries: entriesOf(state).map((entry) => (entry === call ? moved : entry)),
  });
}

function isOpenCall(entry: ChatEntry): boolean {
  return entry.type === "call" && entry.state.type !== "ended";
}
