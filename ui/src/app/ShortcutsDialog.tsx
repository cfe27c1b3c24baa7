/* The keyboard, as a table. */
import { t } from "@/i18n";
import { Dialog } from "@/shared/Dialog";
import { Kbd } from "@/shared/Kbd";
import { LEAVE_KEYS } from "@/shared/terminal/keys";
import type { Action } from "./actions";

export function ShortcutsDialog({ actions, onClose }: { actions: Action[]; onClose: () => void }) {
  const fixed = [
    { label: t("shortcuts.send"), keys: "Enter" },
    { label: t("shortcuts.newline"), keys: "Shift+Enter" },
    { label: t("shortcuts.approve"), keys: "Mod+Enter" },
    { label: t("shortcuts.notNow"), keys: "Escape" },
    { label: t("undo.stepKey"), keys: "Mod+Z" },
    { label: t("shortcuts.leaveTerminal"), keys: LEAVE_KEYS },
    { label: t("shortcuts.nextQuestion"), keys: "Alt+ArrowRight" },
    { label: t("shortcuts.previousQuestion"), keys: "Alt+ArrowLeft" },
  ];
  const listed = actions.flatMap(({ label, keys }) => (keys ? [{ label, keys }] : []));
  return (
    <Dialog open onOpenChange={onClose} title={t("shortcuts.title")} size="md">
      <dl className="grid grid-cols-1 gap-x-8 sm:grid-cols-2">
        {[...listed, ...fixed].map(({ label, keys }) => (
          <div key={keys} className="flex items-center gap-3 border-b border-line py-1.5">
            <dt className="flex-1">{label}</dt>
            <dd className="text-ink-2">
              <Kbd keys={keys} />
              <span className="sr-only">{keys}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
