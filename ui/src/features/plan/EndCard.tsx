/** How a run ended or why it rests, and what to do next. */
import {
  CircleCheck,
  CirclePause,
  CircleStop,
  CircleX,
  FilePen,
  FileText,
  RotateCcw,
  SkipForward,
  Undo2,
  Zap,
} from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { Command, PauseReason, Plan, SessionState, UndoTarget } from "@/ipc/bindings";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { formatClock, formatDuration } from "@/shared/format";
import { RolledBack } from "@/shared/RolledBack";
import { modeOf } from "@/shared/steps";
import { UndoNote } from "@/shared/UndoNote";
import { type Kept, planTarget, undoableRun } from "@/shared/undo";
import { repairsOf } from "@/state/summary";
import { isForMessage, timeSpent } from "./view";

type Props = {
  session: SessionState;
  plan: Plan;
  /** When every process of a cancelled run was seen to be gone. */
  goneAt: string | null;
  onCommand: (command: Command) => Promise<void>;
  onReport: (() => void) | undefined;
  onUndo: ((target: UndoTarget) => void) | undefined;
  onMend: (() => void) | undefined;
  kept: Kept;
};

export function EndCard({ session, plan, goneAt, onCommand, onReport, onUndo, onMend, kept }: Props) {
  // Where the report is offered beside the conversation, so is the undo.
  const report = onReport ? (
    <>
      {onUndo ? (
        <UndoNote
          undoable={undoableRun(session, kept)}
          label={t("undo.thisRun")}
          target={planTarget(plan)}
          onUndo={onUndo}
        />
      ) : null}
      <Button size="sm" icon={<FileText aria-hidden />} onClick={onReport}>
        {t("plan.end.report")}
      </Button>
    </>
  ) : null;
  switch (plan.state.type) {
    case "completed":
      return (
        <Card
          icon={<CircleCheck aria-hidden className="text-safe" />}
          title={t("plan.end.completed")}
          text={summary(session, plan)}
          more={onUndo ? <Mended session={session} onUndo={onUndo} /> : null}
        >
          {onMend && canMend(session, plan) ? (
            <Button size="sm" icon={<FilePen aria-hidden />} onClick={onMend}>
              {t("page.mend.open")}
            </Button>
          ) : null}
          {report}
        </Card>
      );
    case "failed": {
      const failed = plan.steps.find((step) => step.state.type === "failed");
      return (
        <Card
          icon={<CircleX aria-hidden className="text-danger" />}
          title={t("plan.end.failed")}
          code={plan.state.code}
          text={`${plan.state.reason} ${t("plan.end.failedHint")}`}
          more={onUndo ? <RolledBack session={session} onUndo={onUndo} /> : null}
        >
          {failed ? (
            <Button
              size="sm"
              icon={<RotateCcw aria-hidden />}
              onClick={() => void onCommand({ type: "retry", stepId: failed.id })}
            >
              {t("plan.end.retryFailed")}
            </Button>
          ) : null}
          {modeOf(plan.mode) === "agentic" ? null : (
            <Button
              size="sm"
              icon={<Zap aria-hidden />}
              onClick={() => void onCommand({ type: "start", mode: "agentic" })}
            >
              {t("plan.end.goAgentic")}
            </Button>
          )}
          {report}
        </Card>
      );
    }
    case "cancelled": {
      const ran = plan.steps.some((step) => step.state.type !== "pending");
      const gone = goneAt ? t("plan.end.gone", { time: formatClock(goneAt) }) : "";
      return (
        <Card
          icon={<CircleStop aria-hidden className="text-ink-3" />}
          title={t("plan.end.cancelled")}
          text={ran ? `${t("plan.end.cancelledText")} ${gone}` : rejectedInWords(plan)}
        >
          {ran ? report : null}
        </Card>
      );
    }
    case "paused": {
      const { reason } = plan.state;
      if (reason.type === "not-kept") {
        const step = plan.steps.find((one) => one.id === reason.stepId);
        return (
          <Card
            icon={<CirclePause aria-hidden className="text-caution" />}
            title={t("undo.notKept.title")}
            code={reason.type}
            text={t("undo.notKept.text", { step: step?.title ?? "", why: reason.why })}
          >
            <Button
              size="sm"
              icon={<RotateCcw aria-hidden />}
              onClick={() => void onCommand({ type: "resume", mode: null })}
            >
              {t("undo.notKept.resume")}
            </Button>
            <Button
              size="sm"
              variant="ghost"
              icon={<SkipForward aria-hidden />}
              onClick={() => void onCommand({ type: "skip", stepId: reason.stepId })}
            >
              {t("undo.notKept.skip")}
            </Button>
          </Card>
        );
      }
      return (
        <Card
          icon={<CirclePause aria-hidden className="text-caution" />}
          title={pauseInWords(reason)}
          code={reason.type}
          text={t("plan.paused.hint")}
        />
      );
    }
    case "draft":
    case "ready":
    case "running":
    case "recovering":
    case "stuck":
      return null;
  }
}

