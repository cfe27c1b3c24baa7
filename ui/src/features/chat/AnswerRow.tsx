/* A model's answer, while it comes and afterwards. The same component draws both, so that the event that holds the answer
   whole takes the place of the live text without anything being drawn anew. */
import { Brain } from "lucide-react";
import { memo } from "react";
import { t } from "@/i18n";
import type { AnswerPart, MessageId, SessionId, Turn } from "@/ipc/bindings";
import { formatClock, formatDuration, formatElapsed } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { Spinner } from "@/shared/Spinner";
import { type LivePart, liveAnswer, useLiveAnswer } from "@/state/liveAnswer";
import { kindOf } from "./callFacts";
import { Disclosure } from "./Disclosure";
import { Markdown } from "./markdown/Markdown";
import { CopyAction } from "./RowAction";
import type { AnswerEntry } from "./rows";

/** A wait shorter than this needs no number. */
const COUNT_FROM_MS = 3_000;

type Props = {
  sessionId: SessionId;
  messageId: MessageId;
  round: number;
  /** Null while it comes. */
  entry: AnswerEntry | null;
  /** It calls no tool, so it ends its turn. */
  closing: boolean;
  /** The turn under way, while the answer comes. */
  turn: Turn | null;
  onExplain: (command: string) => void;
};

type Part =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string; live: LivePart | null }
  | { type: "redacted" };

export const AnswerRow = memo(function AnswerRow(props: Props) {
  const { sessionId, messageId, round, entry, closing, turn, onExplain } = props;
  const heard = useLiveAnswer(entry ? null : sessionId);
  const live = heard?.messageId === messageId && heard.round === round ? heard.parts : [];
  const parts = entry ? partsOf(entry) : liveParts(live);
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return (
    <article aria-label={t("chat.agent")} className="group/answer grid min-w-0 gap-2.5">
      {parts.map((part, index) => (
        <PartView
          // biome-ignore lint/suspicious/noArrayIndexKey: a part keeps its place; others only follow it.
          key={index}
          part={part}
          live={!entry && index === live.length - 1}
          spent={entry ? liveAnswer.thoughtFor(messageId, round) : null}
          onExplain={onExplain}
        />
      ))}
      {turn ? <Progress turn={turn} parts={live} /> : null}
      {entry && closing && text !== "" ? (
        <footer className="-mt-1.5 -ml-[5px] flex h-6 items-center gap-2 text-xs text-ink-3 opacity-0 transition-opacity group-hover/answer:opacity-100 focus-within:opacity-100">
          <CopyAction text={text} label={t("chat.copyAnswer")} />
          <span className="truncate">{entry.model}</span>
          <time dateTime={entry.at} className="tabular-nums">
            {formatClock(entry.at)}
          </time>
        </footer>
      ) : null}
    </article>
  );
});

type PartProps = {
  part: Part;
  /** It still grows. */
  live: boolean;
  /** How long the answer was thought about, in milliseconds. */
  spent: number | null;
  onExplain: (command: string) => void;
};

function PartView({ part, live, spent, onExplain }: PartProps) {
  switch (part.type) {
    case "text":
      return <Markdown text={part.text} live={live} onExplain={onExplain} />;
    case "reasoning":
      return <Reasoning part={part} spent={spent} />;
    case "redacted":
      return <Redacted />;
  }
}

/** What is drawn of an answer. Its calls have rows of their own. */
function partsOf(entry: AnswerEntry): Part[] {
  return entry.parts.flatMap(shownPart);
}

function shownPart(part: AnswerPart): Part[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return part.text.trim() === "" ? [] : [{ type: "reasoning", text: part.text, live: null }];
    case "redacted-reasoning":
      return [{ type: "redacted" }];
    case "call":
    case "kept":
      return [];
  }
}

function liveParts(parts: LivePart[]): Part[] {
  return parts
    .filter((part) => part.type !== "call")
    .map((part) => (part.type === "text" ? part : { type: "reasoning", text: part.text, live: part }));
}

function Reasoning({ part, spent }: { part: Extract<Part, { type: "reasoning" }>; spent: number | null }) {
  const live = part.live?.type === "reasoning" ? part.live : null;
  const thinking = live !== null && live.endedAt === null;
  // The clock of the live parts is the page's own.
  useNow(thinking);
  const millis = live ? (live.endedAt ?? performance.now()) - live.startedAt : spent;
  const summary = thinking
    ? millis !== null && millis >= COUNT_FROM_MS
      ? t("chat.answer.thinkingFor", { duration: formatElapsed(millis) })
      : t("chat.answer.thinking")
    : millis === null
      ? t("chat.answer.thought")
      : t("chat.answer.thoughtFor", { duration: formatDuration(millis) });
  return (
    <Disclosure
      icon={thinking ? <Spinner /> : <Brain aria-hidden className="text-ink-3" />}
      summary={summary}
    >
      <Markdown quiet text={part.text} live={thinking} />
    </Disclosure>
  );
}

function Redacted() {
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <Brain aria-hidden className="size-3.5 text-ink-3" />
      {t("chat.answer.redacted")}
    </p>
  );
}

/** What goes on while nothing is said. */
function Progress({ turn, parts }: { turn: Turn; parts: LivePart[] }) {
  const last = parts.at(-1);
  if (!last) return <Working turn={turn} />;
  if (last.type !== "call") return null;
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <Spinner />
      {t(`chat.answer.preparing.${kindOf(last.tool)}`)}
    </p>
  );
}

function Working({ turn }: { turn: Turn }) {
  const now = useNow(true);
  const elapsed = now - Date.parse(turn.since);
  // While tools work their cards say so.
  if (turn.phase === "tools") return null;
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <Spinner />
      {t(`chat.working.${turn.phase}`)}
      {elapsed >= COUNT_FROM_MS ? (
        <span className="text-ink-3 tabular-nums">{formatElapsed(elapsed)}</span>
      ) : null}
    </p>
  );
}
