import { expect, it } from "vitest";
import { sectionOf, WHOLE } from "./troubleshooting";

it("finds the section of a code, alone or among others, and none for what is no code", () => {
  expect(sectionOf("declined")).toMatch(/^A question was answered with a no/);
  expect(sectionOf("corrections")).toBe(sectionOf("step-retries"));
  expect(sectionOf("corrections")).toMatch(/^A run has three retries/);
  expect(sectionOf("no-model")).not.toContain("#");
  for (const code of ["user", "complete", "retries", ""]) expect(sectionOf(code)).toBeNull();
  expect(WHOLE).not.toMatch(/^# /);
});
