/** What a step's attempt wrote: live while it runs, its result afterwards. */

import { t } from "@/i18n";
import type { SessionId, Step, StepResult } from "@/ipc/bindings";
import { useOutputSource } from "@/ipc/outputSource";
import { formatDuration, millisecondsBetween } from "@/shared/format";
import { Output } from "@/shared/Output";
import { exitText } from "@/shared/steps";
import { useLiveOutput } from "@/state/liveOutput";

export function LiveStepOutput({
  sessionId,
  step,
  attempt,
}: {
  sessionId: SessionId;
  step: Step;
  attempt: number;
}) {
  const live = useLiveOutput(sessionId, step.id, attempt);
  const source = useOutputSource(sessionId, step.id, attempt);
  return <Output live text={live.text} title={step.title} source={source} />;
}

export function StepResultOutput({
  sessionId,
  step,
  result,
}: {
  sessionId: SessionId;
  step: Step;
  result: StepResult;
}) {
  const source = useOutputSource(sessionId, step.id, result.attemptIndex);
  const duration = formatDuration(millisecondsBetween(result.startedAt, result.endedAt));
  return (
    <div className="grid gap-1.5">
      <Output
        text={result.output}
        title={step.title}
        omittedLines={result.omittedLines}
        footer={t("plan.exitAfter", { exit: exitText(result.exitStatus), duration })}
        source={source}
      />
      {result.exitStatus.type === "not-started" ? (
        <p className="text-sm text-danger">{result.exitStatus.message}</p>
      ) : null}
      {result.verify ? (
        <p className="text-sm text-danger">{t("plan.verifyFailed", { command: result.verify.command })}</p>
      ) : null}
      {result.leftovers > 0 ? (
        <p className="text-sm text-ink-2">{t("plan.leftovers", { count: result.leftovers })}</p>
      ) : null}
    </div>
  );
}
