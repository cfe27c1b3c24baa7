/* What a project says about how to work on it (AGENTS.md and the like): asked about before a model reads it, and afterwards kept
   where it can be looked at and answered otherwise. It never takes the focus by itself. */
import { BookOpen } from "lucide-react";
import { useState } from "react";
import { t } from "@/i18n";
import type { Instructions, SessionId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatBytes } from "@/shared/format";
import { useApp } from "@/state/store";
import { Disclosure } from "./Disclosure";

type Props = { sessionId: SessionId; instructions: Instructions };

export function InstructionsCard({ sessionId, instructions }: Props) {
  const { folder, files, changed, reading } = instructions;
  const names = files
    .map(({ name, cut, bytes }) =>
      cut ? t("chat.instructions.cut", { name, size: formatBytes(bytes) }) : name,
    )
    .join(", ");
  const { busy, answer } = useAnswer(sessionId, instructions);
  if (reading !== "asked") {
    const read = reading === "read";
    return (
      <Disclosure
        icon={<BookOpen aria-hidden className="text-ink-3" />}
        summary={t(read ? "chat.instructions.read" : "chat.instructions.left", { names, folder })}
      >
        <Texts instructions={instructions} />
        <Button size="sm" className="mt-2" disabled={busy} onClick={() => answer(!read)}>
          {t(read ? "chat.instructions.stop" : "chat.instructions.allow")}
        </Button>
      </Disclosure>
    );
  }
  return (
    <section
      aria-label={t("chat.instructions.title")}
      className="grid gap-3 rounded-md border border-line bg-bg p-3.5"
    >
      <div className="flex gap-3">
        <BookOpen aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">{t("chat.instructions.title")}</h3>
          <p className="wrap-anywhere text-ink-2">
            {t(changed ? "chat.instructions.changed" : "chat.instructions.ask", { names, folder })}
          </p>
          <Texts instructions={instructions} />
        </div>
      </div>
      <div className="flex flex-wrap gap-2 pl-7">
        <Button variant="primary" disabled={busy} onClick={() => answer(true)}>
          {t("chat.instructions.allow")}
        </Button>
        <Button disabled={busy} onClick={() => answer(false)}>
          {t("chat.instructions.refuse")}
        </Button>
      </div>
    </section>
  );
}

function Texts({ instructions }: { instructions: Instructions }) {
  return (
    <div className="mt-2 grid gap-2">
      {instructions.files.map(({ name, text }) => (
        <section
          key={name}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
          tabIndex={0}
          aria-label={name}
          className="max-h-48 overflow-auto rounded-sm border border-line bg-raised p-2.5"
        >
          <pre className="font-mono text-sm whitespace-pre-wrap wrap-anywhere">{text}</pre>
        </section>
      ))}
    </div>
  );
}

function useAnswer(sessionId: SessionId, { folder, digest }: Instructions) {
  const command = useApp((store) => store.command);
  const [busy, setBusy] = useState(false);
  const answer = (read: boolean) => {
    setBusy(true);
    void command({ type: "answer-instructions", folder, digest, read }, sessionId).finally(() =>
      setBusy(false),
    );
  };
  return { busy, answer };
}
