/** The recovery budgets, each as used of allowed. Always there during an agentic run. */
import { HeartPulse } from "lucide-react";
import { t } from "@/i18n";
import type { Ledger } from "@/ipc/bindings";
import { ProgressBar } from "@/shared/ProgressBar";

export function RecoveryLedger({ ledger }: { ledger: Ledger }) {
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm">
      <span className="inline-flex items-center gap-1.5 font-medium text-agentic-ink">
        <HeartPulse aria-hidden className="size-3.5" />
        {t("plan.recovery")}
      </span>
      <Budget label={t("plan.attempt")} used={ledger.attempt} allowed={ledger.attemptsAllowed} />
      <Budget label={t("plan.corrections")} used={ledger.corrections} allowed={ledger.correctionsAllowed} />
      <Budget label={t("plan.added")} used={ledger.added} allowed={ledger.addedAllowed} />
    </div>
  );
}

function Budget({ label, used, allowed }: { label: string; used: number; allowed: number }) {
  // The last 30 % is the engine's own point of warning.
  const scarce = allowed > 0 && (allowed - used) / allowed <= 0.3;
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-ink-2 tabular-nums">
      <span>
        {label} <b className="font-semibold text-ink">{used}</b>/{allowed}
      </span>
      <ProgressBar
        label={label}
        value={used}
        max={allowed}
        tone={scarce ? "caution" : "agentic"}
        className="h-[3px] w-11"
      />
    </span>
  );
}
