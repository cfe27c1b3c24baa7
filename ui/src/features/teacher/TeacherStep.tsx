/** Under the step whose turn it is: what it does, and Run. Under the step that just ran: what happened. */
import { Eye, FileDiff, Hand, Lightbulb, Pencil, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { t } from "@/i18n";
import type { PlanInput, SessionId, Step, StepResult } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatDuration, millisecondsBetween } from "@/shared/format";
import { useRunShortcut } from "@/shared/hooks";
import { Kbd } from "@/shared/Kbd";
import { commandOf, exitText, shortPath } from "@/shared/steps";
import { ByHand } from "./ByHand";
import { Explained } from "./Explained";
import { Guess, GuessOption, useGuessing } from "./Guess";
import { place, useGuesses } from "./guesses";
import { outputMatches } from "./outputMatches";

export type TeacherStepProps = {
  sessionId: SessionId;
  step: Step;
  /** Set once the step ran. */
  result: StepResult | null;
  /** What the plan asks for, and the folder that the step would run in. */
  inputs?: PlanInput[] | undefined;
  cwd?: string | null | undefined;
  onRun: () => void;
  onEdit: () => void;
  onSkip: () => void;
};

export function TeacherStep(props: TeacherStepProps) {
  const { sessionId, step, result } = props;
  return result ? (
    <WhatHappened sessionId={sessionId} step={step} result={result} />
  ) : (
    <BeforeRun {...props} />
  );
}

function BeforeRun({ sessionId, step, inputs, cwd = null, onRun, onEdit, onSkip }: TeacherStepProps) {
  const [byHand, setByHand] = useState(false);
  const guessing = useGuessing(sessionId, step.id);
  const asked = useGuesses((state) => state.asked);
  const known = useMemo(() => new Map((inputs ?? []).map((input) => [input.name, input])), [inputs]);
  useRunShortcut(!byHand, onRun);
  const command = commandOf(step);
  return (
    <section aria-label={t("teacher.label")} className="grid gap-3">
      {byHand ? (
        <ByHand command={command} cwd={cwd} inputs={known} onDone={onSkip} onBack={() => setByHand(false)} />
      ) : null}
      {asked ? <Guess sessionId={sessionId} stepId={step.id} /> : null}
      <Explained
        sessionId={sessionId}
        command={command}
        guessing={guessing}
        buttons={
          byHand ? null : (
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
              <Button icon={<Hand aria-hidden />} onClick={() => setByHand(true)}>
                {t("teacher.byHand.open")}
              </Button>
            </>
          )
        }
      />
      <GuessOption />
    </section>
  );
}

type HappenedProps = { sessionId: SessionId; step: Step; result: StepResult };

function WhatHappened({ sessionId, step, result }: HappenedProps) {
  const guess = useGuesses((state) => state.given.get(place(sessionId, step.id)));
  const duration = formatDuration(millisecondsBetween(result.startedAt, result.endedAt));
  const files = result.filesChanged;
  return (
    <section aria-label={t("teacher.after.label")} className="grid gap-1 text-sm text-ink-2">
      {guess ? (
        <p className="flex gap-2">
          <Lightbulb aria-hidden className="mt-0.5 size-3.5 shrink-0 text-teacher" />
          <span className="wrap-anywhere">{t("teacher.guess.kept", { guess })}</span>
        </p>
      ) : null}
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
