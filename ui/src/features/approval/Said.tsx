/** What the model said just before it asked. Quoted as text, so that nobody takes it for Planwright's own words. */
import { Quote } from "lucide-react";
import { t } from "@/i18n";
import { CommandText } from "@/shared/CommandText";

export function Said({ model, reason }: { model: string; reason: string }) {
  const words = reason.trim();
  if (words === "") return null;
  return (
    <figure className="m-0 flex gap-2.5">
      <Quote aria-hidden className="mt-0.5 size-3.5 shrink-0 text-agentic-ink" />
      <div className="min-w-0 flex-1">
        <figcaption className="text-sm text-ink-3">
          <b className="mr-1 font-semibold text-ink">{t("approval.said", { model })}</b>{" "}
          {t("approval.saidNote")}
        </figcaption>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard. */}
        <blockquote tabIndex={0} className="mt-0.5 max-h-28 overflow-y-auto wrap-anywhere text-ink-2">
          “<CommandText command={words} className="font-ui" />”
        </blockquote>
      </div>
    </figure>
  );
}
