/** What there is to say about a risk: which is stricter, and the words for it. Pure. */
import { t } from "@/i18n";
import type { Plan, Risk, RiskReason } from "@/ipc/bindings";
import { stepNumbers } from "./steps";

/** Order of severity. */
const ORDER: Risk[] = ["safe", "caution", "dangerous", "blocked"];

/** The strictest of some risks; safe when there are none. */
export function strictest(risks: Iterable<Risk>): Risk {
  let worst = 0;
  for (const risk of risks) worst = Math.max(worst, ORDER.indexOf(risk));
  return ORDER[worst] ?? "blocked";
}

/** Strictest first; of equal ones the analysis before a model. */
export function inOrder(reasons: readonly RiskReason[]): RiskReason[] {
  const weight = (reason: RiskReason) => ORDER.indexOf(reason.risk) * 2 + (reason.source ? 0 : 1);
  return [...reasons].sort((a, b) => weight(b) - weight(a));
}

/** "Dangerous: deletes a folder and everything in it, and 1 more reason". */
export function riskName(risk: Risk, reasons: readonly RiskReason[]): string {
  const [first, ...others] = inOrder(reasons);
  const word = capital(t(`shared.risk.${risk}`));
  const reason = first ? spoken(first) : t(`shared.risk.meaning.${risk}`);
  const named = t("shared.risk.name", { risk: word, reason });
  return others.length === 0 ? named : t("shared.risk.others", { named, count: others.length });
}

/** A reason as a sentence part that says whose it is. */
export function spoken({ source, text }: RiskReason): string {
  return source ? t("shared.risk.warns", { model: source, text }) : text;
}

/** How many steps are named as the reason for a plan's risk. */
const STEPS_NAMED = 4;

/** A plan's risk with the steps that have it; null while a step waits to be assessed. */
export function planRisk(plan: Plan): { risk: Risk; reasons: RiskReason[]; assessed: boolean } {
  const assessed = plan.steps.every((step) => step.assessment !== null);
  const risk = strictest(plan.steps.flatMap((step) => (step.assessment ? [step.assessment.risk] : [])));
  const numbers = stepNumbers(plan);
  const named = plan.steps.filter((step) => risk !== "safe" && step.assessment?.risk === risk);
  const reasons = named.slice(0, STEPS_NAMED).map((step): RiskReason => {
    const [first] = inOrder(step.assessment?.reasons ?? []);
    const number = numbers.get(step.id);
    const name = number === undefined ? step.title : `${number} · ${step.title}`;
    const text = first ? t("shared.risk.ofStep", { step: name, reason: spoken(first) }) : name;
    return { risk, text, fragment: first?.fragment ?? "", start: null };
  });
  return { risk, reasons, assessed };
}

export function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
