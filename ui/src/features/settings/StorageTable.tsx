/* The sessions with what each takes, the largest first. */
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { t } from "@/i18n";
import type { SessionStorage } from "@/ipc/bindings";
import { Button, IconButton } from "@/shared/Button";
import { formatSize } from "@/shared/format";

/** So many are shown at first. */
const FIRST = 20;

export function totalOf({ recordKib, outputKib, keptKib }: SessionStorage): number {
  return recordKib + outputKib + keptKib;
}

type Props = { sessions: SessionStorage[]; onDelete: (session: { id: string; title: string }) => void };

export function StorageTable({ sessions, onDelete }: Props) {
  const [all, setAll] = useState(false);
  if (sessions.length === 0) return <p className="py-3 text-sm text-ink-3">{t("storage.none")}</p>;
  const largest = sessions.toSorted((a, b) => totalOf(b) - totalOf(a));
  const shown = all ? largest : largest.slice(0, FIRST);
  return (
    <>
      <table aria-label={t("storage.table")} className="w-full table-fixed text-sm">
        <thead className="text-xs text-ink-3">
          <tr className="border-b border-line">
            <th scope="col" className="py-2 text-left font-medium">
              {t("storage.session")}
            </th>
            {(["record", "output", "kept"] as const).map((kind) => (
              <th key={kind} scope="col" className="w-22 py-2 text-right font-medium">
                {t(`storage.${kind}`)}
              </th>
            ))}
            <td className="w-9" />
          </tr>
        </thead>
        <tbody>
          {shown.map((kept) => (
            <SessionRow key={kept.session.id} kept={kept} onDelete={onDelete} />
          ))}
        </tbody>
      </table>
      {largest.length > shown.length ? (
        <Button size="sm" variant="ghost" className="mt-2" onClick={() => setAll(true)}>
          {t("storage.showAll", { count: largest.length })}
        </Button>
      ) : null}
    </>
  );
}

function SessionRow({ kept, onDelete }: { kept: SessionStorage; onDelete: Props["onDelete"] }) {
  const { id, title, status } = kept.session;
  return (
    <tr className="border-b border-line">
      <th scope="row" title={title} className="truncate py-1.5 text-left font-normal">
        {title}
      </th>
      {[kept.recordKib, kept.outputKib, kept.keptKib].map((kib, kind) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: three columns that stay
        <td key={kind} className="py-1.5 text-right text-ink-2 tabular-nums">
          {kib === 0 ? <span className="text-ink-3">{t("storage.nothing")}</span> : formatSize(kib)}
        </td>
      ))}
      <td className="text-right">
        <IconButton
          label={t("storage.delete", { title })}
          disabled={status === "running"}
          onClick={() => onDelete({ id, title })}
        >
          <Trash2 aria-hidden />
        </IconButton>
      </td>
    </tr>
  );
}
