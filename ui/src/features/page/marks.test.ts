import { describe, expect, it } from "vitest";
import type { LeftOut, PagePart, PageReading, PageRole, StepPlace } from "@/ipc/bindings";
import { type Placed, stretches } from "./marks";

/** A block of code whose lines stand one after the other from byte 100 on. */
function code(...texts: string[]): PagePart {
  let at = 100;
  const lines = texts.map((text) => {
    const line = { start: at, end: at + text.length, text };
    at += text.length + 1;
    return line;
  });
  return { kind: { type: "code" }, lines, depth: 0, mark: null, label: null };
}

const place = (stepId: string, text: string, start = 100, end = 200, role: PageRole = "run"): StepPlace => ({
  stepId,
  block: 0,
  start,
  end,
  role,
  why: "it leads to it",
  text,
});

const reading = (steps: StepPlace[], leftOut: LeftOut[] = []): PageReading => ({
  steps,
  choices: [],
  leftOut,
  findings: [],
  path: null,
});

const steps: Placed[] = ["a", "b"].map((id, index) => ({ id, title: `Step ${id}`, index }));

const told = (part: PagePart, from: PageReading) =>
  stretches(part, from, steps).map(({ mark, lines }) => [
    mark?.type === "step" ? mark.number : (mark?.role ?? null),
    lines.map((line) => line.text),
  ]);

describe("the marks of a page", () => {
  it("are per command where a block has several, prompts and remarks included", () => {
    const block = code("$ make all", "built", "", "# as root", "$ make install");
    expect(told(block, reading([place("a", "make all"), place("b", "make install")]))).toEqual([
      [1, ["$ make all", "built", "", "# as root"]],
      [2, ["$ make install"]],
    ]);
  });

  it("are one for a command of several lines", () => {
    const block = code("for f in *.c; do", "  cc -c $f", "done", "cc *.o");
    const both = reading([place("a", "for f in *.c; do\n  cc -c $f\ndone"), place("b", "cc *.o")]);
    expect(told(block, both)).toEqual([
      [1, ["for f in *.c; do", "  cc -c $f", "done"]],
      [2, ["cc *.o"]],
    ]);
  });

  it("tell what is left out, and nothing of the rest", () => {
    const left = { block: 1, role: "output" as const, why: "it is shown", text: "", after: null, steps: [] };
    const block = code("$ make", "built");
    const part = reading([place("a", "make", 100, 106)], [{ ...left, start: 107, end: 112 }]);
    expect(told(block, part)).toEqual([
      [1, ["$ make"]],
      ["output", ["built"]],
    ]);
    expect(told(code("$ make"), reading([]))).toEqual([[null, ["$ make"]]]);
  });

  it("are none for a step that the plan no longer has", () => {
    expect(told(code("make"), reading([place("gone", "make")]))).toEqual([[null, ["make"]]]);
  });
});
