/** Before anything runs: what the plan is for, how risky, how long, what it touches. The steps stand under it. */
import { Clock, FileText, ListOrdered, Play, ShieldQuestion, Undo2 } from "lucide-react";
import { type ReactNode, useId } from "react";
import { t } from "@/i18n";
import type { Command, Plan, SessionId, StepId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatEstimate } from "@/shared/format";
import { RiskBadge } from "@/shared/RiskBadge";
import { planRisk } from "@/shared/risk";
import { modeOf, shortPath } from "@/shared/steps";
import { planOutlook } from "@/shared/undo";
import { InputsForm } from "./InputsForm";
import { missingInputs } from "./inputs";
import { PageCard } from "./PageCard";
import { estimateOf, filesTouched, isForMessage } from "./view";

const FILES_SHOWN = 3;

type FactsProps = {
  sessionId: SessionId;
  plan: Plan;
  folder: string;
  onCommand: (command: Command) => Promise<void>;
  onEdit: (id: StepId) => void;
  /** Points at a step of the plan. */
  onPoint: ((id: StepId) => void) | undefined;
};

export function ConfirmationFacts(props: FactsProps) {
  const { sessionId, plan, folder, onCommand, onEdit, onPoint } = props;
  const estimate = estimateOf(plan);
  const files = filesTouched(plan, folder);
  const { risk, reasons, assessed } = planRisk(plan);
  return (
    <section
      aria-label={t("plan.draft.label")}
      className="mb-3 grid gap-3 rounded-md border border-line bg-raised px-4 py-3 shadow-1"
    >
      {plan.intent === "" ? null : (
        <p className="line-clamp-3 text-md text-ink" title={plan.intent}>
          {plan.intent}
        </p>
      )}
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 text-sm">
        <Fact icon={<ListOrdered aria-hidden />} name={t("plan.steps")}>
          <span className="tabular-nums">{plan.steps.length}</span>
        </Fact>
        <Fact icon={<ShieldQuestion aria-hidden />} name={t("plan.draft.risk")}>
          {/* While a step waits to be assessed nothing is said for the whole. */}
          {assessed ? <RiskBadge risk={risk} reasons={reasons} /> : t("plan.draft.assessing")}
        </Fact>
        <Fact icon={<Clock aria-hidden />} name={t("plan.draft.duration")}>
          {formatEstimate(estimate)}
        </Fact>
        <Fact icon={<FileText aria-hidden />} name={t("plan.draft.files")}>
          {files.length === 0 ? (
            t("plan.draft.filesNone")
          ) : (
            <span className="wrap-anywhere" title={files.join("\n")}>
              {files.slice(0, FILES_SHOWN).map(shortPath).join(", ")}{" "}
              {files.length > FILES_SHOWN
                ? t("plan.draft.more", { count: files.length - FILES_SHOWN })
                : null}
            </span>
          )}
        </Fact>
        <Fact icon={<Undo2 aria-hidden />} name={t("undo.outlook.label")}>
          {assessed ? planOutlook(plan) : t("plan.draft.assessing")}
        </Fact>
      </dl>
      <InputsForm plan={plan} onCommand={onCommand} onEdit={onEdit} />
      {plan.page ? (
        <PageCard
          sessionId={sessionId}
          plan={plan}
          page={plan.page}
          onCommand={onCommand}
          onPoint={onPoint}
        />
      ) : null}
    </section>
  );
}

function Fact({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <>
      <dt className="flex items-center gap-2 text-ink-3 [&>svg]:size-3.5">
        {icon}
        {name}
      </dt>
      <dd className="min-w-0 text-ink">{children}</dd>
    </>
  );
}

type Props = {
  plan: Plan;
  allowed: ReadonlySet<StepId>;
  /** Every step that changes something is asked about, not only the dangerous ones. */
  careful: boolean;
  onRun: () => void;
  onReject: () => void;
};

/** What Run will mean, and the two answers. */
export function ConfirmationBar({ plan, allowed, careful, onRun, onReject }: Props) {
  const risky = plan.steps.filter((step) => step.assessment?.risk === "dangerous");
  const blocked = plan.steps.filter((step) => step.assessment?.risk === "blocked").length;
  const ticked = risky.filter((step) => allowed.has(step.id)).length;
  const asked = risky.length - ticked;
  const changes = plan.steps.filter((step) => step.assessment?.risk === "caution").length;
  const missing = missingInputs(plan);
  const reason = useId();
  const notes = [
    missing.length > 0 &&
      t("plan.inputs.missing", { labels: missing.map((input) => input.label).join(", ") }),
    blocked > 0 && t("plan.draft.blocked", { count: blocked }),
    ticked > 0 && t("plan.draft.allowed", { count: ticked }),
    asked > 0 && t("plan.draft.asked", { count: asked }),
    careful && changes > 0
      ? t("plan.draft.careful", { count: changes })
      : blocked + risky.length === 0 && t("plan.draft.nothing"),
    isForMessage(plan) && t("plan.draft.rejectChat"),
  ].filter((note) => note !== false);
  const mode = modeOf(plan.mode);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-panel px-5 py-3">
      <p id={reason} className="min-w-48 flex-1 text-sm text-ink-2">
        {notes.join(" ")}
      </p>
      <div className="flex gap-2">
        <Button onClick={onReject}>{t("plan.draft.reject")}</Button>
        <Button
          variant={mode}
          icon={<Play aria-hidden />}
          disabled={plan.steps.length === 0 || missing.length > 0}
          aria-describedby={reason}
          onClick={onRun}
        >
          {mode === "teacher" ? t("plan.draft.start") : t("plan.draft.run", { count: plan.steps.length })}
        </Button>
      </div>
    </div>
  );
}
