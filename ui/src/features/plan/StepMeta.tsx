/** The right edge of a step's row: how long, how it ended, or what it waits for, in tabular figures. */

import { t } from "@/i18n";
import type { RetryWait, Step, StepResult } from "@/ipc/bindings";
import { formatDuration, formatElapsed, formatEstimate, millisecondsBetween } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { exitText } from "@/shared/steps";
import { secondsOf } from "./view";

type Props = {
  step: Step;
  result: StepResult | undefined;
  attemptsAllowed: number;
  thinking: boolean;
  retryWait: RetryWait | null;
};

export function StepMeta(props: Props) {
  const { step, attemptsAllowed, retryWait } = props;
  const { state } = step;
  if (state.type === "running")
    return <Elapsed since={state.startedAt} attempt={state.attempt} allowed={attemptsAllowed} />;
  if (state.type === "recovering" && retryWait !== null)
    return <RunsAgain {...retryWait} otherwise={words(props)} />;
  return <Meta>{words(props)}</Meta>;
}

function RunsAgain({ until, attempt, allowed, otherwise }: RetryWait & { otherwise: string | null }) {
  const now = useNow(true);
  const seconds = Math.ceil((Date.parse(until) - now) / 1000);
  return <Meta>{seconds > 0 ? t("plan.runsAgain", { seconds, attempt, allowed }) : otherwise}</Meta>;
}

function Elapsed({ since, attempt, allowed }: { since: string; attempt: number; allowed: number }) {
  const now = useNow(true);
  const elapsed = formatElapsed(now - Date.parse(since));
  return (
    <Meta>
      {attempt > 0 ? `${t("plan.attemptOf", { attempt: attempt + 1, allowed })} · ${elapsed}` : elapsed}
    </Meta>
  );
}

function Meta({ children }: { children: string | null }) {
  return children === null ? null : (
    <span className="shrink-0 text-xs whitespace-nowrap text-ink-3 tabular-nums">{children}</span>
  );
}

function words({ step, result, attemptsAllowed, thinking }: Omit<Props, "retryWait">): string | null {
  const took = result ? formatDuration(millisecondsBetween(result.startedAt, result.endedAt)) : null;
  switch (step.state.type) {
    case "pending":
      return formatEstimate(secondsOf(step));
    case "awaiting-run":
      return null;
    case "awaiting-approval":
      return t("plan.state.awaitingApproval");
    case "running":
    case "completed":
      return took;
    case "recovering":
      return thinking
        ? t("plan.attemptOf", { attempt: step.state.attempt + 1, allowed: attemptsAllowed })
        : t("plan.failedOnce", { count: step.state.attempt + 1 });
    case "failed":
      return result && took ? `${exitText(result.exitStatus)} · ${took}` : t("plan.state.failed");
    case "skipped":
      return t("plan.state.skipped");
    case "cancelled":
      return t("plan.state.cancelled");
    case "interrupted":
      return t("plan.state.interrupted");
  }
}
