/* An undo where it was done: what it took back, what it left alone, and the way to take it back itself. */
import { Undo2 } from "lucide-react";
import { t } from "@/i18n";
import type { SessionState, UndoRecord } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { Details } from "@/shared/Details";
import { pathFrom } from "@/shared/DiffView";
import { formatClock } from "@/shared/format";
import { titleOf } from "@/shared/revisions";
import { undidInWords, undoInWords } from "@/shared/undo";
import { useApp } from "@/state/store";
import { callInWords } from "./callFacts";

type Props = { undo: UndoRecord; session: SessionState; busy: string | null };

export function UndoneRow({ undo, session, busy }: Props) {
  const show = useApp((store) => store.undo);
  return (
    <div className="flex gap-3 text-sm text-ink-2">
      <Undo2 aria-hidden className="mt-0.5 size-3.5 shrink-0 text-ink-3" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <span className="font-semibold text-ink">
            {undidInWords(undo, (id) => titleOf(session, id) || callTitle(session, id))}
          </span>
          {" · "}
          {undoInWords(undo)}
        </p>
        {undo.skipped.length > 0 ? (
          <Details summary={t("undo.whichLeft")}>
            <ul className="grid gap-1">
              {undo.skipped.map(({ path, why }) => (
                <li key={path} className="wrap-anywhere">
                  <span className="font-mono text-ink">{pathFrom(session.cwd, path)}</span> {why}
                </li>
              ))}
            </ul>
          </Details>
        ) : null}
      </div>
      {undo.undoneBy !== null ? (
        <span className="shrink-0 text-xs text-ink-3">{t("undo.takenBack")}</span>
      ) : (
        <Button
          size="sm"
          variant="ghost"
          className="-my-1"
          disabled={busy !== null}
          title={busy ?? undefined}
          onClick={() => show({ type: "undo", undoId: undo.id })}
        >
          {t("undo.undoThis")}
        </Button>
      )}
      <time dateTime={undo.at} className="shrink-0 text-xs text-ink-3 tabular-nums">
        {formatClock(undo.at)}
      </time>
    </div>
  );
}

function callTitle({ conversation, cwd }: SessionState, id: string): string {
  const call = conversation?.entries?.find((entry) => entry.type === "call" && entry.callId === id);
  return call?.type === "call" ? callInWords(call, cwd) : "";
}
