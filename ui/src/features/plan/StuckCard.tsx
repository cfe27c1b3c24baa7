/** Recovery gave up. Why, in words, and every way out. */
import { GraduationCap, Pencil, PlusCircle, Send, Square, TriangleAlert } from "lucide-react";
import { type FormEvent, useState } from "react";
import { t } from "@/i18n";
import type { Candidate, Command, Ledger, SessionId, Step, StuckReason } from "@/ipc/bindings";
import { AskModelButton, AskModelConfirm, useEscalation } from "@/shared/AskModel";
import { Button } from "@/shared/Button";
import { Candidates } from "@/shared/Candidates";
import { MAX_TOTAL_CORRECTIONS } from "@/state/fold";
import { RecoveryLedger } from "./RecoveryLedger";

type Props = {
  sessionId: SessionId;
  reason: StuckReason;
  step: Step | undefined;
  ledger: Ledger;
  alternatives: string[];
  candidates: Candidate[];
  onCommand: (command: Command) => Promise<void>;
  onEdit: () => void;
};

export function StuckCard(props: Props) {
  const { sessionId, reason, step, ledger, alternatives, candidates, onCommand, onEdit } = props;
  const [guidance, setGuidance] = useState("");
  const [escalating, setEscalating] = useState(false);
  const estimate = useEscalation(sessionId);
  const raised = ledger.correctionsAllowed > MAX_TOTAL_CORRECTIONS;
  const send = (event: FormEvent) => {
    event.preventDefault();
    const text = guidance.trim();
    if (text === "") return;
    setGuidance("");
    void onCommand({ type: "guide", text });
  };
  return (
    <section
      aria-label={t("plan.stuck.title")}
      className="grid gap-3 border-t border-caution bg-panel px-5 py-4"
    >
      <div className="flex gap-3">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-caution" />
        <div className="min-w-0 wrap-anywhere">
          <h3 className="text-md font-semibold text-ink">{t("plan.stuck.title")}</h3>
          <p className="text-sm text-ink-2">
            {candidates.length > 0 ? t("shared.candidates.which") : reasonInWords(reason)}{" "}
            {step ? t("plan.stuck.at", { title: step.title }) : null}
          </p>
        </div>
      </div>
      <RecoveryLedger ledger={ledger} />
      {step ? (
        <Candidates
          candidates={candidates}
          onChoose={(command) => void onCommand({ type: "edit", stepId: step.id, command, run: true })}
        />
      ) : null}
      {alternatives.length > 0 ? (
        <div className="text-sm">
          <p className="text-ink-3">{t("plan.stuck.alternatives")}</p>
          <ul className="mt-1 grid gap-1">
            {alternatives.map((alternative) => (
              <li key={alternative}>
                <button
                  type="button"
                  onClick={() => setGuidance(alternative)}
                  className="rounded-sm text-left wrap-anywhere text-agentic-ink hover:underline"
                >
                  {alternative}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      <form onSubmit={send} className="flex flex-wrap gap-2">
        <input
          value={guidance}
          onChange={(event) => setGuidance(event.target.value)}
          aria-label={t("plan.stuck.guidance")}
          placeholder={t("plan.stuck.guidancePlaceholder")}
          className="h-8 min-w-48 flex-1 rounded-sm border border-line-strong bg-raised px-2.5 text-md text-ink placeholder:text-ink-3"
        />
        <Button type="submit" variant="agentic" icon={<Send aria-hidden />} disabled={guidance.trim() === ""}>
          {t("plan.stuck.send")}
        </Button>
      </form>
      {estimate && escalating ? (
        <AskModelConfirm
          estimate={estimate}
          about="step"
          onYes={() => {
            setEscalating(false);
            void onCommand({ type: "escalate" });
          }}
          onBack={() => setEscalating(false)}
        />
      ) : null}
      <div className="flex flex-wrap gap-2">
        {estimate && !escalating ? (
          <AskModelButton estimate={estimate} onAsk={() => setEscalating(true)} />
        ) : null}
        <Button size="sm" icon={<Pencil aria-hidden />} onClick={onEdit} disabled={!step}>
          {t("plan.stuck.edit")}
        </Button>
        <Button
          size="sm"
          icon={<GraduationCap aria-hidden />}
          onClick={() => void onCommand({ type: "resume", mode: "teacher" })}
        >
          {t("plan.stuck.takeOver")}
        </Button>
        <Button
          size="sm"
          icon={<PlusCircle aria-hidden />}
          disabled={raised}
          title={raised ? t("plan.stuck.raised") : undefined}
          onClick={() => void onCommand({ type: "raise-budget" })}
        >
          {t("plan.stuck.raise")}
        </Button>
        <Button size="sm" icon={<Square aria-hidden />} onClick={() => void onCommand({ type: "cancel" })}>
          {t("plan.stop")}
        </Button>
      </div>
    </section>
  );
}

function reasonInWords(reason: StuckReason): string {
  switch (reason.type) {
    case "step-retries":
      return t("plan.stuck.reason.stepRetries", { allowed: reason.allowed });
    case "corrections":
      return t("plan.stuck.reason.corrections", { allowed: reason.allowed });
    case "added-steps":
      return t("plan.stuck.reason.addedSteps", { allowed: reason.allowed });
    case "no-progress":
      return t("plan.stuck.reason.noProgress");
    case "aborted":
      return t("plan.stuck.reason.aborted", { reason: reason.reason });
    case "blocked":
      return t("plan.stuck.reason.blocked", { reason: reason.reason });
  }
}
