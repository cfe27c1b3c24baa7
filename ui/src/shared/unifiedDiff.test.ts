import { expect, it } from "vitest";
import { unifiedLines } from "./unifiedDiff";

it("numbers the lines of both sides", () => {
  expect(unifiedLines("@@ -3,3 +3,3 @@ fn main()\n one\n-two\n+zwei\n three\n")).toEqual([
    { kind: "part", text: "fn main()", from: 3 },
    { kind: "same", text: "one", before: 3, after: 3 },
    { kind: "removed", text: "two", before: 4 },
    { kind: "added", text: "zwei", after: 4 },
    { kind: "same", text: "three", before: 5, after: 5 },
  ]);
});

it("starts anew at each part and keeps signs that belong to the text", () => {
  const lines = unifiedLines("@@ -1 +1 @@\n--- a\n+++ b\n@@ -9,0 +10 @@\n+\n\\ No newline at end of file");
  expect(lines.slice(1)).toEqual([
    { kind: "removed", text: "-- a", before: 1 },
    { kind: "added", text: "++ b", after: 1 },
    { kind: "part", text: "", from: 10 },
    { kind: "added", text: "", after: 10 },
    { kind: "note", text: "No newline at end of file" },
  ]);
});

it("takes a line that was trimmed as an empty one, and words as words", () => {
  expect(unifiedLines("@@ -1,2 +1,2 @@\n\n… 40 more lines").slice(1)).toEqual([
    { kind: "same", text: "", before: 1, after: 1 },
    { kind: "note", text: "… 40 more lines" },
  ]);
});
