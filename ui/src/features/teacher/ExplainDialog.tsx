/** "What would this do?" for any command. Nothing is run. */

import { t } from "@/i18n";
import type { SessionId } from "@/ipc/bindings";
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
      {command === null ? null : <Explained sessionId={sessionId} command={command} withCommand />}
    </Dialog>
  );
}
