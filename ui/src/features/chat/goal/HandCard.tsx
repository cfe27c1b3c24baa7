/* An action in the user's own hands, as Teacher does it: explained, changed at will, run by the user, or done elsewhere and
   told. The agent waits meanwhile. */
import { Hand, Play, Undo2 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { t } from "@/i18n";
import type { GoalAction, SessionId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { Kbd } from "@/shared/Kbd";
import { useApp } from "@/state/store";

/** Draws what a command does; from the teacher's part of the window. */
export type RenderExplained = (command: string) => ReactNode;

/** So long after the last key a changed command is explained anew. */
const SETTLED_MS = 500;

type Props = { sessionId: SessionId; action: GoalAction; renderExplained: RenderExplained | undefined };

export function HandCard({ sessionId, action, renderExplained }: Props) {
  const submit = useApp((store) => store.command);
  const { id } = action;
  const { type, content, rationale } = action.action;
  const wanted = type === "shell" ? content : "";
  const [command, setCommand] = useState(wanted);
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);
  const settled = useSettled(command.trim());

  const handBack = (done: { note: string; command: string | null }) => {
    setBusy(true);
    void submit({ type: "hand-back", actionId: id, ...done }, sessionId).finally(() => setBusy(false));
  };
  const run = () => {
    if (command.trim() !== "" && !busy) handBack({ note: "", command: command.trim() });
  };
  const told = () => {
    if (note.trim() !== "" && !busy) handBack({ note: note.trim(), command: null });
  };
  return (
    <section
      aria-label={t("goal.hand.title")}
      className="grid min-w-0 gap-3 rounded-md border border-teacher bg-panel p-3.5"
    >
      <header className="flex gap-3">
        <Hand aria-hidden className="mt-0.5 size-4 shrink-0 text-teacher" />
        <div className="min-w-0">
          <h3 className="font-semibold">{t("goal.hand.title")}</h3>
          <p className="text-ink-2">{t(type === "shell" ? "goal.hand.text" : "goal.hand.textOther")}</p>
          {rationale.trim() === "" ? null : (
            <p className="text-sm wrap-break-word text-ink-3">{t("goal.hand.wanted", { why: rationale })}</p>
          )}
        </div>
      </header>
      <div className="grid gap-2">
        <textarea
          value={command}
          onChange={(event) => setCommand(event.target.value)}
          onKeyDown={(event) => withModifier(event, run)}
          aria-label={t("goal.hand.command")}
          rows={Math.min(8, command.split("\n").length)}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          className="w-full resize-y rounded-sm border border-line-strong bg-bg px-2.5 py-2 font-mono text-sm leading-[18px] text-ink"
        />
        {settled !== "" && renderExplained ? (
          <div className="rounded-sm bg-bg px-3 py-2.5">{renderExplained(settled)}</div>
        ) : null}
        <div>
          <Button
            variant="teacher"
            icon={<Play aria-hidden />}
            disabled={busy || command.trim() === ""}
            onClick={run}
          >
            {t("goal.hand.run")}
            <Kbd keys="Mod+Enter" />
          </Button>
        </div>
      </div>
      <div className="grid gap-2 border-t border-line pt-3">
        <label className="grid gap-1">
          <span className="text-sm font-semibold">{t("goal.hand.did")}</span>
          <textarea
            value={note}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => withModifier(event, told)}
            aria-label={t("goal.hand.didField")}
            placeholder={t("goal.hand.didPlaceholder")}
            rows={2}
            className="w-full resize-y rounded-sm border border-line-strong bg-raised px-2.5 py-2 text-md text-ink placeholder:text-ink-3"
          />
        </label>
        <div>
          <Button icon={<Undo2 aria-hidden />} disabled={busy || note.trim() === ""} onClick={told}>
            {t("goal.hand.back")}
          </Button>
        </div>
      </div>
    </section>
  );
}

function withModifier(event: KeyboardEvent, act: () => void): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  act();
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
