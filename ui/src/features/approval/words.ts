/** What the approval dialog says about a question. Pure. */

import { t } from "@/i18n";
import type { Approval, Effects, EnvironmentChange, GrantRule, Plan } from "@/ipc/bindings";
import { capital } from "@/shared/risk";
import { sourceName, stepNumbers } from "@/shared/steps";

export function titleOf(approval: Approval): string {
  const { action } = approval;
  const dangerous = approval.assessment.risk === "dangerous" || approval.assessment.risk === "blocked";
  if (action.type === "tool") {
    if (dangerous) return t("approval.titleDangerousCall", { tool: action.tool });
    const files = approval.diffs?.length ?? 0;
    if (files > 0) return t("approval.titleEdit", { count: files });
    return t("approval.titleTool", { tool: action.tool });
  }
  return t(dangerous ? "approval.titleDangerous" : "approval.title");
}

/** Who proposes it, and for what. */
export function proposerOf(approval: Approval, plan: Plan | null): string {
  const { proposer } = approval;
  switch (proposer.type) {
    case "plan": {
      const step = stepName(plan, approval.stepId, null);
      return step ? t("approval.proposer.plan", { step }) : t("approval.proposer.planPlain");
    }
    case "agent": {
      const name = sourceName(proposer.source);
      const values = {
        // A model is called as it is written.
        source: name === proposer.source ? name : capital(name),
        step: stepName(plan, proposer.forStep, proposer.forTitle) ?? proposer.forTitle,
      };
      return approval.stepId === proposer.forStep
        ? t("approval.proposer.agentChange", values)
        : t("approval.proposer.agentAdd", values);
    }
    case "chat":
      return t("approval.proposer.chat", { model: proposer.model });
    case "user":
      return approval.previousCommand === null
        ? t("approval.proposer.user")
        : t("approval.proposer.userAgain");
  }
}

/** "4 · Install the Python packages". */
function stepName(plan: Plan | null, id: string, title: string | null): string | null {
  const step = plan?.steps.find((candidate) => candidate.id === id);
  const name = step?.title ?? title;
  if (!name) return null;
  const number = plan ? stepNumbers(plan).get(id) : undefined;
  return number === undefined ? name : `${number} · ${name}`;
}

/** Effects worth a word beside folder and user. */
export function effectsInWords(effects: Effects): string[] {
  return [
    effects.usesNetwork && t("approval.facts.network"),
    effects.installsPackages && t("approval.facts.packages"),
    effects.deletes && t("approval.facts.deletes"),
    effects.changesTreeOwnership && t("approval.facts.tree"),
    effects.writesOutside && t("approval.facts.outside"),
  ].filter((word) => typeof word === "string");
}

/** Asked for by a call of the conversation, which belongs to no plan and no run. */
export function isCall(approval: Approval): boolean {
  return approval.proposer.type === "chat";
}

/** What a rule lets run, as a few words for a button. */
export function ruleReach(rule: GrantRule): string {
  switch (rule.type) {
    case "exact":
      return t("approval.allow.exact");
    case "program":
      return rule.words.join(" ");
    case "tool":
      return rule.tool;
  }
}

export function ruleChoice(rule: GrantRule): string {
  switch (rule.type) {
    case "exact":
      return t("approval.remember.exact");
    case "program":
      return t("approval.remember.program", { words: rule.words.join(" ") });
    case "tool":
      return t("approval.remember.tool", { tool: rule.tool });
  }
}

/** What a rule covers, literally. */
export function ruleLiteral(rule: GrantRule): string {
  switch (rule.type) {
    case "exact":
      return rule.command;
    case "program":
      return `${rule.words.join(" ")} …`;
    case "tool":
      return rule.tool;
  }
}

/** Whether two rules cover the same. */
export function sameRule(a: GrantRule, b: GrantRule): boolean {
  return a.type === b.type && ruleLiteral(a) === ruleLiteral(b);
}

const NAMES_SHOWN = 4;

/** "2 variables differ: PATH, VIRTUAL_ENV". */
export function environmentInWords(changes: EnvironmentChange[]): string {
  const functions = changes.filter((change) => change.now.type === "function").length;
  const variables = changes.length - functions;
  const what =
    functions === 0
      ? t("approval.environment.variables", { count: variables })
      : variables === 0
        ? t("approval.environment.functions", { count: functions })
        : t("approval.environment.both", { count: changes.length });
  const shown = changes.slice(0, NAMES_SHOWN).map((change) => change.name);
  const more = changes.length - shown.length;
  const names = more > 0 ? [...shown, t("approval.more", { count: more })] : shown;
  return t("approval.environment.summary", { what, names: names.join(", ") });
}
