/* The bundled examples; each opens as a session in a scratch folder. */
import { ChevronRight, FlaskConical } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "@/i18n";
import { type Example, useHost } from "@/ipc/host";
import { Dialog } from "@/shared/Dialog";
import { Spinner } from "@/shared/Spinner";
import { useApp } from "@/state/store";

export function ExamplesDialog({ onClose }: { onClose: () => void }) {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const adopt = useApp((store) => store.adopt);
  const [examples, setExamples] = useState<Example[] | null>(null);
  const [opening, setOpening] = useState<string | null>(null);

  useEffect(() => {
    void attempt(() => host.examples()).then((found) => setExamples(found ?? []));
  }, [attempt, host]);

  const open = async (id: string) => {
    setOpening(id);
    const session = await attempt(() => host.tryExample(id));
    setOpening(null);
    if (!session) return;
    onClose();
    adopt(session);
  };

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("examples.title")}
      description={t("examples.text")}
      size="md"
    >
      {examples === null ? <Spinner /> : null}
      {examples?.length === 0 ? <p className="text-ink-2">{t("examples.none")}</p> : null}
      <ul className="grid gap-2">
        {(examples ?? []).map((example) => (
          <li key={example.id}>
            <button
              type="button"
              disabled={opening !== null}
              onClick={() => void open(example.id)}
              className="flex w-full items-center gap-3 rounded-md border border-line bg-panel p-3 text-left transition-colors hover:border-line-strong hover:bg-bg"
            >
              <FlaskConical aria-hidden className="size-4 shrink-0 text-agentic-ink" />
              <span className="min-w-0 flex-1">
                <span className="block font-semibold">{example.title}</span>
                <span className="block text-ink-2">{example.summary}</span>
              </span>
              <span className="text-xs text-ink-3 tabular-nums">
                {t("sessions.steps", { count: example.steps })}
              </span>
              {opening === example.id ? (
                <Spinner />
              ) : (
                <ChevronRight aria-hidden className="size-4 text-ink-3" />
              )}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
