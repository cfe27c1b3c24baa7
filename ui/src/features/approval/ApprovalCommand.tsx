/** The exact command in question, what it was before, and the way to change it. */
import { Pencil, Undo2 } from "lucide-react";
import { t } from "@/i18n";
import type { Approval, RiskReason } from "@/ipc/bindings";
import { Button, IconButton } from "@/shared/Button";
import { CommandDiff } from "@/shared/CommandDiff";
import { CommandEditor } from "@/shared/CommandEditor";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { Pill } from "@/shared/Pill";
import { textOf } from "@/shared/steps";
import { usePointed } from "./usePointed";

type Props = {
  approval: Approval;
  /** In the order in which they are shown. */
  reasons: RiskReason[];
  /** The reason, by its place, whose fragment is to stand out. */
  pointed: number | null;
  /** What the user made of it in this dialog. */
  edited: string | null;
  editing: boolean;
  onEditing: (editing: boolean) => void;
  onEdited: (command: string | null) => void;
};

export function ApprovalCommand(props: Props) {
  const { approval, reasons, pointed, edited, editing, onEditing, onEdited } = props;
  const block = usePointed(pointed);
  const proposed = textOf(approval.action);
  const command = edited ?? proposed;
  const before = edited === null ? approval.previousCommand : proposed;
  if (editing)
    return (
      <CommandEditor
        command={command}
        saveLabel={t("approval.useEdit")}
        onSave={(draft) => onEdited(draft === proposed ? null : draft)}
        onCancel={() => onEditing(false)}
      />
    );
  return (
    <div className="grid gap-2">
      <div className="flex items-start gap-1 rounded-md bg-term py-2 pr-2 pl-3.5 text-term-ink">
        <div ref={block} className="max-h-48 min-w-0 flex-1 overflow-y-auto py-1">
          <CommandText onTerminal command={command} {...(edited === null ? { reasons, pointed } : {})} />
        </div>
        <IconButton onTerminal label={t("approval.edit")} onClick={() => onEditing(true)}>
          <Pencil aria-hidden />
        </IconButton>
        <CopyButton onTerminal text={command} label={t("approval.copy")} />
      </div>
      {before !== null && before !== command ? (
        <section
          aria-label={t("approval.previous")}
          className="rounded-md border border-dashed border-agentic-line px-3 py-2"
        >
          <CommandDiff before={before} after={command} />
        </section>
      ) : null}
      {edited === null ? null : (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          <Pill tone="planner">{t("approval.editedByYou")}</Pill>
          <span className="min-w-0 flex-1">{t("approval.editNote")}</span>
          <Button size="sm" variant="ghost" icon={<Undo2 aria-hidden />} onClick={() => onEdited(null)}>
            {t("approval.undoEdit")}
          </Button>
        </p>
      )}
    </div>
  );
}
