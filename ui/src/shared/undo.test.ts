import { describe, expect, it } from "vitest";
import type { Checkpoint, UndoRecord } from "@/ipc/bindings";
import { photoServerPlan } from "@/ipc/demo/photoServer";
import { keptIn, planOutlook, undoable, undoInWords } from "./undo";

const AT = "2026-03-02T14:02:00Z";

function record(id: string, more: Partial<UndoRecord> = {}): UndoRecord {
  const base: UndoRecord = {
    id,
    target: { type: "run" },
    steps: ["a"],
    restored: 0,
    recreated: 0,
    trashed: 0,
    skipped: [],
    by: "user",
    at: AT,
    undoneBy: null,
  };
  return { ...base, ...more };
}

const checkpoint = (covers: Checkpoint["covers"]): Checkpoint => ({
  id: "c",
  stepId: "a",
  attempt: 0,
  at: "2026-03-02T14:01:00Z",
  covers,
  entries: 1,
  keptKib: 1,
});

describe("what stands taken back", () => {
  const undone = (...undos: UndoRecord[]) => [...keptIn({ undone: undos }).undone.keys()];

  it("follows an undo, its undo, and the undo of that", () => {
    const first = record("1");
    const second = record("2", { target: { type: "undo", undoId: "1" } });
    const third = record("3", { target: { type: "undo", undoId: "2" } });
    expect(undone(first)).toEqual(["a"]);
    expect(undone(first, second)).toEqual([]);
    expect(undone(first, second, third)).toEqual(["a"]);
  });

  it("ends when the step runs again", () => {
    const later = { ...checkpoint({ type: "whole" }), at: "2026-03-02T14:03:00Z" };
    expect(keptIn({ undone: [record("1")], checkpoints: [later] }).undone.size).toBe(0);
  });
});

describe("what a control says", () => {
  const ran = { checkpoint: undefined, undone: undefined, busy: null, changed: 1, reads: false };

  it.each([
    [
      { ...ran, checkpoint: checkpoint({ type: "whole" }) },
      { type: "can", partly: null },
    ],
    [
      { ...ran, checkpoint: checkpoint({ type: "partly", why: "not kept: x" }) },
      { type: "can", partly: "not kept: x" },
    ],
    [
      { ...ran, checkpoint: checkpoint({ type: "nothing", why: "this folder is too wide" }) },
      { type: "cannot", why: "Cannot be undone: this folder is too wide." },
    ],
    [
      { ...ran, reads: true },
      { type: "cannot", why: "Nothing to undo: it only reads." },
    ],
    [ran, { type: "cannot", why: "Cannot be undone: nothing was kept before it ran." }],
    [
      { ...ran, checkpoint: checkpoint({ type: "whole" }), busy: "Stop the agent first." },
      { type: "cannot", why: "Stop the agent first." },
    ],
  ] as const)("%#", (facts, said) => {
    expect(undoable(facts)).toEqual(said);
  });
});

describe("words", () => {
  it("name only what was done", () => {
    expect(undoInWords(record("1"))).toBe("No file had to change");
    expect(undoInWords(record("1", { restored: 4, skipped: [{ path: "/x", why: "" }] }))).toBe(
      "4 files put back, 1 left alone",
    );
    expect(undoInWords(record("1", { trashed: 1 }))).toBe("1 file moved to the trash");
  });

  it("tell of a whole plan", () => {
    const plan = photoServerPlan("p");
    expect(planOutlook(plan)).toBe("2 by hand");
    expect(planOutlook({ ...plan, steps: plan.steps.slice(0, 1) })).toBe("not needed, nothing changes");
  });
});
