/** When a plan or a goal is stuck: the stronger model may be asked, once its price has been seen. Nothing is offered where there is none. */
import { Sparkles } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { EscalationEstimate, SessionId } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "./Button";
import { formatMoney, formatTokens } from "./format";

/** What asking would take; null while it is not known or there is nobody to ask. */
export function useEscalation(sessionId: SessionId): EscalationEstimate | null {
  const host = useHost();
  const [estimate, setEstimate] = useState<EscalationEstimate | null>(null);
  useEffect(() => {
    let live = true;
    setEstimate(null);
    host.escalationEstimate(sessionId).then(
      (found) => {
        if (live) setEstimate(found);
      },
      // Without an estimate there is nothing to agree to, and the other ways out stay.
      () => undefined,
    );
    return () => {
      live = false;
    };
  }, [host, sessionId]);
  return estimate;
}

export function EscalateButton({ estimate, onAsk }: { estimate: EscalationEstimate; onAsk: () => void }) {
  return (
    <Button size="sm" icon={<Sparkles aria-hidden />} onClick={onAsk} className="max-w-full shrink">
      <span className="truncate">
        {t("models.escalate.ask", { model: estimate.model, price: priceOf(estimate) })}
      </span>
    </Button>
  );
}

type ConfirmProps = {
  estimate: EscalationEstimate;
  /** What it is asked about. */
  about: "step" | "goal";
  onYes: () => void;
  onBack: () => void;
};

/** The second step: what is sent, what it costs, and the two answers. */
export function EscalateConfirm({ estimate, about, onYes, onBack }: ConfirmProps) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const { model, inputTokens, outputTokens } = estimate;
  return (
    <section
      aria-label={t("models.escalate.question", { model })}
      className="grid gap-2.5 rounded-md border border-agentic-line bg-agentic-tint px-3.5 py-3"
    >
      <div className="min-w-0 wrap-anywhere">
        <h4 className="font-semibold text-ink">{t("models.escalate.question", { model })}</h4>
        <p className="text-sm text-ink-2">
          {t(about === "goal" ? "models.escalate.goalText" : "models.escalate.text", {
            input: formatTokens(inputTokens),
            output: formatTokens(outputTokens),
            price: priceOf(estimate),
          })}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" variant="agentic" icon={<Sparkles aria-hidden />} onClick={onYes}>
          {t("models.escalate.yes", { model })}
        </Button>
        <Button size="sm" ref={back} onClick={onBack}>
          {t("models.escalate.back")}
        </Button>
      </div>
    </section>
  );
}

function priceOf({ costMicros }: EscalationEstimate): string {
  return costMicros === null
    ? t("models.escalate.priceUnknown")
    : t("models.escalate.about", { amount: formatMoney(costMicros) });
}
