/** What a run mended, as a change of its page: shown as a difference, and written only when the reader says so. */
import { FilePen } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "@/i18n";
import type { PagePatch, SessionState } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { Dialog } from "@/shared/Dialog";
import { DiffView } from "@/shared/DiffView";
import { Spinner } from "@/shared/Spinner";
import { useApp } from "@/state/store";

export function MendDialog({ session, onClose }: { session: SessionState; onClose: () => void }) {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const command = useApp((store) => store.command);
  const [patch, setPatch] = useState<PagePatch | null>(null);
  const [writing, setWriting] = useState(false);

  useEffect(() => {
    let current = true;
    void attempt(() => host.pagePatch(session.id)).then((read) => {
      if (!current) return;
      if (read === null) onClose();
      else setPatch(read);
    });
    return () => {
      current = false;
    };
  }, [attempt, host, session.id, onClose]);

  const write = async () => {
    setWriting(true);
    await command({ type: "mend-page" });
    onClose();
  };

  const changes = patch !== null && patch.changes > 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("page.mend.title")}
      description={changes ? t(patch.isFile ? "page.mend.text" : "page.mend.textNoFile") : undefined}
      size="lg"
      footer={
        changes ? (
          <>
            <CopyButton text={patch.diff.unified} label={t("page.mend.copy")} />
            {patch.isFile ? (
              <Button
                variant="primary"
                disabled={writing}
                icon={writing ? <Spinner /> : <FilePen aria-hidden />}
                onClick={() => void write()}
              >
                {t("page.mend.write")}
              </Button>
            ) : null}
          </>
        ) : undefined
      }
    >
      {patch === null ? (
        <p className="flex items-center gap-2 text-ink-2">
          <Spinner /> {t("page.waiting")}
        </p>
      ) : (
        <div className="grid gap-3">
          {changes ? (
            <DiffView diff={patch.diff} root={session.cwd} tall />
          ) : (
            <p className="text-ink-2">{t("page.mend.nothing")}</p>
          )}
          {patch.byHand.length === 0 ? null : (
            <section className="grid gap-1.5">
              <p className="text-sm text-ink-2">{t("page.mend.byHand")}</p>
              {patch.byHand.map((text) => (
                <div key={text} className="rounded-xs bg-sunken px-2 py-1">
                  <CommandText command={text} />
                </div>
              ))}
            </section>
          )}
        </div>
      )}
    </Dialog>
  );
}
