/* What this program is and where it keeps its things. */
import { t } from "@/i18n";
import { Dialog } from "@/shared/Dialog";
import { useApp } from "@/state/store";
import { Mark } from "./Mark";

export function AboutDialog({ onClose }: { onClose: () => void }) {
  const info = useApp((store) => store.info);
  return (
    <Dialog open onOpenChange={onClose} title={t("about.title")} size="sm">
      <div className="grid gap-4">
        <div className="flex items-center gap-3">
          <span className="grid size-11 shrink-0 place-items-center rounded-md bg-agentic-tint text-agentic-ink">
            <Mark className="size-6" />
          </span>
          <p className="text-ink-2">{t("about.text")}</p>
        </div>
        {info ? (
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
            <dt className="text-ink-3">{t("about.version")}</dt>
            <dd className="tabular-nums">{info.version}</dd>
            <dt className="text-ink-3">{t("about.data")}</dt>
            <dd className="font-mono break-all select-text">{info.dataFolder}</dd>
            <dt className="text-ink-3">{t("about.user")}</dt>
            <dd className="font-mono">{info.user}</dd>
          </dl>
        ) : null}
      </div>
    </Dialog>
  );
}
