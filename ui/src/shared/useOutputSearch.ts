/* A search through a whole output: what is looked for, where it stands, and which place is the present one. */
import { useEffect, useMemo, useState } from "react";
import type { OutputMatches } from "@/ipc/bindings";
import { type OutputSource, searchPattern } from "./outputSource";

/** For as long the words may still change before all of it is searched. */
const SETTLE_MS = 150;

const NONE: OutputMatches = { rows: [], total: 0 };

export type OutputSearch = {
  text: string;
  setText(text: string): void;
  matchCase: boolean;
  setMatchCase(matchCase: boolean): void;
  /** What to mark; null when nothing is looked for. */
  pattern: RegExp | null;
  searching: boolean;
  total: number;
  /** The present place, from 0; null when there is none. */
  at: number | null;
  /** The row of the present place, and which of the places in that row it is. */
  present: { row: number; place: number } | null;
  move(by: 1 | -1): void;
};

/** `grown` changes when there is more to search. */
export function useOutputSearch(source: OutputSource, grown: number | null): OutputSearch {
  const [text, setText] = useState("");
  const [matchCase, setMatchCase] = useState(false);
  const [found, setFound] = useState<{ matches: OutputMatches; for: string }>({ matches: NONE, for: "" });
  const [at, setAt] = useState(0);
  const key = `${matchCase} ${text}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: more output may hold more places.
  useEffect(() => {
    if (text === "") {
      setFound({ matches: NONE, for: key });
      return;
    }
    let current = true;
    const timer = setTimeout(() => {
      source.search(text, matchCase).then(
        (matches) => current && setFound({ matches, for: key }),
        () => current && setFound({ matches: NONE, for: key }),
      );
    }, SETTLE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [source, text, matchCase, key, grown]);

  const pattern = useMemo(() => searchPattern(text, matchCase), [text, matchCase]);
  const { rows, total } = found.matches;
  const place = rows.length === 0 ? null : Math.min(at, rows.length - 1);
  const row = place === null ? undefined : rows[place];
  return {
    text,
    setText: (words) => {
      setText(words);
      setAt(0);
    },
    matchCase,
    setMatchCase: (strict) => {
      setMatchCase(strict);
      setAt(0);
    },
    pattern,
    searching: found.for !== key,
    total,
    at: place,
    present: place === null || row === undefined ? null : { row, place: place - firstOf(rows, row) },
    move: (by) => {
      if (rows.length > 0) setAt(((place ?? 0) + by + rows.length) % rows.length);
    },
  };
}

/** The first place of a row; the rows are in order. */
function firstOf(rows: number[], row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