/** The run did something otherwise than the page says, and the page does not say so yet. */
function canMend(session: SessionState, plan: Plan): boolean {
  const changed = plan.steps.some(
    (step) => step.state.type === "completed" && (step.changed !== null || step.origin.type === "repair"),
  );
  return Boolean(plan.page) && changed && !standsMended(session);
}

function standsMended({ mended, undone }: SessionState): boolean {
  if (!mended) return false;
  return !(undone ?? []).some((undo) => undo.undoneBy === null && undo.steps.includes(mended.stepId));
}

function Mended({ session, onUndo }: { session: SessionState; onUndo: (target: UndoTarget) => void }) {
  const { mended } = session;
  if (!mended || !standsMended(session)) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-2" title={mended.path}>
      {t("page.mend.done", { count: mended.changes })}
      <Button
        size="sm"
        variant="ghost"
        icon={<Undo2 aria-hidden />}
        onClick={() => onUndo({ type: "step", stepId: mended.stepId })}
      >
        {t("page.mend.undo")}
      </Button>
    </p>
  );
}

function Card({
  icon,
  title,
  text,
  more,
  code,
  children,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  /** Under the text. */
  more?: ReactNode;
  /** What the troubleshooting page may explain it under. */
  code?: string;
  children?: ReactNode;
}) {
  return (
    <section
      aria-label={title}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-panel px-5 py-3"
    >
      <div className="flex min-w-56 flex-1 gap-2.5 [&>svg]:mt-px [&>svg]:size-4 [&>svg]:shrink-0">
        {icon}
        <div className="min-w-0 wrap-anywhere">
          <h3 className="text-md font-semibold text-ink">{title}</h3>
          <p className="text-sm text-ink-2">{text}</p>
          {more}
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <AboutError code={code ?? null} />
      </div>
    </section>
  );
}

function summary(session: SessionState, plan: Plan): string {
  const done = plan.steps.filter((step) => step.state.type === "completed").length;
  const repairs = repairsOf(session);
  const skipped = plan.steps.filter((step) => step.state.type === "skipped").length;
  return [
    t("plan.end.completedText", { count: done, duration: formatDuration(timeSpent(session)) }),
    repairs > 0 && t("plan.end.repairs", { count: repairs }),
    skipped > 0 && t("plan.end.skipped", { count: skipped }),
  ]
    .filter((part) => part !== false)
    .join(" ");
}

function rejectedInWords(plan: Plan): string {
  return isForMessage(plan) ? t("plan.end.rejectedChat") : t("plan.end.cancelledRejected");
}

function pauseInWords(reason: Exclude<PauseReason, { type: "not-kept" }>): string {
  switch (reason.type) {
    case "user":
      return t("plan.paused.user");
    case "interrupted":
      return t("plan.paused.interrupted");
    case "declined":
      return t("plan.paused.declined");
    case "no-room":
      return t("plan.paused.noRoom", { folder: reason.folder });
    case "step-failed":
      return t("plan.paused.stepFailed");
    case "manual":
      return t("plan.paused.manual");
  }
}
