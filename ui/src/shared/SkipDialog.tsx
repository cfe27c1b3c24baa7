/** Asks with a skip what becomes of the later steps that need the skipped one. */
import { AlertDialog } from "radix-ui";
import { t } from "@/i18n";
import type { Plan, Step, StepId } from "@/ipc/bindings";
import { Button } from "./Button";

type Props = {
  plan: Plan;
  stepId: StepId;
  dependents: Step[];
  onSkip: (withDependents: boolean) => void;
  onClose: () => void;
};

const SHOWN = 5;

export function SkipDialog({ plan, stepId, dependents, onSkip, onClose }: Props) {
  const count = dependents.length;
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-40 w-[28rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 rounded-lg border border-line bg-raised p-5 shadow-3">
          <AlertDialog.Title className="text-lg font-semibold">
            {t("plan.skip.title", { title: plan.steps.find((step) => step.id === stepId)?.title ?? "" })}
          </AlertDialog.Title>
          <AlertDialog.Description className="mt-1.5 text-ink-2">
            {t("plan.skip.text", { count })}
          </AlertDialog.Description>
          <ul className="mt-2 grid gap-0.5 text-sm text-ink-2">
            {dependents.slice(0, SHOWN).map((step) => (
              <li key={step.id} className="truncate">
                {step.index + 1}. {step.title}
              </li>
            ))}
            {count > SHOWN ? <li>{t("plan.skip.more", { count: count - SHOWN })}</li> : null}
          </ul>
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button variant="ghost">{t("shared.cancel")}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button onClick={() => onSkip(false)}>{t("plan.skip.onlyThis")}</Button>
            </AlertDialog.Action>
            <AlertDialog.Action asChild>
              <Button variant="primary" onClick={() => onSkip(true)}>
                {t("plan.skip.too", { count })}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The steps still to run that need this one, or one of those; the same as the engine's. */
export function dependentsOf(plan: Plan, id: StepId): Step[] {
  const needed = new Set([id]);
  const found = new Set<Step>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const step of plan.steps) {
      const waits = ["pending", "awaiting-run", "awaiting-approval"].includes(step.state.type);
      if (waits && !needed.has(step.id) && step.dependsOn.some((need) => needed.has(need))) {
        needed.add(step.id);
        found.add(step);
      }
    }
  }
  return [...found].sort((a, b) => a.index - b.index);
}
