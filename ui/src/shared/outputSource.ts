/* Where the whole of an output comes from, part by part: the disk, or a text that is there already. */
import type { OutputMatches, OutputRows } from "@/ipc/bindings";

export interface OutputSource {
  /** Rows from number `from`, with how many there are now. */
  rows(from: number, count: number): Promise<OutputRows>;
  /** Every place of a text in all of it. */
  search(text: string, matchCase: boolean): Promise<OutputMatches>;
  /** As one text, for the clipboard; of a very long one its head and tail. */
  whole(): Promise<string>;
}

const MAX_MATCHES = 10_000;

export function textSource(text: string): OutputSource {
  const rows = text.replace(/\n$/, "").split("\n").map(settled);
  if (text === "") rows.length = 0;
  return {
    rows: async (from, count) => ({ from, rows: rows.slice(from, from + count), total: rows.length }),
    async search(wanted, matchCase) {
      const pattern = searchPattern(wanted, matchCase);
      const matches: OutputMatches = { rows: [], total: 0 };
      rows.forEach((row, number) => {
        for (const _ of pattern ? withoutEscapes(row).matchAll(pattern) : []) {
          matches.total += 1;
          if (matches.rows.length < MAX_MATCHES) matches.rows.push(number);
        }
      });
      return matches;
    },
    whole: async () => text,
  };
}

/** What the engine looks for, to mark it in the rows; null for nothing. */
export function searchPattern(text: string, matchCase: boolean): RegExp | null {
  if (text === "") return null;
  return new RegExp(
    text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replaceAll("\\-", "\\x2d"),
    matchCase ? "gu" : "giu",
  );
}

/** A row that was written over, as it became. */
function settled(row: string): string {
  return row.replace(/\r+$/, "").replace(/^.*\r/s, "");
}

function withoutEscapes(row: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  return row.replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, "");
}
