/* Keeps a pane at its end while what is in it grows, until the reader scrolls up; then it stays where it is. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** So near to the end counts as being there. */
const NEAR = 32;

type Sticky = {
  pane: RefObject<HTMLElement | null>;
  content: RefObject<HTMLDivElement | null>;
  following: boolean;
  onScroll: () => void;
  jump: () => void;
};

/**
 * `lead`: when this changes the reader is brought to the end, wherever they were.
 * `above`: when this changes something was put in above, and what the reader looks at stays in its place.
 */
export function useSticky(lead: string | undefined, above: number): Sticky {
  const pane = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const follows = useRef(true);
  const lastTop = useRef(0);
  /** How far the top was from the end of the content. */
  const lastDistance = useRef(0);

  const follow = useCallback((to: boolean) => {
    follows.current = to;
    setFollowing(to);
  }, []);

  const toEnd = useCallback(() => {
    if (!pane.current) return;
    pane.current.scrollTop = pane.current.scrollHeight;
    // Kept at once: the reader may scroll up before the pane tells of this move.
    lastTop.current = pane.current.scrollTop;
    lastDistance.current = pane.current.scrollHeight - pane.current.scrollTop;
  }, []);

  const jump = useCallback(() => {
    follow(true);
    toEnd();
  }, [follow, toEnd]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: words of the reader's own are what brings them to the end.
  useLayoutEffect(jump, [jump, lead]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was put in above is what moves the rest.
  useLayoutEffect(() => {
    if (!pane.current || follows.current) return;
    const top = pane.current.scrollHeight - lastDistance.current;
    // Some engines have moved it by themselves.
    if (Math.abs(pane.current.scrollTop - top) > 1) pane.current.scrollTop = top;
  }, [above]);

  useEffect(() => {
    if (!content.current || !pane.current) return;
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
      else if (pane.current) lastDistance.current = pane.current.scrollHeight - pane.current.scrollTop;
    });
    observer.observe(content.current);
    observer.observe(pane.current);
    return () => observer.disconnect();
  }, [toEnd]);

  const onScroll = useCallback(() => {
    if (!pane.current) return;
    const { scrollTop, scrollHeight, clientHeight } = pane.current;
    const near = scrollHeight - scrollTop - clientHeight < NEAR;
    // Growth alone never moves the pane up: only a reader does.
    if (near) follow(true);
    else if (scrollTop < lastTop.current) follow(false);
    lastTop.current = scrollTop;
    lastDistance.current = scrollHeight - scrollTop;
  }, [follow]);

  return { pane, content, following, onScroll, jump };
}
