/** The explanation of a command with its source, or why there is none. */
import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { SessionId } from "@/ipc/bindings";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { Spinner } from "@/shared/Spinner";
import { CommandParts } from "./CommandParts";
import { ExplanationView } from "./ExplanationView";
import { useExplanation } from "./useExplanation";

type Props = {
  sessionId: SessionId;
  command: string;
  /** Beside the source, under the explanation. */
  buttons?: ReactNode;
  /** What it changes and shows is left for the reader to guess first. */
  guessing?: boolean;
  /** The command itself above, its parts telling their meaning. */
  withCommand?: boolean;
};

export function Explained({ sessionId, command, buttons, guessing = false, withCommand = false }: Props) {
  const asked = useExplanation(sessionId, command);
  return (
    <div className="grid gap-3 text-md">
      {withCommand ? (
        <div className="flex items-start gap-2 rounded-md bg-term py-2.5 pr-2 pl-3.5 text-term-ink">
          {asked.type === "explained" ? (
            <CommandParts explanation={asked.explanation} className="min-w-0 flex-1 pt-1" />
          ) : (
            <CommandText command={command} onTerminal className="min-w-0 flex-1 pt-1" />
          )}
          <CopyButton text={command} onTerminal />
        </div>
      ) : null}
      {asked.type === "loading" ? (
        <p className="flex min-h-16 items-center gap-2 text-ink-2">
          <Spinner /> {t("teacher.loading")}
        </p>
      ) : null}
      {asked.type === "failed" ? (
        <div className="flex flex-wrap items-center gap-2 text-ink-2">
          <p className="min-w-0 flex-1 wrap-anywhere">
            {t("teacher.failed", { message: asked.error.message })}
          </p>
          <AboutError code={asked.error.code} />
          <Button size="sm" icon={<RotateCcw aria-hidden />} onClick={asked.again}>
            {t("teacher.again")}
          </Button>
        </div>
      ) : null}
      {asked.type === "explained" ? (
        <ExplanationView explanation={asked.explanation} guessing={guessing} />
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        {buttons}
        {asked.type === "explained" ? (
          <span
            className="ml-auto text-ink-3"
            title={t("teacher.source", { source: asked.explanation.source })}
          >
            {asked.explanation.source}
          </span>
        ) : null}
      </div>
    </div>
  );
}
