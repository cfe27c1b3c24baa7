import { describe, expect, it } from "vitest";
import { photoServerPlan, repairedPlan } from "@/ipc/demo/photoServer";
import { stepNumbers } from "@/shared/steps";
import { analysing, completed, draftSession, failed, repairRunning } from "./fixtures";
import { compareRevisions, differencesInWords } from "./revisions";
import { currentStep, doneCount, estimateOf, filesTouched } from "./view";

const first = photoServerPlan("plan");
const second = repairedPlan(first);

describe("revisions", () => {
  it("finds the added step where it stands", () => {
    const differences = compareRevisions(first.steps, second.steps);
    expect(differences.map((difference) => difference.kind)).toEqual([
      "same",
      "same",
      "same",
      "added",
      "same",
      "same",
      "same",
      "same",
    ]);
    expect(differencesInWords(differences)).toBe("1 step added");
  });

  it("keeps a removed step at its old place and names every change", () => {
    const [look, clone, ...rest] = first.steps;
    if (!look || !clone) throw new Error("the plan has steps");
    const changed = { ...look, action: { type: "shell" as const, command: "python3 -V" } };
    const differences = compareRevisions(second.steps, [changed, ...rest]);
    expect(differences.map((difference) => difference.kind)).toEqual([
      "changed",
      "removed",
      "same",
      "removed",
      "same",
      "same",
      "same",
      "same",
    ]);
    expect(differencesInWords(differences)).toBe("1 changed, 2 removed");
  });

  it("says so when nothing differs", () => {
    expect(differencesInWords(compareRevisions(first.steps, first.steps))).toBe("no steps changed");
  });
});

describe("what is derived", () => {
  it("numbers the plan's own steps and leaves repairs out", () => {
    const numbers = stepNumbers(second);
    expect(numbers.get("pip")).toBe(4);
    expect(numbers.has("headers")).toBe(false);
  });

  it("finds the step that holds the run", () => {
    const current = (session: { plan: typeof first | null }) => session.plan && currentStep(session.plan)?.id;
    expect(current(repairRunning())).toBe("headers");
    expect(current(analysing())).toBe("pip");
    expect(current(failed())).toBe("pip");
    expect(current(completed())).toBeUndefined();
    expect(current(draftSession())).toBeUndefined();
  });

  it("counts, adds up and collects", () => {
    expect(doneCount(first)).toBe(0);
    const own = first.steps.filter((step) => step.estimateSeconds !== null);
    expect(estimateOf({ ...first, steps: own })).toBe(6);
    const guessed = first.steps.map((step) => ({ ...step, estimateSeconds: null, kind: "install" as const }));
    expect(estimateOf({ ...first, steps: guessed })).toBe(45 * guessed.length);
    expect(filesTouched(first, "/home/ada")).toEqual(["photo-server"]);
    expect(filesTouched(first, "/elsewhere")).toEqual(["/home/ada/photo-server"]);
  });
});
