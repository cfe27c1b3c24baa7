/* What was allowed or refused for longer than once: each rule literally, how long it holds, and the way to take it back. */
import { ShieldCheck } from "lucide-react";
import { useEffect } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { Grant, GrantRule } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { EmptyState } from "@/shared/EmptyState";
import { formatRelative } from "@/shared/format";
import { Pill } from "@/shared/Pill";
import { useApp } from "@/state/store";

export function PermissionsPage() {
  const grants = useApp((store) => store.grants);
  const refresh = useApp((store) => store.refreshGrants);
  useEffect(() => void refresh(), [refresh]);
  return (
    <main className="min-w-0 flex-1 overflow-auto bg-panel px-8 py-8">
      <div className="mx-auto flex min-h-full max-w-[680px] flex-col">
        <h1 className="text-xl font-semibold tracking-tight">{t("permissions.title")}</h1>
        <p className="text-ink-2">{t("permissions.intro")}</p>
        {grants.length === 0 ? (
          <div className="grid flex-1 place-items-center pb-20">
            <EmptyState icon={<ShieldCheck aria-hidden />} title={t("permissions.none")}>
              {t("permissions.noneText")}
            </EmptyState>
          </div>
        ) : (
          <ul aria-label={t("permissions.list")} className="mt-8 border-t border-line">
            {grants.map((grant) => (
              <GrantRow key={grant.id} grant={grant} />
            ))}
          </ul>
        )}
      </div>
    </main>
  );
}

function ruleInWords(rule: GrantRule): { kind: string; text: string } {
  switch (rule.type) {
    case "exact":
      return { kind: t("permissions.exact"), text: rule.command };
    case "program":
      return { kind: t("permissions.program"), text: rule.words.join(" ") };
    case "tool":
      return { kind: t("permissions.tool"), text: rule.tool };
  }
}

function GrantRow({ grant }: { grant: Grant }) {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const refresh = useApp((store) => store.refreshGrants);
  const { kind, text } = ruleInWords(grant.rule);
  const revoke = async () => {
    const done = await attempt(async () => {
      await host.revokeGrant(grant.id);
      return true;
    });
    if (!done) return;
    await refresh();
    toast.success(t("permissions.revoked"));
  };
  const used = grant.lastUsedAt
    ? t("permissions.lastUsed", { when: formatRelative(grant.lastUsedAt) })
    : t("permissions.neverUsed");
  return (
    <li className="flex items-start gap-4 border-b border-line py-3.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-2">
          <Pill tone={grant.allow ? "safe" : "danger"}>
            {t(grant.allow ? "permissions.allow" : "permissions.deny")}
          </Pill>
          <span className="text-sm text-ink-3">{kind}</span>
        </p>
        <code className="mt-1 block text-md break-all select-text">{text}</code>
        <p className="mt-1 text-sm text-ink-3">
          {t(`permissions.lifetime.${grant.lifetime}`)}
          {grant.lifetime === "folder" ? <span className="font-mono"> {grant.boundTo}</span> : null} · {used}
        </p>
      </div>
      <Button
        size="sm"
        aria-label={t("permissions.revokeLabel", { rule: text })}
        onClick={() => void revoke()}
      >
        {t("permissions.revoke")}
      </Button>
    </li>
  );
}
