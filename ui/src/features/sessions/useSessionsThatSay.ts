/* The sessions whose folder or text has what is looked for, as the engine finds them; titles are found at once, beside. */
import { useEffect, useState } from "react";
import type { SessionId } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";

/** After the last key; the engine looks through the whole record. */
const PAUSE_MS = 150;
/** A single letter is everywhere. */
const SHORTEST = 2;

const NOBODY: ReadonlySet<SessionId> = new Set();

export function useSessionsThatSay(wanted: string): ReadonlySet<SessionId> {
  const host = useHost();
  const [found, setFound] = useState(NOBODY);
  useEffect(() => {
    setFound(NOBODY);
    if (wanted.length < SHORTEST) return;
    let asked = true;
    const timer = setTimeout(() => {
      // A search that fails finds nothing more than the titles.
      host.listSessions(wanted).then(
        (sessions) => asked && setFound(new Set(sessions.map(({ id }) => id))),
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      asked = false;
      clearTimeout(timer);
    };
  }, [host, wanted]);
  return found;
}
