/** One line of a terminal's text, with the places of a search marked. Draws text only. */
import { cx } from "./cx";
import type { TerminalLine, TerminalSegment } from "./terminalLines";

type Props = {
  line: TerminalLine;
  cursor?: boolean;
  /** What is searched for. */
  find?: RegExp | null;
  /** Which of the places in this line is the present one. */
  present?: number | null;
};

export function OutputLine({ line, cursor = false, find = null, present = null }: Props) {
  return (
    <div className="min-h-[18px] wrap-anywhere whitespace-pre-wrap">
      {marked(line, find).map((segment, index) => {
        const style = segment.color ? { color: segment.color } : undefined;
        return segment.place === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a segment has no other identity than its place.
          <span key={index} className={segment.className} style={style}>
            {segment.text}
          </span>
        ) : (
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: a segment has no other identity than its place.
            key={index}
            aria-current={segment.place === present ? true : undefined}
            className={cx("pw-found", segment.place === present && "pw-found-now", segment.className)}
          >
            {segment.text}
          </mark>
        );
      })}
      {cursor ? <span aria-hidden className="pw-cursor" /> : null}
    </div>
  );
}

type Marked = TerminalSegment & { place: number | null };

/** The segments cut where a place begins or ends; `place` numbers those that are found. */
function marked(line: TerminalLine, find: RegExp | null): Marked[] {
  if (!find) return line.map((segment) => ({ ...segment, place: null }));
  const text = line.map((segment) => segment.text).join("");
  const places = [...text.matchAll(find)].map(
    (match) => [match.index, match.index + match[0].length] as const,
  );
  const parts: Marked[] = [];
  let start = 0;
  for (const segment of line) {
    const end = start + segment.text.length;
    const add = (from: number, to: number, place: number | null) => {
      if (to > from) parts.push({ ...segment, text: text.slice(from, to), place });
    };
    let at = start;
    places.forEach(([from, to], place) => {
      if (to <= at || from >= end) return;
      add(at, Math.max(at, from), null);
      add(Math.max(at, from), Math.min(to, end), place);
      at = Math.min(to, end);
    });
    add(at, end, null);
    start = end;
  }
  return parts;
}
