/* Which lines of a page are what in its plan. Pure. */
import type { PageLine, PagePart, PageReading, PageRole, Step, StepId } from "@/ipc/bindings";

export type Mark =
  | { type: "step"; stepId: StepId; title: string; number: number; role: PageRole; why: string }
  | { type: "left-out"; role: PageRole; why: string };

/** Lines one after the other with one mark, or with none. */
export type Stretch = { mark: Mark | null; lines: PageLine[] };

/** What of a step a page is marked with. */
export type Placed = Pick<Step, "id" | "title" | "index">;

type Stands = { start: number; end: number };

const overlaps = (line: Stands, place: Stands) => line.start < place.end && place.start < line.end;

/** Numbers as the plan shows them: its steps in order, from 1. */
export function stretches(part: PagePart, reading: PageReading, steps: Placed[]): Stretch[] {
  const marks = marksOf(part.lines, reading, steps);
  const found: Stretch[] = [];
  part.lines.forEach((line, at) => {
    const mark = marks[at] ?? null;
    const last = found.at(-1);
    if (last && same(last.mark, mark)) last.lines.push(line);
    else found.push({ mark, lines: [line] });
  });
  return found;
}

function marksOf(lines: PageLine[], reading: PageReading, steps: Placed[]): (Mark | null)[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  let before: Mark | null = null;
  return lines.map((line) => {
    const places = reading.steps.filter((place) => byId.has(place.stepId) && overlaps(line, place));
    const place = places.find(({ text }) => isPartOf(line.text, text ?? "")) ?? places[0];
    const step = place && byId.get(place.stepId);
    if (place && step) {
      // A remark or an empty line between two commands goes with the one before.
      const told = places.length === 1 || isPartOf(line.text, place.text ?? "");
      if (!told && before?.type === "step") return before;
      const { role, why } = place;
      before = { type: "step", stepId: step.id, title: step.title, number: step.index + 1, role, why };
      return before;
    }
    const left = reading.leftOut.find((one) => overlaps(line, one));
    before = left ? { type: "left-out", role: left.role, why: left.why } : null;
    return before;
  });
}

/** Whether a line of the page shows a line of the command, behind a prompt or within a sentence. */
function isPartOf(line: string, command: string): boolean {
  const shown = line.trim();
  if (shown === "") return false;
  return command
    .split("\n")
    .map((one) => one.trim())
    .some((one) => one !== "" && shown.includes(one));
}

function same(one: Mark | null, other: Mark | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.type === "step") return other.type === "step" && one.stepId === other.stepId;
  return other.type === "left-out" && one.role === other.role && one.why === other.why;
}
