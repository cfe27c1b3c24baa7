/* Asks a model one small question and says exactly what came of it. */
import { CircleCheck, CircleX, PlugZap, X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type TextKey, t } from "@/i18n";
import type { ConnectionReport, EngineError, ModelChoice } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { formatDuration, formatElapsed, formatTokens } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { Spinner } from "@/shared/Spinner";

type State =
  | { type: "idle" }
  | { type: "running"; since: number }
  | { type: "cancelled" }
  | { type: "done"; report: ConnectionReport; key: string };

type Props = {
  choice: ModelChoice;
  /** A key that is typed and not kept yet is the one that is tried. */
  typedKey?: string;
  onReport?: (report: ConnectionReport) => void;
};

export function TestConnection({ choice, typedKey = "", onReport }: Props) {
  const host = useHost();
  const [state, setState] = useState<State>({ type: "idle" });
  /** Counts the tests: the answer to one that was cancelled no longer matters. */
  const current = useRef(0);
  useEffect(
    () => () => {
      current.current += 1;
    },
    [],
  );

  const start = async () => {
    current.current += 1;
    const mine = current.current;
    const key = typedKey.trim();
    setState({ type: "running", since: Date.now() });
    const report = await host
      .testConnection(choice, key === "" ? undefined : key)
      .catch((thrown): ConnectionReport => notAsked(toEngineError(thrown)));
    if (current.current !== mine) return;
    setState({ type: "done", report, key });
    onReport?.(report);
  };
  const cancel = () => {
    current.current += 1;
    setState({ type: "cancelled" });
  };

  const running = state.type === "running";
  // Another key was typed since: the outcome says nothing about that one.
  const typed = typedKey.trim();
  const stands = state.type === "done" && (typed === "" || typed === state.key);
  return (
    <div className="grid gap-2.5">
      <div className="flex flex-wrap items-center gap-2.5">
        {running ? (
          <Button icon={<X aria-hidden />} onClick={cancel}>
            {t("models.test.cancel")}
          </Button>
        ) : (
          <Button icon={<PlugZap aria-hidden />} onClick={() => void start()}>
            {t(state.type === "idle" ? "models.test.button" : "models.test.again")}
          </Button>
        )}
        <span role="status" className="flex items-center gap-2 text-sm text-ink-2">
          {running ? (
            <>
              <Spinner />
              <Elapsed since={state.since} />
            </>
          ) : state.type === "cancelled" ? (
            t("models.test.cancelled")
          ) : null}
        </span>
      </div>
      <div role="status" className="empty:hidden">
        {state.type === "done" && stands ? <Outcome report={state.report} typedKey={typed !== ""} /> : null}
      </div>
    </div>
  );
}

/** The engine could not even ask. */
function notAsked({ code, message }: EngineError): ConnectionReport {
  return {
    ok: false,
    code,
    message,
    models: [],
    model: null,
    tools: null,
    schema: null,
    contextTokens: null,
    firstTokenMillis: null,
  };
}

function Elapsed({ since }: { since: number }) {
  const now = useNow(true);
  const elapsed = now - since;
  // A second's wait is told; the first one is not worth a number.
  return (
    <span className="tabular-nums">
      {elapsed < 1_000
        ? t("models.test.running")
        : t("models.test.runningFor", { elapsed: formatElapsed(elapsed) })}
    </span>
  );
}

function Outcome({ report, typedKey }: { report: ConnectionReport; typedKey: boolean }) {
  if (!report.ok)
    return (
      <Card className="border-danger-line bg-danger-tint">
        <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
        <div className="min-w-0 wrap-anywhere select-text">
          <p className="font-semibold text-ink">{t(failureTitle(report.code))}</p>
          <p className="text-ink-2">{report.message}</p>
          <AboutError code={report.code} />
        </div>
      </Card>
    );
  return (
    <Card className="border-line bg-panel">
      <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-safe" />
      <div className="grid min-w-0 flex-1 gap-1.5 wrap-anywhere">
        <p className="font-semibold text-ink">{t("models.test.works")}</p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm select-text">
          {factsOf(report).map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-ink-3">{name}</dt>
              <dd className="min-w-0 text-ink tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        {typedKey ? <p className="text-sm text-ink-2">{t("models.test.typedKey")}</p> : null}
      </div>
    </Card>
  );
}

function Card({ className, children }: { className: string; children: ReactNode }) {
  return <div className={`flex gap-2.5 rounded-md border px-3 py-2.5 ${className}`}>{children}</div>;
}

/** Only what the test found out; what it did not is not guessed. */
function factsOf(report: ConnectionReport): [name: string, value: string][] {
  const { model, tools, schema, contextTokens, firstTokenMillis } = report;
  const facts: [string, string | null][] = [
    [t("models.test.model"), model],
    [t("models.test.tools"), tools === null ? null : t(`models.test.toolsKind.${tools}`)],
    [
      t("models.test.schema"),
      schema === null ? null : t(schema ? "models.test.schemaYes" : "models.test.schemaNo"),
    ],
    [
      t("models.test.context"),
      contextTokens === null ? null : t("models.test.contextTokens", { tokens: formatTokens(contextTokens) }),
    ],
    [t("models.test.first"), firstTokenMillis === null ? null : formatDuration(firstTokenMillis)],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

/** The codes of the model's errors that have a heading of their own. */
const TITLES: Partial<Record<string, TextKey>> = {
  "no-key": "models.test.failed.no-key",
  "rejected-key": "models.test.failed.rejected-key",
  "unknown-model": "models.test.failed.unknown-model",
  "rate-limit": "models.test.failed.rate-limit",
  "out-of-credit": "models.test.failed.out-of-credit",
  overloaded: "models.test.failed.overloaded",
  network: "models.test.failed.network",
  "malformed-answer": "models.test.failed.malformed-answer",
};

function failureTitle(code: string | null): TextKey {
  return TITLES[code ?? ""] ?? "models.test.failed.other";
}
