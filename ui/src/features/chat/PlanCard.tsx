/* A plan where the conversation made it: what it is about, its first steps, where it stands. The plan itself is beside. */
import { ListChecks } from "lucide-react";
import { t } from "@/i18n";
import type { Plan, PlanId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { RiskBadge } from "@/shared/RiskBadge";
import { planRisk } from "@/shared/risk";
import { stepNumbers } from "@/shared/steps";
import { planOutlook } from "@/shared/undo";
import { useApp } from "@/state/store";

const SHOWN_STEPS = 4;

export function PlanCard({ planId, plan }: { planId: PlanId; plan: Plan | null }) {
  const showPlan = useApp((store) => store.showPlan);
  if (plan?.id !== planId) {
    return (
      <p className="flex items-center gap-2 text-sm text-ink-2">
        <ListChecks aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        {t("chat.planCard.replaced")}
      </p>
    );
  }
  const { risk, reasons, assessed } = planRisk(plan);
  const numbers = stepNumbers(plan);
  const more = Math.max(0, plan.steps.length - SHOWN_STEPS);
  return (
    <section
      aria-label={t("chat.planCard.title", { title: plan.title })}
      className="min-w-0 rounded-md border border-line bg-bg p-3.5"
    >
      <div className="flex items-start gap-3">
        <ListChecks aria-hidden className="mt-0.5 size-4 shrink-0 text-agentic-ink" />
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold wrap-break-word">{plan.title}</h3>
          <p className="text-sm text-ink-2">
            {t("chat.planCard.steps", { count: plan.steps.length })} ·{" "}
            {t(`chat.planCard.state.${plan.state.type}`)}
          </p>
          {assessed && plan.state.type === "draft" ? (
            <p className="text-sm text-ink-3">{t("undo.outlook.card", { what: planOutlook(plan) })}</p>
          ) : null}
        </div>
        {assessed ? <RiskBadge risk={risk} reasons={reasons} /> : null}
      </div>
      <ol className="mt-2.5 grid gap-1 pl-7 text-sm text-ink-2">
        {plan.steps.slice(0, SHOWN_STEPS).map((step) => (
          <li key={step.id} className="flex min-w-0 gap-2">
            <span className="w-4 shrink-0 text-right text-ink-3 tabular-nums">
              {numbers.get(step.id) ?? "+"}
            </span>
            <span className="min-w-0 truncate">{step.title}</span>
          </li>
        ))}
      </ol>
      <div className="mt-3 flex flex-wrap items-center gap-3 pl-7">
        <Button size="sm" onClick={showPlan}>
          {t("chat.planCard.show")}
        </Button>
        {more > 0 ? (
          <span className="text-sm text-ink-3">{t("chat.planCard.more", { count: more })}</span>
        ) : null}
      </div>
    </section>
  );
}
