/** Whether something that has run can be taken back, with the way to do it; or why not. Never nothing. */
import { Redo2, Undo2 } from "lucide-react";
import { t } from "@/i18n";
import type { UndoTarget } from "@/ipc/bindings";
import { Button } from "./Button";
import { cx } from "./cx";
import { formatClock } from "./format";
import { type Undoable, undoInWords } from "./undo";

type Props = {
  undoable: Undoable;
  /** On the button: "Undo this step". */
  label: string;
  target: UndoTarget;
  onUndo: (target: UndoTarget) => void;
  className?: string;
};

export function UndoNote({ undoable, label, target, onUndo, className }: Props) {
  return (
    <div
      className={cx(
        "flex min-h-[26px] flex-wrap items-center gap-x-2.5 gap-y-1 text-sm text-ink-3",
        className,
      )}
    >
      <Inside undoable={undoable} label={label} target={target} onUndo={onUndo} />
    </div>
  );
}

function Inside({ undoable, label, target, onUndo }: Props) {
  switch (undoable.type) {
    case "can":
      return (
        <>
          <Button size="sm" icon={<Undo2 aria-hidden />} onClick={() => onUndo(target)}>
            {label}
          </Button>
          {undoable.partly ? <span className="min-w-0 wrap-anywhere">{raised(undoable.partly)}.</span> : null}
        </>
      );
    case "undone": {
      const { undo } = undoable;
      return (
        <>
          <Undo2 aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0">
            {t("undo.undoneAt", { time: formatClock(undo.at), what: lowered(undoInWords(undo)) })}
          </span>
          {undo.skipped.length > 0 ? (
            <Button size="sm" variant="ghost" onClick={() => onUndo(target)}>
              {label}
            </Button>
          ) : null}
          {undo.undoneBy === null ? (
            <Button
              size="sm"
              variant="ghost"
              icon={<Redo2 aria-hidden />}
              onClick={() => onUndo({ type: "undo", undoId: undo.id })}
            >
              {t("undo.putBack")}
            </Button>
          ) : null}
        </>
      );
    }
    case "cannot":
      return (
        <>
          <Undo2 aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{undoable.why}</span>
        </>
      );
  }
}

/** The first letter large, for the beginning of a sentence. */
function raised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first letter small, for the middle of a sentence. */
function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
