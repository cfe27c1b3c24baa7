/* Where the session stands when it does not run: stuck, paused, done, failed, stopped; with what can be done next. */
import { CircleAlert, CircleCheck, CirclePause, CircleX, FileCode, ScrollText } from "lucide-react";
import { useState } from "react";
import { t } from "@/i18n";
import type { PlanState, SessionState, StuckReason } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { Candidates } from "@/shared/Candidates";
import { formatClock } from "@/shared/format";
import { RolledBack } from "@/shared/RolledBack";
import { titleOf } from "@/shared/revisions";
import { dependentsOf, SkipDialog } from "@/shared/SkipDialog";
import { UndoNote } from "@/shared/UndoNote";
import { keptIn, planTarget, undoableRun } from "@/shared/undo";
import { alternativesIn, candidatesIn, goneAtIn, type LogEntry } from "@/state/log";
import { useApp } from "@/state/store";
import { repairsOf, stepsDone } from "@/state/summary";
import { StandingCard } from "./StandingCard";

export function Ending({ session, log }: { session: SessionState; log: LogEntry[] }) {
  const state = session.plan?.state;
  if (!state) return null;
  switch (state.type) {
    case "stuck":
      return <Stuck session={session} log={log} state={state} />;
    case "paused":
      return <Paused session={session} state={state} />;
    case "completed":
      return (
        <StandingCard
          tone="done"
          icon={<CircleCheck aria-hidden />}
          title={t("chat.doneTitle")}
          text={doneInWords(session)}
        >
          <ReportButtons session={session} />
        </StandingCard>
      );
    case "failed":
      return (
        <StandingCard
          tone="bad"
          icon={<CircleX aria-hidden />}
          title={t("chat.failedTitle")}
          code={state.code}
          text={`${capital(state.reason).replace(/\.$/, "")}.`}
          more={<RolledBackHere session={session} />}
        >
          <ReportButtons session={session} />
        </StandingCard>
      );
    case "cancelled":
      return <Cancelled session={session} log={log} />;
    case "draft":
    case "ready":
    case "running":
    case "recovering":
      return null;
  }
}

type StuckProps = { session: SessionState; log: LogEntry[]; state: Extract<PlanState, { type: "stuck" }> };

function Stuck({ session, log, state }: StuckProps) {
  const focusComposer = useApp((store) => store.focusComposer);
  const command = useApp((store) => store.command);
  const alternatives = alternativesIn(log);
  const candidates = candidatesIn(log);
  return (
    <StandingCard
      tone="warn"
      icon={<CircleAlert aria-hidden />}
      title={t("chat.stuckTitle", { step: titleOf(session, state.stepId) })}
      code={state.reason.type}
      text={`${candidates.length > 0 ? t("shared.candidates.which") : stuckInWords(state.reason)} ${t("chat.stuckHelp")}`}
    >
      <Candidates
        candidates={candidates}
        onChoose={(chosen) =>
          void command({ type: "edit", stepId: state.stepId, command: chosen, run: true })
        }
      />
      {alternatives.length > 0 ? (
        <div className="w-full">
          <p className="text-sm font-semibold">{t("chat.alternatives")}</p>
          <ul className="list-disc pl-5 text-ink-2">
            {alternatives.map((alternative) => (
              <li key={alternative}>{alternative}</li>
            ))}
          </ul>
        </div>
      ) : null}
      <Button size="sm" onClick={focusComposer}>
        {t("chat.giveGuidance")}
      </Button>
    </StandingCard>
  );
}

function stuckInWords(reason: StuckReason): string {
  switch (reason.type) {
    case "step-retries":
      return t("chat.stuck.retries", { allowed: reason.allowed });
    case "corrections":
      return t("chat.stuck.corrections", { allowed: reason.allowed });
    case "added-steps":
      return t("chat.stuck.added", { allowed: reason.allowed });
    case "no-progress":
      return t("chat.stuck.noProgress");
    case "aborted":
      return `${capital(reason.reason).replace(/\.$/, "")}.`;
    case "blocked":
      return t("chat.stuck.blocked", { reason: reason.reason });
  }
}

