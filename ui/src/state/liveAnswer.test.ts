import { describe, expect, it } from "vitest";
import type { AnswerDelta, Event } from "@/ipc/bindings";
import { LiveAnswerStore, MAX_LIVE_ANSWER_CHARS } from "./liveAnswer";

const text = (words: string): AnswerDelta => ({ type: "text", text: words });
const reasoning = (words: string): AnswerDelta => ({ type: "reasoning", text: words });
const whole = (round: number): Event => ({
  type: "assistant-message",
  messageId: "m",
  round,
  model: "x",
  parts: [],
  stopReason: "end_turn",
});

function store() {
  let now = 0;
  const live = new LiveAnswerStore(() => now);
  return { live, later: (millis: number) => (now += millis) };
}

describe("LiveAnswerStore", () => {
  it("joins what belongs together and keeps the order of what does not", () => {
    const { live } = store();
    live.append("s", "m", 1, [reasoning("Let me "), reasoning("see."), text("Hel")]);
    live.append("s", "m", 1, [text("lo"), { type: "call", tool: "shell" }]);
    expect(live.get("s")?.parts).toMatchObject([
      { type: "reasoning", text: "Let me see." },
      { type: "text", text: "Hello" },
      { type: "call", tool: "shell" },
    ]);
  });

  it("starts anew with a round, and at a restart", () => {
    const { live } = store();
    live.append("s", "m", 1, [text("one")]);
    live.append("s", "m", 2, [text("two")]);
    expect(live.get("s")).toMatchObject({ round: 2, parts: [{ text: "two" }] });
    live.append("s", "m", 2, [{ type: "restart" }, text("again")]);
    expect(live.get("s")?.parts).toEqual([text("again")]);
  });

  it("is cleared by the event that holds it whole, and takes nothing of that round afterwards", () => {
    const { live } = store();
    let told = 0;
    live.subscribe("s", () => {
      told += 1;
    });
    live.append("s", "m", 1, [text("one")]);
    live.settle("s", whole(1));
    expect(live.get("s")).toBeNull();
    live.append("s", "m", 1, [text("late")]);
    expect(live.get("s")).toBeNull();
    expect(told).toBe(2);
    live.append("s", "m", 2, [text("next")]);
    expect(live.get("s")?.parts).toEqual([text("next")]);
    live.settle("s", { type: "turn-ended", messageId: "m", end: { type: "interrupted" }, synthesis: null });
    live.append("s", "m", 3, [text("late")]);
    expect(live.get("s")).toBeNull();
  });

  it("leaves other sessions and other events alone", () => {
    const { live } = store();
    live.append("s", "m", 1, [text("one")]);
    live.settle("t", whole(1));
    live.settle("s", { type: "budget-raised" });
    expect(live.get("s")?.parts).toHaveLength(1);
  });

  it("remembers how long a round was thought about", () => {
    const { live, later } = store();
    live.append("s", "m", 1, [reasoning("hm")]);
    later(4_000);
    live.append("s", "m", 1, [text("so")]);
    later(2_000);
    live.settle("s", whole(1));
    expect(live.thoughtFor("m", 1)).toBe(4_000);
    expect(live.thoughtFor("m", 2)).toBeNull();
  });

  it("stays bounded under an endless stream", () => {
    const { live } = store();
    for (let at = 0; at < 400; at += 1) live.append("s", "m", 1, [text(`${"x".repeat(999)}\n`)]);
    const [part] = live.get("s")?.parts ?? [];
    const kept = part?.type === "text" ? part.text : "";
    expect(kept.length).toBeLessThanOrEqual(MAX_LIVE_ANSWER_CHARS);
    expect(kept.length).toBeGreaterThan(MAX_LIVE_ANSWER_CHARS - 2_000);
    expect(kept.startsWith("x".repeat(999))).toBe(true);
  });
});
