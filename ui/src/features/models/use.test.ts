import { describe, expect, it } from "vitest";
import { capsOf, nearest, nearnessOf } from "./use";

describe("limits", () => {
  it("counts what is read and written together, and money in millionths", () => {
    const usage = { inputTokens: 700, outputTokens: 100, cachedTokens: 600, costMicros: 31_000 };
    expect(capsOf(usage, { tokenCap: 1_000, costCapCents: 5 })).toEqual([
      { kind: "tokens", used: 800, allowed: 1_000 },
      { kind: "cost", used: 31_000, allowed: 50_000 },
    ]);
    expect(capsOf(usage, { tokenCap: null })).toEqual([]);
    expect(capsOf(usage, null)).toEqual([]);
  });

  it("is near from 80 % on and reached at 100 %", () => {
    const at = (used: number) => nearnessOf({ kind: "tokens", used, allowed: 1_000 });
    expect([at(799), at(800), at(999), at(1_000), at(2_000)]).toEqual([
      "free",
      "near",
      "near",
      "reached",
      "reached",
    ]);
  });

  it("takes the strictest of several", () => {
    const cap = (used: number) => ({ kind: "cost" as const, used, allowed: 100 });
    expect(nearest([])).toBe("free");
    expect(nearest([cap(10), cap(85)])).toBe("near");
    expect(nearest([cap(85), cap(100)])).toBe("reached");
  });
});
