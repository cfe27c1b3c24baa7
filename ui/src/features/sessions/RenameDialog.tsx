/* Gives a session another name. */
import { useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { SessionId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { Dialog } from "@/shared/Dialog";
import { useApp } from "@/state/store";

type Props = { id: SessionId; title: string; onClose: () => void };

export function RenameDialog({ id, title, onClose }: Props) {
  const command = useApp((store) => store.command);
  const [name, setName] = useState(title);
  const wanted = name.trim();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // After the dialog has taken the focus for itself.
    const timer = setTimeout(() => field.current?.focus(), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Dialog open onOpenChange={onClose} title={t("sessions.renameTitle")} size="sm">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted === "") return;
          onClose();
          if (wanted !== title) void command({ type: "rename", title: wanted }, id);
        }}
      >
        <label className="grid gap-1 text-sm text-ink-2">
          {t("sessions.name")}
          <input
            ref={field}
            value={name}
            maxLength={120}
            onChange={(event) => setName(event.target.value)}
            onFocus={(event) => event.target.select()}
            className="h-8 rounded-sm border border-line-strong bg-panel px-2.5 text-md text-ink"
          />
        </label>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("sessions.cancel")}</Button>
          <Button type="submit" variant="primary" disabled={wanted === ""}>
            {t("sessions.save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
