import { describe, expect, it } from "vitest";
import type {
  AnswerPart,
  Approval,
  CallOutcome,
  ChatEntry,
  Event,
  EventRecord,
  SessionState,
  TurnEnd,
} from "@/ipc/bindings";
import { photoServerPlan, repairApproval } from "@/ipc/demo/photoServer";
import { applyRecord, begin } from "../fold";
import { MAX_ENTRIES } from "./conversation";

const AT = "2026-03-01T12:00:00Z";

/** As an older record has it: no conversation at all. */
const empty: SessionState = begin("s", "", "/w", AT);

function record(state: SessionState, event: Event): EventRecord {
  return { sessionId: "s", seq: state.seq + 1, at: AT, event };
}

function fold(state: SessionState, ...events: Event[]): SessionState {
  return events.reduce((now, event) => {
    const folded = applyRecord(now, record(now, event));
    if (folded.type !== "applied") throw new Error(`${event.type} did not fit`);
    return folded.state;
  }, state);
}

function misfits(state: SessionState, event: Event): boolean {
  return applyRecord(state, record(state, event)).type === "resync";
}

function says(messageId: string, replaces: string | null = null): Event {
  return {
    type: "user-message",
    messageId,
    text: `words ${messageId}`,
    route: "chat",
    detection: null,
    replaces,
  };
}

function answers(messageId: string, round: number, ...calls: string[]): Event {
  const text: AnswerPart = { type: "text", text: "so" };
  const parts = calls.map(
    (callId): AnswerPart => ({ type: "call", callId, providerId: callId, tool: "shell", input: "{}" }),
  );
  const stopReason = calls.length > 0 ? "tool_use" : "end_turn";
  return { type: "assistant-message", messageId, round, model: "m", parts: [text, ...parts], stopReason };
}

function starts(callId: string): Event {
  const action = { type: "shell", command: "ls" } as const;
  return { type: "call-started", callId, action, cwd: "/w", allowedBy: { type: "mode" } };
}

function finishes(callId: string, outcome: CallOutcome = "success"): Event {
  const result = {
    callId,
    tool: "shell",
    outcome,
    content: "",
    output: null,
    omittedLines: 0,
    exitStatus: null,
    diffs: [],
    filesChanged: [],
    startedAt: AT,
    endedAt: AT,
  };
  return { type: "call-finished", result, shell: null };
}

function ends(messageId: string, end: TurnEnd = { type: "done" }): Event {
  return { type: "turn-ended", messageId, end, synthesis: null };
}

function asks(callId: string): Event {
  const approval: Approval = { ...repairApproval("q", AT, 0), stepId: callId };
  return { type: "approval-needed", approval };
}

const entries = (state: SessionState) => state.conversation?.entries ?? [];
const kinds = (state: SessionState) => entries(state).map((entry) => entry.type);
const call = (state: SessionState, id: string) =>
  entries(state).find(
    (entry): entry is Extract<ChatEntry, { type: "call" }> => entry.type === "call" && entry.callId === id,
  )?.state;

describe("a turn", () => {
  it("goes from the words to its end", () => {
    const asked = fold(empty, says("m"));
    expect(asked.conversation?.turn).toEqual({ messageId: "m", round: 0, phase: "asking", since: AT });
    const called = fold(asked, answers("m", 1, "a", "b"));
    expect(kinds(called)).toEqual(["user", "answer", "call", "call"]);
    expect(called.conversation?.turn).toMatchObject({ round: 1, phase: "tools" });
    const half = fold(called, starts("a"), finishes("a"));
    expect(call(half, "a")).toMatchObject({ type: "ended", action: { command: "ls" } });
    expect(half.conversation?.turn?.phase).toBe("tools");
    const worked = fold(half, starts("b"), finishes("b"));
    expect(worked.conversation?.turn?.phase).toBe("asking");
    const ended = fold(worked, answers("m", 2), ends("m"));
    expect(ended.conversation?.turn).toBeNull();
    expect(kinds(ended).slice(-2)).toEqual(["answer", "ended"]);
  });

  it("plans when it is to plan", () => {
    const event: Event = { ...says("m"), route: "solve" } as Event;
    expect(fold(empty, event).conversation?.turn?.phase).toBe("planning");
  });

  it("is one at a time, and nothing of another one fits in it", () => {
    const asked = fold(empty, says("m"));
    expect(misfits(asked, says("n"))).toBe(true);
    expect(misfits(asked, answers("n", 1))).toBe(true);
    expect(misfits(asked, ends("n"))).toBe(true);
    expect(misfits(empty, answers("m", 1))).toBe(true);
  });

  it("does not end while a call is open", () => {
    const called = fold(empty, says("m"), answers("m", 1, "a"));
    expect(misfits(called, ends("m"))).toBe(true);
    const stopped = fold(called, finishes("a", "interrupted"));
    expect(call(stopped, "a")).toMatchObject({ type: "ended", action: null });
    expect(misfits(stopped, finishes("a"))).toBe(true);
    expect(kinds(fold(stopped, ends("m", { type: "interrupted" })))).toEqual([
      "user",
      "answer",
      "call",
      "ended",
    ]);
  });

  it("takes the place of the message that it rewrites, and of what followed", () => {
    const two = fold(empty, says("m"), answers("m", 1), ends("m"), says("n"), answers("n", 1), ends("n"));
    expect(kinds(fold(two, says("o", "n")))).toEqual(["user", "answer", "ended", "user"]);
    expect(kinds(fold(two, says("o", "m")))).toEqual(["user"]);
    expect(kinds(fold(two, says("o", "long gone")))).toHaveLength(7);
  });

  it("changes nothing in the state that it was given", () => {
    const before = fold(empty, says("m"), answers("m", 1, "a"));
    const copy = structuredClone(before);
    fold(before, starts("a"), finishes("a"), answers("m", 2), ends("m"));
    expect(before).toEqual(copy);
  });
});

