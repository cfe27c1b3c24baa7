/** A model may be asked once its price has been seen: when a plan or a goal is stuck, or a page is to be sorted. Nothing is offered where
 * there is none. */
import { Sparkles } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { QuestionEstimate, SessionId } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "./Button";
import { formatMoney, formatTokens } from "./format";

/** What is asked about. */
type About = "step" | "goal" | "page";

/** What asking the stronger model about what is stuck would take; null while it is not known or there is nobody to ask. */
export function useEscalation(sessionId: SessionId): QuestionEstimate | null {
  const host = useHost();
  return useEstimate(useCallback(() => host.escalationEstimate(sessionId), [host, sessionId]));
}

/** The same for the page of a draft. Another revision is another question. */
export function useSortingEstimate(sessionId: SessionId, revision: number): QuestionEstimate | null {
  const host = useHost();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is open on the page changes with the revision
  return useEstimate(useCallback(() => host.sortingEstimate(sessionId), [host, sessionId, revision]));
}

function useEstimate(ask: () => Promise<QuestionEstimate | null>): QuestionEstimate | null {
  const [estimate, setEstimate] = useState<QuestionEstimate | null>(null);
  useEffect(() => {
    let live = true;
    setEstimate(null);
    ask().then(
      (found) => {
        if (live) setEstimate(found);
      },
      // Without an estimate there is nothing to agree to, and the other ways out stay.
      () => undefined,
    );
    return () => {
      live = false;
    };
  }, [ask]);
  return estimate;
}

type ButtonProps = { estimate: QuestionEstimate; about?: About; onAsk: () => void };

export function AskModelButton({ estimate, about = "step", onAsk }: ButtonProps) {
  const label = about === "page" ? "models.askModel.sort" : "models.askModel.ask";
  return (
    <Button size="sm" icon={<Sparkles aria-hidden />} onClick={onAsk} className="max-w-full shrink">
      <span className="truncate">{t(label, { model: estimate.model, price: priceOf(estimate) })}</span>
    </Button>
  );
}

const TEXTS = {
  step: "models.askModel.text",
  goal: "models.askModel.goalText",
  page: "models.askModel.pageText",
} as const satisfies Record<About, string>;

type ConfirmProps = {
  estimate: QuestionEstimate;
  about: About;
  onYes: () => void;
  onBack: () => void;
};

/** The second step: what is sent, what it costs, and the two answers. */
export function AskModelConfirm({ estimate, about, onYes, onBack }: ConfirmProps) {
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  const { model, inputTokens, outputTokens } = estimate;
  // What is stuck has a heading of its own above.
  const Heading = about === "page" ? "h3" : "h4";
  return (
    <section
      aria-label={t("models.askModel.question", { model })}
      className="grid gap-2.5 rounded-md border border-agentic-line bg-agentic-tint px-3.5 py-3"
    >
      <div className="min-w-0 wrap-anywhere">
        <Heading className="font-semibold text-ink">{t("models.askModel.question", { model })}</Heading>
        <p className="text-sm text-ink-2">
          {t(TEXTS[about], {
            input: formatTokens(inputTokens),
            output: formatTokens(outputTokens),
            price: priceOf(estimate),
          })}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" variant="agentic" icon={<Sparkles aria-hidden />} onClick={onYes}>
          {t("models.askModel.yes", { model })}
        </Button>
        <Button size="sm" ref={back} onClick={onBack}>
          {t("models.askModel.back")}
        </Button>
      </div>
    </section>
  );
}

function priceOf({ costMicros }: QuestionEstimate): string {
  return costMicros === null
    ? t("models.askModel.priceUnknown")
    : t("models.askModel.about", { amount: formatMoney(costMicros) });
}
