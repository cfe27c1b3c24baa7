/* What the data folder holds, how long it is kept, and the ways to let go of it. Nothing goes without a question. */
import { FolderOpen } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { StorageUse } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { Confirm } from "@/shared/Confirm";
import { formatSize } from "@/shared/format";
import { useApp } from "@/state/store";
import { Group, NumberField, Row, whole } from "./controls";
import { StorageTable, totalOf } from "./StorageTable";
import type { SectionProps } from "./sections";

/** Ten years, and a terabyte: longer and more is everything. */
const MAX_DAYS = 3650;
const MAX_MB = 1_000_000;

type Asked = { type: "due" } | { type: "trash" } | { type: "session"; id: string; title: string };

export function StorageSection({ settings, change }: SectionProps) {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const remove = useApp((store) => store.remove);
  const [storage, setStorage] = useState<StorageUse | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { keepDays = null, keepMib = null } = settings;

  const look = useCallback(
    async (work: () => Promise<StorageUse>) => {
      const seen = await attempt(work);
      if (seen) setStorage(seen);
      return seen !== null;
    },
    [attempt],
  );
  // Also after another rule: what is due by it is told at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rule is what the engine tells by
  useEffect(() => void look(() => host.storage()), [host, look, keepDays, keepMib]);

  const carryOut = async (what: Asked) => {
    switch (what.type) {
      case "due": {
        const due = storage?.due ?? [];
        if (await look(() => host.clearDue(due))) toast.success(t("storage.cleared", { count: due.length }));
        return;
      }
      case "trash":
        if (await look(() => host.emptyTrash())) toast.success(t("storage.emptied"));
        return;
      case "session":
        if (await remove(what.id)) await look(() => host.storage());
    }
  };

  return (
    <Group id="settings-storage" title={t("storage.title")}>
      <Row title={t("storage.folder")} text={storage?.folder ?? ""}>
        <Button icon={<FolderOpen aria-hidden />} onClick={() => void attempt(() => host.openDataFolder())}>
          {t("storage.open")}
        </Button>
      </Row>
      <Row title={t("storage.keepDays")} text={t("storage.keepDaysText")}>
        <NumberField
          label={t("storage.keepDays")}
          unit={t("settings.days")}
          placeholder={t("storage.always")}
          value={keepDays === null ? "" : String(keepDays)}
          read={whole(1, MAX_DAYS, true)}
          problem={t("settings.outOfRange", { max: MAX_DAYS })}
          onChange={(days) => change({ keepDays: days })}
        />
      </Row>
      <Row title={t("storage.keepMib")} text={t("storage.keepMibText")}>
        <NumberField
          label={t("storage.keepMib")}
          unit={t("storage.megabytes")}
          placeholder={t("storage.noLimit")}
          value={keepMib === null ? "" : String(keepMib)}
          read={whole(1, MAX_MB, true)}
          problem={t("settings.outOfRange", { max: MAX_MB })}
          onChange={(mib) => change({ keepMib: mib })}
        />
      </Row>
      {storage && storage.due.length > 0 ? (
        <Row
          title={t("storage.due", { count: storage.due.length, size: formatSize(dueKib(storage)) })}
          text={t("storage.dueText")}
        >
          <Button onClick={() => setAsked({ type: "due" })}>{t("storage.clear")}</Button>
        </Row>
      ) : null}
      {storage ? (
        <>
          <Row
            title={t("storage.trash", { size: formatSize(storage.trashKib) })}
            text={t("storage.trashText")}
          >
            <Button disabled={storage.trashKib === 0} onClick={() => setAsked({ type: "trash" })}>
              {t("storage.empty")}
            </Button>
          </Row>
          <p className="py-3 text-sm text-ink-3">{inAll(storage)}</p>
          <StorageTable
            sessions={storage.sessions}
            onDelete={({ id, title }) => setAsked({ type: "session", id, title })}
          />
        </>
      ) : null}
      {asked ? (
        <Confirm
          {...wordsOf(asked, storage)}
          onYes={() => void carryOut(asked)}
          onClose={() => setAsked(null)}
        >
          {asked.type === "due" && storage ? <DueTitles storage={storage} /> : null}
        </Confirm>
      ) : null}
    </Group>
  );
}

/** What would go, by name. */
function DueTitles({ storage }: { storage: StorageUse }) {
  const due = storage.sessions.filter(({ session }) => storage.due.includes(session.id));
  return (
    <ul aria-label={t("storage.dueList")} className="mt-3 max-h-48 overflow-auto text-sm text-ink-2">
      {due.map((kept) => (
        <li key={kept.session.id} className="flex justify-between gap-4 py-0.5">
          <span className="truncate">{kept.session.title}</span>
          <span className="shrink-0 tabular-nums">{formatSize(totalOf(kept))}</span>
        </li>
      ))}
    </ul>
  );
}

function dueKib(storage: StorageUse): number {
  const due = storage.sessions.filter(({ session }) => storage.due.includes(session.id));
  return due.reduce((sum, kept) => sum + totalOf(kept), 0);
}

function inAll(storage: StorageUse): string {
  const beside = storage.sessions.reduce((sum, kept) => sum + kept.outputKib + kept.keptKib, 0);
  const total = storage.recordKib + beside + storage.trashKib + storage.damagedKib;
  const words = [t("storage.inAll", { size: formatSize(total), record: formatSize(storage.recordKib) })];
  if (storage.damagedKib > 0) words.push(t("storage.damaged", { size: formatSize(storage.damagedKib) }));
  if (storage.freeKib !== null) words.push(t("storage.free", { size: formatSize(storage.freeKib) }));
  return words.join(" ");
}

function wordsOf(asked: Asked, storage: StorageUse | null) {
  switch (asked.type) {
    case "due":
      return {
        title: t("storage.clearTitle", { count: storage?.due.length ?? 0 }),
        text: t("storage.clearText"),
        yes: t("storage.clearYes"),
      };
    case "trash":
      return { title: t("storage.emptyTitle"), text: t("storage.emptyText"), yes: t("storage.emptyYes") };
    case "session":
      return {
        title: t("sessions.deleteTitle"),
        text: t("sessions.deleteText", { title: asked.title }),
        yes: t("sessions.deleteYes"),
      };
  }
}
