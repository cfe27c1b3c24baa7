/* What the confirmation card shows of a page's reading. Pure. */
import { t } from "@/i18n";
import type { LeftOut, PageChoice, PageFinding, PageReading, PageRole, Plan } from "@/ipc/bindings";

/** A choice with its place in the list, by which the engine knows it. */
export type OpenChoice = { place: number; choice: PageChoice };

/** The choices between ways of which at least one can be taken: not those within a way that is not taken itself. */
export function openChoices({ choices }: PageReading): OpenChoice[] {
  const isReached = (block: number, but: PageChoice) =>
    choices.every((choice) => {
      const contain = choice.ways.map((way) => way.blocks.includes(block));
      return choice === but || !contain.includes(true) || contain[choice.chosen] === true;
    });
  return choices
    .map((choice, place) => ({ choice, place }))
    .filter(({ choice }) => choice.ways.some((way) => way.blocks.some((block) => isReached(block, choice))));
}

/** The most telling first. */
const ROLES = [
  "other-system",
  "alternative",
  "optional",
  "aside",
  "manual",
  "file",
  "other-language",
  "output",
  "unreadable",
] as const satisfies PageRole[];

/** "2 for other systems · 1 output" */
export function countsInWords(leftOut: LeftOut[]): string {
  return ROLES.map((role) => ({ role, count: leftOut.filter((one) => one.role === role).length }))
    .filter(({ count }) => count > 0)
    .map(({ role, count }) => t(`plan.page.roles.${role}`, { count }))
    .join(" · ");
}

/** What still stands of the findings: not what is about a step that is gone, or a blank that has a value. */
export function openFindings({ steps, inputs }: Plan, { findings }: PageReading): PageFinding[] {
  const given = (inputs ?? []).filter((input) => input.value !== null && input.token !== "");
  return (findings ?? [])
    .filter(({ stepId }) => stepId === null || steps.some((step) => step.id === stepId))
    .filter(
      ({ kind, text }) =>
        kind !== "undeclared-input" || !given.some((input) => text.startsWith(`${input.token} `)),
    );
}
