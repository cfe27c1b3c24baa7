/* Cuts Markdown into its top-level blocks while it still grows, so that a block that is finished is never drawn again.
   Markdown is read line by line: a block with another one behind it cannot change any more. Only the text behind the
   last such block is read again. Pure; what is kept between two calls is given and returned. */
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";

const parser = unified().use(remarkParse).use(remarkGfm).freeze();

export type Blocks = {
  source: string;
  /** Each as it stands in the source. */
  finished: string[];
  /** Where the text behind the finished blocks begins. */
  from: number;
  /** That text: the block that still grows; empty when there is none. */
  open: string;
};

export const NO_BLOCKS: Blocks = { source: "", finished: [], from: 0, open: "" };

/** The blocks of `source`; quick when it continues what `before` was made from. */
export function blocksOf(source: string, before: Blocks = NO_BLOCKS): Blocks {
  if (source === before.source) return before;
  const start = source.startsWith(before.source) ? before : NO_BLOCKS;
  const rest = source.slice(start.from);
  // The last line may still become anything, so it finishes no block.
  const lines = rest.slice(0, rest.lastIndexOf("\n") + 1);
  const starts = startsIn(lines);
  const last = starts.at(-1) ?? 0;
  const finished = starts
    .slice(0, -1)
    .map((at, index) => lines.slice(at, starts[index + 1]).trimEnd())
    .filter((block) => block !== "");
  return {
    source,
    finished: finished.length > 0 ? [...start.finished, ...finished] : start.finished,
    from: start.from + last,
    open: rest.slice(last),
  };
}

/** Where each top-level block begins, from the beginning of its line. */
function startsIn(text: string): number[] {
  if (text.trim() === "") return [];
  return parser.parse(text).children.map(({ position }) => {
    const offset = position?.start.offset ?? 0;
    return text.lastIndexOf("\n", offset - 1) + 1;
  });
}
