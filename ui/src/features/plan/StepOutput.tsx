/** What a step's attempt wrote, or its terminal: live while it runs, its result afterwards. */
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { SessionId, Step, StepResult } from "@/ipc/bindings";
import { useOutputSource } from "@/ipc/outputSource";
import { formatDuration, millisecondsBetween } from "@/shared/format";
import { Output } from "@/shared/Output";
import { exitText } from "@/shared/steps";
import { TerminalCard } from "@/shared/terminal/TerminalCard";
import { useLiveOutput } from "@/state/liveOutput";
import { useTerminalSource } from "@/state/terminals";

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
  return <Output live text={live.text} newlines={live.newlines} title={step.title} source={source} />;
}

type TerminalProps = { sessionId: SessionId; step: Step; attempt: number };

/** A step that the user runs in a terminal, or after its end what stood there last. */
export function StepTerminal({
  sessionId,
  step,
  attempt,
  ...rest
}: TerminalProps & { running: boolean; footer?: ReactNode; fallback?: ReactNode }) {
  const source = useTerminalSource(sessionId, step.id, attempt);
  return <TerminalCard source={source} title={step.title} {...rest} />;
}

export function StepResultOutput({
  sessionId,
  step,
  result,
  inTerminal,
}: {
  sessionId: SessionId;
  step: Step;
  result: StepResult;
  inTerminal: boolean;
}) {
  const source = useOutputSource(sessionId, step.id, result.attemptIndex);
  const duration = formatDuration(millisecondsBetween(result.startedAt, result.endedAt));
  const footer = t("plan.exitAfter", { exit: exitText(result.exitStatus), duration });
  const output = (
    <Output
      text={result.output}
      title={step.title}
      omittedLines={result.omittedLines}
      footer={footer}
      source={source}
    />
  );
  const { attemptIndex: attempt } = result;
  return (
    <div className="grid gap-1.5">
      {inTerminal ? (
        <StepTerminal
          sessionId={sessionId}
          step={step}
          attempt={attempt}
          running={false}
          footer={footer}
          fallback={output}
        />
      ) : (
        output
      )}
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
