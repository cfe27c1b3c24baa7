/** On the failed step's own row: what is asked, of whom, for how long already. */
import { Brain } from "lucide-react";
import { t } from "@/i18n";
import type { Thinking } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatElapsed } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { sourceName } from "@/shared/steps";

export function FindingRepair({ thinking, onGuidance }: { thinking: Thinking; onGuidance: () => void }) {
  const now = useNow(true);
  return (
    <div className="flex flex-wrap items-center gap-x-2 rounded-sm bg-agentic-tint py-1 pr-1.5 pl-2.5 text-sm">
      <Brain aria-hidden className="size-3.5 animate-pulse text-agentic-ink motion-reduce:animate-none" />
      <span className="font-semibold text-agentic-ink">{t("plan.finding")}</span>
      <span className="min-w-0 flex-1 text-ink-2">
        {thinking.about} · {t("plan.asking", { source: sourceName(thinking.asking) })} ·{" "}
        <span className="tabular-nums">{formatElapsed(now - Date.parse(thinking.since))}</span>
      </span>
      <Button size="sm" variant="agenticText" onClick={onGuidance}>
        {t("plan.giveGuidance")}
      </Button>
    </div>
  );
}
