/**
 * Terminal output as lines of styled text. Escape sequences become class names or are dropped; nothing here makes markup.
 */
import Anser from "anser";

export type TerminalSegment = { text: string; className: string | undefined; color: string | undefined };
export type TerminalLine = TerminalSegment[];

/** At most this much is parsed for a pane that shows a tail; the whole is for `Open in full`. */
export const TAIL_CHARS = 24_000;

/** The end of a text, cut at a line's beginning. */
export function tailOf(text: string, characters = TAIL_CHARS): string {
  if (text.length <= characters) return text;
  const newline = text.indexOf("\n", text.length - characters);
  // The last line may be longer than that.
  return newline === -1 || newline === text.length - 1 ? text.slice(-characters) : text.slice(newline + 1);
}

/** At most so many lines from the end of a text. */
export function lastLines(text: string, lines: number): string {
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let kept = 0; kept < lines && start !== -1; kept += 1) {
    // A place before the text would be taken for its beginning.
    start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  }
  return text.slice(start + 1);
}

/** Number of lines, a last empty one not counted. `newlines` is how many are known to end, where `text` is only the last of them. */
export function countLines(text: string, newlines = newlinesIn(text)): number {
  return text === "" || text.endsWith("\n") ? newlines : newlines + 1;
}

export function newlinesIn(text: string): number {
  let newlines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) newlines += 1;
  return newlines;
}

/** A progress bar redraws its line after a carriage return: only what it ended as is shown. */
function settleLines(text: string): string {
  return text.replace(/\r+\n/g, "\n").replace(/[^\n]*\r(?=[^\n\r])/g, "");
}

export function terminalLines(text: string): TerminalLine[] {
  const lines: TerminalLine[] = [[]];
  for (const part of Anser.ansiToJson(settleLines(text), {
    json: true,
    use_classes: true,
    remove_empty: true,
  })) {
    const className = classNameOf(part);
    const color = part.fg_truecolor ? `rgb(${part.fg_truecolor})` : undefined;
    part.content.split("\n").forEach((piece, index) => {
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push({ text: readable(piece), className, color });
    });
  }
  if (lines.length > 1 && lines.at(-1)?.length === 0) lines.pop();
  return lines[0]?.length === 0 && lines.length === 1 ? [] : lines;
}

/** The text alone. */
export function plainText(text: string): string {
  return terminalLines(text)
    .map((line) => line.map((segment) => segment.text).join(""))
    .join("\n");
}

/** Output may not reorder itself in front of the reader: direction controls are shown as a mark. */
function readable(text: string): string {
  return text.replace(/(?!\t)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

function classNameOf(part: Anser.AnserJsonEntry): string | undefined {
  const names: string[] = [];
  if (part.fg && part.fg !== "ansi-truecolor") names.push(`${part.fg}-fg`);
  for (const decoration of part.decorations) {
    if (decoration === "bold") names.push("font-semibold");
    if (decoration === "dim") names.push("text-term-dim");
    if (decoration === "italic") names.push("italic");
    if (decoration === "underline") names.push("underline");
  }
  return names.length > 0 ? names.join(" ") : undefined;
}
