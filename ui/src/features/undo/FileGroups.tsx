/** What becomes of each file, by what is done with it. Of many the first are shown, and the others when they are wanted. */
import { FilePlus2, History, type LucideIcon, SlidersHorizontal, Trash2 } from "lucide-react";
import { useState } from "react";
import { t } from "@/i18n";
import type { UndoAct, UndoFile } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { FileName } from "./FileName";

const SHOWN = 6;

const ACTS: { act: UndoAct; icon: LucideIcon }[] = [
  { act: "restore", icon: History },
  { act: "recreate", icon: FilePlus2 },
  { act: "trash", icon: Trash2 },
  { act: "metadata", icon: SlidersHorizontal },
];

/** `more`: files beyond those that the engine lists. */
export function FileGroups({ files, more, root }: { files: UndoFile[]; more: number; root: string }) {
  return (
    <>
      {ACTS.map(({ act, icon }) => {
        const own = files.filter((file) => file.does === act);
        return own.length > 0 ? <Group key={act} act={act} icon={icon} files={own} root={root} /> : null;
      })}
      {more > 0 ? <p className="pl-[22px] text-sm text-ink-3">{t("undo.beyond", { count: more })}</p> : null}
    </>
  );
}

type GroupProps = { act: UndoAct; icon: LucideIcon; files: UndoFile[]; root: string };

function Group({ act, icon: Icon, files, root }: GroupProps) {
  const [all, setAll] = useState(false);
  const shown = all ? files : files.slice(0, SHOWN);
  const title = t(`undo.act.${act}`);
  return (
    <section aria-label={title} className="grid gap-1">
      <h3 className="flex items-center gap-2 text-sm">
        <Icon aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        <span className="flex-1 font-semibold text-ink">{title}</span>
        <span className="text-xs text-ink-3 tabular-nums">{t("undo.files", { count: files.length })}</span>
      </h3>
      <ul className="grid gap-0.5 pl-[22px]">
        {shown.map((file) => (
          <li key={file.path}>
            <FileName path={file.path} root={root} />
          </li>
        ))}
      </ul>
      {shown.length < files.length ? (
        <Button size="sm" variant="ghost" className="ml-3 justify-self-start" onClick={() => setAll(true)}>
          {t("undo.showAll", { count: files.length - shown.length })}
        </Button>
      ) : null}
    </section>
  );
}
