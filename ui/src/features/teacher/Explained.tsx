/** The explanation of a command with its source, or why there is none. */
import { RotateCcw } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { SessionId } from "@/ipc/bindings";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { Spinner } from "@/shared/Spinner";
import { ExplanationView } from "./ExplanationView";
import { useExplanation } from "./useExplanation";

type Props = {
  sessionId: SessionId;
  command: string;
  /** Beside the source, under the explanation. */
  buttons?: ReactNode;
};

export function Explained({ sessionId, command, buttons }: Props) {
  const asked = useExplanation(sessionId, command);
  return (
    <div className="grid gap-3 text-md">
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
      {asked.type === "explained" ? <ExplanationView explanation={asked.explanation} /> : null}
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