describe("a question about a call", () => {
  const asked = fold(empty, says("m"), answers("m", 1, "a"), asks("a"));

  it("stands on the call until it is answered", () => {
    expect(call(asked, "a")).toEqual({ type: "awaiting-approval", approvalId: "q" });
    expect(asked.approvals).toHaveLength(1);
    const answer = { type: "allow-once", editedCommand: null } as const;
    const allowedBy = { type: "user" } as const;
    const answered = fold(asked, {
      type: "approval-resolved",
      approvalId: "q",
      stepId: "a",
      answer,
      allowedBy,
    });
    expect(call(answered, "a")).toEqual({ type: "waiting" });
    expect(answered.approvals).toEqual([]);
  });

  it("goes when the call starts or ends", () => {
    expect(fold(asked, starts("a")).approvals).toEqual([]);
    expect(fold(asked, finishes("a", "interrupted")).approvals).toEqual([]);
  });
});

describe("beside the turns", () => {
  it("notes waits, other ways, condensing and caps", () => {
    const correction = { originalTool: "a", originalError: "b", suggestedApproach: "c", fallbackTools: [] };
    const noted = fold(
      empty,
      says("m"),
      {
        type: "model-retrying",
        purpose: "conversation",
        model: "x",
        attempt: 1,
        allowed: 3,
        waitMillis: 500,
        reason: "busy",
      },
      { type: "correction-attempt", stepId: "a", number: 1, correction },
      { type: "correction-success", stepId: "a", number: 1, of: "call" },
      { type: "context-summarized", messages: 4, summary: "" },
      { type: "cap-warning", cap: "tokens", used: 8, allowed: 10 },
    );
    expect(kinds(noted)).toEqual(["user", "retrying", "self-correcting", "summarized", "cap-near"]);
  });

  it("adds up what models were used", () => {
    const usage = {
      inputTokens: 10,
      outputTokens: 2,
      cachedTokens: 4,
      calls: 1,
      costMicros: 7,
      unpricedCalls: 0,
    };
    const used: Event = { type: "model-used", purpose: "conversation", model: "x", usage };
    expect(fold(empty, used, used).usage).toEqual({
      ...usage,
      inputTokens: 20,
      outputTokens: 4,
      cachedTokens: 8,
      calls: 2,
      costMicros: 14,
    });
  });

  it("shows a plan where its message was", () => {
    const plan = photoServerPlan("p");
    const forMessage = { ...plan, origin: { type: "model", name: "x", messageId: "m" } } as const;
    expect(kinds(fold(empty, says("m"), { type: "plan-generated", plan: forMessage }))).toEqual([
      "user",
      "plan",
    ]);
    expect(kinds(fold(empty, { type: "plan-generated", plan }))).toEqual([]);
  });

  it("keeps the last entries and counts the others", () => {
    let state = empty;
    for (let at = 0; at < 150; at += 1)
      state = fold(state, says(`${at}`), answers(`${at}`, 1), ends(`${at}`));
    expect(entries(state)).toHaveLength(MAX_ENTRIES);
    expect(state.conversation?.omitted).toBe(450 - MAX_ENTRIES);
    expect(entries(state).at(-1)).toMatchObject({ type: "ended", messageId: "149" });
  });
});
