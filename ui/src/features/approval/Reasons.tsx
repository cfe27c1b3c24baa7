/** Why it is asked, strictest first. Each reason that means a part of the command points at it, by mouse and by keyboard. */
import { t } from "@/i18n";
import type { RiskReason } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { RiskIcon } from "@/shared/RiskBadge";
import { capital } from "@/shared/risk";

type Props = {
  reasons: RiskReason[];
  onPoint: (at: number | null) => void;
};

/** Items of a list. A model's warnings are no part of it: they stand apart. */
export function Reasons({ reasons, onPoint }: Props) {
  return reasons.map((reason, at) => {
    if (reason.source) return null;
    const { risk, text, fragment, start } = reason;
    const points = start !== null && fragment !== "";
    return (
      <li
        key={`${text}${start}`}
        onPointerEnter={() => points && onPoint(at)}
        onPointerLeave={() => onPoint(null)}
        className="flex gap-2.5 px-3 py-2"
      >
        <RiskIcon risk={risk} className="mt-0.5" />
        <div className="min-w-0 flex-1 wrap-anywhere">
          {points ? (
            <button
              type="button"
              aria-label={t("approval.reasonAt", {
                risk: t(`shared.risk.${risk}`),
                reason: capital(text),
                fragment,
              })}
              onFocus={() => onPoint(at)}
              onBlur={() => onPoint(null)}
              className="rounded-xs text-left font-semibold text-ink"
            >
              {capital(text)}
            </button>
          ) : (
            <p className="font-semibold text-ink">{capital(text)}</p>
          )}
          {fragment ? (
            <div className="text-sm text-ink-2">
              <CommandText command={fragment} />
            </div>
          ) : null}
        </div>
      </li>
    );
  });
}
