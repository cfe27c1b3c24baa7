import { expect, it } from "vitest";
import { requestOf, usualOptions } from "./goalOptions";

it("asks for what is left out by leaving it out", () => {
  expect(requestOf("do it", usualOptions)).toEqual({
    goal: "do it",
    context: null,
    verify: null,
    maxIterations: 50,
    modelBackend: null,
  });
});

it("takes what is filled in, without blanks at its ends", () => {
  const options = { ...usualOptions, check: "command" as const, command: " make test ", context: " here " };
  expect(requestOf("do it", options)).toMatchObject({
    context: "here",
    verify: { type: "command", command: "make test" },
  });
});

it("names the model where it is not the main one", () => {
  expect(requestOf("do it", { ...usualOptions, model: "stronger" })).toMatchObject({
    modelBackend: "stronger",
  });
});

it.each(["0", "1001", "ten", "1.5", ""])("refuses %j iterations", (iterations) => {
  expect(requestOf("do it", { ...usualOptions, iterations })).toEqual({
    missing: "Choose a number from 1 to 1000.",
  });
});

it.each(["command", "question"] as const)("refuses an empty %s", (check) => {
  expect(requestOf("do it", { ...usualOptions, check })).toHaveProperty("missing");
});
