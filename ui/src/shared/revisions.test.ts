import { describe, expect, it } from "vitest";
import type { RevisionEntry, Step } from "@/ipc/bindings";
import { demoStep, indexed, photoServerPlan, repairedPlan } from "@/ipc/demo/photoServer";
import { changesBetween } from "@/ipc/demo/revisionOf";
import { changesInWords, countChanges, movedStep, revise, stepsAt, titleOf } from "./revisions";

const steps = (...ids: string[]): Step[] =>
  indexed(ids.map((id) => demoStep(id, `Say ${id}`, `echo ${id}`, "execute", "safe")));
const ids = (some: Step[] | null) => some?.map((step) => step.id).join("");
const entry = (revision: number, before: Step[], after: Step[]): RevisionEntry => ({
  revision,
  author: { type: "user" },
  reason: "",
  stepId: null,
  at: "2026-03-01T12:00:00Z",
  changes: changesBetween(before, after),
});

describe("revise", () => {
  it("makes the later steps, with the states of those that were there", () => {
    const before = steps("a", "b", "c", "d").map(
      (step): Step => ({ ...step, state: { type: "completed", attempt: 0 } }),
    );
    const changes = [
      { at: 0, removed: steps("a"), inserted: [] },
      { at: 1, removed: [], inserted: steps("n") },
      { at: 3, removed: [], inserted: steps("a") },
    ];
    const after = revise(before, changes);
    expect(ids(after)).toBe("bncad");
    expect(after?.map((step) => step.index)).toEqual([0, 1, 2, 3, 4]);
    expect(after?.map((step) => step.state.type)).toEqual([
      "completed",
      "pending",
      "completed",
      "completed",
      "completed",
    ]);
  });

  it("refuses changes of other steps", () => {
    const changes = changesBetween(steps("a", "b", "c"), steps("a", "n", "c"));
    for (const other of [steps("a", "x", "c"), steps("a"), []]) expect(revise(other, changes)).toBeNull();
    const again = changesBetween(steps("a"), steps("a", "b"));
    expect(revise(steps("b", "a"), again), "a step twice").toBeNull();
    const backwards = [
      { at: 2, removed: [], inserted: steps("n") },
      { at: 0, removed: steps("a"), inserted: [] },
    ];
    expect(revise(steps("a", "b", "c"), backwards)).toBeNull();
  });
});

it("gives the steps of any revision", () => {
  const [first, second, third] = [steps("a", "b", "c"), steps("a", "n", "c"), steps("c", "a", "n")];
  const revisions = [entry(1, first, first), entry(2, first, second), entry(3, second, third)];
  const plan = { ...photoServerPlan("p"), revision: 3, steps: third };
  expect([1, 2, 3].map((revision) => ids(stepsAt(plan, revisions, revision)))).toEqual(["abc", "anc", "can"]);
  expect(stepsAt(plan, revisions, 1)).toEqual(first);
  const session = { plan, revisions } as Parameters<typeof titleOf>[0];
  expect(titleOf(session, "a")).toBe("Say a");
  expect(titleOf(session, "b"), "of a step that is gone").toBe("Say b");
  expect(titleOf(session, "z")).toBe("");
});

describe("what changed", () => {
  const plan = photoServerPlan("p");
  const count = (before: Step[], after: Step[]) => countChanges(changesBetween(before, after));

  it("is counted by identity", () => {
    const repaired = repairedPlan(plan);
    expect(count(plan.steps, repaired.steps)).toEqual({ added: 1, changed: 0, removed: 0 });
    expect(count(repaired.steps, plan.steps)).toEqual({ added: 0, changed: 0, removed: 1 });
    const changed = plan.steps.map((step, at) =>
      at === 0 ? { ...step, action: { type: "shell" as const, command: "node --version" } } : step,
    );
    expect(count(plan.steps, changed)).toEqual({ added: 0, changed: 1, removed: 0 });
    expect(count(plan.steps, plan.steps)).toEqual({ added: 0, changed: 0, removed: 0 });
  });

  it("is said in words", () => {
    expect(changesInWords({ added: 2, changed: 1, removed: 0 })).toBe("2 steps added, 1 changed");
    expect(changesInWords({ added: 0, changed: 0, removed: 0 })).toBe("");
  });

  it("names the step that was moved, of two neighbours the one that was asked for", () => {
    const moved = (before: string, after: string, asked: string | null) =>
      movedStep(changesBetween(steps(...before), steps(...after)), asked)?.id ?? null;
    expect(moved("abcd", "bcad", null)).toBe("a");
    expect(moved("abcd", "dabc", null)).toBe("d");
    expect(moved("abcd", "bacd", "a")).toBe("a");
    expect(moved("abcd", "bacd", "b")).toBe("b");
    expect(moved("abcd", "dcba", "a")).toBeNull();
    expect(moved("abcd", "abc", "d")).toBeNull();
    expect(moved("abcd", "abcd", "a")).toBeNull();
    const alone = [
      { at: 0, removed: steps("a"), inserted: [] },
      { at: 2, removed: [], inserted: steps("a") },
    ];
    expect(movedStep(alone, null)?.id, "told by itself").toBe("a");
  });
});
