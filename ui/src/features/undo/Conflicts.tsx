/** Files that are no longer as the steps left them: each stays as it is unless something else is chosen for it. */
import { UserPen } from "lucide-react";
import { t } from "@/i18n";
import type { UndoFile } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { pathFrom } from "@/shared/DiffView";
import { Segmented } from "@/shared/Segmented";
import { FileName } from "./FileName";

type Props = {
  files: UndoFile[];
  root: string;
  /** Paths that are put back all the same. */
  overwrite: ReadonlySet<string>;
  disabled: boolean;
  onChange: (overwrite: ReadonlySet<string>) => void;
};

export function Conflicts({ files, root, overwrite, disabled, onChange }: Props) {
  if (files.length === 0) return null;
  const choose = (path: string, back: boolean) => {
    const next = new Set(overwrite);
    if (back) next.add(path);
    else next.delete(path);
    onChange(next);
  };
  const title = t("undo.conflict.title", { count: files.length });
  return (
    <section aria-label={title} className="rounded-md border border-line bg-caution-tint">
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-2">
        <UserPen aria-hidden className="size-4 shrink-0 text-caution" />
        <div className="min-w-40 flex-1">
          <h3 className="font-semibold text-ink">{title}</h3>
          <p className="text-sm text-ink-2">{t("undo.conflict.text")}</p>
        </div>
        {files.length > 1 ? (
          <div className="flex gap-1">
            <Button size="sm" variant="ghost" disabled={disabled} onClick={() => onChange(new Set())}>
              {t("undo.conflict.leaveAll")}
            </Button>
            <Button
              size="sm"
              variant="ghost"
              disabled={disabled}
              onClick={() => onChange(new Set(files.map((file) => file.path)))}
            >
              {t("undo.conflict.all")}
            </Button>
          </div>
        ) : null}
      </header>
      <ul className="divide-y divide-line border-t border-line">
        {files.map((file) => (
          <li key={file.path} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2">
            <div className="min-w-48 flex-1">
              <FileName path={file.path} root={root} />
              <p className="text-sm text-ink-2">{file.conflict}</p>
            </div>
            <Segmented
              label={t("undo.conflict.choice", { file: pathFrom(root, file.path) })}
              value={overwrite.has(file.path) ? "undo" : "leave"}
              disabled={disabled}
              segments={[
                { value: "leave", label: t("undo.conflict.leave") },
                {
                  value: "undo",
                  label: t(`undo.conflict.${file.does}`),
                  chosen: "bg-raised text-caution shadow-1",
                },
              ]}
              onChange={(value) => choose(file.path, value === "undo")}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
