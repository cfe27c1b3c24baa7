/** Under the step whose turn it is: what it does, and Run. Under the step that just ran: what happened. */
import { Eye, FileDiff, Pencil, Play } from "lucide-react";
import { t } from "@/i18n";
import type { SessionId, Step, StepResult } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatDuration, millisecondsBetween } from "@/shared/format";
import { useRunShortcut } from "@/shared/hooks";
import { Kbd } from "@/shared/Kbd";
import { commandOf, exitText, shortPath } from "@/shared/steps";
import { Explained } from "./Explained";
import { outputMatches } from "./outputMatches";

export type TeacherStepProps = {
  sessionId: SessionId;
  step: Step;
  /** Set once the step ran. */
  result: StepResult | null;
  onRun: () => void;
  onEdit: () => void;
  onSkip: () => void;
};

export function TeacherStep({ sessionId, step, result, onRun, onEdit, onSkip }: TeacherStepProps) {
  useRunShortcut(result === null, onRun);
  if (result) return <WhatHappened step={step} result={result} />;
  return (
    <section aria-label={t("teacher.label")}>
      <Explained
        sessionId={sessionId}
        command={commandOf(step)}
        buttons={
          <>
            <Button
              variant="teacher"
              icon={<Play aria-hidden />}
              aria-keyshortcuts="Control+Enter Meta+Enter"
              onClick={onRun}
            >
              {t("teacher.run")}
              <Kbd keys="Mod+Enter" />
            </Button>
            <Button icon={<Pencil aria-hidden />} onClick={onEdit}>
              {t("teacher.edit")}
            </Button>
            <Button onClick={onSkip}>{t("teacher.skip")}</Button>
          </>
        }
      />
    </section>
  );
}

function WhatHappened({ step, result }: { step: Step; result: StepResult }) {
  const duration = formatDuration(millisecondsBetween(result.startedAt, result.endedAt));
  const files = result.filesChanged;
  return (
    <section aria-label={t("teacher.after.label")} className="grid gap-1 text-sm text-ink-2">
      <p className="flex gap-2">
        <Eye aria-hidden className="mt-0.5 size-3.5 shrink-0 text-teacher" />
        <span>
          {t("teacher.after.worked", { exit: exitText(result.exitStatus), duration })}{" "}
          {comparison(step, result)}
        </span>
      </p>
      {files.length > 0 ? (
        <p className="flex gap-2">
          <FileDiff aria-hidden className="mt-0.5 size-3.5 shrink-0 text-teacher" />
          <span className="wrap-anywhere">
            {t("teacher.after.files", {
              count: files.length,
              files: files.slice(0, 5).map(shortPath).join(", "),
            })}
          </span>
        </p>
      ) : null}
    </section>
  );
}

function comparison(step: Step, result: StepResult): string {
  if (step.expected !== null)
    return outputMatches(step.expected, result.stdout)
      ? t("teacher.after.expected")
      : t("teacher.after.differs");
  return result.output.trim() === "" ? t("teacher.after.silent") : "";
}
