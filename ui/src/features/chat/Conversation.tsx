/* The conversation of a session: what was said and given, what was done about it, what changed and why, how it ended. */
import { ArrowDown, FileText, GitCommitHorizontal } from "lucide-react";
import { type ReactNode, useCallback, useMemo } from "react";
import { t } from "@/i18n";
import type { ChatEntry, MessageId, SessionState } from "@/ipc/bindings";
import { Announcer } from "@/shared/Announcer";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { formatClock } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { changesInWords, firstSteps, titleOf } from "@/shared/revisions";
import { busyWith, type Kept, keptIn, undoableRun } from "@/shared/undo";
import type { LogEntry } from "@/state/log";
import { useApp } from "@/state/store";
import { AnswerRow } from "./AnswerRow";
import { CallCard } from "./CallCard";
import { questionOf, subjectOf } from "./callFacts";
import { Ending } from "./Ending";
import { goalAnnouncement } from "./goal/announce";
import { GoalNow } from "./goal/GoalNow";
import { GoalRow } from "./goal/GoalRow";
import { lastOwnAct } from "./goal/goalRows";
import type { RenderExplained } from "./goal/HandCard";
import { InstructionsCard } from "./InstructionsCard";
import { LooksRow } from "./LooksRow";
import { NearRow, useNearness } from "./NearRow";
import { EndedRow, NoteRow } from "./NoteRow";
import { PlanCard } from "./PlanCard";
import { closeTogether, endsAmong, planFromOutside, type Row, rowsOf } from "./rows";
import { type Item, readingInWords } from "./timeline";
import { UndoneRow } from "./UndoneRow";
import { Bubble, UserRow } from "./UserRow";
import { useOlderLater } from "./useOlderLater";
import { useSticky } from "./useSticky";

type Props = {
  session: SessionState;
  /** What a command does, for an action that the user takes over. */
  renderExplained?: RenderExplained;
};

export function Conversation({ session, renderExplained }: Props) {
  const log = useApp((store) => store.log);
  const rows = useMemo(() => rowsOf(session, log), [session, log]);
  const { checkpoints, undone, goal, instructions = [] } = session;
  const kept = useMemo(() => keptIn({ checkpoints, undone }), [checkpoints, undone]);
  const busy = busyWith(session);
  const { omitted = 0, entries = [] } = session.conversation ?? {};
  const lastWords = entries.findLast((entry) => entry.type === "user")?.messageId;
  const hidden = useOlderLater(rows.length);
  const { pane, content, following, onScroll, jump } = useSticky(
    [lastWords, session.goal ? lastOwnAct(session.goal) : undefined].join(" "),
    hidden,
  );
  const watch = useNearness(pane);
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <section
        ref={pane}
        onScroll={onScroll}
        role="log"
        // Said by the announcer below: an answer when it has ended, not word by word.
        aria-live="off"
        aria-label={t("chat.label")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto px-[22px] pt-[22px] pb-5 -outline-offset-2 [contain:strict]"
      >
        <div ref={content} className="mx-auto flex max-w-[720px] flex-col">
          {instructions
            .filter((one) => one.reading !== "asked")
            .map((one) => (
              <InstructionsCard key={one.folder} sessionId={session.id} instructions={one} />
            ))}
          {planFromOutside(session) ? <Beginning session={session} log={log} /> : null}
          {omitted > 0 ? (
            <p className="mb-4 text-center text-sm text-ink-3">{t("chat.earlier", { count: omitted })}</p>
          ) : null}
          {rows.map((row, at) =>
            at < hidden ? null : (
              <NearRow
                key={row.key}
                pane={pane}
                watch={watch}
                fromEnd={rows.length - at}
                className={cx("min-w-0", spaceAbove(rows[at - 1], row))}
              >
                <RowView
                  row={row}
                  session={session}
                  log={log}
                  lastWords={lastWords}
                  kept={kept}
                  busy={busy}
                  renderExplained={renderExplained}
                />
              </NearRow>
            ),
          )}
          {endsAmong(rows) ? null : (
            <div className="not-first:not-empty:mt-4">
              <Ending session={session} log={log} />
            </div>
          )}
          {instructions
            .filter((one) => one.reading === "asked")
            .map((one) => (
              <div key={one.folder} className="not-first:mt-4">
                <InstructionsCard sessionId={session.id} instructions={one} />
              </div>
            ))}
          {goal ? (
            <div className="not-first:not-empty:mt-4">
              <GoalNow session={session} goal={goal} />
            </div>
          ) : null}
        </div>
      </section>
      {following ? null : (
        <Button
          size="sm"
          icon={<ArrowDown aria-hidden className="size-3.5" />}
          onClick={jump}
          className="absolute bottom-2 left-1/2 z-1 -translate-x-1/2 rounded-full shadow-3"
        >
          {t("chat.jump")}
        </Button>
      )}
      <Announcer message={announcement(session)} />
      {goal ? <Announcer message={goalAnnouncement(goal)} /> : null}
    </div>
  );
}

