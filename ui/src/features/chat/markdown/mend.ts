/* Closes what a growing block of Markdown has open, for the moment: a word that will be bold is bold from its first
   letter, a table is a table from its first row, and a mark that may become anything is not shown yet. Pure. The text
   itself is never changed; only what is drawn of it until it goes on. */

/** A last line that says nothing yet: the beginning of a list, a heading, a fence, a rule or a quotation. */
const UNDECIDED = /(^|\n)[ \t]*(?:[-+*=_]+|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2}|>+|\||<[a-z/]?)[ \t]*$/i;

export function mended(block: string): string {
  if (insideFence(block)) return withoutFenceEnd(block);
  const decided = block.replace(UNDECIDED, "$1");
  return withTable(withInline(decided));
}

/** Whether the text ends inside a fenced block, which Markdown itself shows as one. */
function insideFence(text: string): boolean {
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark = /^\s*(?:>\s*|[-+*]\s+|\d+[.)]\s+)*(`{3,}|~{3,})([^`]*)$/.exec(line);
    if (!mark?.[1]) continue;
    if (fence === null) fence = mark[1];
    else if (mark[1].startsWith(fence) && mark[2]?.trim() === "") fence = null;
  }
  return fence !== null;
}

/** The end of a fence comes mark by mark; one or two of them are not a line of the code. */
function withoutFenceEnd(text: string): string {
  return text.replace(/\n[ \t]*(?:`{1,2}|~{1,2})$/, "\n");
}

/** A row of heads becomes a table at once, before the line of dashes is whole. */
function withTable(text: string): string {
  const lines = text.split("\n");
  const dashes = lines.at(-1) ?? "";
  const partly = /^\s*\|[\s:|-]*$/.test(dashes);
  const head = partly ? lines.at(-2) : dashes;
  const before = lines.at(partly ? -3 : -2);
  if (!head || !/^\s*\|.*\S/.test(head) || before?.trim().startsWith("|")) return text;
  const columns = head.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").length;
  const kept = partly ? lines.slice(0, -1) : lines;
  return [...kept, `|${" --- |".repeat(columns)}`].join("\n");
}

/** Closes emphasis, code and links that are open in the last paragraph. */
function withInline(text: string): string {
  const from = text.lastIndexOf("\n\n") + 1;
  const paragraph = text.slice(from);
  const linked = paragraph
    // An address that still comes: its words stand alone until it is whole.
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, "$1")
    .replace(/(^|\s)!?\[([^\]\n]+)$/, "$1$2");
  return text.slice(0, from) + closed(linked);
}

const MARKS = ["**", "~~", "__", "*", "_"];

function closed(text: string): string {
  const open: string[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "\\") {
      at += 2;
    } else if (char === "`") {
      const run = /^`+/.exec(text.slice(at))?.[0] ?? "`";
      const end = endOfCode(text, at + run.length, run.length);
      if (end === null) return closedCode(text, at, run, open);
      at = end;
    } else {
      const mark = MARKS.find((candidate) => text.startsWith(candidate, at));
      if (!mark) {
        at += 1;
      } else {
        toggle(open, mark, text, at);
        at += mark.length;
      }
    }
  }
  return ended(text, open);
}

function endOfCode(text: string, from: number, length: number): number | null {
  for (const run of text.slice(from).matchAll(/`+/g)) {
    if (run[0].length === length) return from + run.index + length;
  }
  return null;
}

/** Marks inside code that is still open are no marks. */
function closedCode(text: string, at: number, run: string, open: string[]): string {
  if (text.slice(at + run.length).trim() === "") return ended(text.slice(0, at), open);
  return ended(text + run, open);
}

function toggle(open: string[], mark: string, text: string, at: number): void {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + mark.length);
  const inWord = /\w/.test(before) && /\w/.test(after);
  if (mark.startsWith("_") && inWord) return;
  const held = open.lastIndexOf(mark);
  if (held !== -1 && before.trim() !== "") open.splice(held);
  // At the very end it may still open something; a space behind it means that it does not.
  else if (after === "" || after.trim() !== "") open.push(mark);
}

function ended(text: string, open: string[]): string {
  let kept = text.trimEnd();
  const closers = [...open].reverse();
  while (closers[0] !== undefined && kept.endsWith(closers[0])) {
    kept = kept.slice(0, -closers[0].length).trimEnd();
    closers.shift();
  }
  return kept + closers.join("");
}
