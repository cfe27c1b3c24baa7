import { describe, expect, it } from "vitest";
import type { CallState, ChatEntry, SessionState } from "@/ipc/bindings";
import { olderSessions, olderState } from "@/ipc/demo/photoServer";
import { callInWords, looksInWords, subjectOf } from "./callFacts";
import { rowsOf } from "./rows";

const AT = "2026-03-01T12:00:00Z";
const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

function call(callId: string, tool: string, input: unknown = {}, state: CallState = { type: "waiting" }) {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "call", messageId: "m", callId, tool, input: text, state, at: AT } as const;
}

function user(messageId: string, at = AT): ChatEntry {
  return { type: "user", messageId, text: "hello", route: "chat", detection: null, at };
}

function answer(round: number, text: string): ChatEntry {
  const parts = text === "" ? [] : [{ type: "text" as const, text }];
  return { type: "answer", messageId: "m", round, model: "x", parts, stopReason: "end_turn", at: AT };
}

function retrying(attempt: number): ChatEntry {
  return { type: "retrying", model: "x", attempt, allowed: 3, waitMillis: 1000, reason: "busy", at: AT };
}

function session(entries: ChatEntry[], more: Partial<SessionState> = {}): SessionState {
  const [summary] = olderSessions(0);
  if (!summary) throw new Error("no session");
  return { ...olderState(summary), plan: null, revisions: [], conversation: { entries }, ...more };
}

const types = (state: SessionState) => rowsOf(state, []).map((row) => row.type);

describe("rows", () => {
  it("puts calls that only look into one row, over answers without words", () => {
    const state = session([
      user("m"),
      answer(1, ""),
      call("a", "read_file"),
      call("b", "search"),
      answer(2, ""),
      call("c", "list_dir"),
      call("d", "shell"),
      call("e", "read_file"),
    ]);
    expect(types(state)).toEqual(["user", "looks", "call", "looks"]);
    expect(rowsOf(state, [])[1]).toMatchObject({ key: "looks a", calls: [{}, {}, {}] });
  });

  it("does not hide a question among them", () => {
    const asks = call("b", "read_file", {}, { type: "awaiting-approval", approvalId: "q" });
    expect(types(session([user("m"), call("a", "read_file"), asks]))).toEqual(["user", "looks", "call"]);
  });

  it("keeps the key of an answer when its event comes", () => {
    const turn = { messageId: "m", round: 0, phase: "asking", since: AT } as const;
    const coming = rowsOf(session([], { conversation: { entries: [user("m")], turn } }), []).at(-1);
    const come = rowsOf(session([user("m"), answer(1, "so")]), []).at(-1);
    expect(coming?.key).toBe(come?.key);
  });

  it("shows only the last of several waits, and an end only when it says something", () => {
    const done: ChatEntry = { type: "ended", messageId: "m", end: { type: "done" }, synthesis: null, at: AT };
    expect(types(session([user("m"), retrying(1), retrying(2), answer(1, "so"), done]))).toEqual([
      "user",
      "note",
      "answer",
    ]);
    expect(types(session([user("m"), { ...done, synthesis: "Made it." }]))).toEqual(["user", "ended"]);
  });

  it("shows a plan once, from its entry or from the end that names it", () => {
    const end = { type: "plan-proposed", planId: "p" } as const;
    const proposed: ChatEntry = { type: "ended", messageId: "m", end, synthesis: null, at: AT };
    const made: ChatEntry = { type: "plan", messageId: "m", planId: "p", at: AT };
    expect(types(session([user("m"), made, proposed]))).toEqual(["user", "plan"]);
    expect(types(session([user("m"), proposed]))).toEqual(["user", "plan"]);
  });

  it("puts the end of a run before what was said after it", () => {
    const [summary] = olderSessions(0);
    if (!summary) throw new Error("no session");
    const { plan } = olderState(summary);
    const log = [{ seq: 3, at: later(5), type: "ended", end: "completed", goneAt: null }] as const;
    const state = session([user("m"), user("n", later(10))], { plan });
    expect(rowsOf(state, [...log]).map((row) => row.type)).toEqual(["user", "ending", "user"]);
  });

  it("leaves answers about calls to their cards", () => {
    const answered = { seq: 1, at: AT, type: "answered", answer: { type: "never" } } as const;
    const state = session([user("m"), call("a", "shell")]);
    expect(rowsOf(state, [{ ...answered, stepId: "a" }])).toHaveLength(2);
    expect(rowsOf(state, [{ ...answered, stepId: "a step" }])).toHaveLength(3);
  });
});

describe("calls in words", () => {
  it.each([
    [call("a", "shell", { command: "npm test" }), "Wants to run npm test"],
    [
      call(
        "a",
        "read_file",
        { path: "/w/src/a.ts" },
        {
          type: "running",
          action: { type: "tool", tool: "read_file", input: "{}", command: "" },
          cwd: "/w",
          allowedBy: { type: "mode" },
          startedAt: AT,
        },
      ),
      "Reading src/a.ts",
    ],
    [call("a", "list_dir", { path: "/w" }), "Wants to list this folder"],
    [call("a", "edit_file", { path: "/w/a.ts" }), "Wants to edit a.ts"],
    [
      call("a", "multi_file_edit", { edits: [{ path: "/w/a" }, { path: "/w/b" }, { path: "/w/a" }] }),
      "Wants to edit 2 files",
    ],
    [call("a", "constructor", {}), "Wants to use constructor"],
    [call("a", "shell", "{broken"), "Wants to run"],
    [call("a", "edit_file", "[1, null]"), "Wants to edit files"],
    [call("a", "edit_file", { edits: [null, 3, "x"] }), "Wants to edit files"],
  ])("%#", (entry, words) => {
    expect(callInWords(entry, "/w")).toBe(words);
  });

  it("shows a command exactly", () => {
    expect(subjectOf(call("a", "shell", { command: "a &&\nb" }), "/w")).toEqual({
      text: "a &&\nb",
      code: true,
    });
  });

  it("counts what was looked at", () => {
    expect(looksInWords([call("a", "read_file"), call("b", "read_file"), call("c", "search")])).toBe(
      "Read 2 files, searched 1 time",
    );
  });
});
