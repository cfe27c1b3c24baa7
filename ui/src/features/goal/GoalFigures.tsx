/* What of what is allowed is used: iterations, tokens, money; and how long it has taken. */
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { GoalState, SessionState, Settings } from "@/ipc/bindings";
import { formatElapsed, formatMoney, formatTokens } from "@/shared/format";
import { hasEnded } from "@/shared/goal";
import { useNow } from "@/shared/hooks";
import { ProgressBar } from "@/shared/ProgressBar";

const MICROS_PER_CENT = 10_000;

/** From this share on a limit is near; the engine warns at the same point. */
const NEAR = 0.8;

type Props = { session: SessionState; goal: GoalState; settings: Settings | null };

export function GoalFigures({ session, goal, settings }: Props) {
  const { inputTokens = 0, outputTokens = 0, costMicros = 0, calls = 0, unpricedCalls = 0 } = session.usage;
  const tokens = inputTokens + outputTokens;
  const cents = settings?.costCapCents ?? null;
  const priced = calls === 0 || unpricedCalls < calls;
  return (
    <dl className="grid grid-cols-2 gap-x-5 gap-y-2.5 px-5 pb-3.5 @md:grid-cols-4">
      <Figure name={t("goal.panel.iteration")} used={goal.iteration} allowed={goal.iterationsAllowed}>
        {goal.iteration}
        <Allowed>{String(goal.iterationsAllowed)}</Allowed>
      </Figure>
      <Figure name={t("goal.panel.tokens")} used={tokens} allowed={settings?.tokenCap ?? null}>
        {formatTokens(tokens)}
        <Allowed>{settings?.tokenCap == null ? null : formatTokens(settings.tokenCap)}</Allowed>
      </Figure>
      <Figure
        name={t("goal.panel.money")}
        used={costMicros}
        allowed={cents === null ? null : cents * MICROS_PER_CENT}
      >
        {priced ? formatMoney(costMicros) : t("goal.panel.priceUnknown")}
        <Allowed>{cents === null ? null : formatMoney(cents * MICROS_PER_CENT)}</Allowed>
      </Figure>
      <Figure name={t("goal.panel.time")} used={0} allowed={null}>
        <Elapsed goal={goal} />
      </Figure>
    </dl>
  );
}

function Elapsed({ goal }: { goal: GoalState }) {
  const now = useNow(!hasEnded(goal));
  const end = goal.endedAt === null ? now : Date.parse(goal.endedAt);
  return formatElapsed(end - Date.parse(goal.startedAt));
}

function Allowed({ children }: { children: string | null }) {
  return (
    <span className="block text-xs font-normal text-ink-3">
      {children === null ? t("goal.panel.noLimit") : t("goal.panel.of", { allowed: children })}
    </span>
  );
}

type FigureProps = { name: string; used: number; allowed: number | null; children: ReactNode };

function Figure({ name, used, allowed, children }: FigureProps) {
  const near = allowed !== null && used >= allowed * NEAR;
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="font-semibold whitespace-nowrap text-ink tabular-nums">{children}</dd>
      {allowed === null ? null : (
        <dd className="mt-1">
          <ProgressBar
            label={name}
            value={used}
            max={allowed}
            tone={near ? "caution" : "agentic"}
            className="h-[3px]"
          />
        </dd>
      )}
    </div>
  );
}
