/** The services of a session, quietly under its plan: what runs, since when, and the way to stop it. */
import { RotateCw, ScrollText, Square } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "@/i18n";
import type { Command, EngineError, Job, Service, SessionState } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Announcer } from "@/shared/Announcer";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { Dialog } from "@/shared/Dialog";
import { formatElapsed } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { Output } from "@/shared/Output";
import { Spinner } from "@/shared/Spinner";
import { readyText } from "@/shared/steps";
import { canStartAgain, endText, isRunning, worthALine } from "./view";

const READ_EVERY_MS = 1000;

type Props = {
  session: SessionState;
  /** Never rejects: errors are shown by the shell. */
  onCommand: (command: Command) => Promise<void>;
};

export function ServicesStrip({ session, onCommand }: Props) {
  const services = worthALine(session.services ?? []);
  const [shown, setShown] = useState<string | null>(null);
  const [stopping, setStopping] = useState<ReadonlySet<string>>(new Set());
  const [starting, setStarting] = useState<ReadonlySet<string>>(new Set());
  const jobs = session.jobs ?? [];
  const now = useNow(services.some(isRunning) || jobs.length > 0);
  if (services.length === 0 && jobs.length === 0) return null;
  const showing = services.find((service) => service.id === shown);
  const stop = (service: Service) => {
    setStopping((held) => new Set(held).add(service.id));
    void onCommand({ type: "stop-service", serviceId: service.id });
  };
  const startAgain = (service: Service) => {
    setStarting((held) => new Set(held).add(service.id));
    // Refused or asked about and declined: it can be wanted once more.
    void onCommand({ type: "start-service", serviceId: service.id }).finally(() =>
      setStarting((held) => new Set([...held].filter((id) => id !== service.id))),
    );
  };
  return (
    <section aria-label={t("services.label")} className="border-t border-line bg-panel px-5 py-2">
      <ul className="grid gap-0.5">
        {services.map((service) => (
          <li key={service.id} className="flex min-h-8 flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
            <Mark service={service} />
            <span className="min-w-0 truncate font-medium text-ink" title={service.command}>
              {service.title}
            </span>
            <Facts service={service} stopping={stopping.has(service.id)} now={now} />
            <span className="ml-auto flex shrink-0 gap-1">
              <Button
                size="sm"
                variant="ghost"
                icon={<ScrollText aria-hidden />}
                aria-label={t("services.outputNamed", { title: service.title })}
                onClick={() => setShown(service.id)}
              >
                {t("services.output")}
              </Button>
              {isRunning(service) ? (
                <Button
                  size="sm"
                  icon={<Square aria-hidden />}
                  disabled={stopping.has(service.id)}
                  aria-label={t("services.stopNamed", { title: service.title })}
                  onClick={() => stop(service)}
                >
                  {t("services.stop")}
                </Button>
              ) : canStartAgain(session, service) ? (
                <Button
                  size="sm"
                  icon={<RotateCw aria-hidden />}
                  disabled={starting.has(service.id)}
                  aria-label={t("services.againNamed", { title: service.title })}
                  onClick={() => startAgain(service)}
                >
                  {t("services.again")}
                </Button>
              ) : null}
            </span>
          </li>
        ))}
        {jobs.map((job) => (
          <JobRow key={job.pid} session={session} job={job} now={now} onCommand={onCommand} />
        ))}
      </ul>
      {isOver(session) && jobs.some((job) => !job.kept) ? (
        <Question jobs={jobs} onCommand={onCommand} />
      ) : null}
      {showing ? (
        <WrittenOutput
          session={session}
          of={showing}
          running={isRunning(showing)}
          onClose={() => setShown(null)}
        />
      ) : null}
      <Announcer message={services.map((service) => `${service.title}: ${stateText(service)}`).join(". ")} />
    </section>
  );
}

/** At the end of a run: what becomes of what it has left running. */
function Question({ jobs, onCommand }: { jobs: Job[]; onCommand: Props["onCommand"] }) {
  const endAll = async () => {
    for (const { pid } of jobs) await onCommand({ type: "end-job", pid });
  };
  return (
    <fieldset className="flex flex-wrap items-center gap-x-2.5 gap-y-1 py-1 text-sm">
      <legend className="float-left mr-auto text-ink-2">{t("services.after", { count: jobs.length })}</legend>
      <Button size="sm" onClick={() => void onCommand({ type: "keep-jobs" })}>
        {t("services.keep")}
      </Button>
      <Button size="sm" icon={<Square aria-hidden />} onClick={() => void endAll()}>
        {t("services.endAll", { count: jobs.length })}
      </Button>
    </fieldset>
  );
}

