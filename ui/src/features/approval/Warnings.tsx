/** What a model warns of. Quoted and named, so that nobody takes it for the analysis: it can raise a risk, never lower one. */
import { MessageSquareWarning } from "lucide-react";
import { t } from "@/i18n";
import type { RiskReason } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { RiskWord } from "@/shared/RiskBadge";

export function Warnings({ reasons }: { reasons: RiskReason[] }) {
  return reasons.map(({ source, text, risk, fragment, start }) =>
    source ? (
      <figure
        key={`${source}${text}${start}`}
        className="m-0 flex gap-2.5 rounded-md border border-dashed border-line-strong px-3 py-2"
      >
        <MessageSquareWarning aria-hidden className="mt-0.5 size-3.5 shrink-0 text-agentic-ink" />
        <div className="min-w-0 flex-1">
          <figcaption className="flex flex-wrap items-center gap-x-2 text-sm text-ink-3">
            <b className="font-semibold text-ink">{t("approval.warning.title", { model: source })}</b>
            <RiskWord risk={risk} />
            <span>{t("approval.warning.note")}</span>
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard. */}
          <blockquote tabIndex={0} className="mt-0.5 max-h-20 overflow-y-auto wrap-anywhere text-ink-2">
            “<CommandText command={text} className="font-ui" />”
            {fragment ? (
              <span className="ml-1.5 text-sm">
                <CommandText command={fragment} />
              </span>
            ) : null}
          </blockquote>
        </div>
      </figure>
    ) : null,
  );
}
