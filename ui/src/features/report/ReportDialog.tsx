/* The report of a session. Markdown is drawn without HTML and without loading anything: what a command printed is data. */
import { Globe, Save } from "lucide-react";
import { useEffect, useState } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { t } from "@/i18n";
import type { SessionState } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { CopyButton } from "@/shared/CopyButton";
import { Dialog } from "@/shared/Dialog";
import { Spinner } from "@/shared/Spinner";
import { UndoNote } from "@/shared/UndoNote";
import { keptIn, planTarget, undoableRun } from "@/shared/undo";
import { useApp } from "@/state/store";
import "./report.css";

export function ReportDialog({ session, onClose }: { session: SessionState; onClose: () => void }) {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const saveAs = useApp((store) => store.saveAs);
  const undo = useApp((store) => store.undo);
  const [text, setText] = useState<string | null>(null);

  useEffect(() => {
    let current = true;
    void attempt(() => host.report(session.id)).then((report) => {
      if (!current) return;
      if (report === null) onClose();
      else setText(report);
    });
    return () => {
      current = false;
    };
  }, [attempt, host, session.id, onClose]);

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("report.title")}
      size="lg"
      footer={
        text === null ? undefined : (
          <>
            {session.plan ? (
              <UndoNote
                undoable={undoableRun(session, keptIn(session))}
                label={t("undo.thisRun")}
                target={planTarget(session.plan)}
                onUndo={undo}
                className="mr-auto"
              />
            ) : null}
            <CopyButton text={text} />
            <Button
              icon={<Save aria-hidden />}
              onClick={() => void saveAs("report", "md", () => Promise.resolve(text))}
            >
              {t("report.save")}
            </Button>
            <Button
              icon={<Globe aria-hidden />}
              onClick={() => void saveAs("report", "html", () => host.reportPage(session.id))}
            >
              {t("report.savePage")}
            </Button>
          </>
        )
      }
    >
      {text === null ? (
        <p className="flex items-center gap-2 text-ink-2">
          <Spinner /> {t("report.waiting")}
        </p>
      ) : (
        <article className="report select-text">
          <Markdown remarkPlugins={[remarkGfm]} skipHtml disallowedElements={["img", "a"]} unwrapDisallowed>
            {text}
          </Markdown>
        </article>
      )}
    </Dialog>
  );
}
