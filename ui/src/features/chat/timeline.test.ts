import { describe, expect, it } from "vitest";
import { assessment, olderSessions, olderState, photoServerPlan } from "@/ipc/demo/photoServer";
import { readingInWords, timeline } from "./timeline";

const plan = photoServerPlan("p");

describe("readingInWords", () => {
  it("says how much, what changes and what is deleted", () => {
    expect(readingInWords(plan, plan.steps).join(" ")).toBe(
      "I read 7 steps from INSTALL.md. Five change something, none deletes files.",
    );
  });

  it("names danger", () => {
    const steps = plan.steps.map((step, at) =>
      at === 3 ? { ...step, assessment: assessment("dangerous", { effects: { deletes: true } }) } : step,
    );
    expect(readingInWords(plan, steps).slice(1)).toEqual([
      "Five change something, one deletes files.",
      "One is dangerous and will be asked about.",
    ]);
  });
});

it("mixes revisions and answers by time", () => {
  const [summary] = olderSessions(0);
  if (!summary) throw new Error("no session");
  const state = olderState(summary);
  const entry = {
    ...state.revisions[0],
    revision: 2,
    at: "2026-03-01T12:00:02Z",
  } as (typeof state.revisions)[number];
  const answer = { type: "not-now" } as const;
  const items = timeline({ ...state, revisions: [...state.revisions, entry] }, [
    { seq: 9, at: "2026-03-01T12:00:03Z", type: "answered", stepId: "step-0", answer },
    { seq: 8, at: "2026-03-01T12:00:01Z", type: "budget-raised" },
  ]);
  expect(items.map((item) => item.key)).toEqual(["e8", "r2", "e9"]);
});
