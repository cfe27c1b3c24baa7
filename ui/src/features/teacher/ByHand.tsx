/** A step in the reader's own hands: the command with its values, to be copied, and Done. */
import { Check } from "lucide-react";
import { t } from "@/i18n";
import type { PlanInput } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { filledIn } from "./filledIn";

type Props = {
  command: string;
  cwd: string | null;
  inputs: ReadonlyMap<string, PlanInput>;
  onDone: () => void;
  onBack: () => void;
};

export function ByHand({ command, cwd, inputs, onDone, onBack }: Props) {
  const { text, missing } = filledIn(command, inputs);
  return (
    <div className="grid gap-2">
      <p className="text-ink-2">
        {cwd === null ? t("teacher.byHand.textHere") : t("teacher.byHand.text", { cwd })}
      </p>
      <div className="flex items-start gap-2 rounded-md bg-term py-2.5 pr-2 pl-3.5 text-term-ink">
        <CommandText command={text} onTerminal className="min-w-0 flex-1 pt-1" />
        <CopyButton text={text} onTerminal />
      </div>
      {missing.length > 0 ? (
        <p className="text-sm text-ink-3">{t("teacher.byHand.missing", { names: missing.join(", ") })}</p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button variant="teacher" icon={<Check aria-hidden />} onClick={onDone}>
          {t("teacher.byHand.done")}
        </Button>
        <Button onClick={onBack}>{t("teacher.byHand.back")}</Button>
      </div>
    </div>
  );
}