function Paused({
  session,
  state,
}: {
  session: SessionState;
  state: Extract<PlanState, { type: "paused" }>;
}) {
  const command = useApp((store) => store.command);
  const { reason } = state;
  const held = reason.type === "not-kept" ? reason.stepId : null;
  const [asking, setAsking] = useState(false);
  const { plan } = session;
  const dependents = plan && held ? dependentsOf(plan, held) : [];
  const skip = (withDependents: boolean) => {
    if (held) void command({ type: "skip", stepId: held, withDependents });
  };
  return (
    <StandingCard
      tone="warn"
      icon={<CirclePause aria-hidden />}
      title={held ? t("undo.notKept.title") : t("chat.pausedTitle")}
      code={reason.type}
      text={pauseInWords(session, state)}
    >
      <Button size="sm" onClick={() => void command({ type: "resume", mode: null })}>
        {held ? t("undo.notKept.resume") : t("chat.resume")}
      </Button>
      {held ? (
        <Button
          size="sm"
          variant="ghost"
          onClick={() => (dependents.length > 0 ? setAsking(true) : skip(false))}
        >
          {t("undo.notKept.skip")}
        </Button>
      ) : null}
      {asking && plan && held ? (
        <SkipDialog
          plan={plan}
          stepId={held}
          dependents={dependents}
          onSkip={skip}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </StandingCard>
  );
}

function pauseInWords(session: SessionState, { reason }: Extract<PlanState, { type: "paused" }>): string {
  switch (reason.type) {
    case "user":
      return t("chat.pausedUser");
    case "interrupted":
      return t("chat.pausedInterrupted");
    case "declined":
      return t("chat.pausedDeclined", { step: titleOf(session, reason.stepId) });
    case "not-kept":
      return t("undo.notKept.text", { step: titleOf(session, reason.stepId), why: reason.why });
    case "no-room":
      return t("chat.pausedNoRoom", { folder: reason.folder });
    case "step-failed":
      return t("chat.pausedFailed", { step: titleOf(session, reason.stepId) });
    case "manual":
      return t("chat.pausedManual", { step: titleOf(session, reason.stepId) });
  }
}

function Cancelled({ session, log }: { session: SessionState; log: LogEntry[] }) {
  const ran = session.plan?.steps.some((step) => step.state.type !== "pending") ?? false;
  // Its card and the words of the rejection say so where it was made.
  if (!ran && session.conversation?.entries?.length) return null;
  const goneAt = goneAtIn(log);
  const gone = goneAt ? t("chat.cancelledGone", { time: formatClock(goneAt) }) : "";
  return (
    <StandingCard
      tone="plain"
      icon={<CircleX aria-hidden />}
      title={t("chat.cancelledTitle")}
      text={ran ? `${t("chat.cancelled")} ${gone}`.trim() : t("chat.cancelledRejected")}
    >
      {ran ? <ReportButtons session={session} /> : null}
    </StandingCard>
  );
}

function ReportButtons({ session }: { session: SessionState }) {
  const host = useHost();
  const showOverlay = useApp((store) => store.showOverlay);
  const saveAs = useApp((store) => store.saveAs);
  const undo = useApp((store) => store.undo);
  return (
    <>
      {session.plan ? (
        <UndoNote
          undoable={undoableRun(session, keptIn(session))}
          label={t("undo.thisRun")}
          target={planTarget(session.plan)}
          onUndo={undo}
        />
      ) : null}
      <Button size="sm" icon={<ScrollText aria-hidden />} onClick={() => showOverlay({ type: "report" })}>
        {t("chat.report")}
      </Button>
      <Button
        size="sm"
        icon={<FileCode aria-hidden />}
        onClick={() => void saveAs("plan", "sh", () => host.exportPlan(session.id, "sh"))}
      >
        {t("chat.saveScript")}
      </Button>
    </>
  );
}

function RolledBackHere({ session }: { session: SessionState }) {
  const undo = useApp((store) => store.undo);
  return <RolledBack session={session} onUndo={undo} />;
}

function doneInWords(session: SessionState): string {
  const skipped = session.plan?.steps.filter((step) => step.state.type === "skipped").length ?? 0;
  const repairs = repairsOf(session);
  const words = [t("chat.done", { count: stepsDone(session) })];
  if (repairs > 0) words.push(t("chat.repairs", { count: repairs }));
  if (skipped > 0) words.push(t("chat.skipped", { count: skipped }));
  return `${words.join(", ")}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
