/* Asks before a session and its record go. The focus starts on the harmless answer. */
import { AlertDialog } from "radix-ui";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { SessionId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { useApp } from "@/state/store";

type Props = { id: SessionId; title: string; onClose: () => void };

export function DeleteDialog({ id, title, onClose }: Props) {
  const remove = useApp((store) => store.remove);
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-40 w-[26rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-raised p-5 shadow-3">
          <AlertDialog.Title className="text-lg font-semibold">{t("sessions.deleteTitle")}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1.5 text-ink-2">
            {t("sessions.deleteText", { title })}
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{t("sessions.cancel")}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button
                variant="danger"
                onClick={() => void remove(id).then((gone) => gone && toast.success(t("sessions.deleted")))}
              >
                {t("sessions.deleteYes")}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
