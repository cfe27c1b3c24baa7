/** How much harm a command may do: a word with an icon, its reasons on hover and on focus. Quiet until it matters. */
import { Ban, ShieldAlert, ShieldCheck, TriangleAlert } from "lucide-react";
import { t } from "@/i18n";
import type { Assessment, Risk } from "@/ipc/bindings";
import { cx } from "./cx";
import { Tooltip } from "./Tooltip";

const LOOK: Record<Risk, { icon: typeof Ban; className: string }> = {
  safe: { icon: ShieldCheck, className: "text-safe" },
  caution: { icon: ShieldAlert, className: "text-caution" },
  dangerous: { icon: TriangleAlert, className: "bg-danger-tint px-1.5 font-semibold text-danger" },
  blocked: {
    icon: Ban,
    className: "border border-blocked bg-blocked-tint px-1.5 font-semibold text-blocked",
  },
};

/** Order of severity, for the strictest of several. */
const ORDER: Risk[] = ["safe", "caution", "dangerous", "blocked"];

/** The strictest of some risks; safe when there are none. */
export function strictest(risks: Iterable<Risk>): Risk {
  let worst = 0;
  for (const risk of risks) worst = Math.max(worst, ORDER.indexOf(risk));
  return ORDER[worst] ?? "blocked";
}

export function RiskBadge({ risk, reasons = [] }: { risk: Risk; reasons?: Assessment["reasons"] }) {
  const { icon: Icon, className } = LOOK[risk];
  return (
    <Tooltip
      content={
        <div className="grid gap-1">
          {reasons.length === 0 ? <p>{t(`shared.risk.meaning.${risk}`)}</p> : null}
          {reasons.map((reason) => (
            <p key={`${reason.text}:${reason.start ?? reason.fragment}`}>
              {reason.text}
              {reason.fragment ? (
                <code className="ml-1.5 rounded-xs bg-sunken px-1 text-xs text-ink">{reason.fragment}</code>
              ) : null}
            </p>
          ))}
        </div>
      }
    >
      {/* A button, so that the reasons can be reached with the keyboard. */}
      <button
        type="button"
        aria-label={t("shared.risk.label", { risk: t(`shared.risk.${risk}`) })}
        className={cx(
          "inline-flex h-5 shrink-0 items-center gap-1 rounded-full text-xs whitespace-nowrap",
          className,
        )}
      >
        <Icon aria-hidden className="size-3.5" />
        {t(`shared.risk.${risk}`)}
      </button>
    </Tooltip>
  );
}
