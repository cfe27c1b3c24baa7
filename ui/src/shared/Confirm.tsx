/** Asks before something goes for good. The focus starts on the harmless answer. */
import { AlertDialog } from "radix-ui";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import { Button } from "./Button";

type Props = {
  title: string;
  text: string;
  /** What it is about, where a sentence does not hold it. */
  children?: ReactNode;
  /** On the button that does it. */
  yes: string;
  onYes: () => void;
  onClose: () => void;
};

export function Confirm({ title, text, children, yes, onYes, onClose }: Props) {
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-40 w-[26rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-raised p-5 shadow-3">
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1.5 text-ink-2">{text}</AlertDialog.Description>
          {children}
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{t("shared.cancel")}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button variant="danger" onClick={onYes}>
                {yes}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
