/* The conversation of a session: what was given, what was understood, what changed and why, how it ended. */
import { FileText, GitCommitHorizontal } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { t } from "@/i18n";
import type { SessionState } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatClock } from "@/shared/format";
import type { LogEntry } from "@/state/log";
import { useApp } from "@/state/store";
import { Ending } from "./Ending";
import { changeInWords, type Item, readingInWords, timeline, titleOf } from "./timeline";

export function Conversation({ session }: { session: SessionState }) {
  const log = useApp((store) => store.log);
  const items = timeline(session, log);
  const foot = useRef<HTMLDivElement>(null);
  const length = items.length;
  const end = session.plan?.state.type;
  // biome-ignore lint/correctness/useExhaustiveDependencies: something new at the end is what brings it into sight
  useEffect(() => {
    foot.current?.scrollIntoView({ block: "nearest" });
  }, [length, end]);
  return (
    <section aria-label={t("chat.label")} className="min-h-0 flex-1 overflow-auto px-[22px] py-[22px]">
      <div className="mx-auto grid max-w-[720px] gap-4">
        <Beginning session={session} log={log} />
        <div className="grid gap-4">
          {items.map((item) => (
            <TimelineItem key={item.key} item={item} session={session} />
          ))}
        </div>
        <Ending session={session} log={log} />
        <div ref={foot} />
      </div>
    </section>
  );
}

function Beginning({ session, log }: { session: SessionState; log: LogEntry[] }) {
  const plan = session.revisions[0]?.plan ?? session.plan;
  if (!plan) return null;
  const confirmed = log.find((entry) => entry.type === "confirmed");
  const draft = session.plan?.state.type === "draft";
  return (
    <>
      <Bubble>
        <p className="whitespace-pre-wrap">{t("chat.followTitle", { title: plan.title })}</p>
        {plan.origin.type === "user" ? null : (
          <div className="mt-2 flex items-center gap-2 rounded-sm border border-line bg-raised px-2.5 py-1.5">
            <FileText aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate font-semibold">{plan.origin.name}</span>
            <span className="text-xs whitespace-nowrap text-ink-3 tabular-nums">
              {t("chat.commands", { count: plan.originalSteps })}
            </span>
          </div>
        )}
      </Bubble>
      <p className="leading-relaxed">
        {readingInWords(plan).join(" ")}
        {draft ? ` ${t("chat.confirmHint")}` : null}
        {confirmed ? ` ${t("chat.confirmed", { time: formatClock(confirmed.at) })}` : null}
      </p>
    </>
  );
}

function Bubble({ children }: { children: ReactNode }) {
  return (
    <div className="ml-auto max-w-[88%] rounded-lg rounded-br-xs bg-sunken p-3.5">
      <span className="sr-only">{t("chat.you")}: </span>
      {children}
    </div>
  );
}

function TimelineItem({ item, session }: { item: Item; session: SessionState }) {
  switch (item.type) {
    case "revision":
      return <Revision item={item} />;
    case "log":
      return <Logged entry={item.entry} session={session} />;
  }
}

function Revision({ item }: { item: Extract<Item, { type: "revision" }> }) {
  const compare = useApp((store) => store.compare);
  const { entry, change } = item;
  const words = changeInWords(change);
  return (
    <div className="flex gap-3 rounded-md border border-agentic-line bg-agentic-tint p-3">
      <GitCommitHorizontal aria-hidden className="mt-0.5 size-3.5 shrink-0 text-agentic-ink" />
      <div className="min-w-0 flex-1">
        <p>
          <span className="font-semibold">{t("chat.revised")}</span> · r{entry.revision}
          {words ? ` · ${words}` : null}
        </p>
        <p className="text-ink-2">{entry.reason}</p>
      </div>
      <Button
        size="sm"
        variant="agenticText"
        aria-label={t("chat.compareWith", { revision: entry.revision })}
        onClick={() => compare(entry.revision - 1)}
      >
        {t("chat.compare")}
      </Button>
    </div>
  );
}

function Logged({ entry, session }: { entry: LogEntry; session: SessionState }) {
  switch (entry.type) {
    case "answered":
      return <Note at={entry.at}>{answerInWords(entry, session)}</Note>;
    case "guidance":
      return (
        <Bubble>
          <p className="mb-0.5 text-xs text-ink-3">
            {t("chat.guidance", { step: titleOf(session, entry.stepId) })}
          </p>
          <p className="whitespace-pre-wrap">{entry.text}</p>
        </Bubble>
      );
    case "agent-error":
      return (
        <Note at={entry.at}>
          {t("chat.agentError", { step: titleOf(session, entry.stepId), message: entry.message })}
        </Note>
      );
    case "budget-warning":
      return (
        <Note at={entry.at}>{t("chat.budget", { used: entry.corrections, allowed: entry.allowed })}</Note>
      );
    case "budget-raised":
      return <Note at={entry.at}>{t("chat.budgetRaised")}</Note>;
    case "confirmed":
    case "stuck":
    case "ended":
      return null;
  }
}

function Note({ at, children }: { at: string; children: ReactNode }) {
  return (
    <p className="flex gap-3 text-sm text-ink-2">
      <span className="min-w-0 flex-1">{children}</span>
      <time dateTime={at} className="shrink-0 text-xs text-ink-3 tabular-nums">
        {formatClock(at)}
      </time>
    </p>
  );
}

function answerInWords(entry: Extract<LogEntry, { type: "answered" }>, session: SessionState): string {
  const step = titleOf(session, entry.stepId);
  switch (entry.answer.type) {
    case "allow-once":
      return t(entry.answer.editedCommand === null ? "chat.answeredOnce" : "chat.answeredEdited", { step });
    case "allow-always":
      return t("chat.answeredAlways", { step });
    case "instead":
      return t("chat.answeredInstead", { step, text: entry.answer.guidance });
    case "never":
      return t("chat.answeredNever", { step });
    case "not-now":
      return t("chat.answeredNotNow", { step });
  }
}
