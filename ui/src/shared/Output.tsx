/**
 * What a command wrote: dark in every theme. Follows its tail until the reader scrolls up; long output is folded.
 * Draws text only, never markup from the output.
 */
import { ArrowDown, Check, ChevronsUpDown, Copy, Maximize2, Search } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { t } from "@/i18n";
import { Button, IconButton } from "./Button";
import { FullOutput, isFind } from "./FullOutput";
import { useCopy } from "./hooks";
import { OutputLine } from "./OutputLine";
import { type OutputSource, textSource } from "./outputSource";
import { countLines, lastLines, plainText, type TerminalLine, tailOf, terminalLines } from "./terminalLines";
import "./terminal.css";

const FOLDED_LINES = 10;
/** Of what still comes, which may be new as a whole in every frame and has to be drawn within one; the full output has the rest. */
const FRAME = { characters: 6_000, lines: 100, ofLine: 1_000 };
/** Of these while the end is followed: more than the pane is high, and every one of them may be new. */
const FOLLOWED_LINES = 24;
const UNFOLDED_LINES = 1_000;
const ANNOUNCE_EVERY_MS = 5_000;

type Props = {
  text: string;
  /** Ends of lines in all that came, of which `text` may be only the end. */
  newlines?: number;
  /** Whose output it is, for names and titles. */
  title: string;
  /** More is still to come. */
  live?: boolean;
  /** Lines that were left out of `text`. */
  omittedLines?: number;
  /** Under the lines, as the exit status. */
  footer?: ReactNode;
  /** Everything that was kept; without it "Open in full" shows `text`. */
  source?: OutputSource | undefined;
};

export function Output(props: Props) {
  const { text: latest, title, live = false, omittedLines = 0, footer, source } = props;
  const [unfolded, setUnfolded] = useState(false);
  const [full, setFull] = useState<"read" | "search" | null>(null);
  const { copied, copy } = useCopy();
  const pane = useTail(latest);
  // What is being read stays where it is: beyond a number of lines each new one would push an old one out.
  const { text, newlines } = useHeld({ text: latest, newlines: props.newlines }, live && !pane.following);
  const total = useMemo(() => countLines(text, newlines), [text, newlines]);
  const lines = useMemo(
    () => terminalLines(unfolded && !live ? tailOf(text) : endOf(text)),
    [text, unfolded, live],
  );
  const liveLines = pane.following ? FOLLOWED_LINES : FRAME.lines;
  const shown = lines.slice(-(live ? liveLines : unfolded ? UNFOLDED_LINES : FOLDED_LINES));
  const earlier = Math.max(0, total - shown.length);
  const firstKey = useFirstKey(total - shown.length, shown.length);

  const from = useMemo(() => source ?? textSource(text), [source, text]);
  const copyAll = () =>
    void from.whole().then(
      (whole) => copy(plainText(whole)),
      // Where it cannot be read any more, what is here is better than nothing.
      () => copy(plainText(text)),
    );
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isFind(event) || full) return;
    event.preventDefault();
    event.stopPropagation();
    setFull("search");
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for all that is inside.
    <div onKeyDown={onKeyDown} className="group/output relative rounded-sm bg-term text-sm text-term-ink">
      <div className="absolute top-1 right-1 z-1 flex rounded-sm bg-term opacity-0 transition-opacity group-hover/output:opacity-100 focus-within:opacity-100">
        <IconButton
          onTerminal
          label={copied ? t("shared.copied") : t("shared.output.copyAll")}
          onClick={copyAll}
        >
          {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        </IconButton>
        <IconButton onTerminal label={t("shared.output.search")} onClick={() => setFull("search")}>
          <Search aria-hidden />
        </IconButton>
        <IconButton onTerminal label={t("shared.output.openInFull")} onClick={() => setFull("read")}>
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
          <OutputLine
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its number.
            key={firstKey + index}
            line={line}
            cursor={live && index === shown.length - 1}
          />
        ))}
        {live && shown.length === 0 ? <OutputLine line={[]} cursor /> : null}
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
      {full ? (
        <FullOutput
          title={title}
          source={from}
          live={live && source !== undefined}
          searching={full === "search"}
          onClose={() => setFull(null)}
        />
      ) : null}
    </div>
  );
}

/** Keeps a pane at its end while it grows, until the reader scrolls away from there; what is read stays where it is then. */
function useTail(text: string) {
  const ref = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const left = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pane grows with the text.
  useLayoutEffect(() => {
    const pane = ref.current;
    if (pane && following) pane.scrollTop = pane.scrollHeight;
    // More lines stand above then than while the end was followed.
    if (pane && !following && left.current !== null) pane.scrollTop = pane.scrollHeight - left.current;
    left.current = null;
  }, [text, following]);
  const onScroll = () => {
    const pane = ref.current;
    if (!pane) return;
    const below = pane.scrollHeight - pane.scrollTop;
    const atEnd = below - pane.clientHeight < 24;
    if (following && !atEnd) left.current = below;
    setFollowing(atEnd);
  };
  return { ref, following, onScroll, jump: () => setFollowing(true) };
}

/** The value, or while it is held the one from before. */
function useHeld<T>(value: T, held: boolean): T {
  const last = useRef(value);
  if (!held) last.current = value;
  return last.current;
}

/**
 * The key of the first line, whose number is `first`; a line keeps its own for as long as it is shown. Where every line is
 * another than before, in a flood, they take the places of those that went, and only letters are drawn anew.
 */
function useFirstKey(first: number, count: number): number {
  const last = useRef({ first, end: first + count, key: first });
  const { current } = last;
  const some = first < current.end && current.first < first + count;
  const key = some ? current.key + first - current.first : current.key;
  last.current = { first, end: first + count, key };
  return key;
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

function lastText(lines: TerminalLine[]): string {
  return (
    lines
      .findLast((line) => line.length > 0)
      ?.map((segment) => segment.text)
      .join("") ?? ""
  );
}

/** As much of what comes as can be drawn within a frame. */
function endOf(text: string): string {
  const tail = lastLines(tailOf(text, FRAME.characters), FRAME.lines);
  // Bytes that are no text: what looks like letters among them is of any script, and a font would be sought for each.
  const strange = tail.split("\ufffd").length - 1;
  if (strange > tail.length / 20) return tailOf(tail, FRAME.ofLine).replace(/[^\n -~]/g, "\ufffd");
  // A line may be as long as the whole output.
  const start = tail.lastIndexOf("\n", tail.length - 2) + 1;
  return tail.length - start <= FRAME.ofLine ? tail : `${tail.slice(0, start)}…${tail.slice(-FRAME.ofLine)}`;
}
