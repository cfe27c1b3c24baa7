/** After a failure whose changes the plan itself put back: which files, what was left alone, and the way to take it back. */
import { Redo2 } from "lucide-react";
import { t } from "@/i18n";
import type { SessionState, UndoTarget } from "@/ipc/bindings";
import { Button } from "./Button";
import { pathFrom } from "./DiffView";
import { shortPath } from "./steps";

const SHOWN = 4;

type Props = { session: SessionState; onUndo: (target: UndoTarget) => void };

export function RolledBack({ session, onUndo }: Props) {
  const { plan, undone = [], results, cwd } = session;
  const failed = plan?.steps.find((step) => step.state.type === "failed");
  const undo = undone.findLast((one) => one.by === "rollback" && one.steps.includes(failed?.id ?? ""));
  if (!failed || !undo || undo.undoneBy !== null) return null;
  const name = (path: string) => shortPath(pathFrom(cwd, path));
  const left = new Set(undo.skipped.map((file) => file.path));
  const changed = results.filter((result) => result.stepId === failed.id).flatMap((one) => one.filesChanged);
  const back = [...new Set(changed)].filter((path) => !left.has(path));
  const beyond = undo.restored + undo.recreated + undo.trashed - Math.min(back.length, SHOWN);
  const files = [
    back.slice(0, SHOWN).map(name).join(", "),
    beyond > 0 && t("undo.rolledBackMore", { count: beyond }),
  ].filter((part) => part !== false && part !== "");
  return (
    <div className="mt-1 grid gap-1 text-sm text-ink-2">
      {files.length > 0 ? (
        <p className="wrap-anywhere">{t("undo.rolledBack", { files: files.join(" ") })}</p>
      ) : null}
      {undo.skipped.map((file) => (
        <p key={file.path} className="wrap-anywhere">
          {t("undo.leftAlone", { file: name(file.path), why: file.why })}
        </p>
      ))}
      <Button
        size="sm"
        variant="ghost"
        icon={<Redo2 aria-hidden />}
        className="-ml-2.5 justify-self-start"
        onClick={() => onUndo({ type: "undo", undoId: undo.id })}
      >
        {t("undo.rolledBackUndo")}
      </Button>
    </div>
  );
}
