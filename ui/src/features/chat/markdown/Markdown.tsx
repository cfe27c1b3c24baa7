/* An answer's Markdown. Finished blocks are drawn once and stay; only the last one is drawn again while the answer comes.
   HTML in it is shown as text, images are never fetched, and nothing in it can be followed by a click: an address is
   shown as it is, so that it can be judged before it is opened anywhere. */
import { Image, Square, SquareCheck } from "lucide-react";
import { memo, type ReactNode, useRef } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { t } from "@/i18n";
import { cx } from "@/shared/cx";
import { Output } from "@/shared/Output";
import { type Blocks, blocksOf, NO_BLOCKS } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { mended } from "./mend";

/** A longer text is shown as it is: reading it as Markdown would hold the window up. */
export const MAX_MARKDOWN_CHARS = 200_000;

type Props = {
  text: string;
  /** More is still to come. */
  live?: boolean;
  /** "What would this do?" of a command in a shell block. */
  onExplain?: ((command: string) => void) | undefined;
  /** Quieter and smaller, for reasoning. */
  quiet?: boolean;
};

export const Markdown = memo(function Markdown({ text, live = false, onExplain, quiet = false }: Props) {
  const kept = useRef<Blocks>(NO_BLOCKS);
  if (text.length > MAX_MARKDOWN_CHARS) return <Output text={text} title={t("chat.answer.long")} />;
  // What was cut already is kept between two drawings; from the same text the same blocks come.
  kept.current = blocksOf(text, kept.current);
  const { finished, open } = kept.current;
  const last = live ? mended(open) : open;
  return (
    <div
      className={cx(
        "grid min-w-0 gap-2.5 leading-relaxed",
        quiet ? "text-sm text-ink-2" : "text-md text-ink",
      )}
    >
      {[...finished, last].map((block, index) =>
        block.trim() === "" ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place; text is only ever added behind it.
          <Block key={index} text={block} onExplain={onExplain} />
        ),
      )}
    </div>
  );
});

const PLUGINS = [remarkGfm];

const Block = memo(function Block({ text, onExplain }: { text: string; onExplain: Props["onExplain"] }) {
  return (
    <div data-block className="grid min-w-0 gap-2.5">
      <ReactMarkdown remarkPlugins={PLUGINS} components={componentsFor(onExplain)}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

function Heading({ level, children }: { level: 3 | 4 | 5 | 6; children: ReactNode }) {
  const Tag = `h${level}` as const;
  return (
    <Tag className={cx("mt-1.5 font-semibold tracking-tight", level === 3 && "text-lg")}>{children}</Tag>
  );
}

/** An address and its words, to be read and not to be followed. */
function Link({ address, children }: { address: string | undefined; children: ReactNode }) {
  if (!address) return children;
  const shown = address.replace(/^mailto:/, "");
  const same = typeof children === "string" && children === shown;
  return (
    <span>
      {same ? null : <span className="underline decoration-line-strong underline-offset-3">{children}</span>}{" "}
      <span className="font-mono text-sm wrap-anywhere text-ink-2 select-all">
        {same ? shown : `(${shown})`}
      </span>
    </span>
  );
}

const PLAIN: Components = {
  // Under the window's own headings.
  h1: ({ children }) => <Heading level={3}>{children}</Heading>,
  h2: ({ children }) => <Heading level={3}>{children}</Heading>,
  h3: ({ children }) => <Heading level={4}>{children}</Heading>,
  h4: ({ children }) => <Heading level={5}>{children}</Heading>,
  h5: ({ children }) => <Heading level={6}>{children}</Heading>,
  h6: ({ children }) => <Heading level={6}>{children}</Heading>,
  p: ({ children }) => <p className="min-w-0 wrap-break-word">{children}</p>,
  ul: ({ children, className }) => (
    <ul className={cx("grid gap-1 pl-5", className ? "list-none pl-0" : "list-disc marker:text-ink-3")}>
      {children}
    </ul>
  ),
  ol: ({ children, start }) => (
    <ol start={start} className="grid list-decimal gap-1 pl-6 marker:text-ink-3 marker:tabular-nums">
      {children}
    </ol>
  ),
  li: ({ children }) => (
    <li className="min-w-0 wrap-break-word [&>ol]:mt-1 [&>p+p]:mt-1.5 [&>ul]:mt-1">{children}</li>
  ),
  input: ({ checked }) => {
    const Icon = checked ? SquareCheck : Square;
    return (
      <Icon
        role="img"
        aria-label={t(checked ? "chat.answer.ticked" : "chat.answer.unticked")}
        className="mr-1.5 mb-0.5 inline size-3.5 text-ink-2"
      />
    );
  },
  blockquote: ({ children }) => (
    <blockquote className="grid gap-2.5 border-l-2 border-line-strong pl-3 text-ink-2">{children}</blockquote>
  ),
  hr: () => <hr className="my-1 border-line" />,
  a: ({ href, children }) => <Link address={href}>{children}</Link>,
  img: ({ src, alt }) => (
    <span className="inline-flex max-w-full items-baseline gap-1.5 rounded-xs border border-line bg-sunken px-1.5 text-sm text-ink-2">
      <Image aria-hidden className="size-3 shrink-0 self-center" />
      <span className="min-w-0 wrap-anywhere">
        {alt || t("chat.answer.image")} <span className="font-mono select-all">{String(src ?? "")}</span>
      </span>
    </span>
  ),
  code: ({ children }) => (
    <code className="rounded-xs bg-sunken px-1 py-px text-[0.92em] wrap-anywhere">{children}</code>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/useSemanticElements: a scrolling pane, not a form's group.
    <div
      role="group"
      aria-label={t("chat.answer.table")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
      tabIndex={0}
      className="max-w-full overflow-x-auto rounded-sm border border-line"
    >
      <table className="w-full border-collapse text-sm">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th style={style} className="border-b border-line bg-bg px-2.5 py-1.5 text-left font-semibold">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className="border-t border-line px-2.5 py-1.5 align-top tabular-nums">
      {children}
    </td>
  ),
};

const withExplain = new WeakMap<(command: string) => void, Components>();

/** The same components for the same listener, so that nothing is mounted again. */
function componentsFor(onExplain: Props["onExplain"]): Components {
  const key = onExplain ?? never;
  const known = withExplain.get(key);
  if (known) return known;
  const made: Components = {
    ...PLAIN,
    pre: ({ node }) => <CodeBlock {...codeOf(node)} onExplain={onExplain} />,
  };
  withExplain.set(key, made);
  return made;
}

function never(): void {}

type Node = { type: string; value?: unknown; properties?: Record<string, unknown>; children?: Node[] };

/** The text of a code block and the language that it names. */
function codeOf(pre: unknown): { code: string; language: string | null } {
  const code = (pre as Node | undefined)?.children?.[0];
  const names = code?.properties?.className;
  const name = Array.isArray(names) ? names.find((one) => String(one).startsWith("language-")) : undefined;
  const text = (code?.children ?? []).map((child) => String(child.value ?? "")).join("");
  return {
    code: text.replace(/\n$/, ""),
    language: name === undefined ? null : String(name).slice("language-".length),
  };
}
