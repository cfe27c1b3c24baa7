/** Several commands that can have been meant: each with what it would do, for the user to choose. */
import { t } from "@/i18n";
import type { Candidate } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { RiskBadge } from "@/shared/RiskBadge";

type Props = { candidates: Candidate[]; onChoose: (command: string) => void };

export function Candidates({ candidates, onChoose }: Props) {
  if (candidates.length === 0) return null;
  return (
    <ul aria-label={t("shared.candidates.title")} className="grid w-full gap-2 text-sm">
      {candidates.map(({ command, does, risk }) => (
        <li key={command} className="flex items-start gap-3">
          <div className="min-w-0 flex-1 wrap-anywhere">
            <code className="text-ink">{command}</code> <RiskBadge risk={risk} />
            <p className="text-ink-3">{does === "" ? t("shared.candidates.unknown") : does}</p>
          </div>
          <Button
            size="sm"
            aria-label={t("shared.candidates.run", { command })}
            onClick={() => onChoose(command)}
          >
            {t("shared.candidates.choose")}
          </Button>
        </li>
      ))}
    </ul>
  );
}
