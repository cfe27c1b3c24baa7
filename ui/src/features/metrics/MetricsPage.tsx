/* What was done, in figures from the record: how much was completed, what mended, what was refused, when it was stopped, and
   what it took. Nothing of it leaves the machine. */
import { ChartColumn } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { t } from "@/i18n";
import type { EngineError, Metrics, Outcomes } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { EmptyState } from "@/shared/EmptyState";
import { formatElapsed, formatMoney, formatTokens } from "@/shared/format";
import { Segmented } from "@/shared/Segmented";
import { sourceName } from "@/shared/steps";
import { BarChart } from "./BarChart";

const SPANS = ["7", "30", "90", "all"] as const;
type Span = (typeof SPANS)[number];

const DAY_MS = 86_400_000;

export function MetricsPage() {
  const host = useHost();
  const [span, setSpan] = useState<Span>("30");
  const [metrics, setMetrics] = useState<Metrics | null>(null);
  const [problem, setProblem] = useState<EngineError | null>(null);
  useEffect(() => {
    let wanted = true;
    const since = span === "all" ? null : new Date(Date.now() - Number(span) * DAY_MS).toISOString();
    host.metrics(since).then(
      (found) => {
        if (!wanted) return;
        setMetrics(found);
        setProblem(null);
      },
      (error: unknown) => wanted && setProblem(toEngineError(error)),
    );
    return () => {
      wanted = false;
    };
  }, [host, span]);
  return (
    <main className="pane min-w-0 flex-1 overflow-auto bg-panel px-8 py-8">
      <div className="mx-auto max-w-[680px]">
        <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h1 className="min-w-52 flex-1 text-xl font-semibold tracking-tight">{t("metrics.title")}</h1>
          <Segmented<Span>
            label={t("metrics.span.label")}
            value={span}
            segments={SPANS.map((value) => ({ value, label: t(`metrics.span.${value}`) }))}
            onChange={setSpan}
          />
        </header>
        <p className="text-ink-2">{t("metrics.intro")}</p>
        {problem ? (
          <p role="alert" className="mt-6 text-danger">
            {problem.message} <AboutError code={problem.code} />
          </p>
        ) : metrics?.sessions === 0 ? (
          <div className="mt-6 rounded-md border border-dashed border-line">
            <EmptyState icon={<ChartColumn aria-hidden />} title={t("metrics.none")}>
              {t("metrics.noneText")}
            </EmptyState>
          </div>
        ) : metrics ? (
          <Figures metrics={metrics} />
        ) : null}
      </div>
    </main>
  );
}

function Figures({ metrics }: { metrics: Metrics }) {
  const { corrections, approvals, usage, days } = metrics;
  const names = useMemo(() => days.map((day) => day.day.slice(5)), [days]);
  const ends = useMemo(
    () => [
      { label: t("metrics.completed"), values: days.map((day) => day.completed), color: "--safe" },
      { label: t("metrics.failed"), values: days.map((day) => day.failed), color: "--danger" },
    ],
    [days],
  );
  const tokens = useMemo(
    () => [{ label: t("metrics.tokens"), values: days.map((day) => day.tokens), color: "--agentic" }],
    [days],
  );
  const hours = useMemo(() => metrics.stopsByHour.map((_, hour) => String(hour)), [metrics.stopsByHour]);
  const stops = useMemo(
    () => [{ label: t("metrics.stops"), values: metrics.stopsByHour, color: "--caution" }],
    [metrics.stopsByHour],
  );
  const refused = approvals.notNow + approvals.never + approvals.instead;
  return (
    <>
      <dl className="mt-6 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
        <Rate name={t("metrics.plans")} outcomes={metrics.plans} />
        <Rate name={t("metrics.conversations")} outcomes={metrics.conversations} />
        <Rate name={t("metrics.goals")} outcomes={metrics.goals} />
        <Fact name={t("metrics.corrections")} value={`${corrections.helped} / ${corrections.tried}`}>
          {t("metrics.correctionsText", { count: corrections.plans })}
        </Fact>
        <Fact name={t("metrics.questions")} value={String(approvals.answered)}>
          {t("metrics.questionsText", { count: refused })}
        </Fact>
        <Fact name={t("metrics.stopped")} value={String(metrics.cancels + metrics.interrupts)}>
          {t("metrics.stoppedText", { cancels: metrics.cancels, interrupts: metrics.interrupts })}
        </Fact>
        <Fact
          name={t("metrics.rounds")}
          value={metrics.turns === 0 ? "–" : (metrics.rounds / metrics.turns).toFixed(1)}
        >
          {t("metrics.roundsText", { count: metrics.turns, most: metrics.mostRounds })}
        </Fact>
        <Fact name={t("metrics.work")} value={formatElapsed(metrics.workSeconds * 1000)}>
          {t("metrics.workText", { count: metrics.sessions })}
        </Fact>
        <Fact name={t("metrics.cost")} value={formatMoney(usage.costMicros ?? 0)}>
          {t("metrics.costText", {
            tokens: formatTokens((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)),
          })}
        </Fact>
      </dl>
      <div className="mt-8 grid gap-7">
        <BarChart label={t("metrics.byDay")} names={names} series={ends} />
        <BarChart label={t("metrics.tokensByDay")} names={names} series={tokens} format={formatTokens} />
        <BarChart label={t("metrics.stopsByHour")} names={hours} series={stops} />
      </div>
      <Ranking
        title={t("metrics.helped")}
        rows={corrections.bySource.map(({ source, tried, helped }) => [
          sourceName(source),
          t("metrics.helpedOf", { helped, tried }),
        ])}
      />
      <Ranking
        title={t("metrics.denied")}
        rows={approvals.denials.map(({ kind, count }) => [kind, t("metrics.deniedTimes", { count })])}
      />
    </>
  );
}

function Rate({ name, outcomes }: { name: string; outcomes: Outcomes }) {
  const { completed, failed, cancelled, open } = outcomes;
  const ended = completed + failed + cancelled;
  return (
    <Fact name={name} value={ended === 0 ? "–" : `${Math.floor((completed * 100) / ended)} %`}>
      {t("metrics.rateText", { completed, ended, open })}
    </Fact>
  );
}

function Fact({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-ink-2">{name}</dt>
      <dd>
        <span className="block text-xl font-semibold tabular-nums">{value}</span>
        <span className="block text-xs text-ink-3">{children}</span>
      </dd>
    </div>
  );
}

function Ranking({ title, rows }: { title: string; rows: [string, string][] }) {
  if (rows.length === 0) return null;
  return (
    <section className="mt-8">
      <h2 className="text-sm font-medium">{title}</h2>
      <ul aria-label={title} className="mt-1 border-t border-line">
        {rows.map(([name, said]) => (
          <li key={name} className="flex justify-between gap-4 border-b border-line py-1.5 text-sm">
            <span className="min-w-0 truncate">{name}</span>
            <span className="shrink-0 text-ink-2 tabular-nums">{said}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
