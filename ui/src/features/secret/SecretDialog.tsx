/** One question of a running program: who asks, on behalf of which command, in its own words, and the way to answer. */
import { KeyRound, TriangleAlert } from "lucide-react";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { t } from "@/i18n";
import type { EngineError } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { useNow } from "@/shared/hooks";
import { Modal } from "@/shared/Modal";
import { shortPath } from "@/shared/steps";
import { useInputGuard } from "@/shared/useInputGuard";
import { MaskedField } from "./MaskedField";
import type { Asked } from "./SecretLayer";
import { minutesLeft, programOf } from "./words";

type Props = {
  asked: Asked;
  /** The session is not the one that is shown: it is named. */
  named: boolean;
  /** How many wait behind this one. */
  others: number;
};

export function SecretDialog({ asked, named, others }: Props) {
  const { request, session } = asked;
  const host = useHost();
  const field = useRef<HTMLInputElement>(null);
  const harmless = useRef<HTMLButtonElement>(null);
  const [filled, setFilled] = useState(false);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<EngineError | null>(null);
  const now = useNow(true, 10_000);
  useInputGuard(request.id);
  const program = programOf(request);
  const confirm = request.kind === "confirm";
  const id = (part: string) => `${request.id}-${part}`;

  const send = async (answer: string | null) => {
    if (sending) return;
    setSending(true);
    setProblem(null);
    try {
      await host.answerSecret(session.id, request.id, answer);
    } catch (thrown) {
      const error = toEngineError(thrown);
      // One that is over disappears by itself.
      if (error.code !== "not-now") setProblem(error);
    } finally {
      setSending(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const input = field.current;
    if (!input || input.value === "" || sending) return;
    const answer = input.value;
    input.value = "";
    setFilled(false);
    void send(answer);
  };

  return (
    <Modal
      titleId={id("title")}
      descriptionId={id("prompt")}
      initialFocus={confirm ? harmless : field}
      onEscape={() => void send(null)}
      className="w-[34rem]"
    >
      <form onSubmit={submit} autoComplete="off" className="flex min-h-0 flex-col">
        <div className="grid min-h-0 gap-3.5 overflow-y-auto p-5">
          <header className="flex items-start gap-3">
            <span className="inline-flex size-9 shrink-0 items-center justify-center rounded-md bg-caution-tint text-caution">
              <KeyRound aria-hidden className="size-4.5" />
            </span>
            <div className="min-w-0 flex-1">
              <h2 id={id("title")} className="text-lg font-semibold wrap-anywhere text-ink">
                {t(`secret.title.${request.kind}`, { program })}
              </h2>
              {named ? (
                <p className="truncate text-sm text-ink-3">{t("secret.session", { title: session.title })}</p>
              ) : null}
            </div>
            {others > 0 ? (
              <span className="shrink-0 text-xs text-ink-3 tabular-nums">
                {t("secret.more", { count: others })}
              </span>
            ) : null}
          </header>

          {request.warning ? (
            <p
              role="alert"
              className="flex items-start gap-2.5 rounded-md bg-danger-tint px-3 py-2 text-sm text-ink"
            >
              <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-danger" />
              <span className="min-w-0 wrap-anywhere">
                <b className="font-semibold">{t("secret.careful")}</b> {request.warning}
              </span>
            </p>
          ) : null}

          <dl className="grid gap-2.5 text-sm">
            <Row name={t("secret.command")}>
              <div className="max-h-28 overflow-y-auto rounded-md bg-term px-3 py-2 text-term-ink">
                <CommandText onTerminal command={request.command} />
              </div>
            </Row>
            <Row name={t("secret.askedBy")}>
              <span className="font-mono text-xs wrap-anywhere text-ink">
                {request.calledAs || request.program}
              </span>
              <span className="text-ink-3">
                {" · "}
                {t("secret.folder")}: <span title={request.cwd}>{shortPath(request.cwd)}</span>
              </span>
            </Row>
            <Row name={t("secret.says", { program })}>
              <p
                id={id("prompt")}
                className="max-h-36 overflow-y-auto border-l-2 border-line-strong pl-3 wrap-anywhere whitespace-pre-wrap text-ink"
              >
                {request.prompt}
              </p>
            </Row>
          </dl>

          {request.attempt > 1 ? (
            <p role="status" className="text-sm text-caution">
              {t("secret.tryOf", { attempt: request.attempt, allowed: request.attemptsAllowed })}
            </p>
          ) : null}

          {confirm ? null : (
            <MaskedField
              id={id("field")}
              label={t(`secret.field.${request.kind}`)}
              describedBy={`${id("prompt")} ${id("note")}`}
              masked={request.kind !== "username"}
              field={field}
              disabled={sending}
              onFilled={setFilled}
            />
          )}
          {problem === null ? null : (
            <p role="alert" className="text-sm wrap-anywhere text-danger">
              {problem.message} <AboutError code={problem.code} />
            </p>
          )}
          <p id={id("note")} className="text-sm text-ink-3">
            {t(confirm ? "secret.straightConfirm" : "secret.straight", { program })}{" "}
            {t("secret.until", { count: minutesLeft(request, now) })}
          </p>
        </div>
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
          <Button ref={harmless} disabled={sending} onClick={() => void send(null)}>
            {t(confirm ? "secret.no" : "secret.decline")}
          </Button>
          {confirm ? (
            <Button disabled={sending} onClick={() => void send("yes")}>
              {t("secret.yes")}
            </Button>
          ) : (
            <Button type="submit" variant="primary" disabled={!filled || sending}>
              {t("secret.give", { program })}
            </Button>
          )}
        </footer>
      </form>
    </Modal>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-1">
      <dt className="text-xs font-semibold text-ink-3">{name}</dt>
      <dd className="m-0 min-w-0">{children}</dd>
    </div>
  );
}
