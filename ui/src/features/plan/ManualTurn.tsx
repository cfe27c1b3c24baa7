/** Under a step that is done by hand, when it is its turn: the run waits for the user's word. */
import { Check } from "lucide-react";
import { t } from "@/i18n";
import { Button } from "@/shared/Button";
import { useRunShortcut } from "@/shared/hooks";
import { Kbd } from "@/shared/Kbd";

export function ManualTurn({ onDone, onSkip }: { onDone: () => void; onSkip: () => void }) {
  useRunShortcut(true, onDone);
  return (
    <div className="grid gap-2">
      <p className="text-sm text-ink-3">{t("plan.manual.turn")}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="primary"
          icon={<Check aria-hidden />}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={onDone}
        >
          {t("plan.manual.done")}
          <Kbd keys="Mod+Enter" />
        </Button>
        <Button size="sm" onClick={onSkip}>
          {t("plan.action.skip")}
        </Button>
      </div>
    </div>
  );
}
