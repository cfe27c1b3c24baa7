/** One rule: literally, where it holds, how it was used, which past commands it covers, and the way to take it back. */
import { Ban, Check, History } from "lucide-react";
import { useId, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { Grant } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { Covered } from "@/shared/Covered";
import { cx } from "@/shared/cx";
import { useApp } from "@/state/store";
import { endInWords, type Part, type Places, placeInWords, ruleInWords, usesInWords } from "./rules";

type Props = { grant: Grant; part: Part; places: Places; now: number };

export function GrantRow({ grant, part, places, now }: Props) {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const refresh = useApp((store) => store.refreshGrants);
  const [past, setPast] = useState(false);
  const pastId = useId();
  const { kind, text } = ruleInWords(grant.rule);
  const ended = part === "ended";
  const revoke = async () => {
    const done = await attempt(async () => {
      await host.revokeGrant(grant.id);
      return true;
    });
    if (!done) return;
    await refresh();
    toast.success(t(ended ? "permissions.removed" : "permissions.revoked"));
  };
  const facts = [placeInWords(grant, places), usesInWords(grant), endInWords(grant, now)];
  const Icon = grant.allow ? Check : Ban;
  return (
    <li className="border-b border-line py-3.5">
      <div className="flex items-start gap-3">
        <Icon
          aria-hidden
          className={cx(
            "mt-0.5 size-4 shrink-0",
            ended ? "text-ink-3" : grant.allow ? "text-safe" : "text-danger",
          )}
        />
        <div className="min-w-0 flex-1">
          <p className="text-sm text-ink-3">{kind}</p>
          <div className={cx("text-md select-text", ended ? "text-ink-2 line-through" : "text-ink")}>
            <CommandText command={text} />
          </div>
        </div>
        {ended ? null : (
          <Button
            size="sm"
            variant="ghost"
            icon={<History aria-hidden />}
            aria-expanded={past}
            aria-controls={past ? pastId : undefined}
            onClick={() => setPast(!past)}
          >
            {t("permissions.past")}
          </Button>
        )}
        <Button
          size="sm"
          aria-label={t(ended ? "permissions.removeLabel" : "permissions.revokeLabel", { rule: text })}
          onClick={() => void revoke()}
        >
          {t(ended ? "permissions.remove" : "permissions.revoke")}
        </Button>
      </div>
      <p className="mt-1 pl-7 text-sm wrap-anywhere text-ink-3">
        {facts.filter((fact) => fact !== null).join(" · ")}
      </p>
      {past ? (
        <div id={pastId} className="mt-2 pl-7">
          <Covered
            open
            never={!grant.allow}
            rule={grant.rule}
            lifetime={grant.lifetime}
            sessionId={sessionOf(grant, places)}
          />
        </div>
      ) : null}
    </li>
  );
}

/** The session whose commands a rule for a session or a run is compared with. */
function sessionOf(grant: Grant, { shown }: Places): string | null {
  if (grant.lifetime === "session") return grant.boundTo;
  return grant.lifetime === "run" && shown?.plan?.id === grant.boundTo ? shown.id : null;
}
