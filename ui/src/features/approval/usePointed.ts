/** Brings the fragment that is pointed at into sight, in a command too long for its block. */
import { type RefObject, useEffect, useRef } from "react";

export function usePointed(pointed: number | null): RefObject<HTMLDivElement | null> {
  const block = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pointed !== null) block.current?.querySelector(".pw-pointed")?.scrollIntoView({ block: "nearest" });
  }, [pointed]);
  return block;
}
