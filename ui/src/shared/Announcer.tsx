/** Says one thing to screen readers when it changes; never the first thing it is given. */
import { useEffect, useRef, useState } from "react";

export function Announcer({ message }: { message: string }) {
  const first = useRef(message);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (message !== first.current) setSaid(message);
  }, [message]);
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}
