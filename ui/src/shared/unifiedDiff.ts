/** Reads the unified form of a diff, from its first `@@` line on, into lines with their numbers. Pure. */

export type UnifiedLine =
  | { kind: "same"; text: string; before: number; after: number }
  | { kind: "added"; text: string; after: number }
  | { kind: "removed"; text: string; before: number }
  /** Where a part begins; `from` is its first line in the new file. */
  | { kind: "part"; text: string; from: number }
  /** Words about the file: no newline at its end, or that the rest was left out. */
  | { kind: "note"; text: string };

const PART = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

export function unifiedLines(unified: string): UnifiedLine[] {
  let before = 0;
  let after = 0;
  const lines = unified.replace(/\n$/, "").split("\n");
  return lines.map((line): UnifiedLine => {
    const part = PART.exec(line);
    if (part) {
      before = Number(part[1]);
      after = Number(part[2]);
      return { kind: "part", text: part[3] ?? "", from: after };
    }
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case "+":
        return { kind: "added", text, after: after++ };
      case "-":
        return { kind: "removed", text, before: before++ };
      case " ":
        return { kind: "same", text, before: before++, after: after++ };
      // An empty line of the file whose one space was trimmed on the way.
      case "":
        return { kind: "same", text: "", before: before++, after: after++ };
      case "\\":
        return { kind: "note", text: text.trim() };
      default:
        return { kind: "note", text: line };
    }
  });
}
