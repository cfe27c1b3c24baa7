/* Shown over the whole window while files hover. */
import { FileDown } from "lucide-react";
import { t } from "@/i18n";
import { useApp } from "@/state/store";

export function DropOverlay() {
  const dropping = useApp((store) => store.dropping);
  if (!dropping) return null;
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-0 z-60 grid place-items-center bg-scrim p-6"
    >
      <div className="grid justify-items-center gap-1 rounded-lg border-2 border-dashed border-agentic bg-raised px-16 py-10 text-center shadow-3">
        <FileDown aria-hidden className="mb-2 size-7 text-agentic-ink" />
        <p className="text-lg font-semibold">{t("drop.title")}</p>
        <p className="text-ink-2">{t("drop.text")}</p>
      </div>
    </div>
  );
}
