/* What happened beside the answers: waits, other ways tried, condensing, caps; and how a turn ended. */
import {
  CircleSlash,
  CircleX,
  CornerDownRight,
  Gauge,
  Layers,
  type LucideIcon,
  Pause,
  TimerReset,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import { t } from "@/i18n";
import type { MessageId, ModelWait, Route, TurnEnd } from "@/ipc/bindings";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { useNow } from "@/shared/hooks";
import { useApp } from "@/state/store";
import { Markdown } from "./markdown/Markdown";
import type { EndedEntry, NoteEntry } from "./rows";

/** `latest`: nothing came after it yet, so that a wait may still last. */
export const NoteRow = memo(function NoteRow({ entry, latest }: { entry: NoteEntry; latest: boolean }) {
  switch (entry.type) {
    case "retrying":
      return <Retrying entry={entry} latest={latest} />;
    case "self-correcting":
      return (
        <Note icon={CornerDownRight}>
          {t("chat.note.selfCorrecting", {
            attempt: entry.attempt,
            approach: entry.correction.suggestedApproach,
          })}
        </Note>
      );
    case "summarized":
      return <Note icon={Layers}>{t("chat.note.summarized", { count: entry.messages })}</Note>;
    case "cap-near":
      return <Note icon={Gauge}>{capInWords(entry)}</Note>;
  }
});

/** A wait for a model; `latest`: it may still last. */
export function Retrying({ entry, latest }: { entry: ModelWait; latest: boolean }) {
  const { model, attempt, allowed, reason, waitMillis, at } = entry;
  const now = useNow(latest, 250);
  const left = Date.parse(at) + waitMillis - now;
  const words = { model, attempt, allowed, reason: reason.replace(/\.$/, "") };
  return (
    <Note icon={TimerReset}>
      {latest && left > 0
        ? t("chat.note.retryIn", { ...words, seconds: Math.ceil(left / 1000) })
        : t("chat.note.retried", words)}
    </Note>
  );
}

function capInWords({ cap, used, allowed }: Extract<NoteEntry, { type: "cap-near" }>): string {
  if (cap === "tokens") {
    return t("chat.note.capTokens", { used: used.toLocaleString(), allowed: allowed.toLocaleString() });
  }
  const dollars = (micros: number) => (micros / 1_000_000).toFixed(2);
  return t("chat.note.capCost", { used: dollars(used), allowed: dollars(allowed) });
}

function Note({
  icon: Icon,
  children,
  actions,
}: {
  icon: LucideIcon;
  children: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-2">
      <p className="flex min-w-0 gap-2">
        <Icon aria-hidden className="mt-[3px] size-3.5 shrink-0 text-ink-3" />
        <span className="min-w-0 wrap-break-word">{children}</span>
      </p>
      {actions}
    </div>
  );
}

type EndedProps = {
  entry: EndedEntry;
  /** The message that the turn worked on, to be sent again. */
  message: { text: string; route: Route } | null;
  /** Nothing followed, so that what it offers can still be done. */
  latest: boolean;
  onExplain: (command: string) => void;
};

export const EndedRow = memo(function EndedRow({ entry, message, latest, onExplain }: EndedProps) {
  return (
    <div className="grid min-w-0 gap-2.5">
      {entry.synthesis ? <Markdown text={entry.synthesis} onExplain={onExplain} /> : null}
      <HowItEnded end={entry.end} messageId={entry.messageId} message={message} latest={latest} />
    </div>
  );
});

type HowProps = { end: TurnEnd; messageId: MessageId } & Pick<EndedProps, "message" | "latest">;

function HowItEnded({ end, messageId, message, latest }: HowProps) {
  const goOn = latest ? <GoOn /> : null;
  switch (end.type) {
    case "done":
    case "asked":
    case "plan-proposed":
      return null;
    case "interrupted":
      return <Note icon={CircleSlash}>{t("chat.end.interrupted")}</Note>;
    case "max-tokens":
      return (
        <Note icon={Pause} actions={goOn}>
          {t("chat.end.maxTokens")}
        </Note>
      );
    case "filtered":
      return <Note icon={CircleSlash}>{t("chat.end.filtered")}</Note>;
    case "refused":
      return (
        <Note icon={CircleSlash}>
          {end.why === "" ? t("chat.end.refused") : t("chat.end.refusedWhy", { why: end.why })}
        </Note>
      );
    case "rounds":
      return (
        <Note icon={Pause} actions={goOn}>
          {t("chat.end.rounds", { count: end.allowed })}
        </Note>
      );
    case "round-done":
      return (
        <Note icon={Pause} actions={goOn}>
          {t("chat.end.roundDone")}
        </Note>
      );
    case "cap-reached":
      return (
        <Note icon={Gauge} actions={latest ? <OpenSettings /> : null}>
          {t("chat.end.capReached")}
        </Note>
      );
    case "failed":
      return (
        <section className="flex gap-3 rounded-md border border-danger-line bg-bg p-3">
          <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
          <div className="min-w-0 flex-1">
            <h3 className="font-semibold">{t("chat.end.failedTitle")}</h3>
            <p className="wrap-break-word text-ink-2">{end.message}</p>
            <div className="mt-2.5 flex flex-wrap gap-2">
              {latest && message ? <TryAgain messageId={messageId} message={message} /> : null}
              {latest ? <OpenSettings /> : null}
              <AboutError code={end.code} />
            </div>
          </div>
        </section>
      );
  }
}

function GoOn() {
  const say = useApp((store) => store.say);
  const attempt = useApp((store) => store.attempt);
  return (
    <Button
      size="sm"
      onClick={() => void attempt(() => say({ text: t("chat.end.goOnWords"), route: "chat" }))}
    >
      {t("chat.end.goOn")}
    </Button>
  );
}

function TryAgain({ messageId, message }: { messageId: MessageId; message: { text: string; route: Route } }) {
  const say = useApp((store) => store.say);
  const attempt = useApp((store) => store.attempt);
  return (
    <Button size="sm" onClick={() => void attempt(() => say({ ...message, replaces: messageId }))}>
      {t("chat.end.tryAgain")}
    </Button>
  );
}

function OpenSettings() {
  const show = useApp((store) => store.show);
  return (
    <Button size="sm" variant="ghost" onClick={() => show("settings")}>
      {t("chat.end.settings")}
    </Button>
  );
}
