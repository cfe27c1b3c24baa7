/**
 * A row of a long conversation. Far from what the reader looks at it keeps its height and is not drawn: whatever touches the
 * whole page, as a question before it does, would else take the longer the longer the conversation is.
 */
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

/** How far beyond the pane's edges rows are still drawn, in parts of its height. */
const MARGIN = "50%";
/** Height of a row that was never drawn, in px. */
const GUESS = 96;
/** Rows at the end that are drawn when the conversation is opened, before it is known what is near. */
const AT_FIRST = 24;
/** Rows at the end that are always drawn. */
const ALWAYS = 8;

type Tell = (near: boolean, height: number) => void;
/** Tells whether the row is near, from now on and until the function that is returned is called. */
type Watch = (row: Element, tell: Tell) => () => void;

export function useNearness(pane: RefObject<HTMLElement | null>): Watch {
  const observer = useRef<IntersectionObserver | null>(null);
  const tells = useRef(new Map<Element, Tell>());
  useEffect(
    () => () => {
      observer.current?.disconnect();
      observer.current = null;
    },
    [],
  );
  return useCallback(
    (row, tell) => {
      observer.current ??= new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting, boundingClientRect } of entries) {
            // A pane that is put away has no size, and says nothing about its rows.
            if (boundingClientRect.width === 0) continue;
            tells.current.get(target)?.(isIntersecting || isHeld(target), boundingClientRect.height);
          }
        },
        { root: pane.current, rootMargin: `${MARGIN} 0px` },
      );
      tells.current.set(row, tell);
      observer.current.observe(row);
      return () => {
        tells.current.delete(row);
        observer.current?.unobserve(row);
      };
    },
    [pane],
  );
}

/** Whether the focus or a selection of text would be lost with the row. */
function isHeld(row: Element): boolean {
  const selection = document.getSelection();
  return (
    row.contains(document.activeElement) ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(row, true))
  );
}

type Props = {
  pane: RefObject<HTMLElement | null>;
  watch: Watch;
  /** Rows from this one to the end. */
  fromEnd: number;
  className: string;
  children: ReactNode;
};

export function NearRow({ pane, watch, fromEnd, className, children }: Props) {
  const row = useRef<HTMLDivElement>(null);
  const always = fromEnd <= ALWAYS;
  /** What it takes up while it is left out. */
  const [height, setHeight] = useState(fromEnd <= AT_FIRST ? null : GUESS);
  const left = always ? null : height;
  const before = useRef(left);

  useEffect(() => {
    if (always || !row.current) return;
    return watch(row.current, (near, now) => setHeight(near ? null : now));
  }, [always, watch]);

  useLayoutEffect(() => {
    const was = before.current;
    before.current = left;
    if (left !== null || was === null || !row.current || !pane.current) return;
    // What the reader looks at stays in its place when a row above turns out higher or lower.
    const { bottom, height: now } = row.current.getBoundingClientRect();
    const grown = now - was;
    if (bottom - grown <= pane.current.getBoundingClientRect().top) pane.current.scrollTop += grown;
  }, [left, pane]);

  return (
    <div ref={row} className={className} style={left === null ? undefined : { height: left }}>
      <div hidden={left !== null}>{children}</div>
    </div>
  );
}
