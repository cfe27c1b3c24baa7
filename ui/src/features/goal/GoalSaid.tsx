/* What the agent says of its work, what checks it, and what was found wrong with it. */
import {
  CircleCheck,
  CircleDashed,
  MessageCircleQuestion,
  RotateCcw,
  SquareTerminal,
  Undo2,
} from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { GoalState } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { cx } from "@/shared/cx";
import { hasEnded, sentBackInWords, verifyOutcome } from "@/shared/goal";

export function GoalSaid({ goal }: { goal: GoalState }) {
  const { assessment, completionEstimate, sentBack, looped } = goal;
  return (
    <div className="grid gap-2.5 border-y border-line bg-panel px-5 py-3 text-sm">
      {assessment === "" ? null : (
        <p className="wrap-anywhere text-ink">
          <span className="text-ink-3">{t("goal.panel.assessment")}: </span>“{assessment}”
          {completionEstimate === null ? null : (
            <span
              title={t("goal.panel.estimateHint")}
              className="ml-2 whitespace-nowrap text-ink-2 tabular-nums"
            >
              {t("goal.panel.estimate")}:{" "}
              <b className="font-semibold text-ink">
                {t("goal.panel.percent", { percent: completionEstimate })}
              </b>
            </span>
          )}
        </p>
      )}
      <Check goal={goal} />
      {sentBack && !hasEnded(goal) ? (
        <Line icon={<Undo2 aria-hidden className="text-caution" />}>
          <b className="font-semibold">{t("goal.panel.sentBack")}.</b> {sentBackInWords(sentBack, goal)}
        </Line>
      ) : null}
      {looped ? (
        <Line icon={<RotateCcw aria-hidden className="text-caution" />}>
          {t(`goal.panel.looped.${looped.kind}`, { iteration: looped.iteration })}
        </Line>
      ) : null}
    </div>
  );
}

const TONES = {
  safe: "text-safe",
  danger: "text-danger",
  agentic: "text-agentic-ink",
  neutral: "text-ink-3",
};

function Check({ goal }: { goal: GoalState }) {
  const { verify } = goal.request;
  const outcome = verifyOutcome(goal);
  if (!verify || !outcome) {
    return <Line icon={<CircleDashed aria-hidden className="text-ink-3" />}>{t("goal.verify.none")}</Line>;
  }
  const icon =
    outcome.tone === "safe" ? (
      <CircleCheck aria-hidden className="text-safe" />
    ) : verify.type === "command" ? (
      <SquareTerminal aria-hidden className="text-ink-3" />
    ) : (
      <MessageCircleQuestion aria-hidden className="text-ink-3" />
    );
  return (
    <Line icon={icon}>
      <span className="text-ink-3">{t(`goal.verify.${verify.type}`)}: </span>
      {verify.type === "command" ? <CommandText command={verify.command} /> : verify.question}
      <span className={cx("ml-2 font-medium whitespace-nowrap", TONES[outcome.tone])}>{outcome.word}</span>
    </Line>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex gap-2 [&>svg]:mt-[3px] [&>svg]:size-3.5 [&>svg]:shrink-0">
      {icon}
      <span className="min-w-0 wrap-anywhere text-ink">{children}</span>
    </p>
  );
}
