/* Rows of an output, loaded in pages as they come into view, and followed while more is written. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { OutputSource } from "./outputSource";

const PAGE = 200;
/** Pages that are kept; of more, those go that were asked for least recently. */
const PAGES = 60;
const FOLLOW_EVERY_MS = 500;

type Loaded = { total: number | null; failed: boolean };

export type OutputRowsView = Loaded & {
  /** Undefined until it is loaded. */
  row(number: number): string | undefined;
  /** Sees to it that these rows are loaded. */
  want(from: number, to: number): void;
};

export function useOutputRows(source: OutputSource, live: boolean): OutputRowsView {
  const pages = useRef(new Map<number, string[] | null>());
  const [loaded, setLoaded] = useState<Loaded>({ total: null, failed: false });
  const [, redraw] = useState(0);

  const load = useCallback(
    (page: number) => {
      const kept = pages.current;
      // The last page may have grown since.
      const before = kept.get(page);
      kept.delete(page);
      kept.set(page, before ?? null);
      while (kept.size > PAGES) {
        const oldest = kept.keys().next().value;
        if (oldest !== undefined) kept.delete(oldest);
      }
      source.rows(page * PAGE, PAGE).then(
        ({ rows, total }) => {
          kept.set(page, rows);
          setLoaded({ total, failed: false });
          redraw((count) => count + 1);
        },
        () => {
          kept.delete(page);
          setLoaded((now) => ({ ...now, failed: true }));
        },
      );
    },
    [source],
  );

  useEffect(() => {
    pages.current.clear();
    load(0);
  }, [load]);

  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => {
      source.rows(0, 0).then(
        ({ total }) =>
          setLoaded((now) => {
            if (now.total === total) return now;
            const last = Math.max(0, Math.floor(((now.total ?? 1) - 1) / PAGE));
            if (pages.current.get(last)) load(last);
            return { total, failed: false };
          }),
        () => undefined,
      );
    }, FOLLOW_EVERY_MS);
    return () => clearInterval(timer);
  }, [live, load, source]);

  return {
    ...loaded,
    row: (number) => pages.current.get(Math.floor(number / PAGE))?.[number % PAGE],
    want(from, to) {
      for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page += 1) {
        if (!pages.current.has(page)) load(page);
      }
    },
  };
}
