/* What belongs to one chosen provider: where it is, which model, its key, and whether it answers. */
import { Plus, RefreshCw } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useId, useState } from "react";
import { t } from "@/i18n";
import type { FoundServer, ModelChoice } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { Spinner } from "@/shared/Spinner";
import { useApp } from "@/state/store";
import { KeyField } from "./KeyField";
import { LineField } from "./LineField";
import type { Keys } from "./ModelsSection";
import { TestConnection } from "./TestConnection";

type Props = { choice: ModelChoice; keys: Keys; onChange: (choice: ModelChoice) => void };

export function ProviderFields({ choice, keys, onChange }: Props) {
  const { provider } = choice;
  const local = provider === "local";
  const [typedKey, setTypedKey] = useState("");
  const [forgotten, setForgotten] = useState(0);
  const [tested, setTested] = useState<string[]>([]);
  const [addressOpen, setAddressOpen] = useState(local || choice.baseUrl !== null);
  const found = useServers(local);
  const offered = modelsOf(found.servers, choice.baseUrl);
  return (
    <div className="grid gap-3.5">
      {local ? <Servers found={found} choice={choice} onChange={onChange} /> : null}
      {addressOpen ? (
        <Field name={t("models.address")} text={local ? t("models.addressText") : undefined}>
          {(id) => (
            <LineField
              id={id}
              value={choice.baseUrl ?? ""}
              placeholder={local ? t("models.addressPlaceholder") : t("models.addressOwn")}
              problemOf={(text) => (text === "" || isAddress(text) ? null : t("models.addressBad"))}
              onCommit={(text) => onChange({ ...choice, baseUrl: text === "" ? null : text })}
            />
          )}
        </Field>
      ) : null}
      <Field name={t("models.model")}>
        {(id) => (
          <LineField
            id={id}
            value={choice.model ?? ""}
            placeholder={local ? t("models.modelFirst") : t("models.modelUsual")}
            suggestions={[...new Set([...offered, ...tested])]}
            onCommit={(text) => onChange({ ...choice, model: text === "" ? null : text })}
          />
        )}
      </Field>
      <Field name={t(local ? "models.key.optional" : "models.key.label")}>
        {(id) => (
          <KeyField
            id={id}
            provider={provider}
            status={keys.statuses.find((status) => status.provider === provider) ?? null}
            typed={typedKey}
            onTyped={setTypedKey}
            onChanged={keys.reload}
            onForgotten={() => setForgotten((times) => times + 1)}
          />
        )}
      </Field>
      {addressOpen ? null : (
        <Button
          size="sm"
          variant="ghost"
          icon={<Plus aria-hidden />}
          className="-ml-2.5 justify-self-start"
          onClick={() => setAddressOpen(true)}
        >
          {t("models.addressOther")}
        </Button>
      )}
      <TestConnection
        choice={choice}
        typedKey={typedKey}
        onReport={(report) => setTested(report.models)}
        // Another choice, or a key that is gone: what was found out before no longer holds.
        key={JSON.stringify([choice, forgotten])}
      />
    </div>
  );
}

function isAddress(text: string): boolean {
  try {
    const { protocol, hostname } = new URL(text);
    return (protocol === "http:" || protocol === "https:") && hostname !== "";
  } catch {
    return false;
  }
}

function modelsOf(servers: FoundServer[] | null, baseUrl: string | null): string[] {
  if (!servers) return [];
  const server = baseUrl === null ? servers[0] : servers.find((one) => one.baseUrl === baseUrl);
  return server?.models ?? [];
}

type Found = { servers: FoundServer[] | null; look: () => Promise<void> };

/** Servers of this machine; null while they are looked for. */
function useServers(wanted: boolean): Found {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const [servers, setServers] = useState<FoundServer[] | null>(null);
  const look = useCallback(async () => {
    setServers(null);
    setServers((await attempt(() => host.discoverServers())) ?? []);
  }, [host, attempt]);
  useEffect(() => {
    if (wanted) void look();
  }, [wanted, look]);
  return { servers, look };
}

type ServersProps = { found: Found; choice: ModelChoice; onChange: (choice: ModelChoice) => void };

function Servers({ found, choice, onChange }: ServersProps) {
  const { servers, look } = found;
  const usedUrl = choice.baseUrl ?? servers?.[0]?.baseUrl;
  return (
    <section aria-label={t("models.servers.title")} className="grid gap-1.5">
      <div className="flex min-h-[26px] items-center gap-2">
        <p className="min-w-0 flex-1 text-sm font-medium text-ink-2">{t("models.servers.title")}</p>
        <Button
          size="sm"
          variant="ghost"
          disabled={servers === null}
          icon={servers === null ? <Spinner /> : <RefreshCw aria-hidden />}
          onClick={() => void look()}
        >
          {t("models.servers.again")}
        </Button>
      </div>
      <p role="status" className="text-sm text-ink-3 empty:hidden">
        {servers === null
          ? t("models.servers.looking")
          : servers.length === 0
            ? t("models.servers.none")
            : null}
      </p>
      {servers && servers.length > 0 ? (
        <ul className="divide-y divide-line rounded-sm border border-line">
          {servers.map((server) => (
            <li key={server.baseUrl} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
              <code className="min-w-0 flex-1 basis-48 text-sm break-all select-text">{server.baseUrl}</code>
              <span className="text-sm text-ink-3" title={server.models.join("\n")}>
                {server.models.length === 0
                  ? t("models.servers.noModels")
                  : t("models.servers.models", { count: server.models.length })}
              </span>
              {server.baseUrl === usedUrl ? (
                <span className="inline-flex h-[26px] items-center px-2.5 text-sm font-semibold text-safe">
                  {t("models.servers.used")}
                </span>
              ) : (
                <Button
                  size="sm"
                  aria-label={t("models.servers.use", { address: server.baseUrl })}
                  onClick={() => onChange({ ...choice, baseUrl: server.baseUrl, model: null })}
                >
                  {t("models.servers.useShort")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

/** A name at the left, what is entered at the right; one above the other where it is narrow. */
function Field({
  name,
  text,
  children,
}: {
  name: string;
  text?: string | undefined;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium text-ink-2">
        {name}
      </label>
      {children(id)}
      {text ? <p className="text-sm text-ink-3">{text}</p> : null}
    </div>
  );
}
