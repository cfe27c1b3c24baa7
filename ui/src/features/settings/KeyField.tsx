/* A provider's key: handed over, forgotten, never shown. What is kept lives with the engine; here it is only typed. */
import { KeyRound, TriangleAlert } from "lucide-react";
import { type FormEvent, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { EngineError, KeyStatus, ProviderKind } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { FIELD } from "./controls";

type Props = {
  id: string;
  provider: ProviderKind;
  /** Null until it is known. */
  status: KeyStatus | null;
  /** What is typed and not handed over; the connection test may try it. */
  typed: string;
  onTyped: (text: string) => void;
  onChanged: () => Promise<void>;
  /** What was found out with the key no longer holds. */
  onForgotten: () => void;
};

export function KeyField({ id, provider, status, typed, onTyped, onChanged, onForgotten }: Props) {
  const host = useHost();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<EngineError | null>(null);
  const name = t(`models.provider.${provider === "local" ? "localShort" : provider}`);
  const place = status?.place ?? "none";

  /** Whatever goes wrong is said here, beside the field. */
  const work = async (what: () => Promise<void>, said: string) => {
    setBusy(true);
    setProblem(null);
    try {
      await what();
      onTyped("");
      toast.success(said);
    } catch (thrown) {
      setProblem(toEngineError(thrown));
    } finally {
      await onChanged();
      setBusy(false);
    }
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim();
    if (key !== "" && !busy)
      void work(() => host.setKey(provider, key), t("models.key.saved", { provider: name }));
  };
  const forget = () => {
    onForgotten();
    void work(() => host.forgetKey(provider), t("models.key.forgotten", { provider: name }));
  };

  if (place === "environment")
    return (
      <p id={id} className="flex items-start gap-2 text-sm text-ink-2">
        <KeyRound aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
        {t("models.key.environment")}
      </p>
    );
  const kept = place === "keyring" || place === "memory";
  return (
    <div className="grid gap-1.5">
      <form onSubmit={save} className="flex flex-wrap gap-2">
        <input
          id={id}
          type="password"
          aria-label={t("models.key.labelFor", { provider: name })}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-place`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          placeholder={t(kept ? "models.key.replace" : "models.key.placeholder")}
          onChange={(event) => {
            setProblem(null);
            onTyped(event.target.value);
          }}
          className={`${FIELD} min-w-40 flex-1 font-mono text-sm placeholder:font-ui placeholder:text-ink-3 aria-invalid:border-danger`}
        />
        <Button type="submit" disabled={typed.trim() === "" || busy}>
          {t("models.key.save")}
        </Button>
        {kept ? (
          <Button variant="dangerText" disabled={busy} onClick={forget}>
            {t("models.key.forget")}
          </Button>
        ) : null}
      </form>
      <p id={`${id}-place`} className="flex items-start gap-2 text-sm text-ink-3">
        {place === "memory" ? (
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-caution" />
        ) : (
          <KeyRound aria-hidden className="mt-0.5 size-3.5 shrink-0" />
        )}
        <span className="min-w-0 wrap-anywhere">
          {t(place === "none" && status?.note ? "models.key.noneYet" : `models.key.${place}`)} {status?.note}
        </span>
      </p>
      {problem === null ? null : (
        <p role="alert" className="text-sm wrap-anywhere text-danger">
          {problem.message} <AboutError code={problem.code} />
        </p>
      )}
    </div>
  );
}