/** Calls stand close together; a new turn stands apart. */
function spaceAbove(before: Row | undefined, row: Row): string {
  if (closeTogether(before, row)) return "not-first:mt-2";
  return startsAnew(row) ? "not-first:mt-6" : "not-first:mt-4";
}

function startsAnew(row: Row): boolean {
  return row.type === "user" || (row.type === "goal" && row.part.type === "iteration");
}

type RowProps = {
  row: Row;
  session: SessionState;
  log: LogEntry[];
  /** The last message of the user's. */
  lastWords: MessageId | undefined;
  kept: Kept;
  /** Why nothing can be taken back now. */
  busy: string | null;
  renderExplained: RenderExplained | undefined;
};

function RowView({ row, session, log, lastWords, kept, busy, renderExplained }: RowProps) {
  const showOverlay = useApp((store) => store.showOverlay);
  const onExplain = useCallback(
    (command: string) => showOverlay({ type: "explain", command }),
    [showOverlay],
  );
  const turn = session.conversation?.turn ?? null;
  switch (row.type) {
    case "user":
      return <UserRow entry={row.entry} last={row.entry.messageId === lastWords} />;
    case "answer":
      return (
        <AnswerRow
          sessionId={session.id}
          messageId={row.messageId}
          round={row.round}
          entry={row.entry}
          closing={row.closing}
          turn={row.entry ? null : turn}
          onExplain={onExplain}
        />
      );
    case "call": {
      const question = questionOf(row.entry.state);
      const approval = question ? session.approvals.find((open) => open.id === question) : undefined;
      return (
        <CallCard
          sessionId={session.id}
          root={session.cwd}
          call={row.entry}
          approval={approval}
          checkpoint={kept.checkpoints.get(row.entry.callId)}
          undone={kept.undone.get(row.entry.callId)}
          busy={busy}
        />
      );
    }
    case "looks":
      return <LooksRow calls={row.calls} root={session.cwd} />;
    case "plan":
      return <PlanCard planId={row.planId} plan={session.plan} />;
    case "ended":
      return (
        <EndedRow
          entry={row.entry}
          message={messageOf(session, row.entry.messageId)}
          latest={turn === null && row.entry.messageId === lastWords}
          onExplain={onExplain}
        />
      );
    case "note":
      return <NoteRow entry={row.entry} latest={turn !== null && isNewest(session, row.entry)} />;
    case "item":
      return <TimelineItem item={row.item} session={session} kept={kept} busy={busy} />;
    case "goal":
      return session.goal ? (
        <GoalRow
          part={row.part}
          session={session}
          goal={session.goal}
          kept={kept}
          busy={busy}
          renderExplained={renderExplained}
        />
      ) : null;
    case "ending":
      return <Ending session={session} log={log} />;
  }
}

type Message = Extract<ChatEntry, { type: "user" }>;

function messageOf(session: SessionState, id: MessageId): Message | null {
  const found = session.conversation?.entries?.find(
    (entry) => entry.type === "user" && entry.messageId === id,
  );
  return found?.type === "user" ? found : null;
}

function isNewest(session: SessionState, entry: ChatEntry): boolean {
  return session.conversation?.entries?.at(-1) === entry;
}

/** What is read out: how a turn ended, or what is asked; never the words while they come. */
function announcement(session: SessionState): string {
  const { entries = [], turn } = session.conversation ?? {};
  const last = entries.at(-1);
  if (turn || last?.type !== "ended") return "";
  const { end, synthesis, messageId } = last;
  if (end.type === "failed") return `${t("chat.end.failedTitle")}. ${end.message}`;
  const asked = entries.findLast((entry) => entry.type === "call");
  if (end.type === "asked" && asked?.type === "call") {
    return t("chat.asksYou", { text: subjectOf(asked, session.cwd).text });
  }
  const answer = entries.findLast((entry) => entry.type === "answer" && entry.messageId === messageId);
  const words =
    answer?.type === "answer" ? answer.parts.map((part) => (part.type === "text" ? part.text : "")) : [];
  const text = (synthesis ?? words.join(" ")).trim();
  if (text === "") return end.type === "interrupted" ? t("chat.end.interrupted") : "";
  return t("chat.said", { text: text.length > SAID_CHARS ? `${text.slice(0, SAID_CHARS)}…` : text });
}

