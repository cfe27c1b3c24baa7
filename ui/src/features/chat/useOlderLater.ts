/* A long conversation opens at its end: the last rows are drawn at once, the older ones bit by bit when that is done. */
import { startTransition, useEffect, useState } from "react";

export const AT_ONCE = 60;
const THEN = 40;
const PAUSE_MS = 80;

/** How many rows at the beginning are not drawn yet; it only ever falls. */
export function useOlderLater(total: number): number {
  const [hidden, setHidden] = useState(() => Math.max(0, total - AT_ONCE));
  useEffect(() => {
    if (hidden === 0) return;
    const timer = setTimeout(
      () => startTransition(() => setHidden((before) => Math.max(0, before - THEN))),
      PAUSE_MS,
    );
    return () => clearTimeout(timer);
  }, [hidden]);
  return hidden;
}
