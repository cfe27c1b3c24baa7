/** "What would this do?" for any command. Nothing is run. */

import { t } from "@/i18n";
import type { SessionId } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { Dialog } from "@/shared/Dialog";
import { Explained } from "./Explained";

type Props = {
  sessionId: SessionId;
  /** The command in question; null closes the dialog. */
  command: string | null;
  onClose: () => void;
};

export function ExplainDialog({ sessionId, command, onClose }: Props) {
  return (
    <Dialog
      open={command !== null}
      onOpenChange={(open) => !open && onClose()}
      title={t("teacher.dialogTitle")}
      description={t("teacher.dialogText")}
    >
      {command === null ? null : (
        <div className="grid gap-4">
          <div className="flex items-start gap-2 rounded-md bg-term py-2.5 pr-2 pl-3.5 text-term-ink">
            <CommandText command={command} onTerminal className="min-w-0 flex-1 pt-1" />
            <CopyButton text={command} onTerminal />
          </div>
          <Explained sessionId={sessionId} command={command} />
        </div>
      )}
    </Dialog>
  );
}