function isOver({ plan }: SessionState): boolean {
  return plan?.state.type === "completed" || plan?.state.type === "failed";
}

/** What a command has left running: it ends with its session, or by this. */
function JobRow({ session, job, now, onCommand }: Props & { job: Job; now: number }) {
  const [ending, setEnding] = useState(false);
  const [shown, setShown] = useState(false);
  const [title = job.command] = job.command.split("\n");
  return (
    <li className="flex min-h-8 flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
      <span aria-hidden className="mx-1 size-2 shrink-0 rounded-full bg-safe" />
      <code className="min-w-0 truncate font-medium text-ink" title={job.command}>
        {title}
      </code>
      <span className="text-ink-2 tabular-nums">
        {[t("services.job", { pid: job.pid }), formatElapsed(now - Date.parse(job.since))].join(" · ")}
      </span>
      <span className="ml-auto flex shrink-0 gap-1">
        <Button
          size="sm"
          variant="ghost"
          icon={<ScrollText aria-hidden />}
          aria-label={t("services.outputNamed", { title })}
          onClick={() => setShown(true)}
        >
          {t("services.output")}
        </Button>
        <Button
          size="sm"
          icon={<Square aria-hidden />}
          disabled={ending}
          aria-label={t("services.endJobNamed", { title })}
          onClick={() => {
            setEnding(true);
            void onCommand({ type: "end-job", pid: job.pid }).finally(() => setEnding(false));
          }}
        >
          {t("services.endJob")}
        </Button>
      </span>
      {shown ? (
        <WrittenOutput
          session={session}
          of={{ stepId: job.stepId, attempt: job.attempt ?? 0, title, command: job.command }}
          running
          onClose={() => setShown(false)}
        />
      ) : null}
    </li>
  );
}

function Mark({ service }: { service: Service }) {
  if (service.state.type === "starting") return <Spinner />;
  return (
    <span
      aria-hidden
      className={cx(
        "mx-1 size-2 shrink-0 rounded-full",
        service.state.type === "ready" ? "bg-safe" : "border border-ink-3",
      )}
    />
  );
}

function Facts({ service, stopping, now }: { service: Service; stopping: boolean; now: number }) {
  const running = isRunning(service);
  const facts = [
    service.ready.type === "port" ? t("services.port", { port: service.ready.port }) : null,
    stopping && running ? t("services.stopping") : stateText(service),
    running ? formatElapsed(now - Date.parse(service.startedAt)) : null,
  ];
  return (
    <span className="text-ink-2 tabular-nums" title={readyText(service.ready)}>
      {facts.filter((fact) => fact !== null).join(" · ")}
    </span>
  );
}

function stateText(service: Service): string {
  switch (service.state.type) {
    case "starting":
      return t("services.starting");
    case "ready":
      return t("services.running");
    case "ended":
      return endText(service.state.end) ?? "";
  }
}

/** All that it has written, and what it goes on to write. */
function WrittenOutput({
  session,
  of,
  running,
  onClose,
}: {
  session: SessionState;
  of: { stepId: string; attempt: number; title: string; command: string };
  running: boolean;
  onClose: () => void;
}) {
  const host = useHost();
  const [text, setText] = useState("");
  const [fault, setFault] = useState<EngineError | null>(null);
  const { stepId, attempt } = of;
  useEffect(() => {
    let closed = false;
    const read = () =>
      host.readOutput(session.id, stepId, attempt).then(
        (all) => {
          if (closed) return;
          setText(all);
          setFault(null);
        },
        (error: unknown) => closed || setFault(toEngineError(error)),
      );
    void read();
    const timer = running ? setInterval(() => void read(), READ_EVERY_MS) : undefined;
    return () => {
      closed = true;
      clearInterval(timer);
    };
  }, [host, session.id, stepId, attempt, running]);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t("services.outputTitle", { title: of.title })}
      description={<code className="font-mono text-sm wrap-anywhere">{of.command}</code>}
      size="lg"
    >
      {fault === null ? (
        <Output live={running} text={text} title={of.title} />
      ) : (
        <p role="alert" className="text-sm text-danger">
          {t("services.unread", { why: fault.message })} <AboutError code={fault.code} />
        </p>
      )}
    </Dialog>
  );
}
