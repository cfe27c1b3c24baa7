/** The part of an explained command that stands at a place of its text. */
import type { ExplainedPart, Explanation } from "@/ipc/bindings";

export function partAt(explanation: Explanation, offset: number): ExplainedPart | null {
  let from = 0;
  for (const part of explanation.parts) {
    const start = explanation.command.indexOf(part.text, from);
    if (start < 0) continue;
    from = start + part.text.length;
    if (start <= offset && offset <= from) return part;
  }
  return null;
}