/** Of an answer that is read out; the rest is there to be read. */
const SAID_CHARS = 400;

function Beginning({ session, log }: { session: SessionState; log: LogEntry[] }) {
  const { plan, revisions } = session;
  if (!plan) return null;
  const steps = firstSteps(plan, revisions);
  const confirmed = log.find((entry) => entry.type === "confirmed");
  const draft = session.plan?.state.type === "draft";
  return (
    <div className="mb-4 grid gap-4 last:mb-0">
      <Bubble>
        <p className="whitespace-pre-wrap">{t("chat.followTitle", { title: plan.title })}</p>
        {plan.origin.type === "user" ? null : (
          <div className="mt-2 flex items-center gap-2 rounded-sm border border-line bg-raised px-2.5 py-1.5">
            <FileText aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate font-semibold">{plan.origin.name}</span>
            <span className="text-xs whitespace-nowrap text-ink-3 tabular-nums">
              {t("chat.commands", { count: steps.length })}
            </span>
          </div>
        )}
      </Bubble>
      <p className="leading-relaxed">
        {readingInWords(plan, steps).join(" ")}
        {draft ? ` ${t("chat.confirmHint")}` : null}
        {confirmed ? ` ${t("chat.confirmed", { time: formatClock(confirmed.at) })}` : null}
      </p>
    </div>
  );
}

type ItemProps = { item: Item; session: SessionState; kept: Kept; busy: string | null };

function TimelineItem({ item, session, kept, busy }: ItemProps) {
  switch (item.type) {
    case "revision":
      return <Revision item={item} session={session} kept={kept} />;
    case "undone":
      return <UndoneRow undo={item.undo} session={session} busy={busy} />;
    case "log":
      return <Logged entry={item.entry} session={session} />;
  }
}

type RevisionProps = { item: Extract<Item, { type: "revision" }>; session: SessionState; kept: Kept };

function Revision({ item, session, kept }: RevisionProps) {
  const compare = useApp((store) => store.compare);
  const undo = useApp((store) => store.undo);
  const { entry, change } = item;
  const planId = session.plan?.id;
  const words = changesInWords(change);
  return (
    <div className="flex gap-3 rounded-md border border-agentic-line bg-agentic-tint p-3">
      <GitCommitHorizontal aria-hidden className="mt-0.5 size-3.5 shrink-0 text-agentic-ink" />
      {/* Where there is little room, what can be done stands under the words instead of squeezing them. */}
      <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-[1_1_18rem]">
          <p>
            <span className="font-semibold">{t("chat.revised")}</span> · r{entry.revision}
            {words ? ` · ${words}` : null}
          </p>
          <p className="text-ink-2">{entry.reason}</p>
        </div>
        <div className="-ml-2 flex gap-1">
          <Button
            size="sm"
            variant="agenticText"
            aria-label={t("chat.compareWith", { revision: entry.revision })}
            onClick={() => compare(entry.revision - 1)}
          >
            {t("chat.compare")}
          </Button>
          {planId && undoableRun(session, kept, entry.revision).type === "can" ? (
            <Button
              size="sm"
              variant="agenticText"
              aria-label={t("undo.backTo", { revision: entry.revision })}
              onClick={() => undo({ type: "revision", planId, revision: entry.revision })}
            >
              {t("undo.backHere")}
            </Button>
          ) : null}
        </div>
      </div>
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
    case "waits":
      return <Waits entry={entry} session={session} />;
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

/** The wait before a step runs again, counted down. */
function Waits({ entry, session }: { entry: Extract<LogEntry, { type: "waits" }>; session: SessionState }) {
  const { attempt, allowed, seconds } = entry;
  const recovers = session.plan?.steps.some(
    (step) => step.id === entry.stepId && step.state.type === "recovering",
  );
  const now = useNow(recovers ?? false, 250);
  const left = Math.ceil((Date.parse(entry.at) + seconds * 1_000 - now) / 1_000);
  const values = { step: titleOf(session, entry.stepId), attempt, allowed };
  return (
    <Note at={entry.at}>
      {recovers && left > 0 ? t("chat.waits", { ...values, left }) : t("chat.waited", { ...values, seconds })}
    </Note>
  );
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
    case "in-terminal":
      return t("chat.answeredInTerminal", { step });
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
