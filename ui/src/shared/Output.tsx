/**
 * What a command wrote: dark in every theme. Follows its tail until the reader scrolls up; long output is folded.
 * Draws text only, never markup from the output.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, Check, ChevronsUpDown, Copy, Maximize2 } from "lucide-react";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button, IconButton } from "./Button";
import { Dialog } from "./Dialog";
import { useCopy } from "./hooks";
import { countLines, type TerminalLine, tailOf, terminalLines } from "./terminalLines";
import "./terminal.css";

const FOLDED_LINES = 10;
const ANNOUNCE_EVERY_MS = 5_000;

type Props = {
  text: string;
  /** Whose output it is, for names and titles. */
  title: string;
  /** More is still to come. */
  live?: boolean;
  /** Lines that were left out of `text`. */
  omittedLines?: number;
  /** Under the lines, as the exit status. */
  footer?: ReactNode;
  /** Reads everything; without it "Open in full" shows `text`. */
  readAll?: () => Promise<string>;
};

export function Output({ text, title, live = false, omittedLines = 0, footer, readAll }: Props) {
  const [unfolded, setUnfolded] = useState(false);
  const [full, setFull] = useState<string | null>(null);
  const { copied, copy } = useCopy();
  const total = useMemo(() => countLines(text), [text]);
  const lines = useMemo(
    () => terminalLines(unfolded || live ? tailOf(text) : tailOf(text, 6_000)),
    [text, unfolded, live],
  );
  const shown = unfolded || live ? lines : lines.slice(-FOLDED_LINES);
  const earlier = Math.max(0, total - shown.length);
  const pane = useTail(text);

  const openFull = () => {
    if (!readAll) return setFull(text);
    readAll().then(setFull, () => setFull(text));
  };

  return (
    <div className="group/output relative rounded-sm bg-term text-sm text-term-ink">
      <div className="absolute top-1 right-1 z-1 flex rounded-sm bg-term opacity-0 transition-opacity group-hover/output:opacity-100 focus-within:opacity-100">
        <IconButton
          onTerminal
          label={copied ? t("shared.copied") : t("shared.output.copyAll")}
          onClick={() => copy(plainText(text))}
        >
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </IconButton>
        <IconButton onTerminal label={t("shared.output.openInFull")} onClick={openFull}>
          <Maximize2 aria-hidden />
        </IconButton>
      </div>
      {earlier > 0 || omittedLines > 0 || unfolded ? (
        <div className="flex items-center gap-3 px-3 pt-2 text-xs text-term-dim">
          {live ? null : (
            <button
              type="button"
              aria-expanded={unfolded}
              onClick={() => setUnfolded(!unfolded)}
              className="inline-flex items-center gap-1 rounded-xs hover:text-term-ink"
            >
              <ChevronsUpDown aria-hidden className="size-3" />
              {unfolded ? t("shared.output.fold") : t("shared.output.earlier", { count: earlier })}
            </button>
          )}
          {live && earlier > 0 ? <span>{t("shared.output.earlier", { count: earlier })}</span> : null}
          {omittedLines > 0 ? <span>{t("shared.output.omitted", { count: omittedLines })}</span> : null}
        </div>
      ) : null}
      <div
        ref={pane.ref}
        onScroll={pane.onScroll}
        role="log"
        aria-live="off"
        aria-label={t("shared.output.label")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-sm px-3 py-2 font-mono leading-[18px] [overflow-anchor:none]"
      >
        {shown.length === 0 && !live ? <p className="text-term-dim">{t("shared.output.empty")}</p> : null}
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its number.
          <Line key={total - shown.length + index} line={line} cursor={live && index === shown.length - 1} />
        ))}
        {live && shown.length === 0 ? <Line line={[]} cursor /> : null}
        {footer ? <div className="text-term-dim">{footer}</div> : null}
      </div>
      {pane.following ? null : (
        <Button
          size="sm"
          icon={<ArrowDown aria-hidden />}
          onClick={pane.jump}
          className="absolute right-3 bottom-2 z-1"
        >
          {t("shared.output.jump")}
        </Button>
      )}
      {live ? <Announced line={lastText(lines)} /> : null}
      <Dialog
        open={full !== null}
        onOpenChange={(open) => !open && setFull(null)}
        title={t("shared.output.fullTitle", { title })}
        description={t("shared.output.lines", { count: countLines(full ?? "") })}
        size="lg"
        footer={
          <Button icon={<Copy aria-hidden />} onClick={() => copy(plainText(full ?? ""))}>
            {copied ? t("shared.copied") : t("shared.output.copyAll")}
          </Button>
        }
      >
        {full === null ? null : <FullOutput text={full} />}
      </Dialog>
    </div>
  );
}

function Line({ line, cursor = false }: { line: TerminalLine; cursor?: boolean }) {
  return (
    <div className="min-h-[18px] wrap-anywhere whitespace-pre-wrap">
      {line.map((segment, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a segment has no other identity than its place.
          key={index}
          className={segment.className}
          style={segment.color ? { color: segment.color } : undefined}
        >
          {segment.text}
        </span>
      ))}
      {cursor ? <span aria-hidden className="pw-cursor" /> : null}
    </div>
  );
}

/** Keeps a pane at its end while it grows, until the reader scrolls away from there. */
function useTail(text: string) {
  const ref = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pane grows with the text.
  useLayoutEffect(() => {
    const pane = ref.current;
    if (pane && following) pane.scrollTop = pane.scrollHeight;
  }, [text, following]);
  const onScroll = () => {
    const pane = ref.current;
    if (pane) setFollowing(pane.scrollHeight - pane.scrollTop - pane.clientHeight < 24);
  };
  return { ref, following, onScroll, jump: () => setFollowing(true) };
}

/** The last line for screen readers, at most once in a few seconds, so that a flood is not read out. */
function Announced({ line }: { line: string }) {
  const [said, setSaid] = useState("");
  const latest = useRef(line);
  latest.current = line;
  useEffect(() => {
    const timer = setInterval(() => setSaid(latest.current), ANNOUNCE_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}

function FullOutput({ text }: { text: string }) {
  const lines = useMemo(() => terminalLines(text), [text]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 30,
  });
  return (
    <div
      ref={scroller}
      role="log"
      aria-live="off"
      aria-label={t("shared.output.label")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
      tabIndex={0}
      className="h-[60vh] overflow-auto rounded-sm bg-term px-3 py-2 font-mono text-sm leading-[18px] text-term-ink"
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            data-index={item.index}
            ref={virtual.measureElement}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <Line line={lines[item.index] ?? []} />
          </div>
        ))}
      </div>
    </div>
  );
}

function lastText(lines: TerminalLine[]): string {
  return (
    lines
      .findLast((line) => line.length > 0)
      ?.map((segment) => segment.text)
      .join("") ?? ""
  );
}

function plainText(text: string): string {
  return terminalLines(text)
    .map((line) => line.map((segment) => segment.text).join(""))
    .join("\n");
}
